"""Makes the bundled MAGIC covering programs: which of eight feature panels wins, and what would prove it.

    python -m certify.experiments.magic_panels magic-tree.npz [tree|logistic]     (needs scikit-learn)

Split seed 731 of `certify.experiments.panels`: 5,706 rows are held out.
"""

from __future__ import annotations

import sys

import numpy as np

from certify.bounds import EXACT, best, initial_lower, lower_after
from certify.certificate import covering_program
from certify.experiments.panels import COMPARED, Split, fits, panels, pool_of, split_of
from solvers import solve, write_problem


def main(output: str, model: str = "tree") -> None:
    sources = _by_quartile(split_of("magic", 731))
    pool, codes = pool_of(fits(sources, sources.panels, model), COMPARED[8], sources)
    winner, _ = best(lower_after(pool.risks, codes), EXACT)
    program = covering_program(pool.risks, codes, initial_lower(pool.risks), EXACT, winner)
    solution = solve(program)
    print(
        f"panels of {[len(panel) for panel in sources.panels]} indicators; panel {winner} wins on {pool.n} "
        f"rows; C(y) in [{solution.bound}, {solution.objective}]"
    )
    write_problem(output, program)


def _by_quartile(sources: Split) -> Split:
    """Indicators in the order in which the bundled problems were made: all first quartiles, all second, …"""
    order = np.arange(sources.shown.shape[1]).reshape(-1, 3).T.ravel()  # MAGIC has no constant indicator
    shown, train = sources.shown[:, order], sources.train
    found = panels(shown[train], sources.positive[train])
    return Split(train, sources.held, shown, sources.positive, found)


if __name__ == "__main__":
    main(*sys.argv[1:])
