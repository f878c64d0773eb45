"""How few labels would have settled each of the 108 panel comparisons: C(y) exactly, with a checked proof.

    python -m certify.experiments.exact_certificates [--only NAME] [--output RESULTS.csv]

Needs scikit-learn. One CSV row a condition, written as soon as it is known: a run that was stopped goes on
where it was when the command is given again. Columns, in labels where nothing else is said:

rows             n, the size of the pool
prelabel_bound   C̲, known before any label (section 4.2)
root_bound       what the multipliers at the root of the search prove: ⌈z⌉ of the linear relaxation (4.1)
lower_bound      what the whole proof establishes
certificate      the size of the smallest certificate found: C(y) when it equals lower_bound
proven           "root": by multipliers alone; "tree": by a branching tree; "open": not at all
steps            steps of that tree
seconds          wall-clock time to find and prove the certificate, without fitting the candidates
proof_bytes      size of the proof file, which `solvers.checker` has accepted
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

from certify.bounds import EXACT, initial_lower
from certify.budget import prelabel_bound
from certify.certificate import Certificate, covering_program, minimum_certificate
from certify.classes import Labels
from certify.errors import PoolError
from certify.experiments.panels import CONDITIONS, Condition, compared
from certify.pool import Pool
from certify.risks import Codes
from solvers import SolverError, checker
from solvers.terminal import progress

RESULTS = Path("exact-certificates.csv")
PAPER = "paper: C̲ 24.50 %, C 56.37–57.16 % over all nine tables; Kuboyama 2026"


@dataclass(frozen=True)
class Result:
    """One CSV row; see the module's description."""

    dataset: str
    split: int
    model: str
    candidates: int
    rows: int
    prelabel_bound: int
    root_bound: int
    lower_bound: int
    certificate: int
    proven: str
    steps: int
    seconds: float
    proof_bytes: int

    @property
    def condition(self) -> Condition:
        return Condition(self.dataset, self.split, self.model, self.candidates)


COLUMNS = [field.name for field in fields(Result)]


