"""Slow, obvious versions of what `pareto` computes, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import strategies as st


def fractions(scores):
    return [[Fraction(value) for value in row] for row in scores]


def strictly_below(x, y):
    return all(a < b for a, b in zip(x, y, strict=True))


def weakly_below(x, y):
    return all(a <= b for a, b in zip(x, y, strict=True)) and any(a < b for a, b in zip(x, y, strict=True))


def brute_frontier(scores, below=strictly_below):
    rows = [tuple(row) for row in scores]
    return [not any(below(x, y) for y in rows) for x in rows]


def brute_gaps(scores, active, margin=0):
    """Definition 2.2, word by word, on Fractions; a dict over the active models."""
    x = fractions(scores)

    def m(i, j):
        return min(b - a for a, b in zip(x[i], x[j], strict=True)) - Fraction(margin)

    live = [i for i in range(len(x)) if active[i]]
    star = {i: max(m(i, j) for j in live if j != i) for i in live}
    found = {}
    for i in live:
        if star[i] > 0:
            found[i] = star[i]
        else:
            found[i] = min(
                min(-m(i, j), max(-m(j, i), Fraction(0)) + max(star[j], Fraction(0))) for j in live if j != i
            )
    return found, star


def brute_elimination(points, active, threshold, margin=0):
    """The inner loop of Algorithm 1 on points of equally many draws; accepted and active sets after it."""
    live, accepted = {i for i in range(len(points)) if active[i]}, set()
    while len(live) >= 2:
        found, star = brute_gaps(points, [i in live for i in range(len(points))], margin)
        top = max(found.values())
        if not top > Fraction(threshold):
            break
        ties = [i for i in sorted(live) if found[i] == top]
        dominated = [i for i in ties if star[i] > 0]
        chosen = (dominated or ties)[0]
        if star[chosen] <= 0:
            accepted.add(chosen)
        live.remove(chosen)
        if len(live) == 1:
            accepted |= live
            live = set()
    return accepted, live


@st.composite
def whole_scores(draw, least=1, most=9, high=4):
    """(K, d) small whole numbers: many ties."""
    models, objectives = draw(st.integers(least, most)), draw(st.integers(1, 4))
    row = st.lists(st.integers(0, high), min_size=objectives, max_size=objectives)
    return draw(st.lists(row, min_size=models, max_size=models))


def pairs(count):
    return [(i, j) for i, j in product(range(count), repeat=2) if i != j]
