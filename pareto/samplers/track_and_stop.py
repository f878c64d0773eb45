"""Pareto BT-GLR Track-and-Stop (paper, appendix 10): the likelihood-based baseline.

Fit Bradley–Terry scores, pick the closest alternative to their frontier by Fisher information, refit under
it, and stop when the likelihood ratio passes a threshold; until then, spend comparisons on the cells that
tell the two fits apart. What a check works out is in `likelihood_ratio`, where the next batch goes in
`tracking`, the numbers are in `track_constants`; `TrackRace` runs many trials of it at once.

Where the paper's text is damaged or silent, these were chosen:

- The numbers of Table 16 are missing from it and are the authors' earlier published ones. With them the
  checks at which runs on the symmetric settings stop are those that the paper's twelve ratios come from.
- The fits maximise the likelihood alone; λ_reg is in the threshold only.
- Screening scores an add by the largest of its constraints' scores, and the first of equal scores is taken,
  drops before adds.
- A fit has converged when its Frank–Wolfe gap is at most the tolerance for every comparison; gaps are
  subtracted from the statistic whatever their size. Fits here end near 1e-15.
- A batch is dealt in proportion to how far cells are behind their targets, rounded by largest remainders;
  outcomes of a batch come before its check, and the first check is at n_0 in every cell.
- A cap on comparisons acts as a smaller T_max: the last batch is cut to it, checked, and then given up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.samplers.answers import answer_at_once
from pareto.samplers.base import Answer, Guarantee
from pareto.samplers.rounds import RoundSampler, affordable
from pareto.samplers.track_constants import EARLIER, LARGEST_COUNT, TrackConstants
from pareto.samplers.track_race import TrackRace
from pareto.task import Task


class TrackAndStop(RoundSampler):
    """A baseline: likelihood ratios against a screened alternative, adaptive sampling of pairs."""

    name: ClassVar[str] = "track-and-stop"
    largest: ClassVar[int] = LARGEST_COUNT
    tally: ClassVar[type] = np.int64
    guarantee: ClassVar[Guarantee] = Guarantee(
        claim="None: a baseline. The threshold is one for a likelihood ratio against all alternatives, and "
        "only one of them, screened by an approximation, is tested.",
        assumptions="Bradley–Terry on every objective, scores of an objective centred and within ±2.",
        source="frontier paper, appendix 10; its numbers are the authors' earlier published ones",
        certified=False,
        fractions=False,
        needs_order=True,
    )

    def __init__(self, task: Task, constants: TrackConstants = EARLIER) -> None:
        refuse_margin(task.margin)
        if not isinstance(constants, TrackConstants):
            raise BattleError(
                f"track-and-stop: constants are {type(constants).__name__}; it takes TrackConstants, not "
                "those of the methods that work in phases"
            )
        if task.max_comparisons is not None and not task.joint:
            constants = replace(constants, most=min(constants.most, int(task.max_comparisons)))
        self.race = TrackRace(1, *task.shape, task.delta, constants)
        super().__init__(task)

    @property
    def _finished(self) -> bool:
        return bool(self.race.stopped[0])

    def _plan(self, left: int) -> Counts:
        race = self.race
        wanted = np.zeros(self._outstanding.shape, dtype=np.int64)
        wanted[race.first, race.second] = race.plan[0].T
        if not self.task.joint:
            return affordable(wanted, left)
        # a showing answers everything, so everything is asked
        pairs = affordable(wanted.max(axis=2), left)
        return np.repeat(pairs[:, :, None], len(self.task.objectives), axis=2)

    def _judge(self, asked: Counts, won: Any) -> None:
        race = self.race
        batch = asked[race.first, race.second].T[None]
        race.take(np.zeros(1, dtype=np.int64), batch, won[race.first, race.second].T[None])

    def _answer(self) -> Answer:
        race = self.race
        theta = race.theta[0].T if race.checks[0] else np.full(self.task.shape, np.nan)
        return answer_at_once(theta, "latent", self._finished, np.inf, 0.0, race.met[0].T.copy())


def refuse_margin(margin: float) -> None:
    """Alternatives are orders between models, without a distance."""
    if margin:
        raise BattleError(
            f"track-and-stop: margin {margin}; its alternatives know no margin: leave it out, or take "
            "another method"
        )
