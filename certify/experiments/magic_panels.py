"""Makes the bundled MAGIC covering programs: which of eight feature panels wins, and what would prove it.

    python -m certify.experiments.magic_panels magic.csv magic-tree.npz [tree|logistic]

Needs scikit-learn. `magic.csv` is the UCI table without header, label last. Split seed 731, 70/30,
stratified: 5,706 rows are held out. Panels follow Kuboyama 2026, *How Many Labels Does Model Choice Need?*,
section 6.1: indicators of training-row quartiles, and for each of eight error budgets a fixed-order backward
search.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

BUDGETS = (0.0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.12, 0.16)
"""Minority-count errors a panel may have above the full set of indicators, as shares of the training rows."""
SPLIT_SEED = 731

Mask = npt.NDArray[np.bool_]


def indicators(features: npt.NDArray[np.float64], train: npt.NDArray[np.intp]) -> Mask:
    """Where a feature exceeds a quartile of its training rows: (n, 3 × features), constant ones left out."""
    cuts = np.quantile(features[train], (0.25, 0.5, 0.75), axis=0)
    above = np.concatenate([features > cut for cut in cuts], axis=1)
    return above[:, above[train].any(axis=0) & ~above[train].all(axis=0)]


def minority_count(shown: Mask, positive: Mask) -> int:
    """Training rows on the wrong side of the best labelling of equal patterns."""
    _, pattern = np.unique(np.packbits(shown, axis=1), axis=0, return_inverse=True)
    ones = np.bincount(pattern.ravel(), weights=positive)
    return int(np.minimum(ones, np.bincount(pattern.ravel()) - ones).sum())


def panels(shown: Mask, positive: Mask, budgets: Sequence[float] = BUDGETS) -> list[list[int]]:
    """For each budget the indicators kept; shown (n, indicators) and positive (n,) of training rows.

    Indicators are tried once, from the weakest class difference to the strongest, and dropped when the error
    stays within the budget.
    """
    difference = np.abs(shown[positive].mean(axis=0) - shown[~positive].mean(axis=0))
    order = np.lexsort((np.arange(len(difference)), difference)).tolist()
    full = minority_count(shown, positive)
    kept: list[list[int]] = []
    for budget in budgets:
        allowed = full + int(budget * len(positive))
        panel = list(range(shown.shape[1]))
        for indicator in order:
            rest = [i for i in panel if i != indicator]
            if rest and minority_count(shown[:, rest], positive) <= allowed:
                panel = rest
        kept.append(panel)
    return kept


def main(table: str, output: str, model: str = "tree") -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    from certify import Pool
    from certify.bounds import Requirement, best, initial_lower, lower_after
    from certify.certificate import covering_program
    from certify.tolerance import exact_tolerance
    from solvers import solve, write_problem

    features = np.loadtxt(table, delimiter=",", usecols=range(10))
    labels = np.loadtxt(table, delimiter=",", usecols=10, dtype=np.str_) == "g"
    rows = np.arange(len(labels))
    train, held = train_test_split(rows, test_size=0.3, stratify=labels, random_state=SPLIT_SEED)
    shown = indicators(features, train)
    chosen = panels(shown[train], labels[train])
    predictions, confidences = [], []
    for panel in chosen:
        classifier = (
            DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
            if model == "tree"
            else LogisticRegression(C=1.0, max_iter=1000)
        )
        probability = classifier.fit(shown[train][:, panel], labels[train]).predict_proba(
            shown[held][:, panel]
        )
        predictions.append(probability.argmax(axis=1))
        confidences.append(probability.max(axis=1))
    pool = Pool.binary(predictions, confidences)
    requirement = Requirement.of(exact_tolerance("0"), pool.risks.scale)
    codes = pool.codes(labels[held].astype(int).tolist())
    winner, _ = best(lower_after(pool.risks, codes), requirement)
    program = covering_program(pool.risks, codes, initial_lower(pool.risks), requirement, winner)
    solution = solve(program)
    print(
        f"panels of {[len(panel) for panel in chosen]} indicators; panel {winner} wins on {pool.n} rows; "
        f"C(y) in [{solution.bound}, {solution.objective}]"
    )
    write_problem(output, program)


if __name__ == "__main__":
    main(*sys.argv[1:])
