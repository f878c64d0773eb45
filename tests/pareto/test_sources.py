from __future__ import annotations

import numpy as np
import pytest

from pareto import BattleError, BradleyTerrySource, CallbackSource, ProbabilitySource, Queries, borda
from pareto.links import probit, win_probabilities

CYCLE = np.full((3, 3, 1), 0.5)
CYCLE[[0, 1, 2], [1, 2, 0], 0] = 0.9
CYCLE[[1, 2, 0], [0, 1, 2], 0] = 0.1


def all_cells(models, objectives, count):
    wanted = np.full((models, models, objectives), count, dtype=np.int64)
    wanted[np.arange(models), np.arange(models)] = 0
    return Queries.from_dense(wanted)


@pytest.mark.parametrize("link", [None, probit])
def test_simulated_win_rates_are_the_links(link):
    theta = np.random.default_rng(0).normal(size=(4, 2))
    source = (
        BradleyTerrySource(theta, seed=1) if link is None else BradleyTerrySource(theta, seed=1, link=link)
    )
    queries = all_cells(4, 2, 40_000)
    found = source.answer(queries)
    chances = win_probabilities(theta) if link is None else win_probabilities(theta, link)
    rates = found.points / found.count
    expected = chances[found.first, found.second, found.objective]
    assert np.abs(rates - expected).max() < 5 * 0.5 / np.sqrt(40_000)
    assert source.ordered
    assert np.allclose(source.borda, borda(theta) if link is None else borda(theta, link))
    assert found.whole


def test_the_same_seed_gives_the_same_outcomes():
    theta, queries = [[0.0, 1.0], [1.0, 0.0]], all_cells(2, 2, 50)
    first, again, other = (BradleyTerrySource(theta, seed=seed).answer(queries) for seed in (3, 3, 4))
    assert np.array_equal(first.points, again.points)
    assert not np.array_equal(first.points, other.points)


def test_counts_beyond_53_bits_are_whole():
    source = BradleyTerrySource([[0.0], [0.1]])
    found = source.answer(all_cells(2, 1, 1 << 60))
    assert found.points.dtype == np.int64
    assert (found.points < found.count).all()


def test_a_cyclic_source_is_declared_as_such():
    assert not ProbabilitySource(CYCLE).ordered
    with pytest.raises(BattleError, match="declared as ordered"):
        ProbabilitySource(CYCLE, ordered=True)
    chances = win_probabilities(np.array([[0.0], [1.0], [2.0]]))
    assert ProbabilitySource(chances, ordered=True).ordered


def test_a_callback_gets_what_it_was_given_and_may_pass():
    seen = []

    def judge(first, second, objective):
        seen.append((first, second, objective))
        return None if len(seen) % 3 == 0 else first == "b"

    source = CallbackSource(judge, ["a", "b"], ["code", "math"])
    found = source.answer(all_cells(2, 2, 3))
    assert len(seen) == 12
    assert set(seen) == {(x, y, r) for x in "ab" for y in "ab" if x != y for r in ("code", "math")}
    assert found.total == 8
    assert found.points.sum() == found.count[found.first == 1].sum()
    assert not source.ordered


def test_a_batch_callback_is_called_once():
    calls = []

    def judge(triples):
        calls.append(len(triples))
        return [0.5] * len(triples)

    source = CallbackSource(judge, ["a", "b"], ["code"], batch=True)
    found = source.answer(all_cells(2, 1, 4))
    assert calls == [8]
    assert found.points.tolist() == [2.0, 2.0]
    short = CallbackSource(lambda triples: [], ["a", "b"], ["code"], batch=True)
    with pytest.raises(BattleError, match="answered 0 of 8"):
        short.answer(all_cells(2, 1, 4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BradleyTerrySource([[0.0]]), "at least 2"),
        (lambda: BradleyTerrySource(np.zeros((2, 0))), "no objective"),
        (lambda: BradleyTerrySource([[0.0], [1.0]], link=np.tanh), "link"),
        (lambda: BradleyTerrySource([[0.0], [1.0]], link=lambda x: x.sum()), "elementwise"),
        (lambda: BradleyTerrySource([[0.0], [1.0]], models=["a", "a"]), "twice"),
        (lambda: BradleyTerrySource([[0.0], [1.0]], models=["a", "b", "c"]), "one name each"),
        (lambda: ProbabilitySource(np.full((2, 2, 1), 0.7)), "sum to 1"),
        (lambda: ProbabilitySource(np.zeros((2, 3, 1))), "shape"),
        (lambda: ProbabilitySource(np.zeros((2, 2))), "shape"),
        (lambda: ProbabilitySource([[[0.5], [0.5, 0.5]], [[0.5], [0.5]]]), "rows of different lengths"),
        (lambda: ProbabilitySource([[["0.5"], ["a"]], [["0.5"], ["0.5"]]]), "numbers are accepted"),
        (lambda: CallbackSource(lambda *_: 1, ["a"], ["x"]), "at least 2"),
        (lambda: CallbackSource(lambda *_: 1, ["a", "b"], []), "at least 1"),
        (
            lambda: CallbackSource(lambda *_: 7, ["a", "b"], ["x"]).answer(all_cells(2, 1, 1)),
            "answered 7 for \\('a', 'b', 'x'\\)",
        ),
    ],
)
def test_unusable_sources_are_refused(call, message):
    with pytest.raises(BattleError, match=message):
        call()
