"""Covering programs against the bare linear relaxation, in one run.

    python tests/benchmarks/covering.py [--seeds 9] [--large]

Random panel model: identical predictions, independent confidence orders, error 0.2. The peer is building and
solving the relaxation with ``scipy.optimize.linprog(method="highs-ds")``; ours is the whole bracket: exact
integer bound and a witness checked in integers. ``--large`` adds sizes the peer is not asked to solve, timed
against one float64 pass over the gains.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from solvers import CoveringProgram, Solution, solve
from tests.solvers.instances import random_panel


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of one call."""
    begin = time.perf_counter()
    result = action()
    return time.perf_counter() - begin, result


def relaxation(program: CoveringProgram) -> float:
    """Build and solve the relaxation the plain way."""
    found = linprog(
        np.ones(program.n),
        A_ub=-program.gains.astype(float),
        b_ub=-program.demands.astype(float),
        bounds=(0, 1),
        method="highs-ds",
    )
    return float(found.fun)


def describe(solutions: list[Solution]) -> str:
    """How many brackets closed, and how wide the widest is."""
    closed = sum(s.proven for s in solutions)
    widest = max(s.objective - s.bound for s in solutions)
    return f"{closed} of {len(solutions)} proven, widest bracket {widest}"


def against_linprog(n: int, candidates: int, seeds: int, closing: str) -> None:
    """closing: "none" stops at the bracket of the root, "tree" goes on to prove the last unit."""
    peer, ours = [], []
    for seed in range(seeds):
        program = random_panel(n, candidates, seed)
        fresh = CoveringProgram(program.gains, program.demands)  # nothing cached from building it
        ours.append(timed(lambda fresh=fresh: solve(fresh, closing=closing)))
        peer.append(timed(lambda program=program: relaxation(program))[0])
    solutions = [solution for _, solution in ours]
    mine, theirs = statistics.median(t for t, _ in ours), statistics.median(peer)
    what = "bracket" if closing == "none" else "exact"
    print(
        f"n = {n:,}, K = {candidates}, {what}: ours {1e3 * mine:.1f} ms, linprog {1e3 * theirs:.1f} ms, "
        f"ratio {mine / theirs:.2f} (goal ≤ 1); {describe(solutions)}"
    )


def against_one_pass(n: int, candidates: int) -> None:
    program = random_panel(n, candidates, 1)
    dense = program.gains.astype(np.float64)
    prices = np.full(program.m, 1.0 / n)
    one_pass = min(timed(lambda: prices @ dense)[0] for _ in range(5))
    seconds, solution = timed(lambda: solve(program))
    print(
        f"n = {n:,}, K = {candidates}: ours {1e3 * seconds:.0f} ms, {seconds / one_pass:.0f} float64 passes; "
        f"{describe([solution])}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=9)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    small = random_panel(500, 3, 0)
    solve(small), relaxation(small)  # load the libraries
    for closing in ("none", "tree"):
        against_linprog(10_000, 3, options.seeds, closing)
        against_linprog(5_706, 8, options.seeds, closing)
    if options.large:
        against_one_pass(100_000, 8)
        against_one_pass(1_000_000, 8)


if __name__ == "__main__":
    main()
