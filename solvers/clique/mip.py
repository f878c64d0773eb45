"""Maximum cliques as a sequence of mixed-integer programs: cardinality, then weight, then names.

Vertices adjacent to all others belong to every maximum clique and are left out of the models. A clique
takes at most one vertex of an independent set, and enough such sets to cover every missing edge are the
rows of the first model. The second adds one column y_uv for every edge, at most x_u and x_v, with Σ_v y_uv =
(ω − 1) x_u, so that no big constant is needed. The third settles the vertices in the order of their names:
each is kept if some clique of the same size and weight has it besides those kept before. Whatever a
program returns is rounded and counted in integers before the next one is built.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer
from solvers.maximum_clique import MaximumClique
from solvers.mixed import TIME_LIMIT, Clock, Run
from solvers.problems import LinearProgram
from solvers.solution import Status

VERTICES = 150
EDGES = 500
"""Sizes beyond which no model is built: near them HiGHS already took from seconds to over 20 s."""
WEIGHT = 10**9
"""Total weights from here on drown in the tolerances of floating-point solvers."""


def _open(problem: MaximumClique) -> npt.NDArray[np.intp]:
    """Vertices with a missing edge."""
    return np.flatnonzero(problem.adjacency.sum(axis=1) < problem.n - 1)


def refuses(problem: MaximumClique) -> str:
    """Why the models would be hopeless; empty if they are not."""
    vertices = _open(problem)
    if len(vertices) > VERTICES:
        return (
            f"{len(vertices)} vertices miss an edge; the integer programs take at most {VERTICES} of those, "
            "beyond that they take too long."
        )
    if len(problem.edge_weights) <= 1:
        return ""
    edges = int(problem.adjacency[np.ix_(vertices, vertices)].sum()) // 2
    if edges > EDGES:
        return (
            f"{edges} edges of unequal weights need a product each; the integer programs take at most "
            f"{EDGES}, beyond that they take too long."
        )
    total = problem.weight(np.ones(problem.n, dtype=np.bool_))
    if total >= WEIGHT:
        return (
            f"weights add up to {total}: below {WEIGHT:g} is accepted, beyond it units are lost in rounding."
        )
    return ""


def _independent_sets(adjacency: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Indicator rows of independent sets that together cover every missing edge."""
    apart = ~adjacency
    np.fill_diagonal(apart, False)
    uncovered = np.triu(apart, 1)
    rows = []
    while uncovered.any():
        u, v = np.argwhere(uncovered)[0]
        chosen = [int(u), int(v)]
        free = apart[u] & apart[v]
        while free.any():
            covers = uncovered[chosen].sum(axis=0) + uncovered[:, chosen].sum(axis=1)
            w = int(np.argmax(np.where(free, covers, -1)))
            chosen.append(w)
            free &= apart[w]
        uncovered[np.ix_(chosen, chosen)] = False
        row = np.zeros(len(adjacency))
        row[chosen] = 1.0
        rows.append(row)
    return np.array(rows).reshape(len(rows), len(adjacency))


