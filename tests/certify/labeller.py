"""A labelling process for the tests: forks a child for each command line and kills it when told to.

Reads JSON lines {do: "start" | "label", journal, asker, acknowledged, pause, steps, delay} and answers
each with {killed, seconds}. Every answer of the child takes `pause` seconds. It is killed `delay` seconds
after so many `steps`: none (the fork), one (it has resumed), or more (labels told since). Forking spares the
children the imports, so that kills fall on the session's own work.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import numpy as np

from certify.pool import Pool
from certify.session import Session

ROWS = 600


def example() -> tuple[Pool, list[str]]:
    """A pool that needs most of its labels, and the answers, some of them ``?``."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, ROWS)
    wrong = rng.random((3, ROWS)) < np.array([[0.2], [0.22], [0.24]])
    pool = Pool.binary(np.where(wrong, 1 - truth, truth), rng.integers(0, 200, (3, ROWS)))
    unknown = rng.random(ROWS) < 0.03
    return pool, ["?" if skip else str(label) for label, skip in zip(truth, unknown, strict=True)]


def label(session: Session, answers: list[str], acknowledged: int, pause: float, steps: int) -> None:
    """One row after the other; a line is written when its `tell` has returned."""
    while rows := session.ask():
        (row,) = rows
        time.sleep(pause)
        session.tell(rows, [answers[row]])
        os.write(acknowledged, f"{row},{answers[row]}\n".encode())
        os.write(steps, b"!")


def child(pool: Pool, answers: list[str], command: dict[str, str], steps: int) -> None:
    if command["do"] == "start":
        Session(pool, journal=command["journal"]).close()
        return
    acknowledged = os.open(command["acknowledged"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Session.resume(command["journal"], command["asker"]) as session:
        os.write(steps, b"!")
        label(session, answers, acknowledged, float(command["pause"]), steps)


def main() -> None:
    pool, answers = example()
    for line in sys.stdin:
        command = json.loads(line)
        begin = time.perf_counter()
        heard, steps = os.pipe()
        process = os.fork()
        if process == 0:
            status = 1
            try:
                child(pool, answers, command, steps)
                status = 0
            except BaseException as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            finally:
                os._exit(status)
        os.close(steps)
        for _ in range(command["steps"]):
            os.read(heard, 1)  # at once when the child has ended
        if command["delay"] is not None:
            time.sleep(command["delay"])
            os.kill(process, signal.SIGKILL)  # not reaped yet, so the number is still its own
        _, status = os.waitpid(process, 0)
        os.close(heard)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, -signal.SIGKILL):
            raise SystemExit(f"the child ended with {code}")
        print(json.dumps({"killed": code != 0, "seconds": time.perf_counter() - begin}), flush=True)


if __name__ == "__main__":
    main()
