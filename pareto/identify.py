"""Run a method on a source until it stops, is capped, or the source has no more answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pareto.errors import BattleError
from pareto.result import Result
from pareto.samplers import Sampler, make_sampler, method
from pareto.sources import Source
from pareto.task import Task

DEFAULT_METHOD = "vb-ege"
UNORDERED = (
    "its majorities may be cyclic or disagree with its Borda scores (if they are not, declare it as ordered)"
)
"""What is said of a source that does not say it better."""


def identify(
    source: Source,
    method: str = DEFAULT_METHOD,
    delta: float = 0.05,
    seed: int = 0,
    *,
    max_comparisons: int | None = None,
    margin: float = 0.0,
    progress: Callable[[Sampler], None] | None = None,
    **options: Any,
) -> Result:
    """Find the strict Pareto frontier of the source's models at confidence 1 − `delta`.

    method: one of `pareto.samplers.METHODS`. seed: of the method's own choices; the source has its own.
    max_comparisons: stop, undecided, before exceeding it. margin: count a model as dominated only by more
    than this. progress: called after every batch. options: the method's own.

    Without a cap a method need not stop when models tie. A source that answers none of a batch of
    queries ends the run with a `BattleError`.

    >>> import pareto
    >>> theta = [[2.0, 0.5], [0.0, 2.0], [-2.0, -1.5]]  # models × objectives
    >>> source = pareto.BradleyTerrySource(theta, seed=0, models=["a", "b", "c"], objectives=["code", "math"])
    >>> result = pareto.identify(source, method="interval", delta=0.05)
    >>> str(result.status), result.kept
    ('certified', ('a', 'b'))
    >>> result.records()[2]["status"]
    'dominated'
    """
    task = Task(
        models=source.models,
        objectives=source.objectives,
        delta=delta,
        seed=seed,
        max_comparisons=max_comparisons,
        margin=margin,
        joint=source.joint,
    )
    check_source(method, source)
    sampler = make_sampler(method, task, **options)
    while not sampler.done:
        queries = sampler.ask()
        outcomes = source.answer(queries)
        if not outcomes.total:
            raise BattleError(
                f"{method}: the source answered none of {queries.total} comparisons, after "
                f"{sampler.comparisons}; cap the run with max_comparisons or use ask and tell"
            )
        sampler.tell(outcomes)
        if progress is not None:
            progress(sampler)
    return sampler.result


def check_source(name: str, source: Source) -> None:
    """Refuse a method whose argument needs an order that the source does not promise."""
    if not source.ordered:
        refuse_disorder(name, getattr(source, "disorder", UNORDERED))


def refuse_disorder(name: str, disorder: str) -> None:
    """Refuse a method that needs an order; `disorder` says why there may be none."""
    if method(name).guarantee.needs_order:
        raise BattleError(
            f"{name} relies on the better model winning more than half the time on every objective, and this "
            f"source does not promise it: {disorder}. Take vb-ege or another method on Borda scores"
        )
