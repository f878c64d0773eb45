"""Rows to label and labels as Label Studio's tasks.

A task is ``{"data": {…}}``; labelled ones have ``annotations`` too. `data` holds the row's id as `ROW_ID`
(Label Studio numbers tasks itself and overwrites ``id`` in some of its exports) and the columns shown to
whoever labels, as text. What the candidates predict is left out, for it would sway the annotator.
`certify.reading.label_studio` reads what comes back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from certify.classes import Labels
from certify.errors import PoolError
from certify.pool import Pool

Task = dict[str, Any]
SUFFIX = ".json"
ROW_ID = "certify_id"
CONTROL = "label"
"""Name of the control in which a class is chosen."""
OBJECT = "row"


def tasks(pool: Pool, rows: Iterable[int]) -> list[Task]:
    """A task for each of these rows."""
    shown = () if pool.display is None else pool.display.columns
    if ROW_ID in shown:
        raise PoolError(
            f"a column of the pool is called {ROW_ID!r}, which names a row's id in Label Studio's tasks; "
            "write CSV, or rename the column and start a new session"
        )
    return [{"data": {ROW_ID: pool.ids[row], **pool.shown(row)}} for row in rows]


def annotated_tasks(pool: Pool, labels: Labels) -> list[Task]:
    """A task with one annotation for every labelled row, and a skipped one for every row that nobody can
    tell; in the pool's order."""
    skipped = {int(row) for row in labels.unknown}
    rows = sorted({*map(int, labels.rows), *skipped})
    found = tasks(pool, rows)
    for row, task in zip(rows, found, strict=True):
        code = int(labels.codes[row])
        chosen = [] if code < 0 else [_choice(pool.classes[code])]
        task["annotations"] = [{"result": chosen, "was_cancelled": code < 0}]
    return found


def as_text(found: Sequence[Task]) -> str:
    """JSON, a task a line."""
    return "[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n"


def labelling_interface(pool: Pool) -> str:
    """A labelling interface for the tasks of this pool, to paste into a project's settings.

    Columns appear as text; one that holds the address of an image or a recording wants another tag. Columns
    whose names Label Studio cannot refer to are left out.
    """
    shown = (
        [] if pool.display is None else [name for name in pool.display.columns if re.fullmatch(r"\w+", name)]
    )
    lines = [f'  <Text name="{OBJECT}" value="${ROW_ID}"/>']
    lines += [f'  <Text name="shown-{at}" value="${name}"/>' for at, name in enumerate(shown, 1)]
    lines += [f'  <Choices name="{CONTROL}" toName="{OBJECT}" choice="single" required="true">']
    lines += [f"    <Choice value={quoteattr(name)}/>" for name in pool.classes]
    return "\n".join(["<View>", *lines, "  </Choices>", "</View>"])


def _choice(name: str) -> Task:
    return {"from_name": CONTROL, "to_name": OBJECT, "type": "choices", "value": {"choices": [name]}}
