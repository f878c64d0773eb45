"""What was dropped from a log on the way to its comparisons, step by step, each step counted.

The order is fixed: self-battles (after names were mapped; voted and unvoted ones apart), rows without an
outcome, ties and both-bad votes, rows without an objective, objectives that were not selected, and, once
models were retained, records of the other models. A row is counted by the first step it falls to, so
another order would give other counts. Ties and both-bad votes are dropped under the decisive treatment
only; the counts of a log keep them for the other treatments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pareto.errors import BattleError

SELF_VOTED = "self-battle, voted"
SELF_UNVOTED = "self-battle, no outcome"
NO_OUTCOME = "no outcome"
TIE = "tie"
BOTH_BAD = "both bad"
NO_OBJECTIVE = "no objective"
NOT_SELECTED = "objective not selected"
OUTSIDE = "model not retained"

Record = dict[str, object]


@dataclass(frozen=True)
class Step:
    """So many rows dropped for a reason (objective records for `OUTSIDE`); detail: more about them."""

    reason: str
    rows: int
    detail: str = ""


@dataclass(frozen=True)
class Preprocessing:
    """From the rows of a log to the comparisons that count.

    Attributes:
        rows: votes read (in a table of counts, the votes it counts).
        steps: dropped rows in the order they were dropped.
        comparisons: decisive comparisons with at least one objective; `rows` less all `steps`.
        records: their pair–objective records; more than `comparisons` where one counts for several.
        undecided, undecided_records: the same two of the ties and both-bad votes.
        outside: records dropped because a model was not retained; None before models are retained.
        retained_comparisons: decisive comparisons behind the retained records; None likewise.
        notices: what was assumed about cells on the way, without dropping a row.
    """

    rows: int
    steps: tuple[Step, ...]
    comparisons: int
    records: int
    undecided: int = 0
    undecided_records: int = 0
    outside: Step | None = None
    retained_comparisons: int | None = None
    notices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        left = self.rows - sum(step.rows for step in self.steps)
        if left != self.comparisons:
            raise BattleError(
                f"{self.rows} rows and the steps leave {left} comparisons, not {self.comparisons}; "
                "count every dropped row in one step"
            )

    @property
    def retained_records(self) -> int | None:
        """Decisive records of retained models; None before models are retained."""
        return None if self.outside is None else self.records - self.outside.rows

    def after(self, step: Step, comparisons: int) -> Preprocessing:
        """With the last step, records of models that are not retained, and the comparisons then left."""
        return replace(self, outside=step, retained_comparisons=comparisons)

    def dropped(self, reason: str) -> int:
        """Rows dropped for a reason, 0 where that never happened."""
        return sum(step.rows for step in self.steps if step.reason == reason)

    def table(self) -> list[tuple[str, int, str]]:
        """Lines (what, how many, remark) laid out as Table 9 of the paper is."""
        lines = [("rows read", self.rows, "")]
        lines += [(step.reason, -step.rows, step.detail) for step in self.steps]
        lines.append(("assigned comparisons", self.comparisons, ""))
        lines.append(("objective records", self.records, ""))
        if self.outside is not None and self.retained_comparisons is not None:
            several = self.records != self.comparisons
            unique = f"from {self.retained_comparisons} comparisons" if several else ""
            lines.append((self.outside.reason, -self.outside.rows, self.outside.detail))
            lines.append(("retained records", self.records - self.outside.rows, unique))
        return lines

    def record(self) -> Record:
        """Everything, for JSON."""
        return {
            "rows": self.rows,
            "dropped": [vars(step) for step in self.steps],
            "comparisons": self.comparisons,
            "records": self.records,
            "undecided": self.undecided,
            "undecided_records": self.undecided_records,
            "outside": None if self.outside is None else vars(self.outside),
            "retained_records": self.retained_records,
            "retained_comparisons": self.retained_comparisons,
            "notices": list(self.notices),
        }
