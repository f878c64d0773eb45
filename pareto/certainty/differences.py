"""How unlikely the lead of i over j on an objective is if i is not better there, for all i, j at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pareto.certainty.sample import Sample
from pareto.certainty.tails import KAPPAS, Index, log_integral, slack
from pareto.certainty.units import Units, units
from pareto.links import Reals

STEP = 1.15
"""Ratio of neighbouring rates λ."""
LEAST, MOST = 0.8, 7.0
"""Leads, in standard deviations, with rates of their own: smaller ones are not bounded, larger ones are with
the largest rate."""
TINY = 1e-3
"""A rate at which Σ g is as good as quadratic in it."""


@dataclass(frozen=True, eq=False)
class Tails:
    """Of every objective and ordered pair, (d, K, K): what tells that the row is better than the column.

    Attributes:
        log_bound: natural logarithm of the bound, at most 0.
        rate, kappa: λ and κ of `pareto.certainty.tails`; 0 where the bound is 1.
    """

    log_bound: Reals
    rate: Reals
    kappa: Reals

    @property
    def all(self) -> tuple[Reals, Reals, Reals]:
        """The three of them."""
        return self.log_bound, self.rate, self.kappa


class Differences:
    """All differences of a log. Depends on how often models were compared, not on who won.

    Attributes:
        variance: (d, K, K) the largest that a lead may have, ¼ Σa² over its independent parts.
    """

    def __init__(self, sample: Sample) -> None:
        self._units = [units(sample, r) for r in range(sample.objectives)]
        self.variance: Reals = np.stack([_variance(parts, sample.models) for parts in self._units])
        self._deviation = np.sqrt(self.variance)
        self._rates = [_rates(spread) for spread in self._deviation]

    def tails(self, lead: Reals) -> Tails:
        """For observed leads (d, K, K); see `Sample.lead`."""
        found = Tails(np.zeros(lead.shape), np.zeros(lead.shape), np.zeros(lead.shape))
        for r, (parts, rates) in enumerate(zip(self._units, self._rates, strict=True)):
            first, second = np.nonzero(lead[r] > LEAST * self._deviation[r])
            if not len(first) or not len(rates):
                continue
            where = (r, first, second)
            found.log_bound[where], found.rate[where], found.kappa[where] = _bounds(
                parts, rates, first, second, lead[where]
            )
        return found


def _variance(parts: Units, models: int) -> Reals:
    """(K, K), from Σ g(u, 0) ≈ Σu²/8 at a small rate."""
    first, second = np.nonzero(~np.eye(models, dtype=np.bool_))
    found = np.zeros((models, models))
    found[first, second] = 2 * parts.plain(TINY, first, second) / TINY**2
    return found


def _rates(deviation: Reals) -> Reals:
    """Rates λ, a geometric row that has those of all leads of interest."""
    some = deviation[deviation > 0]
    if not len(some):
        return np.zeros(0)
    low, high = LEAST / some.max(), MOST / some.min()
    count = math.ceil(math.log(high / low) / math.log(STEP)) + 1
    return np.asarray(low * STEP ** np.arange(count), dtype=np.float64)


def _bounds(
    parts: Units, rates: Reals, first: Index, second: Index, lead: Reals
) -> tuple[Reals, Reals, Reals]:
    """(m,): log bounds, rates, kappas."""
    plain = np.stack([parts.plain(rate, first, second) for rate in rates.tolist()])
    start = (plain - rates[:, None] * lead).argmin(axis=0)
    best, by, kappa = np.zeros(len(lead)), np.zeros(len(lead)), np.zeros(len(lead))
    # every cell of two models has parts that count for 1 together, or 2 if it is theirs
    mass = 2.0 * (len(parts.alone) - 1)
    # the integral makes somewhat larger rates better than the best one without it
    for number, rate in enumerate(rates.tolist()):
        some = np.flatnonzero((number >= start) & (number <= start + 2))
        if not len(some):
            continue
        exponents = parts.damped(rate, first[some], second[some])
        logs, which = log_integral(exponents)
        logs += slack(rate, mass, exponents[:, 0], parts.terms) - rate * lead[some]
        better = logs < best[some]
        at = some[better]
        best[at], by[at], kappa[at] = logs[better], rate, np.asarray(KAPPAS)[which[better]]
    return best, by, kappa
