"""Fuzz every reader: ``python tests/fuzz/run.py --inputs N --seconds S [--reader NAME] [--seed SEED]``.

Valid files are changed at random, from a seed, and read. Every input must end in a clear error of the
package's class or in a right answer (`tests.fuzz.property`). Each reader runs in a process of its own, which
is started again behind an input that kills it. Exit code 1 if anything is wrong; ``--show reader:number``
repeats one input and leaves its files in the folder given by ``--keep``.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
SLOWEST = 30  # seconds for one input

from tests.fuzz import property as rule  # noqa: E402
from tests.fuzz.readers import READERS  # noqa: E402


class Slow(BaseException):
    """An input took longer than it may."""


def work(name: str, seed: int, start: int, inputs: int, seconds: float, current: Path, folder: Path) -> None:
    """Try inputs from `start` on; one line of JSON for each that failed, and a last one with the counts."""

    def late(number: int, frame: object) -> None:
        raise Slow(f"longer than {SLOWEST} seconds")

    signal.signal(signal.SIGALRM, late)  # which waits for native code to return; the watchdog does not
    reader, counts, end = READERS[name], Counter(), time.monotonic() + seconds
    for number in range(start, inputs):
        if time.monotonic() > end:
            break
        signal.alarm(SLOWEST)
        faulthandler.dump_traceback_later(2 * SLOWEST, exit=True)
        outcome = rule.trial(reader, seed, number, folder)
        faulthandler.cancel_dump_traceback_later()
        signal.alarm(0)
        counts[outcome.kind] += 1
        current.write_text(json.dumps([number + 1, counts]))
        if outcome.kind in (rule.TRACEBACK, rule.WRONG):
            print(json.dumps([number, outcome.kind, outcome.detail]), flush=True)


def fuzz(
    name: str, seed: int, inputs: int, seconds: float
) -> tuple[Counter[str], list[tuple[int, str, str]]]:
    """Counts and failures of one reader, whatever becomes of its process."""
    counts: Counter[str] = Counter()
    failures: list[tuple[int, str, str]] = []
    start, end = 0, time.monotonic() + seconds
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shared) as top:
        folder, current = Path(top) / "files", Path(top) / "current"
        folder.mkdir()
        while start < inputs and time.monotonic() < end:
            current.write_text(json.dumps([start, {}]))
            given = map(str, (name, start, inputs, end - time.monotonic(), current, folder))
            command = [sys.executable, __file__, "--worker", *given, "--seed", str(seed)]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            failures += [tuple(json.loads(line)) for line in done.stdout.splitlines() if line.startswith("[")]
            start, found = json.loads(current.read_text())
            counts.update(found)
            if done.returncode == 0:
                break
            detail = f"the process ended with {done.returncode}\n{done.stderr[-3000:]}"
            beyond = "memory allocation of" in done.stderr and "polars_parquet" in done.stderr
            kind = rule.ABORTED if beyond else rule.TRACEBACK
            failures.append((start, kind, detail))
            counts[kind] += 1
            start += 1
    return counts, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1000, help="most inputs for each reader")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all readers together")
    parser.add_argument(
        "--reader", action="append", choices=sorted(READERS), help="may be repeated; default: all"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--failures", type=Path, help="write them to this file, a JSON list a line")
    parser.add_argument("--show", metavar="READER:NUMBER", help="repeat one input")
    parser.add_argument("--keep", type=Path, help="folder for the files of --show")
    parser.add_argument("--worker", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        name, start, inputs, seconds, current, folder = given.worker
        work(name, given.seed, int(start), int(inputs), float(seconds), Path(current), Path(folder))
        return 0
    if given.show:
        name, _, number = given.show.rpartition(":")
        folder = given.keep or Path(tempfile.mkdtemp())
        folder.mkdir(exist_ok=True)
        outcome = rule.trial(READERS[name], given.seed, int(number), folder)
        print(outcome.kind, outcome.detail, *sorted(folder.iterdir()), sep="\n")
        return int(outcome.kind in (rule.TRACEBACK, rule.WRONG))
    names = given.reader or list(READERS)
    total: Counter[str] = Counter()
    columns = ("inputs", rule.CLEAR, rule.ACCEPTED, rule.TRACEBACK, rule.WRONG, rule.ABORTED)
    print(f"{'reader':24}" + "".join(f"{column:>14}" for column in columns))
    end = time.monotonic() + given.seconds
    for at, name in enumerate(names):
        counts, failures = fuzz(
            name, given.seed, given.inputs, max(5.0, (end - time.monotonic()) / (len(names) - at))
        )
        counts["inputs"] = counts.total()
        total += counts
        print(f"{name:24}" + "".join(f"{counts[column]:14,}" for column in columns), flush=True)
        if given.failures:
            with given.failures.open("a") as file:
                file.writelines(json.dumps([name, *failure]) + "\n" for failure in failures)
        for number, kind, detail in failures[:3] if not given.failures else []:
            print(f"  {name}:{number} {kind}: {detail}")
    print(f"{'all':24}" + "".join(f"{total[column]:14,}" for column in columns))
    return int(bool(total[rule.TRACEBACK] or total[rule.WRONG]))


if __name__ == "__main__":
    sys.exit(main())
