"""The `certify` command."""

from __future__ import annotations

from certify.commands.labelling import ask, export, label, start, status, tell
from certify.commands.pools import certificate, choose, plan
from certify.commands.proofs import audit, demo
from certify.commands.report_page import report
from certify.errors import PoolError
from certify.experiments.catalogue import CATALOGUE
from solvers import SolverError
from solvers.studies.command import reproduce_command
from solvers.terminal import application, run

app = application(
    "certify",
    "Which of my classifiers is best, and how few labels settle it – exactly.\n\n"
    "Before labelling: plan. While labelling: start, then label (or ask and tell), status, export, report. "
    "With labels at hand: choose, certificate. To check somebody's claim: audit. To see it all: demo. "
    "To repeat the paper's evidence: reproduce.\n\n"
    "Exit codes: 0 done, 1 a negative answer (impossible budget, open choice, failed audit), "
    "2 unusable input.",
)
for command in (demo, plan, start, label, ask, tell, status, export, report, choose, certificate, audit):
    app.command()(command)
app.command()(reproduce_command(CATALOGUE))


def main() -> None:
    """Run the command line."""
    run(app, "certify", PoolError, SolverError)
