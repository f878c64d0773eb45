"""Reading under a limit on memory: the answer, or the refusal, that there is without one."""

from __future__ import annotations

import numpy as np

import certify
import pareto
from certify.errors import PoolError
from certify.reading import csvtext
from pareto.errors import BattleError
from pareto.reading import limits
from solvers import csv_pieces
from tests.fuzz import fuzz_battles, fuzz_clusters, fuzz_pools
from tests.fuzz.property import Case, Reader

ROOMY, TIGHT = "64GB", "1MB"
MEMORY = "the limit is 1 MB"


def _case(free, held, tight):
    """free, held: the answer without a limit and with it, in pieces of so many bytes and rows.

    tight: whether the limit is one that nothing fits, so that a refusal that says so is right too.
    """
    without = []

    def read():
        try:
            without[:] = [free(), None]
        except (PoolError, BattleError) as error:
            without[:] = [None, str(error)]
        try:
            return held()
        except (PoolError, BattleError) as error:
            if without[1] is None and not (tight and MEMORY in str(error)):
                raise AssertionError(f"refused under a limit only: {error}") from error
            raise

    def check(answer):
        expected, refusal = without
        if refusal is not None:
            return f"read under a limit only; without one: {refusal}"
        return None if answer == expected else f"under a limit {answer}, without {expected}"

    return Case(read, check)


def _in_pieces(rng, read):
    """The reading, with pieces so small that small files have many."""
    sizes = (
        (csv_pieces, "PIECE", rng.choice((1, 7, 40, 1 << 20))),
        (csvtext, "_BATCH", rng.choice((1, 3, 99))),
    )
    sizes += ((limits, "BATCH", rng.choice((1, 3, 99))),)

    def held():
        before = [(module, name, getattr(module, name)) for module, name, _ in sizes]
        try:
            for module, name, size in sizes:
                setattr(module, name, size)
            return read()
        finally:
            for module, name, size in before:
                setattr(module, name, size)

    return held


def _pool(paths, scores, seed, limit):
    """What a pool says, and what it takes to plan with it and to certify it."""
    pool = certify.read_pool(paths, scores=scores, memory_limit=limit)
    found = fuzz_pools.pool_answer(pool)
    numbers = np.random.default_rng(seed)
    if numbers.random() < 0.7:
        return found
    labels = [pool.classes[code] for code in numbers.integers(0, len(pool.classes), pool.n)]
    tolerance = ("0", "0.1")[seed % 2]
    plan = certify.plan(pool, tolerance=tolerance, budget=pool.n // 2)
    certificate = certify.minimum_certificate(pool, labels, tolerance=tolerance)
    return found, plan.bound, plan.possible, certificate.winner, certificate.size, certificate.proof


def pools(rng, folder):
    make, scores = rng.choice(
        (
            (fuzz_pools.csv_pool, None),
            (fuzz_pools.csv_pool, None),
            (fuzz_pools.wide_pool, None),
            (fuzz_pools.scored_pool, ["msp", "margin"]),
            (fuzz_pools.parquet_pool, None),
            (fuzz_pools.npz_pool, None),
        )
    )
    make(rng, folder)
    paths, seed = sorted(folder.iterdir()), rng.randrange(1 << 30)
    tight = rng.random() < 0.05
    limit = TIGHT if tight else ROOMY
    held = _in_pieces(rng, lambda: _pool(paths, scores, seed, limit))
    return _case(lambda: _pool(paths, scores, seed, None), held, tight)


def _log(paths, flags, names, cluster, limit):
    battles = pareto.read_battles(paths, flags=flags, names=names, cluster=cluster, memory_limit=limit)
    counts = [array.tolist() for array in (battles.counts.wins, battles.counts.ties, battles.counts.both_bad)]
    records, accounts = None, battles.preprocessing.record()
    accounts["notices"] = [one for one in accounts["notices"] if "memory limit" not in one]
    if battles.records is not None:
        one = battles.records
        columns = (one.cluster, one.first, one.second, one.objective, one.outcome)
        records = [one.clusters, *(column.tolist() for column in columns)]
    return battles.schema, battles.models, battles.objectives, counts, accounts, battles.detected, records


def logs(rng, folder):
    flags = names = cluster = None
    kind = rng.randrange(6)
    if kind <= 2:
        _, _, flags, names, cluster = fuzz_clusters.files(rng, folder)
    else:
        make = (fuzz_battles.csv_counts, fuzz_battles.parquet_log, fuzz_battles.json_log)[kind - 3]
        make(rng, folder)
    paths = sorted(path for path in folder.iterdir() if path.name != "names.csv")
    tight = rng.random() < 0.2
    limit = TIGHT if tight else ROOMY
    held = _in_pieces(rng, lambda: _log(paths, flags, names, cluster, limit))
    return _case(lambda: _log(paths, flags, names, cluster, None), held, tight)


READERS = [
    Reader("pool-limited", (PoolError,), pools),
    Reader("battles-limited", (BattleError,), logs),
]
