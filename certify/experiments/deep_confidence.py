"""Choosing a confidence score for networks on CIFAR (Kuboyama 2026, section 6.3, Table 1, Figure 8).

The paper's ten networks are not redistributed with their outputs; three others are, so our figures stand
beside the range of the paper's. Each is compared over all three scores and over every pair of them. Measures
are those of `certify.experiments.measures`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import polars as pl

from certify.bundled import CONFIDENCE_SCORES
from certify.experiments import measures
from certify.experiments.deep_pools import DEEP_POOLS, IMAGES, deep_pool
from certify.policies import DEFAULT_POLICY, POLICIES
from certify.pool import Pool
from certify.risks import Codes
from solvers.studies.drawing import BLUE, COLOURS, GREEN, ORANGE, canvas, saved
from solvers.studies.study import Line, Picture, Row, Study

ALL_SCORES = "+".join(CONFIDENCE_SCORES)
PAIRS = tuple("+".join(pair) for pair in combinations(CONFIDENCE_SCORES, 2))
COMPARISONS = tuple(f"{name}:{scores}" for name in DEEP_POOLS for scores in (ALL_SCORES, *PAIRS))
"""NETWORK:SCORE+SCORE…, the scores in the order of ties."""
KNOWN = {
    "vgg-16-cifar-10": ("neg-entropy", 1860, 4348, 8862, 6281),
    "wrn-16-4-cifar-10": ("neg-entropy", 966, 5494, 8883, 6753),
    "wrn-16-4-cifar-100": ("msp", 1653, 6353, 9071, 7068),
}
"""What the three arrays give, whoever computes it: winner, C̲, C(y), static-range, the same at τ = .0005."""
RANGES = {
    "prelabel": "12.98–24.34",
    "certificate": "33.85–66.90",
    "exact": "68.07–90.95",
    "loose": "50.23–67.13",
}
"""The paper's Table 1, smallest and largest of ten networks."""
PAIR_RANGES = {"certificate": "28.41–49.46", "static-range": "50.75–88.84"}
"""The same over the twelve pairs of its first four networks."""
LOOSE = "0.0005"


def keys(seeds: int) -> list[str]:
    return measures.keys(COMPARISONS, POLICIES, seeds)


@cache
def compared(name: str) -> tuple[Pool, Codes]:
    """The pool of one of `COMPARISONS` and its true classes."""
    network, _, scores = name.partition(":")
    return deep_pool(network, scores.split("+"))


def work(key: str) -> list[Row]:
    name, piece, seed = measures.parsed(key)
    pool, codes = compared(name)
    if piece == measures.FACTS:
        rows = [
            measures.exact_certificate(pool, codes),
            measures.certificate_bracket(pool, codes, LOOSE),
            *(measures.prelabel(pool, tolerance) for tolerance in measures.TOLERANCES),
        ]
    else:
        rows = list(measures.reads(pool, codes, piece, seed))
    return [{"condition": name, "n": pool.n, **row} for row in rows]


def compare(table: pl.DataFrame) -> list[Line]:
    return [*_networks(table), *_policies(table), *_pairs(table), *_budgets(table)]


def value(table: pl.DataFrame, name: str, measure: str, tolerance: str = "0") -> float | None:
    """Mean labels over seeds of one measure of a comparison, None where it is not there."""
    found = table.filter(condition=name, measure=measure, tolerance=tolerance)["labels"].mean()
    return float(found) if isinstance(found, int | float) else None


def percent(labels: float | None) -> str:
    return "–" if labels is None else f"{100 * labels / IMAGES:.2f}"


