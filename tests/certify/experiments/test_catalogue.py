from __future__ import annotations

import pytest

from certify.experiments.catalogue import CATALOGUE


@pytest.mark.parametrize("name", CATALOGUE.names)
def test_every_study_loads_and_only_grows_with_seeds(name):
    study = CATALOGUE.load(name)
    assert study.name == name
    assert study.seconds > 0
    keys = study.keys(2)
    assert len(set(keys)) == len(keys)
    assert set(keys) <= set(study.keys(3))
