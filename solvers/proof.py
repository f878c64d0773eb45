"""Proof files: what a stranger needs to check a covering optimum without this package.

The format is described and checked in :mod:`solvers.checker`, which shares no code with the engine. A proof
has one section a covering program; the answer it brackets is the smallest cover over all sections.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from solvers import checker
from solvers.covering.canonical import canonical
from solvers.errors import SolverError
from solvers.exact import shortfall
from solvers.problems import CoveringProgram, blocks
from solvers.solution import Solution
from solvers.tree import ColumnSplit, Step


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """One covering program with its checked solution.

    Attributes:
        name: what the section stands for, e.g. the candidate it would return.
        program: the covering program.
        solution: from :func:`solvers.solve`; must carry multipliers unless the program is infeasible.
    """

    name: str
    program: CoveringProgram
    solution: Solution


def digest(program: CoveringProgram) -> str:
    """SHA-256 of the canonical content, whatever the dtype in memory.

    The ASCII line "covering m n", then demands and gains (constraint after constraint) as little-endian
    int64.
    """
    state = hashlib.sha256(f"covering {program.m} {program.n}\n".encode())
    state.update(program.demands.astype("<i8").tobytes())
    for row in program.gains:
        for part in blocks(program.n):
            state.update(row[part].astype("<i8").tobytes())
    return state.hexdigest()


def _stated(section: Section) -> dict[str, Any]:
    program, dual = section.program, section.solution.multipliers
    stated: dict[str, Any] = {
        "name": section.name,
        "constraints": program.m,
        "columns": program.n,
        "sha256": digest(program),
    }
    row = shortfall(program)
    if row is not None:
        return {
            **stated,
            "claim": "infeasible",
            "constraint": row,
            "demand": int(program.demands[row]),
            "total": program.totals[row],
        }
    if dual is None:
        raise SolverError(
            f"Section {section.name!r} has no multipliers to prove a bound with; solve the program with "
            "solvers.solve and pass its Solution."
        )
    tree = section.solution.tree
    stated |= {
        "claim": "bound",
        "multipliers": list(dual.p),
        "denominator": dual.q,
        "numerator": dual.numerator,
        "lower": dual.bound if tree is None else tree.target + 1,
    }
    return stated if tree is None else {**stated, "tree": [_listed(step) for step in tree.steps]}


def _listed(step: Step) -> list[Any]:
    """A step of a tree as the list that :mod:`solvers.checker` describes, with its seals."""
    split, p, q = step.split, step.p, step.q
    column = split.column if isinstance(split, ColumnSplit) else 0
    listed = [list(p), q, step.numerator * checker.PRIME + (q + sum(p) + column) % checker.PRIME]
    if isinstance(split, ColumnSplit):
        return [*listed, column]
    if split is None:
        return listed
    w, shift, k = split.weights, split.shift, split.k
    seal = split.total * checker.PRIME + (sum(w) + shift + k) % checker.PRIME
    return [*listed, list(w), shift, k, seal]


def build(sections: Sequence[Section], context: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The proof of the smallest cover over all sections, as a JSON-ready dict.

    Args:
        sections: at least one, in an order the reader can reproduce.
        context: free-form text and integers (names, tie rule, tolerance as text); covered by the checksum.

    Raises:
        SolverError: without sections, without multipliers, or for context that is not plain JSON.
    """
    if not sections:
        raise SolverError("A proof needs at least one section.")
    stated = [_stated(section) for section in sections]
    bounds = [s["lower"] for s in stated if s["claim"] == "bound"]
    sizes = [
        (int(section.solution.x.sum()), k)
        for k, section in enumerate(sections)
        if section.solution.x is not None and stated[k]["claim"] == "bound"
    ]
    witness = None
    if sizes:
        size, chosen = min(sizes)
        solution = sections[chosen].solution
        assert solution.multipliers is not None
        assert solution.x is not None
        x = np.asarray(solution.x, dtype=np.bool_)
        _, deviations = canonical(sections[chosen].program, solution.multipliers, x)
        witness = {"section": chosen, "deviations": [list(d) for d in deviations], "size": size}
    proof: dict[str, Any] = {
        "format": checker.FORMAT,
        "version": 1,
        "context": dict(context or {}),
        "sections": stated,
        "witness": witness,
        "bracket": [min(bounds), witness["size"] if witness else None] if bounds else None,
    }
    try:
        _plain(proof["context"], "context")
        return {**proof, "checksum": checker.checksum(proof)}
    except (TypeError, ValueError) as error:
        raise SolverError(f"The context cannot be written as JSON: {error}") from error


def _plain(value: object, where: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{where}: key {key!r} is not text")
            _plain(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for inner in value:
            _plain(inner, where)
    elif not (value is None or isinstance(value, str | int)):
        raise TypeError(f"{where}: {type(value).__name__} (text, integers, lists and objects are accepted)")


def write(path: str | Path, proof: Mapping[str, Any]) -> None:
    """Write a proof as ASCII JSON text, one key a line."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in proof.items()]
    Path(path).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")


def read(path: str | Path) -> dict[str, Any]:
    """Read a proof without judging it; see :func:`solvers.checker.check`.

    Raises:
        SolverError: if the file is not strict JSON with integers only.
    """
    try:
        return checker.read_proof(path)
    except checker.Rejected as error:
        raise SolverError(f"{error}. Write proofs with solvers.proof.write.") from error
