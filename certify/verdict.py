"""What is known about the choice after the labels read so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement
from certify.budget import IMPOSSIBLE, fewest_labels, pair_requirements
from certify.risks import UNLABELLED, Codes, Risks
from certify.totals import Totals, fewest_labels_with_totals, lower_with_totals
from certify.worth import Worth, worth


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Bounds L (K, K), the labels and the rows that could still be read, at one moment of a session.

    `closed` is the session's growing list of rows read or skipped, of which the first `count` were so then:
    looking at a verdict must not copy anything of the pool's length. told: the rows labelled then; of
    `labels`, which the session goes on filling, only theirs stay as they were. totals: class totals of the
    pool, if known; `lower` is without them.
    """

    risks: Risks
    requirement: Requirement
    lower: PairMatrix
    closed: Sequence[int]
    count: int
    told: npt.NDArray[np.int64]
    labels: Codes
    totals: Totals | None = None

    def readable(self) -> npt.NDArray[np.int64]:
        """Positions neither read nor skipped, ascending."""
        unread = np.ones(self.risks.shape[1], dtype=bool)
        unread[np.array(self.closed[: self.count], dtype=np.int64)] = False
        return np.flatnonzero(unread)

    def codes(self) -> Codes:
        """Labels read by then, (n,); −1 elsewhere."""
        codes = np.full(len(self.labels), UNLABELLED, dtype=np.int16)
        codes[self.told] = self.labels[self.told]
        return codes

    def tight(self) -> PairMatrix:
        """L under the totals where these are known."""
        return self.lower if self.totals is None else lower_with_totals(self.risks, self.codes(), self.totals)


@dataclass(frozen=True)
class Verdict:
    """The answer now (paper, section 5).

    certified: whether `winner` is settled under every completion of the unread rows. winner: the
    certified candidate, else the one with the smallest worst-case excess, then the smallest index.
    gap: that excess δ of `winner`, exact, as a difference of the objective (for AURC rounded up, by at most
    2⁻²⁵, and 0 only if δ is). labels_read: labels known, those owned at the start included.
    """

    certified: bool
    winner: int
    gap: Fraction
    labels_read: int
    _snapshot: Snapshot = field(repr=False, compare=False)

    @property
    def totals_known(self) -> bool:
        """Whether the answer relies on class totals of the pool."""
        return self._snapshot.totals is not None

    @cached_property
    def at_least(self) -> int | None:
        """Fewest further labels that could certify a candidate (paper, section 4.2, on unread rows).

        0 when certified; None when no labels of the rows still readable can do it, because too many
        were skipped. Worked out when first asked for, O(K² n log n).
        """
        if self.certified:
            return 0
        at = self._snapshot
        if at.totals is not None:
            fewest = fewest_labels_with_totals(
                at.risks, at.tight(), at.requirement, np.flatnonzero(at.codes() < 0), len(at.readable())
            )
        else:
            fewest = fewest_labels(pair_requirements(at.risks, at.lower, at.requirement, at.readable()))
        return None if fewest == IMPOSSIBLE else max(fewest, 1)

    def records(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """One flat record a candidate, such as `polars.DataFrame` or `pandas.DataFrame` takes.

        names: of the pool's candidates. Keys: candidate; returned (whether it is the answer now);
        worst_excess, the most by which it can be worse than the best; worst_excess_exact, the same as a
        fraction in text (both rounded up for AURC).
        """
        at = self._snapshot
        most = np.maximum(at.risks.radius - at.tight(), 0)
        np.fill_diagonal(most, 0)
        found = []
        for k, worst in enumerate(most.max(axis=0).tolist()):
            excess = self.gap if k == self.winner else Fraction(worst, at.risks.scale)
            found.append(
                {
                    "candidate": names[k],
                    "returned": k == self.winner,
                    "worst_excess": float(excess),
                    "worst_excess_exact": str(excess),
                }
            )
        return found

    @cached_property
    def worth(self) -> Worth | None:
        """How many labels would have to be wrong to overturn the choice; None while it is open.

        Worked out when first asked for, O(K n log n).
        """
        if not self.certified:
            return None
        at = self._snapshot
        known = at.totals is not None
        return worth(at.risks, at.codes(), at.tight(), at.requirement, self.winner, totals_known=known)
