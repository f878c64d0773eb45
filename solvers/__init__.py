"""Say what, choose who, believe nobody: small declarative problems, interchangeable back ends, exact checks.

>>> from solvers import CoveringProgram, solve
>>> solution = solve(CoveringProgram([[2, 2, 4, 0]], [7]))
>>> solution.objective, solution.bound, solution.proven
(3, 3, True)

Importing the package loads nothing but what is asked for, and back ends load when they run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.lazy_package import load_lazily

if TYPE_CHECKING:
    from solvers.compare import compare
    from solvers.errors import SolverError
    from solvers.files import read_problem, write_problem
    from solvers.maximum_clique import MaximumClique
    from solvers.ordered_bradley_terry import OrderedBradleyTerry
    from solvers.problems import CoveringProgram, LinearProgram
    from solvers.solution import Claim, Multipliers, Solution, Status
    from solvers.solve import available, solve

_HOMES = {
    "Claim": "solution",
    "CoveringProgram": "problems",
    "LinearProgram": "problems",
    "MaximumClique": "maximum_clique",
    "Multipliers": "solution",
    "OrderedBradleyTerry": "ordered_bradley_terry",
    "Solution": "solution",
    "SolverError": "errors",
    "Status": "solution",
    "available": "solve",
    "compare": "compare",
    "read_problem": "files",
    "solve": "solve",
    "write_problem": "files",
}

__all__ = [
    "Claim",
    "CoveringProgram",
    "LinearProgram",
    "MaximumClique",
    "Multipliers",
    "OrderedBradleyTerry",
    "Solution",
    "SolverError",
    "Status",
    "available",
    "compare",
    "read_problem",
    "solve",
    "write_problem",
]

load_lazily(__name__, _HOMES)
