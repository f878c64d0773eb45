"""`--objective` on every command that takes it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from certify.bundled import CIFAR10_VGG16
from certify.cli import app
from certify.errors import PoolError

OBJECTIVES = ("augrc", "aurc", "accuracy", "selective-error@0.55", "weighted-error:cost")
SCORED = [str(CIFAR10_VGG16), "--scores", "msp,neg-entropy,margin"]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def run_json(*arguments, code=0):
    return json.loads(run(*arguments, "--json", code=code))


@pytest.fixture
def files(tmp_path):
    """Three candidate files, their rows in different orders, costs beside the first, and labels."""
    rng, n = np.random.default_rng(4), 60
    truth = rng.integers(0, 2, n)
    cost = rng.choice(["1", "0.5", "2", "0", "1/3"], n)
    for k, rate in enumerate((0.15, 0.2, 0.3)):
        predicted = np.where(rng.random(n) < rate, 1 - truth, truth)
        confidence = np.round(0.5 * rng.random(n) + 0.5 * (predicted == truth) * rng.random(n), 2)
        lines = ["id,prediction,confidence" + (",cost" if k == 0 else "")]
        for row in rng.permutation(n):
            beside = f",{cost[row]}" if k == 0 else ""
            lines.append(f"r{row},{predicted[row]},{confidence[row]}{beside}")
        (tmp_path / f"m{k}.csv").write_text("\n".join(lines) + "\n")
    labels = [f"r{row},{label}" for row, label in enumerate(truth)]
    (tmp_path / "labels.csv").write_text("\n".join(["id,label", *labels]) + "\n")
    return [tmp_path / f"m{k}.csv" for k in range(3)], tmp_path / "labels.csv", tmp_path


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_plan_choose_certificate_and_audit(files, objective):
    pools, labels, folder = files
    option = ("--objective", objective)
    planned = run_json("plan", *pools, *option, "--budget", 3, code=1)
    assert planned["pool"]["objective"] == objective
    at = planned["smallest_tolerance"]["value"]
    assert run_json("plan", *pools, *option, "--budget", 3, "-t", at)["possible"] is True
    chosen = run_json("choose", *pools, "-l", labels, *option, "-j", folder / "journal")["runs"][0]
    found = run_json("certificate", *pools, "-l", labels, *option, "-o", folder / "proof.json")
    assert chosen["certified"]
    assert found["winner"] == chosen["winner"]
    assert found["proven_minimum"]
    assert planned["bound"] <= found["size"] <= chosen["labels_read"]
    assert chosen["unit"] == found["unit"] == planned["pool"]["unit"]
    audited = run_json(
        "audit", *pools, labels, folder / "journal", folder / "proof.json", "--head", chosen["head"]
    )
    assert audited["ok"]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_session_keeps_its_objective(files, objective):
    pools, labels, folder = files
    journal = folder / "session"
    started = run_json("start", journal, *pools, "--objective", objective)
    assert (started["objective"], started["certified"]) == (objective, False)
    truth = dict(line.split(",") for line in labels.read_text().split())
    for _ in range(20):
        rows = run_json("ask", journal, "-m", 4)["rows"]
        if not rows:
            break
        told = run_json("tell", journal, *(f"{row['id']}={truth[row['id']]}" for row in rows))
    assert told["certified"]
    assert run_json("status", journal)["objective"] == objective
    assert run_json("audit", *pools, labels, journal)["ok"]


def test_nothing_to_label_for_accuracy_of_one_classifier(tmp_path):
    """Shared predictions tie in accuracy whatever the labels, and every output copes with no labels."""
    option = ("--objective", "accuracy")
    assert run_json("plan", *SCORED, *option, "--budget", 0)["bound"] == 0
    chosen = run_json(
        "choose",
        *SCORED,
        "-l",
        CIFAR10_VGG16,
        *option,
        "--picture",
        tmp_path / "none.png",
        "-j",
        tmp_path / "j",
    )["runs"][0]
    assert (chosen["certified"], chosen["labels_read"], chosen["winner"]) == (True, 0, "msp")
    assert run_json("certificate", *SCORED, "-l", CIFAR10_VGG16, *option, "-o", tmp_path / "p")["size"] == 0
    started = run_json("start", tmp_path / "s", *SCORED, *option)
    assert started["certified"]
    assert run_json("ask", tmp_path / "s")["rows"] == []
    assert "error rate" in run("plan", *SCORED, *option)
    assert "error rate" in run("status", tmp_path / "s")
    assert run_json("audit", *SCORED[:1], tmp_path / "j", tmp_path / "p", "--scores", SCORED[-1])["ok"]


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        ("f1", "not a sum of row losses with weights fixed"),
        ("selective-error@1.5", "coverage 1.5 is not above 0"),
        ("weighted-error:price", r"no column 'price' with row weights \(found: 'cost'\)"),
        ("weighted-error:prediction", "no column 'prediction'"),
    ],
)
def test_refusals(files, objective, message):
    pools, _, _ = files
    with pytest.raises(PoolError, match=message):
        CliRunner().invoke(app, ["plan", *map(str, pools), "--objective", objective], catch_exceptions=False)
