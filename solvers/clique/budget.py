"""A limit on a search, in nodes and seconds; the search raises when it is spent."""

import time


class Spent(Exception):
    """The search ran into its limit."""


class Budget:
    """Counts nodes and watches the clock.

    Args:
        nodes: nodes allowed; None for no limit.
        deadline: value of ``time.perf_counter`` at which to stop; None for no limit.
    """

    def __init__(self, nodes: int | None = None, deadline: float | None = None) -> None:
        self.nodes = 0
        self._limit = float("inf") if nodes is None else nodes
        self._deadline = float("inf") if deadline is None else deadline

    def spend(self) -> None:
        """Account for one node.

        Raises:
            Spent: when a limit is reached.
        """
        self.nodes += 1
        if self.nodes > self._limit:
            raise Spent("node limit")
        if self.nodes % 64 == 0 and time.perf_counter() > self._deadline:
            raise Spent("time limit")
