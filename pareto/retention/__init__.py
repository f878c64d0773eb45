"""Which models of a log are kept, so that they can be compared on every objective, and why not more.

log = retain_counts(counts, objectives=["code", "math"])    # or battles.retain(["code", "math"])
log.models, log.retention.explanation
"""

from pareto.retention.keeping import TIME_LIMIT, Log, Retention, retain_counts
from pareto.retention.rules import RULES, Choice

__all__ = ["RULES", "TIME_LIMIT", "Choice", "Log", "Retention", "retain_counts"]
