"""MPS and LP files through HiGHS: linear and mixed-integer programs in, those and covering programs out.

Read: the free layout of MPS, in which names hold no blanks (`solvers.files.mps_lines` checks every line of it
first). Columns keep their order and lose their names; a constant in the objective becomes one more column
fixed at 1. By the conventions of the format a bound of 1e20 or more is none. Semicontinuous columns,
quadratic terms and special ordered sets are refused.

Written: a covering program as the integer program it stands for. The file is read back, and refused if a
number changed on the way.
"""

import gzip
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Problem
from solvers.errors import SolverError
from solvers.files.mps_lines import check_lines
from solvers.problems import CoveringProgram, LinearProgram

TINY, HUGE = 1e-12, 1e300
"""Entries outside are dropped or refused by the reader; what lies inside is judged by LinearProgram."""


def read(path: Path) -> LinearProgram:
    """The program of an MPS or LP file.

    Raises:
        SolverError: with the reader's own words for a malformed file; for one without columns; for
            semicontinuous columns and quadratic terms; for numbers that LinearProgram refuses.
    """
    with tempfile.TemporaryDirectory() as folder:
        text = path
        if path.suffix.lower() != ".lp":
            text = _plain(path, Path(folder))
            with text.open(encoding="utf-8", newline="\n") as lines:
                check_lines(path, lines)
        else:
            path.open("rb").close()  # the reader itself does not tell "absent" from "malformed"
        log = Path(folder) / "log"
        highs = _quiet_highs(log)
        status = highs.readModel(str(text))
        said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    problems = [line.split(":", 1)[1].strip() for line in said.splitlines() if line.startswith("ERROR")]
    if "kError" in str(status):
        raise SolverError(f"{path}: {' '.join(problems) or 'not an MPS or LP file'}.")
    ignored = [line for line in said.splitlines() if "ignored" in line or "SOS" in line]
    if ignored:
        raise SolverError(
            f"{path}: the reader would change the model: {ignored[0].split(':', 1)[-1].strip()}."
        )
    if not highs.getLp().num_col_:  # the reader takes an empty text for a program
        raise SolverError(f"{path}: no columns; an MPS or LP file with an objective and columns is expected.")
    return _program(highs, path)


def _plain(path: Path, folder: Path) -> Path:
    """The file, or what a compressed one holds, so that HiGHS reads what was checked."""
    if path.suffix.lower() != ".gz":
        return path
    copy = folder / "model.mps"
    try:
        with gzip.open(path) as packed, copy.open("wb") as whole:
            shutil.copyfileobj(packed, whole)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SolverError(f"{path}: damaged gzip file ({error}).") from error
    return copy


def _quiet_highs(log: Path) -> Any:
    from solvers.quiet_highs import new_highs

    highs = new_highs(
        log_to_console=False, small_matrix_value=TINY, large_matrix_value=HUGE, infinite_cost=HUGE
    )
    for name, value in {"log_file": str(log), "output_flag": True}.items():
        highs.setOptionValue(name, value)
    return highs


def _program(highs: Any, path: Path) -> LinearProgram:
    import highspy
    from scipy.sparse import csc_array

    if highs.getModel().hessian_.dim_:
        raise SolverError(f"{path}: the objective has quadratic terms; linear objectives are read.")
    lp = highs.getLp()
    kinds = list(lp.integrality_) or [highspy.HighsVarType.kContinuous] * lp.num_col_
    plain = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    for j, kind in enumerate(kinds):
        if kind not in plain:
            raise SolverError(
                f"{path}: column {lp.col_names_[j]!r} is semicontinuous; continuous and integer are read."
            )
    matrix = csc_array(
        (np.array(lp.a_matrix_.value_), np.array(lp.a_matrix_.index_), np.array(lp.a_matrix_.start_)),
        shape=(lp.num_row_, lp.num_col_),
    )
    costs, lower, upper = (
        np.array(v, dtype=np.float64) for v in (lp.col_cost_, lp.col_lower_, lp.col_upper_)
    )
    integer = np.array([kind == highspy.HighsVarType.kInteger for kind in kinds], dtype=np.bool_)
    if lp.offset_:
        matrix = csc_array(
            (matrix.data, matrix.indices, [*matrix.indptr, matrix.nnz]), shape=(lp.num_row_, lp.num_col_ + 1)
        )
        costs, lower, upper = np.append(costs, lp.offset_), np.append(lower, 1.0), np.append(upper, 1.0)
        integer = np.append(integer, False)
    return LinearProgram(
        costs,
        matrix,
        np.array(lp.row_lower_, dtype=np.float64),
        np.array(lp.row_upper_, dtype=np.float64),
        lower,
        upper,
        integer,
        maximise=lp.sense_ == highspy.ObjSense.kMaximize,
    )


def as_linear(problem: Problem) -> LinearProgram:
    """The integer program a covering program stands for; linear programs as they are.

    Raises:
        SolverError: for other types, and for integers from 1e15 on.
    """
    if isinstance(problem, LinearProgram):
        return problem
    if not isinstance(problem, CoveringProgram):
        raise SolverError(
            f"MPS holds linear, mixed-integer and covering programs, not a {type(problem).__name__}; use "
            ".json or .npz."
        )
    from scipy.sparse import csc_array

    largest = max([0, *(abs(int(d)) for d in problem.demands)])
    if largest >= 1e15:
        raise SolverError(f"a demand of size {largest}: MPS files are read in double precision; use .npz.")
    return LinearProgram(
        np.ones(problem.n),
        csc_array(problem.gains.astype(np.float64)),
        row_lower=problem.demands.astype(np.float64),
        upper=np.ones(problem.n),
        integrality=np.ones(problem.n, dtype=np.bool_),
    )


def write(path: Path, problem: Problem) -> None:
    """Write a linear, mixed-integer or covering program as MPS.

    Raises:
        SolverError: for other types, for numbers MPS cannot hold exactly, and if HiGHS cannot write.
    """
    from solvers.highs_model import load_linear

    program = as_linear(problem)
    if not program.n:
        raise SolverError(f"{path}: a program without columns is not read back from MPS; use .json or .npz.")
    with tempfile.TemporaryDirectory() as folder:
        highs = _quiet_highs(Path(folder) / "log")
        if not load_linear(highs, program) or "kError" in str(highs.writeModel(str(path))):
            raise SolverError(f"{path}: HiGHS could not write the model.")
    try:
        changed = _difference(program, read(path))
    except SolverError:
        path.unlink()
        raise
    if changed:
        path.unlink()
        raise SolverError(f"{path}: {changed} would change on its way through MPS; use .json or .npz.")


def _difference(one: LinearProgram, other: LinearProgram) -> str:
    if (one.m, one.n, one.maximise) != (other.m, other.n, other.maximise):
        return "the size or sense"
    for name in ("costs", "row_lower", "row_upper", "lower", "upper", "integrality"):
        if not np.array_equal(getattr(one, name), getattr(other, name)):
            at = int(np.flatnonzero(getattr(one, name) != getattr(other, name))[0])
            return f"{name}[{at}] = {getattr(one, name)[at]}"
    pairs = zip(_nonzeros(one), _nonzeros(other), strict=True)
    return "" if all(np.array_equal(a, b) for a, b in pairs) else "the matrix"


def _nonzeros(program: LinearProgram) -> tuple[npt.NDArray[Any], ...]:
    """Columns, rows and values of the nonzeros, column by column."""
    starts, row, value = program.columns()
    column = np.repeat(np.arange(program.n), np.diff(starts))
    order = np.lexsort((row, column))
    order = order[value[order] != 0]
    return column[order], row[order], value[order]
