"""Where outcomes come from: simulators and callables. A log to redraw from is a source of its own.

A source answers queries, all of them or some; what it does not answer is asked again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pareto.borda import borda_of_probabilities
from pareto.comparisons import Outcomes, Queries
from pareto.errors import BattleError
from pareto.links import Link, Reals, check_link, logistic, win_probabilities
from pareto.scores import as_scores, as_table
from pareto.task import check_names, numbered


class Source(Protocol):
    """What a driver needs to know of a source.

    Attributes:
        models, objectives: names.
        ordered: True if on every objective the better of two models wins more than half the time, the
            better by one order of all models. Majorities elsewhere may be cyclic or disagree with Borda
            scores, and methods that rely on them refuse such a source.
        joint: True if one showing of a pair answers all objectives and costs one comparison.
    """

    @property
    def models(self) -> tuple[str, ...]:
        """Names."""
        ...

    @property
    def objectives(self) -> tuple[str, ...]:
        """Names."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether the better of two models wins more than half the time, in one order of all."""
        ...

    @property
    def joint(self) -> bool:
        """Whether one showing answers all objectives."""
        ...

    def answer(self, queries: Queries) -> Outcomes:
        """Outcomes of these queries, or of part of them."""
        ...


class ProbabilitySource:
    """Independent wins and losses with given probabilities (K, K, d), p_ij + p_ji = 1.

    ordered: declared by the caller; True is checked. joint: as of `Source`. A whole row of queries is one
    binomial draw. Raises `BattleError` for numbers that are no such probabilities.

    >>> import pareto
    >>> chances = [[[0.5], [0.6], [0.4]], [[0.4], [0.5], [0.6]], [[0.6], [0.4], [0.5]]]  # a cycle
    >>> pareto.ProbabilitySource(chances, models=["a", "b", "c"], objectives=["code"]).borda.tolist()
    [[0.5], [0.5], [0.5]]
    """

    def __init__(
        self,
        probabilities: npt.ArrayLike,
        seed: int = 0,
        *,
        ordered: bool = False,
        models: Sequence[str] | None = None,
        objectives: Sequence[str] | None = None,
        joint: bool = False,
    ) -> None:
        given = _checked(probabilities)
        self.borda = borda_of_probabilities(given)
        """(K, d): the Borda scores, whose frontier methods on Borda scores find."""
        if ordered:
            _check_ordered(given, self.borda)
        self.probabilities: Reals = given
        self.models = numbered("model", len(given)) if models is None else tuple(models)
        width = given.shape[2]
        self.objectives = numbered("objective", width) if objectives is None else tuple(objectives)
        _check_source_names(self.models, self.objectives, (len(given), width))
        self.ordered = ordered
        self.joint = joint
        self._rng = np.random.default_rng(seed)

    def answer(self, queries: Queries) -> Outcomes:
        """Every row of `queries` in one draw each."""
        chances = self.probabilities[queries.first, queries.second, queries.objective]
        return Outcomes.of(queries, self._rng.binomial(queries.count, chances).astype(np.int64))


class BradleyTerrySource(ProbabilitySource):
    """Simulated wins: i beats j on r with probability link(θ_i,r − θ_j,r).

    theta: latent scores (K, d). link: logistic is Bradley–Terry; any strictly increasing function with
    link(−x) = 1 − link(x) does. The source is ordered.

    >>> import pareto
    >>> pareto.BradleyTerrySource([[1.0], [0.0]]).borda.round(3).tolist()
    [[0.731], [0.269]]
    """

    def __init__(
        self,
        theta: npt.ArrayLike,
        seed: int = 0,
        *,
        link: Link = logistic,
        models: Sequence[str] | None = None,
        objectives: Sequence[str] | None = None,
        joint: bool = False,
    ) -> None:
        check_link(link)
        self.theta: Reals = as_scores(theta, least=2).astype(np.float64)
        chances = win_probabilities(self.theta, link)
        super().__init__(chances, seed, models=models, objectives=objectives, joint=joint)
        self.ordered = True


Judge = Callable[[Any, Any, Any], float | bool | None]


