"""Keeping the models of a log that can be compared, with a sign of life while that is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pareto.battles import Battles
    from pareto.retention import Log


def retained(battles: Battles, rule: str = "clique", *, quiet: bool = False) -> Log:
    """The models that `rule` keeps; unless `quiet`, a terminal is told what is being looked for."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from pareto.retention import TIME_LIMIT

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as shown:
        shown.add_task(f"largest set of models that all met, {TIME_LIMIT:.0f} s at most", total=None)
        return battles.retain(rule=rule)
