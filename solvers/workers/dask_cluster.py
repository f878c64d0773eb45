"""Workers of a Dask cluster that is running already.

joblib sends the pieces. A worker that is lost has its pieces done by the others, or by the next that joins.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from solvers.errors import SolverError, first_line
from solvers.workers.piece import Finished, Piece, WorkersLost, handed_over
from solvers.workers.versions import mismatch, versions

if TYPE_CHECKING:
    from distributed import Client

    from solvers.workers.dask_backend import Backend

Item = TypeVar("Item")
Value = TypeVar("Value")

_alone = threading.Lock()


@dataclass(frozen=True)
class DaskCluster:
    """The workers of the scheduler at `address`, for example ``tcp://10.0.0.5:8786``.

    answer: seconds in which the scheduler must answer. join: seconds without any worker, at the start or when
    all are lost, after which the work is given up.
    """

    address: str
    answer: float = 5.0
    join: float = 60.0

    def each(self, work: Callable[[Item], Value], items: Sequence[Item]) -> Generator[Finished[Value]]:
        """See `solvers.workers.Workers`. Workers that join later are used as well."""
        if not items:
            return
        with self._connected() as client:
            from joblib import Parallel, delayed, parallel_config

            from solvers.workers.dask_backend import Backend

            backend = Backend(client, self.join)
            with parallel_config(backend=backend):
                parallel = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="all")
                here = versions()
                # in a tuple: joblib would store a large argument on one worker, to be lost with it
                tasks = ((Piece(work, at, item), here) for at, item in enumerate(items))
                try:
                    finished = parallel(delayed(_done)(task) for task in tasks)
                except TimeoutError as error:
                    raise SolverError(self._no_workers("has no workers")) from error
            with self._explained(), self._watched(backend):
                yield from handed_over(finished)

    @contextmanager
    def _connected(self) -> Iterator[Client]:
        try:
            from distributed import Client
        except ModuleNotFoundError as error:
            raise SolverError(
                "a Dask cluster is used through distributed, which is not installed; "
                "pip install 'certified-choice[dask]' here, on the scheduler and on its workers"
            ) from error
        try:
            asyncio.run(self._reached())
            client = Client(self.address, timeout=self.answer, set_as_default=False)
        except (OSError, ValueError) as error:
            late = isinstance(error, TimeoutError)
            reason = f"nothing in {self.answer:g} s" if late else first_line(error)
            raise SolverError(
                f"no Dask scheduler answers at {self.address} ({reason}); start one with dask scheduler, and "
                "give --scheduler the address that it prints, for example tcp://10.0.0.5:8786"
            ) from error
        with _silent_log(), client:
            yield client

    async def _reached(self) -> None:
        """Try the address first: a client that fails to connect complains once more when it is freed."""
        from distributed import Security
        from distributed.comm.core import connect

        security = Security().get_connection_args("client")
        async with asyncio.timeout(self.answer):
            comm = await connect(self.address, **security)
            await comm.write({"op": "identity", "reply": True})
            kind = (await comm.read())["type"]
            await comm.close()
        if kind != "Scheduler":
            raise ValueError(f"a {kind.lower()} does")

    @contextmanager
    def _watched(self, backend: Backend) -> Iterator[None]:
        """Give the work up when no worker has been there for long."""
        over = threading.Event()
        pause = min(1.0, self.join / 2)

        def watch() -> None:
            alone = 0.0
            while not over.wait(pause):
                try:
                    alone = 0.0 if backend.client.ncores() else alone + pause
                except (Exception, asyncio.CancelledError):
                    return  # the scheduler is lost; the pieces say so as well
                if alone >= self.join:
                    backend.give_up(WorkersLost(self._no_workers("has lost its workers")))
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join(1.0)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what ended the work where Dask did."""
        from distributed.scheduler import KilledWorker

        try:
            yield
        except KilledWorker as error:
            raise WorkersLost(
                "every Dask worker that took one of the pieces ended with it, most likely because memory ran "
                f"out ({error})"
            ) from error
        except CancelledError as error:
            raise WorkersLost(
                f"the Dask scheduler at {self.address} was lost, or dropped the work "
                f"({getattr(error, 'reason', None) or first_line(error)})"
            ) from error
        except (ModuleNotFoundError, RuntimeError) as error:
            cause = error if isinstance(error, ModuleNotFoundError) else error.__cause__
            if cause is None or not (cause is error or "deserialization" in str(error)):
                raise
            raise WorkersLost(
                f"the Dask scheduler or a worker cannot load the work ({first_line(cause)}); install the "
                "same packages on all of them, and start them again"
            ) from error

    def _no_workers(self, what: str) -> str:
        return (
            f"the Dask scheduler at {self.address} {what}, and none joined in {self.join:g} s; start some "
            f"with dask worker {self.address} --nthreads 1"
        )


def _done(task: tuple[Piece[Value], dict[str, str]]) -> Finished[Value]:
    """On a worker: one piece at a time in a process, as on one machine, whatever threads the worker has."""
    piece, wanted = task
    from distributed import get_worker
    from joblib import parallel_config

    if other := mismatch(wanted):
        raise SolverError(
            f"Dask worker {get_worker().address} has {other}; its results might differ in the last digit: "
            "install the same versions on every worker, and use the same kind of processor (or let all take "
            "the same code, with the environment variables OPENBLAS_CORETYPE and NPY_DISABLE_CPU_FEATURES)"
        )
    with _alone, parallel_config(backend="sequential"):
        return piece.done()


@contextmanager
def _silent_log() -> Iterator[None]:
    """Without the log of Dask, which has tracebacks for what `WorkersLost` says in a sentence."""
    dask = ("distributed", "tornado", "asyncio")
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in dask]
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
    try:
        for logger in levels:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)
