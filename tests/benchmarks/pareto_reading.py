"""Reading a large Parquet log: `read_battles` against polars collecting the same columns.

    python tests/benchmarks/pareto_reading.py [--rows 10000000] [--repeats 5]

Run in one process, alternating, on a generated log in a temporary folder: 53 models with long names, four
outcomes, four flags, a session and a column of text that nobody reads. Printed are medians, their ratios, and
the peak memory of a fresh process that does one thing (wanted of ours: at most 5 times the bare scan, less
than 2 GB). Ours uses several threads, so on a busy machine compare processor seconds. `streamed` is the
group-by one would write by hand; the counts are checked against it. `clustered` keeps a record of every row.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from pareto.battles import Battles, read_battles

FLAGS = ("is_code", "math", "creative_writing", "instruction_following")
OUTCOMES = ("model_a", "model_b", "tie", "both_bad")
COLUMNS = ("model_a", "model_b", "winner", *FLAGS)
SESSION = "evaluation_session_id"
SHARDS = 4


def write_log(folder: Path, rows: int) -> list[Path]:
    """A log in a few files, as large logs come."""
    random = np.random.default_rng(0)
    models = pl.Series([f"vendor-family-{model:02d}-instruct-2025-07-01" for model in range(53)])
    paths = [folder / f"shard-{number}.parquet" for number in range(SHARDS)]
    for path in paths:
        n = rows // SHARDS
        pl.DataFrame(
            {
                "model_a": models[random.integers(0, 53, n)],
                "model_b": models[random.integers(0, 53, n)],
                "winner": pl.Series(OUTCOMES)[random.choice(4, n, p=[0.36, 0.37, 0.16, 0.11])],
                **{
                    flag: random.random(n) < share
                    for flag, share in zip(FLAGS, (0.3, 0.1, 0.1, 0.2), strict=True)
                },
                SESSION: [f"{session:032x}" for session in random.integers(0, rows, n).tolist()],
                "conversation": pl.Series([f"a long text, number {k}, " * 20 for k in range(100)])[
                    random.integers(0, 100, n)
                ],
            }
        ).write_parquet(path)
    return paths


def bare(paths: list[Path]) -> pl.DataFrame:
    """All needed columns in memory."""
    return pl.scan_parquet(paths).select(COLUMNS).collect()


def streamed(paths: list[Path]) -> pl.DataFrame:
    """What anybody would write who wants the counts: a streaming group-by."""
    return pl.scan_parquet(paths).group_by(COLUMNS).len().collect(engine="streaming")


def ours(paths: list[Path]) -> Battles:
    return read_battles(paths)


def clustered(paths: list[Path]) -> Battles:
    return read_battles(paths, cluster="session")


PATHS = {"bare": bare, "streamed": streamed, "ours": ours, "clustered": clustered}


def check(paths: list[Path]) -> None:
    """Wins on code are those that a group-by by hand finds."""
    battles, table = ours(paths), streamed(paths)
    met = table.filter(pl.col("is_code") & (pl.col("model_a") != pl.col("model_b")))
    won = met.filter(pl.col("winner").is_in(["model_a", "model_b"]))
    assert int(battles.counts.on(["code"]).wins.sum()) == won["len"].sum()
    assert battles.preprocessing.rows == table["len"].sum()


def high_water() -> float:
    """Largest memory of this process so far, in MB; NaN where the system does not tell."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    return float(found[1]) / 1024 if found else float("nan")


def peak(name: str, paths: list[Path]) -> str:
    command = [sys.executable, __file__, "--alone", name, *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--alone", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        name, *files = options.alone
        start = time.perf_counter()
        PATHS[name]([Path(file) for file in files])
        print(f"alone {time.perf_counter() - start:.2f} s, peak {high_water():.0f} MB")
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = write_log(Path(folder), options.rows)
        check(paths)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in PATHS}
        for repeat in range(options.repeats):
            for name in sorted(PATHS, reverse=bool(repeat % 2)):
                start, used = time.perf_counter(), time.process_time()
                PATHS[name](paths)
                times[name].append((time.perf_counter() - start, time.process_time() - used))
        wall, cpu = (
            {name: statistics.median(one[at] for one in times[name]) for name in PATHS} for at in (0, 1)
        )
        for name in PATHS:
            print(f"{name}: median {wall[name]:.2f} s, processor {cpu[name]:.2f} s; {peak(name, paths)}")
        for name in ("ours", "clustered"):
            slower, dearer = wall[name] / wall["bare"], cpu[name] / cpu["bare"]
            print(f"{name} / bare: {slower:.1f} in time, {dearer:.1f} in processor time")


if __name__ == "__main__":
    main()
