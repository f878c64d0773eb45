"""Limits on memory as people write them, and what a process has used."""

from __future__ import annotations

import numbers
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import SupportsInt, cast

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
ACCEPTED = "a number of bytes, or a number with kB, MB, GB, KiB, MiB or GiB, such as 500MB"


def parse_bytes(text: object) -> int | None:
    """Bytes of a size such as 500MB (10⁶ each), 1.5 GiB, 1000000 or 5e8; None for anything else.

    Numbers may be Python's or numpy's; parts of a byte are left out.
    """
    if isinstance(text, numbers.Real) and not isinstance(text, bool):
        try:
            whole = int(cast("SupportsInt", text))
        except (OverflowError, ValueError):  # infinite, or not a number
            return None
        return whole if whole > 0 else None
    if not isinstance(text, str):
        return None
    found = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([a-zA-Z]{0,3})\s*", text)
    if found is None or found[2].lower() not in UNITS:
        return None
    size = int(float(found[1]) * UNITS[found[2].lower()])
    return size if size > 0 else None


@contextmanager
def workspace(limit: str | float, refuse: type[ValueError]) -> Iterator[tuple[int, Path]]:
    """A limit as the user wrote it in bytes, and a temporary folder that lasts as long as the context.

    Raises `refuse` for what is no size, and where no folder can be made.
    """
    size = parse_bytes(limit)
    if size is None:
        raise refuse(f"memory limit {limit!r} is no size; give {ACCEPTED}")
    try:
        folder = tempfile.TemporaryDirectory(prefix="certified-choice-")
    except OSError as error:
        raise refuse(
            f"no temporary folder can be made ({error}); set TMPDIR to a folder on a disk with room"
        ) from None
    with folder as name:
        yield size, Path(name)


def megabytes(size: float) -> str:
    """Bytes for people; in smaller units where there is less than one megabyte."""
    if size >= 1e6:
        return f"{size / 1e6:,.0f} MB"
    return f"{size / 1e3:,.0f} kB" if size >= 1e3 else f"{size:.0f} bytes"


def exceeded(size: int, before: int, peak: int) -> tuple[str, ...]:
    """Says so if `peak` resident bytes are more than a limit allows. before: the most that were resident
    before the limit held."""
    if peak <= max(size, before):
        return ()
    return (f"the memory limit of {megabytes(size)} was exceeded: {megabytes(peak)} were resident",)


def resident() -> int:
    """Resident bytes of this process: the most so far where the system tells only that, 0 where it tells
    nothing."""
    return _status("VmRSS") or peak_resident()


def peak_resident() -> int:
    """Largest number of resident bytes of this process so far; 0 where the system does not tell."""
    if found := _status("VmHWM"):
        return found
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) * (1 if sys.platform == "darwin" else 1024)


def _status(name: str) -> int:
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii")
    except (OSError, ValueError):
        return 0
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return 1024 * int(found[1]) if found else 0
