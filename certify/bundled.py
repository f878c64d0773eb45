"""The real pools that come with the package (sources and licences in `data/SOURCES.md`)."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"
CIFAR10_VGG16 = DATA / "cifar10-vgg16.npz"
CONFIDENCE_SCORES = ("msp", "neg-entropy", "margin")
IONOSPHERE = tuple(
    DATA / "ionosphere" / f"{name}.csv" for name in ("tree", "logistic", "bayes", "neighbours")
)
IONOSPHERE_LABELS = DATA / "ionosphere" / "labels.csv"
