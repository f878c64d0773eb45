"""What sessions share: a state that is a fold over events, kept in a journal that others may write to.

With a journal the events of one call are committed together before the call returns; without one they are
applied and forgotten.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from solvers.chain import Event, timestamp
from solvers.journal import Journal

_FORMLESS = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""What a header or an event of another form makes the code raise that takes it in."""

Clock = Callable[[], float]
"""Unix time in seconds."""


class Journalled(ABC):
    """A session: `_begin` before anything else, every change inside `_operation`."""

    journal_type: ClassVar[type[Journal]]
    _journal: Journal | None
    _pending: list[Event]
    """Events applied to the state and not yet committed."""
    _stale: bool
    """Whether the state may hold what the journal does not."""

    @abstractmethod
    def _start_over(self) -> None:
        """Forget all events: the state as it is before the first."""

    @abstractmethod
    def _apply(self, event: Event) -> None:
        """Take one event into the state.

        Raises LookupError, TypeError or ValueError, and changes nothing, for one that cannot have happened.
        """

    @abstractmethod
    def _overdue(self) -> str | None:
        """What must follow the last event and does not, None where nothing must."""

    @property
    def head(self) -> str | None:
        """Hash of the last event seen, None without a journal.

        Note it elsewhere: a journal whose whole chain was rewritten, or that lost its last events, differs
        from the true one in nothing but its head.
        """
        return None if self._journal is None else self._journal.head

    def refresh(self) -> None:
        """Take in what other processes have appended to the journal; every other call does so first."""
        with self._lock:
            self._check_open()
            self._catch_up()

    def close(self) -> None:
        """Close the journal; everything is recorded already."""
        with self._lock:
            self._closed = True
            if self._journal is not None:
                self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @classmethod
    def _resumed(
        cls, path: Path, prepare: Callable[[Self, Mapping[str, Any], Mapping[str, bytes]], None]
    ) -> Self:
        """The session of a journal; `prepare` makes it ready for the first event, from header and arrays."""
        journal = cls.journal_type.open(path)
        program = journal.program
        try:
            session = cls.__new__(cls)
            arrays = journal.arrays() if program.arrays else {}
            try:
                prepare(session, journal.header, arrays)
            except _FORMLESS as error:
                raise program.error(
                    f"journal {path}: its header does not describe a session this {program.name} can run "
                    f"({_reason(error, program.error)}); use the version of {program.name} that wrote it"
                ) from error
            session._journal = journal
            session._catch_up()
        except BaseException:
            journal.close()
            raise
        return session

    def _begin(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._closed = self._stale = False
        self._journal = None
        self._pending = []

    @contextmanager
    def _operation(self) -> Iterator[float]:
        """Around every change: catch up with the others, then commit what was recorded, or nothing.

        Gives the one moment at which all of it happens.
        """
        with self._lock:
            self._check_open()
            journal = self._journal
            if journal is None:
                try:
                    yield self._clock()
                finally:
                    self._pending = []
                return
            journal.begin()
            try:
                self._catch_up()
                now = self._clock()
                yield now
                journal.commit(self._pending, timestamp(now))
            except BaseException:
                # events applied but not committed: the next call starts from the journal again
                self._stale = self._stale or bool(self._pending)
                journal.rollback()
                raise
            finally:
                self._pending = []

    def _catch_up(self) -> None:
        """Apply the events of the journal that are not in the state yet."""
        journal = self._journal
        if journal is None:
            return
        if self._stale:
            journal.rewind()
            self._start_over()
        self._stale = True  # until every event found is applied
        for seq, event in journal.unseen():
            try:
                self._apply(event)
            except _FORMLESS as error:
                reason = _reason(error, journal.program.error)
                raise journal.broken(
                    f"event {seq} ({event.kind[:60]}) cannot have happened ({reason})"
                ) from error
        missing = self._overdue()
        if missing is not None:
            raise journal.broken(f"the {missing} that must follow event {journal.seq} is missing")
        self._stale = False

    def _check_open(self) -> None:
        if self._closed:
            raise self.journal_type.program.error(
                "this session is closed; resume its journal or start another"
            )


def _reason(error: Exception, own: type[Exception]) -> str:
    """What the program itself says, or that the form is wrong; what the interpreter says helps nobody."""
    if isinstance(error, own) or type(error) is ValueError:
        return str(error)[:600]
    return "it has not the form that a session writes"
