"""The examples in docstrings and help texts do what they show, and whatever is public says what it is."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re
import shlex
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest
import typer

import certify
import pareto
import solvers

PACKAGES = (certify, pareto, solvers)
ROOT = Path(certify.__file__).parents[1]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in PACKAGES
    for path in Path(str(package.__file__)).parent.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
SHOWN = {
    "certify": {
        "Pool",
        "Session",
        "audit",
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
        "BradleyTerrySource",
        "CallbackSource",
        "LoggedSource",
        "PairCounts",
        "ProbabilitySource",
        "Session",
        "borda",
        "bundled_log",
        "compare_treatments",
        "dominates",
        "drive",
        "frontier",
        "gaps",
        "identify",
        "make_sampler",
        "read_battles",
        "resample",
        "simulate",
        "standing",
    },
    "solvers": {
        "CoveringProgram",
        "LinearProgram",
        "MaximumClique",
        "OrderedBradleyTerry",
        "available",
        "compare",
        "solve",
        "write_problem",
    },
}
"""Names whose docstrings have an example."""

RETURNED = (
    "certify.audit.report.AuditReport",
    "certify.audit.report.Check",
    "certify.budget.Plan",
    "certify.replay.Replay",
    "certify.worth.Worth",
    "pareto.audit.report.AuditReport",
    "pareto.audit.report.Check",
    "pareto.samplers.schedule.Constants",
    "pareto.treatments.Comparison",
    "solvers.compare.Row",
)
"""Types that public functions return or take without exporting them."""


def public():
    """Everything public, by its dotted name."""
    for package in PACKAGES:
        for name in package.__all__:
            yield f"{package.__name__}.{name}", getattr(package, name)
    for name in RETURNED:
        module, _, attribute = name.rpartition(".")
        yield name, getattr(import_module(module), attribute)


PUBLIC = dict(public())
CALLABLE = sorted(name for name, value in PUBLIC.items() if callable(value))
DATA = sorted(name for name in CALLABLE if dataclasses.is_dataclass(PUBLIC[name]))
COMMANDS = [
    (package.__name__, example)
    for package in PACKAGES
    for example in import_module(f"{package.__name__}.cli").EXAMPLES.values()
]


def documentation(value):
    """The docstrings of a class and of those it inherits from, or of a function."""
    owners = value.__mro__[:-1] if inspect.isclass(value) else (value,)
    return "\n".join(owner.__doc__ or "" for owner in owners)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("package", PACKAGES)
def test_what_people_begin_with_has_an_example(package):
    without = {name for name in SHOWN[package.__name__] if ">>> " not in str(getattr(package, name).__doc__)}
    assert not without


@pytest.mark.parametrize("name", CALLABLE)
def test_everything_public_says_what_it_is(name):
    value = PUBLIC[name]
    assert value.__doc__
    assert not value.__doc__.startswith(f"{value.__name__}("), "dataclasses write such a line themselves"
    if not inspect.isclass(value):
        return
    for attribute, member in vars(value).items():
        member = getattr(member, "__func__", member)
        if isinstance(member, property):
            member = member.fget
        elif isinstance(member, cached_property):
            member = member.func
        if not attribute.startswith("_") and inspect.isfunction(member):
            assert member.__doc__, f"{name}.{attribute}"


@pytest.mark.parametrize("name", DATA)
def test_every_field_is_explained(name):
    value = PUBLIC[name]
    fields = {field.name for field in dataclasses.fields(value) if not field.name.startswith("_")}
    assert not {field for field in fields if not re.search(rf"\b{field}\b", documentation(value))}


@pytest.mark.parametrize(("package", "example"), COMMANDS)
def test_an_example_in_a_help_text_is_one_that_the_command_takes(package, example):
    program, name, *arguments = shlex.split(example)
    assert program == package
    command = typer.main.get_command(import_module(f"{package}.cli").app).commands[name]
    assert f"Example: {example}" in command.epilog
    assert command.make_context(name, arguments).params is not None  # refuses what it does not know
