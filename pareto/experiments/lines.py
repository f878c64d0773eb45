"""Lines that several studies print: how figures are written, means, ratios, and wrong answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pareto.experiments.pieces import BASE, BASELINES, METHODS
from pareto.experiments.samples import Ratio, Sample, ratio, sample
from pareto.experiments.settings import Setting
from pareto.samplers import method as sampler
from solvers.studies.study import Line

if TYPE_CHECKING:
    import polars as pl

NAMES = {
    "vb-ege": "VB-EGE",
    "focal-borda": "Focal Borda",
    "bt-mle": "BT-MLE",
    "borda-plugin": "Borda plug-in",
    "track-and-stop": "Track-and-Stop",
    "interval": "interval",
    "duel": "duel",
    "commit": "commit",
}
"""How people write the methods."""

LOST = "the paper's table is missing from its text; ref.: earlier runs"
CONFIGURED = "†: what the text leaves out is from the authors' earlier published configuration"


def count(value: float) -> str:
    """``4,462,080`` up to ten million, ``1.23e8`` beyond, a dash for NaN."""
    if value != value:
        return "–"
    if abs(value) < 1e7:
        return f"{value:,.0f}"
    digits, power = f"{value:.2e}".split("e")
    return f"{digits}e{int(power)}"


def about(value: float) -> str:
    """Two figures: ``6.1e8``."""
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}e{int(power)}"


def times(value: float) -> str:
    """A ratio with three figures: ``0.0123``, ``7.40``, ``4230``; a dash for NaN."""
    if value != value:
        return "–"
    return f"{value:.0f}" if abs(value) >= 99.95 else f"{value:#.3g}"


def spread(found: Sample) -> str:
    """Mean and standard error, median and 95 % quantile."""
    only = found.only
    if only is not None:
        return f"{only:,} in every trial"
    error = f" ± {(count if found.mean < 1e7 else about)(found.error)}" if found.error == found.error else ""
    return f"{count(found.mean)}{error}; median {count(found.median)}, q95 {count(found.quantile(0.95))}"


def against(found: Ratio) -> str:
    """Ratio of means and its standard error, ratio of medians, and how many times less if it is less."""
    error = f" ± {found.error:.2g}" if found.error == found.error else ""
    fewer = f" ({times(1 / found.median)} × fewer)" if found.median < 1 else ""
    return f"{times(found.mean)}{error}; medians {times(found.median)}{fewer}"


def base_lines(
    table: pl.DataFrame, settings: Iterable[Setting], part: str, paper: Mapping[str, str]
) -> Iterator[Line]:
    """VB-EGE's comparisons on each setting; `paper` by the setting's name."""
    for setting in settings:
        found = sample(table, setting.name, BASE)
        if found is not None:
            yield Line(setting.text, spread(found), paper.get(setting.name, ""), part=part)


def ratio_lines(table: pl.DataFrame, settings: Sequence[Setting], part: str) -> Iterator[Line]:
    """Every other method by VB-EGE on each setting; `part` is completed by the method's name."""
    for method in METHODS:
        for setting in settings:
            found, base = sample(table, setting.name, method), sample(table, setting.name, BASE)
            if method != BASE and found is not None and base is not None:
                yield Line(
                    setting.text,
                    against(ratio(found, base)),
                    note=f"{NAMES[method]}: {spread(found)}",
                    part=f"{part}: {NAMES[method]} / VB-EGE",
                )


def error_lines(
    table: pl.DataFrame, delta: float, part: str = "Wrong answers", methods: Sequence[str] = METHODS
) -> Iterator[Line]:
    """Wrong answers of each method among all its trials, held to δ of them where the method promises that."""
    for name in methods:
        rows = table.filter(table["method"] == name)
        if rows.is_empty():
            continue
        wrong, capped = int(rows["wrong"].sum()), rows.height - int(rows["stopped"].sum())
        certified = sampler(name).guarantee.certified
        notes = ["" if certified else "promises nothing", f"{capped} capped" if capped else ""]
        yield Line(
            f"{NAMES[name]}: wrong of all",
            f"{wrong} of {rows.height:,}",
            "0" if name == BASE or name in BASELINES else "",
            "; ".join(note for note in notes if note),
            part,
            wrong <= delta * rows.height if certified else None,
        )
