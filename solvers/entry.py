"""How the commands begin: what ends them from outside ends them quietly, while they load and while they work.

An interruption (Ctrl-C), a request to end (SIGTERM) and a terminal that closes (SIGHUP) all leave nothing
behind: no worker processes, no temporary files. Only code that is not Python, and hears of no signal, is
given up after a while, whatever it leaves.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from importlib import import_module
from types import FrameType

INTERRUPTED = 130
"""The exit code of what an interruption ended, as shells count."""
_CLEANING = 5.0
"""Seconds after a signal in which a further one, of which systems send several at once, does not disturb the
cleaning up. A later one counts again: the first may have been lost in code that lets no exception through."""
_PATIENCE = 8.0
"""Seconds that the main thread has to meet a signal: less than most who send one wait before they kill."""


class Ended(SystemExit):
    """What a signal other than Ctrl-C raises wherever the command is; its code is the one shells count."""


def start(module: str) -> None:
    """Load a module and call its `main`; an interruption that nothing in it deals with is no traceback.

    Until the module is loaded, a signal ends the process at once: there is nothing to clean up, and an
    exception in an import may get lost. Signals that whoever started the command deals with otherwise, or
    ignores (nohup), are left so.
    """
    usual = signal.getsignal(signal.SIGINT)
    watched = usual is signal.default_int_handler and _in_main_thread()
    if watched:
        signal.signal(signal.SIGINT, _leave)
    loaded = import_module(module)
    try:
        _end_cleanly()
        if watched:
            signal.signal(signal.SIGINT, usual)
        loaded.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _end_cleanly() -> None:
    """SIGTERM and SIGHUP, where there are such, raise `Ended` from now on."""
    if not _in_main_thread():
        return
    last = -math.inf
    met: list[int] = []  # no event, whose lock one signal would wait for within another

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal last
        met.append(number)
        now = time.monotonic()
        if now - last >= _CLEANING:
            last = now
            raise Ended(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, end)
    if os.name == "posix" and taken:
        seen, told = os.pipe()
        os.set_blocking(told, False)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        threading.Thread(target=_insist, args=(seen, taken, met), daemon=True).start()


def _insist(seen: int, taken: Sequence[int], met: Sequence[int]) -> None:
    """End the process at once when the main thread does not get to meet a signal, as in a solver's own code,
    which hears of none and may go on for hours."""
    while number := os.read(seen, 1):
        if number[0] in taken:
            time.sleep(_PATIENCE)
            if not met:
                os._exit(128 + number[0])
            return  # it is cleaning up, for as long as that takes


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
