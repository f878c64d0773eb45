"""Reading a pool from the files of its candidates.

Rows are matched by `id` when the files have ids (the first file's order is the pool's order) and by
position when none has. The order of the candidates is the tie rule. How numbers, classes and ids are read
from cells is stated in `certify.reading.columns`; what columns mean, in `certify.reading.layouts`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from certify.classes import shorten
from certify.errors import PoolError
from certify.pool import Pool
from certify.reading.alphabets import pool_classes
from certify.reading.gathering import Gathered
from certify.reading.limits import limited
from certify.reading.matching import PoolIds, Positions
from certify.reading.scores import SCORES, check_scores
from certify.reading.sources import Candidate, Source, Wanted, read_sources

FilePath = str | os.PathLike[str]


def read_pool(
    paths: FilePath | Sequence[FilePath],
    *,
    classes: str | Sequence[object] | None = None,
    scores: str | Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    display: Sequence[str] | None = None,
    memory_limit: str | float | None = None,
) -> Pool:
    """The pool of one file for each candidate, one wide file, or .npz files of class probabilities.

    A CSV (comma, semicolon or tab; UTF-8) or Parquet file has the columns ``prediction`` and
    ``confidence``, or probability columns ``p_CLASS`` (the prediction is the class of the largest, the
    first in natural class order at exact ties), or ``p_1`` alone (classes 0 and 1: prediction 1 when
    p_1 > 0.5; confidence max(p, 1 − p), where 1 − p is rounded to a double). With both, they must agree;
    a given confidence is used before a score. A wide file has ``NAME.prediction`` and
    ``NAME.confidence``. Other columns become the pool's `display`, each from the first file that has it,
    except ``label`` and ``ground_truth``. An .npz file has ``predictions`` (n, classes), of classes
    "0", "1", …; a ground truth in it is not looked at.

    scores: names out of `certify.reading.scores.SCORES` for confidences computed from probabilities
    (default msp); each makes one candidate. classes: declares the classes a label may be, predicted or
    not; by default those predicted and those with a probability column. names: the candidates' names; by
    default the file stem, NAME in a wide file, the score's name when a single file is scored, STEM.SCORE when
    several are. display: further columns to keep, those that are there; by default all, under a memory limit
    none.

    memory_limit: resident memory of the process that is not to be exceeded, as bytes or "500MB", for pools
    larger than that: the tables are kept on disk, in the folder that TMPDIR names (`certify.reading.limits`).
    Ids and what belongs to one candidate must fit, an .npz file altogether. `certify.plan` and
    `certify.minimum_certificate` keep to it; sessions and policies may need more.

    Raises `PoolError` naming file, row and column for whatever cannot be used.

    >>> import certify
    >>> from certify.bundled import IONOSPHERE
    >>> pool = certify.read_pool(IONOSPHERE)
    >>> pool.n, pool.names, pool.classes
    (106, ('tree', 'logistic', 'bayes', 'neighbours'), ('b', 'g'))
    """
    chosen = None if scores is None else check_scores(scores)
    files = _paths(paths)
    with limited(memory_limit) as limit:
        kept = None if display is None else tuple(display)
        wanted = Wanted(chosen, () if limit is not None and kept is None else kept, limit)
        pool = _read(files, wanted, classes, names)
        return pool if limit is None else replace(pool, notices=(*pool.notices, *limit.notices()))


def _read(
    files: tuple[Path, ...],
    wanted: Wanted,
    classes: str | Sequence[object] | None,
    names: Sequence[str] | None,
) -> Pool:
    first: Source | None = None
    pool_ids: PoolIds | None = None
    gathered = Gathered(wanted.limit)
    candidates: list[Candidate] = []
    display: pl.DataFrame | None = None
    notices: list[str] = []
    for path in files:
        for source in read_sources(path, wanted, () if display is None else display.columns):
            order = None if first is None else _order(first, pool_ids, source)
            for made in source.candidates:
                candidate = _named(_ordered(made, order), path, len(files), wanted.scores)
                candidates.append(gathered.add(candidate))
            if source.display is not None:
                columns = source.display if order is None else source.display[order]
                display = columns if display is None else display.hstack(columns)
            notices += source.notices
            if first is None:
                first = replace(source, candidates=(), display=None)
                pool_ids = None if source.ids is None else PoolIds.of(source.ids)
    assert first is not None
    if wanted.scores is not None and not any(candidate.by_score for candidate in candidates):
        notices.append(f"scores {', '.join(wanted.scores)} are not used: every file has its own confidences")
    labels, assumed = pool_classes([(made.name or "", made.classes) for made in candidates], classes)
    named = _names(candidates, files, names)
    codes, confidences = gathered.tables([made.classes for made in candidates], labels)
    return Pool.from_codes(
        named,
        labels,
        codes,
        confidences,
        row_ids=None if first.ids is None else first.ids.values,
        display=display,
        notices=(*notices, *assumed),
    )


def _paths(paths: FilePath | Sequence[FilePath]) -> tuple[Path, ...]:
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not listed:
        raise PoolError("no file given; name one file for each candidate, or one wide file")
    return tuple(Path(path) for path in listed)


def _order(first: Source, pool_ids: PoolIds | None, source: Source) -> Positions | None:
    """Rows of `source` in the order of the first file; None when they are in it already."""
    if pool_ids is not None and source.ids is not None:
        return pool_ids.rows_of(source.ids)
    if pool_ids is not None or source.ids is not None:
        has, lacks = (first, source) if source.ids is None else (source, first)
        raise PoolError(
            f"{has.path} has an id column and {lacks.path} has none; give ids in all files (rows are "
            "matched by id) or in none (rows are matched by position)"
        )
    if first.n != source.n:
        raise PoolError(
            f"{source.path} has {source.n} rows and {first.path} has {first.n}; files without ids list the "
            "same rows in the same order, so complete them or give ids in all files"
        )
    return None


def _ordered(candidate: Candidate, order: Positions | None) -> Candidate:
    if order is None:
        return candidate
    return replace(candidate, codes=candidate.codes[order], confidence=candidate.confidence[order])


def _named(candidate: Candidate, path: Path, files: int, scores: tuple[str, ...] | None) -> Candidate:
    name = candidate.name or path.stem
    if candidate.by_score is not None and scores is not None:
        name = candidate.by_score if files == 1 else f"{name}.{candidate.by_score}"
    return replace(candidate, name=name)


def _names(
    candidates: list[Candidate], files: tuple[Path, ...], given: Sequence[str] | None
) -> tuple[str, ...]:
    """Distinct names of two candidates or more."""
    if len(candidates) < 2:
        several = f" or several scores of {', '.join(SCORES)} (--scores)" if candidates[0].by_score else ""
        raise PoolError(
            f"{files[0]} holds one candidate, which leaves nothing to choose; give one file for each "
            f"candidate, a wide file with NAME.prediction and NAME.confidence for each{several}"
        )
    if given is not None:
        if isinstance(given, str) or len(given) != len(candidates):
            raise PoolError(
                f"names={given!r} for {len(candidates)} candidates; give a sequence of one name each"
            )
        return tuple(map(str, given))
    names = [candidate.name or "" for candidate in candidates]
    clash = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if clash is not None:
        raise PoolError(
            f"two candidates are called {clash!r} (files: {shorten(files, 8)}); a candidate is named by its "
            "file, so rename one of the files or give names"
        )
    return tuple(names)
