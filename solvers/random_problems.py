"""Problems made from a seed, for comparisons and benchmarks: equal arguments give equal problems."""

import numpy as np

from solvers.errors import SolverError
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import CoveringProgram, LinearProgram, blocks

ERROR = 0.2


def random_covering(rows: int, candidates: int, seed: int = 0, error: float = ERROR) -> CoveringProgram:
    """The covering program behind choosing among candidates with identical predictions.

    Every candidate accepts the rows in an independent random order, each row is wrong with probability
    ``error``, and the program asks for the fewest labels that prove the best candidate best (Kuboyama 2026,
    How Many Labels Does Model Choice Need?, section 4.1).

    Args:
        rows: columns n of the program.
        candidates: K; the program has K − 1 constraints.

    Raises:
        SolverError: for less than one row or two candidates, or an error outside [0, 1].
    """
    if rows < 1 or candidates < 2 or not 0 <= error <= 1:
        raise SolverError(
            f"{rows} rows, {candidates} candidates, error {error}: at least 1 row, 2 candidates and an error "
            "in [0, 1] are needed."
        )
    rng = np.random.default_rng(seed)
    kind = np.int32 if 4 * rows < 2**31 else np.int64
    weights = np.empty((candidates, rows), dtype=kind)  # rank weights: the first row accepted weighs most
    for k in range(candidates):
        weights[k] = 2 * rows - 1 - 2 * rng.permutation(rows)
    wrong = rng.random(rows) < error
    risks = [
        sum(int(weight[part][wrong[part]].sum(dtype=np.int64)) for part in blocks(rows)) for weight in weights
    ]
    winner = int(np.argmin(risks))
    rivals = [j for j in range(candidates) if j != winner]
    gains = np.empty((len(rivals), rows), dtype=kind)
    demands = []
    for at, j in enumerate(rivals):
        np.subtract(weights[j], weights[winner], out=gains[at])
        lowest = int(np.minimum(gains[at], 0).sum(dtype=np.int64))
        gains[at] = np.where(wrong, np.maximum(gains[at], 0), np.maximum(-gains[at], 0))
        demands.append(max(0, int(j < winner) - lowest))
    return CoveringProgram(gains, np.array(demands, dtype=np.int64))


def random_linear(rows: int, columns: int, seed: int = 0, integer: bool = False) -> LinearProgram:
    """A feasible, bounded program with one-digit integers and a third of the entries nonzero.

    max c·x, A x ≤ b, 0 ≤ x ≤ 9, with b halfway between what x = 0 and x = 9 need; ``integer`` asks for
    whole x.

    Raises:
        SolverError: for less than one row or column.
    """
    if rows < 1 or columns < 1:
        raise SolverError(f"{rows} rows, {columns} columns: at least one of each is needed.")
    from scipy.sparse import csc_array

    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 10, size=(rows, columns)) * (rng.random((rows, columns)) < 1 / 3)
    return LinearProgram(
        costs=rng.integers(1, 10, size=columns).astype(np.float64),
        matrix=csc_array(matrix.astype(np.float64)),
        row_upper=np.ceil(4.5 * matrix.sum(axis=1)),
        upper=np.full(columns, 9.0),
        integrality=np.full(columns, integer),
        maximise=True,
    )


def random_clique(vertices: int, density: float = 0.5, seed: int = 0) -> MaximumClique:
    """A graph in which every pair is an edge with probability ``density``, edges weighing 1 to 9.

    Raises:
        SolverError: for less than one vertex or a density outside [0, 1].
    """
    if vertices < 1 or not 0 <= density <= 1:
        raise SolverError(f"{vertices} vertices, density {density}: at least 1, and a density in [0, 1].")
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((vertices, vertices)) < density, 1)
    weights = np.triu(rng.integers(1, 10, size=(vertices, vertices)), 1) * upper
    return MaximumClique(upper | upper.T, weights + weights.T)


def random_fit(models: int, seed: int = 0, games: int = 20) -> OrderedBradleyTerry:
    """Every pair meets ``games`` times under scores from a standard normal; the best two are ordered wrongly.

    Raises:
        SolverError: for less than two models.
    """
    if models < 2:
        raise SolverError(f"{models} models: at least 2 are needed.")
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.standard_normal(models))[::-1]
    chance = 1 / (1 + np.exp(scores[None, :] - scores[:, None]))
    upper = np.triu(rng.binomial(games, chance), 1)
    wins = upper + np.tril(games - upper.T, -1)
    return OrderedBradleyTerry(wins.astype(np.float64), ((1, 0),))
