"""Parts of a log: fewer objectives, kept models, and the accounts that go with them."""

from __future__ import annotations

import numpy as np
import pytest

from pareto import BattleError, read_battles
from pareto.preprocessing import NOT_SELECTED, OUTSIDE

HEADER = "model_a,model_b,winner,who,code,math,chat\n"
ROWS = """\
a,b,model_a,u,1,1,0
b,a,model_a,u,1,0,1
a,b,tie,v,1,0,0
b,c,model_b,v,0,0,1
a,c,both_bad,v,0,1,1
c,a,model_b,w,0,1,0
c,b,model_a,,0,0,0
"""
FLAGS = ("code", "math", "chat")


@pytest.fixture
def battles(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(HEADER + ROWS)
    return read_battles(path, flags=FLAGS, multi_label=True, cluster="who")


def test_selecting_objectives_counts_what_it_drops(battles):
    part = battles.on(["chat", "code"])
    assert part.objectives == ("chat", "code")
    assert part.preprocessing.dropped(NOT_SELECTED) == 1
    assert (part.preprocessing.comparisons, part.preprocessing.records) == (3, 4)
    assert (part.preprocessing.undecided, part.preprocessing.undecided_records) == (2, 2)
    for name in ("wins", "ties", "both_bad"):
        whole = getattr(battles.counts, name)
        np.testing.assert_array_equal(getattr(part.counts, name), whole[[2, 0]])
    again = part.on(["code"])
    assert again.preprocessing.dropped(NOT_SELECTED) == 2
    assert again.preprocessing == battles.on(["code"]).preprocessing
    assert again.records.objective.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("objectives", "said"),
    [
        (["chess"], "no objective 'chess'; choose among code, math, chat"),
        ([], "objectives none"),
        (["code", "code"], "each once"),
    ],
)
def test_objectives_that_cannot_be_selected(battles, objectives, said):
    with pytest.raises(BattleError, match=said):
        battles.on(objectives)


def test_records_are_those_of_the_counts(battles):
    for part in (battles, battles.on(["math", "chat"])):
        wins = np.zeros_like(part.counts.wins)
        records = part.records
        decided = records.outcome < 2
        swapped = records.outcome == 1
        winner, loser = (
            np.where(swapped, records.second, records.first),
            np.where(swapped, records.first, records.second),
        )
        np.add.at(wins, (records.objective[decided], winner[decided], loser[decided]), 1)
        np.testing.assert_array_equal(wins, part.counts.wins)
        assert len(records) == part.counts.records.sum()


def test_kept_models(battles):
    log = battles.retain(["code"])
    assert log.models == ("a", "b")
    assert log.preprocessing.outside.reason == OUTSIDE
    assert log.preprocessing.retained_records == log.preprocessing.records == 2
    assert log.preprocessing.retained_comparisons == 2
    assert log.records.outcome.tolist() == [0, 0, 2]
    assert log.records.by == "who"
    chat = battles.retain(["chat"])
    assert chat.models == ("a", "b")  # a and c have only a both-bad vote there
    assert chat.preprocessing.outside.rows == 1
    assert chat.preprocessing.table()[-2][1] == -1
    assert chat.records.first.tolist() == [1]
    assert chat.records.cluster.tolist() == [0]


def test_half_a_win_for_a_vote_and_a_bad_one_and_nothing_for_strangers(tmp_path):
    """One win for a and one both-bad: the counts tell ¾ and ¼ apart from a pair that never met."""
    path = tmp_path / "log.csv"
    path.write_text("model_a,model_b,winner\na,b,model_a\na,b,tie (bothbad)\nb,c,model_a\n")
    counts = read_battles(path).counts
    wins, undecided, met = counts.wins[0], counts.undecided[0], counts.met[0]
    assert (wins[0, 1] + undecided[0, 1] / 2) / met[0, 1] == 0.75
    assert (wins[1, 0] + undecided[1, 0] / 2) / met[1, 0] == 0.25
    assert met[0, 2] == met[2, 0] == 0


def test_one_tie_between_equals_is_the_same_with_columns_swapped(tmp_path):
    found = []
    for number, header in enumerate(("model_a,model_b,winner", "model_b,model_a,winner")):
        path = tmp_path / f"{number}.csv"
        path.write_text(f"{header}\nx,y,tie\n")
        found.append(read_battles(path).counts)
    for name in ("wins", "ties", "both_bad"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))
