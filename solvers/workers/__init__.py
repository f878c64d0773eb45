"""Where independent pieces of work are done: in this process, in several of this machine, on a Dask cluster.

A piece is a module-level function of one argument, seeds included, and runs with one thread of BLAS and
OpenMP (`solvers.workers.threads`). So what comes out does not depend on where it ran, on what ran beside it,
or on the order: it is the same to the last digit on processors of the same kind with the same versions
installed (`solvers.workers.versions`). On another kind of processor libraries may take other instructions,
and round otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Protocol, TypeVar

from solvers.workers.piece import Finished, WorkersLost
from solvers.workers.processes import Processes

__all__ = ["Finished", "Processes", "Workers", "WorkersLost"]

Item = TypeVar("Item")
Value = TypeVar("Value")


class Workers(Protocol):
    """Does pieces of work, several at a time."""

    def each(self, work: Callable[[Item], Value], items: Sequence[Item]) -> Generator[Finished[Value]]:
        """`work` of every item, in the order in which they are done.

        Closing the iterator ends the work that is left.

        Raises:
            SolverError: where the workers cannot be used; WorkersLost where they end before the work does.
        """
        ...
