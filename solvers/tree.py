"""A tree that proves that no cover of a given size exists.

:mod:`solvers.covering.subproblem` has the argument. The steps of a tree stand in depth-first order, the ≤
side of a split before the ≥ side. Each one looks at the subproblem that is next in that order: its
multipliers close the subproblem, or fix some of its columns and then either split what is left in two or
leave it to the next step.
"""

from dataclasses import dataclass

RULE_BITS = 40
"""Weights of a rounded row are multiples of 2^-RULE_BITS."""


@dataclass(frozen=True, slots=True)
class ColumnSplit:
    """One column is left out (first side) or taken (second side), and columns equal to it follow.

    Equal free columns are interchangeable, so a selection may be assumed to take the first ones of them: with
    this one out the later ones are out, with this one in the earlier ones are in.

    Attributes:
        column: its position among the free columns, after fixing.
    """

    column: int


@dataclass(frozen=True, slots=True)
class RowSplit:
    """π·x ≤ k (first side) or π·x ≥ k + 1 (second side), where π is a rounded combination of rows.

    With v_i = w·a_i over the rows, π_i = ⌊(v_i + shift) / 2^RULE_BITS⌋ where the reduced cost is nonnegative
    and π_i = −⌊(shift − v_i) / 2^RULE_BITS⌋ elsewhere. Any integer vector splits all integer points, so
    w and shift need no justification.

    Attributes:
        weights: w, one integer a row; trailing zeros are left out.
        shift: integer.
        k: integer.
        total: Σ_i v_i over the free columns, the value the weights must reproduce.
    """

    weights: tuple[int, ...]
    shift: int
    k: int
    total: int


@dataclass(frozen=True, slots=True)
class Step:
    """One look at a subproblem.

    Attributes:
        p: nonnegative integers, one a row; trailing zeros are left out.
        q: nonnegative integer, the weight of the number of columns.
        numerator: q·taken + p·rhs + Σ_i min(0, q − p·a_i), the value they must reproduce.
        split: how what is left is divided; None if it is closed, or left to the next step.
    """

    p: tuple[int, ...]
    q: int
    numerator: int
    split: ColumnSplit | RowSplit | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """Proof that no cover has ``target`` columns or fewer, from a program and its root multipliers on.

    Attributes:
        target: the size that is ruled out.
        steps: in depth-first order.
    """

    target: int
    steps: tuple[Step, ...]
