"""What the commands say: plain records (for ``--json``) and the tables drawn from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.backends.base import Backend, Problem
from solvers.compare import INTEGER, Outcome, Row, library_version, maximises
from solvers.files.layouts import LAYOUTS
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import LinearProgram
from solvers.solution import Solution, Status
from solvers.terminal import facts

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

Record = dict[str, Any]

SIZES = ("constraints", "columns", "vertices", "edges", "models", "orders")

STYLES = {
    Outcome.PROVEN.value: "green",
    Outcome.CLAIMED.value: "yellow",
    Outcome.REFUTED.value: "red",
    Outcome.OPEN.value: "cyan",
    Outcome.REFUSED.value: "dim",
    Outcome.FAILED.value: "red",
}


def kind_of(problem_type: type) -> str:
    """The short name of a problem type, as files state it."""
    names = {layout.problem: name for name, layout in LAYOUTS.items()}
    return names.get(problem_type, problem_type.__name__)


def finite(value: float | None) -> float | None:
    """A claimed number, None for inf and NaN, which JSON has no names for."""
    return value if value is not None and isfinite(value) else None


def exact(value: Fraction | int | None) -> Record | None:
    """An exact number with its nearest double."""
    return None if value is None else {"exact": str(value), "approximately": float(value)}


def backend_record(backend: Backend) -> Record:
    return {
        "name": backend.name,
        "installed": backend.is_available(),
        "version": library_version(backend),
        "requires": list(backend.requires),
        "missing": backend.lacks(),
        "install": backend.install,
        "problems": [kind_of(problem) for problem in backend.problems],
        "limits": backend.limits,
        "tolerance": backend.tolerance,
        "options": dict(backend.options),
    }


def problem_record(problem: Problem, source: str) -> Record:
    record: Record = {"source": source, "type": kind_of(type(problem)), "maximise": maximises(problem)}
    if isinstance(problem, MaximumClique):
        return {**record, "vertices": problem.n, "edges": int(np.count_nonzero(problem.adjacency)) // 2}
    if isinstance(problem, OrderedBradleyTerry):
        return {**record, "models": problem.n, "orders": problem.m}
    record |= {"constraints": problem.m, "columns": problem.n}
    if isinstance(problem, LinearProgram):
        record["integer_columns"] = int(np.count_nonzero(problem.integrality))
    return record


def row_record(row: Row) -> Record:
    return {
        "backend": row.backend,
        "version": row.version,
        "outcome": row.outcome.value,
        "status": None if row.status is None else row.status.value,
        "claimed": {
            "status": None if row.claimed_status is None else row.claimed_status.value,
            "objective": finite(row.claimed_objective),
            "bound": finite(row.claimed_bound),
        },
        "objective": exact(row.objective),
        "bracket": [exact(row.lower), exact(row.upper)],
        "clique": None
        if row.rank is None
        else {"size": row.rank[0], "weight": row.rank[1], "names": list(row.rank[2])},
        "proven": row.outcome is Outcome.PROVEN,
        "seconds": row.seconds,
        "memory_bytes": row.memory,
        "tolerance": row.tolerance,
        "agrees": row.agrees,
        "reason": row.reason,
    }


def comparison_record(problem: Problem, source: str, rows: Sequence[Row]) -> Record:
    lower = max((row.lower for row in rows if row.lower is not None), default=None)
    upper = min((row.upper for row in rows if row.upper is not None), default=None)
    return {
        "problem": problem_record(problem, source),
        "bracket": [exact(lower), exact(upper)],
        "proven_by": [row.backend for row in rows if row.outcome is Outcome.PROVEN],
        "only_claimed_by": [row.backend for row in rows if row.outcome is Outcome.CLAIMED],
        "disagreeing": [row.backend for row in rows if row.agrees is False],
        "back_ends": [row_record(row) for row in rows],
    }


def solution_record(problem: Problem, source: str, solution: Solution) -> Record:
    x = solution.x
    return {
        "problem": problem_record(problem, source),
        "backend": solution.backend,
        "status": solution.status.value,
        "proven": solution.proven,
        "objective": exact(solution.objective),
        "bound": exact(solution.bound),
        "reason": solution.reason,
        "seconds": solution.seconds,
        "claimed": {
            "status": solution.claimed.status.value,
            "objective": finite(solution.claimed.objective),
            "bound": finite(solution.claimed.bound),
        },
        "columns": np.flatnonzero(x).tolist() if x is not None and x.dtype == np.bool_ else None,
        "x": [finite(v) for v in x.tolist()] if x is not None and x.dtype != np.bool_ else None,
    }


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]], right: Sequence[str]
) -> Table:
    """A table with a header; columns named in ``right`` are aligned there. Strings are shown as they are."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(
        title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for column in columns:
        drawn.add_column(
            column,
            justify="right" if column in right else "left",
            overflow="fold",
            no_wrap=column in ("back end", "time", "memory"),
        )
    for row in rows:
        drawn.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return drawn


def number(value: float | None) -> str:
    """A number as people read it; at most 10 digits."""
    if value is None or not isfinite(value):
        return "–"
    return f"{int(value):,}" if value == int(value) and abs(value) < 1e15 else f"{value:.10g}"


def value_text(value: Mapping[str, Any] | None) -> str:
    return "–" if value is None else number(value["approximately"])


