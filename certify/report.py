"""What the commands say: plain records (for ``--json``) and the tables drawn from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from certify.bounds import Requirement
from certify.budget import IMPOSSIBLE, Plan
from certify.classes import shorten
from certify.risks import UNLABELLED, Codes
from certify.tolerance import Exact, decimal_text, exact_tolerance
from certify.worth import SCOPE, SCOPE_WITH_TOTALS
from certify.worth import worth as worth_of
from solvers.terminal import facts, grid

if TYPE_CHECKING:
    from rich.table import Table

    from certify.certificate import Certificate
    from certify.forecast import Forecast
    from certify.pool import Pool
    from certify.replay import Replay
    from certify.session import Session
    from certify.verdict import Verdict
    from certify.worth import Worth

Record = dict[str, Any]
_CHECKED_FIRST = 20
LEVEL = "90 %"
"""How much of the time a forecast's range should hold."""


def pool_record(pool: Pool) -> Record:
    return {
        "rows": pool.n,
        "candidates": list(pool.names),
        "kind": pool.kind,
        "classes": len(pool.classes),
        "notices": list(pool.notices),
        "objective": pool.objective.name,
        "unit": pool.objective.unit,
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


def forecast_record(forecasts: Sequence[Forecast]) -> Record:
    """What policies will probably read; `guaranteed` says what it is not."""
    return {
        "guaranteed": False,
        "range": LEVEL,
        "policies": {
            found.policy: {"labels": found.labels, "low": found.low, "high": found.high}
            for found in forecasts
        },
    }


def gap_record(gap: Fraction) -> Record:
    return {"exact": str(gap), "approximately": float(gap)}


def answer_record(pool: Pool, answer: Verdict | Replay, totals_known: bool = False) -> Record:
    return {
        "certified": answer.certified,
        "winner": pool.names[answer.winner],
        "gap": gap_record(answer.gap),
        "labels_read": answer.labels_read,
        "rows": pool.n,
        "objective": pool.objective.name,
        "unit": pool.objective.unit,
        "scope": SCOPE_WITH_TOTALS if totals_known else SCOPE,
    }


def worth_record(pool: Pool, worth: Worth | None) -> Record | None:
    """What overturns a certified choice, None for an open one; `check_first` lists at most 20 ids."""
    if worth is None:
        return None
    return {
        "wrong_labels": worth.labels,
        "exact": worth.exact,
        "rival": None if worth.rival is None else pool.names[worth.rival],
        "check_first": [pool.ids[row] for row in worth.suspects[:_CHECKED_FIRST]],
    }


def verdict_record(pool: Pool, verdict: Verdict) -> Record:
    return {
        **answer_record(pool, verdict, verdict.totals_known),
        "at_least": verdict.at_least,
        "worth": worth_record(pool, verdict.worth),
    }


def run_record(
    pool: Pool, codes: Codes, run: Replay, tolerance: Exact = "0", totals_known: bool = False
) -> Record:
    """A replay on the labels `codes`, (n,)."""
    worth = None
    if run.certified:
        read = np.full_like(codes, UNLABELLED)
        read[run.rows] = codes[run.rows]
        requirement = Requirement.of(exact_tolerance(tolerance), pool.risks.scale)
        worth = worth_of(pool.risks, read, run.lower, requirement, run.winner, totals_known)
    return {**answer_record(pool, run, totals_known), "worth": worth_record(pool, worth)}


def certificate_record(pool: Pool, certificate: Certificate) -> Record:
    return {
        "winner": pool.names[certificate.winner],
        "tolerance": decimal_text(certificate.tolerance),
        "size": certificate.size,
        "lower_bound": certificate.lower_bound,
        "proven_minimum": certificate.proven,
        "rows": pool.n,
        "objective": pool.objective.name,
        "unit": pool.objective.unit,
        "ids": pool.ids_of(certificate.rows),
    }


def status_record(session: Session) -> Record:
    return {
        **verdict_record(session.pool, session.verdict),
        "pool": pool_record(session.pool),
        "policy": session.policy,
        "tolerance": decimal_text(session.tolerance),
        "seed": session.seed,
        "totals": None if session.totals is None else session.totals.record(),
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


def pool_line(record: Record) -> str:
    """One line that says what is being compared."""
    kinds = {
        "binary": "two classes",
        "shared": "one shared prediction",
        "categorical": f"{record['classes']} classes, differing predictions",
    }
    return (
        f"{record['rows']:,} rows · {len(record['candidates'])} candidates "
        f"({', '.join(record['candidates'])}) · {kinds[record['kind']]} · the least {record['unit']} wins"
    )


def plan_tables(record: Record) -> list[Table]:
    pool, bound = record["pool"], record["bound"]
    rows: list[tuple[str, object]] = [
        ("pool", pool_line(pool)),
        (
            "tolerance",
            f"{record['tolerance']} {pool['unit']}" if record["tolerance"] != "0" else "0 (the exact winner)",
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
    if record.get("forecast") is not None:
        tables.append(_forecast_table(record["forecast"], pool["rows"]))
    if record["bound_without"] is not None:
        tables.append(
            grid(
                "Dropping a candidate",
                ("without", "labels needed, at least", "change"),
                [(name, value, value - bound) for name, value in record["bound_without"].items()],
            )
        )
    return tables


def _forecast_table(forecast: Record, n: int) -> Table:
    return grid(
        "Forecast, no guarantee: labels a policy will probably read",
        ("policy", "labels", "share of pool", f"{forecast['range']} range"),
        [
            (
                name,
                found["labels"],
                f"{100 * found['labels'] / n:.0f} %",
                f"{found['low']:,} – {found['high']:,}",
            )
            for name, found in forecast["policies"].items()
        ],
    )


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
    return (
        f"open: {record['winner']} is within {gap} {record['unit']} of the best – {read} labels read; {more}"
    )


def worth_line(worth: Record) -> str:
    """What it would take to overturn a certified choice, and where to look first."""
    count = worth["wrong_labels"]
    if count is None:
        return "no wrong label can overturn it: it was certain before the first"
    listed = shorten(worth["check_first"])
    if worth["exact"]:
        wrong = "one label is wrong" if count == 1 else f"{count:,} labels are wrong, no fewer"
        return f"overturned if {wrong}, in favour of {worth['rival']}; check first: {listed}"
    least = "one label" if count == 1 else f"{count:,} labels"
    return f"at least {least} would have to be wrong to overturn it; check first: {listed}"


def verdict_lines(record: Record) -> list[str]:
    """The verdict, what it is worth when it is certified, and what it is about."""
    worth = record["worth"]
    return [
        verdict_line(record),
        *([] if worth is None else [f"worth: {worth_line(worth)}"]),
        f"scope: {record['scope']}",
    ]


def status_table(record: Record) -> Table:
    at_least, worth = record["at_least"], record["worth"]
    return facts(
        "Session",
        [
            ("verdict", verdict_line(record)),
            ("worth", "–" if worth is None else worth_line(worth)),
            ("scope", record["scope"]),
            ("pool", pool_line(record["pool"])),
            ("policy", f"{record['policy']} · tolerance {record['tolerance']} · seed {record['seed']}"),
            *([("class totals", _totals_text(record["totals"]))] if record["totals"] else []),
            (
                "still needed",
                "none" if at_least == 0 else "–" if at_least is None else f"at least {at_least:,}",
            ),
            ("skipped / leased", f"{record['skipped']:,} / {record['leased']:,}"),
        ],
    )


def _totals_text(totals: Mapping[str, int]) -> str:
    return shorten((f"{name} {count:,}" for name, count in totals.items()), 12)


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
            ("winner", f"{record['winner']}, by the least {record['unit']}"),
            ("smallest sufficient set", claim),
            ("proven lower bound", f"{lower:,}"),
            ("proof", proof),
        ],
    )


def policies_table(rows: Sequence[Mapping[str, Any]], n: int) -> Table:
    return grid(
        f"Labels read until the choice by the least {rows[0]['unit']} is certain",
        ("policy", "labels read", "share of pool", "verdict", "worth"),
        [
            (
                row["policy"],
                row["labels_read"],
                f"{100 * row['labels_read'] / n:.1f} %",
                f"{'certified' if row['certified'] else 'open'}: {row['winner']}",
                _worth_text(row["worth"]),
            )
            for row in rows
        ],
    )


def _worth_text(worth: Record | None) -> str:
    if worth is None:
        return "–"
    count = worth["wrong_labels"]
    return "all labels" if count is None else f"{count:,} label" + ("" if count == 1 else "s")


def run_lines(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a reader needs beside the table: what a verdict is worth, gaps of open runs, files written."""
    lines = (
        [] if len(records) > 1 or not records[0]["worth"] else [f"worth: {worth_line(records[0]['worth'])}"]
    )
    lines += [f"scope: {record['scope']}" for record in records[:1]]
    for record in records:
        if not record["certified"]:
            gap = gap_text(Fraction(record["gap"]["exact"]))
            lines.append(
                f"{record['policy']}: open; {record['winner']} is within {gap} {record['unit']} of the best, "
                "whatever the unread labels are"
            )
        if "journal" in record:
            lines.append(f"journal {record['journal']} · chain head {record['head']}")
        if "picture" in record:
            lines.append(f"picture {record['picture']}")
    return lines
