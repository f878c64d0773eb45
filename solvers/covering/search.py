"""One depth-first search for a tree, or for a cover that makes one impossible.

Floating point chooses multipliers and splits; closing, fixing and rounding are done in integers and can be
done again by anybody (:func:`solvers.covering.subproblem.holds`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from solvers.covering.simplex import Outcome, Places, Reals, Simplex
from solvers.covering.splits import Candidate, Rule, candidates, single
from solvers.covering.subproblem import (
    Integers,
    Subproblem,
    column_sides,
    decided,
    followers,
    priced,
    row_sides,
    without,
)
from solvers.tree import ColumnSplit, Step

DEPTH = 200
CLOSING_BITS = (18, 24, 30, 36, 40)
"""Denominators 2^bits tried in turn for a step that closes: short proofs first."""
FIXING_BITS = 30
"""Denominator of all other steps; as in CLOSING_BITS, for gains up to 2^15 (see ``more_bits``)."""
LARGEST_PRICE = 2.0**120
ROUNDED_COLUMNS = 9
"""Most fractional columns whose roundings are all tried."""
SLACK = 1e-6
"""How far beyond the target a relaxation must be before exact multipliers are looked for."""


class GivenUp(Exception):
    """A limit was reached, or floating point cannot decide a node."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A subproblem and its relaxation, over the rows ``active``; other rows have price 0."""

    part: Subproblem
    active: Places
    lp: Simplex


