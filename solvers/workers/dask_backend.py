"""joblib's back end for Dask, except that a piece which Dask itself gives up does not wait for ever."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from distributed import Client
from joblib._dask import DaskDistributedBackend


class Backend(DaskDistributedBackend):  # type: ignore[misc]
    """Calls back when a piece ends in an error outside of it: its worker died, or could not load it."""

    def __init__(self, client: Client, join: float) -> None:
        """Sends work through `client`; `TimeoutError` where no worker is there within `join` seconds."""
        super().__init__(client=client, wait_for_workers_timeout=join)
        self._waiting: dict[Future[Any], Callable[[Any], None]] = {}

    def effective_n_jobs(self, n_jobs: int) -> int:
        """At least 2: joblib does the work in the calling process where it counts a single worker."""
        return max(2, int(super().effective_n_jobs(n_jobs)))

    def submit(self, func: Any, callback: Callable[[Any], None]) -> Future[Any]:
        future: Future[Any] = super().submit(func, callback)

        def tell(done: Future[Any]) -> None:
            del self._waiting[done]
            if (error := done.exception()) is not None:
                callback(error)

        self._waiting[future] = callback
        future.add_done_callback(tell)
        return future

    def give_up(self, error: Exception) -> None:
        """End the work with `error`."""
        for callback in list(self._waiting.values()):
            callback(error)
