"""The information limit of an instance as a record, and as what people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pareto.alternatives import Alternative, Drop
from pareto.finite import finite
from pareto.frontier import frontier
from pareto.limit import Limit
from pareto.scorefile import ScoreTable

if TYPE_CHECKING:
    from rich.table import Table

SMALLEST = 1e-4
"""Cells with less than this share of all comparisons are not listed."""
PAIRS_LISTED, PAIRS_SHOWN = 100, 10
OBJECTIVES_SHOWN = ALTERNATIVES_SHOWN = 3
KINDS = ("two dominated models", "a frontier and a dominated model", "two frontier models")
Record = dict[str, Any]


def limit_record(found: Limit, table: ScoreTable, delta: float) -> Record:
    """Bounds, the allocation by kind of pair and by cell, and the hardest alternatives; None for infinite."""
    low, high = found.comparisons(delta)
    kept = frontier(table.scores)
    first, second = np.triu_indices(len(kept), 1)
    shares = found.weights[:, first, second]
    kind = kept[first].astype(np.int64) + kept[second]
    by_kind = np.bincount(kind, shares.sum(axis=0), len(KINDS))
    objective, pair = np.nonzero(shares >= SMALLEST)
    order = np.argsort(-shares[objective, pair], kind="stable")
    pairs = np.argsort(-shares.sum(axis=0), kind="stable")[:PAIRS_LISTED]
    return {
        "delta": delta,
        "models": len(table.models),
        "objectives": len(table.objectives),
        "frontier": [name for name, keep in zip(table.models, kept.tolist(), strict=True) if keep],
        "comparisons_at_least": finite(low),
        "comparisons_at_most": finite(high),
        "time_at_least": finite(found.low),
        "time_at_most": finite(found.high),
        "gap": finite(found.gap),
        "allocations_tried": found.steps,
        "seconds": found.seconds,
        "by_kind": dict(zip(KINDS, by_kind.tolist(), strict=True)),
        "by_objective": dict(zip(table.objectives, shares.sum(axis=1).tolist(), strict=True)),
        "cells": [
            {
                "models": [table.models[first[p]], table.models[second[p]]],
                "objective": table.objectives[r],
                "share": float(shares[r, p]),
            }
            for r, p in zip(objective[order].tolist(), pair[order].tolist(), strict=True)
        ],
        "pairs": [
            {
                "models": [table.models[first[p]], table.models[second[p]]],
                "share": float(shares[:, p].sum()),
                "by_objective": dict(zip(table.objectives, shares[:, p].tolist(), strict=True)),
            }
            for p in pairs.tolist()
        ],
        "hardest": [{"share": share, "alternative": sentence(one, table)} for one, share in found.hardest],
    }


def sentence(alternative: Alternative, table: ScoreTable) -> str:
    """``m3 leaves: m5 is as good on every objective``."""
    if isinstance(alternative, Drop):
        model, rival = table.models[alternative.model], table.models[alternative.rival]
        return f"{model} leaves: {rival} is at least as good on every objective"
    matched: dict[str, list[str]] = {}
    for rival_index, at in zip(alternative.rivals, alternative.objectives, strict=True):
        matched.setdefault(table.objectives[at], []).append(table.models[rival_index])
    parts = "; ".join(f"{', '.join(names)} on {objective}" for objective, names in sorted(matched.items()))
    return f"{table.models[alternative.model]} joins: at least as good as {parts}"


def limit_lines(record: Record, direct: bool) -> list[str]:
    """The bounds in sentences."""
    if record["comparisons_at_least"] is None:
        return [
            "The limit is infinite: a frontier model is nowhere ahead of another one, it only ties, and no "
            "number of comparisons tells a tie from a lead. No method with a guarantee need ever stop."
        ]
    low, high = record["comparisons_at_least"], record["comparisons_at_most"]
    spent = f"{record['allocations_tried']} allocations, {record['seconds']:.1f} s"
    above = (
        f"No upper bound was found in that time ({spent}); give it more."
        if high is None
        else f"The limit itself, T*·kl(1 − δ, δ), is at most {_rounded(high, up=True)} "
        f"({record['gap']:.2%} apart; {spent})."
    )
    only = ", if only pairs with a frontier model are compared" if direct else ""
    lines = [
        f"Whatever is right with probability {1 - record['delta']:g} on every instance needs at least "
        f"{_rounded(low)} comparisons here on average{only}. {above}"
    ]
    kinds = ", ".join(f"{share:.0%} between {kind}" for kind, share in reversed(record["by_kind"].items()))
    return [*lines, f"Of the comparisons that reach it: {kinds}."]


def _rounded(count: float, up: bool = False) -> str:
    """A bound on a mean, rounded to the safe side."""
    unit = 10 if count < 1000 else 1
    return f"{(np.ceil if up else np.floor)(count * unit) / unit:,.{1 if unit > 1 else 0}f}"


def pairs_table(record: Record) -> Table:
    """The pairs with the largest shares, over all objectives."""
    from pareto import report

    pairs = record["pairs"][:PAIRS_SHOWN]
    rows = [[*pair["models"], f"{pair['share']:.2%}", _largest(pair["by_objective"])] for pair in pairs]
    models = record["models"]
    title = f"Where the comparisons go: {len(pairs)} of {models * (models - 1) // 2:,} pairs"
    return report.grid(title, ["model", "against", "share", "most on"], rows, right=2)


def _largest(by: dict[str, float]) -> str:
    largest = sorted(by.items(), key=lambda pair: -pair[1])[:OBJECTIVES_SHOWN]
    return ", ".join(f"{name} {share:.2%}" for name, share in largest)


def hardest_lines(record: Record) -> list[str]:
    """The alternatives that are hardest to exclude."""
    shown = record["hardest"][:ALTERNATIVES_SHOWN]
    if not shown:
        return []
    listed = [f"  {one['share']:.1%}  {one['alternative']}" for one in shown]
    return [f"Hardest of {len(record['hardest'])} alternatives to exclude, by share:", *listed]
