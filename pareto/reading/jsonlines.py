"""JSON lines: one object a line, read as text throughout.

Whole numbers and true/false become the text they are written as, so that a log reads the same as CSV and as
JSON lines. Nested objects stay nested; columns that are not needed are not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import polars as pl

from pareto.errors import BattleError
from pareto.reading.words import quoted
from pareto.schemas import Fields, KeyPath
from solvers.csv_quotes import MARK
from solvers.errors import first_line

Nested = dict[str, Any]
PIECE = 1 << 23
"""Bytes of a piece, unless a line is longer."""
FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
BLOCK = 1 << 24
LONGEST_ESCAPE = len(r"\u0000")
LIKE_JSON = r"^(-?[0-9]|\[|\{|true$|false$)|\x00"
"""Texts that may have been numbers, lists, objects or halves of characters in the file."""


def json_fields(path: Path) -> Fields:
    """Names of all keys that occur anywhere in the file, nested as they are there. O(file), in pieces."""
    fields: Nested = {}
    empty = True
    for piece in _pieces(path):
        empty = False
        try:
            schema = pl.scan_ndjson(BytesIO(piece), infer_schema_length=None).collect_schema()
        except FAILURES:  # one column of several types, or a malformed line, which is named
            for _, value in objects(path):
                _merge(fields, value)
            return fields
        _merge(fields, {name: _fields(kind) for name, kind in schema.items()})
    if empty:
        raise BattleError(f"{path} is empty; give one JSON object a line")
    return fields


def scan_json(path: Path, paths: Sequence[KeyPath]) -> pl.LazyFrame:
    """Those columns as text, nested columns with the named keys."""
    return pl.scan_ndjson(_without_mark(path), schema=_schema(paths))


def json_frames(path: Path, paths: Sequence[KeyPath]) -> Iterator[pl.DataFrame]:
    """The same in pieces, so that no more than a piece of the file is in memory."""
    schema = _schema(paths)
    for piece in _pieces(path):
        try:
            yield pl.scan_ndjson(BytesIO(piece), schema=schema).collect()
        except FAILURES as error:
            explain(path, first_line(error))


def _schema(paths: Sequence[KeyPath]) -> dict[str, Any]:
    wanted: Nested = {}
    for keys in paths:
        level = wanted
        for key in keys[:-1]:
            level = level.setdefault(key, {})
        level.setdefault(keys[-1], None)
    return {name: _kind(inner) for name, inner in wanted.items()}


def _pieces(path: Path) -> Iterator[bytes]:
    """Whole lines, about `PIECE` bytes at a time; pieces of blank lines are left out."""
    try:
        with path.open("rb") as stream:
            _skip_mark(stream)
            while lines := stream.readlines(PIECE):
                piece = b"".join(lines)
                if piece.strip():
                    yield piece
    except OSError as error:
        raise _unreadable(path, error) from None


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines, counted from 1."""
    with path.open("rb") as stream:
        _skip_mark(stream)
        yield from enumerate(stream, 1)


def _without_mark(path: Path) -> Path | bytes:
    """What polars reads: the file, or all of its text where that begins with a byte order mark."""
    try:
        with path.open("rb") as stream:
            return stream.read() if _skip_mark(stream) else path
    except OSError as error:
        raise _unreadable(path, error) from None


def _skip_mark(stream: BinaryIO) -> bool:
    """Go on behind the UTF-8 byte order mark that a file may begin with; whether it does."""
    found = stream.read(len(MARK)) == MARK
    if not found:
        stream.seek(0)
    return found


def _unreadable(path: Path, error: OSError) -> BattleError:
    return BattleError(f"{path} cannot be read ({error}); check the file and its disk")


def explain(path: Path, reason: str) -> NoReturn:
    """Raises the error that tells why polars could not read the file, by line where there is one."""
    for _ in objects(path):
        pass
    raise BattleError(
        f"{path} cannot be read as JSON lines ({reason}); write it again, or give CSV or Parquet"
    )


