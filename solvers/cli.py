"""The ``solvers`` command."""

from __future__ import annotations

from collections.abc import Callable

from solvers.commands.asking import compare, list_, solve
from solvers.commands.checking import check
from solvers.errors import SolverError
from solvers.terminal import add_commands, application, run

app = application(
    "solvers",
    "Exact optimisation: say what, choose who, believe nobody.\n\n"
    "Who can solve what: list. One problem, one checked answer: solve. One problem, every back end: compare. "
    "Somebody's proof: check.\n\n"
    "Exit codes: 0 done, 1 a negative answer (no solution, a refuted claim, a rejected proof), "
    "2 unusable input.",
)
EXAMPLES: dict[Callable[..., None], str] = {
    list_: "solvers list",
    solve: "solvers solve magic-tree-8 --output proof.json",
    compare: "solvers compare magic-tree-8 --backend sifting --backend highs",
    check: "solvers check proof.json problem.csv",
}
"""The commands, each with an example that its help shows."""

add_commands(app, EXAMPLES)


def main() -> None:
    """Run the command line."""
    run(app, "solvers", SolverError)
