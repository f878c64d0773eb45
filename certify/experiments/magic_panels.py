"""Makes the bundled MAGIC covering programs: which of eight feature panels wins, and what would prove it.

    python -m certify.experiments.magic_panels magic-tree.npz [tree|logistic]     (needs scikit-learn)

Split seed 731 of `certify.experiments.panels`: 5,706 rows are held out.
"""

from __future__ import annotations

import sys

from certify.bounds import EXACT, best, initial_lower, lower_after
from certify.certificate import covering_program
from certify.experiments.panels import Condition, compared, split_of
from solvers import solve, write_problem


def main(output: str, model: str = "tree") -> None:
    condition = Condition("magic", 731, model, 8)
    pool, codes = compared(condition)
    winner, _ = best(lower_after(pool.risks, codes), EXACT)
    program = covering_program(pool.risks, codes, initial_lower(pool.risks), EXACT, winner)
    solution = solve(program)
    sizes = [len(panel) for panel in split_of(condition.dataset, condition.split).panels]
    print(
        f"panels of {sizes} indicators; panel {winner} wins on {pool.n} rows; "
        f"C(y) in [{solution.bound}, {solution.objective}]"
    )
    write_problem(output, program)


if __name__ == "__main__":
    main(*sys.argv[1:])
