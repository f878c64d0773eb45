"""A Davidson model for every objective of a log, and the half-credit win probabilities it gives (F)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pareto.bradley_terry import RIDGE
from pareto.davidson.held_out import TRAINING, Selection, select_tie_size
from pareto.errors import BattleError
from pareto.links import Reals
from pareto.pair_counts import PairCounts
from pareto.pair_graph import PairGraph


@dataclass(frozen=True, eq=False)
class DavidsonModels:
    """Fitted models of all objectives of a log; ties and both-bad votes count alike as ties.

    Attributes:
        models, objectives: names.
        selections: for each objective the chosen size, the sizes tried and the fit to all.
        seed: of the divisions into training and held-out comparisons.
    """

    models: tuple[str, ...]
    objectives: tuple[str, ...]
    selections: tuple[Selection, ...]
    seed: int

    @property
    def probabilities(self) -> Reals:
        """p̂^F (K, K, d) = win + tie/2, ½ on the diagonal."""
        return np.stack([one.fit.half_credit for one in self.selections], axis=2)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The chosen k of each objective."""
        return tuple(one.size for one in self.selections)

    @property
    def troubles(self) -> tuple[str, ...]:
        """Objectives whose likelihood has no unique maximum, and why: there the ridge decides in part."""
        pairs = zip(self.selections, self.objectives, strict=True)
        texts = (one.fit.maximum.trouble(self.models, name) for one, name in pairs)
        return tuple(text for text in texts if text)

    def record(self) -> dict[str, object]:
        """Everything but the parameters, for JSON."""
        return {
            "seed": self.seed,
            "troubles": list(self.troubles),
            "objectives": {
                name: {
                    "size": one.size,
                    "directions": one.fit.directions,
                    "log_likelihood": one.fit.log_likelihood,
                    "iterations": one.fit.iterations,
                    "gradient": one.fit.gradient,
                    "trained": one.trained,
                    "held": one.held,
                    "moved": one.moved,
                    "candidates": [candidate.record() for candidate in one.candidates],
                }
                for name, one in zip(self.objectives, self.selections, strict=True)
            },
        }


def davidson_models(
    counts: PairCounts,
    sizes: Sequence[int] | None = None,
    *,
    seed: int = 0,
    ridge: float = RIDGE,
    training: float = TRAINING,
) -> DavidsonModels:
    """Select a size for every objective and fit it to all of its comparisons.

    sizes: candidates, `held_out.default_sizes` if None. An objective's division into training and held-out
    comparisons depends on the seed and its name only. Raises `BattleError` for an objective on which groups
    of models never met, as nothing says how one of them does against the other; and if the fit to all of
    an objective's comparisons does not converge.
    """
    _refuse_disconnected(counts)
    ties = counts.undecided
    selections = []
    for r, name in enumerate(counts.objectives):
        rng = np.random.default_rng([seed, *name.encode()])
        selection = select_tie_size(counts.wins[r], ties[r], sizes, rng, ridge, training)
        _refuse_unfinished(selection, name)
        selections.append(selection)
    return DavidsonModels(counts.models, counts.objectives, tuple(selections), seed)


def davidson_target(counts: PairCounts, sizes: Sequence[int] | None = None, *, seed: int = 0) -> Reals:
    """p̂^F (K, K, d), row over column: win + tie/2 of the selected models, ½ on the diagonal.

    For what was selected and how well it fitted, see `davidson_models`, whose `probabilities` these are.
    """
    return davidson_models(counts, sizes, seed=seed).probabilities


def _refuse_disconnected(counts: PairCounts) -> None:
    for met, name in zip(counts.met, counts.objectives, strict=True):
        graph = PairGraph.of(met.astype(np.float64))
        if not graph.connected:
            raise BattleError(
                f"{graph.trouble(counts.models, name)}. A Davidson model cannot compare them; keep "
                "models that comparisons link"
            )


def _refuse_unfinished(selection: Selection, objective: str) -> None:
    fit = selection.fit
    if not fit.converged:
        raise BattleError(
            f"the Davidson fit of size {fit.size} on {objective!r} has not converged after {fit.iterations} "
            f"steps: gradient {fit.gradient:.1e} per comparison. Try smaller sizes or a larger ridge than "
            f"{fit.ridge:g}"
        )
