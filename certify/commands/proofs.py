"""Commands that show or check claims: audit, demo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.commands.options import (
    Classes,
    LabelMap,
    Scores,
    load_labels,
    mapping,
    notify,
    split,
)
from certify.errors import PoolError
from certify.policies import DEFAULT_POLICY, POLICIES
from solvers.terminal import AsJson, console, emit, facts, grid, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

    from certify.audit.report import AuditReport


def audit(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Pool files (in tie order) and a journal, a proof or both; labels may be among them.",
            show_default=False,
        ),
    ],
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            "-l",
            help="Labels (id, label) that a journal must agree with; a proof needs them.",
            show_default=False,
        ),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            "--head",
            help="The journal's chain head as you noted it elsewhere; must match.",
            show_default=False,
        ),
    ] = None,
    classes: Classes = None,
    scores: Scores = None,
    label_map: LabelMap = None,
    as_json: AsJson = False,
) -> None:
    """Re-derive every claim of a journal or a proof in plain integers, with none of the code that made it.

    Which file is what is found by content. Without pool files a journal is checked against itself alone;
    without --head one that was rewritten as a whole passes. A proof needs pool and labels. Stops at the first
    lie with exit code 1.
    """
    from certify.audit import audit as check

    with _audit_progress(as_json) as shown:
        report = check(
            files,
            labels=labels,
            head=head,
            classes=split(classes),
            scores=split(scores),
            label_map=mapping(label_map),
            progress=shown,
        )
    emit(_audit_record(report), as_json, lambda: _audit_parts(report))
    if not report.ok:
        raise typer.Exit(1)


def demo(
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="New folder for journal, proof and picture.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The whole job on a real pool: which confidence score of a CIFAR-10 network is best?

    10,000 test images, one VGG-16 network, three confidence scores. The known labels play the annotator:
    plan, replay of every policy, a session, the minimum certificate, and an audit of both. Journal, proof and
    picture are kept. Takes some seconds.
    """
    from certify import budget as planning
    from certify import report
    from certify.audit import audit as check
    from certify.bundled import CIFAR10_VGG16, CONFIDENCE_SCORES
    from certify.certificate import minimum_certificate
    from certify.pictures.excess_lines import excess_lines
    from certify.reading.files import read_pool
    from certify.replay import replay
    from certify.session import Session

    place = _fresh_folder(folder)
    out = console()

    def say(part: RenderableType, style: str | None = None) -> None:
        if not as_json:
            out.print(part, style=style)

    pool = read_pool([CIFAR10_VGG16], scores=CONFIDENCE_SCORES)
    known = load_labels(CIFAR10_VGG16, pool)
    notify(pool.notices)
    say("Which confidence score of this network accepts its mistakes last?", "bold")
    plan = report.plan_record(pool, planning.plan(pool, "0", budget=1000))
    for table in report.plan_tables(plan):
        say(table)

    runs = []
    with progress(as_json) as bars:
        for policy in bars.track(POLICIES, description="policies"):
            run = replay(pool, known.codes, policy)
            runs.append({"policy": policy, **report.run_record(pool, known.codes, run)})
            if policy == DEFAULT_POLICY:
                chosen = run
    say(report.policies_table(runs, pool.n))

    journal, proof, picture = (
        place / name for name in ("cifar10.journal", "cifar10.proof.json", "cifar10.png")
    )
    with (
        progress(as_json) as bars,
        Session(pool, DEFAULT_POLICY, "0", 0, journal, sources=[CIFAR10_VGG16]) as session,
    ):
        task = bars.add_task("labelling", total=chosen.labels_read)
        rows = chosen.rows.tolist()
        for at in range(0, len(rows), 500):
            part = rows[at : at + 500]
            session.tell(part, [pool.classes[known.codes[row]] for row in part])
            bars.advance(task, len(part))
        verdict = report.verdict_record(pool, session.verdict)
        head = session.head
    for line in report.verdict_lines(verdict):
        say(line)

    certificate = minimum_certificate(pool, known)
    certificate.write_proof(proof)
    minimum = {**report.certificate_record(pool, certificate), "proof": str(proof)}
    say(report.certificate_table(minimum, proof))
    with _audit_progress(as_json) as shown:
        audited = check(
            [CIFAR10_VGG16, journal, proof],
            labels=CIFAR10_VGG16,
            head=head,
            scores=list(CONFIDENCE_SCORES),
            progress=shown,
        )
    for part in [_audit_line(audited)] if audited.ok else _audit_parts(audited):
        say(part)
    excess_lines(
        pool,
        known.codes,
        chosen,
        policy=DEFAULT_POLICY,
        bound=plan["bound"],
        certificate=certificate.size,
    ).write(picture)
    files = {"journal": str(journal), "proof": str(proof), "picture": str(picture)}
    record = {
        "plan": plan,
        "runs": runs,
        "verdict": verdict,
        "certificate": minimum,
        "audit": _audit_record(audited),
        "files": files,
    }
    emit(record, as_json, lambda: [facts("Files", files.items())])
    if not audited.ok:
        raise typer.Exit(1)


def _fresh_folder(wanted: Path | None) -> Path:
    """`wanted`, newly made; else the first free one of certify-demo, certify-demo-2, …"""
    if wanted is not None:
        if wanted.exists() and (not wanted.is_dir() or any(wanted.iterdir())):
            raise PoolError(f"{wanted} is there already and not an empty folder; name a new one")
        wanted.mkdir(parents=True, exist_ok=True)
        return wanted
    number = 1
    while True:
        place = Path("certify-demo" if number == 1 else f"certify-demo-{number}")
        if not place.exists():
            place.mkdir()
            return place
        number += 1


def _audit_record(report: AuditReport) -> dict[str, Any]:
    return {
        "ok": report.ok,
        "checks": [
            {"file": check.file, "name": check.name, "ok": check.ok, "detail": check.detail}
            for check in report.checks
        ],
    }


def _audit_parts(report: AuditReport) -> list[RenderableType]:
    from rich.text import Text

    files = dict.fromkeys(check.file for check in report.checks)
    parts: list[RenderableType] = [
        grid(
            f"Audit of {file}",
            ("", "check", "found"),
            [
                (Text("ok", "green") if check.ok else Text("LIE", "bold red"), check.name, check.detail)
                for check in report.checks
                if check.file == file
            ],
        )
        for file in files
    ]
    return [*parts, _audit_line(report)]


def _audit_line(report: AuditReport) -> str:
    failure = report.first_failure
    if failure is not None:
        return f"audit FAILED on {failure.file} at: {failure.name}"
    counts = {
        file: sum(check.file == file for check in report.checks) for file in (c.file for c in report.checks)
    }
    listed = ", ".join(f"{count} checks of {file}" for file, count in counts.items())
    return f"audit passed: {listed}"


@contextmanager
def _audit_progress(hidden: bool) -> Iterator[Callable[[str, int, int], None]]:
    with progress(hidden) as bars:
        tasks: dict[str, Any] = {}

        def shown(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield shown
