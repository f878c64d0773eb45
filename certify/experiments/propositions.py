"""Propositions 2 and 3 on drawn pools: C̲/n → ¼, C(y)/n → ½ for two candidates, N/n → 1 for every policy.

Kuboyama 2026, sections 4.3 and 4.4, Figures 4 and 5. Candidates predict alike, orders are independent and
uniform, errors independent of them, so nothing that a policy can see says which rows will help: this is the
control in which every policy must come to read everything. At finite sizes an order can still save labels, by
leaving the rows of least weight, and more so once it has learnt the error rate.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from certify.bounds import initial_lower
from certify.budget import prelabel_bound
from certify.experiments.measures import certificate_bracket
from certify.experiments.random_pools import errors, independent_orders
from certify.experiments.summary import mean
from certify.policies import POLICIES
from certify.pool import Pool
from certify.replay import replay
from certify.risks import Codes
from solvers.studies.drawing import BLUE, GREEN, GREY, ORANGE, PINK, SKY, VIOLET, canvas, saved
from solvers.studies.study import SEEDS, Line, Picture, Row, Study

if TYPE_CHECKING:
    import polars as pl

SIZES = {
    2: (100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000),
    4: (1_000, 10_000, 100_000),
    8: (1_000, 10_000, 100_000),
}
RATES = (0.1, 0.3)
FEW = 3
"""Repetitions of pools of a hundred thousand rows and more."""
SLOW = "expected-gain"
"""The policy that thinks about every label; it is run apart and on smaller pools."""
SLOW_SIZES = {100: SEEDS, 300: SEEDS, 1_000: SEEDS, 3_000: SEEDS, 10_000: SEEDS, 100_000: FEW}
"""Rows → at most so many repetitions of it."""
ORDERS = tuple(
    name
    for name in ("random", "static-range", "adaptive-pair-sum", "vma", "model-selector")
    if name in POLICIES
)
COLUMNS = {
    "candidates": int,
    "rows": int,
    "rate": float,
    "quantity": str,
    "labels": int,
    "share": float,
}
BOUND, SUFFICIENT, OUTER = "bound", "certificate", "outer quarter"


def keys(seeds: int) -> list[str]:
    pools = [
        f"K{k}-n{n}-q{rate}-seed{seed}"
        for k, sizes in SIZES.items()
        for n in sizes
        for rate in RATES
        for seed in range(min(seeds, FEW) if n >= 100_000 or k > 2 else seeds)
    ]
    slow = [
        f"{SLOW}-n{n}-q{rate}-seed{seed}"
        for n, most in SLOW_SIZES.items()
        for rate in RATES
        for seed in range(min(seeds, most))
        if SLOW in POLICIES
    ]
    return pools + slow


def work(key: str) -> list[Row]:
    # the slow policy reads the same pools as the others
    name = key.replace(SLOW, "K2")
    many, size, share, _ = name.split("-")
    k, n, rate = int(many[1:]), int(size[1:]), float(share[1:])
    pool = independent_orders(f"propositions {name}", k, n)
    codes = errors(f"propositions {name}", n, rate)
    policies = (SLOW,) if key.startswith(SLOW) else ORDERS
    labels = {policy: replay(pool, codes, policy, seed=0).labels_read for policy in policies}
    if policies == ORDERS:
        labels |= {BOUND: prelabel_bound(pool), SUFFICIENT: _sufficient(pool, codes)}
    head = {"candidates": k, "rows": n, "rate": rate}
    rows: list[Row] = [
        {**head, "quantity": quantity, "labels": count, "share": count / n}
        for quantity, count in labels.items()
    ]
    if k == 2 and policies == ORDERS:
        spans = pool.risks.span(0, 1).astype(np.int64)
        outer = spans > n
        deficit = int(-initial_lower(pool.risks)[0, 1])
        carried = int(spans[outer].sum()) / deficit
        rows.append({**head, "quantity": OUTER, "labels": int(outer.sum()), "share": carried})
    return rows


def _sufficient(pool: Pool, codes: Codes) -> int:
    """C(y), or the upper end of its bracket for more than two candidates."""
    size = certificate_bracket(pool, codes, "0")["labels"]
    assert isinstance(size, int)
    return size


def mean_shares(table: pl.DataFrame) -> pl.DataFrame:
    """Mean of `share` for each number of candidates, size and quantity; error rates weigh the same."""
    import polars as pl

    by = ["candidates", "rows", "quantity"]
    return (
        table.group_by([*by, "rate"], maintain_order=True)
        .agg(pl.col("share").mean())
        .group_by(by, maintain_order=True)
        .agg(pl.col("share").mean())
        .sort(by)
    )


def compare(table: pl.DataFrame) -> list[Line]:
    shares = mean_shares(table)
    return [*_limit_lines(shares), *_control_lines(shares), *_more_candidates(shares), *_geometry(table)]


def _limit_lines(shares: pl.DataFrame) -> list[Line]:
    lines = []
    part = "Two candidates: shares of the pool, and their limits"
    for quantity, limit, within in ((BOUND, 0.25, 0.005), (SUFFICIENT, 0.5, 0.02)):
        found = shares.filter(candidates=2, quantity=quantity)
        if found.is_empty():
            continue
        last = found.row(-1, named=True)
        claimed = last["rows"] == SIZES[2][-1]
        lines.append(
            Line(
                {BOUND: "C̲/n", SUFFICIENT: "C(y)/n"}[quantity],
                _trend(found),
                f"→ {limit:g}",
                "Proposition 2",
                part,
                abs(last["share"] - limit) <= within if claimed else None,
            )
        )
    return lines


def _control_lines(shares: pl.DataFrame) -> list[Line]:
    """Labels read by every policy: none may stay away from reading everything."""
    part = "Two candidates: labels read, as a share of the pool (in the limit no policy saves anything)"
    lines = []
    for policy in (*ORDERS, SLOW):
        found = shares.filter(candidates=2, quantity=policy)
        if found.is_empty():
            continue
        values = found["share"].to_list()
        lines.append(
            Line(
                policy,
                _trend(found),
                "→ 1",
                _rate_of_approach(found["rows"].to_numpy(), 1 - found["share"].to_numpy()),
                part,
                values[-1] > 0.9 if found["rows"][-1] >= 100_000 else None,
            )
        )
    return lines


def _rate_of_approach(rows: np.ndarray, unread: np.ndarray) -> str:
    """How the unread share falls with n: the slope in logarithms, from a thousand rows on.

    Margins are of order n^1.5. The u smallest gaps add up to order u², any u gaps to order u·n, so that an
    order by gaps should leave n^−¼ unread and a random one n^−½.
    """
    large = (rows >= 1000) & (unread > 0)
    if large.sum() < 2:
        return "Proposition 3"
    slope = np.polyfit(np.log(rows[large]), np.log(unread[large]), 1)[0]
    return f"share left unread falls like n^{slope:.2f}"


def _more_candidates(shares: pl.DataFrame) -> list[Line]:
    lines = []
    for k in SIZES:
        if k == 2:
            continue
        part = f"{k} candidates: shares of the pool"
        for quantity, paper, note in (
            (BOUND, "→ 0.25", "Proposition 2"),
            (SUFFICIENT, "≥ 0.5 in the limit", "its limit for more than two candidates is open in the paper"),
            ("static-range", "→ 1", "Proposition 3"),
        ):
            found = shares.filter(candidates=k, quantity=quantity)
            if len(found):
                lines.append(Line(_NAMES.get(quantity, quantity), _trend(found), paper, note, part))
    return lines


_NAMES = {BOUND: "C̲/n", SUFFICIENT: "C(y)/n"}


def _geometry(table: pl.DataFrame) -> list[Line]:
    outer = table.filter(candidates=2, quantity=OUTER).sort("rows")
    if outer.is_empty():
        return []
    last = outer.filter(rows=outer["rows"].max())
    return [
        Line(
            f"rows with |U − V| > ½ at n = {last['rows'][0]:,}, and how much of the deficit they cover",
            f"{mean(last, 'labels') / last['rows'][0]:.4f}, {mean(last, 'share'):.4f}",
            "¼, 1",
            "half of the total rank difference is the deficit",
            "Where the quarter comes from (Figure 4)",
        )
    ]


def _trend(found: pl.DataFrame) -> str:
    return ", ".join(f"{row['share']:.3f} ({_short(row['rows'])})" for row in found.iter_rows(named=True))


def _short(n: int) -> str:
    return f"n = {n:,}" if n < 10_000 else f"n = 10^{len(str(n)) - 1}"


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    shares = mean_shares(table).filter(candidates=2)
    return [_square(folder), _three_limits(shares, folder), _approach(shares, folder)]


def _hollow(marker: str, size: float) -> dict[str, Any]:
    """Marks that show others under them, because with two candidates several policies coincide."""
    return {"marker": marker, "markersize": size, "fillstyle": "none", "linewidth": 1}


_STYLES: dict[str, tuple[str, dict[str, Any]]] = {
    "random": (GREY, _hollow("o", 9)),
    "model-selector": (VIOLET, _hollow("x", 6)),
    "vma": (PINK, _hollow("v", 6)),
    "static-range": (BLUE, _hollow("s", 9)),
    "adaptive-pair-sum": (SKY, _hollow("+", 7)),
    SLOW: (GREEN, _hollow("D", 6)),
}


def _square(folder: Path) -> Picture:
    pool = independent_orders("propositions figure 4", 2, 1_000)
    ranks = 1 - pool.risks.weights / (2 * pool.n)
    outer = np.abs(ranks[0] - ranks[1]) > 0.5
    figure, axes = canvas(4.6, 4.4)
    axes.fill([0, 0, 0.5], [0.5, 1, 1], color=ORANGE, alpha=0.2, linewidth=0)
    axes.fill([0.5, 1, 1], [0, 0, 0.5], color=ORANGE, alpha=0.2, linewidth=0)
    axes.scatter(ranks[0, ~outer], ranks[1, ~outer], s=5, color=GREY, linewidths=0)
    axes.scatter(ranks[0, outer], ranks[1, outer], s=5, color=ORANGE, linewidths=0)
    axes.set(
        xlabel="normalised rank U under the first candidate", ylabel="normalised rank V under the second",
        xlim=(0, 1), ylim=(0, 1), aspect="equal",
    )  # fmt: skip
    share = float(np.abs(ranks[0] - ranks[1])[outer].sum() / np.abs(ranks[0] - ranks[1]).sum())
    return saved(
        figure,
        folder,
        "propositions-quarter",
        f"Where the quarter comes from (Figure 4): of 1,000 rows in two independent orders the "
        f"{int(outer.sum())} with |U − V| > ½ carry {100 * share:.0f} % of the total rank difference, "
        "and half of it is what must be covered.",
    )


def _three_limits(shares: pl.DataFrame, folder: Path) -> Picture:
    figure, axes = canvas()
    for limit in (0.25, 0.5, 1.0):
        axes.axhline(limit, color="0.75", linewidth=1, linestyle=":")
    for quantity, colour, label in (
        (BOUND, ORANGE, "C̲: no policy can do with fewer"),
        (SUFFICIENT, BLUE, "C(y): would have been enough"),
    ):
        found = shares.filter(quantity=quantity)
        axes.plot(found["rows"], found["share"], "o-", color=colour, label=label)
    for policy, (_, style) in _STYLES.items():
        found = shares.filter(quantity=policy)
        if len(found):
            axes.plot(found["rows"], found["share"], color=GREEN, label=policy, **style)
    axes.set(xscale="log", xlabel="rows", ylabel="share of the pool", ylim=(0, 1.03))
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="center right", bbox_to_anchor=(1, 0.68))
    return saved(
        figure,
        folder,
        "propositions-limits",
        "Two candidates, independent orders and errors (Figure 5): what is needed, what would have been "
        "enough, and what policies read. The three tend to ¼, ½ and 1.",
    )


def _approach(shares: pl.DataFrame, folder: Path) -> Picture:
    figure, axes = canvas()
    for policy, (colour, style) in _STYLES.items():
        found = shares.filter(quantity=policy)
        if len(found):
            axes.plot(found["rows"], 1 - found["share"], color=colour, label=policy, **style)
    n = np.array(SIZES[2], dtype=np.float64)
    axes.plot(n, n**-0.25, color="0.6", linestyle=":", label="n^(−1/4)")
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="share of the pool left unread")
    axes.legend(frameon=False, fontsize=8)
    return saved(
        figure,
        folder,
        "propositions-control",
        "The share of labels that each policy saves falls towards nothing as pools grow: when orders tell "
        "nothing about errors, cleverness helps less and less. Policies that coincide for two candidates are "
        "drawn over each other. Dotted: n^(−1/4).",
    )


STUDY = Study(
    "propositions",
    "Propositions 2 and 3: a quarter, a half, and everything",
    COLUMNS,
    keys,
    work,
    compare,
    pictures,
    seconds=150,
)
