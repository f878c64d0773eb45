"""VB-EGE, Focal Borda and the Borda plug-in re-derived in exact numbers (frontier paper, Algorithm 1, 4.1).

In phase m every watched mean is to have n_m = ⌈C_samp L 4^m⌉ draws, L = log(C_log · cells · m²/δ), and gaps
count when they exceed C_thr · √(L/(2 n_m)). Points are rational, so a gap G in points exceeds that exactly
when G > 0 and 2 G²/(C_thr² n_m) > L: one comparison of a rational number with an enclosed logarithm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from pareto.audit.claims import Claims
from pareto.audit.journal import Terms
from pareto.audit.logarithms import Enclosure, log
from pareto.audit.recount import Cell
from pareto.audit.report import Lie

Leads = list[list[Any]]
"""Fractions, or whole numbers where they are."""


def check_phases(found: Sequence[Claims], terms: Terms) -> str:
    """Every phase as large as it must be, every decision as the rule makes it; says what was found."""
    models, objectives = terms.shape
    focal = terms.method != "borda-plugin"
    cells = models * objectives if focal else objectives * (models * (models - 1) // 2)
    active = set(range(models))
    arms = [[Fraction(0)] * objectives for _ in range(models)]
    wins: dict[Cell, Fraction] = {}
    drawn = 0
    for before, one in pairwise(found):
        number = one.round.number
        weight = log(terms.logarithm * cells * number**2 / terms.delta)
        draws = weight.times(terms.sampling * 4**number).ceiling()
        _check_sizes(before, terms, active if focal else None, draws - drawn)
        drawn = draws
        for (i, j, r), points in one.round.points.items():
            if focal:
                arms[i][r] += points
            else:
                count = one.round.wanted[i, j, r]
                wins[i, j, r] = wins.get((i, j, r), Fraction(0)) + points
                wins[j, i, r] = wins.get((j, i, r), Fraction(0)) + count - points
        values = arms if focal else _smoothed(wins, draws, terms)
        lead = _leads(values, terms.margin * draws)
        above = _Above(weight, terms.threshold, draws)
        if terms.method == "vb-ege":
            kept, dropped = _eliminated(lead, active, above)
            active -= kept | set(dropped)
        else:
            kept, dropped = _at_once(lead, above)
        _compare(one, terms, kept, dropped)
    return f"{len(found) - 1} phases, up to {drawn:,} draws a cell"


class _Above:
    """Whether a gap in points, of n draws, exceeds the threshold."""

    def __init__(self, weight: Enclosure, threshold: Fraction, draws: int) -> None:
        self._weight, self._scale = weight, Fraction(2) / (threshold**2 * draws)

    def __call__(self, gap: Fraction) -> bool:
        if gap <= 0:
            return False
        value = self._scale * gap**2
        above = self._weight.surely_below(value)
        if not above and not self._weight.surely_above(value):
            raise Lie("a gap equals its threshold to 40 digits; this cannot be decided")
        return above


def _check_sizes(opened: Claims, terms: Terms, focal: set[int] | None, fresh: int) -> None:
    """What the phase wanted: `fresh` draws in every arm of the focal models, or in every pair."""
    models, objectives = terms.shape
    sums: dict[tuple[int, ...], int] = {}
    for row in opened.round.event.body["wanted"]:
        i, j, r, count = row
        key: tuple[int, ...] = (i, r) if focal is not None else (min(i, j), max(i, j), r)
        sums[key] = sums.get(key, 0) + count
    keys: set[tuple[int, ...]]
    if focal is not None:
        keys = {(i, r) for i in focal for r in range(objectives)}
    else:
        keys = {(i, j, r) for i in range(models) for j in range(i + 1, models) for r in range(objectives)}
    for key in sorted(keys | set(sums)):
        true = fresh if key in keys else 0
        if sums.get(key, 0) != true:
            names = " and ".join(terms.models[i] for i in key[:-1])
            raise Lie(
                f"{opened.round.where}: the next phase wants {sums.get(key, 0):,} draws of {names} on "
                f"{terms.objectives[key[-1]]}; the schedule says {true:,}"
            )


def _smoothed(wins: Mapping[Cell, Fraction], draws: int, terms: Terms) -> list[list[Fraction]]:
    """Borda scores from p̃ = (W + ½)/(N + 1), times the draws of a cell."""
    models, objectives = terms.shape
    scale = Fraction(draws, (draws + 1) * (models - 1))
    return [
        [
            scale * sum((wins[i, j, r] + Fraction(1, 2) for j in range(models) if j != i), Fraction(0))
            for r in range(objectives)
        ]
        for i in range(models)
    ]


def _leads(values: list[list[Fraction]], margin: Fraction) -> Leads:
    """m(i, j) = min_r (x_j,r − x_i,r) − margin."""
    # whole points as Python integers: a hundred times faster than fractions of denominator 1
    if margin == 0 and all(value.denominator == 1 for row in values for value in row):
        whole = [[int(value) for value in row] for row in values]
        return [[min(map(int.__sub__, other, own)) for other in whole] for own in whole]
    return [
        [min(y - x for x, y in zip(own, other, strict=True)) - margin for other in values] for own in values
    ]


def _gap(lead: Leads, star: Mapping[int, Fraction], i: int, active: set[int]) -> Fraction:
    """Δ_i (Definition 2.2); the model alone has none."""
    if star[i] > 0:
        return star[i]
    zero = Fraction(0)
    terms = (min(-lead[i][j], max(-lead[j][i], zero) + max(star[j], zero)) for j in active if j != i)
    least: Fraction = min(terms)
    return least


def _stars(lead: Leads, active: set[int]) -> dict[int, Fraction]:
    return {i: max(lead[i][j] for j in active if j != i) for i in active}


def _eliminated(lead: Leads, before: set[int], above: _Above) -> tuple[set[int], dict[int, int]]:
    """Algorithm 1's inner loop; among equal gaps a dominated model, among these the first."""
    active, kept, dropped = set(before), set(), {}
    while len(active) >= 2:
        star = _stars(lead, active)
        gap = {i: _gap(lead, star, i, active) for i in active}
        most = max(gap.values())
        if not above(most):
            break
        i = min((i for i in active if gap[i] == most), key=lambda i: (star[i] <= 0, i))
        if star[i] > 0:
            dropped[i] = min(j for j in active if j != i and lead[i][j] == star[i])
        else:
            kept.add(i)
        active.remove(i)
    if len(active) == 1:
        kept |= active
    return kept, dropped


def _at_once(lead: Leads, above: _Above) -> tuple[set[int], dict[int, int]]:
    """Everything, if all gaps are clear; else nothing."""
    active = set(range(len(lead)))
    star = _stars(lead, active)
    if not above(min(_gap(lead, star, i, active) for i in active)):
        return set(), {}
    return {i for i in active if star[i] <= 0}, {i: -1 for i in active if star[i] > 0}


def _compare(one: Claims, terms: Terms, kept: set[int], dropped: dict[int, int]) -> None:
    for what, stated, true in (
        ("kept", set(one.kept), kept),
        ("dropped", set(one.dropped), set(dropped)),
    ):
        for i in sorted(stated ^ true):
            verb = "is" if i in stated else "is not"
            raise Lie(
                f"{one.round.where}: {terms.models[i]} {verb} {what}, which the recount does not bear out"
            )
    for i, rival in dropped.items():
        if rival >= 0 and one.dropped[i] != rival:
            raise Lie(
                f"{one.round.where}: {terms.models[i]} is said to be dominated by "
                f"{terms.models[one.dropped[i]]}; it is by {terms.models[rival]} most"
            )
