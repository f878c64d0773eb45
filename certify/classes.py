"""Class labels: one canonical text for each, natural order, and their integer codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError
from certify.risks import UNLABELLED, Codes

MAX_CLASSES = int(np.iinfo(np.int16).max)
NO_LABEL = ("", "?")
"""Texts that mean *not labelled*, in files and in answers."""

_WHOLE_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.0+)?")


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of all rows as class codes: (n,) int16, −1 where not labelled.

    unknown: positions of rows explicitly marked ``?``, nobody can tell. notices: what was dropped or left
    open while reading them. Made by `certify.read_labels`.
    """

    codes: Codes
    unknown: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    notices: tuple[str, ...] = ()

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """Positions of the labelled rows, ascending."""
        return np.flatnonzero(self.codes != UNLABELLED)


def class_text(value: object) -> str | None:
    """Canonical text of one label, None for *not labelled* (None, NaN, blank, ``?``).

    Whole numbers have one spelling, so 1, 1.0, ``"1.0"``, ``"+1"`` and True are all ``"1"``; every other
    text (``"01"`` too) stays as written, without surrounding blanks.
    """
    if value is None:
        return None
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        number = float(value)
        if number != number:
            return None
        return str(int(number)) if number.is_integer() else repr(number)
    text = str(value).strip()
    if text in NO_LABEL:
        return None
    return text.partition(".")[0].lstrip("+").replace("-0", "0") if _WHOLE_NUMBER.fullmatch(text) else text


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key under which ``2`` precedes ``10`` and ``class2`` precedes ``class10``."""
    if re.fullmatch(r"-[0-9]{1,300}", text):
        return ((0, int(text), ""),)
    parts = re.split(r"([0-9]{1,300})", text)  # longer ones are no numbers, and int() refuses them
    return tuple((0, int(part), part) if part[0] in "0123456789" else (1, 0, part) for part in parts if part)


def natural_order(names: Iterable[str]) -> tuple[str, ...]:
    """Distinct names in natural order."""
    return tuple(sorted(set(names), key=natural_key))


def shorten(names: Iterable[object], most: int = 5) -> str:
    """The first few names and how many more there are, for messages."""
    listed = [str(name) for name in names]
    extra = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {extra} more" if extra > 0 else "")


def parse_label_map(text: str) -> dict[str, str]:
    """``"cat=0,dog=1"`` to {"cat": "0", "dog": "1"}: how labels are spelled → classes of the pool."""
    mapping: dict[str, str] = {}
    for item in text.split(","):
        label, equals, name = item.partition("=")
        label_text, name_text = class_text(label), class_text(name)
        if not equals or label_text is None or name_text is None:
            raise PoolError(f"label map {text!r}: {item!r} is not LABEL=CLASS; write for example cat=0,dog=1")
        if mapping.setdefault(label_text, name_text) != name_text:
            raise PoolError(f"label map {text!r} sends {label_text!r} to two classes; keep one of them")
    return mapping


def encode(
    labels: Sequence[object] | npt.NDArray[np.generic],
    classes: Sequence[str],
    label_map: Mapping[str, str] | None = None,
    where: str = "labels",
) -> Codes:
    """Class codes of `labels`, (n,) int16, −1 where not labelled (None, NaN, blank, ``?``).

    Raises `PoolError` naming both sets when a label is no class, after `label_map` where given.
    """
    if isinstance(labels, np.ma.MaskedArray):
        values = np.ma.getdata(labels).astype(object)
        values[np.ma.getmaskarray(labels)] = None
    elif isinstance(labels, np.ndarray):
        values = labels
    else:  # one object a label, or numpy would turn [None, "a", 1] into something else
        values = np.fromiter(labels, dtype=object, count=len(labels))
    if values.ndim != 1:
        raise PoolError(f"{where} must be one-dimensional, not of shape {values.shape}")
    if values.dtype == object:
        texts = [class_text(value) for value in values]
        distinct = natural_order(text for text in texts if text is not None)
        codes_of = _codes_of(distinct, classes, label_map, where)
        return np.array([codes_of.get(text, UNLABELLED) for text in texts], dtype=np.int16)
    distinct_values, inverse = np.unique(values, return_inverse=True)
    texts = [class_text(value) for value in distinct_values]
    codes_of = _codes_of([text for text in texts if text is not None], classes, label_map, where)
    table = np.array([codes_of.get(text, UNLABELLED) for text in texts], dtype=np.int16)
    return table[inverse]


def _codes_of(
    found: Sequence[str], classes: Sequence[str], label_map: Mapping[str, str] | None, where: str
) -> dict[str | None, int]:
    known = {name: code for code, name in enumerate(classes)}
    renamed = {text: text if label_map is None else label_map.get(text, text) for text in found}
    unknown = [text for text, name in renamed.items() if name not in known]
    if unknown:
        raise PoolError(
            f"{where}: {shorten(_cut(repr(text)) for text in unknown)} "
            f"{'is' if len(unknown) == 1 else 'are'} not among the classes of this pool. "
            f"Labels found: {shorten(map(_cut, found), 10)}; classes: {shorten(map(_cut, classes), 10)}. "
            "Spell the labels as the predictions are spelled, or say how they correspond with a label map "
            "such as cat=0,dog=1 (--label-map); a class that nobody predicts is declared with --classes"
        )
    return {text: known[name] for text, name in renamed.items()}


def _cut(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def check_classes(classes: Sequence[object]) -> tuple[str, ...]:
    """Canonical class texts: at least two, distinct."""
    texts = []
    for value in classes:
        text = class_text(value)
        if text is None:
            raise PoolError(f"class {value!r} means 'not labelled'; give it another name")
        texts.append(text)
    if len(texts) < 2:
        raise PoolError(
            f"{len(texts)} class given ({shorten(texts)}); a label needs at least two to choose from"
        )
    if len(set(texts)) != len(texts):
        raise PoolError(f"classes {shorten(texts, 10)} contain one twice")
    if len(texts) > MAX_CLASSES:
        raise PoolError(f"{len(texts)} classes; at most {MAX_CLASSES} are supported")
    return tuple(texts)


def predicted_codes(predictions: npt.NDArray[np.generic], classes: tuple[str, ...], name: str) -> Codes:
    """Codes of one candidate's predictions; a missing prediction is an error."""
    codes = encode(predictions, classes, where=f"predictions of {name}")
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        raise PoolError(
            f"predictions of {name}: no prediction at row {int(missing[0])} ({len(missing)} in all); "
            "every candidate predicts every row"
        )
    return codes
