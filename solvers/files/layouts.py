"""What a problem file holds: the fields of every problem type, shared by the JSON and the NPZ layout.

A JSON file is one object, an NPZ file one set of arrays, with the keys

* ``format``: the text ``"certified-choice problem"``; ``version``: 1;
* ``type``: a key of :data:`LAYOUTS`;
* the fields of that type, named and shaped as the arguments of its class. Fields that may be left out take
  the default of the class.

| in JSON | in NPZ |
|---|---|
| an array is a list (of lists) | a numeric array |
| a bound that is not there is ``null`` | −inf or inf |
| a table may be ``{"shape": [m, n], "entries": [[row, column, value], …]}`` | the matrix of a linear program may be arrays ``matrix_shape``, ``matrix_row``, ``matrix_column``, ``matrix_value`` |
| yes and no are ``true`` and ``false`` | bool |

Integers are written without a decimal point; NaN and infinite numbers have no place in either layout.
"""  # noqa: E501

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Problem
from solvers.errors import SolverError
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import CoveringProgram, LinearProgram

FORMAT = "certified-choice problem"
VERSION = 1
HEAD = ("format", "version", "type")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a problem.

    Attributes:
        kind: "integers", "reals", "flags" (arrays), "matrix" (dense or sparse reals), "names" (texts),
            "flag" or "real" (single values).
        dimensions: of an array.
        required: False if the class has a default.
        missing: what ``null`` stands for in JSON; None if it is not accepted.
    """

    kind: Literal["integers", "reals", "flags", "matrix", "names", "flag", "real"]
    dimensions: int = 1
    required: bool = True
    missing: float | None = None

    def array(self, value: Any) -> npt.NDArray[Any]:
        """A field's value as the array to write; empty ones keep type and dimensions."""
        array = np.asarray(value)
        if array.size:
            return array
        kind = {"integers": np.int64, "names": np.str_}.get(self.kind, array.dtype)
        return array.reshape((*array.shape, *[0] * self.dimensions)[: self.dimensions]).astype(kind)


@dataclass(frozen=True, slots=True)
class Layout:
    """A problem type and its fields, in the order of the class's arguments."""

    problem: type
    fields: Mapping[str, Field]

    def build(self, values: Mapping[str, Any]) -> Problem:
        """The problem of decoded values; the class itself refuses what it cannot take."""
        problem: Problem = self.problem(**values)
        return problem


LAYOUTS: Mapping[str, Layout] = {
    "covering": Layout(CoveringProgram, {"gains": Field("integers", 2), "demands": Field("integers")}),
    "linear": Layout(
        LinearProgram,
        {
            "costs": Field("reals"),
            "matrix": Field("matrix", 2, required=False),
            "row_lower": Field("reals", required=False, missing=-inf),
            "row_upper": Field("reals", required=False, missing=inf),
            "lower": Field("reals", required=False, missing=-inf),
            "upper": Field("reals", required=False, missing=inf),
            "integrality": Field("flags", required=False),
            "maximise": Field("flag", 0, required=False),
        },
    ),
    "clique": Layout(
        MaximumClique,
        {
            "adjacency": Field("flags", 2),
            "weights": Field("integers", 2, required=False),
            "names": Field("names", required=False),
        },
    ),
    "ordered-bradley-terry": Layout(
        OrderedBradleyTerry,
        {
            "wins": Field("reals", 2),
            "order": Field("integers", 2, required=False),
            "box": Field("real", 0, required=False),
            "ridge": Field("real", 0, required=False),
        },
    ),
}
"""Layouts by the ``type`` a file states."""


def layout_of(problem: Problem) -> tuple[str, Layout]:
    """Name and layout of a problem's type.

    Raises:
        SolverError: for a type without a layout.
    """
    for name, layout in LAYOUTS.items():
        if type(problem) is layout.problem:
            return name, layout
    known = ", ".join(layout.problem.__name__ for layout in LAYOUTS.values())
    raise SolverError(f"{type(problem).__name__} has no file layout; {known} have one.")


def check_head(head: Mapping[str, object], path: object) -> Layout:
    """The layout a file states.

    Raises:
        SolverError: if the file is not a problem file, or of another version or an unknown type.
    """
    if head.get("format") != FORMAT:
        found = head.get("format", "nothing")
        raise SolverError(
            f"{path}: format: {found!r} found, {FORMAT!r} expected; the layout is described in "
            "solvers/files/layouts.py."
        )
    if head.get("version") != VERSION or isinstance(head.get("version"), bool):
        raise SolverError(f"{path}: version: {head.get('version')!r} found; version {VERSION} is read.")
    kind = head.get("type")
    if not isinstance(kind, str) or kind not in LAYOUTS:
        raise SolverError(f"{path}: type: {kind!r} found; {', '.join(LAYOUTS)} are known.")
    return LAYOUTS[kind]


def check_fields(layout: Layout, present: set[str], path: object) -> None:
    """Every required field is there, and nothing unknown.

    Raises:
        SolverError: naming what is missing or unknown.
    """
    missing = [name for name, field in layout.fields.items() if field.required and name not in present]
    unknown = sorted(present - set(layout.fields) - set(HEAD))
    known = ", ".join(
        name if f.required else f"{name} (may be left out)" for name, f in layout.fields.items()
    )
    if missing or unknown:
        what = [f"{', '.join(missing)} missing"] if missing else []
        what += [f"unknown {', '.join(map(repr, unknown))}"] if unknown else []
        raise SolverError(f"{path}: {'; '.join(what)}. Fields of {layout.problem.__name__}: {known}.")


def check_names(names: list[str], field: str) -> list[str]:
    """The names, which can be written again.

    Raises:
        SolverError: naming the first with half of a character in it (a lone surrogate), which UTF-8 cannot
            hold.
    """
    for at, name in enumerate(names):
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise SolverError(
                f"{field}[{at}] = {name!a}: no text that UTF-8 can hold ({error.reason})."
            ) from error
    return names
