"""Problem files that the proof checker reads: CSV for people, a binary layout for millions of columns.

Both layouts are described in :mod:`solvers.checker`.
"""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from solvers import checker
from solvers.errors import SolverError
from solvers.problems import CoveringProgram


def write_csv(path: str | Path, program: CoveringProgram) -> None:
    """One covering program as CSV: a header, the demands, then one line a column."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", *(f"constraint_{j}" for j in range(program.m))])
        writer.writerow(["demand", *program.demands.tolist()])
        for i, column in enumerate(program.gains.T.tolist() if program.m else [[]] * program.n):
            writer.writerow([i, *column])


def write_binary(path: str | Path, programs: Sequence[CoveringProgram]) -> None:
    """Any number of covering programs, one a section, as little-endian integers."""
    narrow = all(program.gains.dtype == np.int32 for program in programs)
    kind = "int32" if narrow else "int64"
    header = {
        "dtype": kind,
        "sections": [{"constraints": p.m, "columns": p.n} for p in programs],
    }
    with Path(path).open("wb") as file:
        file.write(checker.MAGIC)
        file.write(json.dumps(header).encode("ascii") + b"\n")
        for program in programs:
            file.write(program.demands.astype("<i8").tobytes())
            for row in program.gains:
                file.write(row.astype("<i4" if narrow else "<i8", copy=False).data)


def read(path: str | Path) -> list[CoveringProgram]:
    """All covering programs of a CSV or binary file.

    Raises:
        SolverError: for a file in neither layout.
    """
    try:
        problems = checker.read_problems(path)
    except OverflowError as error:
        raise SolverError(
            f"{path}: an integer lies beyond 64 bits ({error}); divide by a common factor."
        ) from error
    except checker.Rejected as error:
        raise SolverError(f"{error}. The layouts are described in solvers/checker.py.") from error
    return [_program(problem) for problem in problems]


def _program(problem: checker.Problem) -> CoveringProgram:
    gains = np.array([np.asarray(row) for row in problem.gains]).reshape(len(problem.demands), problem.n)
    demands = (
        problem.demands if isinstance(problem.demands, list) else np.array(problem.demands, dtype=np.int64)
    )
    return CoveringProgram(gains if gains.size else gains.astype(np.int64), demands)  # type: ignore[arg-type]
