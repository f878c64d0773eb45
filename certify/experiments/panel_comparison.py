"""The panel study's figures beside the paper's (Kuboyama 2026, sections 6.2–6.7, Tables 2 and 3)."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from certify.experiments.data import SKLEARN_TABLES, TABLES
from certify.experiments.measures import BASE, OURS
from certify.experiments.panels import CONDITIONS
from certify.experiments.summary import against, bracket, interval, mean, of, percent, prepared, within
from certify.policies import POLICIES
from solvers.studies.study import Line

ORIGINAL = SKLEARN_TABLES
ADDED = tuple(name for name in TABLES if name not in ORIGINAL)
SPLITS_DIFFER = "our own splits, but for seed 731"

Interval = tuple[float, float]

TABLE_2: dict[str, tuple[float, float, float, float, Interval]] = {
    "ionosphere": (99.2, 82.5, 78.4, 21.2, (51.65, 52.59)),
    "sonar": (99.1, 87.6, 82.3, 22.8, (49.47, 51.98)),
    "banknote": (99.9, 95.1, 83.7, 25.2, (60.05, 60.40)),
    "haberman": (99.7, 90.7, 88.8, 26.7, (56.16, 56.88)),
    "spambase": (99.6, 94.5, 92.3, 24.0, (57.80, 57.89)),
    "magic": (99.1, 90.5, 85.9, 20.0, (52.50, 52.54)),
}
"""Separate, centred and shared test, C̲ and the interval of C, in percent of the pool."""

CERTIFICATES: dict[str, Interval] = {
    **{name: figures[4] for name, figures in TABLE_2.items()},
    "digits": (48.50, 48.84),
    "wine": (68.67, 70.06),
    # three times the mean of the original three, less the other two (section 6.6)
    "breast": (62.47, 63.20),
}
BREAST = "splits differ widely here: see the study breast-splits"
"""Why no claim is made about the certificates of Breast Cancer."""

TABLE_3 = {
    "random": (95.36, 95.32),
    "static-range": (81.71, 85.21),
    "adaptive-range": (81.14, 80.75),
    "static-pair-sum": (81.83, 85.41),
    "adaptive-pair-sum": (80.23, 80.45),
    "vma": (90.64, 90.38),
    "model-selector": (95.98, 94.75),
}
"""Labels read on the original three and the added six tables, in percent of the pool."""

RULED_OUT = {10: 108, 20: 96, 25: 34, 30: 11}
"""Conditions whose C̲ exceeds a budget of so many percent."""


def compare(table: pl.DataFrame) -> list[Line]:
    frame = prepared(table)
    facts = frame.filter(pl.col("measure") == "certificate")
    if facts.is_empty():
        return [Line("conditions", "0", note="no facts among these pieces, so there is nothing to compare")]
    return [
        *_certificates(frame),
        *_datasets(frame),
        *_budgets(frame),
        *_tests(frame),
        *_policies(frame),
        *_tolerances(frame),
        *_ionosphere(frame),
        *_correlation(frame),
    ]


def whole(frame: pl.DataFrame, tables: tuple[str, ...] = TABLES) -> bool:
    """Whether every condition of these tables is there."""
    wanted = {c.name for c in CONDITIONS if c.dataset in tables}
    return set(frame["condition"]) == wanted


def _certificates(frame: pl.DataFrame) -> Iterator[Line]:
    part = "Smallest certificates and the bound before any label"
    exact = of(frame, "certificate")
    proven = exact.filter(pl.col("least") == pl.col("labels"))
    at_root = proven.filter(pl.col("steps") == 0).height
    yield Line(
        "C(y) proven exact",
        f"{proven.height} of {exact.height}",
        "16 of 108; within 4 labels on all",
        f"{at_root} by multipliers alone, {proven.height - at_root} by a tree; the standalone checker "
        "accepted every proof",
        part,
        proven.height == exact.height,
    )
    for name, tables, low, high in (
        ("all nine tables", TABLES, 56.37, 57.16),
        ("six added", ADDED, 54.61, 55.38),
        ("three original", ORIGINAL, 59.88, 60.70),
    ):
        ours = of(frame, "certificate", tables=tables)
        if not ours.is_empty():
            yield Line(
                f"C(y), mean of {name}",
                bracket(ours),
                interval(low, high),
                SPLITS_DIFFER,
                part,
            )
    for name, tables, paper in (
        ("all nine tables", TABLES, 24.50),
        ("six added", ADDED, 23.3),
        ("three original", ORIGINAL, 26.9),
    ):
        bound = of(frame, "prelabel", tables=tables)
        if not bound.is_empty():
            holds = abs(mean(bound) - paper) <= 3 if whole(bound, tables) else None
            yield Line(f"C̲, mean of {name}", percent(mean(bound)), f"{paper:.2f} %", "", part, holds)


def _datasets(frame: pl.DataFrame) -> Iterator[Line]:
    part = (
        "Percent of the pool by table: separate / centred / shared test, C̲, C(y); claimed: the tests in "
        "this order, and within 5 (shared), 3 (C̲) and 6 (C(y)) points of the paper"
    )
    for name in TABLES:
        measures = [of(frame, m, tables=(name,)) for m in ("separate", "centred", "shared", "prelabel")]
        certificates = of(frame, "certificate", tables=(name,))
        if certificates.is_empty():
            continue
        separate, centred, shared, bound = map(mean, measures)
        size = mean(certificates)
        ours = f"{separate:.1f} / {centred:.1f} / {shared:.1f}, {bound:.1f}, {size:.2f}"
        low, high = CERTIFICATES[name]
        holds: bool | None = separate > centred > shared
        note = BREAST if name == "breast" else ""
        if name in TABLE_2:
            s, cs, j, b, _ = TABLE_2[name]
            paper = f"{s} / {cs} / {j}, {b}, {low:.2f}–{high:.2f}"
            holds = holds and abs(shared - j) <= 5 and abs(bound - b) <= 3
        else:
            paper = f"C(y) {low:.2f}–{high:.2f}"
        if name != "breast":
            holds = holds and within(size, low, high, 6)
        yield Line(name, ours, paper, note, part, holds if whole(certificates, (name,)) else None)


def _budgets(frame: pl.DataFrame) -> Iterator[Line]:
    part = "Budgets, as a share of the pool; claimed: within 10 conditions of the paper"
    bound, static = of(frame, "prelabel"), of(frame, "static-range")
    complete = whole(bound)
    for budget, paper in RULED_OUT.items():
        count = ruled_out(bound, budget)
        yield Line(
            f"conditions in which {budget} % is impossible",
            f"{count} of {bound.height}",
            f"{paper} of 108",
            "",
            part,
            abs(count - paper) <= 10 if complete else None,
        )
    loose = of(frame, "prelabel", "0.005")
    yield Line(
        "20 % is impossible at τ = .005", f"{ruled_out(loose, 20)} of {loose.height}", "86 of 108", "", part
    )
    for tolerance, paper in (("0", 30), ("0.005", 76)):
        run = of(frame, "static-range", tolerance)
        if not static.is_empty():
            yield Line(
                f"80 % is enough for static-range at τ = {tolerance}",
                f"{enough(run, 80)} of {run.height}",
                f"{paper} of 108",
                "",
                part,
            )


def ruled_out(bound: pl.DataFrame, budget: int) -> int:
    """Conditions whose C̲ exceeds `budget` percent of the pool."""
    return bound.filter(pl.col("n") * budget // 100 < pl.col("labels")).height


def enough(run: pl.DataFrame, budget: int) -> int:
    """Conditions that were certain within `budget` percent of the pool."""
    return run.filter(pl.col("labels") <= pl.col("n") * budget // 100).height


def _tests(frame: pl.DataFrame) -> Iterator[Line]:
    part = "Three stopping tests along one static order, percent of the pool read"
    for name, tables, figures in (
        ("six added", ADDED, (99.43, 90.15, 85.21)),
        ("three original", ORIGINAL, (99.4, 92.3, 81.7)),
    ):
        runs = [of(frame, test, tables=tables) for test in ("separate", "centred", "shared")]
        if runs[0].is_empty():
            continue
        means = [mean(run) for run in runs]
        yield Line(
            f"separate / centred / shared, {name}",
            " / ".join(f"{value:.2f}" for value in means),
            " / ".join(f"{value:.2f}" if name == "six added" else f"{value}" for value in figures),
            "",
            part,
            means[0] > means[1] > means[2] if whole(runs[0], tables) else None,
        )
    centred, shared = of(frame, "centred", tables=ADDED), of(frame, "shared", tables=ADDED)
    if not shared.is_empty():
        saved = (centred["percent"] - shared["percent"]).to_list()
        earlier, tied = sum(s > 0 for s in saved), sum(s == 0 for s in saved)
        yield Line(
            "shared before centred / at the same label, six added",
            f"{earlier} / {tied} of {len(saved)}",
            "56 / 16 of 72",
            f"mean saving {sum(saved) / len(saved):.2f} points (paper 4.95)",
            part,
            earlier + tied == len(saved),
        )


def _policies(frame: pl.DataFrame) -> Iterator[Line]:
    part = "Labels read by each policy, percent of the pool: original three → added six"
    floor = {tables: mean(of(frame, "certificate", tables=tables)) for tables in (ORIGINAL, ADDED)}
    for policy in POLICIES:
        runs = {tables: of(frame, policy, tables=tables) for tables in (ORIGINAL, ADDED)}
        if all(run.is_empty() for run in runs.values()):
            continue
        ours = " → ".join("–" if run.is_empty() else f"{mean(run):.2f}" for run in runs.values())
        paper = " → ".join(f"{value:.2f}" for value in TABLE_3[policy]) if policy in TABLE_3 else ""
        excess = mean(runs[ADDED]) - floor[ADDED]
        note = "" if excess != excess else f"{excess:.2f} points above C(y) on the added six"
        yield Line(policy, ours, paper, note if paper else f"not in the paper; {note}", part)
    yield from against(frame, BASE, "static-range", "60 / 4 / 8 of 72", part, ADDED)
    yield from against(frame, OURS, BASE, "", part)
    yield from _by_table(frame, OURS, BASE)


def _by_table(frame: pl.DataFrame, policy: str, other: str) -> Iterator[Line]:
    part = (
        f"{policy} against {other}, percent of the pool; claimed: fewer on each table, ten points on average"
    )
    for name, tables in (*((table, (table,)) for table in TABLES), ("all nine tables", TABLES)):
        ours, base, floor = (of(frame, m, tables=tables) for m in (policy, other, "certificate"))
        if ours.is_empty() or base.is_empty():
            continue
        saved = mean(base) - mean(ours)
        yield Line(
            name,
            f"{mean(ours):.2f} against {mean(base):.2f}",
            "",
            f"{saved:.2f} points fewer; C(y) {percent(mean(floor))}",
            part,
            saved > (10 if tables == TABLES else 0) if whole(ours, tables) else None,
        )


def _tolerances(frame: pl.DataFrame) -> Iterator[Line]:
    part = "With a tolerance τ, all conditions"
    for tolerance, paper in (("0.005", "44.83–45.69 %"), ("0.01", "39–40 %")):
        size = of(frame, "certificate", tolerance)
        yield Line(
            f"C_τ(y) at τ = {tolerance}",
            bracket(size),
            paper,
            "a verified bracket",
            part,
        )
    yield Line("C̲ at τ = 0.01", percent(mean(of(frame, "prelabel", "0.01"))), "21.67 %", "", part)
    for policy in (BASE, OURS):
        exact, loose = of(frame, policy), of(frame, policy, "0.005")
        if exact.is_empty() or loose.is_empty():
            continue
        known = policy == BASE
        yield Line(
            f"{policy} reads at τ = 0.005",
            percent(mean(loose)),
            "69.74 %" if known else "",
            f"{mean(exact) - mean(loose):.2f} points fewer than at 0" + (" (paper 10.64)" if known else ""),
            part,
        )
        changed = (exact["candidate"] != loose["candidate"]).sum()
        yield Line(
            f"{policy} returns another candidate at τ = 0.005",
            f"{changed} of {exact.height}",
            "28 of 108" if known else "",
            "always within the tolerance",
            part,
        )


def _ionosphere(frame: pl.DataFrame) -> Iterator[Line]:
    one = frame.filter(pl.col("condition") == "ionosphere-731-tree-4")
    measures = ("shared", "centred", "separate", "certificate", "prelabel")
    rows = [of(one, measure) for measure in measures]
    if any(row.is_empty() for row in rows):
        return
    shared, centred, separate, size, bound = (int(row["labels"][0]) for row in rows)
    yield Line(
        "shared / centred / separate test, C(y), C̲, labels",
        f"{shared} / {centred} / {separate}, {size}, {bound}",
        "73 / 77 / 106, 49–50, 16",
        "the one split whose seed is public; the random state of the trees is not",
        "Ionosphere, split 731, trees, four candidates, 106 rows",
        bound == 16 and size in (49, 50),
    )


def _correlation(frame: pl.DataFrame) -> Iterator[Line]:
    rows = frame.filter((pl.col("measure") == "spearman") & pl.col("value").is_not_null())
    if rows.is_empty():
        return
    tables = [mean(rows.filter(pl.col("dataset") == name), "value") for name in set(rows["dataset"])]
    yield Line(
        "mean pairwise Spearman correlation of confidences",
        f"{sum(tables) / len(tables):.2f} ({min(tables):.2f} to {max(tables):.2f} by table)",
        ".51 (.36 to .76)",
        "pairs with a constant confidence left out",
        "How alike the confidence orders are",
    )
