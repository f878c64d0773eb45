"""Sessions without a journal: bounds and verdicts by brute force, asking, telling, skipping, leases."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from certify.classes import Labels
from certify.errors import PoolError
from certify.policies import POLICIES
from certify.pool import Pool
from certify.session import Session

CLASSES = {"binary": "01", "shared": "01", "alike": "abc", "multiclass": "abc"}


def random_pool(rng: np.random.Generator) -> Pool:
    kind = str(rng.choice(list(CLASSES)))
    classes = CLASSES[kind]
    n, candidates = int(rng.integers(1, 7)), int(rng.integers(2, 5))
    confidences = rng.integers(0, int(rng.integers(1, 8)), (candidates, n)).astype(float)
    predictions = rng.choice(list(classes), (candidates, n))
    if kind == "alike":
        predictions[:] = predictions[0]
    if rng.random() < 0.3:  # an exact duplicate
        confidences[-1], predictions[-1] = confidences[0], predictions[0]
    if kind == "shared":
        return Pool.shared(confidences)
    if kind == "binary":
        return Pool.binary(predictions.astype(int), confidences)
    return Pool.multiclass(predictions, confidences, list(classes))


class Brute:
    """Every completion of every labelling of a small pool, from the definitions."""

    def __init__(self, pool: Pool, tolerance: Fraction) -> None:
        n, codes = pool.n, np.broadcast_to(pool.predictions, pool.confidences.shape)
        more = (pool.confidences[:, None, :] > pool.confidences[:, :, None]).sum(axis=2)
        same = (pool.confidences[:, None, :] == pool.confidences[:, :, None]).sum(axis=2)
        weights = 2 * n - more - (more + same)
        self.labellings = np.array(list(product(range(len(pool.classes)), repeat=n)))
        wrong = codes[:, None, :] != self.labellings[None, :, :]
        self.risks = (weights[:, None, :] * wrong).sum(axis=2)  # candidates × labellings
        self.scale = 2 * n * n
        self.tolerance = tolerance

    def possible(self, labels: Sequence[int]) -> np.ndarray:
        """Risks under the labellings that fit, candidates × labellings."""
        read = [row for row, label in enumerate(labels) if label >= 0]
        fits = (self.labellings[:, read] == np.array(labels)[read]).all(axis=1)
        return self.risks[:, fits]

    def excesses(self, labels: Sequence[int]) -> list[Fraction]:
        risks = self.possible(labels)
        return [Fraction(int(worst), self.scale) for worst in (risks - risks.min(axis=0)).max(axis=1)]

    def verdict(self, labels: Sequence[int]) -> tuple[bool, int, Fraction]:
        risks = self.possible(labels)
        excess = (risks - risks.min(axis=0)).max(axis=1)
        if self.tolerance == 0:
            best = set(risks.argmin(axis=0).tolist())  # the first of equals
            certified = [k for k in range(len(risks)) if best == {k}]
        else:
            certified = [
                k for k in range(len(risks)) if Fraction(int(excess[k]), self.scale) <= self.tolerance
            ]
        winner = min(certified or range(len(risks)), key=lambda k: (excess[k], k))
        return bool(certified), winner, Fraction(int(excess[winner]), self.scale)

    def fewest_more(self, labels: Sequence[int], truth: Sequence[int], rows: Sequence[int]) -> int | None:
        """The smallest number of `rows` whose true labels certify."""
        sizes = []
        for chosen in product((False, True), repeat=len(rows)):
            more = list(labels)
            for row in (row for row, take in zip(rows, chosen, strict=True) if take):
                more[row] = truth[row]
            if self.verdict(more)[0]:
                sizes.append(sum(chosen))
        return min(sizes, default=None)


def agree(session: Session, brute: Brute) -> None:
    verdict = session.verdict
    assert (verdict.certified, verdict.winner, verdict.gap) == brute.verdict(session.labels)
    assert verdict.labels_read == int((session.labels >= 0).sum())
    records = verdict.records(session.pool.names)
    assert [one["candidate"] for one in records if one["returned"]] == [session.pool.names[verdict.winner]]
    assert [Fraction(one["worst_excess_exact"]) for one in records] == brute.excesses(session.labels)
    assert [one["worst_excess"] for one in records] == [float(one) for one in brute.excesses(session.labels)]


@pytest.mark.parametrize("seed", range(200))
def test_every_prefix_is_what_brute_force_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = random_pool(rng)
    tolerance = Fraction(0) if rng.random() < 0.6 else Fraction(int(rng.integers(1, 40)), 100)
    policy = POLICIES[seed % len(POLICIES)]
    session, brute = Session(pool, policy, tolerance, seed), Brute(pool, tolerance)
    truth = rng.integers(0, len(pool.classes), pool.n)
    agree(session, brute)
    seen: list[tuple[int | None, int]] = []
    while rows := session.ask():
        (row,) = rows
        at_least = session.verdict.at_least
        possible = brute.fewest_more(
            session.labels, truth, sorted(set(np.flatnonzero(session.labels < 0)) - set(session.skipped))
        )
        if possible is not None:
            assert at_least is not None
            assert 1 <= at_least <= possible
        seen.append((at_least, session.verdict.labels_read))
        if rng.random() < 0.1:
            session.skip(rows)
        elif rng.random() < 0.15:  # told wrongly at first
            session.tell(rows, [pool.classes[int(rng.integers(len(pool.classes)))]])
            agree(session, brute)
            session.tell(rows, [pool.classes[truth[row]]])
        else:
            session.tell(rows, [pool.classes[truth[row]]])
        agree(session, brute)
    final = session.verdict
    if final.certified:
        assert final.at_least == 0
        assert all(least is None or read + least <= final.labels_read for least, read in seen)
    fresh = Session(pool, policy, tolerance, seed)
    told = np.flatnonzero(session.labels >= 0)[::-1]
    fresh.tell(told, [pool.classes[code] for code in session.labels[told]])
    fresh.skip(session.skipped)
    assert fresh.verdict == final
    np.testing.assert_array_equal(fresh.lower, session.lower)


def figure_1() -> Session:
    return Session(Pool.binary([[0, 0], [0, 0]], [[2, 1], [1, 2]], names=["A", "B"]))


def test_figure_1() -> None:
    session = figure_1()
    session.tell([0], [0])
    assert (session.verdict.certified, session.verdict.winner) == (True, 0)
    session = figure_1()
    session.tell([0], [1])
    verdict = session.verdict
    assert (verdict.certified, verdict.winner, verdict.gap) == (False, 1, 0)
    assert verdict.at_least == 1
    session.tell([1], [0])
    assert (session.verdict.certified, session.verdict.winner) == (True, 1)
    session = figure_1()
    session.tell([1, 0], [1, 0])
    assert session.verdict.winner == 0


def test_figure_2() -> None:
    pool = Pool.binary([[0, 0, 1, 0], [0, 0, 0, 1]], [[4, 3, 2, 1], [3, 4, 1, 2]], names=["A", "B"])
    session = Session(pool)
    assert session.verdict.at_least == 2
    truth = [1, 0, 0, 0]
    intervals = [[-6, 6]]
    for row in (2, 3, 0, 1):
        assert not session.verdict.certified
        session.tell([row], [truth[row]])
        intervals.append([session.lower[0, 1], -session.lower[1, 0]])
    assert intervals == [[-6, 6], [-2, 6], [-2, 2], [0, 2], [2, 2]]
    assert (session.verdict.certified, session.verdict.winner, session.verdict.labels_read) == (True, 1, 4)


@pytest.fixture
def pool() -> Pool:
    rng = np.random.default_rng(5)
    return Pool.multiclass(
        rng.choice(["cat", "dog", "eel"], (3, 40)), rng.random((3, 40)), ["cat", "dog", "eel"]
    )


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_asking_again_gives_the_same_rows(pool: Pool) -> None:
    session = Session(pool)
    first = session.ask(3)
    assert session.ask(3) == first
    assert session.ask() == first[:1]
    more = session.ask(5)
    assert more[:3] == first
    assert len(set(more)) == 5
    session.tell([first[1]], ["dog"])
    assert session.ask(4) == [row for row in more if row != first[1]]


def test_batches_and_single_rows_ask_in_the_same_order(pool: Pool) -> None:
    one, many = Session(pool, "static-range"), Session(pool, "static-range")
    order = []
    while rows := one.ask():
        order += rows
        one.tell(rows, ["eel"])
    got = many.ask(len(order))
    assert got == order


def test_leases_keep_askers_apart(pool: Pool) -> None:
    clock = Clock()
    session = Session(pool, asker="anna", lease_seconds=60, clock=clock)
    mine, theirs = session.ask(3), session.ask(3, asker="ben")
    assert not set(mine) & set(theirs)
    assert session.leases == {**dict.fromkeys(mine, "anna"), **dict.fromkeys(theirs, "ben")}
    session.release(theirs[:1], asker="ben")
    assert session.ask(4) == [*mine, theirs[0]]
    with pytest.raises(PoolError, match="held by 'anna', not by 'ben'"):
        session.release(mine[:1], asker="ben")
    session.release([39 if 39 not in mine + theirs else 38])  # nobody's: nothing happens
    session.release(asker="ben")
    assert session.ask(6) == [*mine, theirs[0], *theirs[1:]]
    clock.now += 59
    assert not set(session.ask(40, asker="ben")) & {*mine, *theirs}
    clock.now += 2  # anna's have expired now, ben's have not
    assert set(session.ask(40, asker="ben")) == set(range(40))
    assert session.ask(1) == []


def test_another_may_tell_a_leased_row(pool: Pool) -> None:
    session = Session(pool)
    (row,) = session.ask(asker="anna")
    session.tell([row], ["cat"], asker="ben")
    assert session.ask(asker="anna") != [row]


def test_telling_twice_and_correcting(pool: Pool) -> None:
    session = Session(pool)
    session.tell([7], ["cat"])
    lower = session.lower
    session.tell([7], [" cat "])
    np.testing.assert_array_equal(session.lower, lower)
    assert session.verdict.labels_read == 1
    session.tell([7, 7], ["dog", "eel"])
    fresh = Session(pool)
    fresh.tell([7], ["eel"])
    np.testing.assert_array_equal(session.lower, fresh.lower)
    assert session.verdict == fresh.verdict


def test_skipped_rows_stay_unread_and_are_not_asked() -> None:
    pool = Pool.binary([[0, 0, 0], [0, 0, 0]], [[3, 2, 1], [1, 2, 3]])
    session = Session(pool)
    lower = session.lower
    session.tell([0, 1], ["?", None])
    session.tell([1], [float("nan")])
    session.skip([2])
    np.testing.assert_array_equal(session.lower, lower)
    assert session.ask(3) == []
    verdict = session.verdict
    assert (verdict.certified, verdict.winner, verdict.labels_read, verdict.at_least) == (False, 0, 0, None)
    assert verdict.gap == Fraction(4, 18)  # −L of B against A: rows 0 and 2 may cost A 4 more
    assert session.skipped == [0, 1, 2]
    session.tell([0, 2], [0, 0])  # a later label lifts the skip
    assert session.verdict.certified
    assert session.skipped == [1]


def test_nothing_is_asked_once_certified_and_a_correction_reopens() -> None:
    session = figure_1()
    session.tell([0], [0])
    assert session.ask() == []
    session.tell([0], [1])
    assert (session.verdict.certified, session.ask()) == (False, [1])


def test_a_verdict_does_not_change_later(pool: Pool) -> None:
    session = Session(pool)
    before = session.verdict
    assert session.verdict is before
    expected = Session(pool).verdict.at_least
    session.tell(range(40), ["cat"] * 40)
    assert (before.labels_read, before.certified, before.at_least) == (0, False, expected)
    assert session.verdict.labels_read == 40


def test_owned_labels_in_every_form(pool: Pool) -> None:
    told = Session(pool)
    told.tell([3, 9], ["eel", "cat"])
    row_by_row: list[object] = [None] * 40
    row_by_row[3], row_by_row[9], row_by_row[11] = "eel", "cat", "?"
    for owned in (
        {9: "cat", 3: "eel", 11: "?"},
        row_by_row,
        Labels(pool.codes(row_by_row)),
        np.array(row_by_row),
    ):
        session = Session(pool, owned=owned)
        np.testing.assert_array_equal(session.lower, told.lower)
        np.testing.assert_array_equal(session.labels, told.labels)
        assert session.verdict == told.verdict
        assert not {3, 9} & set(session.ask(40))


def test_labels_from_elsewhere_in_another_order() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    pool = Pool.binary(truth ^ (rng.random((3, 60)) < 0.2), rng.integers(0, 20, (3, 60)))
    session = Session(pool)
    for _ in range(10):
        session.tell(rows := session.ask(), truth[rows])
    elsewhere = rng.permutation(60)[:25]  # some told already, most never asked
    session.tell(elsewhere, truth[elsewhere])
    known = set(np.flatnonzero(session.labels >= 0))
    fresh = Session(pool, owned={int(row): truth[row] for row in known})
    np.testing.assert_array_equal(session.lower, fresh.lower)
    assert session.verdict == fresh.verdict
    while rows := session.ask():
        assert fresh.ask() == rows
        assert not known & set(rows)
        known |= set(rows)
        session.tell(rows, truth[rows])
        fresh.tell(rows, truth[rows])
    assert session.verdict == fresh.verdict


def test_labels_told_at_once() -> None:
    rng = np.random.default_rng(0)
    pool = Pool.binary(rng.integers(0, 2, (4, 3000)), rng.random((4, 3000)))
    session = Session(pool)
    session.tell(np.arange(3000), rng.integers(0, 2, 3000))
    assert session.verdict.labels_read == 3000
    totals = pool.risks.totals(session.labels)
    assert session.verdict.winner == int(totals.argmin())


def test_unread_verdict_parts_cost_nothing(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("worked out unasked")

    monkeypatch.setattr("certify.verdict.pair_requirements", refuse)
    assert not Session(pool).verdict.certified


@pytest.mark.parametrize("row", [-1, 40, True, 1.0, "1", None, np.float64(2), np.bool_(1)])
def test_unknown_rows(pool: Pool, row: object) -> None:
    session = Session(pool)
    for call in (
        lambda: session.tell([0, row], ["cat", "cat"]),
        lambda: session.skip([0, row]),
        lambda: session.release([0, row]),
    ):
        with pytest.raises(PoolError, match=r"not in the pool.*from 0 to 39"):
            call()
    assert session.verdict.labels_read == 0
    assert session.skipped == []


def test_wrong_labels_record_nothing(pool: Pool) -> None:
    session = Session(pool)
    with pytest.raises(PoolError, match=r"label 'cow' of row 5 .*classes of this pool: cat, dog, eel"):
        session.tell([4, 5], ["cat", "cow"])
    with pytest.raises(PoolError, match="1 labels for 2 rows"):
        session.tell([4, 5], ["cat"])
    with pytest.raises(PoolError, match="are not a list"):
        session.tell([4, 5, 6], "cat")
    with pytest.raises(PoolError, match="are not a list"):
        session.tell(4, ["cat"])  # type: ignore[arg-type]
    with pytest.raises(PoolError, match=r"row 4 \(4\) cannot be skipped: it has the label 'cat'"):
        session.tell([3, 4, 4], ["dog", "cat", "?"])
    assert session.verdict == Session(pool).verdict
    session.tell([4], ["cat"])
    with pytest.raises(PoolError, match="not taken back"):
        session.skip([3, 4])
    assert session.skipped == []


@pytest.mark.parametrize("m", [0, -1, True, 1.5, "2", None])
def test_asking_for_no_number_of_rows(pool: Pool, m: object) -> None:
    with pytest.raises(PoolError, match="whole number ≥ 1"):
        Session(pool).ask(m)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"policy": "best"}, "unknown policy 'best'"),
        ({"tolerance": "-1"}, "negative"),
        ({"seed": -1}, "seed -1 is not a whole number"),
        ({"seed": True}, "seed True"),
        ({"asker": " "}, "asker ' ' is not a name"),
        ({"lease_seconds": 0}, "lease of 0 seconds"),
        ({"lease_seconds": float("inf")}, "lease of inf"),
        ({"owned": {40: "cat"}}, "row 40 is not in the pool"),
        ({"owned": {4: "cow"}}, "label 'cow' of row 4"),
        ({"owned": ["cat"]}, "1 labels for 40 rows"),
        ({"owned": np.zeros(3, dtype=np.int16)}, "3 labels for"),
        ({"owned": np.full(40, 3, dtype=np.int16)}, "not among the classes"),
    ],
)
def test_settings_that_cannot_be(pool: Pool, settings: dict[str, object], words: str) -> None:
    with pytest.raises(PoolError, match=words):
        Session(pool, **settings)  # type: ignore[arg-type]


def test_closed(pool: Pool) -> None:
    with Session(pool) as session:
        session.tell([0], ["cat"])
    assert session.verdict.labels_read == 1
    with pytest.raises(PoolError, match="closed"):
        session.ask()
