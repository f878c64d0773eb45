"""Queries out and outcomes in as CSV files, for people and judges who answer elsewhere.

A queries file has the columns query, left, right, objective, count, outcome, one row a query and objective;
somebody fills in the outcome. Read back, only query and outcome are needed (and objective where a query asks
about several); rows may be missing, in any order, and blank outcomes are left alone. The other columns, where
present, must say what was asked, so that a file whose rows were mixed up is noticed.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from pareto.errors import BattleError
from pareto.session.queries import Query
from pareto.session.session import Answer, Session
from solvers.csv_writing import CsvWriter

COLUMNS = ("query", "left", "right", "objective", "count", "outcome")
Row = dict[str, str | int]


def query_rows(queries: Sequence[Query], models: Sequence[str], objectives: Sequence[str]) -> list[Row]:
    """The rows of a queries file, without outcomes."""
    return [
        {
            "query": query.number,
            "left": models[query.left],
            "right": models[query.right],
            "objective": objectives[objective],
            "count": query.count,
        }
        for query in queries
        for objective in query.objectives
    ]


def write_queries(
    path: Path, queries: Sequence[Query], models: Sequence[str], objectives: Sequence[str]
) -> None:
    """Write a queries file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = CsvWriter(file)
        writer.row(COLUMNS)
        writer.rows(
            [row.get(name, "") for name in COLUMNS] for row in query_rows(queries, models, objectives)
        )


def read_outcomes(path: Path, session: Session) -> tuple[list[int], list[Answer]]:
    """Queries and answers of a filled-in file, ready for `Session.tell`."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
            columns = reader.fieldnames or []
    except OSError as error:
        raise BattleError(f"{path}: {error.strerror}; check the path and its permissions") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise BattleError(f"{path} is not a CSV file in UTF-8 ({error}); save it as one") from None
    missing = [name for name in ("query", "outcome") if name not in columns]
    if missing:
        raise BattleError(
            f"{path} has no column {missing[0]!r}; it has {', '.join(columns) or 'none'}; a file written by "
            "pareto ask -o has query and outcome"
        )
    numbers: list[int] = []
    answers: list[Answer] = []
    for line, row in enumerate(rows, 2):
        outcome = (row["outcome"] or "").strip()
        if outcome:
            query, objective = _asked(row, session, f"{path}, line {line}")
            numbers.append(query.number)
            answers.append({objective: outcome} if objective is not None else outcome)
    return numbers, answers


def _asked(row: Mapping[str, str | None], session: Session, where: str) -> tuple[Query, str | None]:
    """The query that a row answers, and the objective it names; refuses what was not asked like that."""
    text = (row["query"] or "").strip()
    given = session.state.given.get(int(text)) if text.isdecimal() else None
    if given is None:
        raise BattleError(
            f"{where}: query {text!r} was not asked in this session; numbers 1 to "
            f"{session.state.next_number - 1} were"
        )
    query, task = given.query, session.setup.task
    expected = {
        "left": [task.models[query.left]],
        "right": [task.models[query.right]],
        "objective": [task.objectives[r] for r in query.objectives],
        "count": [str(query.count)],
    }
    for name, right in expected.items():
        stated = row.get(name)
        if stated is not None and stated.strip() not in right:
            raise BattleError(
                f"{where}: {name} is {stated!r}, but query {query.number} was asked with {' or '.join(right)}"
                "; put the row right, or remove the column if it means something else"
            )
    objective = row.get("objective")
    if objective is None and len(query.objectives) > 1:
        raise BattleError(
            f"{where}: query {query.number} asks about several objectives; name one in a column"
        )
    return query, None if objective is None else objective.strip()
