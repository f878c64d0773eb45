"""What a certificate proof claims, held against demands and gains derived from pool and labels.

For the winner k and every rival j in index order the demand is D_j = max(0, level − L_jk(∅)) and row i
gains g_ji = value − lowest (certificate paper, section 4.1); for AURC demands are too small and gains too
large by what rounding may hide, so that a bound holds for certificates. Bounds and witness are then checked
by `solvers.checker`, which reads nothing but integers.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.audit.exact import AuditPool, Bounds, Rule, exact_number, total_losses
from certify.audit.objectives import is_objective
from certify.audit.report import Lie
from certify.errors import PoolError
from solvers import checker

KIND = "certify-certificate"
TIE_RULES = {True: "smaller index wins", False: "none"}
_ENTRIES = {"kind", "winner", "candidates", "tolerance", "objective", "n", "tie_rule"}


@dataclass(frozen=True)
class Claim:
    """The proof as parsed, with the entries of its context that say what it is about."""

    proof: dict[str, Any]
    candidates: tuple[str, ...]
    winner: str
    tolerance: Fraction
    objective: str


def read_claim(path: Path) -> Claim:
    """The proof's own consistency: JSON, checksum and context. `PoolError` for a proof of something else."""
    try:
        proof = checker.read_proof(path)
    except checker.Rejected as error:
        raise Lie(str(error)) from None
    if proof.get("format") != checker.FORMAT:
        raise PoolError(f"{path}: the format is not {checker.FORMAT!r}; audit accepts journals and proofs")
    if proof.get("checksum") != checker.checksum(proof):
        raise Lie("the checksum does not fit the content: something was changed")
    context = proof.get("context")
    if not isinstance(context, dict) or context.get("kind") != KIND:
        raise PoolError(f"{path}: not the proof of a certificate; `solvers check` checks other proofs")
    if set(context) != _ENTRIES:
        raise Lie(f"entries {sorted(set(context) ^ _ENTRIES)} of the context are missing or unknown")
    candidates, tolerance = context["candidates"], exact_number(context["tolerance"])
    if not isinstance(candidates, list) or not all(isinstance(name, str) for name in candidates):
        raise Lie(f"candidates {candidates!r} are not a list of names")
    if tolerance is None:
        raise Lie(f"tolerance {context['tolerance']!r} is not an exact number ≥ 0")
    if not is_objective(context["objective"]):
        raise Lie(f"objective {context['objective']!r} is not one that certify proves anything about")
    if context["tie_rule"] != TIE_RULES[tolerance == 0]:
        raise Lie(f"tie rule {context['tie_rule']!r}; at this tolerance it is {TIE_RULES[tolerance == 0]!r}")
    if context["winner"] not in candidates:
        raise Lie(f"winner {context['winner']!r} is none of the candidates {candidates}")
    return Claim(proof, tuple(candidates), context["winner"], tolerance, context["objective"])


def check_subject(claim: Claim, pool: AuditPool) -> str:
    """The proof is about this pool: same candidates in the same order, same number of rows."""
    if claim.candidates != pool.names:
        raise Lie(f"candidates {list(claim.candidates)}; the pool has {list(pool.names)}")
    stated = claim.proof["context"]["n"]
    if type(stated) is not int or stated != pool.n:
        raise Lie(f"n = {stated!r}; the pool has {pool.n} rows")
    return f"{len(pool.names)} candidates in tie order, {pool.n} rows, tolerance {claim.tolerance}"


def check_winner(claim: Claim, rule: Rule, bounds: Bounds, labels: Sequence[int]) -> str:
    """All known labels together certify the winner; with every label known that is the smallest full risk,
    the smaller index at ties, or one within the tolerance of it.

    labels: a class code a row, −1 where unknown. `bounds` must have read nothing yet.
    """
    read = bounds.copy()
    for row, label in enumerate(labels):
        if label >= 0:
            read.read(row, label)
    known = sum(label >= 0 for label in labels)
    found = f"{known} labels known"
    if known == bounds.n:
        found = f"full risks {total_losses(bounds, labels)} / {bounds.scale}"
    names = claim.candidates
    certified = [names[k] for k in read.certified(rule)]
    if claim.winner not in certified:
        raise Lie(f"{found}: they certify {', '.join(certified) or 'nobody'}, not {claim.winner}")
    return f"{found}: they certify {', '.join(certified)}"


