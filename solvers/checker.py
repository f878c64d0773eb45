"""Check a proof of a covering optimum with nothing but the standard library.

    python checker.py PROOF.json PROBLEM [PROBLEM ...]

A covering program asks for the fewest columns i whose gains g_i (one integer ≥ 0 per constraint) add up to
at least the demands D. A proof has one section a program; the answer is the best over all sections, and its
bracket [lower, upper] is what is checked here:

* lower: for integer multipliers p ≥ 0 and a denominator q > 0 every selection that meets the demands has
  at least (p·D + Σ_i min(0, q − p·g_i)) / q columns. (For such a selection, q times its size is at least
  p·D plus the sum of q − p·g_i over its columns, and that sum is at least the one over all negative terms.)
  Or the section is infeasible: all columns together miss a demand.
  A section may also hold a tree, which rules out every size below its stated bound; see check_tree.
* upper: a witness. It takes the columns with q − p·g_i < 0, except in the listed classes: [i, t] means that
  of all columns with the same gains as column i, the first of them, the first t are taken.

Every number in the proof is derived again and must agree; the checksum ties the free-form context to them.

PROBLEM is a CSV file (header "row,NAME,…", then "demand,D_1,…", then "0,g_1,…", "1,…" for every column) or
a binary file: the line "certified-choice covering 1", a line of JSON
{"dtype": "int32" or "int64", "sections": [{"constraints": m, "columns": n}, …]}, then for each section m
demands and m × n gains, constraint after constraint, little-endian; demands are always int64.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from operator import add, mul
from pathlib import Path
from typing import Any

FORMAT = "certified-choice covering proof"
MAGIC = b"certified-choice covering 1\n"
CHUNK = 1 << 16
ROUNDING = 40
PRIME = 997
INTEGER = re.compile("-?[0-9]+").fullmatch
PROOF_KEYS = {"format", "version", "context", "sections", "witness", "bracket", "checksum"}
SECTION_KEYS = {"name", "constraints", "columns", "sha256", "claim"}
BOUND_KEYS = SECTION_KEYS | {"multipliers", "denominator", "numerator", "lower"}
TREE_KEYS = BOUND_KEYS | {"tree"}
INFEASIBLE_KEYS = SECTION_KEYS | {"constraint", "demand", "total"}


class Rejected(ValueError):
    """The proof, or the problem beside it, does not hold; the message names the first lie."""


@dataclass(frozen=True)
class Problem:
    """Demands (one an integer constraint) and gains (for each constraint, one integer per column)."""

    demands: Sequence[int]
    gains: Sequence[Sequence[int]]
    columns: int | None = None

    @property
    def n(self) -> int:
        """Number of columns; stated separately when there is no constraint to count them by."""
        return len(self.gains[0]) if self.gains else self.columns or 0


def need(condition: bool, message: str) -> None:
    if not condition:
        raise Rejected(message)


def keys(value: Any, expected: set[str], where: str) -> None:
    need(isinstance(value, dict), f"{where}: an object is expected")
    wrong = sorted(set(value) ^ expected)
    need(not wrong, f"{where}: missing or unknown {', '.join(map(repr, wrong))}")


def integer(value: Any, where: str, least: int | None = None) -> int:
    need(type(value) is int, f"{where}: {value!r} is not an integer")
    need(least is None or value >= least, f"{where}: {value} is below {least}")
    return int(value)


def checksum(proof: dict[str, Any]) -> str:
    """SHA-256 of the proof without its checksum, as compact ASCII JSON with sorted keys."""
    body = {key: value for key, value in proof.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def little_endian(values: Sequence[int]) -> bytes:
    try:
        packed = array("q", values)
    except (TypeError, OverflowError) as error:
        raise Rejected(f"a demand or gain is not an integer of 64 bits ({error})") from error
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def digest(problem: Problem) -> str:
    """SHA-256 of "covering m n" and a newline, the demands, then the gains row by row, as int64."""
    state = hashlib.sha256(f"covering {len(problem.demands)} {problem.n}\n".encode())
    for values in (problem.demands, *problem.gains):
        state.update(little_endian(values))
    return state.hexdigest()


def priced(problem: Problem, p: Sequence[int]) -> Iterator[list[int]]:
    """p·g_i for all columns, in chunks."""
    for start in range(0, problem.n, CHUNK):
        values: Any = repeat(0, min(CHUNK, problem.n - start))
        for pj, row in zip(p, problem.gains, strict=True):
            if pj:
                values = map(add, values, map(mul, row[start : start + CHUNK], repeat(pj)))
        yield list(values)


def check_section(section: dict[str, Any], problem: Problem, where: str) -> tuple[bytearray, list[int]]:
    """Check one section; returns the sign rule (1 where q − p·g_i < 0) and what it covers."""
    infeasible = isinstance(section, dict) and section.get("claim") == "infeasible"
    branched = isinstance(section, dict) and "tree" in section
    keys(section, INFEASIBLE_KEYS if infeasible else TREE_KEYS if branched else BOUND_KEYS, where)
    need(isinstance(section["name"], str), f"{where}: the name must be text")
    m = len(problem.demands)
    need(len(problem.gains) == m, f"{where}: the problem has {m} demands, {len(problem.gains)} rows of gains")
    need(all(len(row) == problem.n for row in problem.gains), f"{where}: rows of gains differ in length")
    need(all(min(row, default=0) >= 0 for row in problem.gains), f"{where}: a gain is negative")
    need(integer(section["constraints"], where) == m, f"{where}: the problem has {m} constraints")
    need(integer(section["columns"], where) == problem.n, f"{where}: the problem has {problem.n} columns")
    need(section["sha256"] == digest(problem), f"{where}: the proof belongs to another problem (SHA-256)")
    if infeasible:
        j = integer(section["constraint"], where, 0)
        need(j < m, f"{where}: there is no constraint {j}")
        need(integer(section["demand"], where) == problem.demands[j], f"{where}: demand {j} differs")
        need(integer(section["total"], where) == sum(problem.gains[j]), f"{where}: total {j} differs")
        need(section["total"] < section["demand"], f"{where}: all columns together do meet demand {j}")
        return bytearray(), []
    need(section["claim"] == "bound", f'{where}: the claim must be "bound" or "infeasible"')
    p, q = section["multipliers"], integer(section["denominator"], f"{where} denominator", 1)
    need(isinstance(p, list) and len(p) == m, f"{where}: one multiplier a constraint is expected")
    p = [integer(pj, f"{where} multiplier", 0) for pj in p]
    rule = bytearray()
    for values in priced(problem, p):
        rule.extend(map(q.__lt__, values))
    covered = [sum(compress(row, rule)) for row in problem.gains]
    found = sum(map(mul, p, problem.demands)) + q * sum(rule) - sum(map(mul, p, covered))
    stated = integer(section["numerator"], f"{where} numerator")
    need(found == stated, f"{where}: the multipliers give the numerator {found}, not {stated}")
    lower, bound = integer(section["lower"], f"{where} lower bound"), -(-found // q)
    if branched:
        need(lower > bound, f"{where}: the tree proves no more than the multipliers alone, {bound}")
        part = opened(problem, p, q, q * (lower - 1) - found)
        check_tree(section["tree"], part, lower - 1, where)
    else:
        need(lower == bound, f"{where}: {found} / {q} proves the bound {bound}, not {lower}")
    return rule, covered


# -- the tree ----------------------------------------------------------------------------------------------
#
# To rule out that T columns or fewer do, subproblems are closed one after the other. A subproblem has free
# columns (for each the tuple a of its row coefficients), rows a·x summed ≥ rhs, and a number of columns taken
# already. Its first rows are the constraints; splits append more. For integers p, q ≥ 0 the inequality above
# gives q·T ≥ N + Σ |q − p·a_i| over the free columns on the wrong side of the sign of q − p·a_i, where
# N = q·taken + p·rhs + Σ min(0, q − p·a_i). With gap = q·T − N:
#
# * gap < 0 closes the subproblem;
# * otherwise a column with q − p·a_i > gap is left out, one with q − p·a_i < −gap is taken, and the rest is
#   looked at again, or split in two by an integer function π of its columns: π·x ≤ k or π·x ≥ k + 1.
#
# A tree is a list of steps. Each looks at the subproblem opened last; of a split the ≤ side comes first:
#     [p, q, seal]                       close, or fix and look again
#     [p, q, seal, column]               fix, then leave out the free column at this position and all later
#                                        ones equal to it, or take it and all earlier ones equal to it (of
#                                        equal columns a selection may be assumed to take the first ones)
#     [p, q, seal, w, shift, k, second]  fix, then split: with v_i = w·a_i, π_i is ⌊(v_i + shift) / 2^40⌋
#                                        where q − p·a_i ≥ 0 and −⌊(shift − v_i) / 2^40⌋ elsewhere
# p and w leave out trailing zeros. The first subproblem is what the section's multipliers do not fix. The
# seals 997 N + (q + Σ p + column) mod 997 and 997 Σ v + (Σ w + shift + k) mod 997 show any changed digit,
# even one that N and π do not depend on.


@dataclass(frozen=True)
class Part:
    """A subproblem: free columns, what the rows need, and how many columns are taken."""

    columns: list[tuple[int, ...]]
    rhs: list[int]
    taken: int

    def fixed(self, costs: Sequence[int], gap: int) -> Part:
        """Without the columns whose cost decides them."""
        ones = [a for a, c in zip(self.columns, costs, strict=True) if c < -gap]
        free = [a for a, c in zip(self.columns, costs, strict=True) if -gap <= c <= gap]
        rhs = [b - sum(a[j] for a in ones) for j, b in enumerate(self.rhs)]
        return Part(free, rhs, self.taken + len(ones))

    def sides(self, column: int) -> list[Part]:
        """With a column and earlier ones equal to it taken; with it and later ones equal to it left out."""
        a, before, after = self.columns[column], self.columns[:column], self.columns[column + 1 :]
        kept = [other for other in before if other != a]
        more = len(before) - len(kept) + 1
        rhs = [b - more * v for b, v in zip(self.rhs, a, strict=True)]
        out = before + [other for other in after if other != a]
        return [Part(kept + after, rhs, self.taken + more), Part(out, self.rhs, self.taken)]

    def cut(self, pi: Sequence[int], bound: int) -> Part:
        """With the row π·x ≥ bound."""
        columns = [(*a, v) for a, v in zip(self.columns, pi, strict=True)]
        return Part(columns, [*self.rhs, bound], self.taken)


def opened(problem: Problem, p: Sequence[int], q: int, gap: int) -> Part:
    """The subproblem that multipliers p / q leave of the whole problem."""
    taken, free = bytearray(), bytearray()
    for values in priced(problem, p):
        taken.extend(map((q + gap).__lt__, values))
        free.extend(q - gap <= value <= q + gap for value in values)
    rhs = [d - sum(compress(row, taken)) for d, row in zip(problem.demands, problem.gains, strict=True)]
    return Part(list(zip(*(compress(row, free) for row in problem.gains), strict=True)), rhs, sum(taken))


def weights(value: Any, rows: int, where: str, least: int | None = None) -> list[tuple[int, int]]:
    """(row, weight) for the nonzero weights of a list."""
    need(isinstance(value, list) and len(value) <= rows, f"{where}: at most {rows} integers are expected")
    need(not value or value[-1] != 0, f"{where}: trailing zeros are left out")
    return [(j, w) for j, w in enumerate(value) if integer(w, where, least)]


def check_tree(steps: Any, part: Part, target: int, where: str) -> None:
    """Check that the steps rule out every selection of at most ``target`` columns in ``part``."""
    need(isinstance(steps, list), f"{where}: the tree must be a list")
    todo = [part]
    for number, step in enumerate(steps):
        at = f"{where}, step {number} of the tree"
        need(isinstance(step, list) and len(step) in (3, 4, 7), f"{at}: 3, 4 or 7 entries are expected")
        need(bool(todo), f"{at}: nothing is left to look at")
        part = todo.pop()
        p, q = weights(step[0], len(part.rhs), at, 0), integer(step[1], at, 0)
        costs = [q - sum(pj * a[j] for j, pj in p) for a in part.columns]
        found = q * part.taken + sum(pj * part.rhs[j] for j, pj in p) + sum(c for c in costs if c < 0)
        column = integer(step[3], at, 0) if len(step) == 4 else 0
        seal = found * PRIME + (q + sum(pj for _, pj in p) + column) % PRIME
        need(integer(step[2], at) == seal, f"{at}: its numbers give the seal {seal}, not {step[2]}")
        gap = q * target - found
        if gap < 0:
            need(len(step) == 3, f"{at}: it is closed, there is nothing to split")
            continue
        part, costs = part.fixed(costs, gap), [c for c in costs if -gap <= c <= gap]
        if len(step) == 3:
            todo.append(part)
        elif len(step) == 4:
            need(column < len(part.columns), f"{at}: there is no column {column}")
            todo += part.sides(column)
        else:
            w = weights(step[3], len(part.rhs), at)
            shift, k, second = (integer(value, at) for value in step[4:])
            values = [sum(wj * a[j] for j, wj in w) for a in part.columns]
            seal = sum(values) * PRIME + (sum(wj for _, wj in w) + shift + k) % PRIME
            need(second == seal, f"{at}: the split gives the seal {seal}, not {second}")
            pi = [
                (v + shift) >> ROUNDING if c >= 0 else -((shift - v) >> ROUNDING)
                for v, c in zip(values, costs, strict=True)
            ]
            todo += [part.cut(pi, k + 1), part.cut([-v for v in pi], -k)]
    need(not todo, f"{where}: the tree leaves {len(todo)} subproblems open")


# -- the witness -------------------------------------------------------------------------------------------


def check_witness(witness: dict[str, Any], problem: Problem, rule: bytearray, covered: list[int]) -> None:
    """Check that the witness meets every demand and has the stated size."""
    listed = witness["deviations"]
    need(isinstance(listed, list), "witness: deviations must be a list")
    classes: dict[tuple[int, ...], tuple[int, int, list[int]]] = {}
    last = -1
    for pair in listed:
        need(isinstance(pair, list) and len(pair) == 2, "witness: a deviation is a pair [column, count]")
        i, t = integer(pair[0], "witness column", 0), integer(pair[1], "witness count", 0)
        need(last < i < problem.n, f"witness: column {i} is out of order or range")
        last = i
        column = tuple(row[i] for row in problem.gains)
        need(column not in classes, f"witness: column {i} repeats a class")
        classes[column] = (i, t, [])
    if classes:
        for i, column in enumerate(zip(*problem.gains, strict=True)):
            if column in classes:
                classes[column][2].append(i)
    size = sum(rule)
    for column, (i, t, members) in classes.items():
        need(members[:1] == [i], f"witness: column {i} is not the first of its class")
        usual = len(members) if rule[i] else 0
        need(t <= len(members) and t != usual, f"witness: {t} columns of class {i} is no deviation")
        size += t - usual
        covered = [c + (t - usual) * g for c, g in zip(covered, column, strict=True)]
    for j, (have, want) in enumerate(zip(covered, problem.demands, strict=True)):
        need(have >= want, f"witness: constraint {j} gets {have}, {want} are needed")
    need(size == integer(witness["size"], "witness size"), f"witness: it has {size} columns")


def check(proof: dict[str, Any], problems: Problem | Sequence[Problem]) -> list[str]:
    """Check a whole proof against its problem(s), one a section; returns what was established.

    Raises:
        Rejected: at the first statement that does not hold.
    """
    problems = [problems] if isinstance(problems, Problem) else list(problems)
    keys(proof, PROOF_KEYS, "proof")
    need(proof["format"] == FORMAT and proof["version"] == 1, f"the format must be {FORMAT!r}, version 1")
    integer(proof["version"], "version")
    need(isinstance(proof["context"], dict), "context: an object is expected")
    need(proof["checksum"] == checksum(proof), "the checksum does not fit the content: a value was changed")
    sections, witness = proof["sections"], proof["witness"]
    need(isinstance(sections, list) and len(sections) > 0, "sections: a non-empty list is expected")
    need(len(sections) == len(problems), f"{len(sections)} sections, {len(problems)} problems given")
    chosen = -1
    if witness is not None:
        keys(witness, {"section", "deviations", "size"}, "witness")
        chosen = integer(witness["section"], "witness section", 0)
        need(chosen < len(sections), f"witness: there is no section {chosen}")
    said: list[str] = []
    bounds: list[int] = []
    for k, (section, problem) in enumerate(zip(sections, problems, strict=True)):
        where = f"section {k}"
        rule, covered = check_section(section, problem, where)
        name = f"{where} ({section['name']!r}, {section['constraints']} constraints × {problem.n} columns)"
        if section["claim"] == "infeasible":
            need(k != chosen, "witness: its section is infeasible")
            said.append(f"{name}: infeasible, constraint {section['constraint']} cannot be met")
            continue
        bounds.append(section["lower"])
        said.append(f"{name}: at least {section['lower']} columns are needed")
        if witness is not None and k == chosen:
            check_witness(witness, problem, rule, covered)
            said.append(f"witness of {witness['size']} columns meets every demand of section {k}")
    upper = None if witness is None else witness["size"]
    expected = [min(bounds), upper] if bounds else None
    need(json.dumps(proof["bracket"]) == json.dumps(expected), f"the bracket must be {expected}")
    if expected:
        closed = "optimal" if expected[0] == upper else "bracket open"
        said.append(f"answer between {expected[0]} and {'unknown' if upper is None else upper}: {closed}")
    return said


def read_proof(path: str | Path) -> dict[str, Any]:
    """The proof as strict JSON: integers only, no duplicate keys."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        need(len(table) == len(pairs), f"{path}: a key appears twice")
        return table

    def refuse(text: str) -> Any:
        raise Rejected(f"{path}: {text} is not an integer")

    try:
        text = Path(path).read_text(encoding="utf-8")
        proof = json.loads(text, object_pairs_hook=unique, parse_float=refuse, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        if isinstance(error, Rejected):
            raise
        raise Rejected(f"{path}: not a JSON text ({error})") from error
    need(isinstance(proof, dict), f"{path}: a JSON object is expected")
    return dict(proof)


def read_binary(path: Path) -> list[Problem]:
    """Problems of a binary file."""
    with path.open("rb") as file:
        need(file.readline() == MAGIC, f"{path}: wrong first line")
        try:
            header = json.loads(file.readline())
            code = {"int32": "i", "int64": "q"}[header["dtype"]]
            sizes = [
                (integer(s["constraints"], "constraints", 0), integer(s["columns"], "columns", 0))
                for s in header["sections"]
            ]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Rejected(f"{path}: unreadable header ({error})") from error
        wanted = sum(m * (8 + n * array(code).itemsize) for m, n in sizes)
        need(wanted <= path.stat().st_size, f"{path}: the file ends early")

        def numbers(kind: str, count: int) -> array[int]:
            values = array(kind)
            data = file.read(count * values.itemsize)
            need(len(data) == count * values.itemsize, f"{path}: the file ends early")
            values.frombytes(data)
            if sys.byteorder == "big":
                values.byteswap()
            return values

        problems = [Problem(numbers("q", m), [numbers(code, n) for _ in range(m)], n) for m, n in sizes]
        need(not file.read(1), f"{path}: bytes left over")
    return problems


def read_csv(path: Path) -> list[Problem]:
    """The problem of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        table: list[list[int]] = []
        try:
            width = len(next(rows, []))
            need(width > 0, f"{path}: the header is missing")
            for k, row in enumerate(rows):
                label = "demand" if k == 0 else str(k - 1)
                good = len(row) == width and row[0] == label
                need(good, f"{path}: line {k + 2} must be {label!r} and {width - 1} integers")
                for value in row[1:]:  # int() alone would also take spaces, underscores and other digits
                    need(INTEGER(value) is not None, f"{path}: line {k + 2}: {value!r} is not an integer")
                table.append([int(value) for value in row[1:]])
        except csv.Error as error:
            raise Rejected(f"{path}: line {rows.line_num}: {error}") from error
        except ValueError as error:
            if isinstance(error, Rejected):
                raise
            raise Rejected(f"{path}: line {len(table) + 2}: {error}") from error
    need(bool(table), f"{path}: the demands are missing")
    gains = [array("q", column) for column in zip(*table[1:], strict=True)] or [array("q")] * (width - 1)
    return [Problem(table[0], gains, len(table) - 1)]


def read_problems(path: str | Path) -> list[Problem]:
    """All problems of a file, CSV unless it starts like a binary one."""
    path = Path(path)
    with path.open("rb") as file:
        binary = file.read(len(MAGIC)) == MAGIC
    return read_binary(path) if binary else read_csv(path)


def main(arguments: Sequence[str]) -> int:
    """0 if the proof holds, 1 if it does not, 2 if a problem or the file of the proof cannot be read."""
    if len(arguments) < 2:
        print("usage: python checker.py PROOF.json PROBLEM [PROBLEM ...]", file=sys.stderr)
        return 2
    try:
        problems = [problem for path in arguments[1:] for problem in read_problems(path)]
    except (OSError, ValueError, OverflowError, MemoryError) as error:
        print(f"unusable input: {error}", file=sys.stderr)
        return 2
    try:
        said = check(read_proof(arguments[0]), problems)
    except (ValueError, RecursionError) as error:  # also numbers too long to print, lists too deep to hash
        print(f"REJECTED: {error}")
        return 1
    except OSError as error:
        print(f"unusable input: {error}", file=sys.stderr)
        return 2
    print("\n".join([*said, "PROVEN" if said[-1].endswith("optimal") else "CHECKED"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
