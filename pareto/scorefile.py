"""Scores of models on objectives in a CSV file."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit

from pareto.errors import BattleError
from pareto.links import Reals
from pareto.reading.words import quoted
from pareto.task import check_names

STEPS = 200
FARTHEST = 60.0


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """`scores` (K, d) of `models` on `objectives`, larger is better."""

    models: tuple[str, ...]
    objectives: tuple[str, ...]
    scores: Reals


def read_scores(path: Path) -> ScoreTable:
    """Model names in the first column, an objective in each other one, named in the first line."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if any(cell.strip() for cell in line)]
    except FileNotFoundError:
        raise BattleError(f"{path} does not exist; give a CSV file of models × objectives") from None
    except OSError as error:
        raise BattleError(f"{path}: {error.strerror}; check the path and its permissions") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise BattleError(f"{path} is not a CSV file in UTF-8 ({error}); save it as one") from None
    if not lines or len(lines[0]) < 2:
        raise BattleError(f"{path}: no objective; the first line names them, after a name for the models")
    objectives = tuple(name.strip() for name in lines[0][1:])
    check_names(objectives, f"{path}: objective", 1)
    models, scores = [], []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(lines[0]):
            raise BattleError(f"{path}, row {number}: {len(line)} cells, the first line has {len(lines[0])}")
        models.append(line[0].strip())
        scores.append([_number(cell, f"{path}, {line[0].strip()}, {name}")
                       for cell, name in zip(line[1:], objectives, strict=True)])  # fmt: skip
    if len(models) < 2:
        raise BattleError(f"{path}: {len(models)} models; at least 2 needed, one a row")
    check_names(models, f"{path}: model", 2)
    return ScoreTable(tuple(models), objectives, np.array(scores, dtype=np.float64))


def latent_scores(table: ScoreTable) -> Reals:
    """Bradley–Terry scores (K, d) with these Borda scores (K, d), sum 0 on every objective.

    Borda scores of one objective average ½; a common shift from it, as means of few votes have, is removed.
    """
    models = len(table.models)
    wins = table.scores - table.scores.mean(axis=0) + 0.5
    off = np.abs(table.scores.mean(axis=0) - 0.5)
    if (off > 0.05).any():
        raise BattleError(
            f"scores on {table.objectives[int(off.argmax())]!r} average "
            f"{table.scores.mean(axis=0)[int(off.argmax())]:.3g}; win rates against an average opponent "
            "average ½: give latent scores, or remove --scale borda"
        )
    theta = np.zeros_like(wins).T
    wanted = (wins * (models - 1) + 0.5).T  # a model with itself counts ½
    for _ in range(STEPS):
        chance = expit(theta[:, :, None] - theta[:, None, :])
        gradient = wanted - chance.sum(axis=2)
        if np.abs(gradient).max() < 1e-10:
            return np.ascontiguousarray(theta.T)
        slope = chance * (1 - chance)
        hessian = slope.sum(axis=2)[:, :, None] * np.eye(models) - slope + 1e-3 / models
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        theta = theta + step / np.maximum(1.0, np.abs(step).max(axis=1, keepdims=True))
        if np.abs(theta).max() > FARTHEST:
            break
    gradient = gradient.T
    worst = np.unravel_index(int(np.abs(gradient).argmax()), gradient.shape)
    raise BattleError(
        f"no latent scores have the win rate {table.scores[worst]:g} of {table.models[worst[0]]!r} on "
        f"{table.objectives[worst[1]]!r} beside the others; rates nearer to ½ are accepted"
    )


def _number(cell: str, where: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BattleError(
            f"{where[:300]}: {quoted(cell)} is no finite number; leave out models or objectives without one"
        )
    return value
