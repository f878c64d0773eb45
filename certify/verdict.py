"""What is known about the choice after the labels read so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement
from certify.budget import IMPOSSIBLE, fewest_labels, pair_requirements
from certify.risks import Risks


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Bounds L (K, K) and the rows that could still be read, at one moment of a session.

    `closed` is the session's growing list of rows read or skipped, of which the first `count` were so then:
    looking at a verdict must not copy anything of the pool's length.
    """

    risks: Risks
    requirement: Requirement
    lower: PairMatrix
    closed: Sequence[int]
    count: int

    def readable(self) -> npt.NDArray[np.int64]:
        """Positions neither read nor skipped, ascending."""
        unread = np.ones(self.risks.shape[1], dtype=bool)
        unread[np.array(self.closed[: self.count], dtype=np.int64)] = False
        return np.flatnonzero(unread)


@dataclass(frozen=True)
class Verdict:
    """The answer now (paper, section 5).

    certified: whether `winner` is settled under every completion of the unread rows. winner: the
    certified candidate, else the one with the smallest worst-case excess, then the smallest index.
    gap: that excess δ of `winner`, exact, as an AUGRC difference. labels_read: labels known, those
    owned at the start included.
    """

    certified: bool
    winner: int
    gap: Fraction
    labels_read: int
    _snapshot: Snapshot = field(repr=False, compare=False)

    @cached_property
    def at_least(self) -> int | None:
        """Fewest further labels that could certify a candidate (paper, section 4.2, on unread rows).

        0 when certified; None when no labels of the rows still readable can do it, because too many
        were skipped. Worked out when first asked for, O(K² n log n).
        """
        if self.certified:
            return 0
        at = self._snapshot
        requirements = pair_requirements(at.risks, at.lower, at.requirement, at.readable())
        fewest = fewest_labels(requirements)
        return None if fewest == IMPOSSIBLE else fewest
