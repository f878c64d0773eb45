"""Logged battles: who can be compared, who is on the frontier, and what it takes to recover it (section 4.2).

Without the paper's files, on parts of Arena-140K that come with the package; with them, on these as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pareto.experiments import looks
from pareto.experiments.arena_lines import COUNTED, METHODS, compare
from pareto.experiments.arena_logs import BUNDLED_LOGS, Setting, Settings, originals
from pareto.experiments.pieces import DELTA
from pareto.experiments.samples import sample
from solvers.studies.drawing import saved
from solvers.studies.study import Columns, Picture, Row, Study, seed_of

if TYPE_CHECKING:
    import polars as pl

BLOCK = 10
"""Trials in a piece; ten pieces make the paper's hundred."""
COLUMNS: Columns = {
    "setting": str,
    "method": str,
    "trial": int,
    "unit": int,
    "comparisons": int,
    "wrong": int,
    "stopped": int,
    "phase": int,
    "fact": str,
    "number": int,
    "text": str,
}
"""wrong: the method stopped with another frontier than the log's. fact, number, text: of a log."""


def study(data: Path | None = None) -> Study:
    """The study, with the paper's files where `data` has them."""
    settings = BUNDLED_LOGS if data is None else {**originals(data), **BUNDLED_LOGS}
    return Study(
        name="arena",
        title="Logged battles: models retained, frontiers, and their recovery",
        columns=COLUMNS,
        keys=partial(study_keys, settings),
        work=partial(work, settings),
        compare=partial(compare, settings),
        pictures=partial(pictures, settings),
        seconds=15,
    )


def study_keys(settings: Settings, seeds: int) -> list[str]:
    return [
        key
        for name in settings
        for key in (
            f"{name}/{COUNTED}",
            *(f"{name}/{method}/{block}" for block in range(seeds) for method in METHODS),
        )
    ]


def work(settings: Settings, key: str) -> list[Row]:
    name, method, *block = key.split("/")
    log = settings[name].log()
    if method == COUNTED:
        return list(_facts(settings[name]))
    from pareto.logged_trials import resample
    from pareto.targets import target

    (found,) = resample(target(log), (method,), BLOCK, seed_of(key), delta=DELTA)
    return [
        {
            "setting": name,
            "method": method,
            "trial": int(block[0]) * BLOCK + trial,
            "unit": int(block[0]) * BLOCK + trial,
            "comparisons": spent,
            "wrong": int(wrong),
            "stopped": int(stopped),
            "phase": phase,
        }
        for trial, (spent, wrong, stopped, phase) in enumerate(
            zip(
                found.comparisons.tolist(),
                found.wrong.tolist(),
                found.trials.stopped.tolist(),
                found.trials.phases.tolist(),
                strict=True,
            )
        )
    ]


def _facts(setting: Setting) -> Iterator[Row]:
    """Counts, frontiers under each treatment of ties, and what is certain of the population."""
    from pareto.certainty import certainty
    from pareto.treatments import compare_treatments

    log = setting.log()

    def fact(name: str, number: int | None = None, text: str = "") -> Row:
        return {"setting": setting.name, "method": COUNTED, "fact": name, "number": number, "text": text}

    yield fact("models", len(log.models))
    yield fact("objectives", len(log.objectives))
    if log.preprocessing is not None:
        for step in log.preprocessing.steps:
            yield fact(step.reason, step.rows)
        yield fact("comparisons", log.preprocessing.comparisons)
        yield fact("outside", log.retention.dropped)
        yield fact("records", log.preprocessing.retained_records)
        yield fact("comparisons behind records", log.preprocessing.retained_comparisons)
    compared = compare_treatments(log)
    for found in compared.targets:
        yield fact(f"frontier {found.letter}", len(found.kept), "; ".join(found.kept))
        yield fact(f"gaps {found.letter}", text=f"{found.minimum_gap:.4g}; Σ gap⁻² {found.hardness:.4g}")
    for one in compared.likenesses:
        if one.letters[0] == "D":
            yield fact(f"Jac(D, {one.letters[1]})", text=f"{one.jaccard:.3f}; ρ_min {one.rho_min:.3f}")
    for by in dict.fromkeys(("", setting.cluster)):
        said = certainty(log, DELTA, cluster=by or None)
        for status in ("frontier", "dominated"):
            yield fact(f"certain {status}{f' by {by}' if by else ''}", len(said.having(status)))


def pictures(settings: Settings, table: pl.DataFrame, folder: Path) -> list[Picture]:
    tried = set(table["setting"].unique())
    shown = [setting for setting in settings.values() if setting.name in tried]
    figure, (axes,) = looks.panels(1, 8.0, 1.4 + 0.5 * len(shown))
    for place, setting in enumerate(shown):
        for method in METHODS:
            found = sample(table, setting.name, method)
            if found is not None:
                axes.plot([found.median], [place], linestyle="none", **looks.look(method))
    axes.set_yticks(range(len(shown)), [setting.text for setting in shown], fontsize=8)
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="median comparisons until stopping, δ = 0.05")
    axes.margins(x=0.08, y=0.12)
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    looks.legend(figure, axes, METHODS)
    caption = "Median comparisons, redrawn from each log, until the frontier of the log is claimed."
    return [saved(figure, folder, "arena", caption)]


STUDY = study()
