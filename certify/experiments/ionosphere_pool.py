"""Makes the bundled Ionosphere pool: four classifiers' predictions on 106 held-out radar returns.

    python -m certify.experiments.ionosphere_pool ionosphere.csv FOLDER     (needs scikit-learn)

`ionosphere.csv` is the UCI table without header, label last. Split seed 731, 70/30, stratified.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np


def main(table: str, folder: str) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    with open(table, newline="") as file:
        rows = list(csv.reader(file))
    features = np.array([row[:-1] for row in rows], dtype=np.float64)
    labels = np.array([row[-1] for row in rows])
    train, held = train_test_split(np.arange(len(rows)), test_size=0.3, stratify=labels, random_state=731)
    candidates = {
        "tree": DecisionTreeClassifier(min_samples_leaf=2, random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=1.0)),
        "bayes": GaussianNB(),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(7)),
    }
    ids = [f"return-{row + 1:03d}" for row in held]
    for name, classifier in candidates.items():
        classifier.fit(features[train], labels[train])
        probability = classifier.predict_proba(features[held])
        predicted = classifier.classes_[probability.argmax(axis=1)]
        confidence = probability.max(axis=1)
        _write(
            Path(folder) / f"{name}.csv",
            ("id", "prediction", "confidence"),
            zip(ids, predicted, map(repr, map(float, confidence)), strict=True),
        )
    _write(Path(folder) / "labels.csv", ("id", "label"), zip(ids, labels[held], strict=True))


def _write(path: Path, header: tuple[str, ...], rows: object) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(*sys.argv[1:])
