"""What the paper's bounds say about assumed scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from pareto.borda import borda, half_range
from pareto.bounds import (
    vb_ege_borda_bound,
    vb_ege_latent_bound,
    worst_case_lower_bound,
)
from pareto.finite import finite
from pareto.gaps import gaps
from pareto.links import Reals
from pareto.scorefile import ScoreTable
from pareto.standing import standing


def bounds_record(table: ScoreTable, theta: Reals, delta: float) -> dict[str, Any]:
    """Where the models would stand, their gaps, and the bounds; None for an infinite or undefined bound."""
    now = standing(theta)
    gap = gaps(theta)
    smallest = float(gap.min())
    models, objectives = theta.shape
    stated = 0 < smallest <= min(1.0, half_range(theta)) and delta < 1 / 3
    return {
        "delta": delta,
        "smallest_gap": smallest,
        "closest": table.models[int(gap.argmin())],
        "vb_ege_at_most": finite(vb_ege_borda_bound(borda(theta), delta)),
        "vb_ege_at_most_latent": finite(vb_ege_latent_bound(theta, delta)),
        "any_method_worst_case": worst_case_lower_bound(models, objectives, smallest, delta)
        if stated
        else None,
        "standing": {
            "scale": "latent",
            "objectives": list(table.objectives),
            "models": [
                {
                    "model": name,
                    "status": "frontier" if now.frontier[i] else "dominated",
                    "guess": None,
                    "rival": table.models[int(now.rival[i])] if now.rival[i] >= 0 else None,
                    "objective": table.objectives[int(now.objective[i])] if now.rival[i] >= 0 else None,
                    "estimates": [float(value) for value in theta[i]],
                    "gap": float(gap[i]),
                    "reason": now.reason(i, table.models, table.objectives),
                }
                for i, name in enumerate(table.models)
            ],
        },
    }


def bounds_lines(record: dict[str, Any]) -> list[str]:
    """The bounds in sentences."""
    share = f"{1 - record['delta']:g}"
    if record["smallest_gap"] <= 0:
        return [
            f"{record['closest']} has classification gap 0 (a tie decides): no method with a guarantee need "
            "ever stop; cap it with --max-comparisons, or accept a margin"
        ]
    lines = [
        f"Smallest classification gap {record['smallest_gap']:.4g} ({record['closest']}), in latent scores",
        f"vb-ege needs at most {_words(record['vb_ege_at_most'])} comparisons with probability {share} "
        "(Proposition B.4)",
    ]
    if record["any_method_worst_case"] is not None:
        lines.append(
            f"Any method needs at least {_words(record['any_method_worst_case'])} on the worst instance with "
            "such gaps (Theorem 3.2; this one may be easier)"
        )
    return lines


def _words(value: float | None) -> str:
    return "unboundedly many" if value is None else f"{int(np.ceil(value)):,}"
