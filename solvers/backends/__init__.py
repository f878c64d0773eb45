"""The registry: every module of this folder with a ``BACKEND``, and entry points of third parties.

Adding a back end is adding one file here, or registering a :class:`~solvers.backends.base.Backend` under
the entry-point group ``certified_choice.solvers``.
"""

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from solvers.backends.base import Backend
from solvers.errors import SolverError

GROUP = "certified_choice.solvers"


@cache
def registered() -> dict[str, Backend]:
    """Every known back end by name, installed or not, in alphabetical order.

    Raises:
        SolverError: if two back ends claim one name or an entry point is not a Backend.
    """
    modules = [module.name for module in pkgutil.iter_modules(__path__) if module.name != "base"]
    found: list[Backend] = [import_module(f"{__name__}.{name}").BACKEND for name in modules]
    for entry in entry_points(group=GROUP):
        backend = entry.load()
        if not isinstance(backend, Backend):
            raise SolverError(f"Entry point {entry.value} of {GROUP} is not a solvers.backends.base.Backend.")
        found.append(backend)
    table: dict[str, Backend] = {}
    for backend in sorted(found, key=lambda b: b.name):
        if backend.name in table:
            raise SolverError(f"Two back ends are named {backend.name!r}; uninstall or rename one.")
        table[backend.name] = backend
    return table
