"""Say what, choose who, believe nobody: small declarative problems, interchangeable back ends, exact checks.

>>> from solvers import CoveringProgram, solve
>>> solution = solve(CoveringProgram([[2, 2, 4, 0]], [7]))
>>> solution.objective, solution.bound, solution.proven
(3, 3, True)

Importing the package loads numpy and nothing native beyond it; back ends load when they run.
"""

from solvers.compare import compare
from solvers.errors import SolverError
from solvers.files import read_problem, write_problem
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import CoveringProgram, LinearProgram
from solvers.solution import Claim, Multipliers, Solution, Status
from solvers.solve import available, solve

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
