"""VB-EGE with other constants than (2, 4, 4): cheaper, and right how often? (appendix 8, Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pareto.experiments import lines, looks
from pareto.experiments.pieces import BASE, COLUMNS, DELTA, Piece
from pareto.experiments.samples import Sample, sample
from pareto.experiments.settings import SCALED, TASKS, Setting
from pareto.samplers.schedule import Constants
from solvers.studies.drawing import saved
from solvers.studies.study import Line, Picture, Row, Study

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

SAMPLING = (0.5, 1.0, 2.0, 4.0)
THRESHOLD = (2.0, 3.0, 4.0, 6.0)
PAPERS = (2.0, 4.0)
"""The paper's choice."""
SETTINGS: tuple[Setting, ...] = (SCALED[64, 10, 1.0], TASKS["arena-10"], TASKS["witness-10"])


def study_keys(seeds: int) -> list[str]:
    """``SETTING/C-SAMP/C-THR/BLOCK``."""
    return [
        f"{setting.name}/{sampling:g}/{threshold:g}/{block}"
        for setting in SETTINGS
        for block in range(seeds)
        for sampling, threshold in product(SAMPLING, THRESHOLD)
    ]


def work(key: str) -> list[Row]:
    name, sampling, threshold, block = key.split("/")
    constants = Constants(float(sampling), float(threshold))
    # outcomes of a block have one seed for all constants: what differs is due to these
    rows = Piece.of(f"{name}/{BASE}/{block}").rows(constants)
    return [{**row, "sampling": constants.sampling, "threshold": constants.threshold} for row in rows]


def compare(table: pl.DataFrame) -> list[Line]:
    found = [line for setting in SETTINGS for line in _lines(table, setting)]
    papers = table.filter((table["sampling"] == PAPERS[0]) & (table["threshold"] == PAPERS[1]))
    return [*found, *lines.error_lines(papers, DELTA, "Wrong answers with the paper's constants")]


def _lines(table: pl.DataFrame, setting: Setting) -> Iterator[Line]:
    base = _sample(table, setting, *PAPERS)
    for sampling, threshold in product(SAMPLING, THRESHOLD):
        found = _sample(table, setting, sampling, threshold)
        if found is None:
            continue
        relative = f", {lines.times(found.mean / base.mean)} of (2, 4)" if base else ""
        yield Line(
            f"C_samp = {sampling:g}, C_thr = {threshold:g}",
            f"{lines.count(found.mean)}{relative}; {found.wrong} of {found.trials} wrong",
            note=_note(sampling, threshold),
            part=f"Mean comparisons, {setting.text} (Figure 4's numbers are missing from the text; trials †)",
        )


def _note(sampling: float, threshold: float) -> str:
    if (sampling, threshold) == PAPERS:
        return "the paper's choice"
    # radii follow from the draws, whatever C_samp, so being right takes C_thr ≥ 4 only
    return "" if threshold >= PAPERS[1] else "no guarantee"


def _sample(table: pl.DataFrame, setting: Setting, sampling: float, threshold: float) -> Sample | None:
    return sample(table, setting.name, BASE, sampling=sampling, threshold=threshold)


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    figure, axes = looks.panels(len(SETTINGS), 11.0, 3.9)
    for setting, one in zip(SETTINGS, axes, strict=True):
        _heat(one, table, setting)
    axes[0].set_ylabel("C_thr")
    return [
        saved(
            figure,
            folder,
            "constants",
            "Mean comparisons of VB-EGE by its constants, and the share of wrong answers where there were "
            "any; the frame marks the paper's choice. Counterpart of the paper's Figure 4.",
        )
    ]


def _heat(axes: Axes, table: pl.DataFrame, setting: Setting) -> None:
    import numpy as np

    cells = [
        [_sample(table, setting, sampling, threshold) for sampling in SAMPLING] for threshold in THRESHOLD
    ]
    heights = np.array([[np.log10(cell.mean) if cell else np.nan for cell in row] for row in cells])
    axes.set(title=setting.text, xlabel="C_samp")
    axes.set_xticks(range(len(SAMPLING)), [f"{value:g}" for value in SAMPLING])
    axes.set_yticks(range(len(THRESHOLD)), [f"{value:g}" for value in THRESHOLD])
    if np.isnan(heights).all():
        return
    axes.imshow(heights, cmap="cividis", origin="lower", aspect="auto")
    middle = (np.nanmin(heights) + np.nanmax(heights)) / 2
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if cell:
                wrong = f"\n{cell.wrong / cell.trials:.1%} wrong" if cell.wrong else ""
                ink = "white" if heights[y, x] < middle else "black"
                text = f"{lines.count(cell.mean)}{wrong}"
                axes.text(x, y, text, ha="center", va="center", fontsize=7, color=ink)
    at = SAMPLING.index(PAPERS[0]) - 0.5, THRESHOLD.index(PAPERS[1]) - 0.5
    axes.add_patch(_frame(at))


def _frame(at: tuple[float, float]) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(at, 1, 1, fill=False, edgecolor="white", linewidth=2)


STUDY = Study(
    name="constants",
    title="VB-EGE's constants: comparisons and wrong answers",
    columns={**COLUMNS, "sampling": float, "threshold": float},
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=120,
)
