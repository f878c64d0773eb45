"""Has the missing pieces of a study worked out, and keeps each as soon as it comes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.errors import SolverError
from solvers.studies.lock import sole_writer
from solvers.studies.results import Results
from solvers.studies.study import SEEDS, Line, Picture, Study
from solvers.workers import Processes, Workers, WorkersLost

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Outcome:
    """A finished study: how many of its pieces were wanted, what they say, and the time they took in all.

    sha256: of the wanted results (`Results.sha256`); the same wherever and in whatever order they were done.
    """

    study: Study
    pieces: int
    of: int
    results: Path
    lines: list[Line]
    pictures: list[Picture]
    seconds: float
    sha256: str


def wanted_keys(study: Study, seeds: int = SEEDS, only: str | None = None) -> list[str]:
    """Keys that are `only` or continue it after a sign that is no letter or digit; all of them for None.

    Raises `SolverError` where there is none.
    """
    keys = list(study.keys(seeds))
    if len(set(keys)) != len(keys):
        raise ValueError(f"study {study.name} has a key twice")
    found = [key for key in keys if only is None or _continues(key, only)]
    if not found:
        raise SolverError(
            f"study {study.name} has no piece called {only!r}; its pieces look like {keys[0]} and "
            f"{keys[-1]}, and the start of a name stands for all that continue it"
        )
    return found


def _continues(key: str, start: str) -> bool:
    return key.startswith(start) and not key[len(start) : len(start) + 1].isalnum()


def run(
    study: Study,
    folder: Path,
    *,
    workers: Workers = Processes(),  # noqa: B008 - frozen
    seeds: int = SEEDS,
    only: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Work out what `folder` lacks of a study, then compare and draw.

    workers: who does it, all cores of this machine by default. progress: told how many pieces are done, of
    how many, at the start and after each. Results are in `folder`/NAME.csv, which is made where it is
    missing; interrupted at any moment, the same call goes on after the last finished piece, with the same
    workers or others.

    Raises:
        SolverError: where there is no such piece, where another process writes the same results at the
            moment, or where the workers fail; finished pieces are kept.
    """
    keys = wanted_keys(study, seeds, only)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{study.file}.csv"
    with sole_writer(path):
        results = Results(path, study.columns)
        _work(study, keys, results, workers, progress or (lambda _done, _all: None))
        table = results.table(keys)
        return Outcome(
            study,
            len(keys),
            len(study.keys(seeds)),
            results.path,
            study.compare(table),
            _drawn(study, table, folder),
            results.seconds(keys),
            results.sha256(keys),
        )


def _work(
    study: Study,
    keys: list[str],
    results: Results,
    workers: Workers,
    shown: Callable[[int, int], None],
) -> None:
    """Have the keys that the results lack worked out, and add them."""
    missing = [key for key in keys if key not in results.done]
    shown(len(keys) - len(missing), len(keys))
    try:
        with closing(workers.each(study.work, missing)) as pieces:
            for count, piece in enumerate(pieces, start=1):
                results.add(missing[piece.at], piece.value, piece.seconds)
                shown(len(keys) - len(missing) + count, len(keys))
    except WorkersLost as error:
        raise SolverError(
            f"study {study.name}: {error}; what is finished is kept, and the same call goes on from there"
        ) from error


def _drawn(study: Study, table: pl.DataFrame, folder: Path) -> list[Picture]:
    pictures = folder / "pictures"
    pictures.mkdir(exist_ok=True)
    return study.pictures(table, pictures)
