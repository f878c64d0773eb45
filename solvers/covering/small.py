"""Small covering programs as integer programs: quicker there than exchanges, and it misses nothing."""

import numpy as np

from solvers.covering.prices import Mask
from solvers.highs_model import load_covering
from solvers.mixed import too_large
from solvers.problems import CoveringProgram
from solvers.quiet_highs import new_highs

COLUMNS = 64
"""Programs of at most this many columns are tried."""
NODES = 2000


def integer_optimum(program: CoveringProgram) -> Mask | None:
    """A cover that HiGHS takes for the smallest, verified to be a cover; None if there is none to show."""
    if program.n > COLUMNS or too_large(program, "highs"):
        return None
    highs = new_highs(mip_rel_gap=0.0, mip_abs_gap=0.999, mip_max_nodes=NODES)
    gains, demands = program.gains.astype(np.float64), program.demands.astype(np.float64)
    if not load_covering(highs, gains, demands, np.ones(program.n), integer=True):
        return None
    highs.run()
    x = np.rint(np.array(highs.getSolution().col_value)) > 0
    return x if x.shape == (program.n,) and program.check(x) == 0 else None
