"""The cheapest way onto the frontier for one model: which rival it matches on which objective.

An add of model c needs, for every frontier model p, an objective g(p) on which c is at least as good. With
S_r = {p : g(p) = r} it costs Σ_r f_r(S_r), each f_r growing with its set: a mixed-integer convex program with
d^|P| assignments. Branch and bound, cheapest node first:

- A node is a tuple of sets S_1 … S_d, not all rivals placed. It costs Σ_r f_r(S_r), proven from below.
- Whom c matches anyway at the scores that cost this is placed for nothing: forcing him changes no optimum. If
  that is everybody, the node is a solution.
- Otherwise some rival p must go somewhere: a node for every objective. The rival taken is the one whose
  cheapest place is dearest; that place bounds all nodes below this one.
- f_r(S ∪ {p}) is at least f_r(S) and at least the bound on forcing p alone, so most places are never fitted.
- To begin with, one dive puts every rival where it is cheapest: a solution to compare with.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count

import numpy as np

from pareto.exact_glr.costs import Costs
from pareto.exact_glr.forced import Forced
from pareto.links import Reals

Sets = tuple[tuple[int, ...], ...]
"""For each objective the models forced below the top, in rising order."""

CLOSE = 1e-12
"""Nodes within this share of the best solution are not looked into; they still count in the bound."""


@dataclass(frozen=True)
class Wanted:
    """What a search is asked for beyond the cheapest.

    Attributes:
        reach: alternatives that cost up to so many times as much.
        spread, most: of one model's assignments, those within this share of its cheapest, up to `most`.
        nodes: for one model look into no more nodes than this; what is found and proven by then holds.
        enough: end with the first alternative that costs less than this.
    """

    reach: float = 1.0
    spread: float = 0.0
    most: int = 1
    nodes: int = 10_000
    enough: float = 0.0


CHEAPEST = Wanted()


@dataclass(frozen=True)
class Placed:
    """What branch and bound ends with.

    Attributes:
        lower: proven: no assignment costs less, unless it costs the limit or more.
        found: values and sets of the assignments found, cheapest first: who was forced on which objective;
            rivals in no set are matched anyway. There is one at least.
        nodes: how many were looked into.
    """

    lower: float
    found: tuple[tuple[float, Sets], ...]
    nodes: int


def cheapest_assignments(
    costs: Costs, model: int, rivals: tuple[int, ...], limit: float = np.inf, wanted: Wanted = CHEAPEST
) -> Placed:
    """The cheapest assignment for `model`, and others if wanted; any one if all cost `limit` or more."""
    search = _Search(costs, model, limit, wanted)
    search.dive(rivals)
    while search.heap and search.heap[0][0] < search.enough and search.nodes < wanted.nodes:
        if search.best < wanted.enough:
            break
        search.look(rivals)
    lower = min(search.proven, search.heap[0][0]) if search.heap else search.proven
    found = sorted((value, sets) for sets, value in search.found.items())
    return Placed(lower, tuple(found), search.nodes)


class _Search:
    """Open nodes (bound, number, sets), and what is proven of solutions and closed nodes."""

    def __init__(self, costs: Costs, model: int, limit: float, wanted: Wanted) -> None:
        self.costs, self.model, self.limit, self.wanted = costs, model, limit, wanted
        self.number = count()
        none: Sets = ((),) * costs.theta.shape[1]
        self.heap: list[tuple[float, int, Sets]] = [(0.0, next(self.number), none)]
        self.found: dict[Sets, float] = {}
        self.proven = self.best = np.inf
        self.nodes = 0

    @property
    def enough(self) -> float:
        """What a node must cost less than to be looked into."""
        more = self.wanted.spread if len(self.found) < self.wanted.most else 0.0
        return min(self.best * max(1 + more, 1.0) * (1 - CLOSE), self.limit)

    def dive(self, rivals: tuple[int, ...]) -> None:
        """A first solution: always the dearest rival, always where it is cheapest."""
        here: Sets = self.heap[0][2]
        while True:
            fits = self._fits(here)
            open_ = _open(fits, rivals)
            if not open_:
                self._solved(sum(one.value for one in fits), here)
                return
            rival, rises = _dearest(self.costs, self.model, here, fits, open_)
            here = _with(here, int(rises.argmin()), rival)

    def look(self, rivals: tuple[int, ...]) -> None:
        """Look into the cheapest node: a solution, or a node for each place of one more rival."""
        bound, _, here = heapq.heappop(self.heap)
        self.nodes += 1
        fits = self._fits(here)
        base = sum(one.lower for one in fits)
        open_ = _open(fits, rivals)
        if not open_:
            self._solved(sum(one.value for one in fits), here)
            self.proven = min(self.proven, max(bound, base))
            return
        rival, rises = _dearest(self.costs, self.model, here, fits, open_)
        for r, rise in enumerate(rises.tolist()):
            child = max(bound, base + rise)
            if child < self.enough:
                heapq.heappush(self.heap, (child, next(self.number), _with(here, r, rival)))
            else:
                self.proven = min(self.proven, child)

    def _fits(self, here: Sets) -> list[Forced]:
        return [self.costs.forced(r, self.model, below) for r, below in enumerate(here)]

    def _solved(self, value: float, here: Sets) -> None:
        self.found[here] = value
        self.best = min(self.best, value)


def _open(fits: list[Forced], rivals: tuple[int, ...]) -> list[int]:
    """Rivals that are not matched."""
    met = np.any([one.met for one in fits], axis=0)
    return [p for p in rivals if not met[p]]


def _with(here: Sets, objective: int, rival: int) -> Sets:
    below = tuple(sorted((*here[objective], rival)))
    return (*here[:objective], below, *here[objective + 1 :])


def _dearest(costs: Costs, model: int, here: Sets, fits: list[Forced], open_: list[int]) -> tuple[int, Reals]:
    """The rival whose cheapest place is dearest, and bounds (d,) on what each place adds to the node."""
    paid = np.array([one.lower for one in fits])
    chosen, rises = open_[0], np.full(len(fits), -np.inf)
    for rival in open_:
        rise = np.maximum(costs.least[:, model, rival] - paid, 0.0)
        cheapest = np.inf
        for r in np.argsort(rise, kind="stable").tolist():
            if rise[r] >= cheapest:
                break
            below = _with(here, r, rival)[r]
            rise[r] = max(rise[r], costs.forced(r, model, below).lower - paid[r])
            cheapest = min(cheapest, float(rise[r]))
        if cheapest > rises.min():
            chosen, rises = rival, rise
    return chosen, rises
