"""What the trials of one method on one setting say: means, medians, quantiles, and ratios to another's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import polars as pl

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Trials of one method on one setting.

    Attributes:
        comparisons: (T,) int64.
        unit: (T,) trials of the same unit are not independent; units are.
        wrong, capped: how many answers were wrong, and how many trials did not stop.
    """

    comparisons: npt.NDArray[np.int64]
    unit: npt.NDArray[np.int64]
    wrong: int
    capped: int

    @property
    def trials(self) -> int:
        return len(self.comparisons)

    @property
    def mean(self) -> float:
        return float(self.comparisons.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean over units, NaN for a single one.

        With as many trials for each unit it is that of the mean of unit means.
        """
        _, means = self.unit_means()
        return _standard_error(means)

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """The smallest count that at least this share of the trials does not exceed (the median included)."""
        return float(np.quantile(self.comparisons, share, method="inverted_cdf"))

    @property
    def largest(self) -> int:
        return int(self.comparisons.max())

    @property
    def share_at_largest(self) -> float:
        return float((self.comparisons == self.comparisons.max()).mean())

    @property
    def only(self) -> int | None:
        """The count of every trial, None where they differ."""
        return self.largest if self.share_at_largest == 1.0 else None

    def on(self, units: npt.NDArray[np.int64]) -> Sample:
        """The trials of these units, `wrong` and `capped` still of all."""
        kept = np.isin(self.unit, units)
        return Sample(self.comparisons[kept], self.unit[kept], self.wrong, self.capped)

    def unit_means(self) -> tuple[npt.NDArray[np.int64], Reals]:
        """Units in rising order and the mean comparisons of each."""
        units, where, count = np.unique(self.unit, return_inverse=True, return_counts=True)
        return units, np.bincount(where, weights=self.comparisons) / count


def sample(table: pl.DataFrame, setting: str, method: str, **where: Any) -> Sample | None:
    """The trials of `table` with these values in its columns, None where there is none."""
    import polars as pl

    frame = table.filter(
        (pl.col("setting") == setting) & (pl.col("method") == method),
        *(pl.col(name) == value for name, value in where.items()),
    )
    if frame.is_empty():
        return None
    return Sample(
        frame["comparisons"].to_numpy(),
        frame["unit"].to_numpy(),
        int(frame["wrong"].sum()),
        frame.height - int(frame["stopped"].sum()),
    )


@dataclass(frozen=True)
class Ratio:
    """Means of one method by those of another, its standard error, and medians by medians."""

    mean: float
    error: float
    median: float


def ratio(over: Sample, under: Sample) -> Ratio:
    """`over` by `under`, on the units of both, paired by unit; NaN where they share none.

    The error is that of the delta method: with unit means x and y and ratio R it is that of the mean of
    (x − R y) / ȳ.
    """
    shared = np.intersect1d(over.unit, under.unit)
    if not len(shared):
        return Ratio(float("nan"), float("nan"), float("nan"))
    over, under = over.on(shared), under.on(shared)
    x, y = over.unit_means()[1], under.unit_means()[1]
    value = float(x.mean() / y.mean())
    return Ratio(value, _standard_error((x - value * y) / y.mean()), over.median / under.median)


def _standard_error(values: Reals) -> float:
    if len(values) < 2:
        return float("nan")
    return float(values.std(ddof=1) / np.sqrt(len(values)))


@dataclass(frozen=True)
class Fit:
    """A least-squares line: slope, intercept, and the share R² of the variance that it explains."""

    slope: float
    intercept: float
    explained: float


def fit_line(x: npt.ArrayLike, y: npt.ArrayLike) -> Fit:
    """The line through points (x, y), at least two with different x."""
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    dx, dy = across - across.mean(), up - up.mean()
    slope = float(dx @ dy / (dx @ dx))
    rest = dy - slope * dx
    total = float(dy @ dy)
    explained = 1.0 - float(rest @ rest) / total if total else 1.0
    return Fit(slope, float(up.mean() - slope * across.mean()), explained)
