"""Figures of the paper's section 4.2 and appendix 9, and of the bundled part of Arena-140K."""

from __future__ import annotations

PAPER_COUNTS: dict[str, dict[str, int]] = {
    "arena-140k": {
        "models": 35,
        "objectives": 5,
        "self-battle, voted + self-battle, no outcome": 9,
        "tie": 21_528,
        "both bad": 15_749,
        "outside": 25_197,
    },
    "search-arena": {
        "models": 8,
        "objectives": 9,
        "self-battle, voted + self-battle, no outcome": 1_285,
        "self-battle, voted": 619,
        "self-battle, no outcome": 666,
        "no outcome": 10_751,
        "tie": 2_282,
        "both bad": 1_442,
        "outside": 4_004,
    },
    "vision-arena": {
        "models": 12,
        "objectives": 8,
        "tie": 5_216,
        "both bad": 5_905,
        "no objective": 2_762,
        "outside": 5_467,
        "records": 23_458,
        "comparisons behind records": 12_937,
    },
}
"""By layout, what the paper counts at each step; steps joined by + are counted together."""
_BOTH = ("gemini-2.5-pro", "grok-3-preview-02-24")
PAPER_FRONTIERS: dict[str, dict[str, tuple[str, ...]]] = {
    "arena-140k": {
        "D": ("chatgpt-4o-latest-20250326", *_BOTH),
        "H": ("chatgpt-4o-latest-20250326", *_BOTH, "minimax-m1"),
        "F": (*_BOTH, "minimax-m1"),
    }
}
"""By layout and treatment of ties."""
PAPER_RATIOS = {"focal-borda": (3.96, 16.54), "bt-mle": (1.20, 18.27), "borda-plugin": (15.20, 301.0)}
"""Smallest and largest ratio of means to VB-EGE over the three data sets (Table 11)."""
WITHIN = 1.1
"""By which factor an end of such a range may differ from the paper's."""

RETAINED = {"first-5": 10, "first-3": 15, "first-2": 35, "every-4": 16, "every-3": 18, "every-2": 30}
"""Models retained of the bundled log."""
FRONTIERS = {
    "first-5": ("gemini-2.5-pro",),
    "first-3": ("gemini-2.5-flash", "gemini-2.5-pro"),
    "first-2": ("gemini-2.5-pro",),
    "every-4": ("claude-opus-4-20250514", "gemini-2.5-pro"),
    "every-3": ("gemini-2.5-pro",),
    "every-2": ("gemini-2.5-pro",),
}
"""Their frontiers by decisive battles."""
BY_HOEFFDING = {"first-5": 0, "first-3": 0, "first-2": 9}
"""Models that Hoeffding bounds with a union over scores decide about the population."""
MIDDLE, LEAST = 8.0, 4.0
"""How many times fewer comparisons than VB-EGE `interval` should need: on the median log, and on each."""
