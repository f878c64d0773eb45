"""Keep file descriptor 1 clean while native code runs, so that a caller's output stays machine-readable."""

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Send whatever is written to standard output, by Python or native code, to nowhere.

    The descriptor belongs to the whole process: output of other threads during the block is lost too.
    """
    _flush()
    try:
        saved = os.dup(1)
    except OSError:  # the process has no standard output
        yield
        return
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 1)
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            yield
        _flush()
    finally:
        os.dup2(saved, 1)
        os.close(saved)
        os.close(sink)


def _flush() -> None:
    """Empty Python's and the C library's buffers: piped output would otherwise appear later."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        sys.stdout.flush()
    with contextlib.suppress(AttributeError, TypeError, OSError):
        ctypes.CDLL(None).fflush(None)
