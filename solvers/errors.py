"""The one exception of the package, and the reasons that others give."""

from __future__ import annotations


class SolverError(ValueError):
    """A problem, option or file that cannot be used.

    The message says what is wrong and where, what is accepted, and what to do about it.
    """


def first_line(error: BaseException) -> str:
    """What a library's exception says, in one short line: some print a stack, or parts of a file."""
    line = (str(error).splitlines() or [type(error).__name__])[0]
    return line if len(line) <= 300 else f"{line[:299]}…"
