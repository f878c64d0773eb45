"""Problems in files, chosen by the ending of the name.

| ending | holds | described in |
|---|---|---|
| ``.json`` | one problem of any type, for people | :mod:`solvers.files.layouts` |
| ``.npz`` | one problem of any type, compressed numpy arrays | :mod:`solvers.files.layouts` |
| ``.csv`` | one covering program, what the proof checker reads | :mod:`solvers.checker` |
| ``.cover`` | covering programs as raw integers, what the proof checker reads | :mod:`solvers.checker` |
| ``.mps``, ``.mps.gz``, ``.lp`` | one linear or mixed-integer program | :mod:`solvers.files.mps` |

Writing never changes a number: what cannot be written exactly is refused.
"""

import zipfile
from collections.abc import Callable
from pathlib import Path

from solvers import checker, problem_files
from solvers.backends.base import Problem
from solvers.errors import SolverError
from solvers.files import json_text, mps, npz
from solvers.problems import CoveringProgram

ENDINGS = (".json", ".npz", ".csv", ".cover", ".mps", ".mps.gz", ".lp")


def ending(path: Path) -> str:
    """The ending that decides about the layout, in lower case."""
    parts = [suffix.lower() for suffix in path.suffixes[-2:]]
    return "".join(parts) if parts[-1:] == [".gz"] else "".join(parts[-1:])


def read_problems(path: str | Path) -> tuple[Problem, ...]:
    """All problems of a file: several in a ``.cover`` file, otherwise one.

    Raises:
        SolverError: naming the file, the place in it, and what is accepted.
    """
    path = Path(path)
    kind = ending(path)
    read = _READERS.get(kind) or (_read_covering if _is_binary(path) else None)
    if read is None:
        raise SolverError(f"{path}: ending {kind!r}; {', '.join(ENDINGS)} are read.")
    try:
        return tuple(read(path))
    except FileNotFoundError as error:
        raise SolverError(f"{path}: there is no such file.") from error
    except (OSError, UnicodeDecodeError, zipfile.BadZipFile) as error:
        raise SolverError(f"{path}: cannot be read ({error}).") from error
    except SolverError as error:
        text = str(error)
        raise SolverError(text if text.startswith(str(path)) else f"{path}: {text}") from error


def read_problem(path: str | Path) -> Problem:
    """The one problem of a file.

    Raises:
        SolverError: naming the file, the place in it, and what is accepted.
    """
    problems = read_problems(path)
    if len(problems) != 1:
        raise SolverError(
            f"{path}: holds {len(problems)} problems, one is expected; solvers.files.read_problems reads "
            "them all."
        )
    return problems[0]


def write_problem(path: str | Path, problem: Problem) -> None:
    """Write a problem in the layout that the ending of the name asks for.

    Raises:
        SolverError: for an unknown ending, or a layout that cannot hold the problem exactly.

    >>> import pathlib, solvers, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "small.csv"
    ...     solvers.write_problem(file, solvers.CoveringProgram([[4, 12, 4]], [13]))
    ...     print(file.read_text(), solvers.read_problem(file).demands.tolist())
    row,constraint_0
    demand,13
    0,4
    1,12
    2,4
     [13]
    """
    path = Path(path)
    kind = ending(path)
    if kind not in _WRITERS:
        raise SolverError(f"{path}: ending {kind!r}; {', '.join(_WRITERS)} are written.")
    if kind in (".csv", ".cover") and not isinstance(problem, CoveringProgram):
        raise SolverError(
            f"{path}: {kind} holds covering programs only, not a {type(problem).__name__}; use .json or .npz."
        )
    if not path.parent.is_dir():
        raise SolverError(f"{path}: folder {path.parent} does not exist; create it first.")
    _WRITERS[kind](path, problem)


def _is_binary(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(checker.MAGIC)) == checker.MAGIC
    except OSError:
        return False


def _read_covering(path: Path) -> list[Problem]:
    return list(problem_files.read(path))


def _write_csv(path: Path, problem: Problem) -> None:
    assert isinstance(problem, CoveringProgram)
    problem_files.write_csv(path, problem)


def _write_cover(path: Path, problem: Problem) -> None:
    assert isinstance(problem, CoveringProgram)
    problem_files.write_binary(path, [problem])


_READERS: dict[str, Callable[[Path], list[Problem]]] = {
    ".json": lambda path: [json_text.read(path)],
    ".npz": lambda path: [npz.read(path)],
    ".csv": _read_covering,
    ".cover": _read_covering,
    ".mps": lambda path: [mps.read(path)],
    ".mps.gz": lambda path: [mps.read(path)],
    ".lp": lambda path: [mps.read(path)],
}
_WRITERS: dict[str, Callable[[Path, Problem], None]] = {
    ".json": json_text.write,
    ".npz": npz.write,
    ".csv": _write_csv,
    ".cover": _write_cover,
    ".mps": mps.write,
}
