"""The last unit: a cover of size T, or a tree that proves that none exists.

The size of a tree varies by a factor of ten and more between rules on one instance, so every rule gets a
small number of nodes before any gets a large one. Limits count nodes, not seconds: equal inputs give equal
proofs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from solvers.covering.search import GivenUp, Search
from solvers.covering.splits import Rule
from solvers.covering.subproblem import Mask, open_columns, opened
from solvers.problems import CoveringProgram
from solvers.solution import Multipliers
from solvers.tree import Tree

RULES = (
    Rule(terms=2, largest=2, tries=8, singles=False),
    Rule(terms=1, largest=2, tries=8),
    Rule(terms=2, largest=2, tries=4, singles=False),
    Rule(terms=2, largest=3, tries=8, singles=False, nearest=128),
)
SINGLES = Rule(terms=1, largest=0)
"""No row is accepted: fast nodes, and many of them. Only with few constraints do such trees end."""
FEW_CONSTRAINTS = 4
LIMITS = (100, 400, 1600, 6400, 25600)
"""Nodes every rule may use, in turn."""
GAIN = 1 << 15
"""Gains for which the search's denominators are meant; larger ones get as many bits more."""
FIRST_LOOK = 40
"""Nodes spent before covers of the target's size are sought."""
CORE = 2500
"""Open columns up to which a tree is tried at all; with more, a node takes too long for any tree to end."""


@dataclass(frozen=True, slots=True, eq=False)
class Closing:
    """What a search came to: a cover, a tree, or neither.

    Attributes:
        cover: bool (n,), a cover of at most the target's size.
        tree: proof that there is none.
        nodes: subproblems looked at.
    """

    cover: Mask | None = None
    tree: Tree | None = None
    nodes: int = 0


def attempt(
    program: CoveringProgram, dual: Multipliers, target: int, rule: Rule, nodes: int, deadline: float
) -> Closing:
    """One search with one rule and at most ``nodes`` nodes."""
    columns, taken = open_columns(program, dual, target)
    if len(columns) > CORE:
        return Closing()
    part, taken = opened(program, columns, taken)
    prices = np.array([pj / dual.q for pj in dual.p])
    least = 1.0 / (16.0 * np.maximum(np.array(part.largest, dtype=np.float64), 1.0))
    scale = 2.0 ** np.rint(np.log2(np.maximum(prices, least)))
    more_bits = max(0, max(part.largest, default=0).bit_length() - GAIN.bit_length())
    search = Search(program.m, target, scale, more_bits, rule, nodes, deadline)
    try:
        steps = search.run(part)
    except GivenUp:
        return Closing(nodes=nodes - search.left)
    if search.found is None:
        return Closing(tree=Tree(target, tuple(steps)), nodes=nodes - search.left)
    cover = taken.copy()
    cover[search.found] = True
    return Closing(cover=cover if program.check(cover) == 0 else None, nodes=nodes - search.left)


def schedule(m: int, nodes: int) -> Iterator[tuple[Rule, int]]:
    """Rules with their node limits, in the order in which they are tried; ``nodes`` limits the sum.

    With few constraints, splits on single columns run besides the others and count a quarter.
    """
    left = nodes
    for stage, limit in enumerate(LIMITS):
        for rule in RULES:
            if left <= 0:
                return
            yield rule, min(limit, left)
            left -= limit
        if stage == 0 and m <= FEW_CONSTRAINTS:
            yield SINGLES, 4 * nodes


def close(program: CoveringProgram, dual: Multipliers, target: int, nodes: int, deadline: float) -> Closing:
    """Searches by :func:`schedule` until one ends."""
    used = 0
    for rule, limit in schedule(program.m, nodes):
        if time.perf_counter() > deadline:
            break
        found = attempt(program, dual, target, rule, limit, deadline)
        used += found.nodes
        if found.cover is not None or found.tree is not None:
            return replace(found, nodes=used)
    return Closing(nodes=used)


def settled(
    program: CoveringProgram,
    dual: Multipliers,
    x: Mask,
    nodes: int,
    deadline: float,
    seek: Callable[[int], Mask | None],
) -> tuple[Mask, Tree | None]:
    """The smallest cover and the strongest tree that ``nodes`` nodes for each size find.

    Sizes are ruled out from the multipliers' bound upwards. Each one gets a short search for a tree first,
    because most trees are small, then ``seek(size)``, which looks for a cover, and then the long search.
    """
    tree: Tree | None = None
    for target in range(dual.bound, int(x.sum())):
        found = attempt(program, dual, target, RULES[0], min(nodes, FIRST_LOOK), deadline)
        if found.cover is None and found.tree is None and nodes > 0:
            within_reach = found.nodes > 0  # not with too many open columns
            found = Closing(cover=seek(target))
            if found.cover is None and within_reach:
                found = close(program, dual, target, nodes, deadline)
        if found.cover is not None:
            return found.cover, tree
        if found.tree is None:
            break
        tree = found.tree
    return x, tree
