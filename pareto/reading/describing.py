"""The sentence that says what a log was taken for."""

from __future__ import annotations

from collections.abc import Sequence

from pareto.reading.layouts import Columns
from pareto.reading.words import shortened


def described(columns: Columns, files: int, objectives: Sequence[str]) -> str:
    """Layout, the columns that decided it, and how a row gets its objectives."""
    layout = columns.layout
    several = f" ({files} files)" if files > 1 else ""
    return f"layout {layout.name}{several}: {_rule(columns, objectives)}"


def _rule(columns: Columns, objectives: Sequence[str]) -> str:
    layout = columns.layout
    if layout.flags:
        places = shortened((".".join(keys) for keys in columns.flags), 8)
        if layout.multi_label:
            return f"a row counts for every true flag among {', '.join(objectives)} (columns {places})"
        first = " > ".join(flag.objective for flag in layout.flags)
        rest = f"the first true flag of {first}"
        rest += f", else {layout.rest}" if layout.rest is not None else ""
        return f"the objective is {rest} (columns {places})"
    if columns.objective is None:
        only = f"no column names an objective, so there is one, {objectives[0]}"
        return f"{only} (name an objective column, or flags, if there are more)"
    return f"the objective is what column {columns.objective!r} says: {shortened(objectives, 12)}"
