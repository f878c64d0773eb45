"""Alternatives to a frontier: all of them, their polytopes, screening, gaps, and constrained fits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pareto import BattleError
from pareto.alternatives import Add, Drop, adds, alternatives, drops, free_problem, how_many, problem
from pareto.frontier import frontier
from pareto.glr.frank_wolfe import program, star_gap
from pareto.glr.ordered_fits import derivatives, fit_ordered
from pareto.glr.screening import fisher_information, fisher_scores, resistances, screen
from solvers import OrderedBradleyTerry, available, solve
from tests.pareto.reference import brute_frontier, whole_scores

PER_COMPARISON = 1e-9


# --- alternatives -------------------------------------------------------------------------------------------


def holds(alternative, scores):
    """Whether scores (K, d) satisfy all constraints, read off the words of the definition."""
    objectives = range(len(scores[0]))
    if isinstance(alternative, Drop):
        return all(scores[alternative.rival][r] >= scores[alternative.model][r] for r in objectives)
    pairs = zip(alternative.rivals, alternative.objectives, strict=True)
    return all(scores[alternative.model][r] >= scores[p][r] for p, r in pairs)


def by_constraints(alternative, scores):
    return all(
        scores[better][r] >= scores[worse][r]
        for r in range(len(scores[0]))
        for better, worse in alternative.constraints(r)
    )


@settings(max_examples=60)
@given(whole_scores(least=2, most=4, high=3), st.data())
def test_another_frontier_meets_some_alternative(scores, data):
    objectives = len(scores[0])
    row = st.lists(st.integers(0, 3), min_size=objectives, max_size=objectives)
    others = data.draw(st.lists(row, min_size=len(scores), max_size=len(scores)))
    kept = np.array(brute_frontier(scores))
    met = [one for one in alternatives(kept, objectives) if holds(one, others)]
    if brute_frontier(others) != kept.tolist():
        assert met
    for one in alternatives(kept, objectives):
        assert holds(one, others) == by_constraints(one, others)


def test_alternatives_that_hold_strictly_change_the_frontier():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        scores, others = rng.normal(size=(2, 4, 2))
        kept = frontier(scores)
        for one in alternatives(kept, 2):
            if holds(one, others):  # random numbers: no constraint with equality
                assert not np.array_equal(frontier(others), kept)
                seen.add(type(one))
    assert seen == {Drop, Add}


def test_all_alternatives_are_listed_once_and_counted():
    kept = np.array([True, False, True, True, False])
    found = list(alternatives(kept, 2))
    assert len(found) == len(set(found)) == how_many(kept, 2) == 6 + 2 * 8
    assert list(drops(kept))[:3] == [Drop(0, 2), Drop(0, 3), Drop(2, 0)]
    assert [one.objectives for one in adds(kept, 2, model=4)] == list(product((0, 1), repeat=3))
    assert {one.model for one in adds(kept, 2)} == {1, 4}
    assert list(alternatives(np.array([True]), 3)) == []


def test_constraints_are_stars():
    assert Drop(2, 5).constraints(0) == Drop(2, 5).constraints(3) == ((5, 2),)
    assert Drop(2, 5).top == 5
    add = Add(1, (0, 2, 3), (1, 0, 1))
    assert add.constraints(0) == ((1, 2),)
    assert add.constraints(1) == ((1, 0), (1, 3))
    assert add.constraints(2) == ()
    assert add.top == 1


def test_problems_are_in_the_language_of_the_solvers():
    wins = np.arange(18).reshape(2, 3, 3) * (1 - np.eye(3, dtype=np.int64))
    one = problem(Drop(0, 2), 1, wins, 1.5)
    assert isinstance(one, OrderedBradleyTerry)
    assert (one.order, one.box, one.ridge) == (((2, 0),), 1.5, 0.0)
    assert np.array_equal(one.wins, wins[1])
    assert free_problem(0, wins).order == ()
    for objective, bad in ((2, wins), (-1, wins), (0, wins[0])):
        with pytest.raises(BattleError, match="objective"):
            problem(Drop(0, 2), objective, bad)


# --- screening ----------------------------------------------------------------------------------------------


def some_counts(rng, objectives, models, low=0):
    upper = np.triu(rng.integers(low, 40, size=(objectives, models, models)), 1)
    return upper + upper.swapaxes(1, 2)


def test_fisher_scores_are_those_of_the_pseudo_inverse():
    rng = np.random.default_rng(1)
    theta, counts = rng.normal(size=(5, 3)), some_counts(rng, 3, 5, low=1)
    found = fisher_scores(theta, counts)
    for r in range(3):
        information = np.zeros((5, 5))
        for i in range(5):
            for j in range(i + 1, 5):
                chance = 1 / (1 + np.exp(theta[j, r] - theta[i, r]))
                unit = np.eye(5)[i] - np.eye(5)[j]
                information += counts[r, i, j] * chance * (1 - chance) * np.outer(unit, unit)
        assert np.allclose(fisher_information(theta, counts)[r], information)
        inverse = np.linalg.pinv(information)
        for a, b in product(range(5), repeat=2):
            unit = np.eye(5)[a] - np.eye(5)[b]
            lead = max(theta[b, r] - theta[a, r], 0.0)
            expected = 0.0 if a == b else lead**2 / (2 * unit @ inverse @ unit)
            assert found[r, a, b] == pytest.approx(expected, rel=1e-9)


def test_models_that_never_met_tell_nothing():
    counts = np.zeros((1, 4, 4))
    counts[0, 0, 1] = counts[0, 1, 0] = 7
    counts[0, 2, 3] = counts[0, 3, 2] = 5
    theta = np.array([[3.0], [2.0], [1.0], [0.0]])
    found = fisher_scores(theta, counts)[0]
    assert found[1, 0] > 0
    assert found[3, 2] > 0
    assert found[2, 0] == found[3, 1] == 0
    reach = resistances(fisher_information(theta, counts))[0]
    assert np.isinf(reach[0, 2])
    assert np.isfinite(reach[0, 1])


def brute_screen(score, kept, objectives):
    """The smallest score and who has it, one candidate after the other."""
    models = len(kept)
    best = (np.inf, None)
    for p, q in product(np.flatnonzero(kept).tolist(), repeat=2):
        if p != q:
            value = sum(score[r, q, p] for r in range(objectives))
            best = min(best, (value, Drop(p, q)), key=lambda pair: pair[0])
    rivals = np.flatnonzero(kept).tolist()
    for c in range(models):
        if not kept[c]:
            chosen = tuple(int(np.argmin(score[:, c, p])) for p in rivals)
            value = max(score[r, c, p] for r, p in zip(chosen, rivals, strict=True))
            best = min(best, (value, Add(c, tuple(rivals), chosen)), key=lambda pair: pair[0])
    return best


def test_screening_takes_the_smallest_score():
    rng = np.random.default_rng(2)
    kinds = set()
    theta = rng.normal(size=(60, 5, 3))
    counts = np.stack([some_counts(rng, 3, 5, low=1) for _ in theta])
    score = fisher_scores(theta, counts)
    kept = np.stack([frontier(one) for one in theta])
    found = screen(score, kept)
    for case in range(len(theta)):
        value, alternative = brute_screen(score[case], kept[case], 3)
        assert found.score[case] == value
        assert found.alternative(case) == alternative
        assert found.top[case] == alternative.top
        for r in range(3):
            below = {worse for _, worse in alternative.constraints(r)}
            assert set(np.flatnonzero(found.below[case, r]).tolist()) == below
        kinds.add(type(alternative))
    assert kinds == {Drop, Add}


# --- gaps ---------------------------------------------------------------------------------------------------


def star(rng, models):
    top = int(rng.integers(models))
    below = rng.random(models) < rng.choice([0.0, 0.3, 0.8])
    below[top] = False
    return top, below, tuple((top, int(b)) for b in np.flatnonzero(below))


@pytest.mark.parametrize("backend", available(program([1.0, -1.0], ((0, 1),), 1.0)))
def test_the_gap_in_closed_form_is_the_linear_program(backend):
    rng = np.random.default_rng(3)
    for case in range(40 if backend in ("highs", "scipy") else 8):
        models = int(rng.integers(2, 8))
        # whole gradients every other time, for ties; few digits, as some back ends read text
        gradient = np.round(rng.normal(size=models) * 3, 0 if case % 2 else 6)
        top, below, order = star(rng, models)
        box = float(rng.choice([0.5, 2.0]))
        linear = program(gradient, order, box)
        smallest = float(solve(linear, backend).objective)
        # any feasible point will do; 0 and the program's own minimum are two
        for theta in (np.zeros(models), np.asarray(solve(linear).x)):
            found = star_gap(gradient[None], theta[None], np.array([top]), below[None], box)[0]
            assert found == pytest.approx(max(gradient @ theta - smallest, 0.0), abs=1e-7)


def test_a_gradient_that_is_no_row_is_refused():
    with pytest.raises(BattleError, match="shape"):
        program(np.zeros((2, 2)), (), 1.0)


# --- fits ---------------------------------------------------------------------------------------------------


def random_instance(rng, most=9):
    """Wins (K, K), some pairs never met and some models never beaten, an order, a box that may bind."""
    models = int(rng.integers(2, most))
    theta = rng.normal(size=models) * rng.choice([0.2, 1.0, 3.0])
    games = rng.integers(rng.choice([0, 1]), 10 ** int(rng.integers(1, 5)), size=(models, models))
    wins = np.triu(rng.binomial(games, 1 / (1 + np.exp(theta[None] - theta[:, None]))), 1)
    wins = wins + np.tril((games - wins).T, -1) * np.tri(models, k=-1, dtype=np.int64)
    top, below, order = star(rng, models)
    return wins.astype(np.float64), top, below, order, float(rng.choice([0.5, 2.0]))


def agree(seed, count):
    """The batched fits and all back ends of `solvers` on the same problems, bracketed by exact arithmetic.

    General conic solvers find the likelihood, but their multipliers prove it less sharply.
    """
    rng = np.random.default_rng(seed)
    binding = 0
    for _ in range(count):
        wins, top, below, order, box = random_instance(rng)
        stated = OrderedBradleyTerry(wins, order, box)
        total = max(wins.sum(), 1.0)
        found = fit_ordered(wins[None], np.array([top]), below[None], box)
        assert found.converged[0]
        assert found.gap[0] <= PER_COMPARISON * total
        assert float(stated.check(found.theta[0])) <= 1e-14
        assert (found.theta[0][below] <= found.theta[0, top]).all()
        low, high = stated.enclosure(found.theta[0])
        names = available(stated)
        assert len(names) >= 2
        for name in names:
            other = solve(stated, name)
            assert abs(float(other.objective - high)) <= PER_COMPARISON * total
            certified = PER_COMPARISON if name == "ordered-newton" else 1e-5
            # what one proves holds for the points of the others
            assert -1e-12 * total <= float(other.bound - low) <= certified * total
            assert float(other.objective - low) <= found.gap[0] + 1e-12 * total
        binding += bool((np.abs(found.theta[0]) >= box * (1 - 1e-12)).any())
    return binding


def test_back_ends_agree_on_constrained_fits():
    assert 0 < agree(4, 20) < 20


@pytest.mark.slow
def test_back_ends_agree_on_two_hundred_constrained_fits():
    assert 20 < agree(5, 200) < 180


def test_fits_do_not_depend_on_start_or_neighbours():
    rng = np.random.default_rng(6)
    wins = rng.integers(1, 50, size=(6, 7, 7)) * (1.0 - np.eye(7))
    top = np.arange(6)
    below = np.zeros((6, 7), dtype=np.bool_)
    below[:, 6] = True
    together = fit_ordered(wins, top, below, 2.0)
    far = fit_ordered(wins, top, below, 2.0, start=rng.normal(size=(6, 7)) * 5)
    assert np.abs(far.theta - together.theta).max() < 1e-12
    for one in range(6):
        alone = fit_ordered(wins[one : one + 1], top[one : one + 1], below[one : one + 1], 2.0)
        assert np.array_equal(alone.theta[0], together.theta[one])
        assert alone.gap[0] == together.gap[one]


def test_a_gap_says_how_far_a_bad_point_is_off():
    rng = np.random.default_rng(7)
    wins = rng.integers(1, 50, size=(1, 5, 5)) * (1.0 - np.eye(5))
    top, below = np.array([1]), np.array([[True, False, True, False, False]])
    stated = OrderedBradleyTerry(wins[0], ((1, 0), (1, 2)), 2.0)
    best = float(solve(stated).objective)
    for _ in range(20):
        theta = rng.normal(size=5)
        theta[[0, 2]] = np.minimum(theta[[0, 2]], theta[1])
        theta = (theta - theta.mean()) / 2
        gap = star_gap(derivatives(wins, theta[None])[0], theta[None], top, below, 2.0)[0]
        assert best - float(stated.enclosure(theta)[0]) <= gap + 1e-9


def test_counts_of_1e18_are_fitted_to_the_last_digit():
    rng = np.random.default_rng(8)
    theta = rng.normal(size=12) * 0.5
    games = np.triu(rng.integers(10**15, 10**16, size=(12, 12)), 1)
    chance = 1 / (1 + np.exp(theta[None] - theta[:, None]))
    wins = np.triu(rng.binomial(games, chance), 1)
    wins = (wins + np.tril((games - wins).T, -1)).astype(np.float64)
    below = np.zeros((1, 12), dtype=np.bool_)
    best = int(theta.argmax())
    below[0, best] = True
    top = np.array([int(theta.argmin())])
    found = fit_ordered(wins[None], top, below, 2.0)
    assert found.converged[0]
    assert found.gap[0] < 1e-15 * wins.sum()
    assert found.theta[0, best] == found.theta[0, top[0]]


def test_no_comparisons_leave_everybody_equal():
    found = fit_ordered(np.zeros((1, 3, 3)), np.zeros(1, dtype=np.int64), np.zeros((1, 3), dtype=bool), 2.0)
    assert np.array_equal(found.theta, np.zeros((1, 3)))
    assert (found.gap[0], found.steps[0]) == (0.0, 0)
    assert found.converged[0]


def test_where_guesses_do_not_settle_a_back_end_takes_over(monkeypatch):
    rng = np.random.default_rng(9)
    wins, top, below, order, box = random_instance(rng)
    settled = fit_ordered(wins[None], np.array([top]), below[None], box)
    monkeypatch.setattr("pareto.glr.ordered_fits.GUESSES", 0)
    taken = fit_ordered(wins[None], np.array([top]), below[None], box)
    assert taken.converged[0]
    stated = OrderedBradleyTerry(wins, order, box)
    difference = float(stated.enclosure(taken.theta[0])[0] - stated.enclosure(settled.theta[0])[0])
    assert abs(difference) <= PER_COMPARISON * wins.sum()
