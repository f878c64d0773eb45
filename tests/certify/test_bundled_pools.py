"""The bundled pools give the published figures, exactly."""

from __future__ import annotations

import numpy as np
import pytest

import certify
from certify import Labels
from certify.bundled import CIFAR10_VGG16, CONFIDENCE_SCORES, IONOSPHERE, IONOSPHERE_LABELS
from certify.replay import replay


@pytest.fixture(scope="module")
def vgg():
    pool = certify.read_pool([CIFAR10_VGG16], scores=CONFIDENCE_SCORES)
    return pool, certify.read_labels(CIFAR10_VGG16, pool).codes


def test_vgg16_on_cifar10(vgg):
    pool, codes = vgg
    assert pool.names == ("msp", "neg-entropy", "margin")
    assert pool.kind == "shared"
    errors = pool.predictions[0] != codes
    assert int(errors.sum()) == 641
    values, counts = np.unique(pool.confidences[0], return_counts=True)
    assert (len(values), int((counts > 1).sum())) == (5648, 1566)
    assert pool.risks.totals(codes).tolist() == [1201012, 1194693, 1208853]
    assert certify.prelabel_bound(pool) == 1860


def test_vgg16_static_range(vgg):
    pool, codes = vgg
    exact = replay(pool, codes, "static-range")
    assert (exact.labels_read, exact.certified, pool.names[exact.winner]) == (8862, True, "neg-entropy")
    assert replay(pool, codes, "static-range", "0.0005").labels_read == 6281


def test_vgg16_minimum_certificate(vgg):
    pool, codes = vgg
    found = certify.minimum_certificate(pool, Labels(codes))
    assert (found.size, found.lower_bound, found.proven) == (4348, 4348, True)
    assert pool.names[found.winner] == "neg-entropy"


def test_error_bits_give_the_same_figures(vgg):
    pool, codes = vgg
    bits = certify.Pool.shared(pool.confidences)
    errors = (pool.predictions[0] != codes).astype(int)
    assert certify.prelabel_bound(bits) == 1860
    assert certify.minimum_certificate(bits, errors).size == 4348


def test_ionosphere_opens_as_text_and_certifies():
    pool = certify.read_pool(IONOSPHERE)
    known = certify.read_labels(IONOSPHERE_LABELS, pool)
    assert (pool.kind, pool.n, pool.classes) == ("binary", 106, ("b", "g"))
    bound, run = certify.prelabel_bound(pool), replay(pool, known.codes, "adaptive-pair-sum")
    found = certify.minimum_certificate(pool, known)
    assert run.certified
    assert found.winner == run.winner
    assert bound <= found.lower_bound <= found.size <= run.labels_read
