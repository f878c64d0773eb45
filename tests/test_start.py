"""What a package or a command loads when it starts: nothing that takes a while."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

PACKAGES = ("certify", "pareto", "solvers")
SLOW = {
    *(
        "cvxpy",
        "distributed",
        "highspy",
        "joblib",
        "matplotlib",
        "networkx",
        "polars",
        "pulp",
        "scipy",
        "sklearn",
    ),
    "rich.console",
}


def loaded(code):
    """Modules that Python has loaded after `code`."""
    code += "\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_no_other(package):
    assert not loaded(f"import {package}") & {*SLOW, "numpy", "typer"}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_command_starts_without_what_it_may_never_need(package):
    assert not loaded(f"import {package}.cli") & SLOW


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there(package):
    module = import_module(package)
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert not isinstance(getattr(module, name), ModuleType)
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        module.absent  # noqa: B018


@pytest.mark.parametrize(
    ("package", "module", "name"),
    [
        ("certify", "certify.audit.proof", "audit"),
        ("certify", "certify.choose", "choose"),
        ("certify", "certify.replay", "replay"),
        ("pareto", "pareto.certainty", "certainty"),
        ("pareto", "pareto.frontier", "frontier"),
        ("solvers", "solvers.compare", "compare"),
        ("solvers", "solvers.solve", "solve"),
    ],
)
@pytest.mark.parametrize(
    "order", ["import {module}; import {package}", "import {package} as p; p.{name}; import {module}"]
)
def test_a_module_never_hides_the_function_of_its_name(package, module, name, order):
    code = order.format(package=package, module=module, name=name)
    loaded(f"{code}\nimport {package}; assert callable({package}.{name})")
    loaded(f"{code}\nfrom {package} import {name}; assert callable({name})")
