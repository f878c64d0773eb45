"""The study of logged battles: what it says of made-up results, of the bundled log, and of files given."""

from __future__ import annotations

import json
import random
import shutil

import polars as pl
import pytest
from typer.testing import CliRunner

from pareto.battles import read_battles
from pareto.bundled import bundled_log
from pareto.cli import app
from pareto.errors import BattleError
from pareto.experiments import arena, arena_known
from pareto.experiments.arena_logs import BUNDLED_LOGS, Setting, originals
from pareto.schemas import SEARCH_ARENA
from tests.pareto.experiments.rows import line, table
from tests.pareto.reading.originals import CATEGORIES, arena_140k, search_arena, vision_arena

KINDS = {str: pl.String, int: pl.Int64}
SCHEMA = {name: KINDS[kind] for name, kind in arena.COLUMNS.items()}


def fact(setting, name, number=None, text=""):
    return {"setting": setting, "method": "log", "fact": name, "number": number, "text": text}


def runs(setting, method, comparisons, wrong=0, stopped=1, phase=5):
    return [
        {
            "setting": setting,
            "method": method,
            "trial": trial,
            "unit": trial,
            "comparisons": spent,
            "wrong": wrong,
            "stopped": stopped,
            "phase": phase,
        }
        for trial, spent in enumerate(comparisons)
    ]


def facts_of(setting, **numbers):
    """Facts that every log has, some of them given."""
    known = {
        "models": 10,
        "frontier D": 1,
        "frontier H": 1,
        "frontier F": 1,
        "certain frontier": 0,
        "certain dominated": 1,
    }
    names = "; ".join(arena_known.FRONTIERS.get(setting, ("gemini-2.5-pro",)))
    rows = [fact(setting, name, number, names) for name, number in {**known, **numbers}.items()]
    return [*rows, fact(setting, "gaps D", text="0.1")]


def said(*parts):
    return arena.compare(BUNDLED_LOGS, table(*parts, columns=arena.COLUMNS))


@pytest.mark.parametrize(("models", "holds"), [(10, True), (11, False)])
def test_retained_models_of_the_bundled_log(models, holds):
    found = said(facts_of("first-5", models=models))
    assert line(found, BUNDLED_LOGS["first-5"].text, "The bundled log").holds is holds


@pytest.mark.parametrize(("decided", "holds"), [(9, False), (10, True)])
def test_more_is_decided_than_by_hoeffding_bounds(decided, holds):
    found = said(facts_of("first-2", models=35, **{"certain dominated": decided}))
    assert line(found, "code, general", "Models decided").holds is holds


@pytest.mark.parametrize("bad", [{"wrong": 1}, {"stopped": 0}])
def test_one_run_that_does_not_recover_the_frontier_is_seen(bad):
    good = runs("first-2", "vb-ege", [5, 6])
    assert line(said(good), "code, general", "Frontier recovered").holds
    found = said(good, runs("first-2", "vb-ege", [7], **bad))
    assert line(found, "code, general", "Frontier recovered").holds is False
    assert line(found, "code, general", "Frontier recovered").ours.startswith("2 of 3")


def test_savings_want_every_log():
    parts = [
        row
        for name in BUNDLED_LOGS
        for row in (runs(name, "vb-ege", [1000]), runs(name, "interval", [100 if name != "first-2" else 300]))
    ]
    found = said(*parts)
    assert line(found, "interval, median log").holds
    least = line(found, "interval, least of all logs")
    assert (least.holds, least.note) == (False, "code, general")
    assert not [one for one in said(*parts[:-1]) if one.quantity == "interval, median log"]


def test_ranges_over_the_papers_three_data_sets():
    names = ("a", "b", "c")
    given = {
        name: Setting(name, name, "arena-140k", files=(bundled_log("arena140k-decisive"),)) for name in names
    }
    ratios = {
        "focal-borda": (3.96, 9.0, 16.54),
        "bt-mle": (1.2, 2.0, 30.0),
        "borda-plugin": (15.2, 99.0, 301),
    }
    parts = [runs(name, "vb-ege", [1000]) for name in names]
    for method, each in ratios.items():
        parts += [runs(name, method, [round(1000 * one)]) for name, one in zip(names, each, strict=True)]
    found = arena.compare(given, table(*parts, columns=arena.COLUMNS))
    assert line(found, "Focal Borda / VB-EGE", "Means over").holds
    assert line(found, "BT-MLE / VB-EGE", "Means over").holds is False
    assert line(found, "Borda plug-in / VB-EGE", "Means over").holds
    some = arena.compare({"a": given["a"]}, table(*parts, columns=arena.COLUMNS))
    assert not [one for one in some if one.part.startswith("Means over")]


def test_the_papers_counts_against_given_files(tmp_path):
    folder = tmp_path / "arena-140k" / "data"
    folder.mkdir(parents=True)
    shutil.copy(bundled_log("arena140k-first5000"), folder / "train-00000.parquet")
    given = originals(tmp_path)
    ((name, setting),) = given.items()
    assert setting.given
    assert name.startswith("arena-35@")
    study = arena.study(tmp_path)
    assert f"{name}/log" in study.keys(1)
    assert "first-5/log" in study.keys(1)
    rows = study.work(f"{name}/log")
    told = {row["fact"] for row in rows}
    asked = {
        step for counts in arena_known.PAPER_COUNTS.values() for fact in counts for step in fact.split(" + ")
    }
    assert asked <= told
    found = study.compare(pl.DataFrame(rows, schema=SCHEMA))
    part = "Arena-35: counts"
    assert line(found, "tie", part).ours == "786"
    assert line(found, "tie", part).paper == "21,528"
    assert line(found, "self-battle, voted + self-battle, no outcome", part).ours == "1"
    claims = [one.holds for one in found if one.part.startswith(part)]
    assert len(claims) == len(arena_known.PAPER_COUNTS["arena-140k"]) + 3
    assert line(found, "objectives", part).holds
    assert not any(one.holds for one in found if one.part.startswith(part) and one.quantity != "objectives")
    # other files are another log
    with (folder / "more.parquet").open("wb") as file:
        file.write(b"x")
    assert list(originals(tmp_path)) != [name]


