"""Named problems with known exact answers.

Answers were derived by hand, or are computed here by brute force; no solver takes part.
"""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from solvers import CoveringProgram, LinearProgram, Status

from .case import Case, Expected
from .cliques import CLIQUES
from .fits import FITS

INF = np.inf


def optimal(
    optimum: Fraction | float, duals: tuple[float, ...] | None = None, x: tuple[float, ...] | None = None
) -> Expected:
    """An optimum; floats are read exactly."""
    return Expected(Status.OPTIMAL, Fraction(optimum), duals, x)


INFEASIBLE = Expected(Status.INFEASIBLE)
UNBOUNDED = Expected(Status.UNBOUNDED)


def smallest_cover(gains: Any, demands: Any) -> int | None:
    """Size of the smallest cover by trying them all; None if there is none."""
    columns = list(zip(*gains, strict=True))
    sizes = [
        sum(x)
        for x in product((0, 1), repeat=len(columns))
        if all(
            sum(column[j] for column, taken in zip(columns, x, strict=True) if taken) >= demand
            for j, demand in enumerate(demands)
        )
    ]
    return min(sizes, default=None)


def _linear(name: str, expected: Expected, *arguments: Any, **rest: Any) -> Case:
    return Case(f"linear: {name}", lambda: LinearProgram(*arguments, **rest), expected)


def _cover(name: str, gains: Any, demands: Any, proof: bool = True) -> Case:
    best = smallest_cover(gains, demands)
    expected = INFEASIBLE if best is None else Expected(Status.OPTIMAL, best)
    return Case(f"covering: {name}", lambda: CoveringProgram(gains, demands), expected, proof=proof)


SIGNS = [  # one dual sign convention: d optimum / d right-hand side
    _linear("min, at least", optimal(6, (2,), (3,)), [2], [[1]], row_lower=[3]),
    _linear("max, at most", optimal(6, (2,), (3,)), [2], [[1]], row_upper=[3], maximise=True),
    _linear("min, equal", optimal(6, (2,), (3,)), [2], [[1]], row_lower=[3], row_upper=[3]),
    _linear("max, equal", optimal(6, (2,), (3,)), [2], [[1]], row_lower=[3], row_upper=[3], maximise=True),
    _linear("min, row turned around", optimal(6, (-2,), (3,)), [2], [[-1]], row_upper=[-3]),
    _linear("max, row turned around", optimal(6, (-2,), (3,)), [2], [[-1]], row_lower=[-3], maximise=True),
    _linear("min, at most", optimal(-6, (-2,), (3,)), [-2], [[1]], row_upper=[3]),
    _linear("max, at least", optimal(-6, (-2,), (3,)), [-2], [[1]], row_lower=[3], maximise=True),
    _linear("range, lower side", optimal(6, (2,), (3,)), [2], [[1]], row_lower=[3], row_upper=[5]),
    _linear("range, upper side", optimal(10, (2,), (5,)), [2], [[1]], [3], [5], maximise=True),
    _linear("slack row", optimal(6, (2, 0), (3,)), [2], [[1], [1]], row_lower=[3, 1]),
    _linear("equality with a negative dual", optimal(-6, (-2,), (3,)), [-2], [[1]], [3], [3]),
]

CONTINUOUS = [
    _linear("free variable", optimal(3, (1,), (3,)), [1], [[1]], row_lower=[3], lower=-INF),
    _linear("negative free variable", optimal(-3, (1,), (-3,)), [1], [[1]], row_lower=[-3], lower=-INF),
    _linear(
        "two rows, two columns",
        optimal(Fraction(7, 2), (0.25, 0.75), (0.5, 1.5)),
        [1, 2],
        [[1, -1], [1, 3]],
        row_lower=[-1, 5],
    ),
    _linear("bounds bind", optimal(5, (2,), (2, 1)), [2, 1], [[1, 1]], row_lower=[3], upper=[10, 1]),
    _linear("both bounds negative", optimal(-7, None, (-5, -2)), [1, 1], None, lower=[-5, -2], upper=-1),
    _linear("upper bounds only", optimal(9, None, (4, 5)), [1, 1], lower=-INF, upper=[4, 5], maximise=True),
    _linear("fixed column", optimal(8, (1,), (2, 4)), [2, 1], [[1, 1]], [6], lower=[2, 0], upper=[2, INF]),
    _linear(
        "every column fixed", optimal(7, None, (2, 3)), [2, 1], [[1, 1]], [4], lower=[2, 3], upper=[2, 3]
    ),
    _linear("no cost", optimal(0), [0, 0], [[1, 1]], row_lower=[1], upper=2),
    _linear("no rows", optimal(3, (), (1, 1)), [1, 2], lower=1),
    _linear("a row that may be anything", optimal(3, (0, 1), (3,)), [1], [[1], [1]], [-INF, 3]),
    _linear("an empty row that holds", optimal(3, (0, 1), (3,)), [1], [[0], [1]], [-1, 3], [1, INF]),
    _linear("an empty column", optimal(-1), [1, -1], [[1, 0]], [0], [4], upper=[5, 1]),
    _linear("degenerate vertex", optimal(2), [1, 1], [[1, 0], [0, 1], [1, 1]], row_lower=[1, 1, 2]),
    _linear(
        "redundant equalities", optimal(2, None, (2, 0)), [1, 3], [[1, 1], [2, 2]], [2, 4], row_upper=[2, 4]
    ),
    _linear("optimum at a third", optimal(Fraction(1, 3)), [1], [[3]], row_lower=[1]),
    _linear("cost of quarters", optimal(2.5, (1.25,), (2,)), [1.25], [[1]], row_lower=[2]),
    _linear(
        "transport",
        optimal(46, None, (0, 8, 6, 2)),
        [4, 2, 4, 3],
        [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]],
        row_lower=[-INF, -INF, 6, 10],
        row_upper=[8, 9, INF, INF],
    ),
    _linear("zero columns", optimal(0, (0,), ()), [], np.zeros((1, 0)), row_lower=[-1]),
    _linear("nothing at all", optimal(0, (), ()), []),
]

