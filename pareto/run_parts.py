"""Trials of several methods, in parts that may be done side by side or be cut short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from itertools import takewhile

import numpy as np

from pareto.trials import Trials
from solvers.workers import Finished, Workers

PART = 25
"""Trials that are run together, between two signs of progress."""

Part = Callable[[], Trials]
"""Some trials, still to be run; goes to other processes, so it is a `partial` of a module's function."""
Advance = Callable[[str, int], None]
"""Told a method, and how many of its trials were just finished."""


@dataclass(frozen=True, eq=False)
class Done:
    """The first trials of a method, and their processor time in seconds."""

    method: str
    trials: Trials
    seconds: float


def ignored(method: str, trials: int) -> None:
    """Progress that nobody looks at."""


def run_parts(
    methods: Sequence[str],
    trials: int,
    part: Callable[[str, range], Part],
    workers: Workers,
    advance: Advance,
) -> tuple[list[Done], bool]:
    """Every method on trials 0 to `trials` − 1, the same whoever works; and whether all were run.

    part: trials of a method. Interrupted by Ctrl-C it returns what is finished until then: of each method
    the first trials, and nothing of a method without any.
    """
    blocks = [range(begin, min(begin + PART, trials)) for begin in range(0, trials, PART)]
    parts = [(method, block) for method in methods for block in blocks]
    done: dict[int, Finished[Trials]] = {}
    try:
        with closing(workers.each(_run, [part(method, block) for method, block in parts])) as pieces:
            for piece in pieces:
                done[piece.at] = piece
                method, block = parts[piece.at]
                advance(method, len(block))
    except KeyboardInterrupt:
        pass
    found = []
    for at, method in enumerate(methods):
        places = range(at * len(blocks), (at + 1) * len(blocks))
        first = [done[place] for place in takewhile(done.__contains__, places)]
        if first:
            found.append(Done(method, _joined(first), sum(piece.seconds for piece in first)))
    return found, len(done) == len(parts)


def _run(part: Part) -> Trials:
    return part()


def _joined(pieces: Sequence[Finished[Trials]]) -> Trials:
    columns = ([getattr(piece.value, field.name) for piece in pieces] for field in fields(Trials))
    return Trials(*(np.concatenate(column) for column in columns))
