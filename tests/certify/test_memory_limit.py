"""Pools under a memory limit: the same answers, and memory that stays below it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import certify
from certify import risks
from certify.cli import app
from certify.commands import pools
from certify.errors import PoolError
from certify.pool import Pool
from certify.reading import csvtext, limits
from certify.reading.tables import open_table
from solvers import csv_pieces, memory_limit
from solvers.disk_tables import DiskTable, stacked
from tests.certify.reference import labelled_pools

OBJECTIVES = ("augrc", "aurc", "accuracy", "selective-error@0.6")
ROOMY = "4GB"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """So that small pools and files have many."""
    monkeypatch.setattr(risks, "_BLOCK", 3)
    monkeypatch.setattr(csv_pieces, "PIECE", 50)
    monkeypatch.setattr(csvtext, "_BATCH", 2)


def on_disk(pool: Pool) -> Pool:
    """The pool with its tables on disk."""
    return replace(
        pool,
        predictions=stacked(iter(pool.predictions), np.int16),
        confidences=stacked(iter(pool.confidences), np.float64),
    )


def answers(pool, labels, tolerance, budget):
    plan = certify.plan(pool, tolerance, budget)
    found = certify.minimum_certificate(pool, labels, tolerance)
    return (
        (plan.bound, plan.requirements.tolist(), plan.without, plan.smallest_tolerance, plan.open_end),
        (found.winner, found.rows.tolist(), found.lower_bound, found.proof, found.records(pool)),
    )


def same_pool(found: Pool, expected: Pool) -> None:
    np.testing.assert_array_equal(np.array(found.predictions), expected.predictions)
    np.testing.assert_array_equal(np.array(found.confidences), expected.confidences)
    assert (found.names, found.classes, found.kind) == (expected.names, expected.classes, expected.kind)
    assert (found.ids, found.notices) == (expected.ids, expected.notices)


@settings(max_examples=120)
@given(
    labelled_pools(max_rows=11, max_candidates=4),
    st.sampled_from(OBJECTIVES),
    st.sampled_from(["0", "0.04"]),
    st.integers(0, 5),
)
def check_answers(case, objective, tolerance, budget):
    pool, labels = case
    pool = pool.with_objective(objective)
    twin = on_disk(pool)
    weights, expected = (np.array(one.risks.weights) for one in (twin, pool))
    np.testing.assert_array_equal(weights, expected)
    assert answers(twin, labels, tolerance, budget) == answers(pool, labels, tolerance, budget)


def test_plan_certificate_and_proof_are_the_same():
    check_answers()


def write(folder: Path, kind: str, shuffled: bool, seed: int = 0, rows: int = 40) -> tuple[list[Path], Path]:
    """Files of three candidates, with ties and differing predictions, and labels."""
    random = np.random.default_rng(seed)
    ids = [f"row-{k}" for k in range(rows)]
    truth = random.choice(["cat", "dog", "eel"], rows)
    paths = []
    for k in range(3):
        wrong = random.random(rows) < 0.2 + 0.15 * k
        frame = pl.DataFrame(
            {
                "id": ids,
                "prediction": np.where(wrong, random.choice(["cat", "dog"], rows), truth),
                "confidence": random.integers(0, 12, rows) / 10,
                "note": [f'a "note", {k}\nin two lines' for k in range(rows)],
                "cost": random.integers(1, 4, rows),
            }
        )
        if shuffled and k:
            frame = frame[random.permutation(rows)]
        paths.append(folder / f"m{k}.{kind}")
        getattr(frame, f"write_{kind}")(paths[-1])
    labels = folder / f"labels.{kind}"
    getattr(pl.DataFrame({"id": ids, "label": truth}), f"write_{kind}")(labels)
    return paths, labels


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_files_of_candidates(tmp_path, kind, shuffled):
    paths, _ = write(tmp_path, kind, shuffled)
    found = certify.read_pool(paths, memory_limit=ROOMY)
    assert isinstance(found.confidences, DiskTable)
    assert isinstance(found.predictions, DiskTable)
    expected = certify.read_pool(paths)
    same_pool(found, expected)
    assert found.display is None
    costs = certify.read_pool(paths, memory_limit=ROOMY, display=["cost", "none"])
    assert costs.display.columns == ["cost"]
    assert costs.display["cost"].to_list() == expected.display["cost"].to_list()


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("ids", [False, True])
def test_wide_and_odd_csv_files(tmp_path, quoted, ids):
    text = "id," * ids + "a.prediction,a.confidence,b.prediction,b.confidence,label\n"
    for k in range(9):
        text += (
            f"x{k}," * ids + f"{k % 2},0.{k},{k % 3 == 0:d},{'.5' if k else '1e-1'},{'' if k == 4 else 1}\n"
        )
    if quoted:
        text = text.replace("0.7", '"0.7"') + "\n"  # and a blank line
    path = tmp_path / "wide.csv"
    path.write_text(text, encoding="utf-8-sig")
    same_pool(certify.read_pool(path, memory_limit=ROOMY), certify.read_pool(path))


@pytest.mark.parametrize(
    "text",
    [
        "id,a.prediction,a.confidence,b.prediction,b.confidence\nx,1,0.5,1,zero\n",
        "id,a.prediction,a.confidence,b.prediction,b.confidence\nx,1,0.5,1,0.5\nx,1,0.5,1,0.5\n",
        "id,a.prediction,a.confidence,b.prediction,b.confidence\nx,1,0.5,1\n",
        "id,a.prediction,a.confidence,b.prediction,b.confidence\nx,1,0.5,,0.5\n",
        "id,a.prediction,a.confidence,b.prediction,b.confidence\n",
    ],
)
def test_errors_are_the_same(tmp_path, text):
    path = tmp_path / "wide.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PoolError) as expected:
        certify.read_pool(path)
    with pytest.raises(PoolError) as found:
        certify.read_pool(path, memory_limit=ROOMY)
    assert str(found.value) == str(expected.value)


def test_probabilities_and_scores(tmp_path):
    table = np.random.default_rng(1).dirichlet([1, 1, 1], 30)
    np.savez(tmp_path / "a.npz", predictions=table)
    pl.DataFrame(table, schema=["p_x", "p_y", "p_z"]).write_csv(tmp_path / "b.csv")
    for path in (tmp_path / "a.npz", tmp_path / "b.csv"):
        options = {"scores": ["msp", "margin"]}
        same_pool(certify.read_pool(path, memory_limit=ROOMY, **options), certify.read_pool(path, **options))


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("plenty", r"'plenty' is no size; give a number of bytes.*500MB"),
        ("1MB", r"40 rows need about .* is 1 MB"),
    ],
)
def test_limits_that_will_not_do(tmp_path, limit, message):
    paths, _ = write(tmp_path, "parquet", False)
    with pytest.raises(PoolError, match=message):
        certify.read_pool(paths, memory_limit=limit)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_long_ids_count(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(csv_pieces, "PIECE", 1 << 22)
    rows, long = 20_000, "ü" * 300  # 600 bytes
    path = tmp_path / f"wide.{kind}"
    half = {f"{name}.{what}": [1] * rows for name in "ab" for what in ("prediction", "confidence")}
    for ids, fits in (([f"{k}" for k in range(rows)], True), ([f"{k}{long}" for k in range(rows)], False)):
        getattr(pl.DataFrame({"id": ids, **half}), f"write_{kind}")(path)
        limit = limits.resident() + limits.LIBRARIES + (20 << 20)
        if fits:
            assert certify.read_pool(path, memory_limit=limit).n == rows
        else:
            with pytest.raises(PoolError, match=r"20000 rows need about .*because the ids"):
                certify.read_pool(path, memory_limit=limit)
    file = open_table(path, tmp_path)
    assert file.text_bytes("id") == sum(len(one.encode()) for one in ids)
    assert kind == "csv" or file.text_bytes("a.confidence") == 0


def test_an_exceeded_limit_is_said(tmp_path, monkeypatch):
    paths, labels = write(tmp_path, "parquet", False)
    monkeypatch.setattr(limits, "resident", lambda: 1)
    peaks = iter([100 << 20, 300 << 20])
    monkeypatch.setattr(limits, "peak_resident", lambda: next(peaks))
    found = certify.read_pool(paths, memory_limit="200MB")
    said = "the memory limit of 200 MB was exceeded: {} MB were resident"
    assert found.notices[-1] == said.format(315)
    monkeypatch.setattr(limits, "peak_resident", lambda: 100 << 20)
    assert certify.read_pool(paths, memory_limit="200MB").notices == certify.read_pool(paths).notices
    for command in (["plan", "--no-forecast"], ["certificate", "--labels", labels]):
        peaks = iter([100 << 20, 400 << 20])
        monkeypatch.setattr(pools, "peak_resident", lambda peaks=peaks: next(peaks))
        monkeypatch.setattr(memory_limit, "peak_resident", lambda peaks=peaks: next(peaks))
        given = [*map(str, [*command, *paths]), "--memory-limit", "200MB", "--json"]
        result = CliRunner().invoke(app, given)
        assert f"note: {said.format(419)}" in result.output
        assert json.loads(
            result.output[result.output.index("{") :].partition("\nnote:")[0]
        )  # one text before click 8.2
        monkeypatch.setattr(pools, "peak_resident", lambda: 400 << 20)  # which reading took, and said
        monkeypatch.setattr(memory_limit, "peak_resident", lambda: 400 << 20)
        assert "exceeded" not in CliRunner().invoke(app, given).output


def test_without_proc_the_largest_number_stands_for_the_present_one(monkeypatch):
    pytest.importorskip("resource")
    monkeypatch.setattr(memory_limit, "_status", lambda name: 0)
    assert memory_limit.resident() == memory_limit.peak_resident() > 1 << 20


def invoke(*arguments, **options):
    result = CliRunner().invoke(app, list(map(str, arguments)), **options)
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


@pytest.mark.parametrize("objective", [*OBJECTIVES, "weighted-error:cost"])
def test_commands_and_audit(tmp_path, objective):
    paths, labels = write(tmp_path, "csv", True)
    given = [*paths, "--objective", objective, "--json"]
    plan = [*given, "--tolerance", "0.01", "--budget", 40, "--no-forecast"]
    expected = invoke("plan", *plan)
    assert invoke("plan", *plan, "--memory-limit", ROOMY) == expected
    assert invoke("plan", *plan, env={"CERTIFY_MEMORY_LIMIT": ROOMY}) == expected
    proofs = [tmp_path / f"{name}.json" for name in ("here", "there")]
    options = [[], ["--memory-limit", ROOMY]]
    for proof, more in zip(proofs, options, strict=True):
        invoke("certificate", *given, "--labels", labels, "-o", proof, *more)
    assert proofs[0].read_bytes() == proofs[1].read_bytes()
    assert invoke("audit", proofs[1], *paths, labels, "--json")


def test_the_forecast_is_the_same(tmp_path):
    paths, _ = write(tmp_path, "parquet", False, rows=12)
    assert invoke("plan", *paths, "--json", "--memory-limit", ROOMY) == invoke("plan", *paths, "--json")


HARD = """
import resource, sys
import numpy as np, polars as pl
import certify, certify.reading.files, certify.certificate, certify.budget
from solvers import CoveringProgram, solve
pl.read_parquet(sys.argv[2]).join(pl.read_parquet(sys.argv[2]), on="id")  # threads and their memory
solve(CoveringProgram(np.ones((2, 3), dtype=np.int32), [1, 2]))
np.ones(9) @ np.ones((9, 1 << 15)), np.ones((500, 500)) @ np.ones((500, 500))  # what the libraries keep
used = int(next(x for x in open("/proc/self/status") if x.startswith("VmData")).split()[1]) * 1024
limit = used + (112 << 20)
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
kept = {"memory_limit": "4GB"} if sys.argv[1] == "disk" else {}
pool = certify.read_pool(sys.argv[3:], **kept)
found = certify.minimum_certificate(pool, certify.read_labels(sys.argv[2], pool))
print(certify.plan(pool).bound, found.winner, found.size, found.lower_bound)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs limits on private memory")
def test_a_hard_limit_that_the_tables_exceed(tmp_path):
    """Tables of 60 candidates take 90 MB and their weights and gains 72 MB; 112 MiB are allowed.

    RLIMIT_DATA bounds what a process allocates for itself, threads' stacks and all. Pages of mapped files are
    not in it: the system takes these back whenever it needs room.
    """
    random = np.random.default_rng(0)
    n, ids = 150_000, np.arange(150_000)
    hard, truth = random.random(n), (random.random(n) < 0.4).astype(np.int16)
    for k in range(60):
        wrong = random.random(n) < hard * (0.2 if k == 7 else 0.5)
        confidence = np.round(1 - hard + random.normal(0, 0.2, n), 4)
        frame = {"id": ids, "prediction": np.where(wrong, 1 - truth, truth), "confidence": confidence}
        pl.DataFrame(frame).write_parquet(tmp_path / f"m{k:02}.parquet")
    labels = tmp_path / "labels.parquet"
    pl.DataFrame({"id": ids, "label": truth}).write_parquet(labels)
    arguments = [str(labels), *map(str, sorted(tmp_path.glob("m*.parquet")))]
    disk, memory = (
        subprocess.run([sys.executable, "-c", HARD, where, *arguments], capture_output=True, text=True)
        for where in ("disk", "memory")
    )
    assert disk.returncode == 0, disk.stderr[-2000:]
    assert memory.returncode != 0
    assert disk.stdout.split()[1] == "7"
