"""The interface of all methods: ask → queries, tell(outcomes), done, result.

    while not sampler.done:
        sampler.tell(source.answer(sampler.ask()))

A sampler is a deterministic function of its task and of what it was told. `ask` only looks: it names all
comparisons wanted now, and says the same again until something is told. So who is asked, what is in
flight, withdrawn or lost is the caller's affair: a comparison counts once it is told, one by one or in any
batches, in any order. `tell` takes all rows of a call or, when it raises, none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from pareto.comparisons import Counts, Outcomes, Queries
from pareto.errors import BattleError
from pareto.result import Mask, Reals, Result, Status
from pareto.task import Task


@dataclass(frozen=True)
class Guarantee:
    """What a method promises, if what it assumes holds.

    Attributes:
        claim: the promise, in a sentence.
        assumptions: under which it holds.
        source: where the argument is to be found.
        certified: True if the answer is exact with probability ≥ 1 − δ.
        fractions: True if outcomes anywhere in [0, 1] are allowed, False if only 0 and 1 are.
        needs_order: True if a source whose majorities may be cyclic, or disagree with the order of the
            scores, must be refused.
    """

    claim: str
    assumptions: str
    source: str
    certified: bool
    fractions: bool
    needs_order: bool


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method has decided so far; see `Result` for the meaning and shapes."""

    frontier: Mask
    decided: Mask
    undecided_pairs: Counts
    estimates: Reals
    scale: str
    rival: Counts
    objective: Counts
    allocation: Counts


class Sampler(ABC):
    """A method at work on a task. Subclasses fill in `_wanted`, `_take`, `_finished` and `_answer`."""

    name: ClassVar[str]
    guarantee: ClassVar[Guarantee]

    task: Task
    comparisons: int
    """Comparisons told and paid for so far."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.comparisons = 0

    @abstractmethod
    def _wanted(self) -> Queries:
        """All comparisons wanted now. Empty only when finished or when nothing fits under the cap."""

    @abstractmethod
    def _take(self, outcomes: Outcomes) -> None:
        """Check that these may be told now (raise `BattleError` before changing anything), and use them.

        Must add what they cost to `comparisons`.
        """

    @property
    @abstractmethod
    def _finished(self) -> bool:
        """True if the method's own stopping rule has fired."""

    @abstractmethod
    def _answer(self) -> Answer:
        """The answer at this moment."""

    @final
    def ask(self) -> Queries:
        """All comparisons wanted now; empty exactly when `done`."""
        return Queries.none() if self._finished else self._wanted()

    @final
    def tell(self, outcomes: Outcomes) -> None:
        """Hand in outcomes of any comparisons that `ask` named, in any order and any parts.

        Raises `BattleError` on rows the method cannot use, and then has used none.
        """
        outcomes = outcomes.checked(self.task.models, self.task.objectives)
        if not outcomes.whole and not self.guarantee.fractions:
            raise BattleError(
                f"{self.name}: points that are no whole number of wins; its guarantee holds for outcomes 0 "
                "and 1 only: hand in wins and losses, drop ties, or take another method"
            )
        if outcomes.total:
            self._take(outcomes)

    @final
    @property
    def done(self) -> bool:
        """True if no comparison is wanted any more: finished, or capped."""
        return self._finished or len(self._wanted()) == 0

    @final
    @property
    def status(self) -> Status:
        """Certified, stopped without a guarantee, capped, or open."""
        if self._finished:
            return Status.CERTIFIED if self.guarantee.certified else Status.STOPPED
        return Status.CAPPED if self.done else Status.OPEN

    @final
    @property
    def result(self) -> Result:
        """The answer at this moment."""
        answer = self._answer()
        return Result(
            method=self.name,
            models=self.task.models,
            objectives=self.task.objectives,
            frontier=answer.frontier,
            decided=answer.decided,
            undecided_pairs=answer.undecided_pairs,
            comparisons=self.comparisons,
            status=self.status,
            estimates=answer.estimates,
            scale=answer.scale,
            rival=answer.rival,
            objective=answer.objective,
            allocation=answer.allocation,
            margin=self.task.margin,
        )

    @final
    def fits(self, cost: int) -> bool:
        """True if `cost` further comparisons stay within the cap."""
        cap = self.task.max_comparisons
        return cap is None or self.comparisons + cost <= cap


def no_models(count: int) -> Counts:
    """(count,) filled with −1: nobody."""
    return np.full(count, -1, dtype=np.int64)
