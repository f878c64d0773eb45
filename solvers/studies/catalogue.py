"""A package's studies by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from solvers.errors import SolverError
from solvers.studies.study import Study


@dataclass(frozen=True)
class Catalogue:
    """The studies of one package.

    command: the console command that has them. package: where their modules are. modules: the module of each
    study, which is loaded when it is asked for and holds it as `STUDY`, in the order in which all are run.
    title, introduction: of the page with all of them; the introduction is HTML and names the paper.
    """

    command: str
    package: str
    modules: Mapping[str, str]
    title: str
    introduction: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.modules)

    def load(self, name: str) -> Study:
        """The study called `name`.

        Raises:
            SolverError: where there is none.
        """
        if name not in self.modules:
            raise SolverError(f"there is no study {name!r}; the studies are {', '.join(self.names)}")
        study: Study = import_module(f"{self.package}.{self.modules[name]}").STUDY
        return study
