"""Which columns of a file mean what, by a named layout or by the one its columns fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pareto.errors import BattleError
from pareto.reading.words import quoted, shortened
from pareto.schemas import (
    COUNTS,
    GENERAL,
    LAYOUTS,
    MODEL_A,
    MODEL_B,
    OBJECTIVE,
    PLAIN,
    VISION_ARENA,
    WINNER,
    WINS_A,
    Fields,
    Flag,
    KeyPath,
    Layout,
    has,
)

AUTO = "auto"
MOST_FLAGS = 31
HOW_TO_NAME = (
    "say which columns are called otherwise: those of model_a, model_b and winner, the column that names the "
    "objective, or the flags that do"
)
FlagNames = Sequence[str | Sequence[str]] | Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class Wanted:
    """What a caller said about the columns; None and () where nothing."""

    schema: str = AUTO
    model_a: str | None = None
    model_b: str | None = None
    winner: str | None = None
    objective: str | None = None
    flags: tuple[Flag, ...] = ()
    multi_label: bool | None = None

    def __post_init__(self) -> None:
        if self.schema not in (AUTO, *LAYOUTS):
            raise BattleError(f"no layout {self.schema!r}; accepted are {AUTO}, {', '.join(LAYOUTS)}")
        if self.flags and self.objective is not None:
            raise BattleError(
                f"an objective column, {self.objective!r}, and flags are both given; a comparison's "
                "objectives are named in one column or flagged in several: give one of the two"
            )
        if self.flags and self.schema not in (AUTO, PLAIN.name):
            raise BattleError(f"flags belong to the layout plain; {self.schema} has its own objectives")
        if self.objective is not None and self.schema not in (AUTO, PLAIN.name, COUNTS.name):
            raise BattleError(
                f"an objective column, {self.objective!r}, belongs to the layout plain or counts; "
                f"{self.schema} has its own"
            )


@dataclass(frozen=True)
class Columns:
    """The columns of one file that are read. flags: keys of the layout's flags, in its order. objective:
    None where no column names one."""

    layout: Layout
    models: tuple[str, str]
    outcomes: tuple[str, ...]
    flags: tuple[KeyPath, ...]
    objective: str | None

    @property
    def kind(self) -> str:
        """What files read together have in common."""
        named = self.layout.flags or self.objective is not None
        return self.layout.name if named else f"{self.layout.name} without objectives"

    @property
    def paths(self) -> list[KeyPath]:
        """Keys of all of them."""
        single = (*self.models, *self.outcomes, *(() if self.objective is None else (self.objective,)))
        return [*((name,) for name in single), *self.flags]


def parse_flags(given: FlagNames | None) -> tuple[Flag, ...]:
    """Flags by the names of their columns, or objective → column or keys, in order of priority."""
    if given is None:
        return ()
    if isinstance(given, str):
        raise BattleError(f"flags is the text {given!r}; give a list of columns, in order of priority")
    named = given.items() if isinstance(given, Mapping) else [(_last(place), place) for place in given]
    flags = tuple(Flag(name, (place,) if isinstance(place, str) else tuple(place)) for name, place in named)
    names = [flag.objective for flag in flags]
    repeated = [name for at, name in enumerate(names) if name in names[:at]]
    wrong = [flag for flag in flags if not flag.keys or not all(isinstance(key, str) for key in flag.keys)]
    if not flags or repeated or wrong or len(flags) > MOST_FLAGS:
        raise BattleError(
            f"flags name {shortened(map(repr, names)) or 'none'}; give 1 to {MOST_FLAGS} columns, each once: "
            'a list of names, or objective → column, or objective → ["outer key", "inner key"]'
        )
    return flags


def find_alike(files: Sequence[tuple[Path, Fields]], wanted: Wanted) -> list[Columns]:
    """Columns of every file; raises `BattleError` unless all have one layout."""
    found = [find_columns(path, fields, wanted) for path, fields in files]
    for (path, _), columns in zip(files, found, strict=True):
        if columns.kind != found[0].kind:
            raise BattleError(
                f"{files[0][0]} is laid out as {found[0].kind} and {path} as {columns.kind}; read them "
                "apart, and add their counts"
            )
    return found


def find_columns(path: Path, fields: Fields, wanted: Wanted) -> Columns:
    """Raises `BattleError` with the columns found, the layouts and how to name columns, where none fits,
    several fit, or a column is missing."""
    named = (wanted.model_a, wanted.model_b, wanted.winner, wanted.objective)
    absent = [name for name in named if name is not None and name not in fields]
    if absent:
        raise _unfit(path, fields, f"has no column {absent[0]!r}")
    layout = _layout(path, fields, wanted)
    models = (wanted.model_a or MODEL_A, wanted.model_b or MODEL_B)
    if wanted.winner is not None and layout.counted:
        raise BattleError(
            f"a winner column, {wanted.winner!r}, has no place in a table of counts; leave it out"
        )
    outcomes = layout.outcomes
    if layout.counted:
        outcomes = (*outcomes[:2], *(name for name in outcomes[2:] if name in fields))
    elif wanted.winner is not None:
        outcomes = (wanted.winner,)
    objective = layout.objective
    if objective == OBJECTIVE and wanted.objective is None and objective not in fields:
        objective = None
    needed = [*models, *outcomes[:2], *([] if objective is None else [objective])]
    missing = [name for name in needed if not has(fields, (name,))]
    if missing:
        nested = " that is not nested" if missing[0] in fields else ""
        raise _unfit(path, fields, f"has no column {missing[0]!r}{nested}")
    if models[0] == models[1] or len(set(needed)) < len(needed):
        raise BattleError(f"{path}: one column is named for two purposes ({shortened(needed)})")
    flags = [flag.place(fields) for flag in layout.flags]
    lacking = [flag for flag, place in zip(layout.flags, flags, strict=True) if place is None]
    if lacking:
        raise _unfit(path, fields, _lacks(layout, lacking, fields))
    return Columns(layout, models, outcomes, tuple(place for place in flags if place is not None), objective)


def _layout(path: Path, fields: Fields, wanted: Wanted) -> Layout:
    """The layout asked for, or the one that fits, with the objectives asked for."""
    if wanted.flags:
        named = any(flag.objective == GENERAL for flag in wanted.flags)
        rest = None if wanted.multi_label or named else GENERAL
        return replace(
            PLAIN, flags=wanted.flags, multi_label=bool(wanted.multi_label), rest=rest, objective=None
        )
    if wanted.objective is not None:
        counts = wanted.schema == COUNTS.name or (wanted.schema == AUTO and WINS_A in fields)
        return replace(COUNTS if counts else PLAIN, objective=wanted.objective)
    layout = LAYOUTS[wanted.schema] if wanted.schema != AUTO else _fitting(path, fields, wanted)
    if wanted.multi_label is None or wanted.multi_label == layout.multi_label:
        return layout
    if layout is VISION_ARENA:
        raise BattleError(
            "the categories of vision-arena have no order of priority, so that a comparison counts for the "
            "first one says too little; take the layout plain and name them as flags in order, each as key "
            "inside categories"
        )
    if not layout.flags:
        raise BattleError(
            f"{path} is read as {layout.name}, which has no flags that a comparison could count for, the "
            "first one or all; name the flags too"
        )
    return replace(layout, multi_label=True, rest=None)


def _fitting(path: Path, fields: Fields, wanted: Wanted) -> Layout:
    winner = wanted.winner or WINNER
    fit = [layout for layout in LAYOUTS.values() if _fits(layout, fields, winner)]
    if len(fit) > 1:
        names = " and ".join(layout.name for layout in fit)
        raise BattleError(
            f"{path} fits several layouts: {names} (found: {shortened(map(repr, fields), 12)}); name the "
            "layout to take"
        )
    if fit:
        return fit[0]
    for layout in LAYOUTS.values():
        lacking = [flag for flag in layout.flags if flag.place(fields) is None]
        nested = any(flag.keys[0] in fields for flag in layout.flags if len(flag.keys) > 1)
        if lacking and (nested or len(layout.flags) - len(lacking) > 1):
            raise _unfit(
                path,
                fields,
                f"{_lacks(layout, lacking, fields)}; to read it without these, take the layout plain and "
                "name its objectives",
            )
    if winner in fields:
        return PLAIN
    raise _unfit(path, fields, "fits no known layout")


def _fits(layout: Layout, fields: Fields, winner: str) -> bool:
    if layout.counted:
        return WINS_A in fields
    if winner not in fields or not all(flag.place(fields) for flag in layout.flags):
        return False
    return bool(layout.flags) or layout.objective in fields


def _lacks(layout: Layout, lacking: Sequence[Flag], fields: Fields) -> str:
    flag = lacking[0]
    flat = flag.keys[0] in fields and not has(fields, flag.keys) and fields[flag.keys[0]] is None
    text = f" (column {flag.keys[0]!r} is not nested here)" if flat and len(flag.keys) > 1 else ""
    names = shortened(repr(".".join(one.keys)) for one in lacking)
    return f"looks like {layout.name} but lacks {names}{text}"


def _unfit(path: Path, fields: Fields, problem: str) -> BattleError:
    known = "; ".join(f"{layout.name}: {layout.columns}" for layout in LAYOUTS.values())
    return BattleError(
        f"{path} {problem} (found: {shortened(map(quoted, fields), 14)}). Layouts, each beside model_a and "
        f"model_b, and winner except for counts: {known}. Or {HOW_TO_NAME}"
    )


def _last(place: str | Sequence[str]) -> str:
    return place if isinstance(place, str) else (place[-1] if place else "")
