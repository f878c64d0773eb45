"""What a log alone makes certain about the frontier of the population its votes come from.

certain = pareto.certainty(log, delta=0.05)
certain.status, certain.witness, certain.assumptions, certain.next.total
"""

from pareto.certainty.judging import certainty
from pareto.certainty.next_comparisons import NextComparisons, Plan
from pareto.certainty.protection import LeadTest
from pareto.certainty.result import Certainty, Evidence

__all__ = ["Certainty", "Evidence", "LeadTest", "NextComparisons", "Plan", "certainty"]
