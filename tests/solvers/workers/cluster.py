"""A Dask cluster of this machine: a scheduler and workers, each a process that can be killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from distributed import Client

ROOT = str(Path(__file__).parents[3])


class Cluster(ExitStack):
    """A scheduler; workers come with `ready`. Leaving the block ends them all."""

    def __init__(self, folder):
        """folder: for the files of the workers."""
        super().__init__()
        self._folder = folder
        self._workers = []
        # a piece whose worker was lost is tried on one more worker
        self.scheduler = self._started("scheduler", "--port", "0", failures="1", stderr=subprocess.PIPE)
        for line in self.scheduler.stderr:
            if found := re.search(r"tcp://127\.0\.0\.1:\d+", line):
                self.address = found[0]
                break

    @property
    def alive(self):
        return self.scheduler.poll() is None

    def ready(self, workers, threads=1, **variables):
        """Start what is missing of so many workers, with these environment variables, and wait for all."""
        self._workers = [one for one in self._workers if one.poll() is None]
        while len(self._workers) < workers:
            options = ("--nthreads", str(threads), "--no-nanny", "--local-directory", str(self._folder))
            self._workers.append(self._started("worker", self.address, *options, **variables))
        with Client(self.address, set_as_default=False) as client:
            for _ in range(3000):
                if len(client.ncores()) == workers:
                    return
                time.sleep(0.02)
        raise AssertionError(f"not {workers} workers after a minute")

    def end_workers(self, count=None):
        """Kill so many workers, or all."""
        for worker in self._workers[:count]:
            worker.kill()
            worker.wait()

    def _started(self, what, *options, failures="3", stderr=subprocess.DEVNULL, **variables):
        module, place = f"distributed.cli.dask_{what}", ("--host", "127.0.0.1", "--no-dashboard")
        process = self.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", module, *options, *place],
                env={
                    **os.environ,
                    "PYTHONPATH": ROOT,
                    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": failures,
                    **variables,
                },
                cwd=self._folder,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                text=True,
            )
        )
        self.callback(process.kill)
        return process