def check_name_values(path: Path, columns: Sequence[str]) -> None:
    """Raises `BattleError` for the first value in these columns that is no text, whole number or null."""
    for line, value in objects(path):
        for column in columns:
            name: object = value.get(column)
            if isinstance(name, bool) or not isinstance(name, str | int | None):
                raise BattleError(
                    f"{path}, line {line}, key {column!r}: found {quoted(name)}; names are text or whole "
                    "numbers"
                )
            if any("\ud800" <= character <= "\udfff" for character in str(name)):
                raise BattleError(
                    f"{path}, line {line}, key {column!r}: found {ascii(name)[:60]}, which has half of a "
                    "character in it (a lone surrogate); write whole ones"
                )


def check_keys_once(path: Path, keys: Sequence[str], lines: int) -> None:
    """Raises `BattleError` for the first line that has one of these keys twice: readers differ on those.

    lines: how many objects the file has; only where a key is written more often than that, here or deeper or
    in a text, or where a letter of one is written as an escape, is it looked at line by line.
    """
    written = [json.dumps(key, ensure_ascii=False).encode() for key in keys]
    escaped = _escapes("".join(keys))
    if not _suspicious(path, written, escaped, lines):
        return

    def pairs(found: list[tuple[str, Any]]) -> Nested:
        names = [name for name, _ in found]
        twice = next((key for key in keys if names.count(key) > 1), None)
        if twice is not None:
            raise BattleError(f"the key {twice!r} occurs twice in an object; keep one of them")
        return dict(found)

    for line, text in _lines(path):
        if any(text.count(key) > 1 for key in written) or escaped.search(text):
            try:
                json.loads(text, object_pairs_hook=pairs)
            except (ValueError, RecursionError) as error:
                raise BattleError(f"{path}, line {line}: {error}") from None


def _escapes(letters: str) -> re.Pattern[bytes]:
    """Every spelling of one of these letters as an escape that `json.dumps` would not use."""
    units = letters.encode("utf-16-be", "surrogatepass")
    lasts: dict[str, str] = {}  # digits by those before them: few branches are found sooner than many
    for code in sorted({units[at : at + 2].hex() for at in range(0, len(units), 2)}):
        lasts[code[:3]] = lasts.get(code[:3], "") + code[3]
    # either case of a digit: to ignore case altogether takes several times as long
    cases = (re.sub("[a-f]", lambda digit: f"[{digit[0]}{digit[0].upper()}]", start) for start in lasts)
    either = (f"{start}[{last}{last.upper()}]" for start, last in zip(cases, lasts.values(), strict=True))
    slash = r"|\\/" if "/" in letters else ""
    return re.compile(rf"\\u(?:{'|'.join(either)}){slash}".encode())


def _suspicious(path: Path, words: Sequence[bytes], escaped: re.Pattern[bytes], most: int) -> bool:
    """Whether a word is in the file more often than `most`, or an escape that is looked for is at all."""
    totals, rest = [0] * len(words), [b""] * len(words)
    end = b""
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            if escaped.search(end + block[:LONGEST_ESCAPE]) or escaped.search(block):
                return True
            end = block[-LONGEST_ESCAPE:]
            for at, word in enumerate(words):
                text = rest[at] + block
                totals[at] += text.count(word)
                rest[at] = text[len(text) - len(word) + 1 :]  # too short for a word that was counted
    return max(totals) > most


def objects(path: Path) -> Iterator[tuple[int, Nested]]:
    """Lines (from 1) and their objects; raises `BattleError` at the first line that holds none."""
    for line, text in _lines(path):
        if not text.strip():
            continue
        try:
            value = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:  # malformed JSON, or not UTF-8
            raise BattleError(
                f"{path}, line {line}: no JSON ({error}); give one object a line, for example "
                '{"model_a": "x", "model_b": "y", "winner": "model_a"}'
            ) from None
        if not isinstance(value, dict):
            raise BattleError(
                f"{path}, line {line}: found {quoted(value)}; give one JSON object a line, not a list"
            )
        yield line, value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number; write null")


def _merge(fields: Nested, value: Nested) -> None:
    for key, inner in value.items():
        if isinstance(inner, dict):
            if not isinstance(fields.get(key), dict):
                fields[key] = {}
            _merge(fields[key], inner)
        else:
            fields.setdefault(key, None)


def _fields(kind: Any) -> Fields | None:
    if not isinstance(kind, pl.Struct):
        return None
    return {field.name: _fields(field.dtype) for field in kind.fields}


def _kind(inner: Nested | None) -> Any:
    if inner is None:
        return pl.String
    return pl.Struct({name: _kind(deeper) for name, deeper in inner.items()})