def targets(claim: Claim) -> list[int]:
    """The candidate each section is about: the winner at tolerance 0, else every candidate in order."""
    sections = claim.proof.get("sections")
    expected = [claim.winner] if claim.tolerance == 0 else list(claim.candidates)
    listed = sections if isinstance(sections, list) else []
    stated = [section.get("name") if isinstance(section, dict) else None for section in listed]
    if stated != expected:
        raise Lie(f"sections about {stated}; the claim needs one about each of {expected}, in this order")
    return [claim.candidates.index(name) for name in expected]


def covering_problems(
    bounds: Bounds, rule: Rule, labels: Sequence[int], ks: Sequence[int]
) -> list[checker.Problem]:
    """One covering problem a target k; a row without a label gains nothing. O(K²n).

    `bounds` must have read nothing yet.
    """
    everyone = range(len(bounds.lower))
    gains = {(j, k): array("q", bytes(8 * bounds.n)) for k in ks for j in everyone if j != k}
    for row, label in enumerate(labels):
        if label < 0:
            continue
        values = bounds.differences(bounds.losses(row, label))
        for (j, k), value, least, most in zip(bounds.pairs, values, *bounds.extremes(row), strict=True):
            if (j, k) in gains:
                gains[j, k][row] = bounds.at_most(row, j, k, value - least)
            if (k, j) in gains:
                gains[k, j][row] = bounds.at_most(row, k, j, most - value)
    return [
        checker.Problem(
            [bounds.demand(rule, j, k) for j in everyone if j != k],
            [gains[j, k] for j in everyone if j != k],
            bounds.n,
        )
        for k in ks
    ]


def check_proof(claim: Claim, problems: Sequence[checker.Problem]) -> str:
    """Every multiplier, numerator, bound, the witness and the bracket, by the solvers' checker."""
    try:
        return "; ".join(checker.check(claim.proof, problems))
    except checker.Rejected as error:
        raise Lie(str(error)) from None


def check_witness(
    claim: Claim,
    rule: Rule,
    problems: Sequence[checker.Problem],
    ks: Sequence[int],
    bounds: Bounds,
    labels: Sequence[int],
) -> str:
    """Read the witness's rows and nothing else: the winner must be certified (Theorem 1).

    `bounds` must have read nothing yet. The proof has passed `check_proof`.
    """
    witness = claim.proof["witness"]
    if witness is None:
        raise Lie("there is no witness, so no certificate")
    at = witness["section"]
    if claim.candidates[ks[at]] != claim.winner:
        raise Lie(f"the witness certifies {claim.candidates[ks[at]]}, not {claim.winner}")
    rows = witness_rows(claim.proof["sections"][at], witness, problems[at])
    if len(rows) != witness["size"]:
        raise Lie(f"the witness has {len(rows)} rows, not {witness['size']}")
    read = bounds.copy()
    for row in rows:
        if labels[row] < 0:
            raise Lie(f"row {row} of the witness has no label")
        read.read(row, labels[row])
    if ks[at] not in read.certified(rule):
        raise Lie(f"after reading the {len(rows)} rows of the witness, {claim.winner} is not certified")
    return f"{len(rows)} rows read, no other: {claim.winner} is certified whatever the other labels are"


def witness_rows(
    section: Mapping[str, Any], witness: Mapping[str, Any], problem: checker.Problem
) -> list[int]:
    """The rows of the witness: those with q < p·g, save in the listed classes of rows with equal gains,
    of which the first t are taken."""
    multipliers, denominator = section["multipliers"], section["denominator"]
    columns = list(zip(*problem.gains, strict=True))
    left = {columns[row]: taken for row, taken in witness["deviations"]}
    rows = []
    for row, gains in enumerate(columns):
        if gains not in left:
            if sum(p * g for p, g in zip(multipliers, gains, strict=True)) > denominator:
                rows.append(row)
        elif left[gains] > 0:
            left[gains] -= 1
            rows.append(row)
    return rows
