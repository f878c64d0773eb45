"""What an audit reports: checks in order, the first failed one being the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

Progress = Callable[[str, int, int], None]
"""Called as progress(what, done, total) now and then."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked.

    name: what. ok: whether it holds. detail: what was found, with counts. file: the journal or proof.
    """

    name: str
    ok: bool
    detail: str
    file: str


@dataclass(frozen=True)
class AuditReport:
    """The checks in the order they were made; a failed one is the last."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """True if every check passed."""
        return self.first_failure is None

    @property
    def first_failure(self) -> Check | None:
        """The check that failed, None if none did."""
        return next((check for check in self.checks if not check.ok), None)


class Lie(Exception):
    """A claim that does not hold; the message says where and what is true instead."""


class Stopped(Exception):
    """A check failed; nothing after it is worth checking."""


@dataclass
class Stage:
    detail: str = ""


@dataclass
class Trail:
    checks: list[Check]
    progress: Progress

    @contextmanager
    def check(self, name: str, file: str) -> Iterator[Stage]:
        """A named check: passes with the detail left in the stage, fails when a `Lie` is raised inside."""
        stage = Stage()
        try:
            yield stage
        except Lie as lie:
            self.checks.append(Check(name, False, str(lie), file))
            raise Stopped from None
        self.checks.append(Check(name, True, stage.detail, file))
