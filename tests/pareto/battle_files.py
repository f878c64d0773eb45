"""Small logs of battles as files, and what is in them by a plain loop."""

from __future__ import annotations

import csv
from fractions import Fraction

import numpy as np

HOSTILE = ("[bold]a[/bold]", "<script>alert(1)</script>", '_$x^2$ & "q"', "plain")


def write_battles(path, seed=0, models=HOSTILE, objectives=("code", "[math]"), rows=400, extra=()):
    """A CSV log of random battles with ties, both-bad votes, self-battles and missing outcomes; its rows."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 1, (len(models), len(objectives)))
    battles = []
    for _ in range(rows):
        i, j = rng.integers(0, len(models), 2)
        r = int(rng.integers(0, len(objectives)))
        better = rng.random() < 1 / (1 + np.exp(strength[j, r] - strength[i, r]))
        decided = "model_a" if better else "model_b"
        winner = str(rng.choice([decided, "tie", "both_bad", ""], p=[0.7, 0.15, 0.1, 0.05]))
        battles.append((models[i], models[j], winner, objectives[r]))
    battles += extra
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["model_a", "model_b", "winner", "objective"])
        writer.writerows(battles)
    return battles


def borda_by_hand(battles, half=False):
    """Borda scores as fractions, by (model, objective): the mean over opponents of the share of points."""
    models = sorted({name for battle in battles for name in battle[:2]})
    objectives = list(dict.fromkeys(battle[3] for battle in battles))
    points, met = {}, {}
    for a, b, winner, objective in battles:
        if a == b or not winner or (winner in ("tie", "both_bad") and not half):
            continue
        share = {"model_a": Fraction(1), "model_b": Fraction(0)}.get(winner, Fraction(1, 2))
        for one, other, got in ((a, b, share), (b, a, 1 - share)):
            key = one, other, objective
            points[key] = points.get(key, 0) + got
            met[key] = met.get(key, 0) + 1
    return {
        (model, objective): sum(
            points[model, other, objective] / met[model, other, objective]
            for other in models
            if other != model
        )
        / (len(models) - 1)
        for model in models
        for objective in objectives
    }


def frontier_by_hand(scores):
    """Models that nobody beats on every objective."""
    models = sorted({model for model, _ in scores})
    objectives = sorted({objective for _, objective in scores})
    return [
        model
        for model in models
        if not any(all(scores[other, r] > scores[model, r] for r in objectives) for other in models)
    ]
