"""Every prefix of every query path, re-derived by an auditor that shares no code with the engine.

Paths: each policy on the 108 panel comparisons and on the confidence scores of three networks, all seeds; for
policies without chance also the stops that every tolerance would have made. Before, at and after each label
`certify.audit.paths` holds every pairwise bound, the stopping test and the verdict against its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from certify.audit.paths import PathClaim, PathPool, check_path
from certify.audit.report import Lie
from certify.experiments import deep_confidence, panels
from certify.experiments.measures import DRAWN, TOLERANCES
from certify.paths import BoundPath
from certify.policies import POLICIES, Order
from certify.pool import Pool
from certify.replay import replay
from certify.risks import Codes, Risks
from certify.tolerance import exact_tolerance
from certify.tolerances import tolerances_along
from solvers.studies.drawing import BLUE, ORANGE, canvas, saved
from solvers.studies.study import Line, Picture, Row, Study

if TYPE_CHECKING:
    import polars as pl

FIXED = tuple(policy for policy in POLICIES if policy not in DRAWN)
ALTERED = "static-range"
"""The policy whose paths are also altered, to see that the auditor objects."""
COLUMNS = {
    "part": str,
    "condition": str,
    "policy": str,
    "seed": int,
    "tolerance": str,
    "labels": int,
    "prefixes": int,
    "altered": int,
    "caught": int,
    "lie": str,
}
"""prefixes: how many of a path were checked. lie: what the auditor objects to, empty where nothing.
altered, caught: how many wrong claims about the path were made up, and how many of them were rejected."""


def keys(seeds: int) -> list[str]:
    """PART/CONDITION/POLICY for policies without chance, PART/CONDITION/drawn/SEED for all the others."""
    pieces = [*FIXED, *(f"drawn/{seed}" for seed in range(seeds))]
    names = [f"deep/{name}" for name in deep_confidence.COMPARISONS]
    names += [f"panels/{condition.name}" for condition in panels.CONDITIONS]
    return [f"{name}/{piece}" for name in names for piece in pieces]


@lru_cache(maxsize=2)
def compared(part: str, name: str) -> tuple[Pool, Codes, PathPool]:
    """A pool, its true labels, and the pool as the auditor sees it."""
    if part == "deep":
        pool, codes = deep_confidence.compared(name)
    else:
        (condition,) = (condition for condition in panels.CONDITIONS if condition.name == name)
        pool, codes = panels.compared(condition)
    return pool, codes, PathPool.of(pool.confidences, pool.predictions, len(pool.classes))


def work(key: str) -> list[Row]:
    part, name, piece, *seed = key.split("/")
    pool, codes, audited = compared(part, name)
    rows: list[Row] = []
    for policy in DRAWN if seed else (piece,):
        number = int(seed[0]) if seed else None
        for tolerance, claim in claims(pool, codes, policy, number):
            row = {
                "part": part,
                "condition": name,
                "policy": policy,
                "seed": number,
                "tolerance": tolerance,
                "labels": len(claim.rows),
            }
            rows.append({**row, **_checked(audited, claim, codes)})
        if policy == ALTERED:
            rows[-1] = {**rows[-1], **_objections(pool, codes, audited)}
    return rows


def claims(pool: Pool, codes: Codes, policy: str, seed: int | None) -> Iterator[tuple[str, PathClaim]]:
    """What the engine says of a policy's path, at all tolerances where chance does not enter."""
    run = replay(pool, codes, policy, seed=seed or 0)
    bounds = trajectory(pool.risks, codes, run.rows)
    yield "0", PathClaim(run.rows, codes[run.rows], run.certified, run.winner, run.gap, Fraction(0), bounds)
    if seed is not None:
        return
    along = tolerances_along(pool, codes, run.rows)
    for text in TOLERANCES[1:]:
        stop = along.stop(text)
        last = len(run.rows) if stop.labels is None else stop.labels
        yield (
            text,
            PathClaim(
                run.rows[:last],
                codes[run.rows[:last]],
                stop.labels is not None,
                stop.candidate,
                Fraction(int(along.excess[last]), along.scale),
                exact_tolerance(text),
                bounds[: last + 1],
            ),
        )


def trajectory(risks: Risks, codes: Codes, rows: Order) -> npt.NDArray[np.int64]:
    """The engine's L_jk before the first label and after each, (N + 1, K, K)."""
    path = BoundPath.of(risks, codes, rows)
    candidates, _ = risks.shape
    bounds = np.zeros((len(rows) + 1, candidates, candidates), dtype=np.int64)
    for j in range(candidates):
        for k in range(candidates):
            if j != k:
                bounds[:, j, k] = path.lower(j, k)
    return bounds


