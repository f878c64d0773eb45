"""The table of the solvers: random covering programs and MAGIC panels against their peers, in one run.

    python tests/benchmarks/solver_table.py [--seeds 5] [--large]

Random model: identical predictions, independent confidence orders, error 0.2. Every figure is a ratio to a
peer timed next to it: HiGHS solving only the linear relaxation with presolve off (arrays passed once), one
float64 pass over the gains (prices @ gains), or scipy's linprog. Memory is the peak of a process of its own
above its imports. ``--large`` adds ten million columns (needs about 3 GB and some minutes).
"""

import argparse
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from solvers import CoveringProgram, Solution, proof, read_problem, solve
from solvers.compare import compare
from solvers.covering.prices import relax
from solvers.exact import best_multipliers
from solvers.highs_model import load_covering
from solvers.instances import bundled
from solvers.problem_files import write_binary
from solvers.quiet_highs import new_highs
from solvers.random_problems import random_covering

CANDIDATES = 8
CHECKER = Path(__file__).resolve().parents[2] / "solvers" / "checker.py"


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of one call."""
    begin = time.perf_counter()
    result = action()
    return time.perf_counter() - begin, result


def fresh(program: CoveringProgram) -> CoveringProgram:
    """The same program with nothing cached."""
    return CoveringProgram(program.gains, program.demands)


def highs_relaxation(program: CoveringProgram) -> float:
    """Build and solve the relaxation with HiGHS, presolve off."""
    highs = new_highs(presolve="off")
    gains, demands = program.gains.astype(np.float64), program.demands.astype(np.float64)
    load_covering(highs, gains, demands, np.ones(program.n), integer=False)
    highs.run()
    return float(highs.getInfo().objective_function_value)


def scipy_relaxation(program: CoveringProgram) -> float:
    """Build and solve the relaxation with scipy."""
    found = linprog(
        np.ones(program.n),
        A_ub=-program.gains.astype(float),
        b_ub=-program.demands.astype(float),
        bounds=(0, 1),
        method="highs-ds",
    )
    return float(found.fun)


def bound_alone(program: CoveringProgram) -> int:
    """Linear relaxation and its exact integer bound, without a witness."""
    slack = np.array([float(t - d) for t, d in zip(program.totals, program.demands.tolist(), strict=True)])
    return best_multipliers(program, relax(program.gains, slack).prices).bound


def one_pass(program: CoveringProgram) -> float:
    """Seconds of prices @ gains in float64, the best of five."""
    dense = program.gains.astype(np.float64)
    prices = np.full(program.m, 1.0 / program.n)
    return min(timed(lambda: prices @ dense)[0] for _ in range(5))


def outcome(solutions: list[Solution]) -> str:
    """How many optima are proven and how wide the widest bracket is."""
    widest = max(int(s.objective - s.bound) for s in solutions if s.objective is not None)
    return f"{sum(s.proven for s in solutions)} of {len(solutions)} proven, widest bracket {widest}"


def row(instance: str, goal: str, measured: str) -> None:
    print(f"| {instance} | {goal} | {measured} |", flush=True)


def proof_facts(program: CoveringProgram, solution: Solution) -> str:
    """Size of the proof file and the seconds the checker takes, started by its path."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("proof.json", "problem.cover")]
        proof.write(paths[0], proof.build([proof.Section("benchmark", program, solution)]))
        write_binary(paths[1], [program])
        command = [sys.executable, str(CHECKER), *map(str, paths)]
        seconds, done = timed(lambda: subprocess.run(command, capture_output=True, text=True))
        said = done.stdout.splitlines()[-1] if done.stdout else done.stderr
        return f"{paths[0].stat().st_size / 1000:.1f} KB, checked in {seconds:.1f} s: {said}"


def memory(program: CoveringProgram) -> tuple[int, float]:
    """Peak bytes above the imports, and its ratio to the gains held as int32."""
    (found,) = compare(program, ["sifting"], time_limit=None)
    assert found.memory is not None, found.reason
    return found.memory, found.memory / (4 * program.m * program.n)


