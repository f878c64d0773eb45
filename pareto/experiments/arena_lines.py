"""What the arena study says about its results, beside the paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING

from pareto.experiments import lines
from pareto.experiments.arena_known import (
    BY_HOEFFDING,
    FRONTIERS,
    LEAST,
    MIDDLE,
    PAPER_COUNTS,
    PAPER_FRONTIERS,
    PAPER_RATIOS,
    RETAINED,
    WITHIN,
)
from pareto.experiments.arena_logs import BUNDLED_LOGS, FOLDERS, Setting, Settings
from pareto.experiments.pieces import BASE, BASELINES, DELTA
from pareto.experiments.samples import Ratio, ratio, sample
from solvers.studies.study import Line

if TYPE_CHECKING:
    import polars as pl

METHODS = (BASE, *BASELINES, "interval")
"""Methods that need nothing but Borda scores, and the paper's baselines."""
COUNTED = "log"
"""In place of a method: what the log says, without resampling."""


def compare(settings: Settings, table: pl.DataFrame) -> list[Line]:
    every = list(settings.values())
    bundled, given = [one for one in every if not one.given], [one for one in every if one.given]
    found = [line for setting in given for line in _paper_lines(table, setting)]
    found += _ratio_lines(table, given)
    found += [line for setting in bundled for line in _bundled_lines(table, setting)]
    found += _saving_lines(table, bundled)
    found += [
        line for method in METHODS for setting in every for line in _recovery_lines(table, setting, method)
    ]
    for said in (_tie_lines, _certain_lines):
        found += [line for setting in every for line in said(table, setting)]
    return [*found, *lines.error_lines(table, DELTA, methods=METHODS)]


def facts(table: pl.DataFrame, setting: str) -> dict[str, tuple[int | None, str]]:
    """Number and text of every fact about a log."""
    rows = table.filter((table["setting"] == setting) & (table["method"] == COUNTED))
    return {fact: (number, text or "") for fact, number, text in rows.select("fact", "number", "text").rows()}


def _paper_lines(table: pl.DataFrame, setting: Setting) -> Iterator[Line]:
    known = facts(table, setting.name)
    if not known:
        return
    part = f"{setting.text}: counts, the paper's own files"
    for fact, papers in PAPER_COUNTS[setting.layout].items():
        ours = sum(known.get(step, (0, ""))[0] or 0 for step in fact.split(" + "))
        yield Line(fact, f"{ours:,}", f"{papers:,}", part=part, holds=ours == papers)
    for letter, names in PAPER_FRONTIERS.get(setting.layout, {}).items():
        kept = known[f"frontier {letter}"][1]
        yield Line(f"frontier {letter}", kept, "; ".join(names), part=part, holds=kept == "; ".join(names))


def _bundled_lines(table: pl.DataFrame, setting: Setting) -> Iterator[Line]:
    known = facts(table, setting.name)
    if not known:
        return
    kept, names = known["models"][0], known["frontier D"][1]
    part = "The bundled log: models retained of 52, and their frontier (no figures of the paper)"
    right = kept == RETAINED[setting.name] and names == "; ".join(FRONTIERS[setting.name])
    yield Line(setting.text, f"{kept}: {names}", note=f"Δ_min {known['gaps D'][1]}", part=part, holds=right)


def _tie_lines(table: pl.DataFrame, setting: Setting) -> Iterator[Line]:
    known = facts(table, setting.name)
    if known:
        text = ", ".join(f"{letter} {known[f'frontier {letter}'][0]}" for letter in "DHF")
        alike = "; ".join(f"{name} {value}" for name, (_, value) in known.items() if name.startswith("Jac"))
        yield Line(setting.text, text, note=alike, part="Frontier sizes by treatment of ties")


def _certain_lines(table: pl.DataFrame, setting: Setting) -> Iterator[Line]:
    known = facts(table, setting.name)
    if not known:
        return
    decided = sum(known[f"certain {status}"][0] or 0 for status in ("frontier", "dominated"))
    clustered = [number or 0 for name, (number, _) in known.items() if " by " in name]
    least = BY_HOEFFDING.get(setting.name)
    yield Line(
        setting.text,
        f"{decided} of {known['models'][0]}",
        "" if least is None else f"goal > {least}",
        f"{sum(clustered)} if votes of one {setting.cluster} may depend on each other" if clustered else "",
        "Models decided about the population at confidence 0.95 (goal: more than Hoeffding bounds decide)",
        None if least is None else decided > least,
    )


def _recovery_lines(table: pl.DataFrame, setting: Setting, method: str) -> Iterator[Line]:
    found = sample(table, setting.name, method)
    if found is None:
        return
    recovered = found.trials - found.wrong - found.capped
    phases = table.filter((table["setting"] == setting.name) & (table["method"] == method))["phase"]
    ended = sorted(phases.value_counts().rows())
    yield Line(
        setting.text,
        f"{recovered} of {found.trials}; {lines.spread(found)}",
        "all of 100" if setting.given else "",
        "; ".join(f"phase {phase}: {runs}" for phase, runs in ended) if len(ended) <= 4 else "",
        f"Frontier recovered, comparisons: {lines.NAMES[method]}",
        recovered == found.trials,
    )


def _ratio_lines(table: pl.DataFrame, given: Sequence[Setting]) -> Iterator[Line]:
    """Smallest and largest ratio over the paper's three data sets, if all are there (Table 11)."""
    for method in BASELINES:
        known = [one for one in (_ratio(table, setting, method) for setting in given) if one is not None]
        if len(known) < len(FOLDERS):
            continue
        low, high = min(one.mean for one in known), max(one.mean for one in known)
        papers = PAPER_RATIOS[method]
        near = all(
            1 / WITHIN <= ours / theirs <= WITHIN for ours, theirs in zip((low, high), papers, strict=True)
        )
        yield Line(
            f"{lines.NAMES[method]} / VB-EGE",
            f"{lines.times(low)} to {lines.times(high)}",
            f"{lines.times(papers[0])} to {lines.times(papers[1])}",
            f"holds within a factor of {WITHIN:g}",
            "Means over VB-EGE's, smallest and largest of the three data sets",
            near,
        )


def _saving_lines(table: pl.DataFrame, bundled: Sequence[Setting]) -> Iterator[Line]:
    """How many times fewer comparisons `interval` needs, and what the baselines need, by VB-EGE."""
    part = "The bundled log: mean comparisons over VB-EGE's (no figures of the paper)"
    for method in BASELINES:
        known = [one for one in (_ratio(table, setting, method) for setting in bundled) if one is not None]
        if known:
            ends = (min(one.mean for one in known), max(one.mean for one in known))
            yield Line(f"{lines.NAMES[method]} / VB-EGE", " to ".join(map(lines.times, ends)), part=part)
    found = [(setting, _ratio(table, setting, "interval")) for setting in bundled]
    savings = {setting.text: 1 / one.mean for setting, one in found if one is not None}
    if len(savings) < len(BUNDLED_LOGS):
        return
    worst = min(savings, key=lambda text: savings[text])
    for quantity, value, goal, note in (
        ("interval, median log", median(savings.values()), MIDDLE, ""),
        ("interval, least of all logs", savings[worst], LEAST, worst),
    ):
        yield Line(quantity, f"{lines.times(value)} × fewer", f"goal ≥ {goal:g} ×", note, part, value >= goal)


def _ratio(table: pl.DataFrame, setting: Setting, method: str) -> Ratio | None:
    found, base = sample(table, setting.name, method), sample(table, setting.name, BASE)
    return None if found is None or base is None else ratio(found, base)
