"""Under which assumptions certainty holds, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pareto.retention import Log


def assumptions(log: Log, ties: str, clustered: bool, apart: bool, outside: int) -> str:
    """Sentences for one log, treatment of ties, and kind of dependence."""
    said = [_scores(ties)]
    if clustered:
        by = log.records.by if log.records is not None else "cluster"
        said.append(
            f"Votes of one {by} may depend on each other in any way, those of different ones are "
            "independent; a vote on a pair and objective has the same mean whosever it is."
        )
    else:
        said.append(
            "Votes are independent, those on one pair and objective with the same chances each; votes of one "
            "session or voter may not be: then ask with clusters."
        )
        if apart and len(log.objectives) > 1:
            said.append("Votes on different objectives are different votes.")
        if not apart:
            said.append(
                "One vote may count for several objectives; nothing is assumed about how they depend."
            )
    said.append(
        "Which pairs were compared how often is taken as given: it must not depend on who won. So is the set "
        "of models kept."
    )
    if ties != "decisive":
        said.append(
            "Models were kept because every pair had decisive votes, so cells of few votes have fewer ties "
            "here than in the population; this is not corrected."
        )
    if outside:
        said.append(
            f"The order in which claims are tried is from {outside} decisive votes on models that were not "
            "kept; if it is a bad order less is decided, and no more errors are made."
        )
    return " ".join(said)


def _scores(ties: str) -> str:
    if ties == "decisive":
        share = "share of decisive votes won"
    elif ties == "half":
        share = "share of votes won, a tie being half a win"
    else:
        share = (
            "win probability plus half the tie probability (estimated by counting ties ½, without the model)"
        )
    return (
        f"Scores are those of the population the votes come from: the mean {share} against each of the other "
        "kept models."
    )
