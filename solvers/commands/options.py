"""Options that several commands share."""

from __future__ import annotations

from math import isfinite
from typing import Annotated

import typer

from solvers.errors import SolverError


def _finite(seconds: float | None) -> float | None:
    if seconds is not None and not isfinite(seconds):
        raise SolverError(f"--time-limit {seconds}: a finite number of seconds is expected.")
    return seconds


TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", "-t", min=0.0, callback=_finite, help="Seconds for each back end."),
]
ENDINGS = ".json, .npz, .csv, .cover, .mps, .lp"
