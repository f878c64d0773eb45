"""What a method says about the frontier, now or at its end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from pareto.comparisons import Counts

Mask = npt.NDArray[np.bool_]
Reals = npt.NDArray[np.float64]


class Status(StrEnum):
    """How far a method has come."""

    CERTIFIED = "certified"
    """Stopped by its own rule; the frontier is exact with probability 1 − δ under the stated assumptions."""
    STOPPED = "stopped"
    """Stopped by its own rule, which carries no guarantee."""
    CAPPED = "capped"
    """Not decided: the next step does not fit under `max_comparisons`."""
    OPEN = "open"
    """Not decided yet: more comparisons are wanted."""


@dataclass(frozen=True, eq=False)
class Result:
    """The answer of a method at some moment.

    Attributes:
        method: its name.
        models, objectives: names, in the order of all arrays.
        frontier: (K,) True for the models kept. Decided ones as decided; the undecided by present
            estimates, which is a guess.
        decided: (K,) True where the method has decided.
        undecided_pairs: (p, 2) rows (i, j): whether j dominates i is open.
        comparisons: how many were told.
        status: see `Status`.
        estimates: (K, d) present estimates, NaN where there is none.
        scale: what they estimate, "borda" or "latent".
        rival: (K,) for a dominated model who dominates it, for a kept one its closest rival; −1 unknown.
        objective: (K,) for a kept model the objective that protects it from `rival`, for a dominated one
            where the lead of `rival` is smallest; −1 unknown.
        allocation: (K, d) comparisons spent on each model: as focal model where the method has one,
            on either side otherwise.
        margin: a model counts as dominated only by more than this (on `scale`).
    """

    method: str
    models: tuple[str, ...]
    objectives: tuple[str, ...]
    frontier: Mask
    decided: Mask
    undecided_pairs: Counts
    comparisons: int
    status: Status
    estimates: Reals
    scale: str
    rival: Counts
    objective: Counts
    allocation: Counts
    margin: float

    @property
    def stopped(self) -> bool:
        """True if the method stopped by its own rule: everything is decided."""
        return self.status in (Status.CERTIFIED, Status.STOPPED)

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of the models in `frontier`."""
        return self._names(self.frontier)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Names of the undecided models."""
        return self._names(~self.decided)

    @property
    def named_pairs(self) -> tuple[tuple[str, str], ...]:
        """`undecided_pairs` by name: (model, the rival that may dominate it)."""
        return tuple((self.models[i], self.models[j]) for i, j in self.undecided_pairs.tolist())

    @property
    def statuses(self) -> tuple[str, ...]:
        """For each model "frontier", "dominated" or "undecided"."""
        pairs = zip(self.frontier.tolist(), self.decided.tolist(), strict=True)
        return tuple(("frontier" if kept else "dominated") if sure else "undecided" for kept, sure in pairs)

    def records(self) -> list[dict[str, Any]]:
        """One flat record a model, such as `polars.DataFrame` or `pandas.DataFrame` takes.

        Keys: model; status; frontier (a guess if undecided); rival and objective (names, None if unknown);
        for every objective, estimate.OBJECTIVE (on `scale`, None without one) and comparisons.OBJECTIVE.
        With more than 100 models polars is to be given infer_schema_length=None.
        """
        estimates = [[x if isfinite(x) else None for x in row] for row in self.estimates.tolist()]
        allocation, statuses = self.allocation.tolist(), self.statuses
        return [
            {
                "model": name,
                "status": statuses[i],
                "frontier": bool(self.frontier[i]),
                "rival": _name(self.models, int(self.rival[i])),
                "objective": _name(self.objectives, int(self.objective[i])),
                **{
                    f"estimate.{one}": value for one, value in zip(self.objectives, estimates[i], strict=True)
                },
                **{f"comparisons.{one}": n for one, n in zip(self.objectives, allocation[i], strict=True)},
            }
            for i, name in enumerate(self.models)
        ]

    def _names(self, chosen: Mask) -> tuple[str, ...]:
        return tuple(self.models[i] for i in np.flatnonzero(chosen))


def _name(names: tuple[str, ...], at: int) -> str | None:
    return None if at < 0 else names[at]
