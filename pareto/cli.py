"""The `pareto` command."""

from __future__ import annotations

from collections.abc import Callable

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
from solvers.terminal import add_commands, application, run

app = application(
    "pareto",
    "Which models are worth keeping when quality has several sides, from how few comparisons.\n\n"
    "To see it all: demo. A log of battles: frontier, compare-ties, resample. Before anybody votes: plan, "
    "simulate, limit. While votes come in: start, ask, tell, status. To check somebody's claim: audit. "
    "To repeat the paper's evidence: reproduce.\n\n"
    "Exit codes: 0 done, 1 a negative answer (failed audit, budget too small), 2 unusable input.",
)
EXAMPLES: dict[Callable[..., None], str] = {
    demo: "pareto demo --trials 20",
    frontier: "pareto frontier bundled:arena140k-decisive --objectives code,general --output page.html",
    compare_ties: "pareto compare-ties bundled:arena140k-first5000 --objectives code,general",
    resample: "pareto resample bundled:arena140k-decisive --objectives code,general --method interval",
    plan: "pareto plan pilot.csv --scale borda --budget 20000",
    simulate: "pareto simulate symmetric:16,4,1.0 --method interval --method commit",
    limit: "pareto limit convex-2d --seconds 20",
    start: "pareto start votes.journal --models a,b,c --objectives code,style --method interval",
    ask: "pareto ask votes.journal --queries 20 --output todo.csv",
    tell: "pareto tell votes.journal 1=left 2=tie --outcomes todo.csv",
    status: "pareto status votes.journal --forecast 20",
    audit: "pareto audit votes.journal",
    reproduce: "pareto reproduce methods --seeds 1",
}
"""The commands, each with an example that its help shows."""

add_commands(app, EXAMPLES)


def main() -> None:
    """Run the command line."""
    run(app, "pareto", BattleError, SolverError)
