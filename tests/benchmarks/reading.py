"""Reading and joining Parquet files by id: `read_pool` against the bare polars read and left joins.

    python tests/benchmarks/reading.py [--rows 1000000] [--files 8] [--repeats 5]

Both paths run in one process, alternating, on files written to a temporary folder: text ids in another row
order in every file, an integer prediction and a float64 confidence. Printed are the medians, their ratio,
and how much memory each path alone adds at its peak (measured in fresh processes).
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

from certify.pool import Pool
from certify.reading.files import read_pool


def write_files(folder: Path, rows: int, files: int) -> list[Path]:
    """Candidates' files of `rows` shuffled rows each."""
    random = np.random.default_rng(0)
    ids = pl.Series("id", [f"row-{row:07d}" for row in range(rows)])
    paths = [folder / f"candidate-{k}.parquet" for k in range(files)]
    for path in paths:
        columns = {"prediction": random.integers(0, 2, rows), "confidence": random.random(rows)}
        pl.DataFrame({"id": ids[random.permutation(rows)], **columns}).write_parquet(path)
    return paths


def bare(paths: list[Path]) -> pl.DataFrame:
    """What anybody would write: read every file, left-join all on id."""
    table, *others = [pl.read_parquet(path) for path in paths]
    for k, other in enumerate(others, 1):
        table = table.join(other, on="id", how="left", suffix=f"_{k}")
    return table


def ours(paths: list[Path]) -> Pool:
    return read_pool(paths)


PATHS = {"bare": bare, "ours": ours}


def seconds(name: str, paths: list[Path]) -> float:
    start = time.perf_counter()
    PATHS[name](paths)
    return time.perf_counter() - start


def peak_megabytes(name: str, paths: list[Path]) -> float:
    """Peak memory that one path adds to a fresh process."""
    command = [sys.executable, __file__, "--alone", name, *map(str, paths)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def alone(name: str, paths: list[Path]) -> float:
    before = high_water()
    PATHS[name](paths)
    return high_water() - before


def high_water() -> float:
    """Largest memory of this process so far, in MB; NaN where the system does not tell.

    Linux only: `getrusage` would include what the parent process held when it started this one.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    return float(found[1]) / 1024 if found else float("nan")


def check(paths: list[Path]) -> None:
    """The pool holds exactly what the joined table holds."""
    pool, table = ours(paths), bare(paths)
    for k in range(pool.candidates):
        suffix = f"_{k}" if k else ""
        assert np.array_equal(pool.confidences[k], table[f"confidence{suffix}"].to_numpy())
        assert np.array_equal(pool.predictions[k], table[f"prediction{suffix}"].to_numpy())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--alone", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        name, *paths = options.alone
        print(alone(name, [Path(path) for path in paths]))
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder), options.rows, options.files)
        check(paths)
        times: dict[str, list[float]] = {name: [] for name in PATHS}
        for repeat in range(options.repeats):
            for name in sorted(PATHS, reverse=bool(repeat % 2)):
                times[name].append(seconds(name, paths))
        medians = {name: statistics.median(values) for name, values in times.items()}
        for name, median in medians.items():
            print(
                f"{name}: median {median:.2f} s of {options.repeats} (from {min(times[name]):.2f} to "
                f"{max(times[name]):.2f}), peak +{peak_megabytes(name, paths):.0f} MB"
            )
        print(f"ratio ours / bare: {medians['ours'] / medians['bare']:.2f} (wanted: at most 1.5)")


if __name__ == "__main__":
    main()
