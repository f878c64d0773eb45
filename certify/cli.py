"""The `certify` command."""

from __future__ import annotations

from collections.abc import Callable

from certify.commands.labelling import ask, export, label, start, status, tell
from certify.commands.pools import certificate, choose, plan
from certify.commands.proofs import audit, demo
from certify.commands.report_page import report
from certify.errors import PoolError
from certify.experiments.catalogue import CATALOGUE
from solvers import SolverError
from solvers.studies.command import reproduce_command
from solvers.terminal import add_commands, application, run

app = application(
    "certify",
    "Which of my classifiers is best, and how few labels settle it – exactly.\n\n"
    "To see it all: demo. Before labelling: plan. While labelling: start, then label (or ask and tell), "
    "status, export, report. With labels at hand: choose, certificate. To check somebody's claim: audit. "
    "To repeat the paper's evidence: reproduce.\n\n"
    "Exit codes: 0 done, 1 a negative answer (impossible budget, open choice, failed audit), "
    "2 unusable input.",
)
EXAMPLES: dict[Callable[..., None], str] = {
    demo: "certify demo --folder demo",
    plan: "certify plan tree.csv logistic.csv bayes.csv --budget 40",
    start: "certify start work.journal tree.csv logistic.csv bayes.csv --tolerance 0.01",
    label: "certify label work.journal",
    ask: "certify ask work.journal --rows 20 --output todo.csv",
    tell: "certify tell work.journal img-17=cat img-4=? --labels todo.csv",
    status: "certify status work.journal",
    export: "certify export work.journal --output labels.csv",
    report: "certify report work.journal --output report.html --pictures pictures",
    choose: "certify choose tree.csv logistic.csv bayes.csv --labels labels.csv --policy all",
    certificate: "certify certificate tree.csv logistic.csv bayes.csv --labels labels.csv -o proof.json",
    audit: "certify audit tree.csv logistic.csv bayes.csv work.journal proof.json --labels labels.csv",
    reproduce_command(CATALOGUE): "certify reproduce panels --output evidence",
}
"""The commands, each with an example that its help shows."""

add_commands(app, EXAMPLES)


def main() -> None:
    """Run the command line."""
    run(app, "certify", PoolError, SolverError)
