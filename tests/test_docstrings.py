"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import certify
import pareto
import solvers

ROOT = Path(certify.__file__).parents[1]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in (certify, pareto, solvers)
    for path in Path(str(package.__file__)).parent.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
SHOWN = {
    "certify": {
        "Pool",
        "Session",
        "choose",
        "minimum_certificate",
        "plan",
        "prelabel_bound",
        "read_labels",
        "read_pool",
        "replay",
        "write_labels",
    },
    "pareto": {
        "CallbackSource",
        "Session",
        "borda",
        "bundled_log",
        "dominates",
        "frontier",
        "gaps",
        "identify",
        "read_battles",
        "simulate",
        "standing",
    },
    "solvers": {
        "CoveringProgram",
        "LinearProgram",
        "MaximumClique",
        "OrderedBradleyTerry",
        "available",
        "solve",
    },
}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("package", [certify, pareto, solvers])
def test_what_people_begin_with_has_an_example(package):
    without = {name for name in SHOWN[package.__name__] if ">>> " not in str(getattr(package, name).__doc__)}
    assert not without
