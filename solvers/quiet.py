"""Keep file descriptor 1 clean while native code runs, so that a caller's output stays machine-readable."""

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Iterator

_LOCK = threading.Lock()


class _State:
    """How many blocks are open, in all threads, and how to undo what the first one did."""

    depth = 0
    undo = contextlib.ExitStack()


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Send whatever is written to standard output, by Python or native code, to nowhere.

    Descriptor and ``sys.stdout`` belong to the whole process. Blocks may overlap, in one thread or several:
    the first to begin redirects them and the last to end restores them. In between the output of every
    thread is lost, whether it is in a block or not.
    """
    with _LOCK:
        if _State.depth == 0:
            _State.undo = _redirected()
        _State.depth += 1
    try:
        yield
    finally:
        with _LOCK:
            _State.depth -= 1
            if _State.depth == 0:
                _State.undo.close()


def _redirected() -> contextlib.ExitStack:
    """Redirect, and return what restores."""
    _flush()
    with contextlib.ExitStack() as stack:
        try:
            saved = os.dup(1)
        except OSError:  # the process has no standard output
            return contextlib.ExitStack()
        stack.callback(os.close, saved)
        sink = os.open(os.devnull, os.O_WRONLY)
        stack.callback(os.close, sink)
        nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
        stack.callback(os.dup2, saved, 1)
        os.dup2(sink, 1)
        stack.enter_context(contextlib.redirect_stdout(nowhere))
        stack.callback(_flush)
        return stack.pop_all()
    raise AssertionError("unreachable")


def _flush() -> None:
    """Empty Python's and the C library's buffers: piped output would otherwise appear later."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        sys.stdout.flush()
    with contextlib.suppress(AttributeError, TypeError, OSError):
        ctypes.CDLL(None).fflush(None)
