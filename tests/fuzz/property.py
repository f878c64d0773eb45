"""The property, and one trial of it: a clear error of the package's class, or a right answer."""

from __future__ import annotations

import random
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CLEAR, ACCEPTED, TRACEBACK, WRONG = "clear errors", "accepted", "tracebacks", "wrong"
ABORTED = "polars aborts"
"""The process ended inside the decoder of Parquet, which asked for more memory than there is: a damaged page
says how long its runs are, and nothing here can look at it before or come back after."""
LONGEST = 4000
INTERNAL = re.compile(r"Traceback|object at 0x|<class '|\bNoneType\b")


@dataclass(frozen=True)
class Case:
    """One input.

    Attributes:
        read: reads it anew and returns an answer that can be compared with ==.
        check: what is wrong with an answer, None where nothing is.
        same: the answer it must have, where the change keeps the meaning; then an error is wrong too.
    """

    read: Callable[[], Any]
    check: Callable[[Any], str | None] = lambda answer: None
    same: Any = None


class Refused(Exception):
    """A report with a failed check, whose words these are."""


def passed(report: Any) -> Any:
    """Its checks, if all passed; raises `Refused` with what the failed one says."""
    failed = report.first_failure
    if failed is not None:
        raise Refused(failed.detail)
    return [(check.name, check.detail) for check in report.checks]


@dataclass(frozen=True)
class Reader:
    """Something that reads files. make: a case, from a seeded generator and an empty folder."""

    name: str
    errors: tuple[type[Exception], ...]
    make: Callable[[random.Random, Path], Case]


@dataclass
class Outcome:
    """What became of one input."""

    kind: str
    detail: str = ""
    again: bool = field(default=False, repr=False)


def trial(reader: Reader, seed: int, number: int, folder: Path) -> Outcome:
    """Input `number` of a reader: the same for equal seeds."""
    for left in folder.iterdir():
        left.unlink()
    rng = random.Random(f"{seed}/{reader.name}/{number}")
    case = reader.make(rng, folder)
    try:
        answer = case.read()
    except reader.errors as error:
        return _judged_error(str(error), case)
    except Exception:
        return Outcome(TRACEBACK, traceback.format_exc())
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return Outcome(TRACEBACK, traceback.format_exc())  # a panic of polars is no Exception
    try:
        if case.same is not None and answer != case.same:
            return Outcome(WRONG, f"another answer than before: {_cut(answer)} instead of {_cut(case.same)}")
        wrong = case.check(answer)
        if wrong is None and rng.random() < 0.25 and case.read() != answer:
            wrong = "read again, it gives another answer"
    except Exception:
        return Outcome(TRACEBACK, "accepted, and then: " + traceback.format_exc())
    return Outcome(ACCEPTED) if wrong is None else Outcome(WRONG, wrong)


def _judged_error(message: str, case: Case) -> Outcome:
    if case.same is not None:
        return Outcome(WRONG, f"refused, although nothing that matters was changed: {message}")
    if not message.strip() or len(message) > LONGEST or INTERNAL.search(message):
        return Outcome(
            WRONG, f"an error that explains nothing ({len(message)} characters): {message[:600]!r}"
        )
    return Outcome(CLEAR, message)


def _cut(value: object) -> str:
    text = repr(value)
    return text if len(text) < 700 else text[:700] + "…"
