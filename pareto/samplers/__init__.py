"""Methods that choose which models to compare next, one file each, all behind one interface."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import Any

from pareto.errors import BattleError
from pareto.samplers.base import Guarantee, Sampler
from pareto.task import Task

_HOMES = {
    "vb-ege": ("vb_ege", "VbEge"),
    "focal-borda": ("focal_borda", "FocalBorda"),
    "bt-mle": ("bt_mle", "BtMle"),
    "borda-plugin": ("borda_plugin", "BordaPlugin"),
    "track-and-stop": ("track_and_stop", "TrackAndStop"),
    "interval": ("interval", "Interval"),
    "duel": ("duel", "Duel"),
    "commit": ("commit", "Commit"),
}

METHODS = tuple(_HOMES)
"""Names of all methods."""


def method(name: str) -> type[Sampler]:
    """The class of a method."""
    if name not in _HOMES:
        raise BattleError(f"no method {name!r}; accepted are {', '.join(METHODS)}")
    module, wanted = _HOMES[name]
    found: type[Sampler] = getattr(import_module(f"pareto.samplers.{module}"), wanted)
    return found


def make_sampler(name: str, task: Task, **options: Any) -> Sampler:
    """A method at the start of a task; `options` are its own (for example `constants`).

    name: one of `METHODS`. Raises `BattleError` for another name and for an option the method does not have.

    >>> import pareto
    >>> sampler = pareto.make_sampler("interval", pareto.Task(("a", "b"), ("code",)))
    >>> wanted = sampler.ask()
    >>> sampler.tell(pareto.Outcomes.of(wanted, [8, 0]))  # a won all eight as first, and as second
    >>> wanted.total, sampler.comparisons, str(sampler.result.status)
    (16, 16, 'open')
    """
    chosen = method(name)
    known = [option for option in signature(chosen).parameters if option != "task"]
    unknown = [option for option in options if option not in known]
    if unknown:
        raise BattleError(f"{name} has no option {unknown[0]!r}; accepted: {', '.join(known) or 'none'}")
    return chosen(task, **options)


__all__ = ["METHODS", "Guarantee", "Sampler", "Task", "make_sampler", "method"]
