"""Certificates under rounded weights: covers of a relaxed program that are certificates in truth.

With rounded weights the covering program asks for too little, so that its bounds hold for certificates. Its
best cover nearly always is one, which the exact stopping test tells. Where it is not, a program that asks for
too much gives one, and where even that is infeasible, every row that gains anything does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement
from certify.deciding import ExactBounds
from certify.risks import UNLABELLED, Codes, Risks
from solvers import CoveringProgram, Solution, Status
from solvers.covering.canonical import canonical
from solvers.disk_tables import like

_SLACK = 3  # a relaxed gain is the integer one and 2 more; a true one exceeds that less 1
Chosen = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TrueCover:
    """The search for a true certificate of `winner`, whose covering program is `relaxed`.

    codes: (n,) labels. before: the integer L with no label read, (K, K).
    """

    risks: Risks
    codes: Codes
    before: PairMatrix
    requirement: Requirement
    winner: int
    relaxed: CoveringProgram

    def attained(self, found: Solution, solve: Callable[[CoveringProgram], Solution]) -> Solution:
        """`found`, a solution of the relaxed program, with a true certificate in the place of its cover."""
        if found.x is None or found.multipliers is None:
            return found
        for x in self._covers(found.x, solve):
            # the proof names a cover up to exchanges of equal columns, so that is the one to try
            rows, _ = canonical(self.relaxed, found.multipliers, x)
            if self.certifies(rows):
                size = int(rows.sum())
                optimal = found.bound is not None and size == found.bound
                status = Status.OPTIMAL if optimal else Status.FEASIBLE
                return replace(found, x=rows, objective=size, status=status)
        return replace(found, x=None, objective=None, status=Status.NO_SOLUTION)

    def certifies(self, rows: Chosen) -> bool:
        """Whether reading these rows and no others certifies the winner, exactly."""
        if (self.codes[rows] == UNLABELLED).any():
            return False
        read = np.where(rows, self.codes, np.int16(UNLABELLED))
        exact = ExactBounds(self.risks, lambda: read)
        rivals = (j for j in range(len(self.risks.weights)) if j != self.winner)
        return all(exact.reaches(j, self.winner, self.requirement) for j in rivals)

    def _covers(self, first: Chosen, solve: Callable[[CoveringProgram], Solution]) -> Iterator[Chosen]:
        yield first.astype(np.bool_)
        levels = self.requirement.levels(len(self.before))
        deficits = np.maximum(levels - self.before + self.risks.radius, 0)[:, self.winner]
        relaxed = self.relaxed.gains
        gains = like(relaxed, (np.maximum(row - _SLACK, 0) for row in relaxed), relaxed.dtype)
        strict = solve(CoveringProgram(gains, np.delete(deficits, self.winner)))
        if strict.x is not None:
            yield strict.x.astype(np.bool_)
        useful = np.zeros(self.relaxed.n, dtype=np.bool_)
        for row in relaxed:
            useful |= row > 0
        yield useful
