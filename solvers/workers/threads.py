"""One thread for numerical libraries: sums that several threads share depend on how many there are."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
"""Read by libraries that are loaded later, which nothing else could limit in time."""

_lock = threading.Lock()
_inside = 0
_limits = ExitStack()


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS and OpenMP use one thread of this process, and as many as before when the last such block ends.

    Threads may enter it at the same time, and a block may be in another.
    """
    global _inside
    with _lock:
        if not _inside:
            with ExitStack() as limits:  # undone if it is interrupted half-way
                limits.enter_context(_variables())
                limits.enter_context(_limited("blas"))
                _limits.push(limits.pop_all())
        _inside += 1
    try:
        with _limited("openmp"):  # which has a number of its own for every thread that starts others
            yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limits.close()


@contextmanager
def _limited(kind: str) -> Iterator[None]:
    """For the libraries of this kind that are loaded."""
    import scipy.linalg  # noqa: F401 - it loads a BLAS of its own
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().select(user_api=kind).lib_controllers
    before = [library.num_threads for library in libraries]
    _set(libraries, [1] * len(libraries))
    try:
        yield
    finally:
        _set(libraries, before)


def _set(libraries: Sequence[Any], numbers: Sequence[int]) -> None:
    from threadpoolctl import OpenBLASController

    # later versions do nothing, without a word, where another thread of Python was the last to set OpenBLAS
    free = getattr(OpenBLASController, "clear_controlling_thread", lambda force: None)
    free(force=True)
    for library, number in zip(libraries, numbers, strict=True):
        library.set_num_threads(number)
    free(force=True)


@contextmanager
def _variables() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in VARIABLES}
    os.environ.update(dict.fromkeys(VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
