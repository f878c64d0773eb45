"""Versions and instructions of the processor that results may depend on, to the last digit."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from platform import python_version_tuple

DISTRIBUTIONS = ("certified-choice", "numpy", "scipy", "scikit-learn", "highspy", "networkx", "polars")
"""Another version of one of them, or of Python, may draw otherwise from a seed, or round otherwise."""

OTHERS = re.compile(r"[\\/](?!numpy\.libs|scipy\.libs)[^\\/]+\.libs[\\/]")
"""Paths of libraries that wheels of other packages bring along, loaded or not as the work will have it."""
INSTRUCTIONS, KERNELS = "numpy's instruction sets", "OpenBLAS kernels"


@cache
def versions() -> dict[str, str]:
    """Of Python and of what is installed here, and what numpy and BLAS use of this processor."""
    found = {name: _version(name) for name in DISTRIBUTIONS}
    return {
        "Python": ".".join(python_version_tuple()[:2]),
        **found,
        INSTRUCTIONS: _instructions(),
        KERNELS: _kernels(),
    }


def mismatch(wanted: dict[str, str]) -> str:
    """Which of the versions here are not those wanted, in words; empty where all are."""
    return ", ".join(
        f"{name} {here} where {wanted.get(name)} is wanted"
        for name, here in versions().items()
        if here != wanted.get(name)
    )


def _instructions() -> str:
    """Sets of instructions that numpy has code for and found here: it takes the best of them."""
    from numpy import show_config

    configuration: object = show_config(mode="dicts")
    known = configuration.get("SIMD Extensions", {}) if isinstance(configuration, dict) else {}
    found = [*known.get("baseline", ()), *known.get("found", ())]
    return " ".join(map(str, found)) or "unknown"


def _kernels() -> str:
    """For which processors the OpenBLAS of numpy and that of scipy take their code."""
    import scipy.linalg  # noqa: F401 - it loads a BLAS of its own
    from threadpoolctl import threadpool_info

    found = {
        str(library.get("architecture"))
        for library in threadpool_info()
        if library["internal_api"] == "openblas" and OTHERS.search(library["filepath"]) is None
    }
    return " ".join(sorted(found)) or "none"


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
