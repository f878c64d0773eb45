"""Everything a page says, worked out in exact integers before a word of it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from certify.bounds import PairMatrix, Requirement, initial_lower
from certify.budget import fewest_labels, pair_requirements
from certify.errors import PoolError
from certify.replay import Replay, replay
from certify.report_page.anatomy import Anatomy, dissect
from certify.report_page.course import Course, RuledOut, follow, ruled_out
from certify.report_page.history import History, read_history
from certify.report_page.waste import Waste, waste
from certify.risks import UNLABELLED, Codes, Risks
from certify.tolerance import decimal_text, exact_tolerance

if TYPE_CHECKING:
    from certify.classes import Labels
    from certify.pool import Pool
    from certify.session import Session
    from certify.verdict import Verdict

TOLERANCES = ("0", "0.0005", "0.001", "0.002", "0.005", "0.01")
"""The paper's grid (section 6.3.1)."""


@dataclass(frozen=True, eq=False)
class Settings:
    """What was fixed at the start, and where the journal stands."""

    policy: str
    tolerance: Fraction
    seed: int
    totals: Mapping[str, int] | None
    head: str
    skipped: int
    leased: int


@dataclass(frozen=True)
class Step:
    """One tolerance: labels that are needed at least, whatever they say, and after how many of the session's
    somebody was certified (None: not yet)."""

    tolerance: Fraction
    bound: int
    after: int | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Policies run on the known labels, each from none, with the session's tolerance and seed.

    left_out: policies not run.
    """

    runs: tuple[tuple[str, Replay], ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Findings:
    """What the page says.

    before, lower: L with no label and now, (K, K). missing: m_jk now on the rows that can still be read,
    (K, K). bound: C̲ before any label. unknown: how many rows have no label, neither in the journal nor in
    the labels given. anatomy: of the minimum certificate among the known labels, None when these certify
    nobody. comparison, waste: None unless every label is known; waste also with rounded weights. Under class
    totals, which tie the rows together, ruled_out, anatomy, comparison and waste are None, and bound and
    missing are not true.
    """

    pool: Pool
    settings: Settings
    history: History
    verdict: Verdict
    codes: Codes
    before: PairMatrix
    lower: PairMatrix
    missing: PairMatrix
    requirement: Requirement
    course: Course
    ruled_out: RuledOut | None
    bound: int
    steps: tuple[Step, ...]
    unknown: int
    labels_given: bool
    anatomy: Anatomy | None
    comparison: Comparison | None
    waste: Waste | None
    askable: int
    """Rows that could still be asked for."""

    @property
    def leader(self) -> int:
        return self.verdict.winner

    @property
    def certified_after(self) -> int | None:
        """How many labels it took, None while the choice is open."""
        if not self.verdict.certified:
            return None
        first = self.course.firsts[0]
        return self.history.certified_after if first is None else first


def find(
    path: Path, session: Session, labels: Labels | None = None, policies: Sequence[str] = ()
) -> Findings:
    """The findings of the journal at `path`, from which `session` was resumed.

    labels: known labels of the pool, to be joined with those of the journal; nothing is recorded. policies:
    which to compare when every label is known.

    Raises `PoolError` where a known label is not the one in the journal.
    """
    pool, verdict, codes = session.pool, session.verdict, session.labels
    risks = pool.risks
    history = read_history(path, session)
    requirement = Requirement.of(session.tolerance, risks.scale)
    before, lower = initial_lower(risks), session.lower
    readable = codes == UNLABELLED
    readable[session.skipped] = False
    askable = readable if session.totals is not None else readable & risks.matters
    known = codes if labels is None else _joined(pool, codes, labels)
    unknown = int(np.count_nonzero(known == UNLABELLED))
    tolerances = sorted({*map(exact_tolerance, TOLERANCES)} - {session.tolerance})
    grid = [Requirement.of(value, risks.scale) for value in tolerances]
    course = follow(risks, codes, history.rows, before, verdict.winner, requirement, grid)
    anatomy = None
    additive = session.totals is None  # under class totals a row has no gain of its own
    if additive and (verdict.certified or (labels is not None and unknown < pool.n)):
        anatomy = dissect(pool, known, before, requirement, session.tolerance)
    comparison = spent = None
    if not unknown and anatomy is not None:
        runs = [(name, replay(pool, known, name, session.tolerance, seed=session.seed)) for name in policies]
        comparison = Comparison(tuple(runs), _left_out(policies))
        if risks.blocks is None:
            spent = waste(risks, known, history.rows, before, requirement, anatomy.certificate.size)
    steps = _steps(risks, before, (session.tolerance, *tolerances), (requirement, *grid), course)
    return Findings(
        pool=pool,
        settings=Settings(
            session.policy,
            session.tolerance,
            session.seed,
            None if session.totals is None else session.totals.record(),
            str(session.head),
            len(session.skipped),
            len(session.leases),
        ),
        history=history,
        verdict=verdict,
        codes=codes,
        before=before,
        lower=lower,
        missing=pair_requirements(risks, lower, requirement, np.flatnonzero(readable)),
        requirement=requirement,
        course=course,
        ruled_out=ruled_out(risks, before) if additive else None,
        bound=next(step.bound for step in steps if step.tolerance == session.tolerance),
        steps=steps,
        unknown=unknown,
        labels_given=labels is not None,
        anatomy=anatomy,
        comparison=comparison,
        waste=spent,
        askable=int(np.count_nonzero(askable)),
    )


def _joined(pool: Pool, read: Codes, labels: Labels) -> Codes:
    """Labels read and labels known, as one; they must not contradict each other."""
    known = pool.codes(labels).copy()
    both = (known != UNLABELLED) & (read != UNLABELLED)
    differing = np.flatnonzero(both & (known != read))
    if len(differing):
        row = int(differing[0])
        raise PoolError(
            f"{len(differing)} known labels are not those of the journal, first row {pool.ids[row]!r}: "
            f"{pool.classes[read[row]]!r} in the journal, {pool.classes[known[row]]!r} in the file; correct "
            "the journal (certify tell) or the file"
        )
    known[read != UNLABELLED] = read[read != UNLABELLED]
    return known


def _steps(
    risks: Risks,
    before: PairMatrix,
    tolerances: Sequence[Fraction],
    requirements: Sequence[Requirement],
    course: Course,
) -> tuple[Step, ...]:
    """One step a tolerance, ascending."""
    steps = [
        Step(value, fewest_labels(pair_requirements(risks, before, requirement)), after)
        for value, requirement, after in zip(tolerances, requirements, course.firsts, strict=True)
    ]
    return tuple(sorted(steps, key=lambda step: step.tolerance))


def _left_out(policies: Sequence[str]) -> tuple[str, ...]:
    from certify.policies import POLICIES

    return tuple(name for name in POLICIES if name not in policies)


def tolerance_text(value: Fraction) -> str:
    """A tolerance as it was written, or about what it is where that is long."""
    text = decimal_text(value)
    return text if len(text) <= 10 else f"about {float(value):.3g}"
