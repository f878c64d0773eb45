"""A piece has one thread of BLAS and OpenMP wherever it is done, so that sums round alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from threadpoolctl import threadpool_limits

from solvers.workers import Processes
from solvers.workers.piece import Piece
from solvers.workers.threads import one_thread
from solvers.workers.versions import mismatch, versions
from tests.solvers.workers.pieces import threads

ONE = ({1}, "1", "1")


@pytest.fixture(autouse=True)
def two_threads(monkeypatch):
    """As many threads in this process before the test, and after it."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with threadpool_limits(2):
        yield
        assert threads(0) == ({2}, "2", None)


@pytest.mark.parametrize(("jobs", "pieces"), [(1, 3), (2, 1), (2, 3)])
def test_pieces_have_one_thread(jobs, pieces):
    assert [piece.value for piece in Processes(jobs).each(threads, range(pieces))] == [ONE] * pieces


def test_between_pieces_there_are_as_many_as_before():
    for _ in Processes(1).each(threads, range(2)):
        assert threads(0) == ({2}, "2", None)


def test_a_piece_that_fails_gives_the_threads_back():
    with pytest.raises(ZeroDivisionError):
        list(Processes(1).each((1).__floordiv__, [0]))


def test_pieces_within_pieces_and_beside_each_other():
    with one_thread():
        assert Piece(threads, 0, 0).done().value == ONE
        assert threads(0) == ONE
    meet = Barrier(2, timeout=30)

    def first():
        with one_thread():
            meet.wait()  # both are inside
            meet.wait()  # the other is outside
            return threads(0)

    def second():
        with one_thread():
            meet.wait()
        meet.wait()

    with ThreadPoolExecutor(2) as pool:
        inside, _ = pool.submit(first), pool.submit(second)
        assert inside.result() == ONE


def test_what_decides_the_digits_is_compared():
    here = versions()
    assert mismatch(here) == ""
    for name in ("numpy's instruction sets", "OpenBLAS kernels"):
        assert here[name]
        assert mismatch({**here, name: "Abacus"}) == f"{name} {here[name]} where Abacus is wanted"
        assert mismatch({other: text for other, text in here.items() if other != name})
