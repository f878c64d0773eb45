"""The `pareto` command."""

from __future__ import annotations

from pareto.commands.auditing import audit
from pareto.commands.comparing import ask, start, status, tell
from pareto.commands.demonstrating import demo
from pareto.commands.limiting import limit
from pareto.commands.logs import frontier
from pareto.commands.planning import plan
from pareto.commands.reproducing import reproduce
from pareto.commands.resampling import resample
from pareto.commands.simulating import simulate
from pareto.commands.ties import compare_ties
from pareto.errors import BattleError
from solvers import SolverError
from solvers.terminal import application, run

app = application(
    "pareto",
    "Which models are worth keeping when quality has several sides, from how few comparisons.\n\n"
    "A log of battles: frontier, compare-ties, resample. Before anybody votes: plan, simulate, limit. While "
    "votes come in: start, ask, tell, status. To check somebody's claim: audit. To see it all: demo. To "
    "repeat the paper's evidence: reproduce.\n\n"
    "Exit codes: 0 done, 1 a negative answer (failed audit, budget too small), 2 unusable input.",
)
for command in (
    demo,
    frontier,
    compare_ties,
    resample,
    plan,
    simulate,
    limit,
    start,
    ask,
    tell,
    status,
    audit,
):
    app.command()(command)
app.command()(reproduce)


def main() -> None:
    """Run the command line."""
    run(app, "pareto", BattleError, SolverError)
