"""The information limit of the paper's twenty scaling and benchmark settings, and what methods pay beyond.

Of every setting one instance, number 0. Blocks of trials are of that instance alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pareto.experiments import lines, looks
from pareto.experiments.methods import GROUPS
from pareto.experiments.pieces import DELTA
from pareto.experiments.pieces import METHODS as OTHERS
from pareto.experiments.samples import Sample, sample
from pareto.experiments.settings import SCALED, SETTINGS, Setting
from pareto.experiments.track_and_stop import METHOD
from pareto.frontier import frontier
from solvers.studies.drawing import saved
from solvers.studies.study import Columns, Line, Picture, Row, Study, seed_of

if TYPE_CHECKING:
    import polars as pl

METHODS = (*OTHERS, METHOD)
LIMIT, DIRECT = "limit", "direct"
BLOCK = 5
"""Trials of a block."""
MANY, STEPS = 15_000, (80, 40)
"""Allocations to look at, and fewer for instances with more cells than this."""
ENUMERABLE = 4096
"""Assignments d^|P| up to which the bounds are held to meet."""
WITHIN = 0.01
KNOWN = {(64, 10, 0.5, LIMIT): 3.35e4, (64, 10, 0.5, DIRECT): 5.51e4}
"""Limits computed earlier, in another way."""

COLUMNS: Columns = {
    "setting": str,
    "method": str,
    "trial": int,
    "unit": int,
    "comparisons": int,
    "wrong": int,
    "stopped": int,
    "low": float,
    "high": float,
    "steps": int,
}
"""low, high: bounds on T*·kl(1 − δ, δ); these rows have no trial. unit: the trial."""


def settings() -> list[Setting]:
    """Of the twenty; eighteen, as two of them occur twice."""
    return list(dict.fromkeys((*GROUPS["scaling"], *GROUPS["benchmarks"])))


def study_keys(seeds: int) -> list[str]:
    found = []
    for setting in settings():
        found.append(f"{setting.name}/{LIMIT}/0")
        if setting in SCALED.values():
            found.append(f"{setting.name}/{DIRECT}/0")
        found += [f"{setting.name}/{method}/{block}" for block in range(seeds) for method in METHODS]
    return found


def work(key: str) -> list[Row]:
    name, method, block = key.split("/")
    theta = SETTINGS[name].draw(0)
    if method in (LIMIT, DIRECT):
        return [_limit(name, method, theta)]
    from pareto.trials import simulate

    trials = range(BLOCK * int(block), BLOCK * (int(block) + 1))
    found = simulate(method, theta, trials, seed_of(f"limit {key}"), delta=DELTA)
    wrong = (found.frontier != frontier(theta)).any(axis=1)
    return [
        {
            "setting": name,
            "method": method,
            "trial": trial,
            "unit": trial,
            "comparisons": spent,
            "wrong": int(bad),
            "stopped": int(stopped),
        }
        for trial, spent, bad, stopped in zip(
            trials, found.comparisons.tolist(), wrong.tolist(), found.stopped.tolist(), strict=True
        )
    ]


def _limit(name: str, method: str, theta: np.ndarray) -> Row:
    from pareto.limit import information_limit

    models, objectives = theta.shape
    large = objectives * models * (models - 1) // 2 > MANY
    found = information_limit(theta, direct=method == DIRECT, tolerance=WITHIN, steps=STEPS[large])
    low, high = found.comparisons(DELTA)
    return {"setting": name, "method": method, "low": low, "high": high, "steps": found.steps}


def compare(table: pl.DataFrame) -> list[Line]:
    return [
        *_limits(table),
        *_paid(table),
        *_overall(table),
        *lines.error_lines(table, DELTA, methods=METHODS),
    ]


def bounds(table: pl.DataFrame, setting: Setting, kind: str = LIMIT) -> tuple[float, float] | None:
    """Bounds on the limit, None where it was not worked out."""
    rows = table.filter((table["setting"] == setting.name) & (table["method"] == kind))
    return None if rows.is_empty() else (float(rows["low"][0]), float(rows["high"][0]))


def _limits(table: pl.DataFrame) -> Iterator[Line]:
    part = "The information limit T*·kl(1 − δ, δ) at δ = 0.05, between proven bounds, one instance each"
    at = {setting.name: place for place, setting in SCALED.items()}
    for setting in settings():
        for kind in (LIMIT, DIRECT):
            found = bounds(table, setting, kind)
            if found is None:
                continue
            low, high = found
            known = KNOWN.get((*at[setting.name], kind)) if setting.name in at else None
            kept = int(frontier(setting.draw(0)).sum())
            held = setting.name in at or setting.objectives**kept <= ENUMERABLE
            notes = [f"{high / low - 1:.2%} apart", "" if setting.name in at else f"{kept} frontier models"]
            yield Line(
                setting.text + (", direct comparisons only" if kind == DIRECT else ""),
                f"{lines.count(low)} to {lines.count(high)}",
                f"ref. {lines.times(known / 1e4)}e4" if known else "",
                "; ".join(note for note in notes if note),
                part,
                (high / low - 1 <= WITHIN and (known is None or 0.99 * low <= known <= 1.01 * high))
                if held
                else None,
            )


def _paid(table: pl.DataFrame) -> Iterator[Line]:
    for setting in settings():
        found = multiples(table, setting)
        if found:
            listed = [f"{lines.NAMES[method]} {lines.times(times)}" for method, times in found.items()]
            yield Line(
                setting.text,
                "; ".join(reversed(listed[-4:])),
                note="; ".join(reversed(listed[:-4])),
                part="Median comparisons, as multiples of the upper bound on the limit",
            )


def multiples(table: pl.DataFrame, setting: Setting) -> dict[str, float]:
    """Median comparisons by the limit's upper bound, for each method tried, dearest first."""
    limit = bounds(table, setting)
    if limit is None:
        return {}
    tried = {method: sample(table, setting.name, method) for method in METHODS}
    found = {method: one.median / limit[1] for method, one in tried.items() if isinstance(one, Sample)}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _overall(table: pl.DataFrame) -> Iterator[Line]:
    """Over the twenty: settings that occur twice count twice."""
    twenty = (*GROUPS["scaling"], *GROUPS["benchmarks"])
    for method in METHODS:
        times = [multiples(table, setting).get(method) for setting in twenty]
        known = [one for one in times if one is not None]
        if len(known) == len(twenty):
            mean = exp(sum(map(log, known)) / len(known))
            yield Line(
                lines.NAMES[method],
                f"{lines.times(float(np.median(known)))}",
                note=f"from {lines.times(min(known))} to {lines.times(max(known))}, geometric mean "
                f"{lines.times(mean)}",
                part="Median comparisons by the limit: the middle one of the twenty settings",
            )


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    drawn = [setting for setting in settings() if bounds(table, setting) is not None]
    figure, (axes,) = looks.panels(1, 8.0, 1.4 + 0.3 * max(len(drawn), 1))
    for place, setting in enumerate(drawn):
        low, high = bounds(table, setting) or (1.0, 1.0)
        axes.plot([low / high, 1.0], [place, place], color="0.2", linewidth=5, solid_capstyle="butt")
        for method, times in multiples(table, setting).items():
            axes.plot([times], [place], linestyle="none", **looks.look(method))
    axes.set_yticks(range(len(drawn)), [setting.text for setting in drawn], fontsize=8)
    axes.invert_yaxis()
    axes.set(xscale="log", xlim=(0.8, None), xlabel="median comparisons by the information limit, δ = 0.05")
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    looks.legend(figure, axes, METHODS)
    return [
        saved(
            figure,
            folder,
            "limit",
            "What methods pay beyond the information limit, which no method with a guarantee can beat on "
            "average: median comparisons by its proven upper bound. The bar at 1 reaches down to the lower "
            "bound.",
        )
    ]


STUDY = Study(
    name="limit",
    title="The information limit, and what methods pay beyond",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=1800,
)
