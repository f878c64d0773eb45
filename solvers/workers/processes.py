"""Processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from typing import TypeVar

from solvers.workers.piece import Finished, Piece, WorkersLost, handed_over

Item = TypeVar("Item")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Processes:
    """So many processes, one a core for None; a single one is this process."""

    jobs: int | None = None

    def each(self, work: Callable[[Item], Value], items: Sequence[Item]) -> Generator[Finished[Value]]:
        """See `solvers.workers.Workers`."""
        pieces = [Piece(work, at, item) for at, item in enumerate(items)]
        jobs = min(_cores() if self.jobs is None else self.jobs, len(pieces))
        if jobs <= 1:
            for piece in pieces:
                yield piece.done()
            return
        from joblib import Parallel, delayed, parallel_config

        # a thread each from the start: more would be in each other's way
        with parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
            parallel = Parallel(return_as="generator_unordered", batch_size=1)
            finished = parallel(delayed(piece.done_in_background)() for piece in pieces)
        try:
            yield from handed_over(finished)  # stopped, by Ctrl-C too, it ends the processes at once
        except BrokenExecutor as error:
            raise WorkersLost(
                "a process ended unexpectedly, most likely because memory ran out; give it fewer --jobs"
            ) from error


def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())
