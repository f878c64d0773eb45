"""What the commands say: plain records (for ``--json``) and the tables drawn from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.budget import IMPOSSIBLE, Plan
from certify.tolerance import decimal_text

if TYPE_CHECKING:
    from rich.table import Table

    from certify.certificate import Certificate
    from certify.pool import Pool
    from certify.replay import Replay
    from certify.session import Session
    from certify.verdict import Verdict

Record = dict[str, Any]


def pool_record(pool: Pool) -> Record:
    return {
        "rows": pool.n,
        "candidates": list(pool.names),
        "kind": pool.kind,
        "classes": len(pool.classes),
        "notices": list(pool.notices),
    }


def plan_record(pool: Pool, plan: Plan) -> Record:
    pairs = {
        pool.names[k]: {
            pool.names[j]: None if plan.requirements[j, k] == IMPOSSIBLE else int(plan.requirements[j, k])
            for j in range(pool.candidates)
            if j != k
        }
        for k in range(pool.candidates)
    }
    return {
        "pool": pool_record(pool),
        "tolerance": decimal_text(plan.tolerance),
        "bound": plan.bound,
        "fewest_labels_for": pairs,
        "bound_without": None if plan.without is None else dict(zip(pool.names, plan.without, strict=True)),
        "budget": plan.budget,
        "possible": plan.possible,
        "smallest_tolerance": None
        if plan.smallest_tolerance is None
        else {"value": decimal_text(plan.smallest_tolerance), "itself_included": not plan.open_end},
    }


def gap_record(gap: Fraction) -> Record:
    return {"exact": str(gap), "approximately": float(gap)}


def answer_record(pool: Pool, answer: Verdict | Replay) -> Record:
    return {
        "certified": answer.certified,
        "winner": pool.names[answer.winner],
        "gap": gap_record(answer.gap),
        "labels_read": answer.labels_read,
        "rows": pool.n,
    }


def verdict_record(pool: Pool, verdict: Verdict) -> Record:
    return {**answer_record(pool, verdict), "at_least": verdict.at_least}


def certificate_record(pool: Pool, certificate: Certificate) -> Record:
    return {
        "winner": pool.names[certificate.winner],
        "tolerance": decimal_text(certificate.tolerance),
        "size": certificate.size,
        "lower_bound": certificate.lower_bound,
        "proven_minimum": certificate.proven,
        "rows": pool.n,
        "ids": [pool.ids[row] for row in certificate.rows],
    }


def status_record(session: Session) -> Record:
    return {
        **verdict_record(session.pool, session.verdict),
        "pool": pool_record(session.pool),
        "policy": session.policy,
        "tolerance": decimal_text(session.tolerance),
        "seed": session.seed,
        "skipped": len(session.skipped),
        "leased": len(session.leases),
        "head": session.head,
    }


def share(count: int, n: int) -> str:
    """``1,860 of 10,000 (18.6 %)``."""
    return f"{count:,} of {n:,} ({100 * count / n:.1f} %)"


def gap_text(gap: Fraction) -> str:
    """A gap as people read it: 0 exactly, else rounded up to two digits, as an upper bound must be."""
    if gap == 0:
        return "0"
    scale = Fraction(1)
    while gap * scale < 10:
        scale *= 10
    return f"{float(-(-(gap * scale) // 1) / scale):.6g}"


def facts(title: str, rows: Iterable[tuple[str, object]]) -> Table:
    """A two-column table of named facts."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=box.SIMPLE)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name), Text(str(value)))
    return table


