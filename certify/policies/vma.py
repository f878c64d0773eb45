"""VMA: rows on which candidates' losses differ are drawn sooner (Hara et al. 2024; paper, section 6.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from certify.policies.orders import FixedPolicy, distinct, pair_sum_scores
from certify.pool import Pool

_FLOOR = 0.01


def vma_scores(pool: Pool) -> npt.NDArray[np.float64]:
    """0.01 + Σ_{j<k} of half the pair's span, with weights scaled to a mean of one; (n,).

    That is the expected |ℓ_j − ℓ_k| when every prediction is wrong with probability ½; for AUGRC it reads
    0.01 + (1/2n) Σ |a_ji − a_ki|. Duplicates count once.
    """
    risks = pool.risks
    mean = risks.weights.mean(dtype=np.float64)
    spans = pair_sum_scores(risks, distinct(risks)).astype(np.float64)
    scores: npt.NDArray[np.float64] = _FLOOR + spans / (2 * mean)
    return scores


def vma_order(pool: Pool, seed: int) -> FixedPolicy:
    """Draws rows without replacement, each time with probability proportional to `vma_scores`.

    Waiting times Exp(1)/score, sorted, have the law of these draws (Efraimidis and Spirakis 2006).
    """
    # raw bits, because numpy keeps their stream for ever; 52 of them, so that no uniform is 0 or 1
    bits = np.random.PCG64(seed).random_raw(pool.n) >> np.uint64(12)
    uniform = (bits + 0.5) * 2.0**-52
    return FixedPolicy("vma", np.argsort(-np.log1p(-uniform) / vma_scores(pool), kind="stable"))
