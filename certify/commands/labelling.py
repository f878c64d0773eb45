"""Commands of a labelling session: start, ask, tell, label, status."""

from __future__ import annotations

import getpass
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from certify.classes import class_text, shorten
from certify.commands.options import (
    Asker,
    Classes,
    JournalFile,
    LabelMap,
    Objective,
    PolicyName,
    PoolFiles,
    Scores,
    Seed,
    Tolerance,
    Totals,
    check_new,
    known_totals,
    load_labels,
    load_pool,
    mapping,
)
from certify.errors import PoolError
from certify.policies import DEFAULT_POLICY
from certify.risks import UNLABELLED, Codes
from solvers.terminal import AsJson, console, emit, grid

if TYPE_CHECKING:
    from certify.pool import Pool
    from certify.session import Session


def start(
    journal: JournalFile,
    files: PoolFiles,
    policy: PolicyName = DEFAULT_POLICY,
    tolerance: Tolerance = "0",
    objective: Objective = "augrc",
    seed: Seed = 0,
    owned: Annotated[
        Path | None, typer.Option("--owned", help="Labels you already have (id, label).", show_default=False)
    ] = None,
    classes: Classes = None,
    scores: Scores = None,
    label_map: LabelMap = None,
    totals: Totals = None,
    as_json: AsJson = False,
) -> None:
    """Open a labelling session: freeze the pool, the policy and the tolerance in a new journal.

    The pool files are not needed again. Note the chain head that is printed: an audit can then tell whether
    the journal was rewritten. Then: certify label, or certify ask and certify tell.
    """
    from certify import report
    from certify.session import Session

    check_new(journal)
    pool = load_pool(files, classes, scores, objective)
    known = None if owned is None else load_labels(owned, pool, label_map)
    counts = known_totals(totals)
    with Session(
        pool, policy, tolerance, seed, journal, owned=known, sources=files, totals=counts
    ) as session:
        record = report.status_record(session)
        emit(
            record,
            as_json,
            lambda: [report.status_table(record), report.head_line(record), f"next: certify label {journal}"],
        )


def ask(
    journal: JournalFile,
    m: Annotated[int, typer.Option("-m", "--rows", min=1, help="How many rows to hold at once.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the rows as a CSV file to fill in, or, to a .json file, as tasks for Label Studio.",
            show_default=False,
        ),
    ] = None,
    asker: Asker = None,
    as_json: AsJson = False,
) -> None:
    """Which rows to label next. Asking again before answering gives the same rows.

    Rows are leased to the asker for an hour, so that two people never label the same one. Tasks for Label
    Studio come with a labelling interface to paste into the project; its JSON export goes to certify tell.
    """
    from certify import report
    from certify.label_files import is_label_studio, write_rows
    from certify.session import Session

    check_new(output)
    with Session.resume(journal, asker=asker or _user()) as session:
        rows = session.ask(m)
        pool = session.pool
        shown = [] if pool.display is None else list(pool.display.columns)
        listed = [{"id": pool.ids[row], **pool.shown(row)} for row in rows]
        interface: list[str] = []
        if output is not None:
            write_rows(output, pool, rows)
            if is_label_studio(output):
                from certify.label_studio import labelling_interface

                interface = [labelling_interface(pool)]
        verdict = report.verdict_record(pool, session.verdict)
        record = {"rows": listed, "verdict": verdict}
        if interface:
            record["labelling_interface"] = interface[0]
        emit(
            record,
            as_json,
            lambda: [
                grid("Label next", ["id", *shown], [list(row.values()) for row in listed])
                if listed
                else _nothing(session),
                *interface,
                *report.verdict_lines(verdict),
            ],
        )


def tell(
    journal: JournalFile,
    answers: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID=LABEL…", help="Answers; ID=? where nobody can tell.", show_default=False),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            "-l",
            help="A file with id and label, or a JSON export of Label Studio.",
            show_default=False,
        ),
    ] = None,
    label_map: LabelMap = None,
    asker: Asker = None,
    as_json: AsJson = False,
) -> None:
    """Record labels: all of the call or, when one of them is wrong, none.

    Rows that were never asked may be told. A second, different label for a row is a correction. Blank labels
    of a file are left alone; ? skips the row. Prints the verdict as it is then.
    """
    from certify import report
    from certify.session import Session

    if not answers and labels is None:
        raise PoolError("nothing told; give ID=LABEL, or --labels FILE")
    with Session.resume(journal, asker=asker or _user()) as session:
        pool, renamed = session.pool, mapping(label_map) or {}
        rows: list[int] = []
        values: list[str] = []
        for answer in answers or ():
            name, label = _split_answer(pool, answer)
            rows.append(_row(pool, name))
            text = class_text(label)
            values.append("?" if text is None else renamed.get(text, text))
        if labels is not None:
            known = load_labels(labels, pool, label_map)
            for row in known.rows:
                rows.append(int(row))
                values.append(pool.classes[known.codes[row]])
            for row in known.unknown:
                rows.append(int(row))
                values.append("?")
        session.tell(rows, values)
        record = {"told": len(rows), **report.verdict_record(pool, session.verdict), "head": session.head}
        emit(record, as_json, lambda: report.verdict_lines(record))


