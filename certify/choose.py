"""The driver: ask the policy, ask the oracle, tell the session, until the choice is certain."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike

from certify.errors import PoolError
from certify.policies import DEFAULT_POLICY
from certify.pool import Pool
from certify.session import Session
from certify.tolerance import Exact
from certify.totals import Given
from certify.verdict import Verdict


def choose(
    pool: Pool,
    oracle: Callable[[int], object],
    policy: str = DEFAULT_POLICY,
    tolerance: Exact = "0",
    budget: int | None = None,
    seed: int = 0,
    journal: str | PathLike[str] | None = None,
    progress: Callable[[Verdict], None] | None = None,
    totals: Given | None = None,
) -> Verdict:
    """Buy labels from `oracle` (row position → label, or None / ``"?"`` for *cannot say*) until some
    candidate is certified, `budget` labels are bought, or no row is left to ask for.

    The verdict of a spent budget names the candidate with the smallest worst-case excess (paper,
    section 5). With `journal` every label is kept before the next is bought; `progress` sees the verdict
    after each. `totals`: see `Session`.

    >>> import certify
    >>> from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
    >>> pool = certify.read_pool(IONOSPHERE)
    >>> truth = certify.read_labels(IONOSPHERE_LABELS, pool)
    >>> verdict = certify.choose(pool, lambda row: pool.classes[truth.codes[row]], policy="static-range")
    >>> verdict.certified, pool.names[verdict.winner], str(verdict.gap)
    (True, 'bayes', '0')
    """
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int) or budget < 0):
        raise PoolError(f"budget {budget!r} is not a whole number of labels ≥ 0")
    with Session(pool, policy, tolerance, seed, journal, totals=totals) as session:
        while budget is None or session.labels_read < budget:
            rows = session.ask(1)
            if not rows:
                break
            session.tell(rows, [oracle(row) for row in rows])
            if progress is not None:
                progress(session.verdict)
        return session.verdict
