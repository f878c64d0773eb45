"""One writer at a time for a file: two would write into each other's lines.

The lock is the system's, on a file beside it, so it ends with the process that holds it, however that ends.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from solvers.errors import SolverError

_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK}
_FAR = 1 << 20
"""Windows lets nobody read the bytes that are locked, so one far behind the text is."""


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Nobody else who asks for `path` gets it while this lasts.

    `path`.lock holds the number of the process; it is removed in the end, and harmless where it stays because
    the process was killed. File systems that know no locks give none.

    Raises `SolverError` that names the other process where there is one.
    """
    beside = path.with_name(f"{path.name}.lock")
    file = _locked(beside, path)
    try:
        os.truncate(file, 0)
        os.write(file, f"process {os.getpid()} on {socket.gethostname()}".encode())
        yield
    finally:
        if sys.platform == "win32":  # where an open file cannot be removed
            os.close(file)
            with suppress(OSError):  # the next one has it already
                beside.unlink()
        else:
            beside.unlink(missing_ok=True)  # before it is free, so that it is nobody else's
            os.close(file)


def _locked(beside: Path, path: Path) -> int:
    while True:
        file = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(file)
            if _is(file, beside):
                return file
        except OSError as error:
            if error.errno not in _TAKEN:
                return file
            holder = os.read(file, 1000).decode(errors="replace").strip()
            os.close(file)
            raise SolverError(
                f"{path} is being written by {holder or 'another process'}; wait until that has ended, or "
                "end it, and give the same command again, or name another folder"
            ) from None
        os.close(file)  # removed by the one before between opening and locking it


def _lock(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(file, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
