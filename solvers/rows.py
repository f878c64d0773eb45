"""Rows of a linear program as equalities and one-sided inequalities, and their duals brought back."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.problems import LinearProgram


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """equal @ x = equals and below @ x ≤ at_most; a row with two different bounds appears twice in ``below``.

    Attributes:
        equal, equals: (e, n), (e,).
        below, at_most: (b, n), (b,); lower bounds come in with their sign changed.
        equality, upper, lower: for each the rows of the program they stand for; ``below`` holds the
            upper bounds first.
        m: rows of the program.
    """

    equal: Any
    equals: npt.NDArray[np.float64]
    below: Any
    at_most: npt.NDArray[np.float64]
    equality: npt.NDArray[np.intp]
    upper: npt.NDArray[np.intp]
    lower: npt.NDArray[np.intp]
    m: int

    def duals(
        self, below: npt.NDArray[np.float64], equal: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Row duals (m,), d optimum / d right-hand side, from those of ``below`` (b,) and ``equal`` (e,)."""
        y = np.zeros(self.m)
        split = len(self.upper)
        np.add.at(y, self.equality, equal)
        np.add.at(y, self.upper, below[:split])
        np.add.at(y, self.lower, -below[split:])
        return y


def one_sided(program: LinearProgram) -> Rows:
    """Split the rows of a program; a row without bounds disappears, its dual is zero."""
    from scipy import sparse

    matrix = sparse.csr_array(program.matrix)
    same = program.row_lower == program.row_upper
    equality = np.flatnonzero(same)
    upper = np.flatnonzero(~same & np.isfinite(program.row_upper))
    lower = np.flatnonzero(~same & np.isfinite(program.row_lower))
    return Rows(
        equal=matrix[equality],
        equals=program.row_upper[equality],
        below=sparse.vstack([matrix[upper], -matrix[lower]], format="csr"),
        at_most=np.concatenate([program.row_upper[upper], -program.row_lower[lower]]),
        equality=equality,
        upper=upper,
        lower=lower,
        m=program.m,
    )
