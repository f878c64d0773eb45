"""Which labels a selective choice needs: rows on which all candidates agree decide it (section 6.2).

Columns: `disagreement` rows on which candidates disagree; `accuracy`, `augrc` 1 where their labels settle the
choice; `winners` candidates that can still be the only best one after them; `least` and `labels`, the ends
of how many labels of the other rows the actual winner still needs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from certify.experiments.data import TABLES
from certify.experiments.disagreement import (
    disagreeing,
    error_counts,
    possible_winners,
    settled,
    still_needed,
)
from certify.experiments.panels import COMPARED, CONDITIONS, FITTED, compared, conditions_of
from certify.experiments.summary import bracket, mean, percent, prepared
from certify.risks import UNLABELLED
from solvers.studies.study import Columns, Line, Row, Study, no_pictures

COLUMNS: Columns = {
    "condition": str,
    "n": int,
    "disagreement": int,
    "accuracy": int,
    "augrc": int,
    "winners": int,
    "labels": int,
    "least": int,
}


def keys(_seeds: int) -> Sequence[str]:
    return FITTED


def work(key: str) -> list[Row]:
    rows: list[Row] = []
    for condition in conditions_of(key, COMPARED):
        pool, codes = compared(condition)
        read = disagreeing(pool)
        seen = np.where(read, codes, UNLABELLED).astype(np.int16)
        least, labels = still_needed(pool.risks, codes, read)
        rows.append(
            {
                "condition": condition.name,
                "n": pool.n,
                "disagreement": int(read.sum()),
                "accuracy": int(settled(error_counts(pool), seen)),
                "augrc": int(settled(pool.risks, seen)),
                "winners": len(possible_winners(pool.risks, seen)),
                "labels": labels,
                "least": least,
            }
        )
    return rows


def compare(table: pl.DataFrame) -> list[Line]:
    frame = prepared(table).with_columns((100 * pl.col("disagreement") / pl.col("n")).alias("share"))
    count, complete = frame.height, frame.height == len(CONDITIONS)
    accuracy, augrc = int(frame["accuracy"].sum()), int(frame["augrc"].sum())
    open_choices = frame.filter(pl.col("winners") >= 2).height
    shares = [mean(frame.filter(pl.col("dataset") == name), "share") for name in TABLES]
    known = [share for share in shares if share == share]
    return [
        Line(
            "accuracy choice settled by the disagreement rows",
            f"{accuracy} of {count}",
            "108 of 108",
            holds=accuracy == count,
        ),
        Line(
            "AUGRC choice settled by them",
            f"{augrc} of {count}",
            "0 of 108",
            holds=augrc == 0 if complete else None,
        ),
        Line(
            "two labellings of the other rows have different, unique AUGRC winners",
            f"{open_choices} of {count}",
            "108 of 108",
            holds=open_choices == count if complete else None,
        ),
        Line(
            "disagreement rows, mean share of the pool",
            f"{percent(mean(frame, 'share'))} ({min(known):.1f}–{max(known):.1f} % by table)",
            "20.91 % (13.5–36.5 %)",
            "our own splits, but for seed 731",
        ),
        Line(
            "labels of agreement rows still needed, share of the pool",
            bracket(frame),
            "41–42 %",
            "to certify the actual winner, in hindsight",
        ),
    ]


STUDY = Study(
    name="agreement-rows",
    title="Rows on which all candidates agree decide a selective choice, never an accuracy choice",
    columns=COLUMNS,
    keys=keys,
    work=work,
    compare=compare,
    pictures=no_pictures,
    seconds=50,
)
