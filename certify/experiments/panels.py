"""The 108 comparisons of feature panels: nine tables, three splits, two models, K = 4 and 8.

After Kuboyama 2026, *How Many Labels Does Model Choice Need?*, section 6.1. A stratified 30 % of the rows is
held out. Candidates differ in the features they see: indicators of training-row quartiles, thinned by a
fixed-order backward search within one of eight error budgets. The paper's split seeds are not public but for
731, so its figures are met approximately. Needs scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
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
NESTED = {2: (0, 4), **COMPARED}
"""The same with two candidates, who are among the four (section 6.5)."""

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
Probabilities = npt.NDArray[np.float64]


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


FITTED = tuple(f"{dataset}-{split}-{model}" for dataset in TABLES for split in SPLITS for model in MODELS)
"""Names of the 54 collections of fitted candidates."""


def conditions_of(fitted: str, candidates: Iterable[int]) -> list[Condition]:
    """The comparisons of so many candidates each of a fitted collection."""
    dataset, split, model = fitted.split("-")
    return [Condition(dataset, int(split), model, number) for number in candidates]


CONDITIONS = tuple(condition for name in FITTED for condition in conditions_of(name, COMPARED))


@dataclass(frozen=True, eq=False)
class Split:
    """train, held: row positions. shown: (n, indicators). positive: (n,). panels: indicators of the eight."""

    train: Rows
    held: Rows
    shown: Mask
    positive: Mask
    panels: list[list[int]]


def indicators(features: npt.NDArray[np.float64], train: Rows) -> Mask:
    """Where a feature exceeds a quartile of its training rows: (n, 3 × features), constant ones left out.

    The three of a feature stand side by side. A tree breaks ties between splits by the order of columns, and
    with this one the public split of Ionosphere has the paper's smallest certificate.
    """
    cuts = np.quantile(features[train], (0.25, 0.5, 0.75), axis=0)
    above = np.stack([features > cut for cut in cuts], axis=2).reshape(len(features), -1)
    return above[:, above[train].any(axis=0) & ~above[train].all(axis=0)]


def minority_count(shown: Mask, positive: Mask) -> int:
    """Training rows on the wrong side of the best labelling of equal patterns."""
    n, indicators = shown.shape
    padded = np.zeros((n, -(-indicators // 64) * 8), dtype=np.uint8)
    packed = np.packbits(shown, axis=1)
    padded[:, : packed.shape[1]] = packed
    words = padded.view(np.uint64)  # sorting a few integers a row is much faster than sorting patterns
    order = np.lexsort(words.T)
    starts = np.ones(n, dtype=bool)
    starts[1:] = (words[order[1:]] != words[order[:-1]]).any(axis=1)
    counts = np.diff(np.append(np.flatnonzero(starts), n))
    ones = np.add.reduceat(positive[order].astype(np.int64), np.flatnonzero(starts))
    return int(np.minimum(ones, counts - ones).sum())


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


def held_out(positive: Mask, seed: int) -> tuple[Rows, Rows]:
    """Positions of the training rows and of a stratified 30 %. Raises `PoolError` without scikit-learn."""
    need_sklearn()
    from sklearn.model_selection import train_test_split

    train, held = train_test_split(
        np.arange(len(positive)), test_size=0.3, stratify=positive, random_state=seed
    )
    return train, held


@cache  # all 27 splits and their fits take some tens of megabytes
def split_of(dataset: str, seed: int) -> Split:
    """A table's split and its eight panels. Raises `PoolError` when scikit-learn is missing."""
    data = table(dataset)
    train, held = held_out(data.positive, seed)
    shown = indicators(data.features, train)
    return Split(train, held, shown, data.positive, panels(shown[train], data.positive[train]))


def compared(condition: Condition) -> tuple[Pool, Codes]:
    """The pool of a condition and its true labels. A process searches panels and fits only once."""
    sources = split_of(condition.dataset, condition.split)
    fitted = _fitted(condition.dataset, condition.split, condition.model)
    return pool_of(fitted, NESTED[condition.candidates], sources)


@cache
def _fitted(dataset: str, seed: int, model: str) -> list[Probabilities]:
    sources = split_of(dataset, seed)
    return fits(sources, sources.panels, model)


def fits(sources: Split, panels: Sequence[Sequence[int]], model: str) -> list[Probabilities]:
    """Class probabilities on the held-out rows, (held, 2), of a model that sees a panel, for each panel."""
    fitted = []
    for panel in panels:
        shown = sources.shown[:, panel]
        classifier = classifier_of(model).fit(shown[sources.train], sources.positive[sources.train])
        fitted.append(classifier.predict_proba(shown[sources.held]))
    return fitted


def pool_of(fitted: Sequence[Probabilities], chosen: Sequence[int], sources: Split) -> tuple[Pool, Codes]:
    """The pool of the chosen panels' candidates, and the true labels of the held-out rows."""
    pool = Pool.binary(
        [fitted[panel].argmax(axis=1) for panel in chosen],
        [fitted[panel].max(axis=1) for panel in chosen],
        names=[f"panel-{panel}" for panel in chosen],
    )
    return pool, pool.codes(sources.positive[sources.held].astype(int).tolist())


def classifier_of(model: str) -> Any:
    """An unfitted classifier of scikit-learn, for one of `MODELS`."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    if model == "tree":
        return DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    return LogisticRegression(C=1.0, max_iter=1000)
