"""The 108 panel comparisons: what each needs, by every test, policy and tolerance (Kuboyama 2026, 6.1–6.5).

Beside the measures of `certify.experiments.measures`:

separate, centred, shared  where the three stopping tests fire along the static-range order (section 6.4)
spearman                   mean pairwise rank correlation of the confidences, in `value` (section 6.7)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from certify.experiments import measures, panel_comparison, panel_pictures
from certify.experiments.panels import COMPARED, FITTED, compared, conditions_of
from certify.paths import whole_order
from certify.policies import POLICIES
from certify.pool import Pool
from certify.risks import Codes
from certify.stopping_tests import TESTS, first_stops
from solvers.studies.study import Row, Study


def keys(seeds: int) -> Sequence[str]:
    """TABLE-SPLIT-MODEL/facts, …/POLICY and …/POLICY/SEED, each for both numbers of candidates."""
    return measures.keys(FITTED, POLICIES, seeds)


def work(key: str) -> list[Row]:
    """The rows of one key."""
    name, piece, seed = measures.parsed(key)
    rows: list[Row] = []
    for condition in conditions_of(name, COMPARED):
        pool, codes = compared(condition)
        measured = facts(pool, codes) if piece == measures.FACTS else measures.reads(pool, codes, piece, seed)
        rows += [{"condition": condition.name, "n": pool.n, **row} for row in measured]
    return rows


def facts(pool: Pool, codes: Codes) -> Iterator[Row]:
    """Bounds, certificates and stopping tests: everything that no policy has a part in."""
    yield measures.exact_certificate(pool, codes)
    for tolerance in measures.TOLERANCES:
        yield measures.prelabel(pool, tolerance)
        if tolerance != "0":
            yield measures.certificate_bracket(pool, codes, tolerance)
    stops = first_stops(pool, codes, whole_order(pool, "static-range"))
    for test in TESTS:
        yield {"measure": test, "tolerance": "0", "labels": getattr(stops, test)}
    yield {"measure": "spearman", "value": mean_spearman(pool)}


def mean_spearman(pool: Pool) -> float | None:
    """Mean rank correlation of the pairs of confidences that are not constant; None without such a pair."""
    from scipy.stats import rankdata

    ranks = [rankdata(row) for row in pool.confidences if row.min() < row.max()]
    if len(ranks) < 2:
        return None
    matrix = np.corrcoef(ranks)
    return float(matrix[np.triu_indices(len(ranks), 1)].mean())


STUDY = Study(
    name="panels",
    title="The 108 feature-panel comparisons: bounds, certificates, tests, policies and tolerances",
    columns=measures.COLUMNS,
    keys=keys,
    work=work,
    compare=panel_comparison.compare,
    pictures=panel_pictures.pictures,
    seconds=400,
)
