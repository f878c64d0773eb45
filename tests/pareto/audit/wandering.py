"""Sessions whose askers and answers follow no plan: late, corrected, withdrawn, unknown, several a call."""

from __future__ import annotations

import numpy as np

from pareto import Session
from tests.pareto.voting import Clock

LEASE = 60.0


def wander(path, method, seed, *, models=2, objectives=1, joint=False, calls=40):
    """Write a journal of random calls; every call is one that a session takes."""
    rng = np.random.default_rng(seed)
    names = tuple("xyz"[:objectives])
    clock = Clock()
    path.unlink(missing_ok=True)
    with Session(
        tuple("abcd"[:models]),
        names,
        method,
        float(rng.choice([0.05, 0.5, 0.9])),
        int(rng.integers(1000)),
        path,
        joint=joint,
        ordered=True,
        max_comparisons=None if rng.random() < 0.8 else int(rng.integers(200)),
        lease_seconds=LEASE,
        clock=clock,
    ) as session:
        lean = rng.random()
        for _ in range(calls):
            asker = str(rng.choice(["one", "two"]))
            act = rng.random()
            if act < 0.3:
                session.ask(None if rng.random() < 0.5 else int(rng.integers(1, 60)), asker)
            elif act < 0.35:
                session.release(asker=asker)
            elif act < 0.4:
                clock.now += LEASE + 1
            else:
                _tell(session, rng, names, lean, asker)
    return path


def _tell(session, rng, names, lean, asker):
    """Answer some of what can be answered, or answered otherwise; often all that is open."""
    state = session.state
    fresh, changes = [], []
    for number, given in state.given.items():
        for r in given.query.objectives:
            reply = given.replies.get(r)
            if reply is None:
                fresh.append((number, r))
            elif state.correctable(reply):
                changes.append((number, r))
    doubtful = [(number, r) for number, r in changes if state.given[number].replies[r].answered == 0]
    keys = {
        key
        for group, share in ((fresh, rng.choice([0.0, 0.3, 1.0])), (changes, 0.1), (doubtful, 0.8))
        for key in group
        if rng.random() < share
    }
    if keys:
        order = [sorted(keys)[at] for at in rng.permutation(len(keys))]
        queries = [number for number, _ in order]
        answers = [{names[r]: _answer(rng, state.given[number].query.count, lean)} for number, r in order]
        session.tell(queries, answers, asker)


def _answer(rng, count, lean):
    what = rng.random()
    if what < 0.05:
        return "?"
    if what < 0.1:
        return "withdrawn"
    answered = count if what < 0.9 else int(rng.integers(count + 1))
    return (int(rng.binomial(answered, lean)), answered)