IMPOSSIBLE = [
    _linear(
        "contradicting rows", INFEASIBLE, [1, 1], [[1, 1], [1, 1]], row_lower=[3, -INF], row_upper=[9, 2]
    ),
    _linear("row beyond the bounds", INFEASIBLE, [1, 1], [[1, 1]], row_lower=[3], upper=1),
    _linear("contradicting equalities", INFEASIBLE, [1], [[1], [1]], [1, 2], [1, 2], lower=-INF),
    _linear("crossed bounds", INFEASIBLE, [1], lower=2, upper=1),
    _linear("crossed row bounds", INFEASIBLE, [1], [[1]], [2], [1]),
    _linear("an empty row that cannot hold", INFEASIBLE, [1], [[0]], row_lower=[1]),
    _linear("zero columns and a row to meet", INFEASIBLE, [], np.zeros((1, 0)), row_lower=[1]),
    _linear("nothing stops the objective", UNBOUNDED, [-1]),
    _linear("nothing stops a maximum", UNBOUNDED, [1], maximise=True),
    _linear("unbounded along a ray", UNBOUNDED, [-1, -1], [[1, -1]], row_lower=[-1], row_upper=[1]),
    _linear("free and unbounded", UNBOUNDED, [1], lower=-INF),
    _linear("free and unbounded below a row", UNBOUNDED, [1], [[1]], row_upper=[2], lower=-INF),
]

WHOLE = {"integrality": True}
INTEGER = [
    _linear("integer knapsack", optimal(2), [1, 1], [[2, 2]], row_lower=[3], upper=1, **WHOLE),
    _linear(
        "integer maximum",
        optimal(21),
        [5, 4],
        [[6, 4], [1, 2]],
        row_upper=[24, 6],
        maximise=True,
        integrality=[False, False],
    ),
    _linear(
        "integer maximum, whole",
        optimal(20, None, (4, 0)),
        [5, 4],
        [[6, 4], [1, 2]],
        row_upper=[24, 6],
        maximise=True,
        **WHOLE,
    ),
    _linear("bounds rounded inwards", optimal(1.5, None, (1,)), [1.5], lower=0.5, upper=3, **WHOLE),
    _linear("negative integers", optimal(-3, None, (-3,)), [1], lower=-3.5, upper=-0.5, **WHOLE),
    _linear(
        "mixed",
        optimal(Fraction(11, 8)),
        [1, 1.5, 0],
        [[2, 2, 1]],
        row_lower=[3],
        row_upper=[7],
        upper=[1, 1, 0.5],
        integrality=[True, False, False],
    ),
    _linear("integer of a thousand", optimal(1001, None, (1001,)), [1], [[2]], row_lower=[2001], **WHOLE),
    _linear(
        "fixed integer", optimal(5, None, (2, 1)), [2, 1], [[1, 1]], [3], lower=[2, 0], upper=[2, 9], **WHOLE
    ),
    _linear("parity", INFEASIBLE, [0], [[2]], row_lower=[1], row_upper=[1], upper=5, **WHOLE),
    _linear("integers beyond the bounds", INFEASIBLE, [1, 1], [[1, 1]], row_lower=[3], upper=1, **WHOLE),
    _linear("no integer between the bounds", INFEASIBLE, [1], lower=0.5, upper=0.9, **WHOLE),
    _linear("integer unbounded", UNBOUNDED, [-1], **WHOLE),
    _linear("integer unbounded along a row", UNBOUNDED, [-1, 0], [[1, -1]], row_upper=[2], **WHOLE),
]

