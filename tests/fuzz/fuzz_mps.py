"""MPS and LP files: MPS must be read as a plain reading of the text finds it, both must survive writing."""

from __future__ import annotations

import gzip

import numpy as np

from solvers import SolverError, write_problem
from solvers.files.mps import _quiet_highs
from solvers.highs_model import load_linear
from tests.fuzz.fuzz_solvers import covering, linear, plain, problem_case
from tests.fuzz.mps_by_hand import by_hand
from tests.fuzz.mutations import damaged, damaged_lines, recoded
from tests.fuzz.property import Reader

WORDS = (
    "nan", "1e400", "inf", "", "x", ",", "-1e30", "1e20", "-1e-13", "1_0", "١", "1d3", "0x10", "+1.", ".5e1",
    "-0", "0", "2", "9" * 400, "É", "\x85", "\u00a0", "\x1c", "a b", "'MARKER'", "'INTORG'", "'INTEND'",
    "N", "G", "E", "L", "MI", "FR", "PL", "BV", "UP", "LO", "FX", "LI", "UI", "SC", "SI", "XX",
    "r0", "r1", "c0", "c1", "Obj", "MAX", "MIN", "NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES",
    "BOUNDS", "ENDATA", "QUADOBJ", "SOS", "NAME".lower(), "x" * 300,
)  # fmt: skip
LP_WORDS = (
    "", ",", ":", "nan", "inf", "1e400", "free", "<=", ">=", "=", "<", "+", "-", "[", "]", "^", "/2", "*",
    "\\", "min", "max", "st", "subject to", "bounds", "bin", "gen", "general", "semi", "sos", "end", "c0",
    "r0:", "1", "2 c0", "9" * 400, "É", "\x00", "x" * 600,
)  # fmt: skip


def mps_text(numbers, rng):
    """A text that holds every section."""
    kinds = [rng.choice("GELG") for _ in range(3)]
    lines = ["NAME T"]
    lines += rng.choice(([], ["OBJSENSE", "    MAX"], ["OBJSENSE MAX"], ["OBJSENSE", " MINIMIZE"]))
    lines += ["ROWS", " N Obj", *(f" {kind} r{at}" for at, kind in enumerate(kinds)), " N free", "COLUMNS"]
    for column in range(4):
        if column in (1, 3):
            lines.append(f"    M{column} 'MARKER' '{'INTORG' if column == 1 else 'INTEND'}'")
        values = [f"r{row} {value}" for row, value in enumerate(numbers.integers(-4, 9, 3)) if value]
        values.append(f"Obj {numbers.integers(1, 9) / 4}")
        lines += [f"    c{column} {' '.join(values[at : at + 2])}" for at in range(0, len(values), 2)]
    lines += ["RHS", "    S r0 2.5 r1 -1", "    r2 4" if rng.random() < 0.5 else "    S Obj 3"]
    lines += ["RANGES", f"    R r{rng.randrange(3)} {rng.choice(('-2', '3', '0'))}"] * (rng.random() < 0.5)
    lines += ["BOUNDS", " UP B c0 4.5", " MI B c1", f" {rng.choice(('BV', 'FR', 'PL'))} c2"]
    lines += [f" {rng.choice(('LI', 'FX', 'LO', 'UI'))} B c3 2", "ENDATA"]
    return "\n".join(lines) + "\n"


def _words(rng, text, words):
    """One to three words changed, lost, added or doubled."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(lines))
        found = lines[at].split()
        if found:
            place, word, change = rng.randrange(len(found)), rng.choice(words), rng.randrange(5)
            if change <= 1:
                found[place] = word
            elif change == 2:
                found.insert(place, word)
            elif change == 3:
                del found[place]
            else:
                found.append(found[place])
            lines[at] = " " * (rng.random() < 0.8 and lines[at][:1] == " ") + " ".join(found)
        else:
            lines[at] = rng.choice(words)
    return "\n".join(lines)


def _changed(rng, text, words):
    change = rng.randrange(8)
    if change == 0:
        return damaged(rng, text.encode())
    if change <= 2:
        return damaged_lines(rng, text).encode()
    if change == 3 and rng.random() < 0.1:
        return recoded(rng, text)
    return _words(rng, text, words).encode()


def mps_problem(rng, folder):
    path = folder / "problem.mps"
    numbers = np.random.default_rng(rng.getrandbits(32))
    if rng.random() < 0.3:
        write_problem(path, covering(numbers) if rng.random() < 0.5 else linear(numbers))
        text = path.read_text(encoding="utf-8")
        path.unlink()
    else:
        text = mps_text(numbers, rng)
    given = data = text.encode() if rng.random() < 0.05 else _changed(rng, text, WORDS)
    if rng.random() < 0.1:
        path = folder / "problem.mps.gz"
        packed = gzip.compress(data, mtime=0)
        data = damaged(rng, packed) if rng.random() < 0.5 else packed
        given = None if data != packed else given
    path.write_bytes(data)

    def check(answer):
        if given is None:
            return None
        expected = plain(by_hand(given.decode()))
        return None if answer == [expected] else f"read {answer}, by hand {expected}"

    return problem_case(path, check)


def lp_problem(rng, folder):
    path = folder / "problem.lp"
    numbers = np.random.default_rng(rng.getrandbits(32))
    highs = _quiet_highs(folder / "log")
    assert load_linear(highs, linear(numbers))
    highs.writeModel(str(path))
    path.write_bytes(_changed(rng, path.read_text(), LP_WORDS))
    for other in folder.iterdir():
        if other != path:
            other.unlink()
    return problem_case(path)


READERS = [
    Reader("problem-mps", (SolverError,), mps_problem),
    Reader("problem-lp", (SolverError,), lp_problem),
]
