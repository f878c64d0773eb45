"""Makes the clique and the ordered fit from a log of decided battles between language models.

    python -m solvers.instances.make_arena BATTLES.parquet FOLDER

The log has a row a battle: model_a, model_b, winner (model_a or model_b), is_code, instruction_following.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers import SolverError, write_problem
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry

FITTED = 24
"""Models in the fit: those with most battles."""


def counts(table: Any, names: list[str]) -> npt.NDArray[np.int64]:
    """Wins of row over column, (K, K)."""
    place = {name: k for k, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)), dtype=np.int64)
    for a, b, winner in table.select("model_a", "model_b", "winner").iter_rows():
        first, second = (a, b) if winner == "model_a" else (b, a)
        wins[place[first], place[second]] += 1
    return wins


def main(log: str, folder: str) -> None:
    """Write ``arena-clique.json`` and ``arena-fit.json``.

    Raises:
        SolverError: if one of them exists already.
    """
    clique, fit = Path(folder) / "arena-clique.json", Path(folder) / "arena-fit.json"
    for path in (clique, fit):
        if path.exists() or path.is_symlink():
            raise SolverError(f"{path} exists already and is never overwritten; name another folder.")
    import polars as pl

    battles = pl.read_parquet(
        log, columns=["model_a", "model_b", "winner", "is_code", "instruction_following"]
    )
    battles = battles.filter(
        pl.col("winner").is_in(["model_a", "model_b"]) & (pl.col("model_a") != pl.col("model_b"))
    )
    names = sorted({*battles["model_a"], *battles["model_b"]})
    objective = pl.when("is_code").then(0).when("instruction_following").then(1).otherwise(2)
    played = [
        wins + wins.T for k in range(3) for wins in [counts(battles.filter(objective == k), names)]
    ]  # battles of every pair on code, instruction following and all the rest
    met = np.logical_and.reduce([table > 0 for table in played])
    weights = np.where(met, sum(played), 0)
    write_problem(clique, MaximumClique(met, weights, tuple(names)))
    wins = counts(battles, names)
    most = np.argsort(-(wins + wins.T).sum(axis=1), kind="stable")[:FITTED]
    kept = wins[np.ix_(most, most)]
    share = kept.sum(axis=1) / (kept + kept.T).sum(axis=1)
    third, second, first = (int(k) for k in np.argsort(share, kind="stable")[-3:])
    order = ((second, first), (third, second))  # the opposite of what the battles say
    write_problem(fit, OrderedBradleyTerry(kept.astype(np.float64), order))


if __name__ == "__main__":
    main(*sys.argv[1:])
