"""From combinations of cells to comparisons, in the one order of preprocessing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pareto.errors import BattleError
from pareto.preprocessing import BOTH_BAD, NO_OBJECTIVE, NO_OUTCOME, SELF_UNVOTED, SELF_VOTED, TIE, Step
from pareto.reading.cells import COUNT, FIRST, OBJECTIVE, OUTCOME, SECOND, WORD
from pareto.reading.checks import check_names
from pareto.reading.combinations import Combinations
from pareto.reading.names import Naming, naming
from pareto.reading.objectives import NONE, Labelled, labelled, missing_flags, unsupported
from pareto.reading.outcomes import UNVOTED, decoded
from pareto.records import BAD, SECOND_WINS, TIED
from pareto.tally import Tally

MOST_NAMES = 100_000


@dataclass(frozen=True, eq=False)
class Gathered:
    """rows: votes read. steps: rows dropped. tally: of what is left, ties and both-bad votes with it."""

    rows: int
    steps: tuple[Step, ...]
    tally: Tally
    naming: Naming
    labelled: Labelled
    notices: tuple[str, ...]


def gather(parts: Sequence[Combinations], renamed: Mapping[str, str]) -> Gathered:
    """Combinations of all files together. Self-battles go first, as the models are called after renaming."""
    frame = pl.concat([part.frame for part in parts], how="diagonal")
    for name, what in ((FIRST, "models"), (SECOND, "models"), (OBJECTIVE, "objectives")):
        if name in frame.columns and (different := frame[name].n_unique()) > MOST_NAMES:
            raise BattleError(
                f"{parts[0].table.path}: {different:,} different {what}; at most {MOST_NAMES:,} accepted, "
                "so check that the column holds names"
            )
    named = naming({*frame[FIRST].unique(), *frame[SECOND].unique()}, renamed)
    written = {(name or "").strip() for name in named.place}
    for part in parts:
        check_names(part, written)
    if len(named.models) < 2:
        raise BattleError(
            f"{parts[0].table.path}: the log has {' and '.join(map(repr, named.models)) or 'no model'} only; "
            "at least 2 models are needed"
        )
    layout = parts[0].columns.layout
    first, second = (_places(frame[side], named) for side in (FIRST, SECOND))
    outcome = (decoded(frame[WORD]) if WORD in frame.columns else frame[OUTCOME]).to_numpy()
    count = frame[COUNT].to_numpy()
    of = labelled(frame, layout)
    selfs, voted = (first == second) & (first >= 0), outcome != UNVOTED
    nameless = ((first < 0) | (second < 0)) & ~voted
    left = ~selfs & voted
    decisive, without = left & (outcome <= SECOND_WINS), left & (of.label_set == NONE)

    def votes(mask: np.ndarray) -> int:
        return int(count[mask].sum())

    steps = (
        Step(SELF_VOTED, votes(selfs & voted)),
        Step(SELF_UNVOTED, votes(selfs & ~voted)),
        Step(NO_OUTCOME, votes(~selfs & ~voted), _some(votes(nameless), "without a model's name")),
        Step(
            TIE, votes(tied := left & (outcome == TIED)), _some(votes(tied & without), "without an objective")
        ),
        Step(
            BOTH_BAD,
            votes(bad := left & (outcome == BAD)),
            _some(votes(bad & without), "without an objective"),
        ),
        Step(NO_OBJECTIVE, votes(decisive & without), unsupported(frame.filter(decisive & without), layout)),
    )
    kept = left & ~without
    tally = Tally(
        named.models,
        of.objectives,
        first[kept],
        second[kept],
        outcome[kept],
        of.label_set[kept],
        count[kept],
        of.label_sets,
    )
    notices = (*named.notices, *missing_flags(frame.filter(left), layout))
    return Gathered(int(count.sum()), steps, tally, named, of, notices)


def _places(names: pl.Series, named: Naming) -> np.ndarray:
    distinct = names.unique().to_list()
    return names.replace_strict(
        distinct, [named.place[name] for name in distinct], return_dtype=pl.Int32
    ).to_numpy()


def _some(number: int, what: str) -> str:
    return f"{number} of them {what}" if number else ""
