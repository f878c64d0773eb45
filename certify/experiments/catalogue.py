"""The studies of the certificate paper, in the order in which all of them run."""

from __future__ import annotations

from solvers.studies.catalogue import Catalogue

CATALOGUE = Catalogue(
    command="certify",
    package="certify.experiments",
    modules={
        "panels": "panel_study",
        "breast-splits": "breast_splits",
        "ranks": "ranks",
        "agreement-rows": "agreement_rows",
        "nested": "nested",
        "mutual-information": "mutual_information",
        "tabular-confidence": "tabular_confidence",
        "deep-confidence": "deep_confidence",
        "random-orders": "random_orders",
        "finite-pools": "finite_pools",
        "propositions": "propositions",
        "copulas": "copulas",
        "forecasts": "forecasts",
        "audits": "audits",
    },
    title="How many labels model choice needs: our figures beside the paper's",
    introduction="The paper: T. Kuboyama (2026), <i>How Many Labels Does Model Choice Need? Certificates and "
    "Budgets for Selective Prediction</i>. Its split seeds are public for one split only, so figures that "
    "rest on splits differ a little; figures about the same arrays may not.",
)
