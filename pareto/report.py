"""What sessions and results look like: as records for --json, as tables and sentences for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pareto.result import Reals, Result, Status
from pareto.samplers import method as find_method

if TYPE_CHECKING:
    from rich.table import Table

    from pareto.session import Receipt, Session

PAIRS_SHOWN = 6
Record = dict[str, Any]


def model_records(result: Result) -> list[Record]:
    """One record a model: status, rival, objective, estimates."""
    records = []
    for i, name in enumerate(result.models):
        rival, objective = int(result.rival[i]), int(result.objective[i])
        records.append(
            {
                "model": name,
                "status": result.statuses[i],
                "guess": None if result.decided[i] else bool(result.frontier[i]),
                "rival": None if rival < 0 else result.models[rival],
                "objective": None if objective < 0 else result.objectives[objective],
                "estimates": [
                    None if not np.isfinite(value) else float(value) for value in result.estimates[i]
                ],
            }
        )
    return records


def result_record(result: Result) -> Record:
    """A result as JSON values."""
    guarantee = find_method(result.method).guarantee
    return {
        "method": result.method,
        "status": str(result.status),
        "comparisons": result.comparisons,
        "frontier": list(result.kept),
        "undecided": list(result.undecided),
        "undecided_pairs": [list(pair) for pair in result.named_pairs],
        "scale": result.scale,
        "margin": result.margin,
        "guarantee": guarantee.claim,
        "assumptions": guarantee.assumptions,
        "objectives": list(result.objectives),
        "models": model_records(result),
    }


def status_record(session: Session) -> Record:
    """Where a session stands."""
    state, task, bias = session.state, session.setup.task, session.bias
    low, high = bias.interval
    record = result_record(session.result)
    if not np.isfinite(session.result.estimates).any():
        record["scale"] = "present mean"
        for model, means in zip(record["models"], _present_means(state.votes), strict=True):
            model["estimates"] = means
    return {
        **record,
        "comparisons": session.comparisons,
        "delta": task.delta,
        "max_comparisons": task.max_comparisons,
        "round": state.round,
        "round_still_wants": state.outstanding,
        "showings": state.shown,
        "in_flight": len(session.leases),
        "not_used": state.surplus,
        "cannot_tell": state.unknown,
        "left_share": bias.share,
        "left_share_interval": [low, high],
        "position_bias": bias.visible,
        "head": session.head,
    }


def _present_means(votes: Reals) -> list[list[float | None]]:
    """Mean outcomes of every model on every objective, in all comparisons it took part in so far."""
    won, lost = votes.sum(axis=1), votes.sum(axis=0)
    return [
        [float(w / (w + r)) if w + r else None for w, r in zip(wins, losses, strict=True)]
        for wins, losses in zip(won.tolist(), lost.tolist(), strict=True)
    ]


def receipt_line(receipt: Receipt) -> str:
    """What became of the answers of a call."""
    parts = (
        (receipt.used, "recorded"),
        (receipt.unknown, "cannot tell"),
        (receipt.repeated, "told before"),
        (receipt.corrected, "corrected"),
        (receipt.withdrawn, "withdrawn"),
        (receipt.released, "given back"),
        (receipt.surplus, "came late and are kept on record, not used"),
    )
    return "; ".join(f"{count:,} {what}" for count, what in parts if count) or "nothing told"


def models_table(record: Record, title: str = "") -> Table:
    """The table of models: status, dominated by whom or protected by which objective, estimates."""
    order = {"frontier": 0, "undecided": 1, "dominated": 2}
    rows = []
    for model in sorted(record["models"], key=lambda one: order[one["status"]]):
        estimates = ["–" if value is None else f"{value:.3f}" for value in model["estimates"]]
        rows.append([model["model"], model["status"], *reason(model), *estimates])
    headings = ["model", "status", "rival", "on", *record["objectives"]]
    return grid(title or f"Models, with {record['scale']} scores as estimated", headings, rows, right=4)


LEGEND = (
    "dominated: the rival is better on everything, by least on that objective; frontier: protected by that "
    "objective from its closest rival"
)


def reason(model: Record) -> tuple[str, str]:
    """The rival of a model and the objective that decides between them, as a table shows them."""
    if model["status"] == "undecided":
        return "open", "seems kept" if model["guess"] else "seems dominated"
    return model["rival"] or "–", model["objective"] or "–"


def result_lines(record: Record) -> list[str]:
    """A result in sentences."""
    decided = len(record["models"]) - len(record["undecided"])
    comparisons = f"{record['comparisons']:,} comparisons"
    names = ", ".join(record["frontier"])
    match record["status"]:
        case Status.CERTIFIED:
            lines = [f"Frontier after {comparisons}: {names}"]
        case Status.STOPPED:
            lines = [f"Stopped after {comparisons}, without a guarantee: {names}"]
        case Status.CAPPED:
            lines = [
                f"Capped, not decided: {decided} of {len(record['models'])} models after {comparisons}; the "
                f"frontier by present estimates is {names}"
            ]
        case _:
            lines = [f"Open: {decided} of {len(record['models'])} models decided after {comparisons}"]
    pairs = record["undecided_pairs"]
    if pairs and record["status"] in (Status.CAPPED, Status.OPEN) and record["comparisons"]:
        shown = "; ".join(f"{rival} over {model}?" for model, rival in pairs[:PAIRS_SHOWN])
        more = f" and {len(pairs) - PAIRS_SHOWN:,} more" if len(pairs) > PAIRS_SHOWN else ""
        lines.append(f"Open dominance questions: {shown}{more}")
    return lines


def status_lines(record: Record) -> list[str]:
    """What to know about a session beside its models."""
    low, high = record["left_share_interval"]
    lines = result_lines(record)
    if record["round_still_wants"]:
        lines.append(
            f"Round {record['round']} still wants {record['round_still_wants']:,}; "
            f"{record['in_flight']:,} queries are with askers"
        )
    if record["left_share"] is not None:
        warning = "; a position bias, which shuffled sides cancel" if record["position_bias"] else ""
        lines.append(f"Left side preferred in {record['left_share']:.1%} ({low:.1%} to {high:.1%}){warning}")
    if record["not_used"] or record["cannot_tell"]:
        lines.append(
            f"{record['cannot_tell']:,} answers were “cannot tell” (asked again); {record['not_used']:,} "
            "came late and were not needed"
        )
    if record["head"]:
        lines.append(f"chain head {record['head']}")
    return lines


def promise(name: str, delta: float) -> str:
    """What a method promises at this δ."""
    guarantee = find_method(name).guarantee
    return guarantee.claim.replace("1 − δ", f"{1 - delta:g}")


def grid(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], right: int = 1) -> Table:
    """A table; columns from number `right` on are aligned right."""
    from rich import box
    from rich.table import Table

    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for at, heading in enumerate(headings):
        table.add_column(heading, justify="right" if at >= right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
