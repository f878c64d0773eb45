"""What is certain about a large log if votes of one voter may depend on each other: time and memory.

Prints processor seconds of reading the log, of `certainty` with independent votes and by voter, the ratio to
reading, and the peak of resident memory.
`python tests/benchmarks/pareto_clusters.py [VOTES VOTERS MODELS OBJECTIVES]`
"""

import resource
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl

from pareto.battles import read_battles
from pareto.certainty import certainty


def write_log(path, votes, voters, models, objectives):
    """Random votes, the same for the same numbers."""
    rng = np.random.default_rng(0)
    theta = 0.4 * rng.normal(size=(models, objectives))
    first = rng.integers(models, size=votes)
    second = (first + rng.integers(1, models, size=votes)) % models
    objective, voter = rng.integers(objectives, size=votes), rng.integers(voters, size=votes)
    won = rng.random(votes) < 1 / (1 + np.exp(theta[second, objective] - theta[first, objective]))
    names, sides = np.array([f"m{i:03d}" for i in range(models)]), np.array(["model_b", "model_a"])
    frame = {"model_a": names[first], "model_b": names[second], "winner": sides[won.astype(int)]}
    pl.DataFrame(frame | {"objective": objective.astype(str), "voter": voter.astype(str)}).write_parquet(path)


def timed(work):
    """What comes out, and processor seconds."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def main():
    """Print one table."""
    sizes = [int(text) for text in sys.argv[1:5]] or [3_000_000, 5_000, 40, 3]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        # in a process of its own, whose memory does not count
        writer = get_context("spawn").Process(target=write_log, args=(path, *sizes))
        writer.start()
        writer.join()
        battles, reading = timed(lambda: read_battles(path, cluster="voter"))
    log = battles.retain()
    print(f"{sizes[0]:,} votes of {sizes[1]:,} voters, {sizes[2]} models, {sizes[3]} objectives")
    print(f"reading: {reading:.1f} s")
    for cluster in (None, "voter"):
        found, seconds = timed(lambda cluster=cluster: certainty(log, cluster=cluster))
        undecided = len(found.having("undecided"))
        print(
            f"clusters {cluster}: {seconds:.1f} s, {seconds / reading:.2f} of reading; {undecided} undecided"
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