def against_highs(n: int, seeds: int, goal: str) -> None:
    ours, theirs, solutions = [], [], []
    for seed in range(seeds):
        program = random_covering(n, CANDIDATES, seed)
        seconds, solution = timed(lambda program=program: solve(fresh(program)))
        ours.append(seconds)
        solutions.append(solution)
        if seed < 3:  # the peer takes its time
            theirs.append(timed(lambda program=program: highs_relaxation(program))[0])
    mine, peer = statistics.median(ours), statistics.median(theirs)
    measured = f"{peer / mine:.1f} × ({1e3 * mine:.0f} ms against {peer:.2f} s); {outcome(solutions)}"
    row(f"{n:,} × {CANDIDATES}, solve", goal, measured)
    row(f"{n:,} × {CANDIDATES}, proof", "< 10 KB at the root", proof_facts(program, solution))


def against_passes(n: int, goal: str) -> None:
    program = random_covering(n, CANDIDATES, 0)
    floor = one_pass(program)
    seconds = statistics.median(timed(lambda: bound_alone(fresh(program)))[0] for _ in range(3))
    row(
        f"{n:,} × {CANDIDATES}, relaxation + exact bound",
        goal,
        f"{seconds / floor:.0f} passes ({1e3 * seconds:.0f} ms, one pass {1e3 * floor:.2f} ms)",
    )
    size, ratio = memory(program)
    row(
        f"{n:,} × {CANDIDATES}, peak memory of solve",
        "≤ 3 × gains as int32",
        f"{ratio:.2f} × ({size / 1e6:.0f} MB)",
    )


def ten_million() -> None:
    n = 10_000_000
    program = random_covering(n, CANDIDATES, 0)
    floor = one_pass(program)
    seconds, solution = timed(lambda: solve(fresh(program)))
    measured = f"{seconds / floor:.0f} passes ({seconds:.2f} s, one pass {1e3 * floor:.0f} ms)"
    row(f"{n:,} × {CANDIDATES}, solve", "≤ 100 passes, bracket ≤ 1", f"{measured}; {outcome([solution])}")
    size, ratio = memory(program)
    row(
        f"{n:,} × {CANDIDATES}, peak memory",
        "≤ 2 GB in all",
        f"{size / 1e9:.2f} GB above imports, {ratio:.2f} ×",
    )
    row(f"{n:,} × {CANDIDATES}, proof", "< 10 KB at the root", proof_facts(program, solution))


def magic() -> None:
    for name in ("magic-tree-8", "magic-logistic-8"):
        program = read_problem(bundled()[name])
        assert isinstance(program, CoveringProgram)
        ours, theirs = [], []
        for _ in range(9):  # alternating, so that noise hits both
            seconds, solution = timed(lambda program=program: solve(fresh(program)))
            ours.append(seconds)
            theirs.append(timed(lambda program=program: scipy_relaxation(program))[0])
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        measured = (
            f"{ratio:.2f} × linprog ({1e3 * statistics.median(ours):.1f} against "
            f"{1e3 * statistics.median(theirs):.1f} ms); optimum {solution.objective}, {outcome([solution])}"
        )
        row(f"{name}, exact", "< 1 × linprog's relaxation", measured)
        row(f"{name}, proof", "< 10 KB at the root", proof_facts(program, solution))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="add ten million columns")
    options = parser.parse_args()
    small = random_covering(500, 3)
    solve(small), highs_relaxation(small), scipy_relaxation(small)  # load the libraries
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}\n")
    print("| instance | goal | measured |\n|---|---|---|")
    magic()
    against_highs(100_000, options.seeds, "proven; ≥ 3 × faster than HiGHS's relaxation")
    against_highs(1_000_000, options.seeds, "bracket ≤ 1; ≥ 30 × faster than HiGHS's relaxation")
    against_passes(1_000_000, "≤ 30 passes")
    if options.large:
        ten_million()


if __name__ == "__main__":
    main()
