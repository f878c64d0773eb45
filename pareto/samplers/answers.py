"""Answers before and after the decision, from present estimates."""

from __future__ import annotations

import numpy as np

from pareto.comparisons import Counts
from pareto.result import Mask, Reals
from pareto.samplers.base import Answer, no_models
from pareto.standing import open_pairs, standing


def answer_at_once(
    estimates: Reals, scale: str, clear: bool, radius: float, margin: float, allocation: Counts
) -> Answer:
    """The answer of a method that decides all models together: before that, estimates and open pairs."""
    models = len(estimates)
    everybody = np.ones(models, dtype=np.bool_)
    known = bool(np.isfinite(estimates).all())
    values = estimates if known else np.zeros_like(estimates)
    now = standing(values)
    return Answer(
        frontier=now.lead <= margin,
        decided=everybody if clear else ~everybody,
        undecided_pairs=open_pairs(values, everybody & (not clear), radius, margin),
        estimates=estimates,
        scale=scale,
        rival=now.rival if known else no_models(models),
        objective=now.objective if known else no_models(models),
        allocation=allocation,
    )


def guess(means: Reals, accepted: Mask, active: Mask, margin: float) -> Mask:
    """The accepted models, and of the active ones those that no active one seems to dominate."""
    kept = accepted | active
    known = np.flatnonzero(active & np.isfinite(means).all(axis=1))
    if len(known):
        kept[known] = standing(means[known]).lead <= margin
    return kept


def closest_objective(estimates: Reals, rival: Counts) -> Counts:
    """For each model the objective on which its rival's lead is smallest; −1 without a rival."""
    return np.where(rival < 0, -1, (estimates[rival] - estimates).argmin(axis=1))
