"""The minimum certificate of the known labels, row by row and rival by rival."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement, added
from certify.certificate import Certificate, covering_program, minimum_certificate
from certify.classes import Labels
from certify.deciding import certified
from certify.risks import Codes

if TYPE_CHECKING:
    from certify.pool import Pool

_BINS = 40
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Anatomy:
    """What the certificate consists of.

    rivals: candidates other than its winner, (R,). demand, covered, available: what each needs, what the
    certificate's rows give and what all known rows could give, in 1/scale, (R,). rows: the certificate's
    rows, those that give most first, (S,). gains: what each gives, (R, S). ranks: their places in the
    winner's order, (S,), 1 for the most confident row, ties by row. wrong: whether the winner errs on them.
    bins: first rank of each of at most 40 equal stretches of that order, and one past the last; (B + 1,).
    """

    certificate: Certificate
    rivals: tuple[int, ...]
    demand: Counts
    covered: Counts
    available: Counts
    rows: Counts
    gains: Counts
    ranks: Counts
    wrong: npt.NDArray[np.bool_]
    bins: Counts


def dissect(
    pool: Pool, codes: Codes, before: PairMatrix, requirement: Requirement, tolerance: Fraction
) -> Anatomy | None:
    """The anatomy of the minimum certificate of `codes`; None when they certify nobody."""
    risks = pool.risks
    if not certified(risks, before + added(risks, codes), requirement, lambda: codes):
        return None
    certificate = minimum_certificate(pool, Labels(codes), tolerance)
    winner = certificate.winner
    program = covering_program(risks, codes, before, requirement, winner)
    gains, demand = np.asarray(program.gains), np.asarray(program.demands, dtype=np.int64)
    chosen = gains[:, certificate.rows].astype(np.int64)
    # only an order to show rows in: the sum of what each gives of every demand
    worth = (chosen / np.maximum(demand, 1)[:, None]).sum(axis=0)
    order = np.argsort(-worth, kind="stable")
    rows = certificate.rows[order]
    places = np.empty(pool.n, dtype=np.int64)
    places[np.argsort(-pool.confidences[winner], kind="stable")] = np.arange(1, pool.n + 1)
    predictions = risks.predictions[0 if risks.shared else winner]
    return Anatomy(
        certificate=certificate,
        rivals=tuple(j for j in range(pool.candidates) if j != winner),
        demand=demand,
        covered=chosen.sum(axis=1),
        available=gains.sum(axis=1, dtype=np.int64),
        rows=rows,
        gains=chosen[:, order],
        ranks=places[rows],
        wrong=predictions[rows] != codes[rows],
        bins=np.unique(np.linspace(1, pool.n + 1, min(_BINS, pool.n) + 1).round().astype(np.int64)),
    )
