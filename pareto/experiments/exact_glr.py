"""Track-and-Stop with the closest of all alternatives in place of the screened one.

Every trial is one run of Track-and-Stop. At each of its checks the alternative that screening picks is
compared with the closest of all. The allocation does not depend on δ, so one run goes on until the paper's
rule and the exact one – the proven ratio against all alternatives reaches the same threshold – have both
fired. Another run, with outcomes of its own, also allocates by the closest alternative.

Early checks, at two comparisons a cell, have frontiers of most models: where more than `LARGE` are on it, or
branch and bound does not end within `NODES` nodes for some model, the closest is not known and the check is
not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pareto.exact_glr import Closest, DivergenceCosts, exact_glr, ratio_against
from pareto.experiments import lines, looks
from pareto.experiments.pieces import DELTA
from pareto.experiments.settings import SCALED, SETTINGS, TASKS, Setting
from pareto.frontier import frontier
from pareto.glr.screening import fisher_scores, screen
from pareto.laws import LatentLaw
from pareto.links import Reals
from pareto.samplers.track_constants import EARLIER, TrackConstants
from pareto.samplers.track_race import TrackRace
from pareto.task import SMALLEST_DELTA
from solvers.studies.drawing import BLUE, ORANGE, saved
from solvers.studies.study import Columns, Line, Picture, Row, Study, seed_of

if TYPE_CHECKING:
    import polars as pl

LARGE, NODES = 24, 300
RUNS = 3
"""Runs of a setting for each seed asked for."""
CLOSER = 1e-6
"""Share by which the closest alternative must beat the screened one for screening to be wrong."""
TRIED: tuple[Setting, ...] = (SCALED[16, 4, 1.0], SCALED[64, 10, 1.0], *TASKS.values())

COLUMNS: Columns = {
    "setting": str,
    "trial": int,
    "checks": int,
    "known": int,
    "missed": int,
    "worst": float,
    "above": int,
    "last_missed": int,
    "comparisons": int,
    "stopped": int,
    "wrong": int,
    "exact_comparisons": int,
    "exact_stopped": int,
    "exact_wrong": int,
    "own_comparisons": int,
    "own_stopped": int,
    "own_wrong": int,
}
"""checks: of the run. known: those whose closest alternative is known. missed: those of them where screening
picked another. worst: the largest ratio of the two. above: checks with a statistic above the closest ratio.
last_missed: 1 where the paper's rule stopped while screening was wrong. Then both rules on the run, and
the run that allocates by the closest."""


@dataclass
class _Tally:
    """What the checks of one run show."""

    checks: int = 0
    known: int = 0
    missed: int = 0
    worst: float = 1.0
    above: int = 0
    last_missed: int = 0

    def add(self, race: TrackRace, counts: Reals, closest: Closest, fired: bool) -> None:
        """A check; fired: the paper's rule stops here."""
        self.checks += 1
        if not closest.exact:
            return
        theta = race.theta[0].T
        screened = screen(fisher_scores(theta, counts)[None], frontier(theta)[None]).alternative()
        ratio = ratio_against(DivergenceCosts(theta, counts), screened)[1]
        missed = ratio > closest.value * (1 + CLOSER)
        self.known += 1
        self.missed += missed
        self.above += bool(race.statistic[0] > closest.value * (1 + CLOSER))
        self.last_missed += missed and fired
        if closest.value > 0:
            self.worst = max(self.worst, ratio / closest.value)


def study_keys(seeds: int) -> list[str]:
    return [f"{setting.name}/{trial}" for setting in TRIED for trial in range(RUNS * seeds)]


def work(key: str) -> list[Row]:
    name, trial = key.split("/")
    setting = SETTINGS[name]
    theta = setting.draw(int(trial) % setting.instances)
    tally, paper, exact = _both(theta, np.random.default_rng(seed_of(f"exact-glr {key}")))
    own = _own(theta, np.random.default_rng(seed_of(f"exact-glr own {key}")))
    return [{"setting": name, "trial": int(trial), **vars(tally), **paper, **exact, **own}]


def _both(theta: Reals, rng: np.random.Generator) -> tuple[_Tally, Row, Row]:
    """A run until both rules have fired, or it gives up."""
    race, tally = _race(theta, SMALLEST_DELTA, EARLIER), _Tally()
    ends: dict[str, Row] = {}
    while len(race.open) and len(ends) < 2:
        _advance(race, theta, rng)
        # the threshold at DELTA; the race's own is at a δ at which it does not stop
        threshold = float(race.threshold[0]) + log(SMALLEST_DELTA) - log(DELTA)
        counts = _counts(race)
        fired = bool(race.statistic[0] >= threshold)
        many = int(race.frontier[0].sum()) > LARGE
        closest = exact_glr(race.theta[0].T, counts, nodes=NODES, enough=threshold if many else 0.0)
        if "" not in ends:
            tally.add(race, counts, closest, fired)
        for name, stops in (("", fired), ("exact_", closest.lower >= threshold)):
            if stops and name not in ends:
                ends[name] = _end(name, race, theta, True)
    paper, exact = (ends.get(name) or _end(name, race, theta, False) for name in ("", "exact_"))
    return tally, paper, exact


def _own(theta: Reals, rng: np.random.Generator) -> Row:
    """A run that stops and allocates by the closest alternative."""
    race = _race(theta, DELTA, replace(EARLIER, exact=True))
    while len(race.open):
        _advance(race, theta, rng)
    return _end("own_", race, theta, bool(race.stopped[0]))


