"""The command report: a journal as a page to read and to hand on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from certify.commands.options import (
    JournalFile,
    LabelMap,
    check_new,
    load_labels,
    split,
)
from certify.errors import PoolError
from certify.policies import POLICIES
from solvers.terminal import AsJson, emit

LARGEST_COMPARED = {"expected-gain": 2_000, "model-selector": 100_000}
"""Rows up to which policies that think at every label are compared without being asked for."""


def report(
    journal: JournalFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the page here.")] = Path(
        "report.html"
    ),
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            "-l",
            help="Known labels (id, label): also tell how few would have been enough. Nothing is recorded.",
            show_default=False,
        ),
    ] = None,
    label_map: LabelMap = None,
    policies: Annotated[
        str | None,
        typer.Option(
            "--policies",
            help="Policies to compare when every label is known, comma-separated, or all.",
            show_default=False,
        ),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            "--pictures",
            help="Also write every picture into this new folder (.png, .svg).",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """A session as one page: the verdict, its worth, how it came about, how few labels would have done.

    The page opens from disk and loads nothing from anywhere. How few labels would have done, and what other
    policies would have read, is told when labels are known: those of the session, or more with --labels.
    """
    from certify import report as reporting
    from certify.report_page.drawings import pictures as draw
    from certify.report_page.findings import find
    from certify.report_page.page import page
    from certify.session import Session

    check_new(output, pictures)
    asked = _policies(policies)
    with Session.resume(journal) as session:
        pool = session.pool
        known = None if labels is None else load_labels(labels, pool, label_map)
        compared = (
            [name for name in POLICIES if pool.n <= LARGEST_COMPARED.get(name, pool.n)]
            if asked is None
            else asked
        )
        found = find(journal, session, known, compared)
        drawn = draw(found)
        text = page(found, drawn, journal.name)
        output.write_text(text, encoding="utf-8")
        files = [] if pictures is None else _write(pictures, drawn.values())
        record: dict[str, Any] = {
            "page": str(output),
            "verdict": reporting.verdict_record(pool, session.verdict),
            "head": session.head,
            "minimum_certificate": None
            if found.anatomy is None
            else {
                **reporting.certificate_record(pool, found.anatomy.certificate),
                "all_labels_known": not found.unknown,
            },
            "beyond": None
            if found.anatomy is None or found.unknown or not found.verdict.certified
            else found.verdict.labels_read - found.anatomy.certificate.size,
            "policies": None
            if found.comparison is None
            else {name: run.labels_read for name, run in found.comparison.runs},
            "pictures": [str(file) for file in files],
            "alternative_texts": {picture.name: picture.alt for picture in drawn.values()},
        }
        emit(record, as_json, lambda: _lines(record))


def _policies(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = split(text) or []
    if names == ["all"]:
        return list(POLICIES)
    unknown = [name for name in names if name not in POLICIES]
    if unknown or not names:
        raise PoolError(
            f"--policies {text!r}: {unknown[0] if unknown else 'nothing'!r} is no policy; choose among "
            f"{', '.join(POLICIES)}, or all"
        )
    return list(dict.fromkeys(names))


def _write(folder: Path, drawn: Any) -> list[Path]:
    folder.mkdir()
    files = []
    for picture in drawn:
        for ending in (".png", ".svg"):
            files.append(folder / f"{picture.name}{ending}")
            picture.write(files[-1])
    return files


def _lines(record: dict[str, Any]) -> list[str]:
    from certify import report as reporting

    lines = [*reporting.verdict_lines(record["verdict"]), f"page {record['page']}"]
    if record["pictures"]:
        lines.append(f"pictures {', '.join(record['pictures'])}")
    return lines
