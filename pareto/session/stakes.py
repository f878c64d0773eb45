"""What a method stakes before it sees the next outcomes, as JSON values for the journal.

Choices guided by floating-point fits need no audit, but what is staked on them must be on record before the
outcomes are: the bets and their shares of `duel`, the pledges and bets of `commit`, the weights and ranks of
`interval`. Other methods stake nothing beyond their constants.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pareto.samplers.base import Sampler
from pareto.samplers.betting import SHARES, SLACK
from pareto.samplers.commit_pledges import DROPPED, KEPT


class Stakes:
    """Remembers what is on record already; `new` gives the rest."""

    def __init__(self) -> None:
        self._rejections: Any = 0
        self._acceptances: Any = 0
        self._batches: Any = None
        self._begun = False

    def new(self, sampler: Sampler) -> dict[str, Any]:
        """What the sampler staked since the last call."""
        if sampler.name == "duel":
            return self._duel(sampler)
        if sampler.name == "commit":
            return {**self._pledges(sampler), **self._duel(sampler)}
        if sampler.name == "interval":
            return self._interval(sampler)
        return {}

    def _pledges(self, sampler: Any) -> dict[str, Any]:
        """withdrawn: models. pledged: of the new batch, if any, [share, allowance, kept, dropped]."""
        tickets = sampler.race.tickets
        batch, side = tickets.batch[0], tickets.side[0]
        before = np.full_like(batch, -1) if self._batches is None else self._batches
        withdrawn = np.flatnonzero((before >= 0) & (batch != before))
        new = np.flatnonzero((batch >= 0) & (batch != before))
        self._batches = batch.copy()
        pledged = []
        if len(new):
            share, allowance = tickets.share[0, new[0]], tickets.allowance[0, new[0]]
            kept, dropped = new[side[new] == KEPT], new[side[new] == DROPPED]
            pledged = [int(share), int(allowance), kept.tolist(), dropped.tolist()]
        return {"withdrawn": withdrawn.tolist(), "pledged": pledged}

    def _duel(self, sampler: Any) -> dict[str, Any]:
        """rejections: [model, witness, [[start, shares], one an objective]];
        acceptances: [model, rival, objective, start, shares]."""
        tickets = sampler.race.tickets
        games = tickets.rejections
        rejections = []
        for (i,) in np.argwhere(tickets.number[0] > self._rejections).tolist():
            each = [
                [int(start), _shares(logs)]
                for start, logs in zip(games.start[0, i], games.log_shares[0, i], strict=True)
            ]
            rejections.append([i, int(tickets.witness[0, i]), each])
        games = tickets.acceptances
        acceptances = [
            [
                i,
                j,
                int(tickets.protection[0, i, j]),
                int(games.start[0, i, j]),
                _shares(games.log_shares[0, i, j]),
            ]
            for i, j in np.argwhere(tickets.tried[0] > self._acceptances).tolist()
        ]
        self._rejections, self._acceptances = tickets.number[0].copy(), tickets.tried[0].copy()
        return {"rejections": rejections, "acceptances": acceptances}

    def _interval(self, sampler: Any) -> dict[str, Any]:
        """Once, when the pilot ends: weights (d, K, K), witness ranks (K, K), objective ranks (d, K, K)."""
        tests = sampler.race.tests
        if self._begun or not tests.ready[0]:
            return {}
        self._begun = True
        base = math.log(tests.models / tests.delta) + SLACK
        return {
            "weights": np.rint(tests.weight[0]).astype(np.int64).tolist(),
            "witness_ranks": _ranks(tests.reject_goal[0] - base),
            "objective_ranks": _ranks(tests.accept_goal[0] - base),
        }


def _shares(logs: Any) -> list[int]:
    """Whole numbers from their logarithms: exact, as they are at most `SHARES`."""
    return [int(share) for share in np.rint(np.exp(logs) * SHARES)]


def _ranks(logs: Any) -> Any:
    """Ranks q from log q(q + 1)."""
    return np.rint((np.sqrt(1 + 4 * np.exp(logs)) - 1) / 2).astype(np.int64).tolist()
