"""The packed network outputs come back bit by bit and give the published figures."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import certify
from certify import Labels
from certify.errors import PoolError
from certify.experiments import deep_confidence, deep_pools
from certify.experiments.data import FOLDER
from certify.experiments.deep_pools import DEEP_POOLS, deep_pool, outputs, unpacked
from certify.replay import replay

FLOATS = {
    "wrn-16-4-cifar-10": "de56a132ce6e599551b5eabf5b2b8bd4173567131079bf3d934866ac1414edc8",
    "wrn-16-4-cifar-100": "5d7a0ac1c29caf6ded7702ada71dd66a369651c1fd906ed8bca034612ce0b91f",
}
TRUTH = {
    "wrn-16-4-cifar-10": "cec8a24a1e92aa2ecaa0bbd3dbfa86bf6cd8759fbd209a832824c8cf0afca9d5",
    "wrn-16-4-cifar-100": "4dad7d09c7c97d33f6cb928d705cf4196221316fd6e31bdd978a08ed9103ee0b",
}
CORRECT = {"vgg-16-cifar-10": 9359, "wrn-16-4-cifar-10": 9109, "wrn-16-4-cifar-100": 7543}


@pytest.mark.parametrize("name", FLOATS)
def test_the_stored_values_survive(name):
    found = outputs(name)
    assert found.probabilities.dtype == np.float32
    assert hashlib.sha256(found.probabilities.astype("<f4").tobytes()).hexdigest() == FLOATS[name]
    assert hashlib.sha256(found.truth.astype(np.uint8).tobytes()).hexdigest() == TRUTH[name]
    assert f"{FLOATS[name][:8]}…{FLOATS[name][-4:]}" in (FOLDER / "SOURCES.md").read_text(encoding="utf-8")


def test_unpacking_undoes_the_layout(monkeypatch):
    monkeypatch.setattr(deep_pools, "IMAGES", 3)
    values = np.random.default_rng(1).random((3, 5)).astype("<f4")
    planes = values.view(np.uint8).reshape(-1, 4).T.tobytes()
    found = unpacked(bytes([4, 0, 2]) + planes, 5)
    assert (found.probabilities == values).all()
    assert found.truth.tolist() == [4, 0, 2]


@pytest.mark.parametrize("name", DEEP_POOLS)
def test_published_figures(name):
    pool, codes = deep_pool(name)
    winner, bound, size, static, loose = deep_confidence.KNOWN[name]
    assert (pool.kind, pool.n, pool.names) == ("shared", 10_000, ("msp", "neg-entropy", "margin"))
    assert int((pool.predictions[0] == codes).sum()) == CORRECT[name]
    assert certify.prelabel_bound(pool) == bound
    found = certify.minimum_certificate(pool, Labels(codes))
    assert (found.size, found.lower_bound, pool.names[found.winner]) == (size, size, winner)
    exact = replay(pool, codes, "static-range")
    assert (exact.labels_read, pool.names[exact.winner], exact.certified) == (static, winner, True)
    assert replay(pool, codes, "static-range", "0.0005").labels_read == loose


def test_scores_of_a_pair_are_those_of_the_three():
    three, _ = deep_pool("wrn-16-4-cifar-10")
    pair, _ = deep_pool("wrn-16-4-cifar-10", ("msp", "margin"))
    assert (pair.confidences == three.confidences[[0, 2]]).all()


def test_an_unknown_network_is_named():
    with pytest.raises(PoolError, match="vgg-16-cifar-10"):
        outputs("resnet")