def write_originals(folder):
    """Small files of all three data sets, four models each, every pair decided on every objective."""
    rng = random.Random(5)
    models = [f"m{number}" for number in range(4)]
    for name in arena_known.PAPER_COUNTS:
        (folder / name / "data").mkdir(parents=True)

    def vote(bad):
        return rng.choices(["model_a", "model_b", "tie", bad], [6, 4, 1, 1])[0]

    arena_140k(
        folder / "arena-140k" / "data" / "train-00000-of-00007.parquet",
        [
            (
                *rng.choices(models, k=2),
                vote("both_bad"),
                f"s{n // 2}",
                *(rng.random() < 0.3 for _ in range(4)),
            )
            for n in range(1500)
        ],
    )
    search_arena(
        folder / "search-arena" / "data" / "search-arena-chat-24k.parquet",
        [
            (
                *rng.choices(models, k=2),
                rng.choice([vote("tie (bothbad)"), None]),
                f"j{n % 40}",
                rng.choice([*SEARCH_ARENA.values, None]),
            )
            for n in range(3000)
        ],
    )
    vision_arena(
        folder / "vision-arena" / "data" / "train-00000-of-00031.parquet",
        [
            (
                *rng.sample(models, 2),
                vote("tie (bothbad)"),
                f"j{n % 40}",
                tuple(name for name in CATEGORIES if rng.random() < 0.2),
            )
            for n in range(1500)
        ],
    )


def test_all_three_data_sets_to_the_claims_about_them(tmp_path):
    write_originals(tmp_path)
    study = arena.study(tmp_path)
    keys = [key for key in study.keys(1) if "@" in key]
    assert len(keys) == 3 * (1 + len(arena.METHODS))
    rows = [row for key in keys for row in study.work(key)]
    found = study.compare(pl.DataFrame(rows, schema=SCHEMA))
    for setting in originals(tmp_path).values():
        papers = arena_known.PAPER_COUNTS[setting.layout]
        counted = [one for one in found if one.part.startswith(f"{setting.text}: counts")]
        ours = {one.quantity: one for one in counted}
        assert set(papers) <= set(ours)
        assert ours["models"].ours == "4"
        assert ours["models"].holds is False
        assert ours["objectives"].holds is True
        assert all(isinstance(one.holds, bool) for one in counted)
        battles = read_battles(tmp_path / setting.layout / "data" / "*.parquet")
        dropped = battles.preprocessing.dropped
        assert ours["tie"].ours == f"{dropped('tie'):,}"
        assert ours["both bad"].ours == f"{dropped('both bad'):,}"
        assert ours["outside"].ours == "0"
        if setting.layout == "search-arena":
            assert ours["no outcome"].ours == f"{dropped('no outcome'):,}"
        if setting.layout == "vision-arena":
            log = battles.retain()
            assert ours["records"].ours == f"{log.preprocessing.retained_records:,}"
            behind = ours["comparisons behind records"].ours
            assert behind == f"{log.preprocessing.retained_comparisons:,}"
    recovered = [one for one in found if one.part.startswith("Frontier recovered")]
    assert len(recovered) == 3 * len(arena.METHODS)
    assert len([one for one in found if one.part.startswith("Means over VB-EGE's")]) == 3


def test_a_folder_without_the_files_is_refused(tmp_path):
    with pytest.raises(BattleError, match=r"no Parquet file in .*search-arena"):
        originals(tmp_path)
    with pytest.raises(BattleError, match="is no folder"):
        originals(tmp_path / "absent")
    result = CliRunner().invoke(app, ["reproduce", "arena", "--data", str(tmp_path)])
    assert isinstance(result.exception, BattleError)


def test_runs_repeat_and_part_of_them_can_be_drawn(tmp_path):
    study = arena.STUDY
    key = "first-3/interval/4"
    rows = study.work(key)
    assert rows == study.work(key)
    assert [row["trial"] for row in rows] == list(range(40, 50))
    assert all(row["stopped"] and not row["wrong"] for row in rows)
    assert rows[0]["comparisons"] != study.work("first-3/interval/5")[0]["comparisons"]
    (picture,) = study.pictures(pl.DataFrame(rows, schema=SCHEMA), tmp_path)
    assert picture.path.stat().st_size > 3000


def test_from_the_command_to_the_figures(tmp_path):
    command = ["reproduce", "arena", "-o", str(tmp_path), "--jobs", "1", "--seeds", "1", "--only", "first-3"]
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.output)["studies"]
    assert (found["pieces"], found["of"]) == (6, 36)
    kept = [one for one in found["lines"] if one["part"].startswith("The bundled log: models")]
    assert [one["ours"] for one in kept] == ["15: gemini-2.5-flash; gemini-2.5-pro"]
    assert all(one["holds"] is not False for one in found["lines"])
    assert (tmp_path / "pictures" / "arena.png").exists()


def test_known_figures_are_about_the_logs_there_are():
    assert list(arena_known.RETAINED) == list(arena_known.FRONTIERS) == list(BUNDLED_LOGS)
    assert set(arena_known.PAPER_COUNTS) == {"arena-140k", "search-arena", "vision-arena"}
    assert set(arena_known.BY_HOEFFDING) <= set(BUNDLED_LOGS)
    vision = arena_known.PAPER_COUNTS["vision-arena"]
    assert vision["records"] > vision["comparisons behind records"]
