"""One piece of work, wherever it is done."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from solvers.errors import SolverError
from solvers.workers.threads import one_thread

Value = TypeVar("Value")


class WorkersLost(SolverError):
    """Work cannot go on with these workers; what they had finished was handed over before."""


@dataclass(frozen=True)
class Finished(Generic[Value]):
    """at: position of the item among all. value: what came out. seconds: processor time of the piece."""

    at: int
    value: Value
    seconds: float


@dataclass(frozen=True)
class Piece(Generic[Value]):
    """What is sent to a worker: `work` of `item`, which is number `at`."""

    work: Callable[[Any], Value]
    at: int
    item: Any

    def done(self) -> Finished[Value]:
        """Do it here and now, with one thread of BLAS and OpenMP wherever that is: more of them might add up
        floats in another order."""
        with one_thread():
            # only the main thread may take the process's time for its own: what it calls may start threads
            clock = time.process_time if _in_main_thread() else time.thread_time
            began = clock()
            value = self.work(self.item)
            return Finished(self.at, value, clock() - began)

    def done_in_background(self) -> Finished[Value]:
        """Do it in a process of its own, where Ctrl-C is left to the parent."""
        if _in_main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return self.done()


def handed_over(finished: Generator[Finished[Value]]) -> Generator[Finished[Value]]:
    """What joblib hands over, without its advice on work that is left when it is stopped."""
    try:
        while True:
            try:
                with _without_advice():
                    one = next(finished)
            except StopIteration:
                return
            yield one
    finally:
        with _without_advice():
            finished.close()


@contextmanager
def _without_advice() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* tasks which were still being processed", UserWarning)
        yield


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
