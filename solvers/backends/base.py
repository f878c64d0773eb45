"""What a back end is: a name, the problem types it takes, and a function that answers.

Nothing a back end returns is believed; :mod:`solvers.verdict` turns an :class:`Answer` into a Solution.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import CoveringProgram, LinearProgram
from solvers.solution import Status
from solvers.tree import Tree

Problem = CoveringProgram | LinearProgram | MaximumClique | OrderedBradleyTerry


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a back end says, unchecked.

    Attributes:
        status: outcome in the common vocabulary.
        x: the point, (n,), or None.
        objective: objective value it claims.
        bound: bound on the optimum it claims.
        duals: (m,), d optimum / d right-hand side in the problem's own sense of optimisation, or None.
            For a covering program: of its linear relaxation, all ≥ 0.
        multipliers: integer p (m,) and q whose ratio replaces ``duals`` exactly (covering programs).
        tree: what proves more than the multipliers do (covering programs).
        ray: (m,), row multipliers that prove infeasibility of a linear program, or None.
        reason: what stopped it, in words.
    """

    status: Status
    x: npt.NDArray[Any] | None = None
    objective: float | None = None
    bound: float | None = None
    duals: npt.NDArray[np.float64] | None = None
    multipliers: tuple[Sequence[int], int] | None = None
    tree: Tree | None = None
    ray: npt.NDArray[np.float64] | None = None
    reason: str = ""


def _everything(problem: Problem) -> str:
    return ""


def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to solve some types of problem.

    Attributes:
        name: how callers ask for it.
        problems: problem types it takes.
        solve: ``solve(problem, time_limit, **options) -> Answer``.
        options: option names it knows, each with a word on its meaning.
        requires: modules that must be installed; found without importing them.
        install: how to get them.
        quiet: True if it never writes to standard output; otherwise its output is kept from there.
        refuses: for a problem of a right type, why this one cannot be taken; empty if it can.
        limits: the same in general, in a few words, for people who choose among back ends.
        missing: what else is not installed (an executable), in words; empty if nothing.
        tolerance: relative error its optima may have by design (first-order methods); 0 for all others.
    """

    name: str
    problems: tuple[type, ...]
    solve: Callable[..., Answer]
    options: Mapping[str, str] = field(default_factory=dict)
    requires: tuple[str, ...] = ()
    install: str = ""
    quiet: bool = False
    refuses: Callable[[Any], str] = _everything
    limits: str = ""
    tolerance: float = 0.0
    missing: Callable[[], str] = _nothing

    def lacks(self) -> str:
        """What is not installed, in words; empty if nothing is missing. Imports none of it."""
        modules = [module for module in self.requires if find_spec(module) is None]
        return ", ".join(modules) if modules else self.missing()

    def is_available(self) -> bool:
        """True if everything required is installed; imports none of it."""
        return not self.lacks()
