"""What all pictures share: colours, sizes, and how one becomes a file or a part of a page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5D3A9B", "#7A7A7A")
"""Told apart by people with any common colour blindness (Okabe and Ito's set, two of them replaced)."""
STYLES = ("-", "--", "-.", ":")
"""With more lines than colours the next round is drawn in another style."""
INK, MUTED, FAINT = "#1A1A19", "#5F5F5E", "#D9D9D8"
RULED_OUT, CERTIFIED, UNDECIDED = "#E69F00", "#0072B2", "#A8A8A7"

_OF_THE_PAGE = {INK: "ink", MUTED: "muted", FAINT: "faint", "#0072B2": "blue", "#5D3A9B": "violet"}
"""Colours that a page sets itself, lighter on a dark ground."""

_WIDE, _NARROW = 9.6, 4.4  # inches; a page shows an inch as 72 pixels
_LONGEST_NAME = 26
_SETTINGS: Any = {
    "svg.fonttype": "none",  # text stays text: small, and in the reader's own font
    "svg.hashsalt": "certified-choice",  # the same picture, the same bytes
    "text.parse_math": False,  # a name may contain $
    "axes.unicode_minus": True,
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.labelsize": 11,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
}


@dataclass(frozen=True, eq=False)
class Picture:
    """One picture.

    name: file stem, letters, digits and hyphens. title: a short heading. alt: what it shows, for those who
    cannot see it. draw: fills an empty figure, told whether it is a narrow one. height: inches when wide;
    narrow_height: inches when narrow.
    """

    name: str
    title: str
    alt: str
    draw: Callable[[Figure, bool], None]
    height: float = 4.0
    narrow_height: float = 4.2

    def write(self, path: str | PathLike[str]) -> None:
        """The picture as a file (.png, .svg, .pdf), on white."""
        with _figure(_WIDE, self.height) as figure:
            self.draw(figure, False)
            figure.savefig(path, dpi=150, metadata=None if str(path).endswith(".png") else {"Date": None})

    def svg(self, narrow: bool = False) -> str:
        """The picture for the inside of an HTML page: no address, no style sheet of its own, ids of its own.

        Its inks and darkest colours follow the page's --ink, --muted, --faint, --blue and --violet.
        """
        width, height = (_NARROW, self.narrow_height) if narrow else (_WIDE, self.height)
        out = io.StringIO()
        with _figure(width, height) as figure:
            self.draw(figure, narrow)
            figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        return _inline(out.getvalue(), f"{self.name}-{'narrow' if narrow else 'wide'}")


@contextmanager
def _figure(width: float, height: float) -> Iterator[Figure]:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # the measuring font lacks some scripts that names are written in; a reader's own font has them
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        yield Figure(figsize=(width, height), layout="constrained")


_NOISE = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>"
    r'| xmlns(:xlink)?="[^"]*"| version="1.1"| transform="rotate\(-?0 [^"]*\)"',
    re.DOTALL,
)
_FONT = re.compile(r"font-size: ([0-9.]+px); font-family: [^;\"]*|font: ([0-9.]+px) [^;\"]*")
_ID = re.compile(r' id="([^"]*)"')
_REFERENCE = re.compile(r'(url\(#|href="#)([^)"]*)')


def _inline(svg: str, prefix: str) -> str:
    svg = _NOISE.sub("", svg)
    svg = _FONT.sub(lambda found: f"font-size: {found[1] or found[2]}", svg)
    used = {found[1] for found in _REFERENCE.findall(svg)}
    svg = _ID.sub(lambda found: f' id="{prefix}-{found[1]}"' if found[1] in used else "", svg)
    svg = _REFERENCE.sub(lambda found: f"{found[1]}{prefix}-{found[2]}", svg)
    for colour, variable in _OF_THE_PAGE.items():
        svg = re.sub(colour, f"var(--{variable})", svg, flags=re.IGNORECASE)
    return re.sub(r"\s*\n\s*", "\n", svg).strip()


def brief(name: str, longest: int = _LONGEST_NAME) -> str:
    """A name on one line, its middle left out when it is long."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split()) or "(blank)"
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


def briefs(names: Sequence[str], longest: int = _LONGEST_NAME) -> list[str]:
    """All of them brief; those that would then look alike are left longer."""
    found = [brief(name, longest) for name in names]
    while len(set(found)) < len(found) and longest < max(map(len, names)):
        longest += 4
        alike = {text for text in found if found.count(text) > 1}
        found = [
            brief(name, longest) if text in alike else text for name, text in zip(names, found, strict=True)
        ]
    return found


def legend_shape(names: Sequence[str], narrow: bool) -> tuple[int, int]:
    """Columns and lines that a legend of these names takes under a picture."""
    room, key = (50, 7) if narrow else (115, 8)  # in letters
    columns = max(1, min(len(names), room // (max(map(len, names), default=0) + key)))
    return columns, -(-len(names) // columns)


def legend(figure: Figure, handles: Sequence[Any], names: Sequence[str], narrow: bool) -> None:
    """A legend under the axes whose texts are exactly `names`."""
    # matplotlib drops labels that begin with an underscore, so they are filled in afterwards
    shown = figure.legend(
        handles=list(handles),
        labels=["x" * len(name) for name in names],
        loc="outside lower left",
        ncols=legend_shape(names, narrow)[0],
        handlelength=2.0,
        columnspacing=1.4,
        borderaxespad=0.3,
    )
    for text, name in zip(shown.get_texts(), names, strict=True):
        text.set_text(name)


def counted(axes: Axes, which: str = "x") -> None:
    """Thousands separators on an axis that counts."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(MaxNLocator(6, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
