"""A plain reading of MPS, for comparison: no check of anything but what a wrong text runs into."""

from __future__ import annotations

import re

import numpy as np

from solvers import LinearProgram


def by_hand(text):
    """The program of a text that was accepted."""
    sense, section, integer = "MIN", "", False
    kinds, columns, sides, ranges, constant = {}, {}, {}, {}, 0.0
    for line in text.split("\n"):
        words = [word for word in re.split("[\t\v\f\r ]", line) if word]
        if not words or line.startswith("*"):
            continue
        if words[0].upper() in ("NAME", "OBJSENSE") or (len(words) == 1 and section != "OBJSENSE"):
            section = words[0].upper()
            sense = words[1].upper() if section == "OBJSENSE" and words[1:] else sense
        elif section == "OBJSENSE" and words[0].upper() in ("ROWS", "COLUMNS"):
            section = words[0].upper()
        elif section == "OBJSENSE":
            sense = words[0].upper()[:3]
        elif section == "ROWS":
            kinds[words[1]] = words[0]
        elif section == "COLUMNS" and words[1] == "'MARKER'":
            integer = words[2] == "'INTORG'"
        elif section == "COLUMNS":
            column = columns.setdefault(words[0], {"integer": integer, "bounds": [], "entries": {}})
            column["entries"] |= dict(zip(words[1::2], map(float, words[2::2]), strict=True))
        elif section in ("RHS", "RANGES"):
            found = sides if section == "RHS" else ranges
            words = words[len(words) % 2 :]
            found |= dict(zip(words[::2], map(float, words[1::2]), strict=True))
        elif section == "BOUNDS":
            at = 1 if words[1] in columns else 2
            columns[words[at]]["bounds"].append((words[0], *map(float, words[at + 1 :])))
    rows = [name for name, kind in kinds.items() if kind != "N"]
    objective = next((name for name, kind in kinds.items() if kind == "N"), None)
    if sides.get(objective):
        constant = -sides[objective]
    limits = [_row(kinds[name], sides.get(name, 0.0), ranges.get(name)) for name in rows]
    bounds = [_column(one) for one in columns.values()]
    entries = [one["entries"] for one in columns.values()]
    costs = [one.get(objective, 0.0) + 0.0 for one in entries]
    matrix = np.array([[one.get(name, 0.0) for one in entries] for name in rows]).reshape(len(rows), -1) + 0.0
    if constant:
        costs, bounds = [*costs, constant], [*bounds, (1.0, 1.0, False)]
        matrix = np.hstack([matrix, np.zeros((len(rows), 1))])
    lower, upper, whole = zip(*bounds, strict=True)
    return LinearProgram(
        costs,
        matrix,
        row_lower=[low for low, _ in limits],
        row_upper=[high for _, high in limits],
        lower=lower,
        upper=upper,
        integrality=whole,
        maximise=sense[:3] == "MAX",
    )


def _row(kind, side, width):
    low = side if kind in "GE" else -np.inf
    high = side if kind in "LE" else np.inf
    if width is not None:
        if kind == "L" or (kind == "E" and width < 0):
            low = high - abs(width)
        else:
            high = low + abs(width)
    return _finite(low), _finite(high)


def _column(one):
    low, high, whole = 0.0, np.inf, one["integer"]
    if whole and not one["bounds"]:
        high = 1.0
    for kind, *value in one["bounds"]:
        whole |= kind in ("BV", "LI", "UI")
        low = value[0] if kind in ("LO", "FX", "LI") else -np.inf if kind in ("MI", "FR") else low
        high = value[0] if kind in ("UP", "FX", "UI") else np.inf if kind in ("PL", "FR") else high
        low, high = (0.0, 1.0) if kind == "BV" else (low, high)
    return _finite(low), _finite(high), whole


def _finite(bound):
    return bound if abs(bound) < 1e20 else np.copysign(np.inf, bound)
