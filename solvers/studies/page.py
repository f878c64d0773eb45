"""One page with every table and figure of a package's studies: plain HTML with the pictures inside."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from solvers.studies.catalogue import Catalogue
from solvers.studies.engine import Outcome
from solvers.studies.study import Line, Picture

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2129; --dim: #5d6673; --rule: #d5dae1; --ground: #fff;
  --bad: #b3261e; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa4b2; --rule: #3a424e;
  --ground: #15181d; --bad: #ff8a80; --good: #6fcf97; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin-top: 3rem; border-top: 1px solid var(--rule); padding-top: 1.2rem; }
nav ul { columns: 18rem; padding-left: 1.2rem; }
a { color: inherit; }
.dim, figcaption { color: var(--dim); font-size: 0.9rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: 0.92rem;
  margin: 0.6rem 0 1.4rem; overflow-wrap: break-word; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 1rem 0.3rem 0;
  border-bottom: 1px solid var(--rule); }
th:nth-child(1) { width: 28%; }
th:nth-child(2), th:nth-child(3) { width: 23%; }
td:nth-child(2), td:nth-child(3) { font-variant-numeric: tabular-nums; }
td:nth-child(4) { color: var(--dim); }
@media (max-width: 40rem) {
  thead { display: none; }
  tr { display: grid; grid-template-columns: 1fr 1fr; border-bottom: 1px solid var(--rule); }
  td { border: 0; padding: 0.15rem 0.6rem 0.15rem 0; }
  td:nth-child(1), td:nth-child(4) { grid-column: 1 / -1; }
  td:nth-child(1) { padding-top: 0.5rem; }
  td:nth-child(2)::before { content: "ours "; color: var(--dim); }
  td:nth-child(3)::before { content: "paper "; color: var(--dim); }
  td:nth-child(3):empty::before { content: ""; }
}
.bad { color: var(--bad); font-weight: 600; }
.good { color: var(--good); }
figure { margin: 1.4rem 0; }
figure img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
"""

_KINDS = {".png": "image/png", ".svg": "image/svg+xml"}


def write_page(path: Path, catalogue: Catalogue, outcomes: Sequence[Outcome]) -> None:
    """Write the page for these studies; it needs no other file and no network."""
    path.write_text("".join(_page(catalogue, outcomes)), encoding="utf-8")


def _page(catalogue: Catalogue, outcomes: Sequence[Outcome]) -> Iterator[str]:
    claims = [line.holds for outcome in outcomes for line in outcome.lines if line.holds is not None]
    minutes = sum({o.results: o.seconds for o in outcomes}.values()) / 60
    title = escape(catalogue.title)
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>{catalogue.introduction} {sum(claims)} of {len(claims)} claims checked here hold "
        '(<span class="good">✓</span>; <span class="bad">✗</span> where one does not). '
        f"{minutes:.0f} minutes of processor time.</p>\n<nav><ul>\n"
    )
    for outcome in outcomes:
        yield f'<li><a href="#{escape(outcome.study.name)}">{escape(outcome.study.title)}</a></li>\n'
    yield "</ul></nav>\n"
    for outcome in outcomes:
        yield from _section(catalogue.command, outcome)
    yield "</body>\n</html>\n"


def _section(command: str, outcome: Outcome) -> Iterator[str]:
    study = outcome.study
    yield f'<section id="{escape(study.name)}">\n<h2>{escape(study.title)}</h2>\n'
    part_only = "" if outcome.pieces == outcome.of else f", {outcome.pieces} of {outcome.of} pieces"
    yield (
        f'<p class="dim"><code>{command} reproduce {escape(study.name)}</code>{part_only}; every row of '
        f"its results is in {escape(outcome.results.name)}</p>\n"
    )
    for part, lines in groupby(outcome.lines, key=lambda line: line.part):
        yield from _table(part, list(lines))
    for picture in outcome.pictures:
        yield _figure(picture)
    yield "</section>\n"


def _table(part: str, lines: Sequence[Line]) -> Iterator[str]:
    yield "<table>\n"
    if part:
        yield f"<caption>{escape(part)}</caption>\n"
    yield "<thead><tr><th></th><th>ours</th><th>paper</th><th>note</th></tr></thead>\n<tbody>\n"
    for line in lines:
        mark = {None: "", True: ' <span class="good">✓</span>', False: ' <span class="bad">✗</span>'}
        yield (
            f"<tr><td>{escape(line.quantity)}</td><td>{escape(line.ours)}{mark[line.holds]}</td>"
            f"<td>{escape(line.paper)}</td><td>{escape(line.note)}</td></tr>\n"
        )
    yield "</tbody>\n</table>\n"


def _figure(picture: Picture) -> str:
    content = base64.b64encode(picture.path.read_bytes()).decode("ascii")
    source = f"data:{_KINDS[picture.path.suffix]};base64,{content}"
    caption = escape(picture.caption)
    return f'<figure><img src="{source}" alt="{caption}">\n<figcaption>{caption}</figcaption></figure>\n'
