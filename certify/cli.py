"""The `certify` command."""

from __future__ import annotations

from certify.commands.labelling import ask, label, start, status, tell
from certify.commands.pools import certificate, choose, plan
from certify.commands.proofs import audit, demo
from certify.commands.reproduce import reproduce
from certify.errors import PoolError
from solvers import SolverError
from solvers.terminal import application, run

app = application(
    "certify",
    "Which of my classifiers is best, and how few labels settle it – exactly.\n\n"
    "Before labelling: plan. While labelling: start, then label (or ask and tell), status. "
    "With labels at hand: choose, certificate. To check somebody's claim: audit. To see it all: demo. "
    "To repeat the paper's evidence: reproduce.\n\n"
    "Exit codes: 0 done, 1 a negative answer (impossible budget, open choice, failed audit), "
    "2 unusable input.",
)
for command in (demo, plan, start, label, ask, tell, status, choose, certificate, audit, reproduce):
    app.command()(command)


def main() -> None:
    """Run the command line."""
    run(app, "certify", PoolError, SolverError)