BIG = [
    case
    for big in (10**9, 10**12, 10**13)
    for case in (
        _linear(
            f"last digit of {big:.0e}", optimal(2), [1, 1, 1], [[big, 1, 1]], [big + 1], upper=1, **WHOLE
        ),
        _cover(f"last digit of {big:.0e}", [[big, 1, 1]], [big + 1]),
        _cover(f"last digit of {big:.0e}, two rows", [[big, 1, 1], [1, 1, 1]], [big + 1, 1]),
    )
]


def _random_covers() -> list[Case]:
    rng = np.random.default_rng(20260)
    cases = []
    for k in range(12):
        m, n = int(rng.integers(1, 4)), int(rng.integers(4, 11))
        gains = rng.integers(0, 4 if k % 2 else 40, size=(m, n))
        demands = [int(row.sum()) * int(rng.integers(2, 8)) // 10 for row in gains]
        cases.append(_cover(f"random {k}, {m} × {n}", gains.tolist(), demands, proof=False))
    return cases


def panel(n: int, candidates: int, seed: int, error: float = 0.2) -> CoveringProgram:
    """Identical predictions, independent confidence orders: the covering program of the true winner."""
    rng = np.random.default_rng(seed)
    weights = np.array([2 * n - 1 - 2 * rng.permutation(n) for _ in range(candidates)])
    wrong = (rng.random(n) < error).astype(np.int64)
    winner = int(np.argmin(weights @ wrong))
    rivals = [j for j in range(candidates) if j != winner]
    gains = [np.where(wrong, 1, 0) * (weights[j] - weights[winner]) for j in rivals]
    gains = [g - np.minimum(0, weights[j] - weights[winner]) for g, j in zip(gains, rivals, strict=True)]
    demands = [int(j < winner) - int(np.minimum(0, weights[j] - weights[winner]).sum()) for j in rivals]
    return CoveringProgram(np.array(gains), np.maximum(demands, 0))


EMPTY = Expected(Status.OPTIMAL, 0)
COVERS = [
    _cover("one row", [[2, 2, 4, 0]], [7]),
    _cover("two rows", [[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15]),
    _cover("all columns equal", [[3] * 9], [13]),
    _cover("many ties", [[2, 2, 2, 2, 1, 1, 1, 1], [1, 1, 1, 1, 2, 2, 2, 2]], [8, 9]),
    _cover("every column needed", [[1, 2, 3]], [6]),
    _cover("nothing demanded", [[1, 2], [0, 3]], [0, -4]),
    _cover("one demand of zero", [[5, 1, 1], [1, 1, 1]], [6, 0]),
    _cover("zero gains", [[0, 0, 7]], [7]),
    _cover("one unit out of reach", [[1, 2], [5, 5]], [4, 3]),
    _cover("demands but no gains", [[0, 0]], [1]),
    Case("covering: no rows", lambda: CoveringProgram(np.zeros((0, 3), int), []), EMPTY, proof=True),
    Case("covering: no columns", lambda: CoveringProgram(np.zeros((1, 0), int), [0]), EMPTY, proof=True),
    Case("covering: a demand but no columns", lambda: CoveringProgram([[]], [2]), INFEASIBLE, proof=True),
    # 13519: witness and integer multipliers found once, both accepted by solvers/checker.py
    Case("covering: panel of 20000 × 4", lambda: panel(20_000, 4, 0), Expected(Status.OPTIMAL, 13519), True),
    *_random_covers(),
]


def market_split() -> LinearProgram:
    """Five equalities over 40 binary columns: nobody finds a point, or its absence, within a second."""
    rows = np.random.default_rng(0).integers(0, 100, (5, 40))
    half = rows.sum(1) // 2
    return LinearProgram(np.zeros(40), rows, row_lower=half, row_upper=half, upper=1, integrality=True)


LIMITS = [
    Case("limit: no seconds", market_split, optimal(0), limit=0, stops=True),
    Case("limit: one second", market_split, optimal(0), limit=1.0, stops=True),
    Case(
        "limit: no seconds for a linear program",
        lambda: LinearProgram([2], [[1]], row_lower=[3]),
        optimal(6),
        limit=0,
        stops=True,
    ),
    Case(
        "limit: no seconds for a cover",
        lambda: CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15]),
        Expected(Status.OPTIMAL, 2),
        limit=0,
        stops=True,
    ),
]

CASES: list[Case] = [*SIGNS, *CONTINUOUS, *IMPOSSIBLE, *INTEGER, *BIG, *COVERS, *LIMITS, *CLIQUES, *FITS]
"""All cases; names are unique."""
