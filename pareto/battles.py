"""Logs of battles: who met whom on what, and who won.

battles = pareto.read_battles("battles/*.parquet")      # the layout is found out
battles.counts, battles.preprocessing, battles.detected
log = battles.retain()                                  # models that can be compared on every objective
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pareto.errors import BattleError
from pareto.pair_counts import PairCounts
from pareto.preprocessing import NOT_SELECTED, OUTSIDE, Preprocessing, Step
from pareto.records import Records
from pareto.tally import Tally, places

if TYPE_CHECKING:
    from pareto.reading.files import FilePath
    from pareto.reading.frames import Frame
    from pareto.reading.layouts import FlagNames
    from pareto.reading.names import NameMap
    from pareto.retention import Log

__all__ = ["Battles", "Records", "read_battles"]


@dataclass(frozen=True, eq=False)
class Battles:
    """What a log says, counted.

    Attributes:
        tally: comparisons by pair, outcome and the objectives they count for; all models of the log, sorted.
        preprocessing: rows read and rows dropped, by reason.
        schema: name of the layout.
        detected: a sentence about the layout, why it was taken, and the objectives.
        records: single records, where a cluster was asked for.
    """

    tally: Tally
    preprocessing: Preprocessing
    schema: str
    detected: str
    records: Records | None = None

    @cached_property
    def counts(self) -> PairCounts:
        """Wins, ties and both-bad votes of every pair on every objective."""
        return self.tally.counts()

    @property
    def models(self) -> tuple[str, ...]:
        """Sorted names."""
        return self.tally.models

    @property
    def objectives(self) -> tuple[str, ...]:
        """Names."""
        return self.tally.objectives

    def on(self, objectives: Sequence[str]) -> Battles:
        """Only these objectives, in this order; comparisons that count for none of them are dropped and
        counted."""
        where = places(objectives, self.objectives)
        tally = self.tally.on(objectives)
        records = self.records
        if records is not None:
            moved = np.full(len(self.objectives), -1, dtype=np.int32)
            moved[where] = np.arange(len(where), dtype=np.int32)
            records = records.moved(np.arange(len(self.models), dtype=np.int32), moved)
        return replace(self, tally=tally, records=records, preprocessing=_selected(self.preprocessing, tally))

    def retain(self, objectives: Sequence[str] | None = None, rule: str = "clique", **options: Any) -> Log:
        """The models of which every two can be compared on each of these objectives (None for all).

        rule and options (backend, time_limit): see `pareto.retention.retain_counts`, which also says what is
        refused.
        """
        from pareto.retention import retain_counts

        battles = self if objectives is None else self.on(objectives)
        log = retain_counts(battles.counts, rule=rule, **options)
        removed = len(log.retention.removed)
        step = Step(OUTSIDE, log.retention.dropped, f"models not retained: {removed}" if removed else "")
        comparisons, _ = battles.tally.comparisons(log.models)
        records = battles.records
        if records is not None:
            moved = np.full(len(battles.models), -1, dtype=np.int32)
            moved[[battles.models.index(model) for model in log.models]] = np.arange(len(log.models))
            records = records.moved(moved, np.arange(len(battles.objectives), dtype=np.int32))
        account = battles.preprocessing.after(step, comparisons)
        return replace(log, preprocessing=account, records=records, every_record=battles.records)


def read_battles(
    paths: FilePath | Sequence[FilePath] | Frame,
    schema: str = "auto",
    *,
    objectives: Sequence[str] | None = None,
    model_a: str | None = None,
    model_b: str | None = None,
    winner: str | None = None,
    objective: str | None = None,
    flags: FlagNames | None = None,
    multi_label: bool | None = None,
    names: NameMap | FilePath | None = None,
    cluster: str | None = None,
    memory_limit: str | int | None = None,
) -> Battles:
    """The battles of one or more CSV, Parquet or JSON lines files (paths or patterns) of one layout, or of a
    frame of polars or pandas.

    A row is a vote on two models (`model_a`, `model_b`, `winner`), or the counts of a pair (`wins_a`,
    `wins_b`; `ties` and `both_bad` are 0 where there is no such column). How outcomes are spelled is said in
    `pareto.reading.outcomes`, how flags are in `pareto.reading.flags`. Only the needed columns are read, in a
    stream.

    Args:
        schema: a layout of `pareto.schemas.LAYOUTS`; "auto" takes the one that the columns fit.
        objectives: keep only these, in this order; None keeps all that a comparison counts for.
        model_a, model_b, winner: columns, where they are called otherwise.
        objective: column that names the objective of a row (by default `objective`, if there is one; without
            any, all rows count for one objective, "overall").
        flags: true/false columns in order of priority, or objective → column, or objective → keys of a
            nested column.
        multi_label: a row counts for every true flag, and without any is dropped and counted. If not, it
            counts for the first one, and without any for "general". None leaves it to the layout.
        names: how models are renamed before anything else; a mapping, or a CSV file with `from` and `to`.
            Blanks around names always go.
        cluster: also keep single records with their cluster: "session", "voter" (where the layout has such a
            column) or a column. A row without one is a cluster of its own.
        memory_limit: resident memory of the process that is not to be exceeded, as bytes or "500MB". Files
            are streamed (`pareto.reading.limits`); the records that a cluster asks for are refused where
            they do not fit. A notice says so if more was resident in the end.

    Raises `BattleError` naming file, row and column for whatever cannot be used. A row whose outcome is blank
    is dropped and counted, whatever else is blank in it; a vote on a model without a name is an error.

    >>> import pareto
    >>> battles = pareto.read_battles(pareto.bundled_log("arena140k-decisive"))
    >>> battles.schema, len(battles.models), battles.preprocessing.rows, battles.objectives[:2]
    ('arena-140k', 52, 22577, ('code', 'math'))
    >>> log = battles.retain()  # models of which every two can be compared on everything
    >>> len(log.counts.models), pareto.target(log).kept
    (10, ('gemini-2.5-pro',))
    """
    from pareto.reading.checks import check_cells
    from pareto.reading.clusters import cluster_column, read_records
    from pareto.reading.combinations import combinations
    from pareto.reading.describing import described
    from pareto.reading.files import find_files
    from pareto.reading.frames import frame_table, is_frame
    from pareto.reading.gathering import gather
    from pareto.reading.layouts import Wanted, find_alike, parse_flags
    from pareto.reading.limits import limited
    from pareto.reading.names import read_names
    from pareto.reading.tables import joined, open_table

    wanted = Wanted(schema, model_a, model_b, winner, objective, parse_flags(flags), multi_label)
    renamed = read_names(names)
    with limited(memory_limit) as limit:
        if is_frame(paths):
            tables = [frame_table(paths)]
        else:
            files = find_files(cast("FilePath | Sequence[FilePath]", paths))
            tables = joined([open_table(path) for path in files])
        columns = find_alike([(table.path, table.fields) for table in tables], wanted)
        layout = columns[0].layout
        by = None if cluster is None else [cluster_column(cluster, layout, table) for table in tables]
        if limit is not None:
            more = [(by[0],)] if by else []
            tables = [
                limit.copied(table, [*where.paths, *more])
                for table, where in zip(tables, columns, strict=True)
            ]
        parts = [combinations(table, where) for table, where in zip(tables, columns, strict=True)]
        for part in parts:
            check_cells(part)
        found = gather(parts, renamed)
        notices = list(found.notices)
        records = None
        if by:
            if limit is not None:
                limit.check_records(tables[0].path, sum(part.lines for part in parts))
            records, notice = read_records(parts, found, by[0])
            notices += [notice] if notice else []
        notices += [] if limit is None else limit.notices()
    battles = Battles(
        found.tally,
        _accounted(found.rows, found.steps, found.tally, tuple(notices)),
        layout.name,
        described(columns[0], sum(1 + len(table.others) for table in tables), found.tally.objectives),
        records,
    )
    met = battles.counts.records
    occurring = [name for name, number in zip(battles.objectives, met, strict=True) if number]
    if not occurring:
        raise BattleError(_nothing_left(battles.preprocessing, tables[0].path))
    chosen = occurring if objectives is None else objectives
    if tuple(chosen) == battles.objectives:
        return battles
    absent = [name for name in battles.objectives if name not in occurring]
    remark = _taken(chosen, absent, objectives is None)
    return replace(battles.on(chosen), detected=f"{battles.detected}; {remark}")


def _accounted(rows: int, steps: tuple[Step, ...], tally: Tally, notices: tuple[str, ...]) -> Preprocessing:
    comparisons, undecided = tally.comparisons()
    records, undecided_records = tally.records()
    return Preprocessing(rows, steps, comparisons, records, undecided, undecided_records, notices=notices)


def _selected(before: Preprocessing, tally: Tally) -> Preprocessing:
    """Accounts of a part of the objectives."""
    comparisons, _ = tally.comparisons()
    earlier = tuple(step for step in before.steps if step.reason != NOT_SELECTED)
    dropped = before.dropped(NOT_SELECTED) + before.comparisons - comparisons
    steps = (*earlier, Step(NOT_SELECTED, dropped)) if dropped else earlier
    return _accounted(before.rows, steps, tally, before.notices)


def _taken(chosen: Sequence[str], absent: Sequence[str], all_of_them: bool) -> str:
    if all_of_them:
        return f"no comparison counts for {', '.join(absent)}, left out"
    return f"taken: {', '.join(chosen)}"


def _nothing_left(preprocessing: Preprocessing, path: Path) -> str:
    lost = ", ".join(f"{step.reason} {step.rows}" for step in preprocessing.steps if step.rows)
    return f"{path}: no comparison is left of {preprocessing.rows} rows ({lost or 'none was counted'})"
