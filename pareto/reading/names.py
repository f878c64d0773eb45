"""Models' names: blanks around them go, and an optional map renames them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pareto.errors import BattleError
from pareto.reading.files import CSV, FilePath
from pareto.reading.tables import open_table
from pareto.reading.words import quoted, shortened

FROM, TO = "from", "to"
NameMap = Mapping[str, str]


def read_names(given: NameMap | FilePath | None) -> dict[str, str]:
    """How models are renamed: a mapping, or a CSV file with the columns ``from`` and ``to``. Names are used
    without surrounding blanks, and a name that results is not renamed again."""
    if given is None:
        return {}
    if isinstance(given, str | os.PathLike):
        pairs = _pairs(Path(given))
        where = f"{given}: "
    elif isinstance(given, Mapping):
        pairs = list(given.items())
        where = "names: "
    else:
        raise BattleError(
            f"{quoted(given)} renames nothing; a mapping of names, or a CSV file with {FROM} and {TO}, is "
            "accepted"
        )
    renamed: dict[str, str] = {}
    for old, new in pairs:
        if not (isinstance(old, str) and isinstance(new, str) and old.strip() and new.strip()):
            raise BattleError(f"{where}{quoted(old)} → {quoted(new)}: a name is blank or no text; give text")
        if renamed.setdefault(old.strip(), new.strip()) != new.strip():
            raise BattleError(f"{where}{old.strip()!r} has two new names; keep one of them")
    return renamed


def _pairs(path: Path) -> list[tuple[str, str]]:
    if path.suffix.lower() not in CSV or not path.is_file():
        raise BattleError(f"{path} is no CSV file of names; give one with the columns {FROM} and {TO}")
    table = open_table(path)
    missing = [name for name in (FROM, TO) if name not in table.fields]
    if missing:
        raise BattleError(
            f"{path} has no column {missing[0]!r} (found: {shortened(table.fields)}); accepted: {FROM} and "
            f"{TO}"
        )
    assert table.csv is not None
    at, to = (table.csv.header.index(name) for name in (FROM, TO))
    return [(record[at], record[to]) for _, record in table.csv.records()]


@dataclass(frozen=True)
class Naming:
    """models: sorted. place: of every name as written; −1 for a blank one. notices: what was changed."""

    models: tuple[str, ...]
    place: dict[str | None, int]
    notices: tuple[str, ...]


def naming(written: set[str | None], renamed: Mapping[str, str]) -> Naming:
    """The models that the names in a log stand for."""
    stripped = {name: name.strip() for name in written if name is not None}
    final = {name: renamed.get(text, text) for name, text in stripped.items()}
    models = tuple(sorted({text for text in final.values() if text}))
    at = {model: place for place, model in enumerate(models)}
    notices = []
    padded = sorted(name for name, text in stripped.items() if text and text != name)
    if padded:
        notices.append(
            f"blanks around names were removed ({len(padded)}): {shortened(map(quoted, padded), 4)}"
        )
    absent = sorted(set(renamed) - set(stripped.values()))
    if absent:
        notices.append(f"names to be renamed that the log does not have: {shortened(absent, 4)}")
    return Naming(
        models, {None: -1, **{name: at.get(text, -1) for name, text in final.items()}}, tuple(notices)
    )
