"""Commands of a comparison session: start, ask, tell, status."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pareto.commands.options import (
    Asker,
    Cap,
    Delta,
    JournalFile,
    Margin,
    Method,
    Seed,
    check_new,
    name_list,
    user,
)
from pareto.errors import BattleError
from solvers.terminal import AsJson, emit

ROWS_SHOWN = 40


def start(
    journal: JournalFile,
    models: Annotated[
        str,
        typer.Option("--models", help="Names with commas, or a file with one a line.", show_default=False),
    ],
    objectives: Annotated[
        str,
        typer.Option(
            "--objectives", help="Names with commas, or a file with one a line.", show_default=False
        ),
    ],
    method: Method = "interval",
    delta: Delta = 0.05,
    seed: Seed = 0,
    max_comparisons: Cap = None,
    margin: Margin = 0.0,
    joint: Annotated[
        bool, typer.Option("--joint", help="One showing answers all objectives and costs one comparison.")
    ] = False,
    ordered: Annotated[
        bool,
        typer.Option(
            "--ordered",
            help="You declare: on every objective the better of two models wins more often than not, by one "
            "order of all models. duel, commit and track-and-stop need it.",
        ),
    ] = False,
    ties: Annotated[
        str | None,
        typer.Option("--ties", help="half: a tie is half a win. refuse: it is refused.", show_default="half"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Open a session: freeze models, objectives, method, δ and seed in a new journal.

    Printed: what the method will claim, what it assumes, how many comparisons the first round wants, and the
    chain head; note it elsewhere. Then: pareto ask, pareto tell, until pareto status says it is decided.
    """
    from pareto import report
    from pareto.session import Session

    check_new(journal)
    with Session(
        name_list(models, "model"),
        name_list(objectives, "objective"),
        method,
        delta,
        seed,
        journal,
        max_comparisons=max_comparisons,
        margin=margin,
        joint=joint,
        ordered=ordered,
        ties=ties,
    ) as session:
        record = report.status_record(session)
        unit = "showings" if joint else "comparisons"
        emit(
            record,
            as_json,
            lambda: [
                f"{len(record['models'])} models, {len(record['objectives'])} objectives, {method}: "
                f"{report.promise(method, delta)}",
                f"Assumes: {record['assumptions']}",
                f"The first round wants {record['round_still_wants']:,} {unit}.",
                f"chain head {session.head}",
                f"next: pareto ask {journal}",
            ],
        )


def ask(
    journal: JournalFile,
    m: Annotated[int, typer.Option("-n", "--queries", min=1, help="How many queries to hold at once.")] = 1,
    everything: Annotated[
        bool, typer.Option("--all", help="Everything the round wants, in queries of many comparisons each.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the queries as a CSV file to fill in.", show_default=False
        ),
    ] = None,
    asker: Asker = None,
    as_json: AsJson = False,
) -> None:
    """Which comparisons to make next. Asking again before answering gives the same.

    Each names a left and a right model, in shuffled order, and an objective. Queries are leased to the asker
    for an hour, so that two people never get the same one.
    """
    from pareto import report
    from pareto.session import Session
    from pareto.session.exchange import query_rows, write_queries

    check_new(output)
    with Session.resume(journal, asker=asker or user()) as session:
        queries = session.ask(None if everything else m)
        task = session.setup.task
        rows = query_rows(queries, task.models, task.objectives)
        if output is not None:
            write_queries(output, queries, task.models, task.objectives)
        record = {"queries": rows, **report.status_record(session)}

        def shown() -> list[Any]:
            if not rows:
                return [_nothing(session), *report.result_lines(record)]
            if output is not None:
                return [
                    f"{len(rows):,} rows in {output}; fill in the column outcome, then: "
                    f"pareto tell {journal} --outcomes {output}"
                ]
            listed = [[str(value) for value in row.values()] for row in rows[:ROWS_SHOWN]]
            more = f"and {len(rows) - ROWS_SHOWN:,} more; -o writes them to a file"
            return [
                report.grid("Which is better?", list(rows[0]), listed, right=4),
                *([more] if len(rows) > ROWS_SHOWN else []),
            ]

        emit(record, as_json, shown)


def tell(
    journal: JournalFile,
    answers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY=OUTCOME…",
            help="left, right, tie, ? (cannot tell), withdrawn, or points of the left model; "
            "QUERY:OBJECTIVE=OUTCOME where a query asks about several.",
            show_default=False,
        ),
    ] = None,
    outcomes: Annotated[
        Path | None,
        typer.Option(
            "--outcomes",
            help="A CSV file with query and outcome, such as pareto ask -o writes.",
            show_default=False,
        ),
    ] = None,
    asker: Asker = None,
    as_json: AsJson = False,
) -> None:
    """Record outcomes: all of the call or, when one of them is wrong, none.

    Another outcome for a query is a correction, accepted until its round is judged. Outcomes that come late
    are kept, and used where the round still needs them.
    """
    from dataclasses import asdict

    from pareto import report
    from pareto.session import Answer, Session
    from pareto.session.exchange import read_outcomes

    if not answers and outcomes is None:
        raise BattleError("nothing told; give QUERY=OUTCOME, or --outcomes FILE")
    with Session.resume(journal, asker=asker or user()) as session:
        numbers: list[int] = []
        values: list[Answer] = []
        for answer in answers or ():
            number, objective, outcome = _split_answer(answer)
            numbers.append(number)
            values.append(outcome if objective is None else {objective: outcome})
        if outcomes is not None:
            more, read = read_outcomes(outcomes, session)
            numbers += more
            values += read
        receipt = session.tell(numbers, values)
        record = {"told": asdict(receipt), **report.status_record(session)}
        emit(
            record,
            as_json,
            lambda: [report.receipt_line(receipt), *report.status_lines(record)],
        )


def status(
    journal: JournalFile,
    forecast: Annotated[
        int,
        typer.Option(
            "--forecast", min=0, help="Simulate so many runs from the present estimates: how much remains?"
        ),
    ] = 0,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Where a session stands: every model's status and why, open questions, position bias, chain head.

    Nothing is recorded. Exit code 0 whether the session is open or decided.
    """
    from pareto import report
    from pareto.session import Session
    from pareto.session.forecast import forecast_line, forecast_record

    with Session.resume(journal) as session:
        record = report.status_record(session)
        if forecast and not session.done:
            record["forecast"] = forecast_record(session, forecast, seed)
        emit(
            record,
            as_json,
            lambda: [
                report.models_table(record),
                report.LEGEND,
                *report.status_lines(record),
                *([forecast_line(record["forecast"])] if "forecast" in record else []),
            ],
        )


def _nothing(session: Any) -> str:
    """Why there is no query."""
    if session.done:
        return "nothing to compare any more"
    held = session.leases
    names = ", ".join(sorted(set(held.values())))
    return f"nothing to compare now: {len(held):,} queries are with {names}"


def _split_answer(answer: str) -> tuple[int, str | None, str]:
    """Number, objective where one is named, and outcome."""
    asked, sign, outcome = answer.rpartition("=")
    number, colon, objective = asked.partition(":")
    if not sign or not number.strip().isdecimal():
        raise BattleError(f"{answer!r} is not QUERY=OUTCOME; write for example 1=left")
    return int(number), objective.strip() if colon else None, outcome
