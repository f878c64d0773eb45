"""Why a model is kept, or by whom it is dominated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pareto.comparisons import Counts
from pareto.frontier import frontier
from pareto.gaps import leads, lowest
from pareto.scores import Mask, Scores, as_scores


@dataclass(frozen=True, eq=False)
class Standing:
    """Where every model stands; arrays (K,).

    Attributes:
        frontier: True for the models kept.
        rival: the frontier model, other than itself, that comes closest to dominating it, or does so by
            most; −1 if there is no other frontier model.
        objective: where the rival's lead is smallest: what protects a kept model from it.
        lead: the rival's lead there. Positive: the model is dominated, with that much to spare on every
            objective. Zero: kept by a tie. Negative: kept, being ahead by so much.
    """

    frontier: Mask
    rival: Counts
    objective: Counts
    lead: Scores

    def records(self, models: Sequence[str], objectives: Sequence[str]) -> list[dict[str, Any]]:
        """One flat record a model, such as `polars.DataFrame` or `pandas.DataFrame` takes.

        Keys: model; status ("frontier" or "dominated"); rival and objective (names), and lead, all None if
        there is no other frontier model.
        """
        found = []
        for i, name in enumerate(models):
            rival, alone = int(self.rival[i]), bool(self.rival[i] < 0)
            found.append(
                {
                    "model": name,
                    "status": "frontier" if self.frontier[i] else "dominated",
                    "rival": None if alone else models[rival],
                    "objective": None if alone else objectives[int(self.objective[i])],
                    "lead": None if alone else self.lead[i].item(),
                }
            )
        return found

    def reason(self, model: int, models: Sequence[str], objectives: Sequence[str]) -> str:
        """A sentence about one model."""
        name, rival = models[model], int(self.rival[model])
        if rival < 0:
            return f"{name} is kept: nobody else is on the frontier"
        where, lead = objectives[int(self.objective[model])], self.lead[model]
        if lead > 0:
            return f"{name} is dominated by {models[rival]}, by at least {lead:.4g}, its lead on {where}"
        if lead == 0:
            return f"{name} is kept: it equals {models[rival]} on {where}, and a tie protects"
        return f"{name} is kept: it leads {models[rival]}, its closest rival, on {where} by {-lead:.4g}"


def standing(scores: npt.ArrayLike) -> Standing:
    """Where every model of `scores` (K, d) stands under strict dominance. O(K·|frontier|·d).

    A dominated model's rival is the frontier model with the largest smallest lead (paper, Lemma B.2).

    >>> import pareto
    >>> scores, models = [[10, 100], [5, 100], [1, 1]], ["strong", "tied", "weak"]
    >>> now = pareto.standing(scores)
    >>> now.reason(2, models, ["code", "math"])
    'weak is dominated by strong, by at least 9, its lead on code'
    """
    checked = as_scores(scores)
    kept = frontier(checked)
    best = np.flatnonzero(kept)
    none = lowest(checked.dtype)
    models = len(checked)
    rival = np.full(models, -1, dtype=np.int64)
    lead = np.full(models, none, dtype=checked.dtype)
    for j in best.tolist():
        with np.errstate(over="ignore"):
            step = (checked[j] - checked).min(axis=1)
        step[j] = none
        closer = step > lead
        rival[closer], lead[closer] = j, step[closer]
    with np.errstate(over="ignore"):
        objective = (checked[rival] - checked).argmin(axis=1)
    return Standing(kept, rival, np.where(rival < 0, -1, objective), lead)


def protections(scores: npt.ArrayLike, model: int) -> list[tuple[int, int]]:
    """For each rival of a kept model, the objective on which the model leads it by most (or ties).

    Pairs (rival, objective), closest rival first; rivals that dominate the model have no pair.
    """
    checked = as_scores(scores)
    difference = checked - checked[model]
    lead = difference.min(axis=1)
    order = np.argsort(-lead, kind="stable")
    return [(int(j), int(difference[j].argmin())) for j in order if j != model and lead[j] <= 0]


def open_pairs(estimates: Scores, active: Mask, radius: float, margin: float) -> Counts:
    """Pairs (i, j) of active models for which "does j dominate i?" is open; (p, 2).

    Estimates (K, d) lie within `radius` of the truth, so leads lie within twice that.
    """
    live = np.flatnonzero(active)
    lead = leads(estimates[live], margin)
    unclear = np.abs(lead) <= 2 * radius
    np.fill_diagonal(unclear, False)
    return live[np.argwhere(unclear)].astype(np.int64).reshape(-1, 2)
