"""Logs drawn from known chances, and what is wrongly said about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pareto.bradley_terry import fit
from pareto.certainty.differences import Differences
from pareto.certainty.judging import judge
from pareto.certainty.outside import Outlook, outlook
from pareto.certainty.sample import Sample


@dataclass
class Score:
    """How many of `logs` had an error, and models said to be dominated and on the frontier in all of them."""

    logs: int = 0
    wrong: int = 0
    dominated: int = 0
    frontier: int = 0

    def add(self, decisions, chances):
        truth = dominated_in(chances)
        self.logs += 1
        self.wrong += bool(((decisions.dominated & ~truth) | (decisions.frontier & truth)).any())
        self.dominated += int(decisions.dominated.sum())
        self.frontier += int(decisions.frontier.sum())


def dominated_in(chances):
    """(K,) from chances (d, K, K); sums that differ by rounding only are equal."""
    off = ~np.eye(chances.shape[1], dtype=bool)
    scores = np.where(off, chances, 0).sum(axis=2).round(12)
    return (scores[:, None, :] > scores[:, :, None]).all(axis=0).any(axis=1)


def even(models, objectives, count):
    """Counts (d, K, K) with `count` comparisons in every cell."""
    return np.broadcast_to(count * (1 - np.eye(models, dtype=np.int64)), (objectives, models, models)).copy()


def drawn(rng, total, chances):
    """Wins (d, K, K)."""
    first, second = np.triu_indices(total.shape[1], 1)
    wins = np.zeros_like(total)
    wins[:, first, second] = rng.binomial(total[:, first, second], chances[:, first, second])
    wins[:, second, first] = total[:, first, second] - wins[:, first, second]
    return wins


def nothing(total):
    """No outside comparison."""
    return Outlook(np.zeros(total.shape), np.ones(total.shape), 0)


def at_equal_counts(chances, total, view, delta, logs, seed=0):
    """Scores of `logs` logs with these chances and counts (d, K, K) and the same outlook."""
    rng = np.random.default_rng(seed)
    differences = Differences(Sample(np.zeros(total.shape), total, False, True))
    score = Score()
    for _ in range(logs):
        sample = Sample(drawn(rng, total, chances).astype(float), total, False, True)
        score.add(judge(sample, differences, view, delta).decisions, chances)
    return score


def like(log, logs, noise, cells, delta=0.05, seed=0):
    """Logs like a real one: scores fitted to it, moved by `noise`, every cell's logit moved by `cells`.

    Comparisons with removed models are drawn as well, and put the claims in order.
    """
    rng = np.random.default_rng(seed)
    met = log.everything.decided
    theta = fit(log.everything.wins, ridge=1.0).theta
    inside = np.array([log.everything.models.index(name) for name in log.models])
    within = np.ix_(range(len(met)), inside, inside)
    total = met[within]
    differences = Differences(Sample(np.zeros(total.shape), total, False, True))
    score = Score()
    for _ in range(logs):
        moved = theta + rng.normal(0, noise, theta.shape)
        own = np.triu(rng.normal(0, cells, met.shape), 1)
        chances = 1 / (1 + np.exp(-(moved[:, :, None] - moved[:, None, :] + own - own.swapaxes(1, 2))))
        wins = drawn(rng, met, chances)
        sample = Sample(wins[within].astype(float), total, False, True)
        wins[within] = 0
        view = outlook(wins, inside, differences.variance)
        score.add(judge(sample, differences, view, delta).decisions, chances[within])
    return score
