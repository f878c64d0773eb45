"""Pictures: every one draws at both widths, says what it shows, and keeps names as they are."""

from __future__ import annotations

import re

import numpy as np
import pytest

import certify
from certify.pictures.anatomy import ByRank, Coverage, by_rank, coverage
from certify.pictures.beyond import Beyond, beyond
from certify.pictures.bound_lines import BoundLines, bound_lines
from certify.pictures.budget_map import BudgetMap, budget_map
from certify.pictures.excess_lines import excess_lines
from certify.pictures.policy_bars import policy_bars
from solvers.pages.canvas import COLOURS, brief, legend_shape

NAMES = ["_under", "$a$ <b>", "模型", "plain"]


def lines(rivals=NAMES, settled=None):
    at = np.array([0, 5, 10])
    lower = np.linspace(-0.2, 0.01, 3 * len(rivals)).reshape(len(rivals), 3)
    settled = [10] * len(rivals) if settled is None else settled
    return bound_lines(BoundLines("lead", rivals, at, lower, 0.0, settled, "AUGRC", owned=2))


def pool():
    rng = np.random.default_rng(0)
    return certify.Pool.binary(rng.integers(0, 2, (3, 20)), rng.random((3, 20)), names=NAMES[:3])


def run_of(size):
    codes = np.arange(20, dtype=np.int16) % 2
    run = certify.replay(pool(), codes, "random", budget=size)
    return excess_lines(pool(), codes, run, policy="random", bound=2, certificate=3)


DRAWN = {
    "bounds": lines(),
    # a tolerance that is met before the first label: the level lies far below every line
    "far": bound_lines(
        BoundLines("lead", NAMES[:1], np.arange(2), np.zeros((1, 2)), -1.0, [0], "error rate", owned=0)
    ),
    "many": lines([f"rival {k}" for k in range(30)], [None, *(k // 3 for k in range(29))]),
    "map": budget_map(
        BudgetMap(
            10,
            np.arange(11),
            np.maximum(0.1 - 0.03 * np.arange(11), 0),
            np.arange(6),
            0.2 - 0.03 * np.arange(6),
            0.01,
            "AUGRC",
        )
    ),
    "start": budget_map(BudgetMap(1, np.arange(2), np.zeros(2), np.zeros(1, int), np.zeros(1), 0.0, "AUGRC")),
    "beyond": beyond(Beyond(np.array([0, 4, 8]), np.array([5, 3, 0]), 5)),
    "coverage": coverage(
        Coverage(
            "lead", NAMES, np.array([1.0, 2, 0, 3]), np.ones(4), np.full(4, 4.0), "AUGRC", certificate=True
        )
    ),
    "nobody": coverage(Coverage("lead", NAMES, *np.zeros((3, 4)), "AUGRC", certificate=False)),
    "ranks": by_rank(
        ByRank("lead", np.array([1, 3, 5]), np.array([2, 2]), np.array([1, 0]), np.array([0, 2]))
    ),
    "policies": policy_bars({"a": [50.0], "_b": [99.5]}, bound=20, certificate=40, marked="a"),
    "studies": policy_bars({"a": [50.0, 60], "b": [90, 70]}, certificate=[40, 45], places=["wine", "digits"]),
    "excess": run_of(20),
    "open": run_of(1),
}


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_draws_at_both_widths(name):
    picture = DRAWN[name]
    for narrow in (False, True):
        svg = picture.svg(narrow)
        assert svg.startswith("<svg ")
        assert svg.endswith("</svg>")
        assert "http" not in svg
        assert "<style" not in svg
        width = float(re.search(r'viewBox="0 0 ([0-9.]+)', svg)[1])
        assert width == pytest.approx(316.8 if narrow else 691.2)
        smallest = min(float(size) for size in re.findall(r"font-size: ([0-9.]+)px", svg))
        assert smallest >= 10
        references = set(re.findall(r'(?:url\(#|href="#)([^)"]*)', svg))
        assert references == set(re.findall(r' id="([^"]*)"', svg))
    assert picture.alt.strip().endswith(".") or name in ("policies", "studies")


def test_the_same_picture_has_the_same_bytes(tmp_path):
    picture = DRAWN["beyond"]
    assert picture.svg() == picture.svg()
    for name in ("one.png", "two.png", "one.svg", "two.svg"):
        picture.write(tmp_path / name)
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        written = (tmp_path / f"one.{ending}").read_bytes()
        assert written.startswith(start)
        assert written == (tmp_path / f"two.{ending}").read_bytes()


def test_names_are_shown_as_they_are():
    svg = lines().svg()
    for name in ("_under", "$a$ &lt;b&gt;", "模型"):
        assert f">{name}</text>" in svg


def test_only_the_last_to_settle_are_named_among_many():
    svg = DRAWN["many"].svg()
    assert "rival 0<" in svg  # not settled at all
    assert "rival 29<" in svg
    assert "rival 3<" not in svg
    assert "21 others" in svg


def test_the_means_and_the_floor_are_in_the_alternative_text():
    assert "a 55.0; b 80.0" in DRAWN["studies"].alt
    assert "42.5 per cent" in DRAWN["studies"].alt
    assert "Mean over 2: wine, digits" in DRAWN["studies"].alt


@pytest.mark.parametrize(
    ("name", "shown"),
    [("short", "short"), (" a\n b\x00", "a b"), ("", "(blank)"), ("x" * 40, "x" * 16 + "…" + "x" * 9)],
)
def test_long_names_lose_their_middle(name, shown):
    assert brief(name) == shown


def test_colours_differ_and_legends_fit():
    assert len(set(COLOURS)) == len(COLOURS)
    for narrow, room in ((False, 115), (True, 50)):
        for length in (3, 12, 26):
            names = ["x" * length] * 9
            columns, rows = legend_shape(names, narrow)
            assert columns * rows >= 9
            assert columns * (length + 7) <= room
