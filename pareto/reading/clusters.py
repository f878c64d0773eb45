"""A second pass over a log for the records of each session or voter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pareto.errors import BattleError
from pareto.reading.cells import FIRST, FLAGS, OBJECTIVE, SECOND, WORD
from pareto.reading.combinations import Combinations, keys, text
from pareto.reading.gathering import Gathered
from pareto.reading.objectives import NONE
from pareto.reading.outcomes import UNVOTED, meaning
from pareto.reading.tables import Table
from pareto.reading.words import rows, shortened
from pareto.records import Codes, Records
from pareto.schemas import Layout, has
from solvers.csv_quotes import BLANKS

SESSION, VOTER = "session", "voter"
HASHES = ("hash", "other hash")


def cluster_column(wanted: str, layout: Layout, table: Table) -> str:
    """The column meant by "session", "voter" (where the layout has one) or its own name."""
    path, fields = table.path, table.fields
    if layout.counted:
        raise BattleError(
            f"cluster {wanted!r}: {path} is a table of counts, which does not say who voted; give the votes "
            "themselves, or no cluster"
        )
    words = {SESSION: layout.session, VOTER: layout.voter}
    meant = words.get(wanted) or wanted
    if has(fields, (meant,)):
        return meant
    known = "".join(f"{word} ({column}), " for word, column in words.items() if column)
    raise BattleError(
        f"cluster {wanted!r}: {path} has no column {meant!r} (found: {shortened(map(repr, fields), 14)}); "
        f"accepted: {known}the name of a column"
    )


def read_records(parts: Sequence[Combinations], gathered: Gathered, column: str) -> tuple[Records, str]:
    """Records of all comparisons in the tally, and a notice about missing clusters ("" for none).

    A row whose cell is blank, null or NaN is a cluster of its own.
    """
    found = [_rows(part, gathered, column) for part in parts]
    first, second, outcome, label = (np.concatenate([codes[at] for codes, _ in found]) for at in range(4))
    cluster, missing, clusters = _coded(pl.concat([names for _, names in found]))
    row, objective = np.nonzero(gathered.labelled.label_sets[label])
    records = Records(
        cluster[row],
        first[row],
        second[row],
        objective.astype(np.int32),
        outcome[row].astype(np.int8),
        clusters,
        column,
    )
    notice = f"{rows(missing)} without {column}, each taken as a cluster of its own" if missing else ""
    return records, notice


def _rows(part: Combinations, gathered: Gathered, column: str) -> tuple[list[Codes], pl.DataFrame]:
    """First and second model, outcome and label set of the rows in the tally, in the order of the file, (n,)
    each, and two hashes of their clusters."""
    path = (column,)
    table = part.table
    kind = table.kind(path)
    if kind.is_nested() or isinstance(kind, pl.Binary | pl.Object):
        raise BattleError(
            f"{table.path}, column {column!r} holds {kind}; a cluster is named by text or a number"
        )
    frame, scanned = table.scan([*part.columns.paths, path])
    cells = keys(table, part.columns, scanned)
    wanted = {name: cell.cast(pl.Categorical) for name, cell in cells.items() if name != FLAGS}
    if FLAGS in cells:
        sets = gathered.labelled.sets
        wanted[FLAGS] = cells[FLAGS].replace_strict(list(sets), list(sets.values()), return_dtype=pl.Int32)
    cluster = text(scanned[path].fill_nan(None) if kind.is_float() else scanned[path], kind)
    stripped = cluster.str.strip_chars(BLANKS)
    missing = stripped.is_null() | (stripped == "")
    wanted |= {name: pl.when(~missing).then(stripped.hash(seed)) for seed, name in enumerate(HASHES)}
    read = table.collect(frame.select(cell.alias(name) for name, cell in wanted.items()))
    words = {word: meaning(word) for word in part.frame[WORD].unique().to_list()}
    first, second = (_replaced(read[side], gathered.naming.place) for side in (FIRST, SECOND))
    outcome = _replaced(read[WORD], words)
    if FLAGS in wanted:
        label = read[FLAGS].to_numpy()
    elif OBJECTIVE in wanted:
        label = _replaced(read[OBJECTIVE], gathered.labelled.sets)
    else:
        label = np.zeros(len(read), dtype=np.int32)
    kept = (first != second) & (outcome != UNVOTED) & (label != NONE)
    codes = [array[kept] for array in (first, second, outcome, label)]
    return codes, read.select(HASHES).filter(pl.Series(kept))


def _replaced(cells: pl.Series, codes: Mapping[Any, int | None]) -> Codes:
    """Codes of categorical cells, (n,); −1 for null."""
    distinct = cells.drop_nulls().unique()
    physical = distinct.to_physical().to_numpy().astype(np.int64)
    table = np.full(int(physical.max(initial=0)) + 2, -1, dtype=np.int32)
    table[physical] = np.array([codes[text] for text in distinct.to_list()], dtype=np.int32)
    where: npt.NDArray[np.int64] = cells.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return table[where]


def _coded(hashes: pl.DataFrame) -> tuple[Codes, int, int]:
    """Clusters in the order they first occur, then those without a name (n,); how many of these there are;
    how many there are together.

    Names are told apart by two 64-bit hashes, so that millions of them need not be kept.
    """
    missing = hashes[HASHES[0]].is_null().to_numpy()
    named = np.flatnonzero(~missing)
    one, two = (hashes[name].drop_nulls().to_numpy() for name in HASHES)
    order = np.argsort(one, kind="stable")
    differ = _steps(one[order])
    if (_steps(two[order]) & ~differ).any():  # two names of one hash
        order = np.lexsort((two, one))
        differ = _steps(one[order]) | _steps(two[order])
    group = np.cumsum(differ) - 1
    first = order[differ]
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    codes = np.empty(len(missing), dtype=np.int32)
    codes[named[order]] = number[group]
    codes[missing] = len(first) + np.arange(len(missing) - len(named), dtype=np.int32)
    return codes, len(missing) - len(named), len(first) + len(missing) - len(named)


def _steps(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Where a value differs from the one before it."""
    steps = np.ones(len(values), dtype=bool)
    steps[1:] = values[1:] != values[:-1]
    return steps
