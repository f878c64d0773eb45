"""The 108 comparisons of feature panels: nine tables, three splits, two models, K = 4 and 8.

After Kuboyama 2026, *How Many Labels Does Model Choice Need?*, section 6.1. A stratified 30 % of the rows is
held out. Candidates differ in the features they see: indicators of training-row quartiles, thinned by a
fixed-order backward search within one of eight error budgets. The paper's split seeds are not public but for
731, so its figures are met approximately. Needs scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.experiments.data import TABLES, need_sklearn, table
from certify.pool import Pool
from certify.risks import Codes

BUDGETS = (0.0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.12, 0.16)
"""Minority-count errors a panel may have above the full set of indicators, as shares of the training rows."""
SPLITS = (731, 732, 733)
MODELS = ("tree", "logistic")
COMPARED = {4: (0, 2, 4, 6), 8: (0, 1, 2, 3, 4, 5, 6, 7)}
"""For each number of candidates, which of the eight panels they see."""

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Condition:
    """One comparison: `candidates` classifiers of one kind on the rows that a split of a table holds out."""

    dataset: str
    split: int
    model: str
    candidates: int

    @property
    def name(self) -> str:
        return f"{self.dataset}-{self.split}-{self.model}-{self.candidates}"


CONDITIONS = tuple(
    Condition(dataset, split, model, candidates)
    for dataset in TABLES
    for split in SPLITS
    for model in MODELS
    for candidates in COMPARED
)


@dataclass(frozen=True, eq=False)
class Split:
    """train, held: row positions. shown: (n, indicators). positive: (n,). panels: indicators of the eight."""

    train: Rows
    held: Rows
    shown: Mask
    positive: Mask
    panels: list[list[int]]


def indicators(features: npt.NDArray[np.float64], train: Rows) -> Mask:
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


@lru_cache(maxsize=1)
def split_of(dataset: str, seed: int) -> Split:
    """A table's split and its eight panels. Raises `PoolError` when scikit-learn is missing."""
    need_sklearn()
    from sklearn.model_selection import train_test_split

    data = table(dataset)
    rows = np.arange(len(data.positive))
    train, held = train_test_split(rows, test_size=0.3, stratify=data.positive, random_state=seed)
    shown = indicators(data.features, train)
    return Split(train, held, shown, data.positive, panels(shown[train], data.positive[train]))


def compared(condition: Condition) -> tuple[Pool, Codes]:
    """The pool of a condition and its true labels.

    Neighbours in `CONDITIONS` share the panel search and the fits, so that order is the fast one.
    """
    sources = split_of(condition.dataset, condition.split)
    fitted = _fitted(condition.dataset, condition.split, condition.model)
    chosen = COMPARED[condition.candidates]
    pool = Pool.binary(
        [fitted[panel].argmax(axis=1) for panel in chosen],
        [fitted[panel].max(axis=1) for panel in chosen],
        names=[f"panel-{panel}" for panel in chosen],
    )
    return pool, pool.codes(sources.positive[sources.held].astype(int).tolist())


@lru_cache(maxsize=1)
def _fitted(dataset: str, seed: int, model: str) -> list[npt.NDArray[np.float64]]:
    """Class probabilities on the held-out rows, (held, 2), for each panel."""
    sources = split_of(dataset, seed)
    fitted = []
    for panel in sources.panels:
        shown = sources.shown[:, panel]
        classifier = _classifier(model).fit(shown[sources.train], sources.positive[sources.train])
        fitted.append(classifier.predict_proba(shown[sources.held]))
    return fitted


def _classifier(model: str) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    if model == "tree":
        return DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    return LogisticRegression(C=1.0, max_iter=1000)