def _race(theta: Reals, delta: float, constants: TrackConstants) -> TrackRace:
    models, objectives = theta.shape
    return TrackRace(1, models, objectives, delta, constants)


def _advance(race: TrackRace, theta: Reals, rng: np.random.Generator) -> None:
    """The planned batch and its check."""
    plan = race.plan[:1]
    drawn = LatentLaw(theta[None]).pairs().of(0).drawn(rng, plan[0])
    race.take(np.zeros(1, dtype=np.int64), plan, drawn[None])


def _counts(race: TrackRace) -> Reals:
    """Comparisons so far, (d, K, K) symmetric."""
    models = race.frontier.shape[1]
    square = np.zeros((race.counts.shape[1], models, models))
    square[:, race.first, race.second] = race.counts[0]
    return square + square.swapaxes(1, 2)


def _end(name: str, race: TrackRace, theta: Reals, stopped: bool) -> Row:
    return {
        f"{name}comparisons": int(race.spent[0]),
        f"{name}stopped": int(stopped),
        f"{name}wrong": int((race.frontier[0] != frontier(theta)).any()),
    }


def compare(table: pl.DataFrame) -> list[Line]:
    found = [line for setting in TRIED for line in _lines(table, setting)]
    order = dict.fromkeys(line.part for line in found)
    by_part = [line for part in order for line in found if line.part == part]
    return [*by_part, *_errors(table)]


def _lines(table: pl.DataFrame, setting: Setting) -> Iterator[Line]:
    rows = table.filter(table["setting"] == setting.name)
    if rows.is_empty():
        return
    known, missed = int(rows["known"].sum()), int(rows["missed"].sum())
    last, worst = int(rows["last_missed"].sum()), float(rows["worst"].to_numpy().max())
    if known:
        yield Line(
            setting.text,
            f"{missed} of {known} checks ({missed / known:.0%})",
            note=f"up to {lines.times(worst)} × the closest ratio; wrong when the paper's rule stopped in "
            f"{last} of {rows.height} runs; {int(rows['checks'].sum()) - known} checks not known",
            part="Screening picked an alternative that is not the closest",
        )
        above = int(rows["above"].sum())
        yield Line(
            setting.text,
            f"{above} of {known} checks",
            part="The paper's statistic was above the exact likelihood ratio",
        )
    spent = {name: float(np.median(rows[f"{name}comparisons"].to_numpy())) for name in ("", "exact_", "own_")}
    later = int((rows["exact_comparisons"] > rows["comparisons"]).sum())
    earlier = int((rows["exact_comparisons"] < rows["comparisons"]).sum())
    yield Line(
        setting.text,
        f"{lines.count(spent['exact_'])} ({lines.times(spent['exact_'] / spent[''])} × the paper's rule)",
        note=f"paper's rule {lines.count(spent[''])}; the exact one later in {later}, earlier in {earlier} "
        f"of {rows.height} runs; allocating by the closest as well {lines.count(spent['own_'])}",
        part="Median comparisons of the exact rule on the same runs",
    )


def _errors(table: pl.DataFrame) -> Iterator[Line]:
    for name, text in (("", "paper's rule"), ("exact_", "exact rule"), ("own_", "exact rule and allocation")):
        capped = table.height - int(table[f"{name}stopped"].sum())
        yield Line(
            f"{text}: wrong of all",
            f"{int(table[f'{name}wrong'].sum())} of {table.height:,}",
            note=f"{capped} capped" if capped else "",
            part="Wrong answers (neither rule promises anything)",
        )


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    tried = [setting for setting in TRIED if (table["setting"] == setting.name).any()]
    figure, (left, right) = looks.panels(2, 10.0, 1.2 + 0.3 * max(len(tried), 1))
    for place, setting in enumerate(tried):
        rows = table.filter(table["setting"] == setting.name)
        known = max(int(rows["known"].sum()), 1)
        left.barh(place, int(rows["missed"].sum()) / known, color=BLUE, height=0.6)
        for name, colour, shift in (("exact_", ORANGE, -0.12), ("own_", BLUE, 0.12)):
            times = (rows[f"{name}comparisons"] / rows["comparisons"]).to_numpy()
            right.plot(times, np.full(len(times), place + shift), "o", color=colour, alpha=0.6, markersize=4)
    texts = [setting.text for setting in tried]
    for axes in (left, right):
        axes.set_yticks(range(len(tried)), texts if axes is left else [""] * len(tried), fontsize=8)
        axes.set_ylim(max(len(tried), 1) - 0.5, -0.5)
        axes.grid(axis="x", color="0.92")
        axes.set_axisbelow(True)
    left.set_xlabel("share of checks where screening missed the closest")
    right.set(xscale="log", xlabel="comparisons by those of the paper's rule")
    right.xaxis.set_major_locator(FixedLocator([EARLIER.growth**step for step in range(-6, 7)]))
    right.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
    right.xaxis.set_minor_locator(NullLocator())
    return [
        saved(
            figure,
            folder,
            "exact-glr",
            "Left: how often screening picks an alternative that is not the closest. Right: comparisons of "
            "the exact rule on the same run (orange) and of a run that also allocates by the closest "
            "alternative (blue), by those of the paper's rule.",
        )
    ]


STUDY = Study(
    name="exact-glr",
    title="Track-and-Stop with the closest of all alternatives",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=400,
)
