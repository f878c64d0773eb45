"""What one pool needs, as rows of a result file: bounds, certificates and the labels that policies read.

One row a measure of a condition; `labels` counts labels. Measures that studies share:

prelabel       C̲ at a tolerance (section 4.2)
certificate    C(y), between `least` and `labels`, both checked in integers; equal where it is proven exact.
               `steps`: steps of the proof's tree
a policy name  labels read until the choice is certain at a tolerance, and the `candidate` returned
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from certify.bounds import EXACT, Requirement, initial_lower, lower_after, satisfied
from certify.budget import prelabel_bound
from certify.certificate import Certificate, covering_program, minimum_certificate
from certify.classes import Labels
from certify.pool import Pool
from certify.replay import replay
from certify.risks import Codes
from certify.tolerance import exact_tolerance
from certify.tolerances import tolerances_along
from solvers import checker, solve
from solvers.studies.study import Columns, Row

FACTS = "facts"
"""The piece of work that no policy has a part in."""
DRAWN = ("random", "vma", "model-selector")
"""Policies in which chance enters; they run once a seed, the others once."""
BASE, OURS = "adaptive-pair-sum", "expected-gain"
"""The paper's best policy and the one that is measured against it."""
TOLERANCES = ("0", "0.0005", "0.001", "0.002", "0.005", "0.01")

COLUMNS: Columns = {
    "condition": str,
    "n": int,
    "measure": str,
    "tolerance": str,
    "seed": int,
    "labels": int,
    "least": int,
    "candidate": int,
    "steps": int,
    "value": float,
}


def keys(names: Iterable[str], policies: Sequence[str], seeds: int) -> list[str]:
    """NAME/facts, NAME/POLICY and, where chance enters, NAME/POLICY/SEED."""
    pieces = [FACTS]
    for policy in policies:
        pieces += [f"{policy}/{seed}" for seed in range(seeds)] if policy in DRAWN else [policy]
    return [f"{name}/{piece}" for name in names for piece in pieces]


def parsed(key: str) -> tuple[str, str, int | None]:
    """Name, piece and seed of a key."""
    name, piece, *seed = key.split("/")
    return name, piece, int(seed[0]) if seed else None


def reads(pool: Pool, codes: Codes, policy: str, seed: int | None = None) -> Iterator[Row]:
    """What a policy reads until its choice is certain; at all tolerances where chance does not enter."""
    run = replay(pool, codes, policy, seed=seed or 0)
    # an order does not depend on the tolerance, so the exact run passes every other one's stop
    grid = tolerances_along(pool, codes, run.rows).grid(TOLERANCES if seed is None else TOLERANCES[:1])
    for tolerance, stop in zip(TOLERANCES, grid, strict=False):
        yield {
            "measure": policy,
            "tolerance": tolerance,
            "seed": seed,
            "labels": stop.labels,
            "candidate": stop.candidate,
        }


def prelabel(pool: Pool, tolerance: str = "0") -> Row:
    """C̲ at a tolerance."""
    return {"measure": "prelabel", "tolerance": tolerance, "labels": prelabel_bound(pool, tolerance)}


def exact_certificate(pool: Pool, codes: Codes) -> Row:
    """C(y), after the standalone checker has read its proof back from a file.

    Raises `solvers.checker.Rejected` if the proof does not hold, which only a defect here could cause.
    """
    found = minimum_certificate(pool, Labels(codes))
    _check(pool, codes, found)
    return {
        "measure": "certificate",
        "tolerance": "0",
        "labels": found.size,
        "least": found.lower_bound,
        "candidate": found.winner,
        "steps": len(found.proof["sections"][0].get("tree", [])),
    }


def _check(pool: Pool, codes: Codes, found: Certificate) -> None:
    program = covering_program(pool.risks, codes, initial_lower(pool.risks), EXACT, found.winner)
    problem = checker.Problem(program.demands.tolist(), program.gains.tolist(), program.n)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        found.write_proof(path)
        checker.check(checker.read_proof(path), problem)


def certificate_bracket(pool: Pool, codes: Codes, tolerance: str) -> Row:
    """C_τ(y) between two numbers of labels, over all candidates that may be returned."""
    requirement = Requirement.of(exact_tolerance(tolerance), pool.risks.scale)
    before, after = initial_lower(pool.risks), lower_after(pool.risks, codes)
    low = high = pool.n
    for k in np.flatnonzero(satisfied(after, requirement).all(axis=0)):
        program = covering_program(pool.risks, codes, before, requirement, int(k))
        found = solve(program) if pool.candidates == 2 else solve(program, "sifting", closing="none")
        if found.bound is None or found.objective is None:
            raise AssertionError(
                "every row read certifies this candidate, so there is a smallest certificate"
            )
        low, high = min(low, int(found.bound)), min(high, int(found.objective))
    return {"measure": "certificate", "tolerance": tolerance, "labels": high, "least": low}
