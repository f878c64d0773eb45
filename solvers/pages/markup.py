"""HTML from text that may say anything: every function escapes what it is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

_UNFIT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


class Html(str):
    """Text that is HTML already. Everything else is escaped on its way into a page."""

    __slots__ = ()


def text(value: object) -> Html:
    """`value` as HTML; characters that a page may not hold, or that turn the writing direction of what
    follows, become U+FFFD."""
    if isinstance(value, Html):
        return value
    return Html(escape(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", str(value)), quote=True))


def joined(parts: Iterable[object], separator: str = "") -> Html:
    """The parts one after the other."""
    return Html(separator.join(text(part) for part in parts))


def element(tag: str, *content: object, **attributes: str | None) -> Html:
    """``<tag …>content</tag>``; an attribute `class_` is written as class, one that is None left out."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{written}>{joined(content)}</{tag}>")


def paragraph(*content: object, class_: str | None = None) -> Html:
    return element("p", *content, class_=class_)


def table(columns: Sequence[object], rows: Iterable[Sequence[object]], caption: str | None = None) -> Html:
    """A table with a header; whole numbers and cells of class `Number` stand to the right."""
    listed = [list(row) for row in rows]
    right = [
        bool(listed) and all(isinstance(row[at], int | Number) or row[at] is None for row in listed)
        for at in range(len(columns))
    ]

    def cell(value: object, at: int, tag: str) -> Html:
        shown = "–" if value is None else f"{value:,}" if isinstance(value, int) else value
        return element(tag, shown, class_="number" if right[at] else None)

    head = element("tr", *(cell(column, at, "th") for at, column in enumerate(columns)))
    body = [element("tr", *(cell(value, at, "td") for at, value in enumerate(row))) for row in listed]
    titled = [] if caption is None else [element("caption", caption)]
    inside = element("table", *titled, element("thead", head), element("tbody", *body))
    return element("div", inside, class_="scroll", tabindex="0")


class Number(str):
    """Text that is a number, so that a table puts it to the right."""

    __slots__ = ()


def facts(rows: Iterable[tuple[object, object]]) -> Html:
    """Names and values, one below the other."""
    parts = [joined([element("dt", name), element("dd", value)]) for name, value in rows]
    return element("dl", *(element("div", part) for part in parts))
