"""Answer a session's queries from a source: a simulator, or a judge that is a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pareto.comparisons import Queries
from pareto.errors import BattleError
from pareto.identify import refuse_disorder
from pareto.result import Result
from pareto.session.queries import Query
from pareto.session.session import Answer, Session
from pareto.sources import Source


def drive(
    session: Session,
    source: Source,
    at_once: int | None = None,
    progress: Callable[[Session], None] | None = None,
) -> Result:
    """Ask, let `source` answer, tell, until nothing is wanted; what was told is in the journal already.

    at_once: so many single comparisons between two writes; None takes whole rounds. A source that answers
    none of what it is asked ends the drive with a `BattleError`; go on later with the session or its journal.
    progress: called after every write.

    >>> import pareto
    >>> session = pareto.Session(["a", "b"], ["code"], method="interval")  # journal=… keeps every answer
    >>> source = pareto.BradleyTerrySource([[1.0], [0.0]], models=["a", "b"], objectives=["code"])
    >>> pareto.drive(session, source).kept, session.done
    (('a',), True)
    """
    task = session.setup.task
    if (tuple(source.models), tuple(source.objectives)) != (task.models, task.objectives):
        raise BattleError(
            "the source has other models or objectives than the session; give one with the same"
        )
    disorder = getattr(source, "disorder", None)  # a log has one, whatever the session was told
    if disorder is not None:
        refuse_disorder(session.setup.method, disorder)
    if source.joint != task.joint:
        raise BattleError("session and source differ in whether one showing answers all objectives")
    while not session.done:
        queries = session.ask(at_once)
        if not queries:
            raise BattleError("all that is wanted is with other askers; wait until they tell or release it")
        rows = [(query, r) for query in queries for r in query.objectives]
        answers, answered = _answers(source, rows)
        if not answered:
            session.release()
            raise BattleError(
                f"the source answered none of {sum(query.count for query in queries)} comparisons"
            )
        named: list[Answer] = [
            {task.objectives[r]: answer} for (_, r), answer in zip(rows, answers, strict=True)
        ]
        session.tell([query for query, _ in rows], named)
        if progress is not None:
            progress(session)
    return session.result


def _answers(source: Source, rows: Sequence[tuple[Query, int]]) -> tuple[list[tuple[float, int]], int]:
    """An answer for every row, (points of the left model, answered), and how many comparisons that makes."""
    cells = np.array([(query.left, query.right, r, query.count) for query, r in rows], dtype=np.int64)
    queries = Queries(*cells.T)
    outcomes = source.answer(queries)
    same = len(outcomes) == len(queries) and all(
        np.array_equal(getattr(outcomes, name), getattr(queries, name))
        for name in ("first", "second", "objective")
    )
    if not same:
        raise BattleError("the source changed the order of the queries; answer them row by row")
    answers = list(zip(outcomes.points.tolist(), outcomes.count.tolist(), strict=True))
    return answers, outcomes.total
