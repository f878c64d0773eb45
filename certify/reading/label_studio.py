"""Labels from Label Studio's JSON export.

An export is a list of tasks. Read of each: its ``data``, for the row's id (`ROW_ID`, or ``id`` in tasks that
were not written here), and its ``annotations`` (``completions`` in old exports), for the class chosen in
results of type ``choices``. Predictions and drafts are not looked at. The control is the one called
`CONTROL`, or the only one there is.

* An annotation that was cancelled says that its annotator skipped the task; a task with no other is a row
  that nobody can tell (``?``).
* One without a choice says nothing.
* Several annotations must agree, unless some are marked as ground truth, which then count alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from certify.classes import Labels, encode, shorten
from certify.errors import PoolError
from certify.label_studio import CONTROL, ROW_ID
from certify.pool import Pool
from certify.reading.tables import quoted
from certify.risks import UNLABELLED

CHOICES = "choices"
SHAPE = '[{"data": {"certify_id": …}, "annotations": [{"result": […]}]}, …]'


@dataclass(frozen=True)
class Annotation:
    """What one annotator said of a task. choices: (control, class as spelled); types: of all results."""

    number: int
    choices: tuple[tuple[str, object], ...]
    types: tuple[str, ...]
    cancelled: bool
    ground_truth: bool


@dataclass(frozen=True)
class Task:
    """A task of an export, counted from 1. place: words for where it is."""

    place: str
    row_id: str
    annotations: tuple[Annotation, ...]

    @property
    def counted(self) -> tuple[Annotation, ...]:
        """Those that were not cancelled."""
        return tuple(one for one in self.annotations if not one.cancelled)

    def fail(self, problem: str) -> NoReturn:
        raise PoolError(f"{self.place}: {problem}")


def read_label_studio(path: Path, pool: Pool, label_map: Mapping[str, str] | None) -> Labels:
    """Labels of an export; label_map in canonical texts.

    Raises `PoolError` naming the task for whatever is no export, for ids that are not in the pool, choices
    that are no class, and annotations that disagree.
    """
    tasks = [_task(path, number, value) for number, value in enumerate(_listed(path), 1)]
    control = _control(path, tasks)
    rows = _rows(path, tasks, pool)
    codes = np.full(pool.n, UNLABELLED, dtype=np.int16)
    spelled = _Spelled(pool.classes, label_map)
    said: dict[int, Task] = {}
    skipped: set[int] = set()
    blank = 0
    for task, row in zip(tasks, rows, strict=True):
        code = _code(task, control, spelled)
        if code is not None:
            if row in said and codes[row] != code:
                here, there = pool.classes[code], pool.classes[codes[row]]
                task.fail(
                    f"label {here!r} for row {quoted(task.row_id)}, but {there!r} in {said[row].place}; keep "
                    "one task a row"
                )
            codes[row] = code
            said.setdefault(row, task)
        elif task.counted:
            blank += 1
        elif task.annotations:
            skipped.add(row)
    notices: list[str] = []
    if len(set(rows)) < len(rows):
        repeated = len(rows) - len(set(rows))
        verb = "task repeats" if repeated == 1 else "tasks repeat"
        notices.append(f"{path}: {repeated} {verb} a row without contradicting its label")
    if blank:
        notices.append(f"{path}: {blank} annotated without a choice, which counts as not labelled")
    unknown = sorted(row for row in skipped if codes[row] == UNLABELLED)
    return Labels(codes, np.array(unknown, dtype=np.int64), tuple(notices))


def _listed(path: Path) -> list[object]:
    try:
        found = json.loads(path.read_bytes())
    except UnicodeDecodeError as error:
        raise PoolError(
            f"{path} is not UTF-8 text ({error.reason}); export it from Label Studio again"
        ) from None
    except (ValueError, RecursionError) as error:
        raise PoolError(f"{path} is no JSON ({error}); export it from Label Studio again") from None
    if not isinstance(found, list):
        raise PoolError(
            f"{path} holds {quoted(found)}; Label Studio's JSON export is a list of tasks: {SHAPE}"
        )
    if not found:
        raise PoolError(f"{path} has no tasks; export at least one")
    return found


def _task(path: Path, number: int, value: object) -> Task:
    place = f"{path}, task {number}"
    if not isinstance(value, dict):
        raise PoolError(f"{place}: found {quoted(value)}; a task is an object: {SHAPE}")
    if isinstance(value.get("id"), int | str) and "data" in value:
        place += f" (Label Studio's id {quoted(value['id'])})"
    if "data" not in value:
        raise PoolError(
            f"{place} has no 'data' (found: {shorten(map(repr, value), 10)}); export as JSON, not as JSON-MIN"
        )
    data = value["data"]
    name = data.get(ROW_ID, data.get("id")) if isinstance(data, dict) else None
    if isinstance(name, bool) or not isinstance(name, int | str):
        found = shorten(map(repr, data), 10) if isinstance(data, dict) else quoted(data)
        raise PoolError(
            f"{place}: 'data' has no {ROW_ID!r} or 'id' that is text or a whole number (found: {found}); it "
            "says which row the task is about, and `certify ask -o tasks.json` writes it"
        )
    given = _list(place, "annotations", value.get("annotations", value.get("completions")))
    return Task(place, str(name), tuple(_annotation(place, at, one) for at, one in enumerate(given, 1)))


def _annotation(place: str, number: int, value: object) -> Annotation:
    if not isinstance(value, dict):
        raise PoolError(
            f"{place}, annotation {number}: found {quoted(value)}; an annotation is an object with 'result', "
            "so export the annotations themselves, not their numbers"
        )
    where = f"{place}, annotation {number}"
    results = _list(where, "result", value.get("result"))
    if not all(isinstance(one, dict) for one in results):
        raise PoolError(f"{where}: 'result' is {quoted(results)}; a list of objects is expected")
    choices = [
        (str(one.get("from_name")), choice)
        for one in results
        if one.get("type") == CHOICES
        for choice in _chosen(where, one.get("value"))
    ]
    return Annotation(
        number,
        tuple(choices),
        tuple(str(one.get("type")) for one in results),
        any(_flag(where, value, name) for name in ("was_cancelled", "skipped")),
        _flag(where, value, "ground_truth"),
    )


def _chosen(where: str, value: Any) -> list[Any]:
    chosen = value.get(CHOICES) if isinstance(value, dict) else None
    if not isinstance(chosen, list) or not all(isinstance(one, str | int | float) for one in chosen):
        raise PoolError(
            f"{where}: a result of type 'choices' has the value {quoted(value)}; accepted is "
            '{"choices": ["CLASS"]}'
        )
    return chosen


def _list(where: str, name: str, value: object) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise PoolError(f"{where}: {name!r} is {quoted(value)}; a list is expected")
    return value


def _flag(where: str, value: Mapping[str, object], name: str) -> bool:
    found = value.get(name)
    if found is not None and not isinstance(found, bool):
        raise PoolError(f"{where}: {name!r} is {quoted(found)}; true or false is expected")
    return bool(found)


def _control(path: Path, tasks: Sequence[Task]) -> str:
    """The control in which classes were chosen."""
    counted = [one for task in tasks for one in task.counted]
    names = list(dict.fromkeys(name for one in counted for name, _ in one.choices))
    if CONTROL in names or not names:
        other = list(dict.fromkeys(kind for one in counted for kind in one.types))
        if not names and other and CHOICES not in other:
            raise PoolError(
                f"{path}: no annotation has a result of type 'choices' (found: {shorten(map(repr, other))}); "
                "the class of a row is asked for with the tag Choices"
            )
        return CONTROL
    if len(names) > 1:
        raise PoolError(
            f"{path}: choices were made in {len(names)} controls ({shorten(map(repr, names))}); call the one "
            f"that asks for the class {CONTROL!r}"
        )
    return names[0]


def _rows(path: Path, tasks: Sequence[Task], pool: Pool) -> list[int]:
    """Row of the pool of each task."""
    unknown = [task for task in tasks if task.row_id not in pool.position]
    if unknown:
        more = "" if len(unknown) == 1 else f" ({len(unknown)} tasks have such ids)"
        accepted = (
            f"the pool has no ids, so an id is a row's position, 0 to {pool.n - 1}"
            if pool.row_ids is None
            else f"ids of the pool look like {shorten(map(quoted, pool.ids[:3]))}"
        )
        unknown[0].fail(f"the id {quoted(unknown[0].row_id)} is not in the pool{more}; {accepted}")
    return [pool.position[task.row_id] for task in tasks]


class _Spelled:
    """Codes of classes as they are spelled, each worked out once."""

    def __init__(self, classes: Sequence[str], label_map: Mapping[str, str] | None) -> None:
        self.classes, self.label_map = classes, label_map
        self.codes: dict[object, int] = {}

    def code(self, choice: object, where: str) -> int:
        """Its code, `UNLABELLED` for a blank; raises `PoolError` for what is no class."""
        if choice not in self.codes:
            self.codes[choice] = int(encode([choice], self.classes, self.label_map, where)[0])
        return self.codes[choice]


def _code(task: Task, control: str, spelled: _Spelled) -> int | None:
    """The class that the task's annotations agree on, None without any."""
    found: list[tuple[Annotation, int]] = []
    for one in task.counted:
        where = f"{task.place}, annotation {one.number}"
        chosen = [spelled.code(choice, where) for name, choice in one.choices if name == control]
        codes = [code for code in dict.fromkeys(chosen) if code != UNLABELLED]
        if len(codes) > 1:
            listed = ", ".join(repr(spelled.classes[code]) for code in codes)
            task.fail(
                f"annotation {one.number} chooses {len(codes)} classes ({listed}); a row has one, so let the "
                'tag Choices have choice="single"'
            )
        found += [(one, code) for code in codes]
    found = [(one, code) for one, code in found if one.ground_truth] or found
    for one, code in found[1:]:
        first, other = found[0]
        if code != other:
            task.fail(
                f"annotation {one.number} says {spelled.classes[code]!r} and annotation {first.number} says "
                f"{spelled.classes[other]!r}; delete all but one, or mark the right one as ground truth"
            )
    return found[0][1] if found else None
