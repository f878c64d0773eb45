"""The study of confidence scores: its pieces, its claims and its map from budgets to tolerances."""

from __future__ import annotations

import pytest

from certify.experiments import deep_confidence
from certify.experiments.deep_confidence import ALL_SCORES, COMPARISONS, KNOWN
from certify.experiments.measures import COLUMNS, FACTS, TOLERANCES
from certify.replay import replay
from certify.tolerances import tolerances_along
from solvers.studies.engine import run
from solvers.studies.results import Results
from solvers.workers import Processes

NETWORK = "wrn-16-4-cifar-10"


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deep")
    keys = [f"{NETWORK}:{scores}/{piece}" for scores in (ALL_SCORES,) for piece in (FACTS, "static-range")]
    for key in keys:
        outcome = run(deep_confidence.STUDY, folder, workers=Processes(1), seeds=1, only=key)
    return Results(outcome.results, COLUMNS).table(keys)


def test_three_networks_with_all_scores_and_every_pair():
    assert len(COMPARISONS) == 12
    assert COMPARISONS[4:6] == (f"{NETWORK}:msp+neg-entropy+margin", f"{NETWORK}:msp+neg-entropy")
    assert set(KNOWN) == {name.partition(":")[0] for name in COMPARISONS}


def test_claims_about_a_network_hold(worked):
    lines = {line.quantity: line for line in deep_confidence.compare(worked)}
    assert lines["winner"].ours == "neg-entropy"
    assert lines["minimum certificate C(y)"].ours == "54.94"
    assert lines["static-range reads at τ = 0.0005"].ours == "67.53"
    assert [line.holds for line in lines.values() if NETWORK in line.part] == [True] * 5


def test_budgets_map_to_the_smallest_tolerance_tested(worked):
    found = deep_confidence.smallest_tolerances(worked, NETWORK)
    pool, codes = deep_confidence.compared(f"{NETWORK}:{ALL_SCORES}")
    along = tolerances_along(pool, codes, replay(pool, codes, "static-range").rows)
    texts = {along.stop(text).tolerance: text for text in TOLERANCES}
    for budget, tolerance in found.items():
        smallest = along.smallest_of(budget * 100, TOLERANCES)
        assert tolerance == (None if smallest is None else texts[smallest])


def test_pictures_are_drawn_from_part_of_the_pieces(worked, tmp_path):
    drawn = deep_confidence.pictures(worked, tmp_path)
    assert [picture.path.stem for picture in drawn] == ["deep-confidence-budgets", "deep-confidence-policies"]
    assert deep_confidence.pictures(worked.clear(), tmp_path) == []
