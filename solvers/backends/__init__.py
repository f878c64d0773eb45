"""The registry: every module of this folder with a ``BACKEND`` or ``BACKENDS``, and entry points of others.

Adding a back end is adding one file here, or registering a :class:`~solvers.backends.base.Backend` (or a
tuple of them) under the entry-point group ``certified_choice.solvers``, in the other distribution's
``pyproject.toml``::

    [project.entry-points."certified_choice.solvers"]
    theirs = "their_package.solver:BACKEND"

Loading this table imports no native library, so their module must import theirs only when it solves.
"""

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from solvers.backends.base import Answer, Backend
from solvers.errors import SolverError
from solvers.solution import Status

GROUP = "certified_choice.solvers"


def _listed(found: Any, origin: str) -> list[Backend]:
    several = list(found) if isinstance(found, (tuple, list)) else [found]
    if not several or not all(isinstance(backend, Backend) for backend in several):
        raise SolverError(
            f"{origin} of {GROUP} is not a solvers.backends.base.Backend (or several); uninstall the "
            "distribution that declares it, or mend its entry point."
        )
    return several


def _unloadable(entry: EntryPoint, error: Exception) -> Backend:
    """A stand-in for a plug-in whose import fails: listed as not available, with the cause."""
    distribution = entry.dist.name if entry.dist else "its distribution"

    def never(problem: object, time_limit: float | None) -> Answer:
        return Answer(Status.ERROR, reason=f"{entry.value} cannot be imported")

    return Backend(
        name=entry.name,
        problems=(object,),
        solve=never,
        install=f"reinstall or upgrade {distribution}",
        missing=lambda: f"{entry.value} ({type(error).__name__}: {error})",
    )


def _plugged_in() -> list[Backend]:
    found: list[Backend] = []
    for entry in entry_points(group=GROUP):
        try:
            loaded = entry.load()
        except Exception as error:  # theirs to raise whatever it likes; the rest must go on working
            found.append(_unloadable(entry, error))
            continue
        found.extend(_listed(loaded, f"Entry point {entry.value}"))
    return found


@cache
def registered() -> dict[str, Backend]:
    """Every known back end by name, installed or not, in alphabetical order.

    Raises:
        SolverError: if two back ends claim one name or an entry point is not a Backend.
    """
    found: list[Backend] = []
    for module in pkgutil.iter_modules(__path__):
        if module.name != "base":
            loaded = import_module(f"{__name__}.{module.name}")
            found.extend(getattr(loaded, "BACKENDS", None) or [loaded.BACKEND])
    table: dict[str, Backend] = {}
    for backend in sorted([*found, *_plugged_in()], key=lambda b: b.name):
        if backend.name in table:
            raise SolverError(f"Two back ends are named {backend.name!r}; uninstall or rename one.")
        table[backend.name] = backend
    return table
