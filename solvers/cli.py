"""The ``solvers`` command."""

from __future__ import annotations

from solvers.commands.asking import compare, list_, solve
from solvers.commands.checking import check
from solvers.errors import SolverError
from solvers.terminal import application, run

app = application(
    "solvers",
    "Exact optimisation: say what, choose who, believe nobody.\n\n"
    "Who can solve what: list. One problem, one checked answer: solve. One problem, every back end: compare. "
    "Somebody's proof: check.\n\n"
    "Exit codes: 0 done, 1 a negative answer (no solution, a refuted claim, a rejected proof), "
    "2 unusable input.",
)
app.command("list")(list_)
for command in (solve, compare, check):
    app.command()(command)


def main() -> None:
    """Run the command line."""
    run(app, "solvers", SolverError)
