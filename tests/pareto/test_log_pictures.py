"""Pictures of a log: every one draws at both widths, says what it shows, and keeps names as they are."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from pareto.frontier import frontier
from pareto.log_pictures.correlations import correlations, heat_map
from pareto.log_pictures.field import Field, Look
from pareto.log_pictures.gaps import gap_dots
from pareto.log_pictures.held_out import held_out
from pareto.log_pictures.profiles import profiles
from pareto.log_pictures.projections import projected, projections
from pareto.log_pictures.spaces import spaces, telling_triples
from pareto.log_pictures.treatments import Treatment, treatments
from solvers.pages.canvas import briefs

NAMES = ("_under [b]", "$a$ <b>", "模型", "plain", "claude-3-7-sonnet-20250219-thinking-32k", "x")
OBJECTIVES = ("code", "math", "creative_writing", "_other")


def field(models=6, objectives=4, seed=1):
    borda = 0.5 + np.random.default_rng(seed).normal(0, 0.1, (models, objectives))
    names = NAMES if models == len(NAMES) else tuple(f"model {i}" for i in range(models))
    return Field(names, OBJECTIVES[:objectives], borda, frontier(borda))


def panels(given):
    shifted = given.borda * 0.9
    shifted[0] += 1
    return [
        Treatment("D decisive", given.borda, given.frontier),
        Treatment("H half credit", shifted, frontier(shifted)),
    ]


SOME = field()
DRAWN = {
    "profiles": profiles(SOME),
    "one objective": profiles(field(objectives=1)),
    "many": profiles(field(models=40)),
    "projections": projections(SOME),
    "one pair": projections(field(objectives=2)),
    "spaces": spaces(SOME),
    "correlations": heat_map(SOME),
    "treatments": treatments(SOME.models, SOME.objectives, panels(SOME)),
    "gaps": gap_dots(SOME.models, ("D", "H"), [np.array([0, 0.1, 0.2, 0.3, 0.1, 0.5])] * 2),
    "no gap": gap_dots(SOME.models, ("D",), [np.zeros(6)]),
    "held-out": held_out(OBJECTIVES, (0, 1, 2), np.random.default_rng(0).random((4, 3))),
}


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_draws_at_both_widths(name):
    picture = DRAWN[name]
    for narrow in (False, True):
        svg = picture.svg(narrow)
        width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
        assert (width < 400) is narrow
        assert height == pytest.approx(72 * (picture.narrow_height if narrow else picture.height), abs=1)
        assert "http" not in svg
    assert len(picture.alt) > 40


def test_pictures_as_files(tmp_path):
    assert DRAWN["profiles"].svg() == DRAWN["profiles"].svg()
    DRAWN["profiles"].write(tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_names_are_written_as_they_are():
    svg = DRAWN["profiles"].svg()
    for model in SOME.kept:
        (shown,) = SOME.names([model])
        assert shown.replace("<", "&lt;").replace(">", "&gt;") in svg
        assert SOME.models[model] in DRAWN["profiles"].alt


def test_short_names_stay_different():
    long = [f"a-model-with-a-long-name-{middle}-and-a-common-end-of-it" for middle in "xyz"]
    assert len(set(briefs(long))) == 3
    assert briefs(["same", "same"]) == ["same", "same"]
    assert briefs([]) == []


def test_frontier_models_never_look_alike():
    looks = [Look.number(place) for place in range(50)]
    assert len({(look.colour, look.mark) for look in looks}) == 50


def test_projections_are_part_of_the_frontier_and_what_a_loop_finds():
    given = field(models=12, objectives=4, seed=3)
    for size in (1, 2, 3):
        for objectives in combinations(range(4), size):
            found = projected(given, objectives)
            part = given.borda[:, list(objectives)]
            expected = [not any((part[j] > part[i]).all() for j in range(12)) for i in range(12)]
            assert found.tolist() == expected
            assert not (found & ~given.frontier).any()


def test_telling_triples_keep_most_and_least():
    given = field(models=30, objectives=4, seed=5)
    most, least = telling_triples(given)
    sizes = [int(projected(given, triple).sum()) for triple in combinations(range(4), 3)]
    assert int(projected(given, most).sum()) == max(sizes)
    assert int(projected(given, least).sum()) == min(sizes)
    assert telling_triples(field(objectives=3)) == [(0, 1, 2)]
    assert spaces(field(objectives=2)) is None
    assert projections(field(objectives=1)) is None
    assert heat_map(field(objectives=1)) is None


def test_correlations_agree_with_numpy_and_do_without_spread():
    borda = np.random.default_rng(0).random((9, 4))
    assert correlations(borda) == pytest.approx(np.corrcoef(borda.T), abs=1e-12)
    borda[:, 2] = 0.3
    found = correlations(borda)
    assert np.isnan(found[2]).all()
    assert found[0, 0] == 1
    assert heat_map(Field(tuple("abcdefghi"), OBJECTIVES, borda, frontier(borda))).svg().count("–") >= 7


def test_treatments_draw_what_any_of_them_keeps():
    given = panels(SOME)
    picture = treatments(SOME.models, SOME.objectives, given)
    union = given[0].frontier | given[1].frontier
    svg = picture.svg()
    for model in range(6):
        shown = SOME.names([model])[0].replace("<", "&lt;").replace(">", "&gt;")
        assert (f">{shown}<" in svg) is bool(union[model])
    assert "H half credit: 1 kept" in svg


def test_gaps_name_the_hardest_and_show_a_limited_number():
    gaps = np.linspace(0.3, 0.01, 30)
    picture = gap_dots([f"m{i}" for i in range(30)], ("D decisive",), [gaps])
    svg = picture.svg()
    assert ">m29<" in svg
    assert ">m9<" not in svg
    assert "m29 0.01" in picture.alt
