"""The fewest labels that would have fixed the choice, known once the labels are (paper, section 4.1).

For every candidate that may be returned, its certificates are the solutions of a covering program: take rows
until each rival's deficit is met by the rows' gains (Theorem 2, equation 8). `solvers` solves and proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement, initial_lower, lower_after
from certify.classes import Labels
from certify.deciding import answer, certified
from certify.errors import PoolError
from certify.pool import Pool
from certify.risks import Codes, Risks, blocks
from certify.tolerance import Exact, decimal_text, exact_tolerance
from certify.true_cover import TrueCover
from solvers import CoveringProgram, problem_files, proof, solve
from solvers.disk_tables import like


@dataclass(frozen=True, eq=False)
class Certificate:
    """A set of rows whose labels fix the choice, and how far from the smallest it can be.

    winner: the candidate they certify. rows: their positions, ascending. size: how many. lower_bound: no
    fewer labels certify anybody, proven in integers. proven: the two meet. tolerance: τ, a difference of the
    pool's objective.
    """

    winner: int
    rows: npt.NDArray[np.int64]
    lower_bound: int
    tolerance: Fraction
    _sections: tuple[proof.Section, ...] = field(repr=False)
    _context: dict[str, Any] = field(repr=False)

    @property
    def size(self) -> int:
        """How many rows."""
        return len(self.rows)

    @property
    def proven(self) -> bool:
        """Whether no smaller set would do; else the minimum is between `lower_bound` and `size`."""
        return self.lower_bound == self.size

    def records(self, pool: Pool) -> list[dict[str, Any]]:
        """One flat record a row of the certificate, such as `polars.DataFrame` or `pandas.DataFrame` takes.

        pool: the one it was found for. Keys: row (position), id, and the columns shown to whoever labels.
        """
        rows = self.rows.tolist()
        return [
            {"row": row, "id": name, **pool.shown(row)}
            for row, name in zip(rows, pool.ids_of(rows), strict=True)
        ]

    @cached_property
    def proof(self) -> dict[str, Any]:
        """The proof as a JSON-ready dict; `solvers.checker` states and checks its format.

        One section a candidate that may be returned, in pool order; a section's constraints are its rivals
        in pool order.
        """
        return proof.build(self._sections, self._context)

    def write_proof(self, path: str | PathLike[str]) -> None:
        """The proof as a text file."""
        proof.write(Path(path), self.proof)

    def write_problem(self, path: str | PathLike[str]) -> None:
        """The covering programs for the standalone checker: one (τ = 0) as .csv, any number as .cover."""
        programs = [section.program for section in self._sections]
        if Path(path).suffix.lower() == ".csv":
            (program,) = programs
            problem_files.write_csv(Path(path), program)
        else:
            problem_files.write_binary(Path(path), programs)


def minimum_certificate(
    pool: Pool,
    labels: Labels | Sequence[object] | npt.NDArray[np.generic],
    tolerance: Exact = "0",
    backend: str = "auto",
    time_limit: float | None = None,
) -> Certificate:
    """C(y): the smallest certificate for `labels`, with its proof.

    labels: one a row, class labels (error bits for a pool from `Pool.shared`), None where unknown; such
    rows cannot be part of a certificate. With a tolerance τ > 0 any candidate within τ of the best may be
    the one certified, and the minimum runs over all of them. backend, time_limit (seconds, for each
    program): see `solvers.solve`.

    Raises `PoolError` when the known labels together certify nobody. O(K n log n) and a small integer
    program for τ = 0, K times that otherwise.

    >>> import certify
    >>> from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
    >>> pool = certify.read_pool(IONOSPHERE)
    >>> found = certify.minimum_certificate(pool, certify.read_labels(IONOSPHERE_LABELS, pool))
    >>> pool.names[found.winner], found.size, found.lower_bound, found.proven
    ('bayes', 51, 51, True)
    """
    codes = pool.codes(labels)
    exact = exact_tolerance(tolerance)
    risks = pool.risks
    requirement = Requirement.of(exact, risks.scale)
    before, after = initial_lower(risks), lower_after(risks, codes)
    passing = certified(risks, after, requirement, lambda: codes)
    if not passing:
        raise _undecided(pool, codes, after, requirement)
    # the exact winner is one candidate; within a tolerance a target that fails is proven infeasible
    targets = passing if requirement.tie_rule else list(range(pool.candidates))
    sections = []
    for k in targets:
        program = covering_program(risks, codes, before, requirement, k)
        solution = solve(program, backend, time_limit)
        if risks.blocks is not None:
            cover = TrueCover(risks, codes, before, requirement, k, program)
            solution = cover.attained(solution, lambda strict: solve(strict, backend, time_limit))
        sections.append(proof.Section(pool.names[k], program, solution))
    found = [
        (int(section.solution.x.sum()), at)
        for at, section in enumerate(sections)
        if section.solution.x is not None
    ]
    if not found:
        reason = next((section.solution.reason for section in sections if section.solution.reason), "")
        raise PoolError(
            f"no certificate was found ({reason or 'within the time limit'}); give it more time, or memory"
        )
    _, at = min(found)
    witness = sections[at].solution.x
    assert witness is not None
    # a target that cannot be certified has no bound; one that can and has none proves nothing
    bounds = [
        section.solution.bound or 0
        for section, k in zip(sections, targets, strict=True)
        if k in passing or section.solution.bound is not None
    ]
    return Certificate(
        winner=targets[at],
        rows=np.flatnonzero(witness),
        lower_bound=min(map(int, bounds)),
        tolerance=exact,
        _sections=tuple(sections),
        _context={
            "kind": "certify-certificate",
            "objective": pool.objective.name,
            "candidates": list(pool.names),
            "winner": pool.names[targets[at]],
            "n": pool.n,
            "tolerance": decimal_text(exact),
            "tie_rule": "smaller index wins" if requirement.tie_rule else "none",
        },
    )


def covering_program(
    risks: Risks, codes: Codes, before: PairMatrix, requirement: Requirement, winner: int
) -> CoveringProgram:
    """The covering program of one returned candidate: a constraint for each rival, in pool order.

    gains (K − 1, n) and demands (K − 1,) of equation 7; `before` is L with no label read. With rounded
    weights gains are too large and demands too small, so that every certificate covers, and what bounds a
    cover from below bounds certificates.
    """
    rivals = [j for j in range(len(before)) if j != winner]
    rows = (_most_gains(risks, codes, j, winner) for j in rivals)
    gains = like(risks.kept, rows, np.int32, len(rivals))
    deficits = np.maximum(requirement.levels(len(before)) - before - risks.radius, 0)
    return CoveringProgram(gains, deficits[rivals, winner])


def _most_gains(risks: Risks, codes: Codes, j: int, k: int) -> npt.NDArray[np.int32]:
    """`Risks.most_gain` on all rows, (n,)."""
    gains = np.empty(len(codes), dtype=np.int32)
    for block in blocks(len(codes)):
        gains[block] = risks.most_gain(j, k, codes[block], block)
    return gains


def _undecided(pool: Pool, codes: Codes, lower: PairMatrix, requirement: Requirement) -> PoolError:
    leader, _, excess = answer(pool.risks, lower, requirement, lambda: codes)
    missing = int((codes < 0).sum())
    return PoolError(
        f"these labels certify nobody: {missing} of {pool.n} rows have none, and {pool.names[leader]} is "
        f"only known to be within {float(excess):.6g} {pool.objective.unit} of the best; label more rows, or "
        f"allow a tolerance of at least {decimal_text(excess)}"
    )
