"""A small sample of the fuzzing: every reader, the same inputs on every run."""

from __future__ import annotations

import pytest

from tests.fuzz.property import ACCEPTED, CLEAR, trial
from tests.fuzz.readers import READERS

INPUTS = 16


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", READERS)
def test_a_clear_error_or_a_right_answer(name, tmp_path):
    outcomes = [trial(READERS[name], 3, number, tmp_path) for number in range(INPUTS)]
    wrong = [(number, one) for number, one in enumerate(outcomes) if one.kind not in (CLEAR, ACCEPTED)]
    assert not wrong, f"{name}:{wrong[0][0]}"
    assert any(one.kind == CLEAR for one in outcomes)
