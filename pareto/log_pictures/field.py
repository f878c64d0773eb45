"""The models of a log as pictures show them: scores, who is on the frontier, and a look for each of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pareto.result import Mask, Reals
from solvers.pages.canvas import COLOURS, STYLES, briefs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = ("o", "s", "^", "D", "v", "P", "X")
_LETTER = 0.088  # inches that a letter of a tick label takes


@dataclass(frozen=True, eq=False)
class Field:
    """What is drawn of a log.

    models, objectives: names. borda: (K, d). frontier: (K,), the models drawn in colour.
    """

    models: tuple[str, ...]
    objectives: tuple[str, ...]
    borda: Reals
    frontier: Mask

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Positions of the frontier's models, the highest mean score first."""
        mean = self.borda.mean(axis=1)
        return tuple(sorted(np.flatnonzero(self.frontier).tolist(), key=lambda i: (-mean[i], i)))

    @property
    def others(self) -> list[int]:
        """Positions of the other models."""
        return np.flatnonzero(~self.frontier).tolist()

    @cached_property
    def looks(self) -> dict[int, Look]:
        """How each model of the frontier looks, in every picture of this field."""
        return {model: Look.number(place) for place, model in enumerate(self.kept)}

    def names(self, models: Sequence[int]) -> list[str]:
        """Short names, no two alike."""
        return briefs([self.models[model] for model in models])


@dataclass(frozen=True)
class Look:
    """Colour, mark and line; the colour alone is never needed."""

    colour: str
    mark: str
    style: str

    @classmethod
    def number(cls, place: int) -> Look:
        """The look of the frontier's model at `place`; 56 places differ in colour or mark."""
        return cls(
            COLOURS[place % len(COLOURS)],
            MARKS[place % len(MARKS)],
            STYLES[place // len(COLOURS) % len(STYLES)],
        )

    def handle(self) -> Any:
        """For a legend of lines."""
        from matplotlib.lines import Line2D

        line: dict[str, Any] = {"color": self.colour, "marker": self.mark, "linestyle": self.style}
        return Line2D([], [], linewidth=2, markersize=6, **line)


def name_objectives(axes: Axes, objectives: Sequence[str], inches: float) -> None:
    """Objectives as ticks 0, 1, … along `inches`, slanted where neighbours would touch."""
    names = briefs(list(objectives), 22)
    room = inches / max(len(names), 1) / _LETTER  # in letters
    touch = any((len(left) + len(right)) / 2 + 2 > room for left, right in pairwise(names))
    axes.set_xticks(range(len(names)), names)
    if touch:
        for text in axes.get_xticklabels():
            text.set(rotation=32, ha="right", rotation_mode="anchor")
