"""Two, four and eight candidates out of the same fitted collection (section 6.5, Figure 12b)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from certify.experiments import measures
from certify.experiments.panels import FITTED, NESTED, compared, conditions_of
from certify.experiments.summary import bracket, mean, of, percent, prepared
from solvers.studies.drawing import BLUE, GREEN, GREY, ORANGE, canvas, saved
from solvers.studies.study import Line, Picture, Row, Study

POLICIES = ("static-range", measures.BASE, measures.OURS)
CERTIFICATES = {2: "38.42 %", 4: "53.78–54.41 %", 8: "58.95–59.90 %"}
ADAPTIVE = {2: "65.57 %", 4: "79.52 %", 8: "81.24 %"}


def keys(seeds: int) -> Sequence[str]:
    return measures.keys(FITTED, POLICIES, seeds)


def work(key: str) -> list[Row]:
    name, piece, seed = measures.parsed(key)
    rows: list[Row] = []
    for condition in conditions_of(name, NESTED):
        pool, codes = compared(condition)
        if piece == measures.FACTS:
            measured = [measures.certificate_bracket(pool, codes, "0"), measures.prelabel(pool)]
        else:
            measured = list(measures.reads(pool, codes, piece, seed))[:1]
        rows += [{"condition": condition.name, "n": pool.n, **row} for row in measured]
    return rows


def compare(table: pl.DataFrame) -> list[Line]:
    frame = prepared(table)
    lines = []
    for number in NESTED:
        some = frame.filter(pl.col("candidates") == number)
        part = f"{number} candidates"
        note = "a verified bracket; exact for two candidates" if number == 2 else "a verified bracket"
        lines.append(Line("C(y)", bracket(of(some, "certificate")), CERTIFICATES[number], note, part))
        lines.append(Line("C̲", percent(mean(of(some, "prelabel"))), part=part))
        for policy in POLICIES:
            paper = ADAPTIVE[number] if policy == measures.BASE else ""
            lines.append(Line(f"{policy} reads", percent(mean(of(some, policy))), paper, part=part))
    return lines


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    frame = prepared(table)
    figure, axes = canvas(5.4, 3.8)
    colours = dict(zip(POLICIES, (GREY, BLUE, GREEN), strict=False))
    for measure, colour, style in [
        ("prelabel", ORANGE, ":"),
        ("certificate", ORANGE, "-"),
        *((policy, colours[policy], "-") for policy in POLICIES),
    ]:
        values = [mean(of(frame.filter(pl.col("candidates") == number), measure)) for number in NESTED]
        label = {"prelabel": "bound C̲", "certificate": "certificate C(y)"}.get(measure, measure)
        axes.plot(range(len(NESTED)), values, marker="o", color=colour, linestyle=style, label=label)
    axes.set_xticks(range(len(NESTED)), [str(number) for number in NESTED])
    axes.set(xlabel="candidates", ylabel="percent of the pool", ylim=(0, 100))
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower right")
    caption = "Labels needed and read with two, four and eight candidates. Counterpart of Figure 12b."
    return [saved(figure, folder, "nested", caption)]


STUDY = Study(
    name="nested",
    title="Two, four and eight candidates of the same collections",
    columns=measures.COLUMNS,
    keys=keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=180,
)
