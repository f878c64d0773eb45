"""What the labels of rows on which candidates disagree settle, and what they leave open (section 6.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from certify.bounds import EXACT, best, lower_after, satisfied
from certify.certificate import covering_program
from certify.policies.orders import distinct
from certify.pool import Pool
from certify.risks import UNLABELLED, Codes, Risks
from solvers import CoveringProgram, solve

Mask = npt.NDArray[np.bool_]


def disagreeing(pool: Pool) -> Mask:
    """Marks the rows on which at least two candidates predict different labels; (n,)."""
    return np.asarray((pool.predictions != pool.predictions[:1]).any(axis=0))


def settled(risks: Risks, codes: Codes) -> bool:
    """Whether the labels of `codes` ((n,), −1 where unread) certify a candidate."""
    return bool(satisfied(lower_after(risks, codes), EXACT).all(axis=0).any())


def error_counts(pool: Pool) -> Risks:
    """Accuracy instead of AUGRC: every row has weight 1."""
    return Risks(np.ones_like(pool.risks.weights), pool.risks.predictions, pool.n)


def possible_winners(risks: Risks, codes: Codes) -> set[int]:
    """Candidates that are the only best one, but for duplicates, under some labelling of the unread rows.

    For a binary pool whose candidates predict alike on these rows. The labellings tried make r_j − r_k
    smallest for every ordered pair, and r_j smallest against the mean of all, so the set may be too small
    but never too large.
    """
    kept = np.flatnonzero(distinct(risks))
    weights = risks.weights[kept].astype(np.int64)
    shared = risks.predictions[0]
    opponents = [(row, 1) for row in weights] + [(weights.sum(axis=0), len(kept))]
    found = set()
    for row in weights:
        for other, scale in opponents:
            wrong = scale * row < other
            filled = np.where(codes == UNLABELLED, shared ^ wrong.astype(np.int16), codes)
            totals = risks.totals(filled.astype(np.int16))[kept]
            if (totals == totals.min()).sum() == 1:
                found.add(int(kept[totals.argmin()]))
    return found


def still_needed(risks: Risks, codes: Codes, read: Mask) -> tuple[int, int]:
    """Fewest further labels that certify the winner of `codes` ((n,), all known) once `read` rows are.

    A lower and an upper end, both checked in integers.
    """
    winner, _ = best(lower_after(risks, codes), EXACT)
    seen = np.where(read, codes, UNLABELLED).astype(np.int16)
    program = covering_program(risks, codes, lower_after(risks, seen), EXACT, winner)
    rest = CoveringProgram(program.gains[:, ~read], program.demands)
    found = solve(rest) if len(rest.demands) == 1 else solve(rest, "sifting", closing="none")
    if found.bound is None or found.objective is None:
        raise AssertionError("every row read certifies the winner, so there is a smallest certificate")
    return int(found.bound), int(found.objective)
