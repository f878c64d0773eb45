"""How outcomes may be spelled, and what they mean for the model on the left."""

from __future__ import annotations

from numbers import Real

from pareto.errors import BattleError

LEFT = ("left", "model_a", "model-a", "a")
RIGHT = ("right", "model_b", "model-b", "b")
TIES = ("tie", "both_bad", "tie (bothbad)", "bothbad")
UNKNOWN = "?"
WITHDRAWN = "withdrawn"
ACCEPTED = (
    "left or right (also model_a, model_b, or the model's name), tie (also both_bad), a number of points for "
    "the left model, ? for cannot tell, withdrawn to take an answer or the query back"
)

Spelled = str | float | bool | None
"""An outcome as somebody hands it in; None is "cannot tell"."""


def points_of_left(
    spelled: Spelled, left: str, right: str, count: int, ties: bool, fractions: bool, where: str
) -> float | None:
    """Points of `left` in `count` comparisons; None for "cannot tell".

    ties, fractions: whether half points, or any fractions, are allowed. where: for the message.
    """
    if spelled is None:
        return None
    if isinstance(spelled, bool):
        spelled = float(spelled)
    if isinstance(spelled, str):
        return _of_text(spelled.strip(), left, right, count, ties, fractions, where)
    if not isinstance(spelled, Real):
        raise BattleError(f"{where}: outcome {spelled!r}; accepted are {ACCEPTED}")
    return _of_number(spelled, count, ties, fractions, where)


def _of_text(
    text: str, left: str, right: str, count: int, ties: bool, fractions: bool, where: str
) -> float | None:
    lower = text.lower()
    if text in (left, right) and (lower in (UNKNOWN, *TIES) or _is_points(text, count)):
        raise BattleError(f"{where}: {text!r} names a model and is an outcome too; write left, right or tie")
    if text == UNKNOWN:
        return None
    says_left = {text == left, lower in LEFT}
    says_right = {text == right, lower in RIGHT}
    if True in says_left and True in says_right:
        raise BattleError(f"{where}: {text!r} names one model and the other's side; write left or right")
    if True in says_left:
        return count
    if True in says_right:
        return 0
    if lower in TIES:
        if not ties:
            raise BattleError(
                f"{where}: a tie; this session counts decided comparisons only: ask again with ?, or start a "
                "session in which ties count as half a win (--ties half)"
            )
        return count / 2 if count % 2 else count // 2
    try:
        number = float(text)
    except ValueError:
        raise BattleError(f"{where}: outcome {text!r}; accepted are {ACCEPTED}") from None
    return _of_number(number, count, ties, fractions, where)


def _is_points(text: str, count: int) -> bool:
    try:
        return 0 <= float(text) <= count
    except ValueError:
        return False


def _of_number(number: float, count: int, ties: bool, fractions: bool, where: str) -> float:
    if not 0 <= number <= count:
        raise BattleError(f"{where}: {number} points of {count}; 0 to {count} for the left model is accepted")
    number = float(number)
    if number.is_integer():
        return int(number)
    if not (ties and fractions):
        raise BattleError(
            f"{where}: {number} points; whole numbers of wins are accepted: this session or its method "
            "counts decided comparisons only"
        )
    return number
