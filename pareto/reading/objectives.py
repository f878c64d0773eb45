"""Which objectives a comparison counts for: the first true flag, every true flag, or the one named."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pareto.reading.cells import COUNT, FLAGS, OBJECTIVE
from pareto.reading.flags import MISSING, TRUE, Bits, unpacked
from pareto.reading.words import quoted, rows, shortened
from pareto.records import Codes
from pareto.schemas import OVERALL, Layout

NONE = -1


@dataclass(frozen=True, eq=False)
class Labelled:
    """Which objectives combinations count for.

    label_set: (n,) int32 into `label_sets` (S, d), `NONE` where there is no objective. sets: the same, by
    what a cell says (packed flags, or the name as it is written).
    """

    objectives: tuple[str, ...]
    label_sets: npt.NDArray[np.bool_]
    label_set: Codes
    sets: dict[int | str | None, int]


def labelled(frame: pl.DataFrame, layout: Layout) -> Labelled:
    """Objectives of every combination, by the layout's rule."""
    if layout.flags:
        return _by_flags(frame[FLAGS].to_numpy(), layout)
    if OBJECTIVE in frame.columns:
        return _by_name(frame[OBJECTIVE], layout)
    return Labelled((OVERALL,), np.ones((1, 1), dtype=bool), np.zeros(len(frame), dtype=np.int32), {})


def unsupported(frame: pl.DataFrame, layout: Layout) -> str:
    """For votes without an objective: names that are none of the layout's; "" where all are blank."""
    if OBJECTIVE not in frame.columns:
        return ""
    votes: Counter[str] = Counter()
    for name, number in frame.select(OBJECTIVE, COUNT).iter_rows():
        if (name or "").strip():
            votes[name.strip()] += number
    if not votes:
        return ""
    listed = shortened((f"{quoted(name)} {number}" for name, number in votes.most_common()), 4)
    return f"not among those of {layout.name}: {listed}"


def missing_flags(frame: pl.DataFrame, layout: Layout) -> list[str]:
    """Notices of flags that are missing, with the number of votes."""
    if not layout.flags:
        return []
    states = unpacked(frame[FLAGS].to_numpy(), len(layout.flags))
    votes = (states == MISSING).astype(np.int64).T @ frame[COUNT].to_numpy()
    return [
        f"{rows(int(number))} without the flag {flag.objective}, which counts as false"
        for flag, number in zip(layout.flags, votes, strict=True)
        if number
    ]


def _by_flags(bits: Bits, layout: Layout) -> Labelled:
    distinct, where = np.unique(bits, return_inverse=True)
    true = unpacked(distinct, len(layout.flags)) == TRUE
    some = true.any(axis=1)
    objectives = tuple(flag.objective for flag in layout.flags)
    if layout.multi_label:
        label_sets, of = true, np.where(some, np.arange(len(distinct)), NONE)
    else:
        rest = NONE if layout.rest is None else len(objectives)
        objectives += () if layout.rest is None else (layout.rest,)
        label_sets, of = np.eye(len(objectives), dtype=bool), np.where(some, true.argmax(axis=1), rest)
    codes = of.astype(np.int32)
    return Labelled(
        objectives, label_sets, codes[where], dict(zip(distinct.tolist(), codes.tolist(), strict=True))
    )


def _by_name(written: pl.Series, layout: Layout) -> Labelled:
    distinct = written.unique().to_list()
    stripped = {name: (name or "").strip() for name in distinct}
    objectives = layout.values or tuple(sorted({name for name in stripped.values() if name}))
    at = {name: place for place, name in enumerate(objectives)}
    sets: dict[int | str | None, int] = {name: at.get(text, NONE) for name, text in stripped.items()}
    codes = written.replace_strict(
        distinct, [sets[name] for name in distinct], return_dtype=pl.Int32
    ).to_numpy()
    return Labelled(objectives, np.eye(len(objectives), dtype=bool), codes, sets)
