"""Figures of the frontier paper, and totals that its schedule fixes.

Tables 4 to 8 of the paper are missing from the text that its figures here are taken from; what is left are
ranges, fits and words. Two kinds of figure stand in:

- totals that follow from the schedule (eq. 6), which every right implementation hits in every trial;
- values of earlier runs of the same settings, marked "ref.", which say what to expect where nothing else
  does.
"""

from __future__ import annotations

from pareto.experiments.settings import Setting
from pareto.samplers.schedule import PAPER, phase

BENCHMARK_RANGES = {
    "focal-borda": (1.25, 111.0),
    "bt-mle": (1.79, 261.0),
    "borda-plugin": (29.7, 4230.0),
}
"""Smallest and largest ratio of means to VB-EGE over the eight benchmarks (section 4.1)."""
CONFIDENCE_FIT = 0.99997
"""R² of mean comparisons against log(1/δ), symmetric instance (section 4.1)."""

ALWAYS: dict[tuple[str, int, int, float], int] = {
    ("vb-ege", 64, 10, 0.75): 4_462_080,
    ("vb-ege", 64, 10, 1.0): 4_462_080,
    ("vb-ege", 64, 10, 1.5): 1_068_800,
    ("bt-mle", 16, 4, 1.0): 183_840,
    ("bt-mle", 32, 4, 1.0): 849_152,
    ("bt-mle", 64, 4, 1.0): 3_814_272,
    ("bt-mle", 128, 4, 1.0): 16_841_216,
    ("borda-plugin", 16, 4, 1.0): 3_276_000,
    ("borda-plugin", 32, 4, 1.0): 14_981_184,
    ("borda-plugin", 64, 4, 1.0): 66_681_216,
    ("borda-plugin", 128, 4, 1.0): 292_055_296,
}
"""Comparisons of every trial at δ = 0.05, by method and (K, d, Δ)."""
MOSTLY: dict[tuple[int, int, float], tuple[int, float]] = {
    (16, 4, 1.0): (370_752, 0.72),
    (32, 4, 1.0): (786_944, 0.88),
    (64, 4, 1.0): (1_664_768, 0.95),
    (128, 4, 1.0): (3_511_296, 0.95),
    (64, 10, 0.5): (18_432_000, 0.96),
}
"""VB-EGE's largest total and the share of trials that hit it, by (K, d, Δ); shares are ref."""
STRADDLING = ((64, 10, 1.25), 1.85e6)
"""The setting whose trials end in two phases about equally often, and VB-EGE's mean there, ref."""
CONFIDENCE_TOTALS = {
    0.2: 4_007_680,
    0.1: 4_234_880,
    0.05: 4_462_080,
    0.02: 4_762_240,
    0.01: 4_989_440,
    0.005: 5_216_640,
    0.002: 5_516_800,
    0.001: 5_744_000,
}
"""Comparisons of every VB-EGE trial on K = 64, d = 10, Δ = 1, by δ."""
BENCHMARK_MEANS = {"convex-2d": 1.2e8, "witness-4": 2.3e8, "witness-10": 1.6e9, "arena-10": 6.1e8}
BENCHMARK_MEDIANS = {
    "convex-3d": 3.5e8,
    "arena-4-small": 5.4e7,
    "arena-4-medium": 1.1e8,
    "two-group-10": 9.7e8,
}
"""VB-EGE, ref.; medians where a near-tie instance can carry a mean."""
FAMILY_MEANS = {
    (4, 4): 9.4e7,
    (4, 8): 1.2e8,
    (4, 16): 2.5e8,
    (4, 32): 4.4e8,
    (10, 4): 5.2e8,
    (10, 8): 5.6e8,
    (10, 16): 6.1e8,
    (10, 32): 6.9e8,
}
"""VB-EGE's means by (d, |P|), ref."""
TRACK_RATIOS: dict[str, dict[float, float]] = {
    "K": {16: 0.554, 32: 1.19, 64: 2.8, 128: 6.6},
    "d": {2: 1.16, 4: 2.83, 10: 5.81},
    "Δ": {0.5: 8.2, 0.75: 10.5, 1.0: 5.81, 1.25: 14.3, 1.5: 13.5},
}
"""Capped means, Track-and-Stop by VB-EGE, by what varies in a panel of the scaling settings (appendix 10)."""
TRACK_MEANS = {"scaling": 4.10, "frontier size": 20.6}
"""Their geometric means over the settings of a group."""
TRACK_WINS = 1
"""Of 28 settings those in which Track-and-Stop has the lower capped mean."""
TRACK_CAPPED = {"convex-3d": 0.02, "two-group-10": 0.018}
"""Share of its trials that were given up at T_max; 0 on all other settings."""


def phase_total(setting: Setting, method: str, delta: float, number: int) -> int:
    """Comparisons when all cells of a method are brought to the end of phase `number` (eq. 6)."""
    arms = setting.models * setting.objectives
    cells = arms if method in ("vb-ege", "focal-borda") else arms * (setting.models - 1) // 2
    return cells * phase(number, cells, delta, PAPER).draws


def ending_phase(setting: Setting, method: str, delta: float, total: int) -> int | None:
    """The phase whose end is at `total`, None if there is none."""
    number = 1
    while (at := phase_total(setting, method, delta, number)) < total:
        number += 1
    return number if at == total else None
