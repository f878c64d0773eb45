"""Works out the missing pieces of a study, in several processes, and keeps each as soon as it comes."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.errors import SolverError
from solvers.studies.results import Results
from solvers.studies.study import SEEDS, Line, Picture, Row, Study

if TYPE_CHECKING:
    import polars as pl

Worked = tuple[str, list[Row], float]


@dataclass(frozen=True)
class Outcome:
    """A finished study: how many of its pieces were wanted, what they say, and the time they took in all."""

    study: Study
    pieces: int
    of: int
    results: Path
    lines: list[Line]
    pictures: list[Picture]
    seconds: float


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
    jobs: int | None = None,
    seeds: int = SEEDS,
    only: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Work out what `folder` lacks of a study, then compare and draw.

    jobs: processes, all cores for None. progress: told how many pieces are done, of how many, at the start
    and after each. Results are in `folder`/NAME.csv, which is made where it is missing; interrupted at any
    moment, the same call goes on after the last finished piece.
    """
    keys = wanted_keys(study, seeds, only)
    folder.mkdir(parents=True, exist_ok=True)
    results = Results(folder / f"{study.file}.csv", study.columns)
    missing = [key for key in keys if key not in results.done]
    shown = progress or (lambda _done, _all: None)
    shown(len(keys) - len(missing), len(keys))
    for at, (key, rows, seconds) in enumerate(_worked(study, missing, jobs), start=1):
        results.add(key, rows, seconds)
        shown(len(keys) - len(missing) + at, len(keys))
    table = results.table(keys)
    return Outcome(
        study,
        len(keys),
        len(study.keys(seeds)),
        results.path,
        study.compare(table),
        _drawn(study, table, folder),
        results.seconds(keys),
    )


def _drawn(study: Study, table: pl.DataFrame, folder: Path) -> list[Picture]:
    pictures = folder / "pictures"
    pictures.mkdir(exist_ok=True)
    return study.pictures(table, pictures)


def _worked(study: Study, keys: Sequence[str], jobs: int | None) -> Iterator[Worked]:
    """Finished pieces, in the order in which they are done."""
    if not keys:
        return
    if jobs == 1:
        for key in keys:
            yield _timed(study.work, key)
        return
    try:
        from joblib import Parallel, cpu_count, delayed
    except ModuleNotFoundError as error:
        raise SolverError(
            "joblib is not installed, and studies run in several processes with it; "
            "pip install 'certified-choice[experiments]', or give --jobs 1"
        ) from error

    processes = min(jobs or cpu_count(), len(keys))
    if processes == 1:
        yield from _worked(study, keys, 1)
        return
    parallel = Parallel(n_jobs=processes, return_as="generator_unordered", batch_size=1)
    pieces = parallel(delayed(_alone)(study.work, key) for key in keys)
    try:
        yield from pieces
    except BrokenExecutor as error:
        raise SolverError(
            f"a process of study {study.name} ended unexpectedly, most likely because memory ran out; what "
            "is finished is kept, and the same call goes on from there: give it fewer --jobs"
        ) from error
    finally:
        pieces.close()  # Ctrl-C included: ends the processes at once


def _alone(work: Callable[[str], list[Row]], key: str) -> Worked:
    """One piece in a process of its own, where Ctrl-C is left to the parent."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _timed(work, key)


def _timed(work: Callable[[str], list[Row]], key: str) -> Worked:
    began = time.process_time()
    rows = work(key)
    return key, rows, time.process_time() - began
