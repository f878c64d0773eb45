"""HiGHS instances that keep quiet and refuse silently wrong options.

Three habits of the library are dealt with here and nowhere else: its banner goes to file descriptor 1
before any option can stop it, a rejected option shows in a return value only, and its thread count is
shared by the whole process (so it is left alone unless asked for, and then the scheduler is reset first).
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from solvers.errors import SolverError
from solvers.quiet import silenced

_lock = threading.Lock()
_started = False


def new_highs(**options: Any) -> Any:
    """A fresh ``highspy.Highs`` with the given options, each verified.

    Raises:
        SolverError: for an option HiGHS does not know or a value it does not take.
    """
    global _started
    with _lock:
        if _started:
            import highspy

            highs = highspy.Highs()  # type: ignore[no-untyped-call]
        else:
            with silenced():
                import highspy

                highs = highspy.Highs()  # type: ignore[no-untyped-call]
            _started = True
    if "threads" in options:
        highspy.Highs.resetGlobalScheduler(True)
    for name, value in {"output_flag": False, **options}.items():
        if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise SolverError(
                f"HiGHS refuses option {name} = {value!r}; see the option list of HiGHS {highs.version()}."
            )
    return highs


@contextlib.contextmanager
def fresh_threads(wanted: bool) -> Iterator[None]:
    """Run the block with a thread scheduler of its own if ``wanted``, and leave none behind.

    Any call of HiGHS in the process, also through other libraries, may have fixed the number of threads; a
    second number would be an error there, and the number of this block would be one for whoever comes next.
    """
    if not wanted:
        yield
        return
    with silenced():
        import highspy
    highspy.Highs.resetGlobalScheduler(True)
    try:
        yield
    finally:
        highspy.Highs.resetGlobalScheduler(True)