def bracket_text(bracket: Sequence[Mapping[str, Any] | None]) -> str:
    """``[3,229, 3,230]``, or ``= 3,230`` when it is closed; a dash where nothing is proven."""
    if bracket[0] is not None and bracket[1] is not None and bracket[0]["exact"] == bracket[1]["exact"]:
        return f"= {value_text(bracket[0])}"
    texts = [value_text(side) for side in bracket]
    if texts[0] == texts[1] != "–":  # closed but for digits that are not shown
        width = Fraction(bracket[1]["exact"]) - Fraction(bracket[0]["exact"])  # type: ignore[index]
        return f"{texts[0]} to {float(width):.0e}"
    return f"[{', '.join(texts)}]"


def seconds_text(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def memory_text(size: int | None) -> str:
    return "–" if size is None else f"{size / 1e6:,.1f} MB"


def problem_line(record: Mapping[str, Any]) -> str:
    """``magic-tree-8.npz: covering, 7 constraints × 5,706 columns``."""
    sizes = [f"{record[name]:,} {name}" for name in SIZES if name in record]
    integer = record.get("integer_columns")
    more = f", {integer:,} of them integer" if integer else ""
    return f"{record['source']}: {record['type']}, {' × '.join(sizes)}{more}"


def list_parts(records: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Table of the back ends, then their limits and how to get those that are missing, in sentences."""
    from rich.text import Text

    drawn = table(
        "Back ends",
        ("back end", "version", "problems"),
        [
            (
                record["name"],
                record["version"] or "built in"
                if record["installed"]
                else Text(f"{record['missing']} missing", style="red"),
                ", ".join(record["problems"]),
            )
            for record in records
        ],
        (),
    )
    limits = _together((record["name"], _limits(record)) for record in records)
    missing = _together((record["name"], record["install"]) for record in records if not record["installed"])
    return [drawn, *limits, *(f"To get {line}" for line in missing)]


def _together(said: Iterable[tuple[str, str]]) -> list[str]:
    """``a, b: what is said of both.``, one line for each thing said."""
    names: dict[str, list[str]] = {}
    for name, text in said:
        if text:
            names.setdefault(text.rstrip("."), []).append(name)
    return [f"{', '.join(found)}: {text}." for text, found in names.items()]


def _limits(record: Mapping[str, Any]) -> str:
    parts = [record["limits"]] if record["limits"] else []
    if record["tolerance"]:
        parts.append(f"optima to {record['tolerance']:g} relative")
    return "; ".join(parts)


def comparison_parts(record: Mapping[str, Any]) -> list[Any]:
    """Table and sentences of one comparison."""
    from rich.text import Text

    rows = record["back_ends"]
    ran = [row for row in rows if row["outcome"] != Outcome.REFUSED.value]
    drawn = table(
        problem_line(record["problem"]),
        ("back end", "outcome", "claims", "proven", "time", "memory", "agrees"),
        [
            (
                row["backend"],
                Text(row["outcome"], style=STYLES[row["outcome"]]),
                _claim(row["claimed"]),
                bracket_text(row["bracket"]),
                seconds_text(row["seconds"]),
                memory_text(row["memory_bytes"]),
                _agreement(row),
            )
            for row in ran
        ],
        ("claims", "proven", "time", "memory"),
    )
    return [drawn, *_sentences(record)]


def _claim(claimed: Mapping[str, Any]) -> str:
    if claimed["status"] is None:
        return "–"
    value = claimed["objective"]
    return f"{claimed['status']} {number(value)}" if value is not None else str(claimed["status"])


def _agreement(row: Mapping[str, Any]) -> str | Text:
    from rich.text import Text

    if row["agrees"] is None:
        return "–"
    if not row["agrees"]:
        return Text("NO", style="red")
    optimal = row["claimed"]["status"] == Status.OPTIMAL.value
    rough = row["tolerance"] > INTEGER and optimal and not row["proven"]
    return f"to {row['tolerance']:.0e}" if rough else "yes"


def _sentences(record: Mapping[str, Any]) -> list[str]:
    statuses = {row["status"] for row in record["back_ends"] if row["proven"]}
    if Status.INFEASIBLE.value in statuses:
        lines = ["Proven: no point satisfies the constraints."]
    elif record["bracket"] == [None, None]:
        lines = ["Nothing is proven about the optimum."]
    else:
        lines = [f"Proven by all together: optimum {bracket_text(record['bracket'])}."]
    if record["proven_by"]:
        lines.append(f"Proven in exact arithmetic: {', '.join(record['proven_by'])}.")
    if record["only_claimed_by"]:
        lines.append(f"Only claims, not proven to the last digit: {', '.join(record['only_claimed_by'])}.")
    return lines + _together((row["backend"], row["reason"]) for row in record["back_ends"])


def solution_table(record: Mapping[str, Any], proof: str | None) -> Table:
    bracket = [record["objective"], record["bound"]]
    if not record["problem"]["maximise"]:
        bracket.reverse()
    known = "proven" if record["proven"] else "not proven"
    rows: list[tuple[str, object]] = [
        ("problem", problem_line(record["problem"])),
        ("status", f"{record['status']}, {known}"),
        ("objective", value_text(record["objective"])),
        ("bracket", bracket_text(bracket)),
        ("back end", f"{record['backend']}, {seconds_text(record['seconds'])}"),
    ]
    if record["columns"] is not None:
        shown = ", ".join(map(str, record["columns"][:12]))
        rows.append(
            ("columns taken", shown + (" … (--json lists all)" if len(record["columns"]) > 12 else ""))
        )
    if record["reason"]:
        rows.append(("because", record["reason"]))
    if proof:
        rows.append(("proof", proof))
    return facts("Solution", rows)
