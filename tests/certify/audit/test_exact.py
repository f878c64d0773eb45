"""The auditor's arithmetic equals enumeration, and shares no code with the engine."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import certify
from certify.audit.exact import Bounds, Rule, exact_number, rank_weights, total_losses
from tests.certify.reference import completions, labelled_pools, risks_of, verdict_of, weights_of


def bounds_of(pool) -> Bounds:
    weights = [rank_weights(values)[0] for values in pool.confidences.tolist()]
    codes = [pool.predictions[k % len(pool.predictions)].tolist() for k in range(pool.candidates)]
    return Bounds(weights, codes, len(pool.classes))


@settings(max_examples=150, deadline=None)
@given(labelled_pools(max_rows=5), st.data())
def test_bounds_and_verdicts_equal_enumeration_at_every_prefix(case, data):
    pool, truth = case
    bounds = bounds_of(pool)
    codes = [-1] * pool.n
    rules = [Rule(Fraction(0), 0), Rule(Fraction(1, 10**9), 0), Rule.of(Fraction(1, 10), pool.n)]
    wrong = data.draw(st.integers(0, pool.n - 1))
    order = data.draw(st.permutations(range(pool.n)))
    for row in [None, *order, wrong]:
        if row is not None and codes[row] < 0:
            label = int(truth[row]) if row != wrong else 0
            bounds.read(row, label)
            codes[row] = label
        elif row is not None:
            bounds.change(row, codes[row], int(truth[row]))
            codes[row] = int(truth[row])
        risks = [risks_of(pool, labels) for labels in completions(pool, codes)]
        for j in range(pool.candidates):
            for k in range(pool.candidates):
                assert bounds.lower[j][k] == min(r[j] - r[k] for r in risks)
        for rule in rules:
            slack = None if rule.tolerance == 0 else rule.slack
            certified, winner, excess = verdict_of(pool, codes, slack)
            assert bounds.verdict(rule) == (certified, winner, Fraction(excess, 2 * pool.n**2))
    assert total_losses(bounds, codes) == risks_of(pool, codes)


@given(st.lists(st.sampled_from([-0.0, 0.0, 0.5, 0.7, 0.7000000000000001]), min_size=1, max_size=9))
def test_weights_follow_the_definition(values):
    weights, blocks = rank_weights(values)
    assert weights == weights_of(values)
    assert sum(weights) == len(values) ** 2
    assert blocks == len(set(values))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0), ("0.0005", Fraction(1, 2000)), ("1/3", Fraction(1, 3)), ("1e-3", Fraction(1, 1000)),
        ("-1", None), ("nan", None), ("inf", None), ("1/0", None), ("", None), ("1e999999999", None),
        (0, None), (None, None),
    ],
)  # fmt: skip
def test_tolerances_are_exact(text, value):
    assert exact_number(text) == value


def test_the_slack_is_rounded_down():
    assert Rule.of(Fraction("0.0005"), 10_000).slack == 100_000
    assert Rule.of(Fraction(1, 3), 5).slack == 16


def test_no_code_is_shared_with_the_engine():
    allowed = {"certify.errors", "solvers", "solvers.checker"}
    files = sorted(Path(certify.__file__).parent.glob("audit/*.py"))
    assert len(files) > 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
                if node.module in ("certify", "solvers"):
                    names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                if name.partition(".")[0] in ("certify", "solvers") and name not in allowed:
                    assert name.startswith("certify.audit"), (file.name, name)
