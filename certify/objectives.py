"""What "best" may mean: objectives that are sums over rows of a loss times a weight fixed before labelling.

Only for these do pairwise bounds, stopping test and certificates hold (paper, section 4.5).
"""

from __future__ import annotations

from certify.errors import PoolError

OBJECTIVES = ("augrc",)
_RATIOS = ("f1", "f-score", "precision", "recall", "auroc", "auc", "mcc", "balanced-accuracy")


def check_objective(name: str) -> str:
    """`name` in lower case, if it is an objective; else `PoolError` saying why not."""
    wanted = name.strip().lower()
    if wanted in OBJECTIVES:
        return wanted
    reason = (
        "it divides by counts that depend on the labels, so it is not a sum of row losses with weights fixed "
        "before labelling, and no bound of certify holds for it"
        if wanted in _RATIOS
        else "it is unknown"
    )
    raise PoolError(f"objective {name!r} is refused: {reason}; accepted: {', '.join(OBJECTIVES)}")
