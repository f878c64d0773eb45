"""Options that say how a log is read, shared by every command that takes one."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pareto.errors import BattleError

if TYPE_CHECKING:
    from pareto.battles import Battles

BUNDLED = "bundled:"

Logs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LOG…",
        help="Battles as CSV, Parquet or JSON lines, files or patterns; or bundled:NAME.",
        show_default=False,
    ),
]
LayoutName = Annotated[
    str,
    typer.Option(
        "--layout", help="arena-140k, search-arena, vision-arena, plain, counts, or auto: by the columns."
    ),
]
Objectives = Annotated[
    str | None,
    typer.Option(
        "--objectives",
        help="Only these, in this order: names with commas, a name that has one in double quotes.",
        show_default="all there are",
    ),
]
Flags = Annotated[
    str | None,
    typer.Option(
        "--flags",
        help="True/false columns that say what a battle counts for, first one first: is_code>math; "
        "code=is_code renames one, a/b is key b inside column a. Battles without any count for general.",
        show_default=False,
    ),
]
MultiLabel = Annotated[
    bool | None,
    typer.Option(
        "--multi-label/--first-label",
        help="A battle counts for every true flag, or for the first one.",
        show_default="as the layout says",
    ),
]
ObjectiveColumn = Annotated[
    str | None,
    typer.Option("--objective-column", help="Column that names the objective.", show_default="objective"),
]
ModelA = Annotated[
    str | None, typer.Option("--model-a", help="Column of the first model.", show_default=False)
]
ModelB = Annotated[
    str | None, typer.Option("--model-b", help="Column of the second model.", show_default=False)
]
Winner = Annotated[str | None, typer.Option("--winner", help="Column of the outcome.", show_default=False)]
Names = Annotated[
    Path | None,
    typer.Option("--names", help="CSV with from and to: models to rename first.", show_default=False),
]
Ties = Annotated[
    str,
    typer.Option(
        "--ties",
        help="decisive: left out (D). half: half a win each (H). davidson: fitted, then half (F).",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Votes that belong together, so that claims allow for it: session, voter, or a column.",
        show_default="every vote is independent",
    ),
]
Rule = Annotated[
    str,
    typer.Option(
        "--rule",
        help="Models kept. clique: every two met decisively on every objective. connected: they are linked, "
        "however indirectly (with --ties davidson).",
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        envvar="PARETO_MEMORY_LIMIT",
        help="For logs larger than memory: stay below this much, such as 500MB. Results are the same; a "
        "cluster and JSON lines are refused where they do not fit.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Reading:
    """How a log is to be read; None where the layout decides."""

    layout: str = "auto"
    objectives: str | None = None
    flags: str | None = None
    multi_label: bool | None = None
    objective_column: str | None = None
    model_a: str | None = None
    model_b: str | None = None
    winner: str | None = None
    names: Path | None = None
    cluster: str | None = None
    memory_limit: str | None = None

    def read(self, logs: Sequence[str] | None) -> tuple[tuple[str, ...], Battles]:
        """Names of the logs for people, and what is in them."""
        from pareto.battles import read_battles

        paths = [log_path(log) for log in logs or ()]
        if not paths:
            raise BattleError(f"no LOG given; name files of battles, or a bundled log: {bundled_names()}")
        battles = read_battles(
            paths,
            self.layout,
            objectives=None if self.objectives is None else comma_separated(self.objectives),
            model_a=self.model_a,
            model_b=self.model_b,
            winner=self.winner,
            objective=self.objective_column,
            flags=None if self.flags is None else flag_places(self.flags),
            multi_label=self.multi_label,
            names=self.names,
            cluster=self.cluster,
            memory_limit=self.memory_limit,
        )
        return tuple(log if log.startswith(BUNDLED) else Path(log).name for log in logs or ()), battles

    def arguments(self) -> list[str]:
        """As one would type them."""
        given = []
        for field in fields(self):
            value = getattr(self, field.name)
            option = f"--{field.name.replace('_', '-')}"
            if field.name == "multi_label" and value is False:
                given.append("--first-label")
            elif value is True:
                given.append(option)
            elif value is not None and value != field.default:
                given += [option, str(value)]
        return given


def log_path(log: str) -> str | Path:
    """A path or pattern as it is; the file of a bundled log."""
    if not log.startswith(BUNDLED):
        return log
    from pareto.bundled import bundled_log

    return bundled_log(log.removeprefix(BUNDLED))


def bundled_names() -> str:
    """The bundled logs as LOG arguments."""
    from pareto.bundled import LOGS

    return ", ".join(BUNDLED + name for name in LOGS)


def comma_separated(text: str) -> list[str]:
    """Names between commas, without surrounding blanks; one with a comma in it is in double quotes."""
    (parts,) = csv.reader([text.replace("\n", " ")], skipinitialspace=True)
    return [part.strip() for part in parts if part.strip()]


def flag_places(text: str) -> Mapping[str, list[str]]:
    """Objective → keys of its flag, in order of priority, from ``code=is_code>math>tags/if``."""
    places: dict[str, list[str]] = {}
    for part in text.replace(",", ">").split(">"):
        objective, sign, column = (piece.strip() for piece in part.rpartition("="))
        keys = [key.strip() for key in column.split("/")]
        name = objective if sign else keys[-1]
        if not name or not all(keys) or name in places:
            raise BattleError(
                f"--flags {text!r}: {part.strip()!r} is no flag of its own; write columns in order of "
                "priority, for example is_code>math, or code=is_code>math=tags/math"
            )
        places[name] = keys
    return places
