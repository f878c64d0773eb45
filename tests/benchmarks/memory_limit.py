"""Peak resident memory of `certify plan`, `certify certificate` and `pareto frontier` under a limit.

    python tests/benchmarks/memory_limit.py [--candidates 60] [--rows 2000000] [--battles 3000000] [--free]

On generated inputs in a temporary folder, the limit of each is a third of what its input takes in memory:
confidences (float64) and class codes (int16) of a pool, the frame of a log. Printed are input, limit, and the
peak of a fresh process with the limit (VmHWM: everything resident, libraries, pages of mapped files and the
text printed included). With --free each also runs without a limit, and both must print the same.

The pool takes most of the time, some minutes of processor time for `plan` at these sizes and as much again
for `certificate`. Give --candidates 0 or --battles 0 to leave one out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

ALONE = """
import importlib, sys
from solvers.memory_limit import peak_resident
try:
    importlib.import_module(f"{sys.argv[1]}.cli").app(sys.argv[2:], standalone_mode=False)
finally:
    print(peak_resident(), file=sys.stderr)
"""


def write_pool(folder: Path, candidates: int, n: int) -> tuple[list[Path], Path]:
    """A good candidate and others of increasing error on rows of varying hardness.

    Every third file is in another order.
    """
    random = np.random.default_rng(0)
    ids, hardness = np.arange(n) + 10**6, random.random(n)
    truth = (random.random(n) < 0.4).astype(np.int16)
    paths = []
    for k in range(candidates):
        wrong = random.random(n) < hardness * (0.35 + 0.15 * k / candidates if k else 0.1)
        columns = {
            "id": ids,
            "prediction": np.where(wrong, 1 - truth, truth),
            "confidence": np.round(1 - hardness + random.normal(0, 0.2, n), 6),
        }
        frame = pl.DataFrame(columns)
        paths.append(folder / f"m{k:03}.parquet")
        (frame[random.permutation(n)] if k % 3 == 1 else frame).write_parquet(paths[-1])
    labels = folder / "labels.parquet"
    pl.DataFrame({"id": ids, "label": truth}).write_parquet(labels)
    return paths, labels


def write_log(folder: Path, n: int) -> tuple[list[Path], int]:
    """One log as Parquet, in row groups of 100,000, and as CSV, and the bytes it takes as a frame."""
    random = np.random.default_rng(0)
    models = pl.Series([f"vendor-family-{model:02}-instruct-2025-07-01" for model in range(30)])
    strength, first = np.linspace(0, 1.5, 30), random.integers(0, 30, n)
    second = (first + random.integers(1, 30, n)) % 30
    loses = random.random(n) < 1 / (1 + np.exp(strength[second] - strength[first]))
    outcome = np.where(random.random(n) < 0.2, random.integers(2, 4, n), loses)
    frame = pl.DataFrame(
        {
            "model_a": models[first],
            "model_b": models[second],
            "winner": pl.Series(["model_a", "model_b", "tie", "both_bad"])[outcome],
            "objective": pl.Series(["code", "math", "writing"])[random.integers(0, 3, n)],
            "text": pl.Series([f"a long text, {k}, " * 15 for k in range(100)])[random.integers(0, 100, n)],
        }
    )
    paths = [folder / "log.parquet", folder / "log.csv"]
    frame.write_parquet(paths[0], row_group_size=100_000)
    frame.write_csv(paths[1])
    return paths, int(frame.estimated_size())


def run(arguments: Sequence[object]) -> tuple[str, int, float]:
    """What a fresh process prints, its peak in bytes, and seconds."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", ALONE, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return done.stdout, int(done.stderr.split()[-1]), time.perf_counter() - start


def measure(name: str, arguments: Sequence[object], size: int, free: bool) -> None:
    limit = size // 3
    printed, peak, seconds = run([*arguments, "--json", "--memory-limit", limit])
    told = f"{name}: input {size / 1e6:.0f} MB, limit {limit / 1e6:.0f} MB, peak {peak / 1e6:.0f} MB"
    print(f"{told} ({'below' if peak < limit else 'ABOVE'}), {seconds:.0f} s", flush=True)
    if free:
        other, peak, seconds = run([*arguments, "--json"])
        same = "the same output" if other == printed else "ANOTHER OUTPUT"
        print(f"  without a limit: peak {peak / 1e6:.0f} MB, {seconds:.0f} s, {same}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--candidates", type=int, default=60)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--battles", type=int, default=3_000_000)
    parser.add_argument("--free", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if options.battles:
            paths, size = write_log(Path(name), options.battles)
            for path in paths:
                measure(f"pareto frontier {path.name}", ["pareto", "frontier", path], size, options.free)
        if options.candidates:
            files, labels = write_pool(Path(name), options.candidates, options.rows)
            size = options.candidates * options.rows * 10
            plan = ["certify", "plan", *files, "--no-forecast", "--budget", 1000]
            measure("certify plan", plan, size, options.free)
            certificate = ["certify", "certificate", *files, "--labels", labels]
            measure("certify certificate", certificate, size, options.free)


if __name__ == "__main__":
    main()
