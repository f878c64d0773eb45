"""How the commands begin: an interruption while they load ends them as one while they work does."""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib import import_module
from types import FrameType

INTERRUPTED = 130
"""The exit code of what an interruption ended, as shells count."""


def start(module: str) -> None:
    """Load a module and call its `main`; an interruption that nothing in it deals with is no traceback.

    Until the module is loaded, one ends the process at once: there is nothing to clean up, and an exception
    in an import may get lost.
    """
    usual = signal.getsignal(signal.SIGINT)
    watched = usual is signal.default_int_handler and threading.current_thread() is threading.main_thread()
    if watched:
        signal.signal(signal.SIGINT, _leave)
    loaded = import_module(module)
    try:
        if watched:
            signal.signal(signal.SIGINT, usual)
        loaded.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
