"""Objectives as they are written on the command line and in journals."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from certify.errors import PoolError
from certify.objectives.aurc import Aurc
from certify.objectives.base import Objective
from certify.objectives.ranked import Augrc
from certify.objectives.selective import SelectiveError
from certify.objectives.uniform import Accuracy, WeightedError
from certify.tolerance import Exact

FORMS = ("augrc", "aurc", "accuracy", "selective-error@COVERAGE", "weighted-error:COLUMN")
_PLAIN: dict[str, type[Augrc] | type[Aurc] | type[Accuracy]] = {
    "augrc": Augrc,
    "aurc": Aurc,
    "accuracy": Accuracy,
}
_RATIOS = ("f1", "f-score", "precision", "recall", "auroc", "auc", "mcc", "balanced-accuracy")


def check_objective(text: str) -> None:
    """Raise `PoolError`, saying why, unless `text` names an objective; its column is not looked up."""
    parse_objective(text, lambda column: (1,))


def parse_objective(text: str, values: Callable[[str], Sequence[Exact]]) -> Objective:
    """The objective that `text` names, one of `FORMS`; `values` gives the row weights in a column.

    Raises `PoolError` for anything else, with the reason where it is a known measure that no fixed weights
    express.
    """
    wanted = text.strip()
    plain = _PLAIN.get(wanted.lower())
    if plain is not None:
        return plain()
    at, weighted = wanted.find("@"), wanted.find(":")
    if at >= 0 and wanted[:at].lower() == "selective-error":
        return SelectiveError(wanted[at + 1 :])
    if weighted >= 0 and wanted[:weighted].lower() == "weighted-error" and wanted[weighted + 1 :].strip():
        column = wanted[weighted + 1 :].strip()
        return WeightedError.of(values(column), column)
    raise PoolError(f"objective {text!r} is refused: {_reason(wanted.lower())}; accepted: {', '.join(FORMS)}")


def _reason(wanted: str) -> str:
    if re.split("[@:]", wanted)[0].strip() in _RATIOS:
        return (
            "it divides by counts that depend on the labels, so it is not a sum of row losses with weights "
            "fixed before labelling, and no bound of certify holds for it"
        )
    if wanted.startswith("selective-error"):
        return "it needs a coverage, such as selective-error@0.8"
    if wanted.startswith("weighted-error"):
        return "it needs a column of row weights, such as weighted-error:cost"
    return "it is unknown"
