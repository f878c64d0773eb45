"""Standard output comes back, however many solves ran at once."""

import subprocess
import sys
import threading

import pytest

from solvers.quiet import silenced

SOLVES = """
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from solvers import LinearProgram, solve
program = LinearProgram([2, 1], [[1, 1]], row_lower=[3], upper=[10, 1])
with ThreadPoolExecutor(4) as pool:
    found = list(pool.map(lambda _: solve(program, backend="scipy").objective, range(40)))
assert found == [5] * 40, found
print("printed", flush=True)
os.write(1, b"written\\n")
"""


def test_standard_output_survives_concurrent_solves():
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", SOLVES], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "printed\nwritten\n"), done.stderr


def test_blocks_of_two_threads_may_overlap(capfd):
    inside, leave = threading.Event(), threading.Event()

    def other():
        with silenced():
            inside.set()
            leave.wait(10)
            print("lost too")

    thread = threading.Thread(target=other)
    with silenced():
        thread.start()
        assert inside.wait(10)
    before = sys.stdout
    print("lost")  # the other block is open
    leave.set()
    thread.join()
    assert sys.stdout is not before
    print("shown")
    assert capfd.readouterr().out == "shown\n"


def test_blocks_nest_and_pass_errors_on(capfd):
    def fail():
        with silenced():
            with silenced():
                print("lost")
            print("lost")
            raise RuntimeError("inner")

    with pytest.raises(RuntimeError, match="inner"):
        fail()
    print("shown")
    assert capfd.readouterr().out == "shown\n"