class CallbackSource:
    """Outcomes from a function of yours.

    function(first, second, objective) is called once for every comparison, with entries of `models` and
    `objectives` as you gave them, and says how much `first` is preferred: 1 or True, 0 or False, anything
    in between where the method allows it, None if there is no answer (it will be asked again).

    With `batch` it is called with a list of such triples and returns a list of answers. ordered: see
    `Source`; only you can know.

    >>> import pareto
    >>> length = {"short": 1, "long": 3}
    >>> source = pareto.CallbackSource(lambda i, j, _: length[i] > length[j], ["short", "long"], ["detail"])
    >>> pareto.identify(source, method="interval").kept
    ('long',)
    """

    def __init__(
        self,
        function: Callable[..., Any],
        models: Sequence[Any],
        objectives: Sequence[Any],
        *,
        ordered: bool = False,
        batch: bool = False,
    ) -> None:
        self.models = tuple(str(model) for model in models)
        self.objectives = tuple(str(objective) for objective in objectives)
        _check_source_names(self.models, self.objectives, (len(models), len(objectives)))
        self.ordered = ordered
        self.joint = False
        self._function = function
        self._entries = tuple(models), tuple(objectives)
        self._batch = batch

    def answer(self, queries: Queries) -> Outcomes:
        """One call for every comparison, or one for all of them with `batch`."""
        models, objectives = self._entries
        rows = np.repeat(np.arange(len(queries)), queries.count)
        cells = list(
            zip(queries.first.tolist(), queries.second.tolist(), queries.objective.tolist(), strict=True)
        )
        triples = [(models[i], models[j], objectives[r]) for i, j, r in cells]
        asked = [triples[row] for row in rows.tolist()]
        replies = self._function(asked) if self._batch else [self._function(*triple) for triple in asked]
        if not isinstance(replies, Sequence | np.ndarray):
            raise BattleError(
                f"the function answered {type(replies).__name__}; a list of answers is accepted"
            )
        if len(replies) != len(asked):
            raise BattleError(f"the function answered {len(replies)} of {len(asked)} comparisons; one each")
        values = np.array(
            [_preference(reply, of) for reply, of in zip(replies, asked, strict=True)], dtype=np.float64
        )
        answered = ~np.isnan(values)
        count = np.bincount(rows[answered], minlength=len(queries)).astype(np.int64)
        points = np.bincount(rows[answered], weights=values[answered], minlength=len(queries))
        return Outcomes(queries.first, queries.second, queries.objective, count, points.astype(np.float64))


def _preference(reply: Any, asked: tuple[Any, Any, Any]) -> float:
    """In [0, 1], NaN if there is no answer; a NaN of the function's own is a mistake."""
    if reply is None:
        return math.nan
    # text and arrays are no numbers here, though float() may take them
    if not (isinstance(reply, Real | np.bool_) and 0 <= reply <= 1):  # type: ignore[operator]
        raise BattleError(
            f"the function answered {reply!r} for {asked}; a number from 0 (second wins) to 1 (first wins), "
            "or None, is accepted"
        )
    return float(reply)


def _check_source_names(models: tuple[str, ...], objectives: tuple[str, ...], shape: tuple[int, int]) -> None:
    check_names(models, "model", 2)
    check_names(objectives, "objective", 1)
    if (len(models), len(objectives)) != shape:
        raise BattleError(
            f"{len(models)} model and {len(objectives)} objective names for scores of {shape[0]} models on "
            f"{shape[1]} objectives; give one name each"
        )


def _checked(probabilities: npt.ArrayLike) -> Reals:
    """Probabilities (K, K, d), a copy."""
    table = as_table(probabilities, "probabilities")
    if table.dtype.kind not in "biuf":
        raise BattleError(f"probabilities are {table.dtype}; numbers are accepted")
    given: Reals = np.array(table, dtype=np.float64)
    if given.ndim != 3 or len(given) != given.shape[1] or len(given) < 2:
        raise BattleError(
            f"probabilities of shape {given.shape}; (models, models, objectives) is accepted, "
            "with two models or more"
        )
    off = ~np.eye(len(given), dtype=np.bool_)
    sums = given + given.swapaxes(0, 1)
    bad = ~((given >= 0) & (given <= 1)) | (np.abs(sums - 1) > 1e-9)
    bad &= off[:, :, None]
    if bad.any():
        i, j, r = (int(index) for index in np.argwhere(bad)[0])
        raise BattleError(
            f"probabilities of models {i} and {j} on objective {r} are {given[i, j, r]} and "
            f"{given[j, i, r]}; numbers in [0, 1] that sum to 1 are accepted"
        )
    return given


def _check_ordered(given: Reals, borda: Reals) -> None:
    """Majorities must be the order of the Borda scores."""
    lead = np.round(borda[:, None, :] - borda[None, :, :], 12)
    bad = np.sign(given - 0.5) != np.sign(lead)
    bad &= ~np.eye(len(given), dtype=np.bool_)[:, :, None]
    if bad.any():
        i, j, r = (int(index) for index in np.argwhere(bad)[0])
        raise BattleError(
            f"declared as ordered, but on objective {r} model {i} beats model {j} with probability "
            f"{given[i, j, r]}, with Borda scores {borda[i, r]} and {borda[j, r]}; leave `ordered` out"
        )
