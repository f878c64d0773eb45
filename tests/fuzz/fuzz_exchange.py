"""Score files, and filled-in queries that are told to a session."""

from __future__ import annotations

import csv
import io

from pareto.errors import BattleError
from pareto.scorefile import read_scores
from pareto.session.exchange import COLUMNS, query_rows, read_outcomes
from tests.fuzz.mutations import changed_table, damaged, damaged_lines, recoded, written
from tests.fuzz.property import Case, Reader
from tests.pareto.voting import MODELS, OBJECTIVES, open_session


def _spelled(rng, path, header, rows):
    change = rng.randrange(4)
    if change == 0:
        path.write_bytes(damaged(rng, written(rng, header, rows, plain=True).encode()))
    elif change == 1:
        path.write_text(damaged_lines(rng, written(rng, header, rows, plain=True)), newline="")
    elif change == 2 and rng.random() < 0.1:
        path.write_bytes(recoded(rng, written(rng, header, rows, plain=True)))
    else:
        path.write_text(written(rng, *changed_table(rng, header, rows), plain=rng.random() < 0.7), newline="")


def scores(rng, folder):
    header = ["model", "code", "math"]
    rows = [
        [name, *(rng.choice(("0.5", "-1", "1e-3", repr(rng.random()))) for _ in range(2))] for name in "abcd"
    ]
    path = folder / "scores.csv"
    _spelled(rng, path, header, rows)

    def read():
        table = read_scores(path)
        return table.models, table.objectives, [[float(value).hex() for value in row] for row in table.scores]

    def check(answer):
        text = path.read_bytes().decode("utf-8-sig")
        lines = [
            line for line in csv.reader(io.StringIO(text, newline="")) if any(cell.strip() for cell in line)
        ]
        numbers = [[float(cell).hex() for cell in line[1:]] for line in lines[1:]]
        by_hand = (
            tuple(line[0].strip() for line in lines[1:]),
            tuple(name.strip() for name in lines[0][1:]),
            numbers,
        )
        return None if by_hand == answer else f"by hand {by_hand}"

    return Case(read, check)


def outcomes(rng, folder):
    """Answers to a round of queries; what is not refused is told, and told again, to a session."""
    method = rng.choice(("vb-ege", "interval", "duel"))
    joint = rng.random() < 0.5
    seed = rng.randrange(1000)

    def fresh():
        session = open_session(method, joint=joint)
        return session, session.ask(1 + seed % 7)

    _, queries = fresh()
    answers = ("left", "right", "tie", "", "skip", "model_a", "a", "b")
    rows = [[str(row.get(name, "")) for name in COLUMNS[:-1]] + [rng.choice(answers)]
            for row in query_rows(queries, MODELS, OBJECTIVES)]  # fmt: skip
    path = folder / "queries.csv"
    _spelled(rng, path, list(COLUMNS), rows)

    def read():
        session, _ = fresh()
        numbers, given = read_outcomes(path, session)
        before = session.comparisons, len(session.state.given)
        try:
            receipt = session.tell(numbers, given)
        except BattleError:
            assert before == (session.comparisons, len(session.state.given)), (
                "a refused call recorded something"
            )
            raise
        again = session.tell(numbers, given) if session.comparisons else None
        return numbers, given, receipt, session.comparisons, again is None or again.used == 0

    def check(answer):
        numbers, _, receipt, used, idle = answer
        if not idle:
            return "told again, answers were used again"
        if (used > receipt.used if joint else used != receipt.used) or used > sum(
            query.count * len(query.objectives) for query in queries
        ):
            return f"{used} comparisons used, the receipt says {receipt}"
        asked = {query.number for query in queries}
        return None if set(numbers) <= asked else f"{numbers} were not all asked"

    return Case(read, check)


READERS = [Reader("scores", (BattleError,), scores), Reader("exchange", (BattleError,), outcomes)]
