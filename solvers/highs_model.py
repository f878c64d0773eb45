"""Models handed to HiGHS, and what its statuses mean in the common vocabulary."""

from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.problems import LinearProgram
from solvers.solution import Status


def power_of_two_scale(largest: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Per row the power of two that brings its largest entry near 1: an exact scaling."""
    size = np.maximum(np.asarray(largest, dtype=np.float64), 1.0)
    return np.exp2(-np.floor(np.log2(size)))


def load_covering(
    highs: Any,
    gains: npt.NDArray[np.float64],
    demands: npt.NDArray[np.float64],
    upper: npt.NDArray[np.float64],
    integer: bool,
) -> bool:
    """Pass min Σx, gains @ x ≥ demands, 0 ≤ x ≤ upper; gains (m, n) dense float64, rows as given.

    False if HiGHS refused the model.
    """
    m, n = gains.shape
    used = gains.T != 0  # HiGHS would drop the zeros, but only after a copy of them
    starts = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(used.sum(axis=1), out=starts[1:])
    status = highs.passModel(
        n,
        m,
        int(starts[-1]),
        1,  # column-wise
        1,  # minimise
        0.0,
        np.ones(n),
        np.zeros(n),
        upper,
        demands,
        np.full(m, np.inf),
        starts,
        np.broadcast_to(np.arange(m, dtype=np.int32), (n, m))[used],
        gains.T[used],
        np.full(n, int(integer), dtype=np.int32),
    )
    return "kError" not in str(status)


def load_linear(highs: Any, problem: LinearProgram) -> bool:
    starts, index, value = problem.columns()
    status = highs.passModel(
        problem.n,
        problem.m,
        len(value),
        1,
        -1 if problem.maximise else 1,
        0.0,
        problem.costs,
        problem.lower,
        problem.upper,
        problem.row_lower,
        problem.row_upper,
        starts,
        index,
        value,
        problem.integrality.astype(np.int32),
    )
    return "kError" not in str(status)


def outcome(highs: Any) -> tuple[Status, str]:
    import highspy

    kind = highspy.HighsModelStatus
    status = highs.getModelStatus()
    has_point = highs.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    stopped = Status.FEASIBLE if has_point else Status.NO_SOLUTION
    table = {
        kind.kOptimal: (Status.OPTIMAL, ""),
        kind.kModelEmpty: (Status.OPTIMAL, ""),
        kind.kInfeasible: (Status.INFEASIBLE, ""),
        kind.kUnbounded: (Status.UNBOUNDED, ""),
        kind.kUnboundedOrInfeasible: (Status.INFEASIBLE_OR_UNBOUNDED, ""),
        kind.kTimeLimit: (stopped, "time limit"),
        kind.kIterationLimit: (stopped, "iteration limit"),
        kind.kSolutionLimit: (stopped, "solution or node limit"),
        kind.kObjectiveBound: (stopped, "objective bound"),
        kind.kObjectiveTarget: (stopped, "objective target"),
        kind.kInterrupt: (stopped, "interrupted"),
    }
    return table.get(status, (Status.ERROR, f"HiGHS status {highs.modelStatusToString(status)!r}"))