def _networks(table: pl.DataFrame) -> Iterator[Line]:
    for network, known in KNOWN.items():
        name = f"{network}:{ALL_SCORES}"
        certificate = table.filter(condition=name, measure="certificate", tolerance="0")
        if certificate.is_empty():
            continue
        row = certificate.row(0, named=True)
        winner = CONFIDENCE_SCORES[row["candidate"]]
        bound = value(table, name, "prelabel")
        static = value(table, name, "static-range"), value(table, name, "static-range", LOOSE)
        part = f"{network}: three scores, % of 10,000 labels (paper: range over its ten networks)"
        yield Line("winner", winner, "", "each score wins somewhere", part, winner == known[0])
        yield Line("prelabel bound C̲", percent(bound), RANGES["prelabel"], "", part, bound == known[1])
        proven = row["labels"] == row["least"]
        yield Line(
            "minimum certificate C(y)",
            percent(row["labels"]),
            RANGES["certificate"],
            f"{row['labels']:,} labels, {'proof accepted by the checker' if proven else 'bracket'}",
            part,
            proven and row["labels"] == known[2],
        )
        if None not in static:
            yield Line(
                "static-range reads", percent(static[0]), RANGES["exact"], "", part, static[0] == known[3]
            )
            yield Line(
                f"static-range reads at τ = {LOOSE}",
                percent(static[1]),
                RANGES["loose"],
                "",
                part,
                static[1] == known[4],
            )


def _policies(table: pl.DataFrame) -> Iterator[Line]:
    part = "Three scores: labels read by each policy, % of 10,000"
    names = [f"{network}:{ALL_SCORES}" for network in DEEP_POOLS]
    baseline = _mean_read(table, names, "adaptive-pair-sum")
    for policy in POLICIES:
        found = [value(table, name, policy) for name in names]
        if all(labels is None for labels in found):
            continue
        mean = _mean_read(table, names, policy)
        paper = {"random": "98.43", "static-range": "81.67 (first four), 80.91 (six more)"}.get(policy, "")
        ours = policy == DEFAULT_POLICY != "adaptive-pair-sum"
        yield Line(
            policy,
            percent(mean),
            paper,
            ", ".join(
                f"{network} {percent(labels)}" for network, labels in zip(DEEP_POOLS, found, strict=True)
            ),
            part,
            mean < baseline if ours and mean is not None and baseline is not None else None,
        )


def _mean_read(table: pl.DataFrame, names: list[str], policy: str) -> float | None:
    """Mean over the networks, None unless all are there."""
    found = [labels for name in names if (labels := value(table, name, policy)) is not None]
    return sum(found) / len(found) if len(found) == len(names) else None


def _pairs(table: pl.DataFrame) -> Iterator[Line]:
    part = "Pairs of scores, % of 10,000 (paper: range over twelve pairs)"
    for network in DEEP_POOLS:
        for scores in PAIRS:
            name = f"{network}:{scores}"
            found = table.filter(condition=name, measure="certificate", tolerance="0")
            if found.is_empty():
                continue
            winner = scores.split("+")[found["candidate"][0]]
            read = value(table, name, "static-range")
            yield Line(
                name,
                f"C(y) {percent(found['labels'][0])}, static-range {percent(read)}",
                f"C(y) {PAIR_RANGES['certificate']}, static-range {PAIR_RANGES['static-range']}",
                f"{winner} wins; C̲ {percent(value(table, name, 'prelabel'))}",
                part,
            )
    for network in DEEP_POOLS:
        yield from _joint(table, network)


def _joint(table: pl.DataFrame, network: str) -> Iterator[Line]:
    """Beating both rivals at once costs more than beating either."""
    joint = table.filter(condition=f"{network}:{ALL_SCORES}", measure="certificate", tolerance="0")
    if joint.is_empty():
        return
    winner = CONFIDENCE_SCORES[joint["candidate"][0]]
    apart = [value(table, f"{network}:{pair}", "certificate") for pair in PAIRS if winner in pair.split("+")]
    known = [int(size) for size in apart if size is not None]
    if len(known) == len(apart):
        yield Line(
            f"{network}: certificates against each rival, and against both",
            f"{' and '.join(f'{size:,}' for size in known)}; {joint['labels'][0]:,}",
            "3,949 and 3,109; 6,689–6,690",
            "paper: VGG-11 on CIFAR-100",
            "One certificate for two rivals, labels",
            joint["labels"][0] >= max(known),
        )


