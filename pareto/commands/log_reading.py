"""How a log is read as options say, and the commands that read one."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from pareto.commands import log_options as options
from pareto.errors import BattleError

if TYPE_CHECKING:
    from pareto.battles import Battles

BUNDLED = "bundled:"


@dataclass(frozen=True)
class Reading:
    """How a log is to be read; None where the layout decides. Every field is an option of a command."""

    layout: options.LayoutName = "auto"
    objectives: options.Objectives = None
    flags: options.Flags = None
    multi_label: options.MultiLabel = None
    objective_column: options.ObjectiveColumn = None
    model_a: options.ModelA = None
    model_b: options.ModelB = None
    winner: options.Winner = None
    names: options.Names = None
    cluster: options.Cluster = None
    memory_limit: options.MemoryLimit = None

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


def reads_logs(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """For a command with a parameter `reading`: on the command line, one option for each field of it.

    left_out: fields that the command has no use for.
    """
    types = get_type_hints(Reading, include_extras=True)
    offered = [field for field in fields(Reading) if field.name not in left_out]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            reading = Reading(**{field.name: given.pop(field.name) for field in offered})
            command(reading=reading, **given)

        parameters: list[inspect.Parameter] = []
        for one in inspect.signature(command, eval_str=True).parameters.values():
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters += (
                [
                    inspect.Parameter(
                        field.name, keyword, default=field.default, annotation=types[field.name]
                    )
                    for field in offered
                ]
                if one.name == "reading"
                else [one.replace(kind=keyword)]
            )
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return decorate


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
