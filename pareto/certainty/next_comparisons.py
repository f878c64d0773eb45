"""Which comparisons would settle what is undecided, if present estimates are the truth: a forecast.

A claim is made by leads that are significant at its level. A lead of expected value `gap` is so, in about
four of five cases, if gap ≥ (z + 0.84) √variance, z being the normal quantile of the level divided by how
much bounds exceed normal tails. `filling` says how to get there with the fewest comparisons.

A model that looks dominated needs leads of one witness on every objective: the cheapest. One that looks as
if on the frontier needs one test against every rival that neither is said nor looks to be dominated: the
cheapest. Cells wanted for several reasons are filled once, to the largest number wanted. Levels are those at
present, which rise when claims are made. Where two models are estimated to be equal no number can be given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, ndtri_exp

from pareto.certainty.deciding import Decisions
from pareto.certainty.filling import filled
from pareto.certainty.protection import Protection, Shares
from pareto.certainty.sample import Sample
from pareto.certainty.tails import Index
from pareto.comparisons import Counts
from pareto.links import Reals
from pareto.result import Mask

ODDS = float(ndtri(0.8))
"""Standard deviations by which a lead should be more than just significant."""
EXCESS = 1.5
"""Bounds of tails exceed normal ones by about this factor."""
EQUAL = 1e-9
"""Leads closer to 0 than this are 0 up to rounding."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What would settle one model.

    Attributes:
        model: position.
        looks: "dominated" or "frontier", by present estimates.
        rivals: the witness, or the rivals to be beaten.
        wanted: (d, K, K) symmetric: how many comparisons the cells should have; 0 where it does not matter.
        more: how many are still to be made; None if no number can be given.
        reason: why not; empty otherwise.
    """

    model: int
    looks: str
    rivals: tuple[int, ...]
    wanted: Counts
    more: int | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class NextComparisons:
    """Comparisons that would settle undecided models; a forecast, not a guarantee.

    Attributes:
        first, second, objective: (m,) positions, the cells, most wanted first.
        have, more: (m,) comparisons that count so far, and that should be added.
        settles: for each cell the models whose plan wants more in it.
        plans: one for every undecided model.
    """

    first: Index
    second: Index
    objective: Index
    have: Counts
    more: Counts
    settles: tuple[tuple[int, ...], ...]
    plans: tuple[Plan, ...]

    @property
    def total(self) -> int:
        """Sum of `more`. Plans share cells, so it is at most the sum of theirs."""
        return int(self.more.sum())


@dataclass(frozen=True, eq=False)
class Forecast:
    """Plans for the undecided models of a log.

    Attributes:
        inflation: (d, K, K) by which factor the variance of leads exceeds that of independent comparisons.
        log_bound: (d, K, K) of the tails of single leads, row over column.
    """

    sample: Sample
    inflation: Reals
    log_bound: Reals
    shares: Shares
    protection: Protection
    decisions: Decisions

    def next(self) -> NextComparisons:
        """All plans, and the cells they want together."""
        open_ = ~(self.decisions.dominated | self.decisions.frontier)
        least = self.sample.estimate.min(axis=0)
        np.fill_diagonal(least, -np.inf)
        looks = least.max(axis=0) > EQUAL  # somebody leads everywhere
        rivals = ~(self.decisions.dominated | (looks & open_))
        plans = [
            self._dominated(model, np.flatnonzero(least[:, model] > EQUAL))
            if looks[model]
            else self._frontier(model, rivals)
            for model in np.flatnonzero(open_).tolist()
        ]
        return _combined(self.sample.total, plans)

    def _dominated(self, model: int, witnesses: Index) -> Plan:
        levels = self.decisions.log_waiting[model, witnesses]
        numbers, worth = self._cells(witnesses, np.full(len(witnesses), model))
        gap = self.sample.estimate[:, witnesses, model].T
        allowed = _allowed(gap, levels[:, None]) / self.inflation[:, witnesses, model].T
        wanted = filled(numbers, worth, allowed)
        shown = levels[:, None] >= self.log_bound[:, witnesses, model].T
        wanted = np.where(shown[..., None] | (worth == 0), 0, wanted)
        more = np.maximum(wanted - numbers, 0).sum(axis=(1, 2))
        best = int(more.argmin())
        witness = int(witnesses[best])
        table = self._table(witness, model, wanted[best])
        return Plan(model, "dominated", (witness,), table, int(more[best]))

    def _frontier(self, model: int, rivals: Mask) -> Plan:
        level = float(self.decisions.log_hoping[model])
        others = tuple(j for j in np.flatnonzero(rivals).tolist() if j != model)
        table = np.zeros_like(self.sample.total)
        for rival in others:
            if self._beaten(model, rival, level):
                continue
            found = self._against(model, rival, level)
            if found is None:
                reason = "present estimates of the two are equal where it counts"
                return Plan(model, "frontier", (rival,), np.zeros_like(table), None, reason)
            np.maximum(table, found, out=table)
        more = int(np.triu(np.maximum(table - self.sample.total, 0)).sum())
        return Plan(model, "frontier", others, table, more)

    def _beaten(self, model: int, rival: int, level: float) -> bool:
        protection = self.protection
        return (
            bool(protection.promise[model, rival] <= level) and protection.test(model, rival).log_p <= level
        )

    def _against(self, model: int, rival: int, level: float) -> Counts | None:
        """(d, K, K) wanted for the cheapest test; None if no test has a positive lead."""
        objectives = self.sample.objectives
        weights, logs = list(np.eye(objectives)), list(np.log(self.shares.each[:, model, rival]))
        if self.shares.weights is not None:
            weights.append(self.shares.weights[:, model, rival])
            logs.append(np.float64(math.log(self.shares.pooled)))
        numbers, worth = self._cells(np.array([model]), np.array([rival]))
        estimate, inflation = self.sample.estimate[:, model, rival], self.inflation[:, model, rival]
        best: Counts | None = None
        for weight, log_share in zip(weights, logs, strict=True):
            gap = float(weight @ estimate)
            if gap <= EQUAL:
                continue
            allowed = _allowed(np.array(gap), np.array(level + log_share)) / inflation[weight > 0].max()
            scaled = (worth[0] * weight[:, None]).ravel()
            wanted = filled(numbers[0].ravel(), scaled, allowed)
            wanted = np.where(scaled > 0, wanted, 0)
            if (
                best is None
                or (wanted - numbers.ravel()).clip(0).sum() < (best - numbers.ravel()).clip(0).sum()
            ):
                best = wanted
        return None if best is None else self._table(model, rival, best.reshape(numbers.shape[1:]))

    def _cells(self, first: Index, second: Index) -> tuple[Counts, Reals]:
        """(m, d, 2K): comparisons in the cells of leads, and what the cells count for."""
        total = self.sample.total
        numbers = np.concatenate([total[:, first], total[:, second]], axis=2).swapaxes(0, 1)
        row, models = np.arange(len(first)), self.sample.models
        worth = np.ones(numbers.shape)
        worth[row, :, first] = worth[row, :, models + second] = worth[row, :, models + first] = 0
        worth[row, :, second] = 2
        return numbers, worth

    def _table(self, first: int, second: int, wanted: Counts) -> Counts:
        """(d, K, K) from wanted (d, 2K)."""
        models = self.sample.models
        table = np.zeros_like(self.sample.total)
        table[:, first] = wanted[:, :models]
        table[:, second] = np.maximum(table[:, second], wanted[:, models:])
        return np.maximum(table, table.swapaxes(1, 2))


def _allowed(gap: Reals, log_level: Reals) -> Reals:
    """The largest variance with which leads of such expected values are significant in four of five cases."""
    quantile = np.maximum(-ndtri_exp(log_level - math.log(EXCESS)), 0.0)
    return np.asarray((gap / (quantile + ODDS)) ** 2, dtype=np.float64)


def _combined(total: Counts, plans: list[Plan]) -> NextComparisons:
    possible = [plan for plan in plans if plan.more is not None]
    extra = [np.maximum(plan.wanted - total, 0) for plan in possible]
    most = np.triu(np.max(extra, axis=0)) if extra else np.zeros_like(total)
    objective, first, second = np.nonzero(most)
    order = np.argsort(-most[objective, first, second], kind="stable")
    objective, first, second = objective[order], first[order], second[order]
    settles = tuple(
        tuple(plan.model for plan, part in zip(possible, extra, strict=True) if part[cell])
        for cell in zip(objective.tolist(), first.tolist(), second.tolist(), strict=True)
    )
    cells = (objective, first, second)
    return NextComparisons(first, second, objective, total[cells], most[cells], settles, tuple(plans))