@dataclass(eq=False)
class _Stages:
    """The models, and the best clique that was confirmed in integers."""

    problem: MaximumClique
    run: Run
    clock: Clock
    best: npt.NDArray[np.bool_]
    stopped: str = ""
    vertices: npt.NDArray[np.intp] = field(init=False)
    sets: npt.NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.vertices = _open(self.problem)
        self.sets = _independent_sets(self.problem.adjacency[np.ix_(self.vertices, self.vertices)])
        self.always = np.ones(self.problem.n, dtype=np.bool_)
        self.always[self.vertices] = False
        self.tied = len(self.problem.edge_weights) <= 1

    def confirmed(self, answer: Answer) -> npt.NDArray[np.bool_] | None:
        """The clique of an answer if it is one."""
        if answer.x is None:
            if answer.status is not Status.INFEASIBLE:
                self.stopped = answer.reason or answer.status.value
            return None
        members = self.always.copy()
        members[self.vertices] = np.asarray(answer.x)[: len(self.vertices)] > 0.5
        if self.problem.check(members):
            self.stopped = "a point that is no clique after rounding"
            return None
        if answer.status is not Status.OPTIMAL:
            self.stopped = answer.reason or answer.status.value
        return members

    def solve(self, program: LinearProgram) -> Answer:
        if self.clock.over():
            return Answer(Status.NO_SOLUTION, reason=TIME_LIMIT)
        return self.run(program, self.clock.left())

    def largest(self) -> None:
        k = len(self.vertices)
        program = LinearProgram(
            np.ones(k),
            self.sets,
            row_upper=np.ones(len(self.sets)),
            upper=np.ones(k),
            integrality=np.ones(k, dtype=np.bool_),
            maximise=True,
        )
        found = self.confirmed(self.solve(program))
        if found is not None:
            self.best = found

    def _weighted(self, costs: bool, least: int | None, fixed: npt.NDArray[np.float64]) -> LinearProgram:
        """Cliques of the best size: maximise weight, or demand at least so much of it."""
        k = len(self.vertices)
        inner = self.problem.adjacency[np.ix_(self.vertices, self.vertices)]
        ends = np.argwhere(np.triu(inner, 1)) if not self.tied else np.zeros((0, 2), dtype=np.intp)
        e = len(ends)
        size = int(self.best.sum() - self.always.sum())
        square = self.problem.weights[np.ix_(self.vertices, self.vertices)]
        pull = self.problem.weights[np.ix_(self.vertices, np.flatnonzero(self.always))].sum(axis=1)
        weights = np.concatenate((pull, square[ends[:, 0], ends[:, 1]])).astype(np.float64)
        total = np.concatenate((np.ones(k), np.zeros(e)))[None, :]
        blocks = [(np.pad(self.sets, ((0, 0), (0, e))), -np.inf, 1.0), (total, size, size)]
        if e:
            at = np.arange(e)
            degree = np.zeros((k, k + e))
            degree[np.arange(k), np.arange(k)] = -(size - 1.0)
            below = np.zeros((2 * e, k + e))
            for side in (0, 1):
                degree[ends[:, side], k + at] = 1.0
                below[side * e + at, k + at] = 1.0
                below[side * e + at, ends[:, side]] = -1.0
            blocks += [(degree, 0.0, 0.0), (below, -np.inf, 0.0)]
        if least is not None and e:
            blocks.append((weights[None, :], float(least), np.inf))
        rows = [len(matrix) for matrix, _, _ in blocks]
        return LinearProgram(
            weights if costs else np.zeros(k + e),
            np.concatenate([matrix for matrix, _, _ in blocks]),
            row_lower=np.repeat([low for _, low, _ in blocks], rows),
            row_upper=np.repeat([high for _, _, high in blocks], rows),
            lower=np.concatenate((np.maximum(fixed, 0.0), np.zeros(e))),
            upper=np.concatenate((np.where(fixed < 0, 0.0, 1.0), np.ones(e))),
            integrality=np.arange(k + e) < k,
            maximise=True,
        )

    def heaviest(self) -> None:
        found = self.confirmed(self.solve(self._weighted(True, None, np.zeros(len(self.vertices)))))
        if found is not None and self._score(found) > self._score(self.best):
            self.best = found

    def _score(self, members: npt.NDArray[np.bool_]) -> tuple[int, int]:
        return int(members.sum()), self.problem.weight(members)

    def first(self) -> None:
        place = {int(v): k for k, v in enumerate(self.vertices)}
        fixed = np.zeros(len(self.vertices))  # 1 kept, −1 dropped, 0 open
        score = self._score(self.best)
        base = int(self.problem.weight(self.always))
        for v in self.problem.by_name:
            k = place.get(v)
            if k is None or fixed[k]:
                continue
            fixed[k] = 1.0
            if not self.best[v]:
                program = self._weighted(False, score[1] - base, fixed)
                found = self.confirmed(self.solve(program))
                if self.stopped:
                    return
                if found is None or self._score(found) != score:
                    fixed[k] = -1.0
                    continue
                self.best = found
            near = self.problem.adjacency[v, self.vertices]
            fixed[~near & (fixed == 0)] = -1.0


def solve_by(run: Run, problem: MaximumClique, time_limit: float | None) -> Answer:
    """The preferred clique as far as the integer programs tell; FEASIBLE with the reason if one stops."""
    clock = Clock.start(time_limit)
    stages = _Stages(problem, run, clock, np.zeros(problem.n, dtype=np.bool_))
    stages.best = stages.always.copy()
    if len(stages.vertices):
        stages.largest()
        if not stages.stopped and not stages.tied:
            stages.heaviest()
        if not stages.stopped:
            stages.first()
    size = float(stages.best.sum())
    if stages.stopped:
        return Answer(Status.FEASIBLE, stages.best, size, reason=stages.stopped)
    return Answer(Status.OPTIMAL, stages.best, size, size)
