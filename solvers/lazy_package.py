"""Packages whose public names are loaded when they are first asked for: most uses need few of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def load_lazily(package: str, homes: Mapping[str, str]) -> None:
    """Make each name of `homes` an attribute of `package`, from the module of it that is named there.

    A name may be a function's and its module's at once: then it stands for the function, whoever imports the
    module.
    """

    class Package(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name not in homes:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            value = getattr(import_module(f"{package}.{homes[name]}"), name)
            vars(self)[name] = value
            return value

        def __setattr__(self, name: str, value: object) -> None:
            if isinstance(value, ModuleType) and homes.get(name) == name:
                return  # the import system binds a submodule to its package
            super().__setattr__(name, value)

        def __dir__(self) -> list[str]:
            return sorted({*super().__dir__(), *homes})

    sys.modules[package].__class__ = Package