def export(
    journal: JournalFile,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .csv (id, label), or .json for Label Studio.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Write the labels read so far, as a file that --labels and --owned take.

    Rows that were skipped are marked ? (in Label Studio's JSON: cancelled). Audits take CSV only.
    """
    from certify.classes import Labels
    from certify.label_files import write_labels
    from certify.session import Session

    check_new(output)
    with Session.resume(journal) as session:
        labels = Labels(session.labels, np.array(session.skipped, dtype=np.int64))
        write_labels(output, session.pool, labels)
        read, skipped = len(labels.rows), len(labels.unknown)
        record = {"labels": read, "skipped": skipped, "output": str(output), "head": session.head}
        emit(record, as_json, lambda: [f"{output}: {read:,} labels and {skipped:,} skipped rows"])


def status(journal: JournalFile, as_json: AsJson = False) -> None:
    """Where a session stands: verdict, gap, labels read, how many more at least, chain head.

    Nothing is recorded. Exit code 0 whether the choice is open or certain; --json has it as certified.
    """
    from certify import report
    from certify.session import Session

    with Session.resume(journal) as session:
        record = report.status_record(session)
        emit(record, as_json, lambda: [report.status_table(record), report.head_line(record)])


def label(journal: JournalFile, asker: Asker = None) -> None:
    """Label in the terminal until the choice is settled.

    Rows come one by one, in the order of the policy, with whatever other columns the pool files have. Answer
    with a class, ? if you cannot tell, u to correct the last answer, q to stop. Every answer is kept at once;
    go on whenever you like.
    """
    from certify import report
    from certify.session import Session

    out = console()
    with Session.resume(journal, asker=asker or _user()) as session:
        pool = session.pool
        needed = _StillNeeded()
        out.print(report.pool_line(report.pool_record(pool)))
        stop, undo = (key if key not in pool.classes else f":{key}" for key in "qu")
        out.print(f"answer with a label; ? = cannot tell, {undo} = correct the last answer, {stop} = stop")
        last: int | None = None
        again: int | None = None
        try:
            while True:
                rows = [again] if again is not None else session.ask(1)
                if not rows:
                    break
                (row,) = rows
                out.print(_progress_line(session, needed.now(session)), style="dim")
                out.print(pool.ids[row], style="bold", soft_wrap=True)
                for name, cell in pool.shown(row).items():
                    out.print(f"  {name}: {cell}")
                answer = input(f"label ({'/'.join(pool.classes[:12])}): ").strip()
                if answer == stop:
                    break
                if answer == undo:
                    again = last
                    if last is None:
                        out.print("nothing was answered yet")
                    continue
                if not answer:
                    continue
                if (text := class_text(answer)) is not None and text not in pool.classes:
                    out.print(f"not recorded: {answer!r} is none of {shorten(pool.classes, 12)}")
                    continue
                session.tell([row], [answer])
                last, again = row, None
        except (EOFError, KeyboardInterrupt):
            out.print()
        except RuntimeError:  # standard input was closed before the start
            out.print("there is no input to read answers from")
        record = report.verdict_record(pool, session.verdict)
        for line in report.verdict_lines(record):
            out.print(line, soft_wrap=True)
        out.print(f"everything is kept in {journal} · chain head {session.head}", soft_wrap=True)


class _StillNeeded:
    """The live lower bound on further labels, recomputed no more often than it is worth.

    One label lowers the true value by at most one, so the last value less the labels read since is a
    bound as well – unless a label was corrected in between.
    """

    def __init__(self) -> None:
        self.value: int | None = None
        self.labels: Codes | None = None
        self.cost = 0.0

    def now(self, session: Session) -> int | None:
        labels = session.labels
        if self.value is not None and self.labels is not None and self.cost > 0.02:
            known = self.labels != UNLABELLED
            since = int(np.count_nonzero(labels != UNLABELLED)) - int(np.count_nonzero(known))
            if since < 50 and np.array_equal(self.labels[known], labels[known]):
                return max(1, self.value - since)
        begin = time.perf_counter()
        self.value, self.labels = session.verdict.at_least, labels
        self.cost = time.perf_counter() - begin
        return self.value


def _progress_line(session: Session, needed: int | None) -> str:
    from certify import report

    verdict = session.verdict
    more = "skipped rows keep it open" if needed is None else f"at least {needed:,} more"
    return (
        f"{verdict.labels_read:,} read · {more} · leading: {session.pool.names[verdict.winner]} "
        f"(within {report.gap_text(verdict.gap)})"
    )


def _nothing(session: Session) -> str:
    """Why there is no row to label."""
    if session.verdict.certified:
        return "nothing to label: the choice is certain"
    held = session.leases
    if held:
        return f"nothing to label now: {len(held):,} rows are held by {shorten(sorted(set(held.values())))}"
    return "nothing to label: every row is read or was skipped"


def _split_answer(pool: Pool, answer: str) -> tuple[str, str]:
    """ID and LABEL of ID=LABEL; either may contain the sign, so the first split with a known id counts."""
    places = [at for at, letter in enumerate(answer) if letter == "="]
    for at in places:
        if answer[:at].strip() in pool.position:
            return answer[:at].strip(), answer[at + 1 :]
    if not places or not places[-1]:
        raise PoolError(f"{answer!r} is not ID=LABEL; write for example {pool.ids[0]}={pool.classes[0]}")
    return answer[: places[-1]], answer[places[-1] + 1 :]


def _row(pool: Pool, name: str) -> int:
    row = pool.position.get(name)
    if row is None:
        raise PoolError(f"no row has the id {name!r}; ids look like {pool.ids[0]!r}")
    return row


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "annotator"