def _checked(audited: PathPool, claim: PathClaim, codes: Codes) -> Row:
    try:
        return {"prefixes": check_path(audited, claim, codes)}
    except Lie as lie:
        return {"prefixes": 0, "lie": str(lie)}


def _objections(pool: Pool, codes: Codes, audited: PathPool) -> Row:
    altered = list(alterations(pool, codes))
    caught = sum("lie" in _checked(audited, claim, codes) for claim in altered)
    return {"altered": len(altered), "caught": caught}


def alterations(pool: Pool, codes: Codes) -> Iterator[PathClaim]:
    """Wrong claims about one path: a stop one label early or late, another winner, a weight off by one."""
    _, true = next(claims(pool, codes, ALTERED, 0))
    bare = replace(true, lower=None)
    last = len(true.rows)
    if last:
        yield replace(bare, rows=true.rows[:-1], labels=true.labels[:-1])
        weights = pool.risks.weights.copy()
        weights[true.winner, true.rows[0]] += 1
        wrong = replace(pool.risks, weights=weights)
        yield replace(true, lower=trajectory(wrong, codes, true.rows))
    if last < pool.n:
        unread = np.setdiff1d(np.arange(pool.n), true.rows)[:1]
        rows = np.append(true.rows, unread)
        yield replace(bare, rows=rows, labels=codes[rows])
    yield replace(bare, winner=(true.winner + 1) % pool.candidates)


def compare(table: pl.DataFrame) -> list[Line]:
    lines = []
    everything = "Prefixes of query paths re-derived in whole numbers"
    lies = table["lie"].drop_nulls().to_list()
    lines.append(
        Line(
            "prefixes checked, paths, objections",
            f"{int(table['prefixes'].sum()):,} of {len(table):,} paths, {len(lies)} objections",
            "4,171,554 of 440 paths, none",
            lies[0]
            if lies
            else "each prefix: all pairwise bounds, the test for every candidate, the verdict",
            everything,
            not lies,
        )
    )
    for part, title, paper in (
        (
            "deep",
            "networks: static-range and random orders, as in the paper",
            "1,666,594 of 176 paths; 2,504,903 of 264",
        ),
        ("deep", "networks: all policies and tolerances", ""),
        ("panels", "panels: all policies and tolerances", "replayed, no count given"),
    ):
        found = table.filter(part=part)
        if title.endswith("paper"):
            found = found.filter(
                found["policy"].is_in(["static-range", "random"]) & (found["tolerance"] == "0")
            )
        if len(found):
            lines.append(
                Line(
                    title,
                    f"{int(found['prefixes'].sum()):,} of {len(found):,} paths",
                    paper,
                    "three networks where the paper has four and six" if paper[:1] == "1" else "",
                    everything,
                )
            )
    altered, caught = (int(table[column].sum()) for column in ("altered", "caught"))
    if altered:
        lines.append(
            Line(
                "wrong claims rejected",
                f"{caught:,} of {altered:,}",
                "",
                "paths that stop a label early or late, name another winner, or rest on a weight off by one",
                everything,
                caught == altered,
            )
        )
    return lines


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    found = [
        (
            policy,
            [int(table.filter(part=part, policy=policy)["prefixes"].sum()) for part in ("deep", "panels")],
        )
        for policy in POLICIES
    ]
    figure, axes = canvas(7.2, 3.6)
    names = [policy for policy, _ in found]
    deep, panel = (np.array([counts[at] for _, counts in found]) / 1e6 for at in (0, 1))
    axes.barh(names, deep, color=BLUE, label="networks on CIFAR")
    axes.barh(names, panel, left=deep, color=ORANGE, label="panels on nine tables")
    axes.invert_yaxis()
    axes.set(xlabel="prefixes re-derived, millions")
    axes.legend(frameon=False, fontsize=8)
    return [
        saved(
            figure,
            folder,
            "audits",
            "Prefixes of query paths that the independent auditor re-derived, by policy. Policies that draw "
            "rows have a path for each seed, the others one for each tolerance.",
        )
    ]


STUDY = Study(
    "audits",
    "Every prefix of every path, audited",
    COLUMNS,
    keys,
    work,
    compare,
    pictures,
    seconds=230,
)
