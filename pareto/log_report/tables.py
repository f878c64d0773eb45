"""What is found out about a log, as tables and sentences on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pareto.log_report.conventions import WHY, Weak
from pareto.log_report.findings import Findings
from pareto.targets import Target
from solvers.terminal import grid

if TYPE_CHECKING:
    from rich.table import Table

    from pareto.preprocessing import Preprocessing

MODELS_SHOWN = 40
NAMES_SHOWN = 8
RETENTION_SHOWN = 3


def preprocessing_table(done: Preprocessing) -> Table:
    """From the rows of the log to the records that count (paper, Table 9); steps that took nothing are left
    out."""
    from rich.text import Text

    rows = [
        (what, Text(f"{count:,}", justify="right"), remark)
        for what, count, remark in done.table()
        if count or remark
    ]
    return grid("What became of the rows", ("", "rows", ""), rows)


def undecided_lines(found: Findings) -> list[str]:
    """What becomes of ties and both-bad votes, if there are any."""
    done, target = found.log.preprocessing, found.target
    if done is None or not done.undecided:
        return []
    counted = f"count too, as {target.name} ({target.letter}) says"
    return [
        f"{done.undecided:,} ties and both-bad votes with an objective ({done.undecided_records:,} records) "
        + ("are not used" if target.name == "decisive" else counted)
    ]


def retention_lines(found: Findings) -> list[str]:
    """Who was kept, and why not more."""
    said, removed = found.log.retention.explanation, found.log.retention.removed
    lines = list(said[:RETENTION_SHOWN])
    if removed and (close := nearest(found, 3)):
        lines.append(f"closest to being kept: {close}")
    more = len(said) - RETENTION_SHOWN
    rest = [f"({more} more sentences on who was kept are on the page and in --json)"] if more > 0 else []
    return lines + rest


def nearest(found: Findings, most: int) -> str:
    """Removed models that lack fewest comparisons, and how many."""
    lacking = sorted(
        (one for one in found.log.retention.removed if one.cells and not one.absent),
        key=lambda one: (one.cells, one.model),
    )
    return listed((f"{one.model} ({short(one.cells)})" for one in lacking), most)


def short(cells: int) -> str:
    """How many comparisons a model lacks."""
    return f"{cells} comparison{'' if cells == 1 else 's'} short"


def models_table(found: Findings, title: str) -> Table:
    """Scores, gaps, and what is certain about every model."""
    from rich.text import Text

    target = found.target
    sign = {"frontier": "✓", "dominated": "✗", "undecided": " "}
    rows = [
        [
            f"{'★' if target.frontier[i] else ' '}{sign[found.certainty.status[i]]} {target.models[i]}",
            *(Text(f"{value:.3f}", justify="right") for value in target.borda[i]),
            Text(f"{target.gaps[i]:.3g}", justify="right"),
        ]
        for i in found.order[:MODELS_SHOWN]
    ]
    room = 13 if len(target.objectives) < 5 else 9  # five fit on a terminal of 80 columns
    headings = ["   model", *(stacked(objective, room) for objective in target.objectives), "gap"]
    table = grid(title, headings, rows)
    least = [18, *([5] * len(target.objectives)), 6]
    for column, width in zip(table.columns, least, strict=True):
        column.min_width = width  # on a narrow terminal names and headings wrap, numbers do not
    more = len(target.models) - MODELS_SHOWN
    if more > 0:
        table.caption = f"and {more} more in the output of --json"
        table.caption_justify = "left"
    return table


def legend(found: Findings) -> str:
    """What the signs in the table of models mean."""
    return f"★ on the frontier of this log; at confidence {1 - found.delta:g}: ✓ on the frontier, ✗ dominated"


def stacked(name: str, width: int) -> str:
    """A long name on several lines, broken after its underscores, hyphens and blanks, or where it must be."""
    lines = [""]
    for part in re.findall(rf"[^_\- ]{{0,{width - 1}}}[_\- ]|[^_\- ]{{1,{width}}}", name):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def certain_text(found: Findings, model: int) -> str:
    """What is certain about a model, and by whom it is dominated."""
    state, witness = found.certainty.status[model], int(found.certainty.witness[model])
    if witness >= 0:
        return f"{state} by {found.target.models[witness]}"
    return "–" if state == "undecided" else state


def frontier_lines(target: Target) -> list[str]:
    """The frontier of the log, and how clear it is."""
    hardest = int(target.gaps.argmin())
    exactly = "" if target.exact else " (fitted)"
    lines = [
        f"Frontier of this log, {target.name} ({target.letter}): {', '.join(target.kept)}",
        f"Minimum gap {gap_text(target.minimum_gap)}{exactly}, of {target.models[hardest]}; "
        f"Σ gap⁻² {hardness_text(target.hardness)}",
    ]
    if not target.recoverable:
        lines.append(
            "A gap is 0: two models are equal where it counts, so no number of comparisons redrawn from this "
            "log would settle it"
        )
    return lines


def certainty_lines(found: Findings) -> list[str]:
    """How much the log is enough to say, and under which assumptions."""
    tallies, certain = found.tallies, found.certainty
    gone = [
        f"{certain.models[i]} by {certain.models[certain.witness[i]]}"
        for i in found.order
        if certain.witness[i] >= 0
    ]
    return [
        f"At confidence {1 - found.delta:g} for the population these votes come from: "
        f"{tallies['frontier']} on the frontier, {tallies['dominated']} dominated, "
        f"{tallies['undecided']} undecided",
        *([f"Dominated: {listed(gone)}"] if gone else []),
        f"Assumes: {found.certainty.assumptions}",
    ]


def weak_lines(weak: Weak, target: Target) -> list[str]:
    """The weak frontier, and why it differs."""
    names = [name for name, kept in zip(target.models, weak.frontier.tolist(), strict=True) if kept]
    lines = [f"Weak frontier: {', '.join(names)}"]
    lines += [
        f"{target.models[one.model]} is kept by strict dominance only: {target.models[one.rival]} equals it "
        f"on {', '.join(one.tied)} and is better on everything else"
        for one in weak.lost
    ]
    same = "" if weak.lost else "; here both keep the same models"
    return [*lines, f"{WHY[0].upper()}{WHY[1:]}{same}"]


def gap_text(value: float) -> str:
    """Four significant digits."""
    return f"{value:.4g}"


def hardness_text(value: float) -> str:
    """``8,596`` or ``1.2e+09``."""
    return f"{value:,.0f}" if value < 1e9 else "infinite" if value == float("inf") else f"{value:.3g}"


def listed(texts: Iterable[str], most: int = NAMES_SHOWN) -> str:
    """The first few, and how many more there are."""
    shown = list(texts)
    more = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


NEXT_HEADINGS = ("more", "so far", "model", "against", "on", "helps to decide")


def next_cells(found: Findings, most: int) -> list[tuple[int, int, str, str, str, int]]:
    """The cells where comparisons are most wanted: how many more, how many there are, what, and how many
    models they help to decide."""
    wanted, models = found.certainty.next, found.target.models
    return [
        (
            int(wanted.more[at]),
            int(wanted.have[at]),
            models[wanted.first[at]],
            models[wanted.second[at]],
            found.target.objectives[wanted.objective[at]],
            len(wanted.settles[at]),
        )
        for at in range(min(most, len(wanted.more)))
    ]


def counted(number: int, noun: str) -> str:
    """``1 cell``, ``2 cells``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def next_lines(found: Findings, most: int) -> list[Table | str]:
    """What to compare next, as a forecast."""
    wanted, undecided = found.certainty.next, found.tallies["undecided"]
    if not undecided:
        return ["Every model is decided; no more comparisons are needed"]
    parts: list[Table | str] = []
    if len(wanted.more) and most:
        of = f"the first {min(most, len(wanted.more))} of {counted(len(wanted.more), 'cell')}"
        cells = [(*cell[:4], stacked(cell[4], 20), cell[5]) for cell in next_cells(found, most)]
        parts.append(grid(f"Compare next, {of}", NEXT_HEADINGS, cells))
    return [*parts, next_sentence(found)]


def next_sentence(found: Findings) -> str:
    """How many comparisons would decide everybody, and who cannot be decided."""
    wanted = found.certainty.next
    hopeless = [plan for plan in wanted.plans if plan.more is None]
    able = len(wanted.plans) - len(hopeless)
    said = []
    if able:
        said.append(
            f"{wanted.total:,} more comparisons in {counted(len(wanted.more), 'cell')} would probably decide "
            f"{able} of {len(wanted.plans)} undecided models, if present estimates are the truth: a "
            "forecast, no guarantee"
        )
    if hopeless:
        who = listed(f"{found.target.models[plan.model]} ({plan.reason})" for plan in hopeless)
        said.append(f"No number can be given for {who}")
    return ". ".join(said)
