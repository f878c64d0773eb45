"""The tie-factor size chosen by comparisons held out of the fit (paper, appendix 9.4).

Within an objective every comparison goes to training with probability 0.9, on its own: of n equal outcomes
of a pair, a binomial number. Then a pair left without training gets one held-out comparison, of its most
frequent outcome. The size with the smallest mean negative log-likelihood of the held-out comparisons wins,
the smaller one among equals, and is refitted to all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pareto.bradley_terry import RIDGE
from pareto.comparisons import Counts
from pareto.davidson.checks import check_size, checked_counts
from pareto.davidson.fitting import DavidsonFit, fit_davidson
from pareto.davidson.likelihood import Outcomes
from pareto.errors import BattleError
from pareto.finite import finite

TRAINING = 0.9
"""Probability that a comparison is used for training."""
MANY = 20
"""Models from which on the longer list of sizes is tried."""
SIZES, FEW_SIZES = (0, 1, 5, 10, 20), (0, 1, 5)
"""Sizes tried for many models and for few, as far as there are models. The paper's are illegible to us."""


@dataclass(frozen=True, eq=False)
class Split:
    """Comparisons of one objective in two parts: wins (K, K), row over column, and ties (K, K) symmetric.

    Attributes:
        moved: comparisons moved to training because their pair had none there.
    """

    wins: Counts
    ties: Counts
    held_wins: Counts
    held_ties: Counts
    moved: int

    @property
    def held(self) -> int:
        """Comparisons held out."""
        return int(self.held_wins.sum() + self.held_ties.sum() // 2)


@dataclass(frozen=True)
class Candidate:
    """A size that was tried.

    Attributes:
        size: k.
        held_out: mean negative log-likelihood of held-out comparisons, in nats; NaN if none were held out.
        training: the same of the training comparisons.
        converged, iterations, gradient: of the fit to training, see `DavidsonFit`.
        directions: independent directions of the tie weights.
    """

    size: int
    held_out: float
    training: float
    converged: bool
    iterations: int
    gradient: float
    directions: int

    def record(self) -> dict[str, object]:
        """For JSON."""
        return {**vars(self), "held_out": finite(self.held_out), "training": finite(self.training)}


@dataclass(frozen=True, eq=False)
class Selection:
    """The chosen size of one objective, all that were tried, and the refit to all comparisons.

    Attributes:
        candidates: in the order given.
        trained, held: comparisons used for training and held out; moved: see `Split`.
        fit: the chosen size fitted to all.
    """

    candidates: tuple[Candidate, ...]
    trained: int
    held: int
    moved: int
    fit: DavidsonFit

    @property
    def size(self) -> int:
        """The chosen k."""
        return self.fit.size


def default_sizes(models: int) -> tuple[int, ...]:
    """Sizes to try for so many models."""
    return tuple(k for k in (SIZES if models >= MANY else FEW_SIZES) if k <= models)


def split_counts(
    wins: npt.ArrayLike, ties: npt.ArrayLike, rng: np.random.Generator, training: float = TRAINING
) -> Split:
    """Divide whole counts of one objective, wins (K, K) and ties (K, K), at random.

    Among equally frequent outcomes of a pair a win of the model listed first counts as the most frequent,
    then a win of the other.
    """
    won, tied = checked_counts(wins, ties)
    if not (np.array_equal(won, np.rint(won)) and np.array_equal(tied, np.rint(tied))):
        raise BattleError("single comparisons are held out: whole counts are accepted, not fractions")
    if not 0 < training < 1:
        raise BattleError(f"training is {training}; a share between 0 and 1 is accepted, e.g. {TRAINING}")
    first, second = np.triu_indices(len(won), 1)
    cells = np.stack((won[first, second], won[second, first], tied[first, second])).astype(np.int64)
    kept = rng.binomial(cells, training)
    bare = np.flatnonzero((kept.sum(axis=0) == 0) & (cells.sum(axis=0) > 0))
    kept[cells[:, bare].argmax(axis=0), bare] += 1
    return Split(*_squares(kept, len(won)), *_squares(cells - kept, len(won)), len(bare))


def _squares(cells: Counts, models: int) -> tuple[Counts, Counts]:
    """Wins and ties (K, K) from wins, losses and ties of pairs (3, pairs)."""
    first, second = np.triu_indices(models, 1)
    wins, ties = np.zeros((2, models, models), dtype=np.int64)
    wins[first, second], wins[second, first] = cells[0], cells[1]
    ties[first, second] = ties[second, first] = cells[2]
    return wins, ties


def select_tie_size(
    wins: npt.ArrayLike,
    ties: npt.ArrayLike,
    sizes: Sequence[int] | None = None,
    rng: np.random.Generator | int = 0,
    ridge: float = RIDGE,
    training: float = TRAINING,
) -> Selection:
    """Choose a size for one objective, wins (K, K) and ties (K, K) in whole numbers, and fit it to all.

    sizes: to be tried, `default_sizes` if None. rng: a generator, or the seed of one. If nothing is held out
    the smallest size is taken.
    """
    won, tied = checked_counts(wins, ties)
    tried = tuple(default_sizes(len(won)) if sizes is None else sizes)
    if not tried or len(set(tried)) < len(tried):
        raise BattleError(f"tie-factor sizes {list(tried)}; one or more different sizes are accepted")
    for size in tried:
        check_size(size, len(won))
    split = split_counts(won, tied, np.random.default_rng(rng), training)
    candidates = tuple(_tried(split, int(size), ridge) for size in tried)
    best = min(candidates, key=lambda one: (one.held_out if split.held else 0.0, one.size))
    return Selection(
        candidates=candidates,
        trained=int(split.wins.sum() + split.ties.sum() // 2),
        held=split.held,
        moved=split.moved,
        fit=fit_davidson(won, tied, best.size, ridge),
    )


def _tried(split: Split, size: int, ridge: float) -> Candidate:
    found = fit_davidson(split.wins, split.ties, size, ridge)
    trained = found.wins.sum() + found.ties.sum() / 2
    return Candidate(
        size=size,
        held_out=_loss(found.outcomes, split.held_wins, split.held_ties),
        training=-found.log_likelihood / trained if trained else float("nan"),
        converged=found.converged,
        iterations=found.iterations,
        gradient=found.gradient,
        directions=found.directions,
    )


def _loss(outcomes: Outcomes, wins: Counts, ties: Counts) -> float:
    count = wins.sum() + ties.sum() / 2
    likelihood = outcomes.log_likelihood(wins.astype(np.float64), ties.astype(np.float64))
    return -likelihood / float(count) if count else float("nan")
