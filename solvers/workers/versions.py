"""Versions that results may depend on, to the last digit."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from platform import python_version_tuple

DISTRIBUTIONS = ("certified-choice", "numpy", "scipy", "scikit-learn", "highspy", "networkx", "polars")
"""Another version of one of them, or of Python, may draw otherwise from a seed, or round otherwise."""


@cache
def versions() -> dict[str, str]:
    """Of Python and of what is installed here."""
    found = {name: _version(name) for name in DISTRIBUTIONS}
    return {"Python": ".".join(python_version_tuple()[:2]), **found}


def mismatch(wanted: dict[str, str]) -> str:
    """Which of the versions here are not those wanted, in words; empty where all are."""
    return ", ".join(
        f"{name} {here} where {wanted[name]} is wanted"
        for name, here in versions().items()
        if here != wanted[name]
    )


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
