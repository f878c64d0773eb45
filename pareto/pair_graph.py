"""Who met whom, who ever beat whom: what decides whether Bradley–Terry scores exist at all.

The likelihood has a maximum exactly when, for every split of the models in two, each side has beaten the
other at least once: when the graph of wins is strongly connected (Ford, 1957).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from pareto.comparisons import Counts
from pareto.links import Reals

SHOWN = 6
"""Names listed in a message before "and so many more"."""


@dataclass(frozen=True, eq=False)
class PairGraph:
    """Groups of one objective's models, numbered from 0; arrays (K,).

    Attributes:
        group: models linked by comparisons, however indirectly, share a number.
        class_: models that beat each other, however indirectly, share a number.
    """

    group: Counts
    class_: Counts

    @classmethod
    def of(cls, wins: Reals) -> PairGraph:
        """From the wins (K, K), row over column, of one objective."""
        beaten = wins > 0
        if np.count_nonzero(beaten) == len(wins) * (len(wins) - 1):
            nought = np.zeros(len(wins), dtype=np.int64)
            return cls(nought, nought)
        _, group = connected_components(beaten, directed=False)
        _, class_ = connected_components(beaten, directed=True, connection="strong")
        return cls(group.astype(np.int64), class_.astype(np.int64))

    @property
    def connected(self) -> bool:
        """True if comparisons link all models."""
        return bool((self.group == self.group[0]).all())

    @property
    def separated(self) -> bool:
        """True if within some group one part has never lost to the rest: its scores run off to infinity."""
        return len(np.unique(self.class_)) > len(np.unique(self.group))

    @property
    def has_maximum(self) -> bool:
        """True if the likelihood has a maximum, unique up to a common shift."""
        return bool((self.class_ == self.class_[0]).all())

    def trouble(self, models: Sequence[str], objective: str) -> str:
        """What stands in the way of a maximum, by name; empty if nothing."""
        parts = []
        if not self.connected:
            groups = "; ".join(_listed(models, self.group == g) for g in np.unique(self.group))
            parts.append(f"objective {objective!r}: {len(np.unique(self.group))} groups never met: {groups}")
        if self.separated:
            classes = "; ".join(_listed(models, self.class_ == c) for c in np.unique(self.class_))
            parts.append(
                f"objective {objective!r}: wins separate the models into parts of which one never lost to "
                f"another: {classes}"
            )
        return ". ".join(parts)


def _listed(models: Sequence[str], chosen: np.typing.NDArray[np.bool_]) -> str:
    names = [models[i] for i in np.flatnonzero(chosen).tolist()]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return "{" + ", ".join(names[:SHOWN]) + more + "}"
