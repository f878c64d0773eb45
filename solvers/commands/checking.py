"""The command that judges a proof somebody else made: check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from solvers.errors import SolverError
from solvers.terminal import AsJson, emit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solvers.checker import Problem


def check(
    proof: Annotated[Path, typer.Argument(metavar="PROOF", help="Proof file.", show_default=False)],
    problems: Annotated[
        list[Path],
        typer.Argument(
            metavar="PROBLEM…",
            help="The covering problem(s) it is about (.csv, .cover, .npz, .json), in the proof's order.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Check a proof against its problem, number by number, with the standard library's integers.

    The same check runs without this package: python solvers/checker.py PROOF PROBLEM.
    Exit code 0 when everything holds, 1 when something does not, 2 when a problem cannot be read.
    """
    from rich.text import Text

    from solvers import checker

    found = [problem for path in problems for problem in _problems(path)]
    try:
        said, lie = checker.check(checker.read_proof(proof), found), None
    except OSError as error:
        raise SolverError(f"{proof}: cannot be read ({error.strerror}); name a proof file.") from error
    except (ValueError, RecursionError) as error:  # as the checker does by itself
        said, lie = [], str(error)
    proven = bool(said) and said[-1].endswith("optimal")
    record = {"holds": lie is None, "optimal": proven, "established": said, "rejected": lie}
    emit(
        record,
        as_json,
        lambda: [
            *said,
            Text("PROVEN", style="green")
            if proven
            else Text("CHECKED", style="cyan")
            if lie is None
            else Text.assemble(("REJECTED", "red"), " ", lie),
        ],
    )
    if lie is not None:
        raise typer.Exit(1)


def _problems(path: Path) -> Sequence[Problem]:
    """Problems as the checker takes them; its own layouts are read by itself."""
    from solvers import checker
    from solvers.files import ending, read_problems
    from solvers.problems import CoveringProgram

    if ending(path) in (".csv", ".cover"):
        try:
            return checker.read_problems(path)
        except (OSError, OverflowError, ValueError) as error:
            said = str(error) if str(path) in str(error) else f"{path}: {error}"
            raise SolverError(f"{said}. The layouts are described in solvers/checker.py.") from error
    found = []
    for problem in read_problems(path):
        if not isinstance(problem, CoveringProgram):
            raise SolverError(
                f"{path}: holds a {type(problem).__name__}; proofs are about covering programs (as integers: "
                ".csv, .cover, .npz or .json)."
            )
        found.append(checker.Problem(problem.demands.tolist(), problem.gains.tolist(), problem.n))
    return found