def _budgets(table: pl.DataFrame) -> Iterator[Line]:
    part = "Smallest tolerance of the grid that a budget certifies, static-range, three scores"
    for network in DEEP_POOLS:
        reached = smallest_tolerances(table, network)
        if reached:
            yield Line(
                network,
                ", ".join(f"{budget} %: {tolerance or 'none'}" for budget, tolerance in reached.items()),
                "",
                f"grid {', '.join(measures.TOLERANCES)}",
                part,
            )


def smallest_tolerances(
    table: pl.DataFrame, network: str, policy: str = "static-range"
) -> dict[int, str | None]:
    """Budget in percent → the smallest tolerance tested that it certifies, None for none (Figure 8)."""
    name = f"{network}:{ALL_SCORES}"
    needed = {tolerance: value(table, name, policy, tolerance) for tolerance in measures.TOLERANCES}
    if all(labels is None for labels in needed.values()):
        return {}
    return {
        budget: next((t for t, n in needed.items() if n is not None and n <= budget * IMAGES // 100), None)
        for budget in range(0, 101, 10)
    }


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    return [*_budget_map(table, folder), *_dots(table, folder)]


def _budget_map(table: pl.DataFrame, folder: Path) -> Iterator[Picture]:
    figure, axes = canvas()
    grid = measures.TOLERANCES
    drawn = False
    for colour, (shift, network) in zip(COLOURS, enumerate(DEEP_POOLS), strict=False):
        reached = smallest_tolerances(table, network)
        if not reached:
            continue
        drawn = True
        place = [len(grid) if t is None else grid.index(t) for t in reached.values()]
        heights = [at + 0.08 * (shift - 1) for at in place]
        axes.plot(list(reached), heights, "o-", color=colour, label=network, markersize=4, linewidth=1)
    if not drawn:
        return
    axes.set_yticks(range(len(grid) + 1), [*grid, "none"])
    axes.invert_yaxis()
    axes.set(xlabel="budget, % of 10,000 labels", ylabel="smallest tolerance certified")
    axes.legend(frameon=False, fontsize=8)
    yield saved(
        figure,
        folder,
        "deep-confidence-budgets",
        "Which tolerance a label budget certifies with static-range, on the tolerances tested (Figure 8). "
        "The axis lists grid values, not equal steps.",
    )


def _dots(table: pl.DataFrame, folder: Path) -> Iterator[Picture]:
    """Labels read by each policy on the three networks, with C̲ and C(y)."""
    shown = {"prelabel": "C̲, none can do with fewer", "certificate": "C(y), enough in hindsight"}
    measured = [m for m in (*shown, *POLICIES) if len(table.filter(measure=m, tolerance="0"))]
    if not measured:
        return
    figure, axes = canvas()
    for colour, network in zip((BLUE, ORANGE, GREEN), DEEP_POOLS, strict=True):
        found = [value(table, f"{network}:{ALL_SCORES}", measure) for measure in measured]
        places = [at for at, labels in enumerate(found) if labels is not None]
        shares = [100 * labels / IMAGES for labels in found if labels is not None]
        axes.plot(shares, places, "o", color=colour, label=network, alpha=0.8)
    axes.set_yticks(range(len(measured)), [shown.get(measure, measure) for measure in measured])
    axes.set_ylim(len(measured) - 0.5, -0.5)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.set(xlabel="% of 10,000 labels", xlim=(0, 101))
    axes.legend(frameon=False, fontsize=8, loc="lower left")
    yield saved(
        figure,
        folder,
        "deep-confidence-policies",
        "Labels read until the best of three confidence scores is certain, by policy, beside what no policy "
        "can do without and what would have been enough.",
    )


STUDY = Study(
    "deep-confidence",
    "Which confidence score for networks on CIFAR",
    measures.COLUMNS,
    keys,
    work,
    compare,
    pictures,
    seconds=20,
)