def examine(condition: Condition) -> Result:
    """Find C(y) of one condition, write its proof and have the standalone checker read it back.

    Raises `solvers.checker.Rejected` if the proof does not hold, which only a defect here could cause.
    """
    pool, codes = compared(condition)
    bound = prelabel_bound(pool)
    began = time.perf_counter()
    found = minimum_certificate(pool, Labels(codes))
    section = found.proof["sections"][0]
    seconds = time.perf_counter() - began
    tree = section.get("tree", [])
    how = ("tree" if tree else "root") if found.proven else "open"
    return Result(
        condition.dataset,
        condition.split,
        condition.model,
        condition.candidates,
        rows=pool.n,
        prelabel_bound=bound,
        root_bound=-(-section["numerator"] // section["denominator"]),
        lower_bound=found.lower_bound,
        certificate=found.size,
        proven=how,
        steps=len(tree),
        seconds=round(seconds, 3),
        proof_bytes=_checked_bytes(pool, codes, found),
    )


def _checked_bytes(pool: Pool, codes: Codes, found: Certificate) -> int:
    program = covering_program(pool.risks, codes, initial_lower(pool.risks), EXACT, found.winner)
    problem = checker.Problem(program.demands.tolist(), program.gains.tolist(), program.n)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        found.write_proof(path)
        checker.check(checker.read_proof(path), problem)
        return path.stat().st_size


def study(conditions: Sequence[Condition], output: Path) -> Iterator[Result]:
    """Results of `conditions` in their order; those that `output` lacks are worked out and appended to it."""
    known = {result.condition: result for result in read(output)}
    for condition in conditions:
        if condition not in known:
            result = examine(condition)
            _append(output, result)
            known[condition] = result
        yield known[condition]


def read(path: Path) -> list[Result]:
    """Results of a file, none when there is no file. A last line that was cut short is removed from it.

    Raises `PoolError` for a file that is not one of ours.
    """
    head = _line(COLUMNS)
    content = path.read_bytes() if path.exists() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if not (content.startswith(head) if whole else head.startswith(content)):
        raise PoolError(f"{path} holds something else than this study's results; name another file")
    if whole != content:
        os.truncate(path, len(whole))
    lines = csv.DictReader(io.StringIO(whole.decode(errors="replace")))
    return [_parsed(line, path, number) for number, line in enumerate(lines, start=2)]


def _parsed(line: dict[str, str], path: Path, number: int) -> Result:
    kinds = {"int": int, "float": float, "str": str}
    try:
        return Result(**{field.name: kinds[str(field.type)](line[field.name]) for field in fields(Result)})
    except (TypeError, ValueError) as error:
        raise PoolError(f"{path}, line {number}: {error}; delete the line to have it redone") from error


def _append(path: Path, result: Result) -> None:
    """Add one line in a single write, so that a stopped run leaves whole lines."""
    with path.open("ab", buffering=0) as file:
        head = b"" if file.tell() else _line(COLUMNS)
        file.write(head + _line(astuple(result)))
        os.fsync(file.fileno())


def _line(values: Iterable[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue().encode()


def summary(results: Sequence[Result], wanted: int) -> str:
    """One line: what is proven, and mean shares of the pool beside the paper's."""
    root, tree = (sum(result.proven == how for result in results) for how in ("root", "tree"))
    before, low, high = (
        mean_percent(results, column) for column in ("prelabel_bound", "lower_bound", "certificate")
    )
    size = f"{high:.2f} %" if low == high else f"{low:.2f}–{high:.2f} %"
    return (
        f"C(y) proven for {root + tree} of {wanted}: {root} at the root, {tree} by tree; "
        f"mean of pool: C̲ {before:.2f} %, C {size} ({PAPER})"
    )


def mean_percent(results: Sequence[Result], column: str) -> float:
    """Mean of a column as a percentage of the pool, every condition counting alike."""
    return sum(100 * int(getattr(result, column)) / result.rows for result in results) / len(results)


def chosen(only: str | None) -> list[Condition]:
    """Conditions whose name is `only` or continues it after a dash; all of them for None."""
    found = [c for c in CONDITIONS if only is None or f"{c.name}-".startswith(f"{only}-")]
    if not found:
        first = CONDITIONS[0]
        raise PoolError(
            f"no condition is called {only!r}; names look like {first.name}, and the start of one, such as "
            f"{first.dataset} or {first.dataset}-{first.split}, stands for all that continue it"
        )
    return found


def run(only: str | None, output: Path) -> int:
    """The command; returns its exit code: 0 all proven, 1 some left open, 130 stopped by Ctrl-C."""
    conditions, results = chosen(only), list[Result]()
    if not output.parent.is_dir():
        raise PoolError(f"folder {output.parent} does not exist; create it before writing {output.name}")
    try:
        with progress(hidden=not sys.stderr.isatty()) as bars:
            task = bars.add_task("exact certificates", total=len(conditions))
            for result in study(conditions, output):
                results.append(result)
                bars.update(task, advance=1, description=result.condition.name)
    except KeyboardInterrupt:
        print(
            f"stopped; {len(results)} of {len(conditions)} conditions are in {output}, "
            "and the same command goes on from there",
            file=sys.stderr,
        )
        return 130
    print(summary(results, len(conditions)))
    return int(any(result.proven == "open" for result in results))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m certify.experiments.exact_certificates",
        description="Prove the smallest certificate of each of the 108 panel comparisons.",
    )
    parser.add_argument(
        "--only", metavar="NAME", help="a table, or the start of a condition's name, e.g. magic-731-tree"
    )
    parser.add_argument(
        "--output", metavar="CSV", type=Path, default=RESULTS, help="results, resumed if there (%(default)s)"
    )
    given = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a sign that the terminal lacks must not end the work
            stream.reconfigure(errors="replace")
    try:
        return run(given.only, given.output)
    except (PoolError, SolverError, OSError) as error:
        print(f"exact_certificates: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
