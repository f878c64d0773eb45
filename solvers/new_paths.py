"""Files and folders that commands write: new ones only, and none that is half done."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def new_file(path: Path, newline: str | None = None) -> Iterator[TextIO]:
    """A file of text in UTF-8 that did not exist, removed again if writing it is cut short.

    Raises `FileExistsError` if it came into being since it was last looked for.
    """
    file = path.open("x", encoding="utf-8", newline=newline)
    try:
        with file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder that did not exist, removed with what is in it if filling it is cut short."""
    path.mkdir()
    try:
        yield path
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
