"""The known layouts of battle logs: what columns each has, and where its objectives are.

A flag is found by its keys, one a level ("math_v0.1" is one key, dots and all), as a column named by those
keys with dots between, or in one of the other places that published files use. A layout is recognised when
all its columns are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KeyPath = tuple[str, ...]
Fields = Mapping[str, "Fields | None"]
"""Columns, and for nested ones their keys."""

MODEL_A, MODEL_B, WINNER, OBJECTIVE = "model_a", "model_b", "winner", "objective"
WINS_A, WINS_B, TIES, BOTH_BAD = "wins_a", "wins_b", "ties", "both_bad"
GENERAL, OVERALL = "general", "overall"


@dataclass(frozen=True)
class Flag:
    """Whether a comparison counts for an objective: the keys that lead to it, and others to try."""

    objective: str
    keys: KeyPath
    others: tuple[KeyPath, ...] = ()

    def place(self, fields: Fields) -> KeyPath | None:
        """The keys by which these columns have it."""
        tried = (self.keys, (".".join(self.keys),), *self.others)
        return next((keys for keys in tried if has(fields, keys)), None)


@dataclass(frozen=True)
class Layout:
    """How a log is laid out.

    Attributes:
        name: what `read_battles` calls it.
        columns: words for its columns.
        flags: true/false objectives, in order of priority.
        multi_label: a comparison counts for every true flag, not for the first one.
        rest: objective of comparisons with no true flag; None drops them.
        objective: column that names one objective.
        values: the objectives it may name; () for any.
        outcomes: columns beside the two models.
        session, voter: columns that say which votes belong together.
    """

    name: str
    columns: str
    flags: tuple[Flag, ...] = ()
    multi_label: bool = False
    rest: str | None = None
    objective: str | None = None
    values: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = (WINNER,)
    session: str | None = None
    voter: str | None = None

    @property
    def counted(self) -> bool:
        """Whether a row is a count of votes."""
        return self.outcomes[0] == WINS_A


ARENA_140K = Layout(
    "arena-140k",
    "is_code and category_tag (its keys math_v0.1, creative_writing_v0.1, if_v0.1), or is_code, math, "
    "creative_writing and instruction_following",
    flags=(
        Flag("code", ("is_code",), (("category_tag", "is_code"), ("categories", "is_code"))),
        Flag("math", ("category_tag", "math_v0.1", "math"), (("math",),)),
        Flag(
            "creative_writing",
            ("category_tag", "creative_writing_v0.1", "creative_writing"),
            (("creative_writing",),),
        ),
        Flag("instruction_following", ("category_tag", "if_v0.1", "if"), (("instruction_following",),)),
    ),
    rest=GENERAL,
    session="evaluation_session_id",
)
SEARCH_ARENA = Layout(
    "search-arena",
    "primary_intent",
    objective="primary_intent",
    values=(
        "Factual Lookup",
        "Info Synthesis",
        "Recommendation",
        "Analysis",
        "Explanation",
        "Guidance",
        "Creative Generation",
        "Other",
        "Text Processing",
    ),
    voter="judge",
)
VISION_ARENA = Layout(
    "vision-arena",
    "categories (its keys captioning, creative_writing, diagram, entity_recognition, homework, humor, "
    "is_code, ocr)",
    flags=tuple(
        Flag(name, ("categories", name), ((name,),))
        for name in (
            "captioning",
            "creative_writing",
            "diagram",
            "entity_recognition",
            "homework",
            "humor",
            "is_code",
            "ocr",
        )
    ),
    multi_label=True,
    voter="judge",
)
PLAIN = Layout("plain", "winner, and objective if there are several", objective=OBJECTIVE)
COUNTS = Layout(
    "counts",
    "wins_a, wins_b, and ties, both_bad, objective if there are any",
    objective=OBJECTIVE,
    outcomes=(WINS_A, WINS_B, TIES, BOTH_BAD),
)
LAYOUTS = {one.name: one for one in (ARENA_140K, SEARCH_ARENA, VISION_ARENA, PLAIN, COUNTS)}


def has(fields: Fields, keys: KeyPath) -> bool:
    """Whether the keys lead to a column, nested or not, that is not nested further."""
    inner: Fields | None = fields
    for key in keys:
        if inner is None or key not in inner:
            return False
        inner = inner[key]
    return inner is None
