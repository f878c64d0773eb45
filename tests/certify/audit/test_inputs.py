"""The auditor reads every layout of pool and label files as the engine does, with none of its code."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from certify.audit import audit
from certify.audit.inputs import class_name, natural, read_pool
from certify.bundled import CIFAR10_VGG16, CONFIDENCE_SCORES, IONOSPHERE, IONOSPHERE_LABELS
from certify.certificate import minimum_certificate
from certify.classes import class_text, natural_key
from certify.errors import PoolError
from certify.reading.files import read_pool as engine_read_pool
from certify.reading.labels import read_labels
from certify.session import Session


def agree(files, labels, tmp_path, scores=None, classes=None) -> None:
    """A session and a certificate made with the engine's reading pass an audit made with the auditor's."""
    pool = engine_read_pool(files, scores=scores, classes=classes)
    codes = read_labels(labels, pool).codes
    known = [pool.classes[code] if code >= 0 else None for code in codes]
    journal, proof = tmp_path / "journal.db", tmp_path / "proof.json"
    journal.unlink(missing_ok=True)
    with Session(pool, journal=journal) as session:
        session.tell(range(pool.n), known)
    minimum_certificate(pool, known).write_proof(proof)
    report = audit([journal, *files, proof], labels=labels, classes=classes)
    assert report.ok, report.first_failure
    report = audit([proof, *files], labels=labels, classes=classes, scores=scores)
    assert report.ok, report.first_failure


def numbers(n=30, classes=3, seed=0):
    random = np.random.default_rng(seed)
    return random.dirichlet(np.ones(classes), n).round(3), random.integers(0, classes, n)


def test_candidate_files_in_other_orders_separators_and_spellings(tmp_path):
    random = np.random.default_rng(1)
    ids = [f"id {row}" for row in range(30)]
    truth = random.integers(0, 3, 30)
    files = [tmp_path / "one.csv", tmp_path / "two.tsv", tmp_path / "three.parquet", tmp_path / "four.csv"]
    for at, (file, separator) in enumerate(zip(files, (",", "\t", None, ";"), strict=True)):
        order = random.permutation(30)
        codes = np.where(random.random(30) < 0.3, random.integers(0, 3, 30), truth)[order]
        values = random.random(30).round(2)
        if separator is None:
            columns = {"confidence": values, " id": [ids[row] for row in order], "prediction": codes + 0.0}
            pl.DataFrame(columns).write_parquet(file)
            continue
        lines = [separator.join(("id", "text", "prediction", " confidence"))]
        for row, code, value in zip(order, codes, values.tolist(), strict=True):
            spelled = f"{code}.0" if at % 2 else f" {code}"
            lines.append(separator.join((ids[row], f'"a ""{separator}"" b"', spelled, f"{value!r} ")))
        file.write_text("\ufeff" * (at == 0) + "\r\n".join(lines) + "\r\n\r\n", encoding="utf-8")
    labels = tmp_path / "labels.csv"
    labels.write_text("label,id\n" + "".join(f"{truth[row]},{ids[row]}\n" for row in range(29, -1, -1)))
    agree(files, labels, tmp_path)
    agree(files, labels, tmp_path, classes="0,1,2,10")


def test_wide_files_without_ids(tmp_path):
    random = np.random.default_rng(2)
    file, labels = tmp_path / "wide.csv", tmp_path / "labels.csv"
    names = ["v1.0", "v1.1", "b"]
    header = [f"{name}.{part}" for name in names for part in ("prediction", "confidence")]
    lines = [",".join([*header, "label"])]
    for _ in range(20):
        cells = [
            str(value)
            for _ in names
            for value in ("cat" if random.random() < 0.5 else "dog", random.random())
        ]
        lines.append(",".join([*cells, "cat"]))
    file.write_text("\n".join(lines))
    labels.write_text("label\n" + "cat\ndog\n" * 10)
    agree([file], labels, tmp_path)
    agree([file], file, tmp_path)


def test_probability_columns_with_ties_scores_and_predictions(tmp_path):
    table, truth = numbers()
    table[:5, 0] = table[:5, 2]
    files = [tmp_path / "left.csv", tmp_path / "right.csv"]
    labels = tmp_path / "labels.csv"
    names = ["10", "2", "1"]
    labels.write_text("id,label\n" + "".join(f"{row},{names[code]}\n" for row, code in enumerate(truth)))
    for file, shift in zip(files, (0, 0.1), strict=True):
        lines = [",".join(["id", *(f"p_{name}" for name in names)])]
        lines += [
            f"{row},{','.join(map(repr, (values + shift).tolist()))}" for row, values in enumerate(table)
        ]
        file.write_text("\n".join(lines))
    agree(files, labels, tmp_path)
    agree(files, labels, tmp_path, scores="neg-entropy,margin")
    agree(files[:1], labels, tmp_path, scores="margin,msp")


@pytest.mark.parametrize("blank", ["", ",p_", ",p_?"], ids=["alone", "blank", "unknown"])
def test_one_probability_of_two_classes(tmp_path, blank):
    """Beside it may stand a column that names no class, whatever it holds."""
    random = np.random.default_rng(3)
    files = [tmp_path / f"{name}.csv" for name in "abc"]
    for at, file in enumerate(files):
        values = [0.5, 0.0, 1.0, *random.random(20).round(2).tolist()]
        extra = ",confidence" if at == 2 else ""
        lines = [f"p_1{extra}", *(f"{value!r}{f',{value / 3!r}' if extra else ''}" for value in values)]
        lines = [lines[0] + blank, *(line + (",0.x" if blank else "") for line in lines[1:])]
        file.write_text("\n".join(lines))
    labels = tmp_path / "labels.csv"
    labels.write_text("id,label\n" + "".join(f"{row},{row % 2}\n" for row in range(23)))
    agree(files, labels, tmp_path)


@pytest.mark.parametrize("classes", [2, 3, 9, 20])
def test_npz_files(tmp_path, classes):
    table, truth = numbers(classes=classes)
    table[3] = 0
    table[3, -1] = 1
    files = [tmp_path / "first.npz", tmp_path / "second.npz"]
    for file, shift in zip(files, (0, 1), strict=True):
        np.savez(file, predictions=np.roll(table, shift, axis=0).astype(np.float32), ground_truth=truth)
    agree(files, files[0], tmp_path)
    agree(files, files[0], tmp_path, scores="margin")
    agree(files[:1], files[0], tmp_path, scores="neg-entropy,msp,margin")


def test_bundled_pools(tmp_path):
    agree(list(IONOSPHERE), IONOSPHERE_LABELS, tmp_path)


def test_an_npz_brings_its_labels_along(tmp_path):
    pool = engine_read_pool(CIFAR10_VGG16, scores=CONFIDENCE_SCORES)
    journal = tmp_path / "journal.db"
    with Session(pool, "static-range", journal=journal) as session:
        session.tell([0], ["3"])
    report = audit([journal, CIFAR10_VGG16])
    assert report.ok, report.first_failure
    assert "labels" in [check.name for check in report.checks]
    with Session.resume(journal) as session:
        session.tell([0], ["4"])
    assert audit([journal, CIFAR10_VGG16]).first_failure.name == "labels"


def test_labels_are_spelled_by_a_map(tmp_path):
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file, values in zip(files, ("12", "21"), strict=True):
        lines = [f"{at},{at},0.{digit}\n" for at, digit in enumerate(values)]
        file.write_text("".join(["id,prediction,confidence\n", *lines]))
    labels = tmp_path / "labels.csv"
    labels.write_text("id,label\n1,dog\n0,cat\n0,?\n1,dog\n")
    journal = tmp_path / "journal.db"
    with Session(engine_read_pool(files), journal=journal) as session:
        session.tell([0, 1], [0, 1])
    assert audit([journal, labels, *files], label_map={"cat": "0", "dog": 1}).ok
    assert not audit([journal, labels, *files], label_map={"cat": "1", "dog": "0"}).ok
    with pytest.raises(PoolError, match="label map"):
        audit([journal, labels, *files])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no rows"),
        ("id,prediction,confidence\n", "no rows"),
        ("id,prediction,confidence\n1,0\n", "fields"),
        ("id,prediction,confidence\n1,0,nan\n", "finite"),
        ("id,prediction,confidence\n1,0,1_0\n", "finite"),
        ("id,prediction,confidence\n1,0,\n", "finite"),
        ("id,prediction,confidence\n1,?,0.5\n", "no prediction"),
        ("id,prediction,confidence\n1,0,0.5\n1,0,0.5\n", "twice"),
        ("id,id,confidence\n1,0,0.5\n", "twice"),
        ("id,prediction\n1,0\n", "neither"),
        ("id,prediction,p_0,p_1\n1,0,0.2,0.8\n", "disagree"),
        ("id,a.prediction\n1,0\n", "a.confidence"),
        ("id,prediction,confidence\n2,0,0.5\n", "not in"),
        ("prediction,confidence\n0,0.5\n", "ids"),
        ("id,prediction,confidence\n1,0,0.5\n2,0,0.5\n", "rows"),
        ('id,prediction,confidence\n1,0,"0.5\n', "CSV"),
    ],
)
def test_unusable_pool_files_are_errors(tmp_path, text, words):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("id,prediction,confidence\n1,0,0.5\n")
    bad.write_text(text)
    with pytest.raises(PoolError, match=words):
        read_pool([good, bad], None, None)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1,
        1.0,
        -2.0,
        0.5,
        float("nan"),
        "1.0",
        "-3.00",
        "+4.0",
        "1.",
        "1.50",
        " a ",
        "?",
        "",
        "é.0",
        ".0",
    ],
)
def test_labels_have_one_spelling(value):
    assert class_name(value) == class_text(value)


def test_names_are_in_natural_order():
    names = ["10", "2", "-1", "-10", "b", "a10", "a2", "2a", "", "a", "01", "1"]
    assert sorted(names, key=natural) == sorted(names, key=natural_key)
