"""The last unit: trees that rule a size out, from the search to the proof file and its checker."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CoveringProgram, SolverError, Status, checker, proof, solve
from solvers.backends import registered
from solvers.backends.base import Answer, Backend
from solvers.covering.closing import SINGLES, attempt
from solvers.covering.subproblem import combined, exact_sum, holds
from solvers.tree import ColumnSplit, RowSplit, Step, Tree
from tests.solvers.instances import brute_force, random_panel, seeded, small_programs

PANELS = [(300, 4, 2), (2000, 8, 4), (2000, 8, 5), (2000, 8, 11), (2000, 8, 13), (2000, 8, 17), (2000, 8, 22)]
"""Random panels whose last unit needs a tree."""


def as_problem(program):
    return checker.Problem(program.demands.tolist(), program.gains.tolist(), program.n)


def build(program, solution=None):
    solution = solve(program, backend="sifting") if solution is None else solution
    return json.loads(json.dumps(proof.build([proof.Section("a", program, solution)])))


def sealed(document):
    return {**document, "checksum": checker.checksum(document)}


def verdict_on(path, problem, resealed):
    document = checker.read_proof(path)
    return checker.check(sealed(document) if resealed else document, problem)


@pytest.mark.parametrize("panel", PANELS)
def test_panels_with_an_open_last_unit_are_proven(panel):
    program = random_panel(*panel)
    solution = solve(program, backend="sifting")
    assert (solution.status, solution.proven) == (Status.OPTIMAL, True)
    assert solution.tree is not None
    assert solution.bound == solution.tree.target + 1 == solution.multipliers.bound + 1
    document = build(program, solution)
    assert document["sections"][0]["lower"] == solution.objective
    assert checker.check(document, as_problem(program))[-1].endswith("optimal")
    again = CoveringProgram(program.gains.astype(np.int32), program.demands)
    assert build(again) == document


def test_what_is_closed_at_the_root_has_no_tree():
    solution = solve(random_panel(2000, 8, 0), backend="sifting")
    assert solution.proven
    assert solution.tree is None


@st.composite
def sized_programs(draw):
    """Up to 4 constraints and 12 columns, with numbers from one digit to nearly 64 bits."""
    m, n = draw(st.integers(2, 4)), draw(st.integers(1, 12))
    largest = draw(st.sampled_from([1, 3, 9, 10**4, 10**9, 2**40, 2**57]))
    gains = np.array(
        draw(st.lists(st.lists(st.integers(0, largest), min_size=n, max_size=n), min_size=m, max_size=m))
    )
    shares = draw(st.lists(st.integers(1, 15), min_size=m, max_size=m))
    demands = [sum(row) * share // 16 for row, share in zip(gains.tolist(), shares, strict=True)]
    return CoveringProgram(gains, np.array(demands, dtype=np.int64))


@seeded
@given(program=small_programs())
def test_small_programs_are_always_proven(program):
    best = brute_force(program)
    solution = solve(program, backend="sifting")
    assert solution.proven
    assert solution.objective == best


@seeded
@given(program=sized_programs())
def test_programs_of_any_magnitude_are_proven(program):
    solution = solve(program, backend="sifting")
    assert solution.proven
    assert solution.objective == solution.bound == brute_force(program)
    assert checker.check(build(program, solution), as_problem(program))[-1].endswith("optimal")


@seeded
@given(program=small_programs())
def test_trees_close_without_a_good_incumbent(program):
    solution = solve(program, backend="sifting", effort=0)
    assert solution.proven
    assert solution.objective == brute_force(program)


def test_without_a_tree_the_bracket_stays_open_and_says_why():
    program = random_panel(2000, 8, 4)
    for options in ({"closing": "none"}, {"nodes": 0}, {"nodes": 2}):
        solution = solve(program, backend="sifting", **options)
        assert solution.status is Status.FEASIBLE
        assert (solution.bound, solution.objective, solution.tree) == (1252, 1253, None)
        assert "search limit" in solution.reason
        assert checker.check(build(program, solution), as_problem(program))[-1].endswith("bracket open")
    with pytest.raises(SolverError, match="nodes"):
        solve(program, backend="sifting", nodes=-1)
    with pytest.raises(SolverError, match="closing"):
        solve(program, backend="sifting", closing="forest")


def test_a_time_limit_ends_the_search():
    solution = solve(random_panel(2000, 8, 14), backend="sifting", time_limit=1.0)
    assert solution.seconds < 10.0
    assert solution.bound <= solution.objective <= solution.bound + 1


# -- what nobody gets away with -----------------------------------------------------------------------------

PROGRAM = random_panel(300, 4, 2)
SOLUTION = solve(PROGRAM, backend="sifting")


def branched():
    """A proof with splits on rows and columns, and its problem."""
    program = random_panel(2000, 8, 17)
    return build(program), as_problem(program)


@pytest.mark.parametrize("resealed", [False, True])
def test_any_changed_digit_of_a_tree_is_rejected(tmp_path, resealed):
    document, problem = build(PROGRAM, SOLUTION), as_problem(PROGRAM)
    path = tmp_path / "proof.json"
    proof.write(path, document)
    text = path.read_text()
    start = text.index('"tree"')
    digits = [i for i, c in enumerate(text) if c.isdigit() and start < i < text.index('"witness"')]
    assert len(digits) > 100
    for i in digits:
        for other in set("0123456789") - {text[i]}:
            path.write_text(text[:i] + other + text[i + 1 :])
            with pytest.raises(checker.Rejected):
                verdict_on(path, problem, resealed)


def test_every_number_of_a_larger_tree_counts():
    document, problem = branched()
    steps = document["sections"][0]["tree"]
    assert {len(step) for step in steps} >= {3, 7}
    rng = np.random.default_rng(0)
    for at, step in enumerate(steps):
        for place, entry in enumerate(step):
            for k in range(len(entry)) if isinstance(entry, list) else [None]:
                changed = json.loads(json.dumps(document))
                holder = changed["sections"][0]["tree"][at]
                delta = int(rng.choice([-1000, -1, 1, 7, 10**6]))
                if k is None:
                    holder[place] += delta
                else:
                    holder[place][k] += delta
                with pytest.raises(checker.Rejected):
                    checker.check(sealed(changed), problem)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s["tree"].pop(), "leaves 1 subproblems open"),
        (lambda s: s["tree"].pop(1), "seal"),
        (lambda s: s["tree"].append(s["tree"][-1]), "nothing is left"),
        (lambda s: s["tree"].__setitem__(slice(1, 3), s["tree"][2:0:-1]), "seal"),
        (lambda s: s.update(tree=[]), "leaves 1 subproblems open"),
        (lambda s: s.update(tree={}), "must be a list"),
        (lambda s: s["tree"].__setitem__(0, [[], 1]), "entries"),
        (lambda s: s["tree"][-1].append(0), "seal|nothing to split"),
        (lambda s: s["tree"][0][0].__setitem__(-1, 0), "trailing zeros"),
        (lambda s: s["tree"][0][0].extend([1] * 9), "at most 3 integers"),
        (lambda s: s["tree"][0].__setitem__(1, True), "not an integer"),
        (lambda s: s["tree"][0].__setitem__(1, -1), "below 0"),
        (lambda s: s["tree"][0][0].__setitem__(0, -1), "below 0"),
        (lambda s: s.update(lower=s["lower"] - 1), "no more than the multipliers"),
        (lambda s: s.update(lower=s["lower"] + 1), "seal"),
        (lambda s: s.pop("tree"), "proves the bound"),
    ],
)
def test_forged_trees_are_rejected(change, message):
    document = build(PROGRAM, SOLUTION)
    section = document["sections"][0]
    assert len(section["tree"]) == 3
    change(section)
    with pytest.raises(checker.Rejected, match=message):
        checker.check(sealed(document), as_problem(PROGRAM))


def test_a_split_of_another_row_is_rejected():
    document, problem = branched()
    split = next(step for step in document["sections"][0]["tree"] if len(step) == 7)
    w, shift, k, seal = split[3:]
    for other in ([*w[:-1], w[-1] * 2], [0, *w][: len(w)], [w[-1]]):
        split[3] = other
        with pytest.raises(checker.Rejected, match="seal"):
            checker.check(sealed(document), problem)
    split[3:] = [w, shift, k + 1, seal + 1]  # a valid split, but not the one whose sides were closed
    with pytest.raises(checker.Rejected, match="step"):
        checker.check(sealed(document), problem)


def changed_steps(tree):
    """Trees that differ from a valid one in one respect."""
    first, *rest = tree.steps
    yield replace(tree, target=tree.target + 1)
    yield replace(tree, target=tree.target - 1)
    yield replace(tree, steps=tree.steps[:-1])
    yield replace(tree, steps=(*tree.steps, tree.steps[-1]))
    yield replace(tree, steps=())
    yield replace(tree, steps=(first, *rest[::-1]))
    for step in (
        replace(first, numerator=first.numerator + 1),
        replace(first, q=first.q + 1),
        replace(first, q=-1),
        replace(first, q=float(first.q)),
        replace(first, p=(*first.p, 0, 0, 0, 0, 0)),
        replace(first, p=(-1, *first.p[1:])),
        replace(first, split=None),
        replace(first, split=ColumnSplit(10**6)),
        replace(first, split=RowSplit((1,) * 9, 0, 0, 0)),
        replace(first, split=RowSplit((1,), 0, 0, 0)),
        replace(first, split=RowSplit((1 << 200,), 0, 0, 0)),
    ):
        yield replace(tree, steps=(step, *rest))
    yield replace(tree, steps=(*tree.steps[:-1], replace(tree.steps[-1], split=ColumnSplit(0))))


def test_a_back_end_cannot_lie_with_a_tree(monkeypatch):
    dual = SOLUTION.multipliers
    assert holds(PROGRAM, dual, SOLUTION.tree)
    for tree in changed_steps(SOLUTION.tree):
        assert not holds(PROGRAM, dual, tree)
        size = float(SOLUTION.objective)
        answer = Answer(Status.OPTIMAL, SOLUTION.x, size, size, multipliers=(dual.p, dual.q), tree=tree)
        liar = Backend("liar", (CoveringProgram,), lambda p, t, answer=answer: answer)
        monkeypatch.setitem(registered(), "liar", liar)
        solution = solve(PROGRAM, backend="liar")
        assert not solution.proven
        assert solution.tree is None
        assert solution.bound == dual.bound


def test_a_valid_tree_is_believed_whoever_brings_it(monkeypatch):
    dual = SOLUTION.multipliers
    answer = Answer(Status.FEASIBLE, SOLUTION.x, multipliers=(dual.p, dual.q), tree=SOLUTION.tree)
    monkeypatch.setitem(registered(), "friend", Backend("friend", (CoveringProgram,), lambda p, t: answer))
    assert solve(PROGRAM, backend="friend").proven


# -- the integers underneath --------------------------------------------------------------------------------


@seeded
@given(
    rows=st.lists(st.lists(st.integers(-(2**60), 2**60), min_size=4, max_size=4), min_size=1, max_size=3),
    weights=st.lists(st.integers(-(2**70), 2**70), min_size=3, max_size=3),
    small=st.booleans(),
)
def test_combinations_of_rows_are_exact(rows, weights, small):
    weights = [w % 7 - 3 for w in weights] if small else weights
    matrix = np.array(rows, dtype=np.int64)
    largest = [max(map(abs, row)) for row in rows]
    found = combined(weights[: len(rows)], matrix, largest)
    expected = [sum(w * row[i] for w, row in zip(weights, rows, strict=False)) for i in range(4)]
    assert found.tolist() == expected
    assert exact_sum(found) == sum(expected)
    assert exact_sum(matrix[0]) == sum(rows[0])


def test_an_infeasible_side_is_closed_by_a_ray():
    program = CoveringProgram([[1, 1, 1], [1, 1, 0]], [2, 2])
    dual = solve(program).multipliers
    assert dual.bound == 2
    step = Step((0, 1), 0, 1)
    assert not holds(program, dual, Tree(2, (step,)))


@pytest.mark.parametrize("seed", [*range(6), 28])
def test_splits_on_columns_that_have_equals(seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 8, size=(3, 8))
    gains = kinds[:, rng.integers(0, 8, size=40)]
    program = CoveringProgram(gains, gains.sum(axis=1) * rng.integers(4, 12, size=3) // 16)
    solution = solve(program, backend="highs")
    for target in range(solution.multipliers.bound, solution.objective + 1):
        found = attempt(program, solution.multipliers, target, SINGLES, 2000, float("inf"))
        if target == solution.objective:
            assert program.check(found.cover) == 0
            assert found.cover.sum() == target
            continue
        assert holds(program, solution.multipliers, found.tree)
        proven = replace(solution, bound=target + 1, tree=found.tree)
        document = proof.build([proof.Section("a", program, proven)])
        assert checker.check(document, as_problem(program))
        assert {len(step) for step in document["sections"][0]["tree"]} == {3, 4}


def test_equal_columns_are_split_by_how_many_are_taken():
    kinds = np.array([[3, 0, 2], [0, 3, 2]])
    program = CoveringProgram(np.repeat(kinds, 5, axis=1), [11, 11])
    solution = solve(program, backend="sifting", effort=0)
    assert solution.proven
    assert solution.objective == brute_force_of_kinds(kinds.T.tolist(), [5, 5, 5], [11, 11])
    document = build(program, solution)
    assert checker.check(document, as_problem(program))[-1].endswith("optimal")


def brute_force_of_kinds(kinds, counts, demands):
    """Fewest columns when there are ``counts`` of each kind."""
    return min(
        sum(taken)
        for taken in product(*(range(count + 1) for count in counts))
        if all(
            sum(t * kind[j] for t, kind in zip(taken, kinds, strict=True)) >= d for j, d in enumerate(demands)
        )
    )
