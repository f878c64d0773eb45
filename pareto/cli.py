"""The `pareto` command."""

from __future__ import annotations

from pareto.commands.auditing import audit
from pareto.commands.comparing import ask, start, status, tell
from pareto.commands.demonstrating import demo
from pareto.commands.planning import plan
from pareto.commands.simulating import simulate
from pareto.errors import BattleError
from pareto.experiments.catalogue import CATALOGUE
from solvers import SolverError
from solvers.studies.command import reproduce_command
from solvers.terminal import application, run

app = application(
    "pareto",
    "Which models are worth keeping when quality has several sides, from how few comparisons.\n\n"
    "Before anybody votes: plan, simulate. While votes come in: start, ask, tell, status. To check "
    "somebody's claim: audit. To see it all: demo. To repeat the paper's evidence: reproduce.\n\n"
    "Exit codes: 0 done, 1 a negative answer (failed audit, budget too small), 2 unusable input.",
)
for command in (demo, plan, simulate, start, ask, tell, status, audit):
    app.command()(command)
app.command()(reproduce_command(CATALOGUE))


def main() -> None:
    """Run the command line."""
    run(app, "pareto", BattleError, SolverError)
