"""The pictures of a page from its findings."""

from __future__ import annotations

from pareto.log_pictures.correlations import heat_map
from pareto.log_pictures.field import Field
from pareto.log_pictures.profiles import profiles
from pareto.log_pictures.projections import projections
from pareto.log_pictures.spaces import spaces
from pareto.log_report.findings import Findings
from pareto.log_report.ties import tie_pictures
from pareto.treatments import Comparison
from solvers.pages.canvas import Picture


def pictures(found: Findings, compared: Comparison) -> dict[str, Picture]:
    """By name, those that the findings allow."""
    target = found.target
    field = Field(target.models, target.objectives, target.borda, target.frontier)
    drawn = [profiles(field), projections(field), spaces(field), heat_map(field)]
    drawn += tie_pictures(compared)
    return {picture.name: picture for picture in drawn if picture is not None}