def grid(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table with a header; numbers to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    listed = [list(row) for row in rows]
    for at, column in enumerate(columns):
        numeric = all(isinstance(row[at], int | float) for row in listed)
        table.add_column(Text(column), justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        table.add_row(
            *(
                cell if isinstance(cell, Text) else Text(f"{cell:,}" if isinstance(cell, int) else str(cell))
                for cell in row
            )
        )
    return table


def pool_line(record: Record) -> str:
    """One line that says what is being compared."""
    kinds = {
        "binary": "two classes",
        "shared": "one shared prediction",
        "categorical": f"{record['classes']} classes, differing predictions",
    }
    return (
        f"{record['rows']:,} rows · {len(record['candidates'])} candidates "
        f"({', '.join(record['candidates'])}) · {kinds[record['kind']]}"
    )


def plan_tables(record: Record) -> list[Table]:
    pool, bound = record["pool"], record["bound"]
    rows: list[tuple[str, object]] = [
        ("pool", pool_line(pool)),
        (
            "tolerance",
            f"{record['tolerance']} AUGRC" if record["tolerance"] != "0" else "0 (the exact winner)",
        ),
        ("labels needed", f"at least {share(bound, pool['rows'])}, whatever the labels say"),
    ]
    if record["budget"] is not None:
        answer = (
            "not ruled out"
            if record["possible"]
            else "IMPOSSIBLE: no policy can certify a choice, whatever the labels say"
        )
        rows.append((f"budget {record['budget']:,}", answer))
        smallest = record["smallest_tolerance"]
        at = smallest["value"] if smallest["itself_included"] else f"any above {smallest['value']}"
        rows.append(("smallest tolerance for it", at + _about(smallest["value"])))
    tables = [facts("Before any label", rows)]
    if record["bound_without"] is not None:
        tables.append(
            grid(
                "Dropping a candidate",
                ("without", "labels needed, at least", "change"),
                [(name, value, value - bound) for name, value in record["bound_without"].items()],
            )
        )
    return tables


def _about(text: str) -> str:
    return f" (about {float(Fraction(text)):.2g})" if "/" in text or len(text) > 8 else ""


def verdict_line(record: Record) -> str:
    """The verdict in one sentence."""
    read = share(record["labels_read"], record["rows"])
    if record["certified"]:
        return f"certified: {record['winner']} – {read} labels read; no unread label can change it"
    if record["at_least"] is None:
        more = "the rows left unlabelled keep it open"
    else:
        more = f"at least {record['at_least']:,} more needed"
    gap = gap_text(Fraction(record["gap"]["exact"]))
    return f"open: {record['winner']} is within {gap} AUGRC of the best – {read} labels read; {more}"


def status_table(record: Record) -> Table:
    at_least = record["at_least"]
    return facts(
        "Session",
        [
            ("verdict", verdict_line(record)),
            ("pool", pool_line(record["pool"])),
            ("policy", f"{record['policy']} · tolerance {record['tolerance']} · seed {record['seed']}"),
            (
                "still needed",
                "none" if at_least == 0 else "–" if at_least is None else f"at least {at_least:,}",
            ),
            ("skipped / leased", f"{record['skipped']:,} / {record['leased']:,}"),
        ],
    )


def head_line(record: Record) -> str:
    """The chain head, whole and on a line of its own, so that it can be noted."""
    return f"chain head {record['head']}"


def certificate_table(record: Record, proof: object) -> Table:
    size, lower = record["size"], record["lower_bound"]
    claim = (
        f"exactly {share(size, record['rows'])} labels would have been enough"
        if record["proven_minimum"]
        else f"between {lower:,} and {share(size, record['rows'])} labels would have been enough"
    )
    return facts(
        "Minimum certificate",
        [
            ("winner", record["winner"]),
            ("smallest sufficient set", claim),
            ("proven lower bound", f"{lower:,}"),
            ("proof", proof),
        ],
    )


def policies_table(rows: Sequence[Mapping[str, Any]], n: int) -> Table:
    return grid(
        "Labels read until the choice is certain",
        ("policy", "labels read", "share of pool", "verdict"),
        [
            (
                row["policy"],
                row["labels_read"],
                f"{100 * row['labels_read'] / n:.1f} %",
                f"{'certified' if row['certified'] else 'open'}: {row['winner']}",
            )
            for row in rows
        ],
    )


def run_lines(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a reader needs beside the table: gaps of open runs and the files written."""
    lines = []
    for record in records:
        if not record["certified"]:
            gap = gap_text(Fraction(record["gap"]["exact"]))
            lines.append(
                f"{record['policy']}: open; {record['winner']} is within {gap} AUGRC of the best, "
                "whatever the unread labels are"
            )
        if "journal" in record:
            lines.append(f"journal {record['journal']} · chain head {record['head']}")
        if "picture" in record:
            lines.append(f"picture {record['picture']}")
    return lines
