"""Ask, tell, verdict: buying labels one by one until the choice is settled.

A session turns what it is told into events, and its state is a fold over these (`certify.state`). With a
journal the events of one call are committed together before the call returns; without one they are
applied and forgotten. Whether, and in which order, processes were killed and resumed in between makes no
difference to the rows asked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np

from certify.answers import Owned, checked_asker, checked_lease, checked_row, label_code, owned_labels
from certify.bounds import PairMatrix, Requirement, initial_lower
from certify.errors import PoolError
from certify.events import Event, timestamp
from certify.frozen import freeze, thaw
from certify.journal import Journal
from certify.policies import DEFAULT_POLICY, checked_seed, make_policy, propose
from certify.pool import Pool
from certify.risks import UNLABELLED, Codes
from certify.state import Lease, State
from certify.tolerance import Exact, decimal_text, exact_tolerance
from certify.totals import Given, Totals, too_many
from certify.verdict import Verdict
from solvers.journalled import Clock, Journalled

DEFAULT_ASKER = "annotator"
"""Who asks when nobody is named. Two who work at once need two names, or they get the same rows."""
LEASE_SECONDS = 3600.0


class Session(Journalled):
    """A labelling session on one pool.

    policy: one of `certify.POLICIES`. tolerance: a difference τ ≥ 0 of the pool's objective, an exact
    decimal. seed: for policies in which chance enters. journal: path of a new journal file, None to keep
    nothing.

    owned: labels that are there already, {row: label}, one a row with None where unknown, or `Labels` as
    read from a file. asker: who asks and tells unless a call names somebody else. lease_seconds: how long
    an asked row is kept for its asker. sources: names of the files the pool came from, for the journal.
    clock: Unix time in seconds. totals: how many rows of the pool have each class, {class: count}, where that
    is known; the stopping test then considers only completions with these totals (`certify.totals`).

    Rows are 0-based positions. Every error is a `PoolError`, and a call that raises one has recorded
    nothing.

    >>> import certify
    >>> from certify.bundled import IONOSPHERE
    >>> session = certify.Session(certify.read_pool(IONOSPHERE))
    >>> rows = session.ask(2)
    >>> session.tell(rows, ["g", "b"])
    >>> session.verdict.certified, session.verdict.labels_read
    (False, 2)
    """

    pool: Pool
    policy: str
    tolerance: Fraction
    seed: int
    totals: Totals | None
    asker: str
    journal_type = Journal
    _state: State

    def __init__(
        self,
        pool: Pool,
        policy: str = DEFAULT_POLICY,
        tolerance: Exact = "0",
        seed: int = 0,
        journal: str | os.PathLike[str] | None = None,
        *,
        owned: Owned | None = None,
        asker: str | None = None,
        lease_seconds: float = LEASE_SECONDS,
        sources: Sequence[str | os.PathLike[str]] = (),
        clock: Clock = time.time,
        totals: Given | None = None,
    ) -> None:
        path = None if journal is None else Path(journal)
        if path is not None:
            Journal.check_free(path)  # before the work that follows
        self._prepare(pool, policy, tolerance, seed, asker, lease_seconds, clock, totals)
        first = owned_labels(pool, owned)
        self._check_totals(*zip(*first, strict=True))
        self._announce()
        for row, code in first:
            if code != UNLABELLED:
                self._record(Event("own", {"row": row, "label": pool.classes[code]}))
        for row, code in first:
            if code == UNLABELLED:
                self._skip(row, self.asker)
        if path is not None:
            now = timestamp(clock())
            header = {
                "created": now,
                "names": pool.names,
                "classes": pool.classes,
                "kind": pool.kind,
                "n": pool.n,
                "policy": policy,
                "seed": self.seed,
                "tolerance": decimal_text(self.tolerance),
                "objective": pool.objective.name,
                "sources": [Path(source).name for source in sources],
            }
            if self.totals is not None:
                header["totals"] = self.totals.record()
            self._journal = Journal.create(path, header, self._pending, now, freeze(pool))
        self._pending = []

    @classmethod
    def resume(
        cls,
        path: str | os.PathLike[str],
        asker: str | None = None,
        *,
        lease_seconds: float = LEASE_SECONDS,
        clock: Clock = time.time,
    ) -> Self:
        """The session of a journal, as if it had never been interrupted; no other file is needed.

        Checks the digests of the frozen pool and the whole hash chain. A `PoolError` names the first
        event that does not fit. Reads only, so a journal that cannot be written can still be looked at.
        """

        def prepare(session: Self, header: Mapping[str, Any], arrays: Mapping[str, bytes]) -> None:
            session._prepare(
                thaw(header, arrays),
                header["policy"],
                header["tolerance"],
                header["seed"],
                asker,
                lease_seconds,
                clock,
                header.get("totals"),
            )

        return cls._resumed(Path(path), prepare)

    def _prepare(
        self,
        pool: Pool,
        policy: str,
        tolerance: Exact,
        seed: int,
        asker: str | None,
        lease_seconds: float,
        clock: Clock,
        totals: Given | None,
    ) -> None:
        self.seed = checked_seed(seed)
        self.pool = pool
        self.policy = policy
        self.tolerance = exact_tolerance(tolerance)
        self.totals = None if totals is None else Totals.of(pool, totals)
        self.asker = DEFAULT_ASKER if asker is None else checked_asker(asker)
        self._lease_seconds = checked_lease(lease_seconds)
        self._initial = initial_lower(pool.risks)
        self._begin(clock)
        self._start_over()

    def ask(self, m: int = 1, asker: str | None = None) -> list[int]:
        """Rows that the asker should label: up to m, none when certified or when no row that matters is left.

        The asker's own open rows come first, oldest first, so asking again gives the same rows. New ones
        follow in the order of the policy and are leased to the asker, and offered to nobody else, until
        told, skipped, released or expired. The list may also be short because others hold the rest.
        """
        if isinstance(m, bool) or not isinstance(m, int | np.integer) or m < 1:
            raise PoolError(f"cannot ask for {m!r} rows; give a whole number ≥ 1")
        name = self.asker if asker is None else checked_asker(asker)
        with self._operation() as now:
            state = self._state
            if state.certified is not None:
                return []
            held = self._held(now)
            rows = [row for row, lease in held.items() if lease.asker == name][: int(m)]
            if len(rows) < m:
                open_rows = state.readable
                if self.totals is None:  # under totals every label says something about the others
                    open_rows = open_rows & self.pool.risks.matters
                new = propose(self._policy, state.seen, open_rows, held, int(m) - len(rows))
                if new:
                    expires = timestamp(now + self._lease_seconds)
                    self._record(Event("ask", {"asker": name, "rows": new, "expires": expires}))
                    rows += new
            return rows

    def tell(self, rows: Iterable[int], labels: Iterable[object], asker: str | None = None) -> None:
        """Record one label a row: all of them, or none when any is wrong.

        A label equal to the one recorded changes nothing; another one corrects it. ``"?"``, None or blank
        skips the row. Rows that were never asked may be told.
        """
        positions = self._positions(rows)
        codes = self._codes(positions, labels)
        name = self.asker if asker is None else checked_asker(asker)
        with self._operation():
            self._check_skips(positions, codes)
            self._check_totals(positions, codes)
            for row, code in zip(positions, codes, strict=True):
                if code == UNLABELLED:
                    self._skip(row, name)
                else:
                    self._tell(row, code, name)

    def skip(self, rows: Iterable[int], asker: str | None = None) -> None:
        """These rows cannot be labelled: they stay unread in the bounds and are not asked again.

        A later label lifts the skip. A row that has a label cannot be skipped.
        """
        positions = self._positions(rows)
        name = self.asker if asker is None else checked_asker(asker)
        with self._operation():
            self._check_skips(positions, [UNLABELLED] * len(positions))
            for row in positions:
                self._skip(row, name)

    def release(self, rows: Iterable[int] | None = None, asker: str | None = None) -> None:
        """Give back leased rows, all of the asker's where None, so that others may get them.

        Rows that nobody holds are left as they are; a row of another asker is an error.
        """
        positions = None if rows is None else self._positions(rows)
        name = self.asker if asker is None else checked_asker(asker)
        with self._operation() as now:
            held = self._held(now)
            if positions is None:
                positions = list(held)
            else:
                for row in positions:
                    if row in held and held[row].asker != name:
                        raise PoolError(
                            f"row {row} is held by {held[row].asker!r}, not by {name!r}; "
                            f"release it as {held[row].asker!r}"
                        )
            given = [row for row in dict.fromkeys(positions) if row in held and held[row].asker == name]
            if given:
                self._record(Event("release", {"asker": name, "rows": given}))

    @property
    def verdict(self) -> Verdict:
        """The answer as of the last call, that of `refresh` included."""
        return self._state.verdict()

    @property
    def labels_read(self) -> int:
        """How many labels are known, without the work of a verdict."""
        return self._state.labels_read

    @property
    def lower(self) -> PairMatrix:
        """L_jk now, a copy; (K, K). Class totals are not in it."""
        return self._state.lower.copy()

    @property
    def labels(self) -> Codes:
        """Class codes of the labels read, a copy; (n,) int16, −1 where unread."""
        return self._state.labels.copy()

    @property
    def skipped(self) -> list[int]:
        """Rows that were skipped and not labelled since, ascending."""
        rows = np.flatnonzero(~self._state.readable & (self._state.labels == UNLABELLED))
        return [int(row) for row in rows]

    @property
    def leases(self) -> dict[int, str]:
        """Who holds which row at this moment, oldest lease first."""
        return {row: lease.asker for row, lease in self._held(self._clock()).items()}

    def _held(self, now: float) -> dict[int, Lease]:
        """Leases that have not expired, oldest first."""
        text = timestamp(now)
        return {row: lease for row, lease in self._state.leases.items() if lease.expires > text}

    def _record(self, event: Event) -> None:
        self._state.apply(event)
        self._pending.append(event)
        self._announce()

    def _announce(self) -> None:
        if self._state.verdict_due:
            event = Event("verdict", self._state.verdict_body())
            self._state.apply(event)
            self._pending.append(event)

    def _tell(self, row: int, code: int, asker: str) -> None:
        label, old = self.pool.classes[code], self._state.label(row)
        if old is None:
            self._record(Event("tell", {"asker": asker, "row": row, "label": label}))
        elif old != label:
            self._record(Event("correct", {"asker": asker, "row": row, "old": old, "label": label}))

    def _skip(self, row: int, asker: str) -> None:
        if self._state.readable[row]:
            self._record(Event("skip", {"asker": asker, "row": row}))

    def _check_skips(self, rows: Sequence[int], codes: Sequence[int]) -> None:
        """No row of the batch is skipped that has a label, or gets one earlier in the batch."""
        told: dict[int, str] = {}
        for row, code in zip(rows, codes, strict=True):
            if code != UNLABELLED:
                told[row] = self.pool.classes[code]
                continue
            label = told.get(row, self._state.label(row))
            if label is not None:
                raise PoolError(
                    f"row {row} ({self.pool.ids[row]}) cannot be skipped: it has the label {label!r}; a "
                    "label can be corrected by telling another, but not taken back"
                )

    def _check_totals(self, rows: Sequence[int] = (), codes: Sequence[int] = ()) -> None:
        """No label of the batch, taken in order, is one more of its class than there are rows."""
        if self.totals is None or self._state.room is None:
            return
        room, told = self._state.room.tolist(), dict[int, int]()
        for row, code in zip(rows, codes, strict=True):
            old = told.get(row, int(self._state.labels[row]))
            if code in (UNLABELLED, old):
                continue
            if not room[code]:
                total = int(self.totals.counts[code])
                raise PoolError(f"row {row}: {too_many(self.pool.classes[code], total + 1, total)}")
            room[code] -= 1
            if old != UNLABELLED:
                room[old] += 1
            told[row] = code

    def _positions(self, rows: Iterable[object]) -> list[int]:
        if isinstance(rows, str) or not isinstance(rows, Iterable):
            raise PoolError(f"rows {rows!r} are not a list; give a list of positions, such as [0]")
        return [checked_row(row, self.pool.n) for row in rows]

    def _codes(self, rows: Sequence[int], labels: Iterable[object]) -> list[int]:
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise PoolError(f"labels {labels!r} are not a list; give one label a row, such as ['1']")
        values = list(labels)
        if len(values) != len(rows):
            raise PoolError(f"{len(values)} labels for {len(rows)} rows; give one label a row")
        code_of = self._state.code_of
        return [label_code(value, row, code_of) for row, value in zip(rows, values, strict=True)]

    def _start_over(self) -> None:
        requirement = Requirement.of(self.tolerance, self.pool.risks.scale)
        self._state = State(self.pool.risks, self.pool.classes, requirement, self._initial, self.totals)
        self._policy = make_policy(self.policy, self.pool, self.seed)

    def _apply(self, event: Event) -> None:
        self._state.apply(event)

    def _overdue(self) -> str | None:
        return "verdict" if self._state.verdict_due else None
