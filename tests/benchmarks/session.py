"""What a session costs a label beside a bare `row_gains` (the best of ten runs), in a journal, on resuming.

PYTHONPATH=. python tests/benchmarks/session.py [rows] [candidates]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from certify.bounds import row_gains
from certify.pool import Pool
from certify.risks import Risks
from certify.session import Session

LABELS, RUNS = 200, 10


def random_pool(n: int, candidates: int) -> tuple[Pool, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n, dtype=np.int16)
    wrong = rng.random((candidates, n)) < rng.uniform(0.05, 0.3, (candidates, 1))
    codes = np.where(wrong, 1 - truth, truth).astype(np.int16)
    names = tuple(f"candidate-{k}" for k in range(candidates))
    return Pool.from_codes(names, ("0", "1"), codes, rng.random((candidates, n))), truth


def label(session: Session, truth: np.ndarray, labels: int) -> float:
    """Seconds a label of ask, tell and a look at the verdict, one by one."""
    begin = perf_counter()
    for _ in range(labels):
        (row,) = session.ask()
        session.tell([row], [truth[row]])
        assert not session.verdict.certified
    return (perf_counter() - begin) / labels


def gains(risks: Risks, truth: np.ndarray, first: int) -> float:
    """Seconds a label of `row_gains` alone."""
    begin = perf_counter()
    for row in range(first, first + LABELS):
        row_gains(risks, row, int(truth[row]))
    return (perf_counter() - begin) / LABELS


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    candidates = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    pool, truth = random_pool(n, candidates)
    bare = min(gains(pool.risks, truth, run * LABELS) for run in range(RUNS))
    print(f"n = {n}, K = {candidates}; row_gains {bare * 1e6:.0f} µs")
    for policy in ("adaptive-pair-sum", "static-range"):
        begin = perf_counter()
        session = Session(pool, policy)
        session.ask()
        start = perf_counter() - begin
        each = min(label(session, truth, LABELS) for _ in range(RUNS))
        print(f"{policy}: start and first ask {start:.2f} s, then {each * 1e6:.0f} µs a label, ", end="")
        print(f"{each / bare:.1f} × row_gains")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "benchmark.journal")
        begin = perf_counter()
        session = Session(pool, "static-range", journal=path)
        size = path.stat().st_size / 1e6
        print(f"journal: start {perf_counter() - begin:.2f} s, {size:.0f} MB", end="")
        session.ask()
        each = min(label(session, truth, 20) for _ in range(RUNS))
        print(f", then {each * 1e6:.0f} µs a label")
        rows = np.arange(min(n, 10_000))
        begin = perf_counter()
        session.tell(rows, truth[rows])
        print(f"tell of {len(rows)} labels {perf_counter() - begin:.2f} s")
        begin = perf_counter()
        with Session.resume(path) as again:
            print(f"resume {perf_counter() - begin:.2f} s")
            assert again.head == session.head
        session.close()


if __name__ == "__main__":
    main()
