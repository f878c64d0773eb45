"""Words of messages: lists cut short, values quoted, counts with their noun."""

from __future__ import annotations

from collections.abc import Iterable


def shortened(names: Iterable[object], most: int = 8) -> str:
    """The first few and how many more there are."""
    listed = [str(name) for name in names]
    extra = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {extra} more" if extra > 0 else "")


def quoted(value: object, most: int = 60) -> str:
    """A cell's value, cut where it is long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def rows(count: int) -> str:
    """'1 row', '2 rows'."""
    return f"{count} row{'' if count == 1 else 's'}"
