"""Changes to valid files, each drawn from a seeded generator: of bytes, of tables, of JSON documents."""

from __future__ import annotations

import csv
import io
import json
from copy import deepcopy

NASTY = (
    "", " ", "?", "nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-0.0", "-0", "+0", "0", "1",
    "2", "-1", "1.5",
    "00", "01", "1.0", "1e0", "1e-320", "0.69999999999999996", "0.1_0", "1_000", "0x10", "1d3",
    "1,5", ".5", "5.",
    "١", "½", "é", "e\u0301", "𝟙", "\u200b", "\u00a0", "\u3000", "\ufeff", "ß", "İ", "\u2028",
    "\x85", "\x1c", "\x0b",
    '"', '""', "'", ",", ";", "\t", "\n", "a\nb", "\r", "\0", "a\0b", "None", "null", "true", "FALSE", "yes",
    "9" * 30, "9" * 400, str(2**53 + 1), str(2**63), str(-(2**63)), str(2**64), "=1+1", "x" * 3000,
    "[1]", "{}", "\\",
    "model_a", "model_b", "A", "tie", "Tie (bothbad)", "both_bad", "left", "draw", "a", "b", "cat",
    "id", "label",
)  # fmt: skip
VALUES = (
    None, True, False, 0, 1, -1, 2, 1.0, 0.5, -0.0, 1e300, 1e-320, 2**31, 2**53 + 1, 2**63,
    -(2**63) - 1, 10**30,
    float("nan"), float("inf"), "", " ", "?", "1", "é", "\ud800", "\0", "x" * 2000, [], [1], [[]],
    [None], {}, {"a": 1},
    {"id": None},
)  # fmt: skip
"""For JSON documents; lone surrogates and NaN are written as Python writes them."""
Rows = list[list[str]]


def damaged(rng, data):
    """The bytes, damaged once to three times."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not data:
            break
        at = rng.randrange(len(data))
        width = min(rng.choice((1, 1, 2, 4, 8, 40, 400)), len(data) - at)
        change = rng.randrange(9)
        if change <= 2:
            data[at] ^= 1 << rng.randrange(8)
        elif change == 3:
            data[at] = rng.choice((0, 1, 10, 13, 34, 44, 127, 128, 255, 239))
        elif change == 4:
            del data[at : at + width]
        elif change == 5:
            del data[at:]
        elif change == 6:
            data[at:at] = data[at : at + width]
        elif change == 7:
            data[at : at + width] = bytes(width)
        else:
            data[at:at] = rng.randbytes(width)
    return bytes(data)


def damaged_lines(rng, text):
    """Lines deleted, repeated, swapped, cut or joined, or something behind the last one."""
    lines = text.splitlines(keepends=True)
    for _ in range(rng.choice((1, 1, 2))):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        change = rng.randrange(7)
        if change == 0 and len(lines) > 1:
            del lines[at]
        elif change == 1:
            lines.insert(other, lines[at])
        elif change == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif change == 3:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
        elif change == 4:
            lines[at] = lines[at].rstrip("\r\n")
        elif change == 5:
            lines[-1] = lines[-1].rstrip("\r\n") + rng.choice((",", ";", "\t", " ", "\r", '"', ",,", ",x"))
        else:
            lines.insert(at, rng.choice(("\n", " \n", ",\n", ",,,,\n", '"\n', "\r\n", "\0\n", "#\n")))
    return "".join(lines)


def recoded(rng, text):
    """The text in an encoding that is not the expected one."""
    coding = rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "cp500"))
    return text.encode(coding, "replace")


def written(rng, header, rows, plain=False):
    """A table as CSV text in one of the spellings that mean the same; the plainest if `plain`."""
    stream = io.StringIO(newline="")
    separator = "," if plain else rng.choice(",,,;\t")
    end = "\n" if plain else rng.choice(("\n", "\n", "\r\n"))
    quoting = (
        csv.QUOTE_MINIMAL if plain else rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    )
    writer = csv.writer(stream, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows([header, *rows])
    text = stream.getvalue()
    if not plain and rng.random() < 0.2:
        text = "\ufeff" + text
    if not plain and rng.random() < 0.2:
        text = text.removesuffix(end)
    return text


def changed_table(rng, header, rows):
    """Header and rows with one to three changes of cells, rows, columns or names."""
    header, rows = list(header), [list(row) for row in rows]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change = rng.randrange(12)
        at, column = rng.randrange(len(rows)), rng.randrange(len(header))
        if change <= 4 and column < len(rows[at]):
            rows[at][column] = rng.choice(NASTY)
        elif change == 5 and column < len(rows[at]):
            cell = rows[at][column]
            wrapped = (
                f" {cell} ",
                f"{cell}.0",
                f"+{cell}",
                f"{cell}\u00a0",
                cell.upper(),
                cell.title(),
                f"0{cell}",
            )
            rows[at][column] = rng.choice(wrapped)
        elif change == 6 and len(rows) > 1:
            del rows[at]
        elif change == 7:
            rows.insert(rng.randrange(len(rows) + 1), list(rows[at]))
        elif change == 8:
            name = header[column]
            header[column] = rng.choice(
                (*NASTY, name.upper(), f" {name} ", f"{name}.prediction", f"p_{name}")
            )
        elif change == 9 and len(header) > 1:
            del header[column]
            rows = [row[:column] + row[column + 1 :] for row in rows]
        elif change == 10:
            name = rng.choice(
                (header[column], *NASTY, "p_1", "label", "prediction", "x.confidence", "winner")
            )
            header.insert(column, name)
            value = rng.choice(NASTY)
            rows = [[*row[:column], value, *row[column:]] for row in rows]
        else:
            value = rng.choice(NASTY)
            rows = [[*row[:column], value, *row[column + 1 :]] for row in rows]
    return header, rows


def spoil(rng, path, change, header, rows):
    """Spoil the CSV file of a table: with 1 its bytes, with 2 its lines, with 3 at times its encoding, else
    what stands in the table."""
    if change == 1:
        path.write_bytes(damaged(rng, path.read_bytes()))
    elif change == 2:
        path.write_text(damaged_lines(rng, written(rng, header, rows)), newline="")
    elif change == 3 and rng.random() < 0.1:
        path.write_bytes(recoded(rng, written(rng, header, rows)))
    else:
        path.write_text(written(rng, *changed_table(rng, header, rows)), newline="")


def changed_json(rng, document):
    """A JSON document with one to three places changed."""
    document = deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(document))
        if not places:
            return document
        holder, key = rng.choice(places)
        change = rng.randrange(8)
        if change <= 3:
            holder[key] = deepcopy(rng.choice(VALUES))
        elif change == 4:
            old = holder[key]
            if isinstance(old, bool) or not isinstance(old, int | float):
                holder[key] = [old] if rng.random() < 0.5 else str(old)
            else:
                holder[key] = rng.choice(
                    (old + 1, old - 1, -old, float(old), old + 0.5, str(old), old * 2**40)
                )
        elif change == 5:
            del holder[key]
        elif change == 6 and isinstance(holder, list):
            holder.insert(key, deepcopy(holder[key]))
        elif isinstance(holder, dict):
            holder[rng.choice(("", "a", "id", "é", "label", str(key).upper()))] = deepcopy(holder[key])
    return document


def json_text(rng, document):
    """Its text, sometimes written in another way."""
    return json.dumps(document, indent=rng.choice((None, None, 1)), ensure_ascii=rng.random() < 0.5)


def _places(value):
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield value, key
        yield from _places(inner)
