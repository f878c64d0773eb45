"""What a package or a command loads when it starts: nothing that takes a while."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
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


INTERRUPTING = """
import os, signal, sys
class Finder:
    def find_spec(name, *rest):
        if name == {at!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
sys.argv = [{package!r}, "--version"]
from {package}.__main__ import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("at", ["{package}.cli", "typer", "solvers.terminal"])
def test_an_interruption_while_a_command_loads_ends_it_quietly(package, at):
    code = INTERRUPTING.format(package=package, at=at.format(package=package))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interruption_before_a_command_deals_with_them_ends_it_quietly():
    code = (
        "import os, signal, sys, time, types\n"
        "from solvers.entry import start\n"
        "sys.modules['later'] = later = types.ModuleType('later')\n"
        "later.main = lambda: [os.kill(os.getpid(), signal.SIGINT), time.sleep(60)]\n"
        "start('later')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


STARTING = """
import os, signal, sys, tempfile, threading, time, types
import solvers.entry
sys.modules["later"] = later = types.ModuleType("later")
def send(name, wait=60):
    os.kill(os.getpid(), getattr(signal, name))
    time.sleep(wait)
def main():
{body}
later.main = main
solvers.entry.start("later")
"""


def usual_signals():
    """Whoever runs the tests may ignore that a terminal closes, and commands inherit that."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def ended(body, folder, before=usual_signals):
    """Exit code, output and errors of a command whose `main` is this, with temporary files in this folder."""
    code = STARTING.format(body="\n".join(f"    {line}" for line in body))
    environment = {**os.environ, "TMPDIR": str(folder)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, preexec_fn=before)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(("sign", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_command_that_is_ended_cleans_up(tmp_path, sign, code):
    body = ["with tempfile.TemporaryDirectory():", f"    send({sign!r})"]
    assert ended(body, tmp_path) == (code, "", "")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_further_signals_do_not_disturb_the_cleaning_up(tmp_path):
    body = ["try:", "    send('SIGHUP')", "finally:", "    send('SIGTERM', 0.1)", "    print('clean')"]
    assert ended(body, tmp_path) == (129, "clean\n", "")
    lost = ["solvers.entry._CLEANING = 0", "try:", "    send('SIGHUP')", "except SystemExit:", "    pass"]
    assert ended([*lost, "send('SIGTERM')"], tmp_path) == (143, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_signals_that_are_ignored_stay_so(tmp_path):
    body = ["send('SIGHUP', 0.1)", "print('goes on')"]
    assert ended(body, tmp_path, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) == (0, "goes on\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_code_that_hears_of_no_signal_is_given_up(tmp_path):
    body = [
        "solvers.entry._PATIENCE = 0.2",
        "threading.Timer(1, send, ['SIGTERM', 0]).start()",
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])",  # so that no call here is cut short
        "try:",
        "    time.sleep(20)",
        "finally:",
        "    print('met')",
    ]
    assert ended(body, tmp_path) == (143, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_used_as_a_library_signals_are_left_alone():
    code = (
        "import signal, threading, sys, types, solvers.entry, pareto.cli, certify.cli\n"
        "sys.modules['later'] = later = types.ModuleType('later')\n"
        "later.main = lambda: None\n"
        "one = threading.Thread(target=solvers.entry.start, args=['later'])\n"
        "one.start(); one.join()\n"
        "assert {signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP)} == {signal.SIG_DFL}"
    )
    subprocess.run([sys.executable, "-c", code], check=True, preexec_fn=usual_signals)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_command_is_a_module_too_and_loads_nothing_before_it_is_watched(package):
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts[package] == f"{package}.__main__:main"
    done = subprocess.run([sys.executable, "-m", package, "--version"], capture_output=True, text=True)
    assert done.stdout.startswith(package)
    assert not loaded(f"import {package}.__main__") & {*SLOW, "numpy", "typer", f"{package}.cli"}
