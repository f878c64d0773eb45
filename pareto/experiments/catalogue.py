"""The studies of the frontier paper, in the order in which all of them run."""

from __future__ import annotations

from solvers.studies.catalogue import Catalogue

CATALOGUE = Catalogue(
    command="pareto",
    package="pareto.experiments",
    modules={
        "scaling": "scaling",
        "benchmarks": "benchmarks",
        "frontier-size": "frontier_size",
        "methods": "methods",
        "confidence": "confidence",
        "constants": "constants",
        "allocation": "allocation",
        "track-and-stop": "track_and_stop",
        "exact-glr": "exact_glr",
        "limit": "limit",
        "arena": "arena",
    },
    title="How many comparisons a Pareto frontier needs: our figures beside the paper's",
    introduction="The paper: the one on VB-EGE whose code is announced as <i>Beyond Scalar Leaderboards</i>. "
    "Most of its tables are missing from the text that its figures here were taken from; totals that its "
    "schedule fixes, and values of earlier runs (“ref.”), stand in for them. What the text leaves out of a "
    "setting (†) is taken from the authors' earlier published configuration. Ten blocks of 50 trials (30 by "
    "frontier size) make the paper's number; --seeds asks for more or fewer.",
)
