"""Borda scores of a log under its treatments of ties: against plain fractions, and exact where ties count."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pareto import BattleError, target
from pareto.davidson import davidson_target
from pareto.exact_order import chained, differences
from pareto.gaps import gaps
from pareto.log_report.conventions import weak_frontier
from pareto.retention import retain_counts
from pareto.targets import frontier_carries_over, treatment
from tests.pareto.logs import arena, counted, logs
from tests.pareto.reference import brute_frontier, brute_gaps

HALF = Fraction(1, 2)


def rates(counts, half):
    """Mean points of i against j on r as fractions, by (i, j, r)."""
    found = {}
    for r in range(len(counts.objectives)):
        for i in range(len(counts.models)):
            for j in range(len(counts.models)):
                if i != j:
                    won, met = int(counts.wins[r, i, j]), int(counts.decided[r, i, j])
                    tied = int(counts.undecided[r, i, j]) if half else 0
                    found[i, j, r] = (won + HALF * tied) / (met + tied)
    return found


def slow_borda(counts, half):
    share, size = rates(counts, half), len(counts.models)
    return [
        [
            sum(share[i, j, r] for j in range(size) if j != i) / (size - 1)
            for r in range(len(counts.objectives))
        ]
        for i in range(size)
    ]


full_logs = logs(lowest=1, highest=3)


@pytest.mark.parametrize("ties", ["decisive", "half"])
@settings(max_examples=60, deadline=None)
@given(counts=full_logs)
def test_scores_frontier_and_gaps_are_those_of_fractions(ties, counts):
    found, exact = target(counts, ties), slow_borda(counts, ties == "half")
    assert np.allclose(found.borda, np.array(exact, dtype=float), rtol=0, atol=1e-14)
    assert found.frontier.tolist() == brute_frontier(exact)
    wanted = list(brute_gaps(exact, [True] * len(exact))[0].values())
    assert np.allclose(found.gaps, np.array(wanted, dtype=float), rtol=0, atol=1e-14)
    assert ((found.gaps == 0) == [gap == 0 for gap in wanted]).all()
    assert found.recoverable == (min(wanted) > 0)
    share = rates(counts, ties == "half")
    for (i, j, r), rate in share.items():
        assert found.probabilities[i, j, r] == float(rate)
    assert (np.einsum("iir->ir", found.probabilities) == 0.5).all()
    assert found.exact


@settings(max_examples=60, deadline=None)
@given(counts=full_logs, ties=st.sampled_from(["decisive", "half"]))
def test_certificates_hold_exactly(counts, ties):
    found, exact = target(counts, ties), slow_borda(counts, ties == "half")
    why = found.certificates
    for i, row in enumerate(exact):
        j, r = int(why.rival[i]), int(why.objective[i])
        if j < 0:
            assert found.frontier.sum() == 1
            assert found.frontier[i]
            continue
        assert found.frontier[j]
        if found.frontier[i]:
            assert row[r] >= exact[j][r]
            assert (why.lead[i] == 0) == (min(b - a for a, b in zip(row, exact[j], strict=True)) == 0)
        else:
            assert all(a < b for a, b in zip(row, exact[j], strict=True))
            assert why.lead[i] > 0
        assert found.models[i] in found.reasons[i]


@settings(max_examples=60, deadline=None)
@given(counts=logs(lowest=1, highest=3, objectives=(2, 3)), ties=st.sampled_from(["decisive", "half"]))
def test_dropping_objectives_can_only_shrink_the_frontier(counts, ties):
    everything = target(counts, ties).frontier
    for left_out in counts.objectives:
        fewer = target(counts.on([name for name in counts.objectives if name != left_out]), ties)
        assert (everything | ~fewer.frontier).all()


def test_equal_sums_of_different_fractions_tie():
    """b and c score 1/3 + 1/2 + 2/3 and 1/6 + 1/2 + 5/6, equal only exactly; a beats both elsewhere."""
    wins = np.zeros((1, 4, 4), dtype=int)
    wins[0, 0, 1], wins[0, 1, 0] = 2, 1
    wins[0, 0, 2], wins[0, 2, 0] = 5, 1
    wins[0, 1, 2] = wins[0, 2, 1] = 1
    wins[0, 1, 3], wins[0, 3, 1] = 2, 1
    wins[0, 2, 3], wins[0, 3, 2] = 5, 1
    wins[0, 0, 3] = wins[0, 3, 0] = 1
    wins = np.concatenate([wins, wins.swapaxes(1, 2)])
    found = target(counted(wins))
    assert found.borda[1, 0] == found.borda[2, 0]
    assert found.frontier.all()
    assert found.gaps[1] == found.gaps[2] == 0
    assert found.hardness == np.inf
    assert not found.recoverable
    assert "a tie protects" in " ".join(found.reasons)


def test_differences_below_rounding_are_differences():
    """a wins (n+1)/2 of n against c, b (n+3)/2 of n+2: rates 1/(n(n+2)) apart, the same double."""
    n = 10**9 + 1
    wins = np.zeros((1, 3, 3), dtype=np.int64)
    wins[0, 0, 1] = wins[0, 1, 0] = 1
    wins[0, 0, 2], wins[0, 2, 0] = (n + 1) // 2, n - (n + 1) // 2
    wins[0, 1, 2], wins[0, 2, 1] = (n + 3) // 2, n + 2 - (n + 3) // 2
    found = target(counted(wins))
    assert found.borda[0, 0] == found.borda[1, 0]
    assert found.kept == ("a",)
    assert (found.gaps > 0).all()
    assert found.recoverable
    assert found.rank[:, 0].tolist() == [2, 1, 0]


def test_the_weak_frontier_tells_scores_apart_that_are_the_same_double():
    """On x as above, a before b by less than rounding; on y b before a. So neither is as good everywhere."""
    n = 10**9 + 1
    wins = np.zeros((2, 3, 3), dtype=np.int64)
    wins[:, 0, 1] = wins[:, 1, 0] = 1
    ahead, behind = ((n + 1) // 2, n - (n + 1) // 2), ((n + 3) // 2, n + 2 - (n + 3) // 2)
    wins[0, 0, 2], wins[0, 2, 0] = ahead
    wins[0, 1, 2], wins[0, 2, 1] = behind
    wins[1, 0, 2], wins[1, 2, 0] = 2, 1
    wins[1, 1, 2], wins[1, 2, 1] = 3, 1
    found = target(counted(wins))
    assert found.borda[0, 0] == found.borda[1, 0]
    assert weak_frontier(found).frontier.tolist() == [True, True, False]


def test_what_rounding_hides_is_less_than_what_it_shows():
    scores = np.array([[1e-9], [1e-9], [np.nextafter(1e-9, 1)]])
    ahead = differences(scores, np.array([[0], [1], [2]]), 0)
    assert 0 < ahead[0, 1] < ahead[0, 2] < 1e-17
    assert ahead[1, 0] == -ahead[0, 1]


def test_half_credit_of_one_win_and_one_both_bad():
    wins = np.zeros((1, 2, 2))
    wins[0, 0, 1] = 1
    log = counted(wins, [[[0, 1], [0, 0]]])
    found = target(log, "half")
    assert found.probabilities[0, 1, 0] == 0.75
    assert found.probabilities[1, 0, 0] == 0.25
    assert found.tie_share[0, 1, 0] == 0.5
    assert target(log).probabilities[0, 1, 0] == 1


@pytest.mark.parametrize(
    ("ties", "message"), [("half", "no comparison on 'x'"), ("decisive", "no decisive comparison on 'x'")]
)
def test_what_never_met_is_missing(ties, message):
    wins = np.zeros((1, 3, 3))
    wins[0, 0, 1] = wins[0, 1, 2] = 1
    with pytest.raises(BattleError, match=f"'a' and 'c' have {message}; what is missing is not ½"):
        target(counted(wins), ties)
    with pytest.raises(BattleError, match="nor have 2 more cells"):
        target(counted(np.zeros((1, 3, 3))), ties)


def test_a_pair_that_only_tied_has_a_half_but_no_decisive_rate():
    wins = np.zeros((1, 2, 2))
    log = counted(wins, [[[0, 3], [0, 0]]])
    assert target(log, "half").borda.tolist() == [[0.5], [0.5]]
    with pytest.raises(BattleError, match="no decisive comparison"):
        target(log)


@settings(max_examples=40, deadline=None)
@given(counts=full_logs)
def test_variance_is_that_of_one_draw(counts):
    found, size = target(counts, "half"), len(counts.models)
    for i in range(size):
        for r in range(len(counts.objectives)):
            mean = second = Fraction(0)
            for j in range(size):
                if j != i:
                    won, tied = int(counts.wins[r, i, j]), int(counts.undecided[r, i, j])
                    met = int(counts.met[r, i, j])
                    mean += (won + HALF * tied) / met / (size - 1)
                    second += (won + HALF * HALF * tied) / met / (size - 1)
            assert abs(found.variance[i, r] - float(second - mean**2)) < 1e-14
    plain = target(counts)
    assert np.array_equal(plain.variance, plain.borda * (1 - plain.borda))


@settings(max_examples=60, deadline=None)
@given(counts=full_logs, seed=st.integers(0, 999))
def test_within_the_radius_the_frontier_is_the_same(counts, seed):
    found = target(counts)
    rng = np.random.default_rng(seed)
    moved = found.borda + rng.uniform(-1, 1, found.borda.shape) * found.radius * 0.999
    if found.recoverable:
        assert brute_frontier(moved.tolist()) == found.frontier.tolist()
        assert frontier_carries_over(moved, found.borda)
    assert not frontier_carries_over(found.borda + found.radius, found.borda)


def test_carrying_over_is_about_the_gaps_of_the_population():
    empirical, population = [[0.6, 0.6], [0.4, 0.4]], [[0.5, 0.5], [0.3, 0.3]]
    assert not frontier_carries_over(empirical, population)  # off by Δ/2 exactly
    assert frontier_carries_over([[0.59, 0.6], [0.39, 0.4]], [[0.5, 0.51], [0.3, 0.31]])
    assert gaps(np.array(population)).min() / 2 == pytest.approx(0.1)
    with pytest.raises(BattleError, match="shapes"):
        frontier_carries_over(empirical, [[0.5], [0.3]])


@pytest.mark.parametrize(
    ("objectives", "kept", "gap"),
    [
        (None, ("gemini-2.5-pro",), None),
        (("code", "instruction_following", "general"), ("gemini-2.5-flash", "gemini-2.5-pro"), 0.014),
    ],
)
def test_frontiers_of_the_bundled_log(objectives, kept, gap):
    log = retain_counts(arena(), objectives)
    found = target(log)
    assert found.kept == kept
    assert np.array_equal(log.borda(), found.borda)
    assert gap is None or abs(found.minimum_gap - gap) < 5e-4
    assert found.hardness == pytest.approx(np.sum(1 / found.gaps**2))


TWINS = counted(
    [
        [[0, 5, 8, 6], [5, 0, 8, 6], [2, 2, 0, 5], [3, 3, 4, 0]],
        [[0, 5, 4, 6], [5, 0, 4, 6], [5, 5, 0, 5], [3, 3, 4, 0]],
    ],
    np.full((2, 4, 4), 2),
)
"""a and b have the same results against everybody, and with each other."""


@pytest.mark.parametrize("ties", ["decisive", "half", "davidson"])
def test_a_tie_protects_under_every_treatment(ties):
    found = target(TWINS, ties)
    assert found.frontier[:2].all()
    assert found.gaps[:2].tolist() == [0, 0]
    assert not found.recoverable
    assert "a is kept: it equals b on x, and a tie protects" in found.reasons


def test_fitted_target_is_that_of_the_fitted_probabilities():
    fitted, found = davidson_target(TWINS), target(TWINS, "F")
    assert found.name == "davidson"
    assert not found.exact
    assert np.array_equal(found.probabilities, fitted)
    assert not found.tie_share.any()
    assert np.allclose(found.borda, (fitted.sum(axis=1) - 0.5) / 3)
    assert np.allclose(found.gaps, gaps(found.borda), atol=1e-8)


def test_a_fit_fills_in_what_is_missing():
    """A chain of wins: under the rule `connected` all four models stay, and only a fit scores them."""
    chain = np.diag(np.ones(3), 1)
    log = retain_counts(counted([chain, chain]), rule="connected")
    assert target(log, "davidson").kept == ("a",)


def test_names_and_letters_of_treatments():
    assert [treatment(letter) for letter in "DHF"] == ["decisive", "half", "davidson"]
    assert target(counted(np.ones((1, 2, 2)) - np.eye(2)), "H").letter == "H"
    with pytest.raises(
        BattleError, match=r"treatment of ties 'drop'; accepted are decisive \(D\), half \(H\)"
    ):
        treatment("drop")
    with pytest.raises(BattleError, match="1 models on 1 objectives"):
        target(counted(np.zeros((1, 1, 1))))


def test_neighbours_within_the_tolerance_share_a_number():
    assert chained(np.array([0.3, 0.1, 0.1 + 4e-10, 0.1 + 8e-10, 0.2]), 5e-10).tolist() == [2, 0, 0, 0, 1]
