"""The nine tables of the panel studies; `SOURCES.md` says what they are and where they are from."""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError

FOLDER = Path(__file__).parent
SKLEARN_TABLES = ("breast", "wine", "digits")
POSITIVE = {"ionosphere": "g", "sonar": "R", "banknote": "1", "haberman": "2", "spambase": "1", "magic": "g"}
"""For each bundled table, the label in its last column that counts as positive."""
TABLES = (*SKLEARN_TABLES, *POSITIVE)


@dataclass(frozen=True, eq=False)
class Table:
    """features: (n, features) float64, rows in their original order. positive: (n,) bool."""

    features: npt.NDArray[np.float64]
    positive: npt.NDArray[np.bool_]


def need_sklearn() -> None:
    """Raise `PoolError` when scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ModuleNotFoundError as error:
        raise PoolError(
            "scikit-learn is not installed, and the panel studies fit their candidates with it; "
            "pip install 'certified-choice[experiments]'"
        ) from error


@lru_cache(maxsize=1)
def table(name: str) -> Table:
    """One of `TABLES`; any other name, or scikit-learn missing, raises `PoolError`."""
    if name in POSITIVE:
        return _bundled(name)
    if name not in SKLEARN_TABLES:
        raise PoolError(f"there is no table {name!r}; the tables are {', '.join(TABLES)}")
    need_sklearn()
    from sklearn import datasets

    load = {"breast": datasets.load_breast_cancer, "wine": datasets.load_wine, "digits": datasets.load_digits}
    loaded = load[name]()
    positive = {"breast": loaded.target == 1, "wine": loaded.target == 0, "digits": loaded.target % 2 == 1}
    return Table(np.asarray(loaded.data, dtype=np.float64), positive[name])


def _bundled(name: str) -> Table:
    with lzma.open(FOLDER / f"{name}.csv.xz", "rt", encoding="ascii") as file:
        cells = np.loadtxt(file, delimiter=",", dtype=np.str_)
    return Table(cells[:, :-1].astype(np.float64), cells[:, -1] == POSITIVE[name])