@dataclass(slots=True, eq=False)
class Search:
    """One depth-first search under one rule.

    Attributes:
        scale: (m,) powers of two that bring the constraints to a common size.
        more_bits: added to all denominators 2^bits.
        left: nodes it may still use.
        found: columns of a cover, once there is one.
    """

    m: int
    target: int
    scale: Reals
    more_bits: int
    rule: Rule
    left: int
    deadline: float
    found: Places | None = None

    def run(self, part: Subproblem) -> list[Step]:
        """The steps that rule out ``part``; empty once a cover was found.

        Raises:
            GivenUp: when neither came out within the limits.
        """
        # Slightly different costs keep the simplex from cycling; they cost the float bound 1e-7 a column.
        cost = 1.0 - 1e-7 * np.random.default_rng(0).random(len(part.columns))
        try:
            return self.visit(self.relaxed(part, np.arange(self.m), None, cost), 0)
        except np.linalg.LinAlgError as error:
            raise GivenUp from error

    def visit(self, node: Node, depth: int) -> list[Step]:
        """The steps that rule the node out; empty once a cover was found."""
        self.left -= 1
        if self.left < 0 or depth > DEPTH or time.perf_counter() > self.deadline:
            raise GivenUp
        lp = node.lp
        outcome = lp.solve(self.cutoff(node.part), 60)
        if outcome is Outcome.STEPS:
            lp.refactor()
            outcome = lp.solve(self.cutoff(node.part), 1000)
        if outcome is Outcome.CUTOFF:
            closed = self.closed(node)
            if closed is not None:
                return [closed]
        step, cost = self.step(node, FIXING_BITS)
        gap = step.q * self.target - step.numerator
        if gap < 0:
            return [self.closed(node) or step]
        node, cost = self.fixed(node, cost, gap)
        if node.lp.objective > self.cutoff(node.part):
            closed = self.closed(node)
            if closed is not None:
                return [step, closed]
        if self.rounded(node):
            return []
        if not len(node.part.columns):
            return [step, *self.exhausted(node.part)]
        chosen, sides = self.split(node, cost, gap / step.q)
        behind: dict[int, list[Step]] = {}
        for side in sorted((0, 1), key=lambda k: -sides[k].lp.objective - sides[k].part.taken):
            behind[side] = self.visit(sides[side], depth + 1)
            if not behind[side]:
                return []
        return [replace(step, split=chosen.split), *behind[0], *behind[1]]

    def cutoff(self, part: Subproblem) -> float:
        return self.target - part.taken + SLACK

    def row_scale(self, part: Subproblem) -> Reals:
        return np.concatenate([self.scale, np.ones(len(part.rhs) - self.m)])

    def step(self, node: Node, bits: int) -> tuple[Step, Integers]:
        """The relaxation's prices as integers over 2^bits, and the reduced costs they give."""
        q = 1 << (bits + self.more_bits)
        return self.priced_step(node, node.lp.prices * float(q), q)

    def priced_step(self, node: Node, prices: Reals, q: int) -> tuple[Step, Integers]:
        p = np.zeros(len(node.part.rhs))
        p[node.active] = np.maximum(prices, 0.0) * self.row_scale(node.part)[node.active]
        listed = [int(v) for v in np.rint(np.clip(np.nan_to_num(p), 0.0, LARGEST_PRICE)).tolist()]
        while listed and listed[-1] == 0:
            listed.pop()
        cost, numerator = priced(node.part, listed, q)
        return Step(tuple(listed), q, numerator), cost

    def closed(self, node: Node) -> Step | None:
        """The shortest step found that closes the node, None if there is none."""
        ray = node.lp.ray if node.lp.objective == np.inf else None
        for bits in CLOSING_BITS:
            if ray is not None and ray.max(initial=0.0) > 0:
                step, _ = self.priced_step(node, ray / ray.max() * 2.0 ** (bits + self.more_bits), 0)
                if step.numerator > 0:
                    return step
            step, _ = self.step(node, bits)
            if step.numerator > step.q * self.target:
                return step
        return None

    def exhausted(self, part: Subproblem) -> list[Step]:
        """Close a subproblem without free columns: it takes too many, or a row is not met."""
        if part.taken > self.target:
            return [Step((), 1, part.taken)]
        for j, b in enumerate(part.rhs):
            if b > 0:
                return [Step((*(0 for _ in range(j)), 1), 0, b)]
        raise GivenUp

    def fixed(self, node: Node, cost: Integers, gap: int) -> tuple[Node, Integers]:
        """The node without the columns its own multipliers decide, and without splits that do not bind."""
        out = decided(cost, gap)
        if out.any():
            take = np.asarray(out & (cost < 0), dtype=np.bool_)
            part = without(node.part, out, take)
            agree = bool((node.lp.at_high[out] == take[out]).all())
            lp = node.lp.without_columns(out) if agree else None
            node = self.relaxed(part, node.active, lp, node.lp.cost[~out])
            cost = cost[~out]
        lp = node.lp
        idle = np.zeros(len(node.active), dtype=np.bool_)
        idle[lp.basis[~lp.structural] - lp.n] = True
        idle &= node.active >= self.m
        if idle.any() and np.isfinite(lp.objective):
            lp = lp.without_rows(idle)
            lp.price()
            node = Node(node.part, node.active[~idle], lp)
        return node, cost

    def relaxed(self, part: Subproblem, active: Places, lp: Simplex | None, cost: Reals) -> Node:
        """A node over ``part``, with a warm basis if there is one."""
        scale = self.row_scale(part)[active]
        rhs = np.array([float(part.rhs[r]) for r in active]) * scale
        if lp is None:
            rows = part.rows[active].astype(np.float64) * scale[:, None]
            lp = Simplex.fresh(rows, rhs, cost)
            lp.solve(self.cutoff(part), 2000)
        else:
            lp.rhs = rhs
            lp.price()
        return Node(part, active, lp)

    def rounded(self, node: Node) -> bool:
        """Try all roundings of the fractional columns; True if one is a cover of the target's size."""
        x = node.lp.point()
        near = np.rint(x)
        fractional = np.flatnonzero(np.abs(x - near) > 1e-7)
        if len(fractional) > ROUNDED_COLUMNS or not np.isfinite(x).all():
            return False
        base = near > 0.5
        base[fractional] = False
        part = node.part
        demands = part.rows[: self.m]
        small = max(part.largest[: self.m], default=0) < 1 << 40  # sums of 2^20 columns fit
        gains = demands if small else demands.astype(object)
        needed = np.array(part.rhs[: self.m], dtype=object) - gains[:, base].sum(axis=1)
        bits = (np.arange(1 << len(fractional))[:, None] >> np.arange(len(fractional))) & 1
        size = part.taken + int(base.sum()) + bits.sum(axis=1)
        covers = (bits @ gains[:, fractional].T >= needed).all(axis=1)
        good = np.flatnonzero((size <= self.target) & covers.astype(np.bool_))
        if not len(good):
            return False
        base[fractional] = bits[good[0]] == 1
        self.found = np.concatenate([part.chosen, part.columns[base]])
        return True

    def split(self, node: Node, cost: Integers, gap: float) -> tuple[Candidate, list[Node]]:
        """The split whose sides rise most, and both sides with solved relaxations."""
        best: tuple[Candidate, list[Node]] | None = None
        best_score = -1.0
        lp, part = node.lp, node.part
        if not np.isfinite(lp.objective):  # infeasible in floating point, yet nothing exact shows it
            return self.afresh(node)
        for candidate in candidates(part, lp, cost, gap, self.row_scale(part), node.active, self.rule):
            sides = self.sides(node, candidate)
            rises = []
            for side in sides:
                side.lp.solve(self.cutoff(side.part), 40)
                rises.append(min(side.lp.objective - lp.objective, gap * 1.001))
            score = max(rises[0], 1e-6) * max(rises[1], 1e-6)
            if score > best_score:
                best, best_score = (candidate, sides), score
            if min(rises) > gap:
                break
        if best is None:
            return self.afresh(node)
        candidate, sides = best
        if isinstance(candidate.split, ColumnSplit):
            sides = [self.dropped(node, sides[k], candidate.split.column, k) for k in (0, 1)]
        return candidate, sides

    def afresh(self, node: Node) -> tuple[Candidate, list[Node]]:
        """A split on the first column, both sides with relaxations from scratch."""
        rows, parts = np.arange(len(node.part.rhs)), column_sides(node.part, 0)
        costs = [node.lp.cost[~gone] for gone in followers(node.part, 0)]
        sides = [self.relaxed(part, rows, None, cost) for part, cost in zip(parts, costs, strict=True)]
        return single(0), sides

    def sides(self, node: Node, candidate: Candidate) -> list[Node]:
        """Both sides; a single column is only held by its bounds, until :meth:`dropped`."""
        part, lp = node.part, node.lp
        if isinstance(candidate.split, ColumnSplit):
            held = followers(part, candidate.split.column)
            return [Node(part, node.active, lp.with_fixed(held[value], value)) for value in (0, 1)]
        pi = candidate.pi.astype(np.float64)
        active = np.append(node.active, len(part.rhs))
        first, second = row_sides(part, candidate.pi, candidate.k)
        return [
            Node(first, active, lp.with_row(-pi, -float(candidate.k))),
            Node(second, active, lp.with_row(pi, candidate.k + 1.0)),
        ]

    def dropped(self, node: Node, side: Node, column: int, value: int) -> Node:
        """The side of a single column with the column itself removed."""
        out = followers(node.part, column)[value]
        part = column_sides(node.part, column)[value]
        if side.lp.objective == np.inf:
            return self.relaxed(part, node.active, None, side.lp.cost[~out])
        return self.relaxed(part, node.active, side.lp.without_columns(out), side.lp.cost[~out])
