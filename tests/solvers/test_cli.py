import subprocess
import sys

from typer.testing import CliRunner

from solvers.cli import app


def test_version_and_help():
    runner = CliRunner()
    assert runner.invoke(app, ["--version"]).output.startswith("solvers (certified-choice")
    assert "--version" in runner.invoke(app, []).output


def test_the_command_starts_without_native_solvers():
    code = "import sys, solvers.cli; assert not {'highspy', 'scipy', 'numpy'} & set(sys.modules) - {'numpy'}"
    subprocess.run([sys.executable, "-c", code], check=True)
