"""Commands on pool files: plan, choose, certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from certify.commands.options import (
    Classes,
    LabelMap,
    MemoryLimit,
    Objective,
    PoolFiles,
    Scores,
    Seed,
    Tolerance,
    Totals,
    check_new,
    known_totals,
    load_labels,
    load_pool,
    notify_exceeded,
    refuse_totals,
)
from certify.errors import PoolError
from certify.policies import DEFAULT_POLICY, POLICIES
from solvers.memory_limit import peak_resident
from solvers.terminal import AsJson, emit, progress

PICTURES = (".png", ".svg", ".pdf")
LabelsFile = Annotated[
    Path,
    typer.Option(
        "--labels", "-l", help="File with id and label (or the .npz with ground_truth).", show_default=False
    ),
]


def plan(
    files: PoolFiles,
    budget: Annotated[
        int | None, typer.Option("--budget", "-b", min=0, help="How many labels you could buy.")
    ] = None,
    tolerance: Tolerance = "0",
    objective: Objective = "augrc",
    classes: Classes = None,
    scores: Scores = None,
    totals: Totals = None,
    memory_limit: MemoryLimit = None,
    forecast: Annotated[
        bool,
        typer.Option(
            "--forecast/--no-forecast",
            help="Also simulate how many labels each policy will probably read; takes some seconds.",
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Before any label: which budgets are impossible, what would change that, and what to expect.

    No labels are needed or looked at. Shown: the fewest labels that could settle the choice, whatever they
    say, and for a --budget that is ruled out the smallest tolerance for which it is not; what dropping a
    candidate would change; how many labels each policy will probably read. All but the last is certain, the
    last is a forecast. Exit code 1 when --budget is ruled out.
    """
    from certify import budget as planning
    from certify import report

    refuse_totals(totals)
    pool = load_pool(files, classes, scores, objective, memory_limit)
    after_reading = peak_resident()
    found = planning.plan(pool, tolerance, budget)
    record = {**report.plan_record(pool, found), "forecast": None}
    if forecast:
        from certify.forecast import forecast as foretell

        with progress(as_json) as bars:
            task = bars.add_task("forecast")
            expected = foretell(
                pool,
                found.bound,
                tolerance=tolerance,
                progress=lambda done, total: bars.update(task, completed=done, total=total),
            )
        record["forecast"] = report.forecast_record(expected)
    emit(record, as_json, lambda: report.plan_tables(record))
    notify_exceeded(memory_limit, after_reading)
    if record["possible"] is False:
        raise typer.Exit(1)


def choose(
    files: PoolFiles,
    labels: LabelsFile,
    policy: Annotated[
        str, typer.Option("--policy", "-p", help=f"Query order: {', '.join(POLICIES)}, or all of them: all.")
    ] = DEFAULT_POLICY,
    budget: Annotated[
        int | None, typer.Option("--budget", "-b", min=0, help="Stop after this many labels.")
    ] = None,
    tolerance: Tolerance = "0",
    objective: Objective = "augrc",
    seed: Seed = 0,
    journal: Annotated[
        Path | None, typer.Option("--journal", "-j", help="Also write the run as a journal to audit.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", help="Also draw the worst-case gaps label by label (.png, .svg)."),
    ] = None,
    classes: Classes = None,
    scores: Scores = None,
    label_map: LabelMap = None,
    totals: Totals = None,
    as_json: AsJson = False,
) -> None:
    """Replay a policy on known labels: how many it reads until the choice is certain.

    Also the worth of the verdict: how many labels would have to be wrong to overturn it. With --journal the
    run is kept for certify audit, with --picture drawn. Exit code 1 when the choice is still open at the end
    (budget spent, or labels missing).
    """
    from certify import report
    from certify.replay import replay
    from certify.replay_with_totals import cut_short
    from certify.totals import Totals as ClassTotals

    if policy == "all" and (journal or picture):
        raise PoolError("--journal and --picture record one run; name one --policy for them")
    check_new(journal, picture)
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise PoolError(f"{picture}: a picture is written as {', '.join(PICTURES)}; use one of these endings")
    pool = load_pool(files, classes, scores, objective)
    known = load_labels(labels, pool, label_map)
    counts = known_totals(totals)
    known_counts = None if counts is None else ClassTotals.of(pool, counts)
    names = POLICIES if policy == "all" else (policy,)
    records = []
    with progress(as_json or len(names) == 1) as bars:
        for name in bars.track(names, description="policies"):
            run = replay(pool, known.codes, name, tolerance, budget, seed, every_row=known_counts is not None)
            if known_counts is not None:
                run = cut_short(pool, known.codes, run, known_counts, tolerance)
            found = report.run_record(pool, known.codes, run, tolerance, totals_known=bool(counts))
            records.append({"policy": name, "tolerance": tolerance, "seed": seed, **found})
    if journal:
        from certify.session import Session

        with Session(pool, policy, tolerance, seed, journal, sources=files, totals=counts) as session:
            session.tell(run.rows.tolist(), [pool.classes[code] for code in known.codes[run.rows]])
            records[0]["journal"], records[0]["head"] = str(journal), session.head
    if picture:
        from certify.pictures.excess_lines import excess_lines

        excess_lines(pool, known.codes, run, policy=policy, tolerance=tolerance).write(picture)
        records[0]["picture"] = str(picture)
    record = {"pool": report.pool_record(pool), "runs": records}
    emit(record, as_json, lambda: [report.policies_table(records, pool.n), *report.run_lines(records)])
    if not all(run_record["certified"] for run_record in records):
        raise typer.Exit(1)


def certificate(
    files: PoolFiles,
    labels: LabelsFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the proof here.", show_default=False)
    ] = None,
    problem: Annotated[
        Path | None,
        typer.Option(
            "--problem", help="Also write the covering problem, for the standalone checker (.csv or .cover)."
        ),
    ] = None,
    tolerance: Tolerance = "0",
    objective: Objective = "augrc",
    backend: Annotated[
        str, typer.Option("--backend", help="Who solves the covering program; see solvers list.")
    ] = "auto",
    classes: Classes = None,
    scores: Scores = None,
    label_map: LabelMap = None,
    totals: Totals = None,
    memory_limit: MemoryLimit = None,
    as_json: AsJson = False,
) -> None:
    """Afterwards: how few labels would have been enough, with a proof that anybody can check.

    The proof (-o) is a short JSON text, to be checked by certify audit with pool and labels, or, with the
    covering problem written by --problem, by solvers check or python solvers/checker.py. Where the search is
    cut short the answer is a proven bracket. Labels that certify nobody are an error.
    """
    from certify import report
    from certify.certificate import minimum_certificate
    from certify.tolerance import exact_tolerance

    refuse_totals(totals)
    check_new(output, problem)
    if problem is not None and problem.suffix.lower() == ".csv" and exact_tolerance(tolerance):
        raise PoolError(
            f"{problem}: with a tolerance there is one covering problem a candidate and a CSV file holds "
            "one; use another ending, such as .cover"
        )
    pool = load_pool(files, classes, scores, objective, memory_limit)
    after_reading = peak_resident()
    known = load_labels(labels, pool, label_map)
    found = minimum_certificate(pool, known, tolerance, backend)
    if output is not None:
        found.write_proof(output)
    if problem is not None:
        found.write_problem(problem)
    record = {
        **report.certificate_record(pool, found),
        "proof": None if output is None else str(output),
        "problem": None if problem is None else str(problem),
    }
    emit(record, as_json, lambda: [report.certificate_table(record, output or "not written (use -o PROOF)")])
    notify_exceeded(memory_limit, after_reading)
