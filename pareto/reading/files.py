"""Which files are meant: paths and patterns, each file once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import glob
from pathlib import Path

from pareto.errors import BattleError
from pareto.reading.words import quoted

FilePath = str | os.PathLike[str]
CSV, PARQUET, JSON_LINES = (".csv", ".tsv"), (".parquet",), (".jsonl", ".ndjson")
SUFFIXES = (*CSV, *PARQUET, *JSON_LINES)


def find_files(paths: FilePath | Sequence[FilePath]) -> tuple[Path, ...]:
    """The files, in the order given, those of a pattern (`*`, `?`, `[…]`, `**`) in the order of their names.

    Raises `BattleError` for what does not exist, folders, other kinds of files, patterns that match nothing
    and files given twice, whose votes would count twice.
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not listed:
        raise BattleError("no file given; name one or more logs of battles")
    files: list[Path] = []
    seen: dict[Path, FilePath] = {}
    for given in listed:
        for path in _matching(given):
            file = path.resolve()
            if file in seen:
                raise BattleError(
                    f"{path} is given twice (by {str(seen[file])!r} and by {str(given)!r}), so its votes "
                    "would count twice; give each file once"
                )
            seen[file] = given
            files.append(path)
    return tuple(files)


def _matching(given: FilePath) -> list[Path]:
    """The file itself, or the files of a pattern."""
    if not isinstance(given, str | os.PathLike):
        raise BattleError(
            f"{quoted(given)} is no file name; give the path of a log, a list of paths, or one frame of "
            "polars or pandas"
        )
    path = Path(given)
    try:
        exists = path.exists()
        str(path).encode()
    except (OSError, ValueError) as error:
        raise BattleError(
            f"{str(path)[:80]!a} is no usable file name ({error}); give the path of a file"
        ) from None
    if exists or not any(letter in str(path) for letter in "*?["):
        _check(path, exists)
        return [path]
    found = sorted(name for name in glob(str(path), recursive=True) if os.path.isfile(name))
    if not found:
        raise BattleError(
            f"no file matches {str(path)!r}; check the pattern (the current folder is {Path.cwd()})"
        )
    for name in found:
        _check(Path(name), True)
    return [Path(name) for name in found]


def _check(path: Path, exists: bool) -> None:
    if not exists:
        raise BattleError(f"{path} does not exist; check the name (the current folder is {Path.cwd()})")
    if path.is_dir():
        raise BattleError(
            f"{path} is a folder; name the files in it, or a pattern such as {path / '*.parquet'}"
        )
    if path.suffix.lower() not in SUFFIXES:
        ending = f"its name ends in {path.suffix!r}" if path.suffix else "its name has no ending"
        raise BattleError(
            f"{path} cannot be read: {ending}; accepted are {', '.join(SUFFIXES)} "
            "(.jsonl and .ndjson hold one JSON object a line)"
        )
    if not path.is_file() or not os.access(path, os.R_OK):
        raise BattleError(f"{path} is not a file that can be read; check its kind and permissions")
