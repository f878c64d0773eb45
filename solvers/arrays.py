"""Arrays as problems hold them: read-only, and with every number exactly as it was given."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.errors import SolverError

EXACT_INTEGER = 2**53
"""Integers up to this size are float64 numbers; beyond it only some are."""
KEPT_BYTES = 64 << 20
"""Arrays of integers from this size on are looked at where they are; smaller ones are copied."""


def _writeable(array: npt.NDArray[Any]) -> bool:
    """True if the array, or one whose memory it shows, can be written to."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return True
        owner = owner.base
    if owner is None:
        return False
    try:
        return not memoryview(owner).readonly
    except TypeError:
        return False


def read_only(array: npt.NDArray[Any], most: int | None = None) -> npt.NDArray[Any]:
    """The array if nobody can write to it, else a read-only copy.

    Args:
        most: arrays of this many bytes or more are not copied; a read-only view of them is returned, and
            their owner must leave them alone.
    """
    if not _writeable(array):
        return array
    kept = array.view() if most is not None and array.nbytes >= most else array.copy()
    kept.flags.writeable = False
    return kept


def _place(name: str, at: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, at))}]" if at else name


def _exactly(value: Any, name: str, at: tuple[int, ...]) -> float:
    """One number of any type as float64; an exact one that no float64 equals is refused."""
    where = _place(name, at)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise SolverError(f"{where} = {str(value)[:60]} cannot be read as a float64 ({error}).") from error
    if isinstance(value, int | np.integer | Fraction | Decimal) and np.isfinite(number):
        given = Fraction(int(value)) if isinstance(value, int | np.integer) else Fraction(value)
        if given != Fraction(number):
            raise SolverError(
                f"{where} = {str(value)[:60]} is no float64 and would be rounded to {number!r}; rescale, or "
                "convert it with float() if the nearest float64 is meant."
            )
    return number


def exact_reals(values: object, name: str) -> npt.NDArray[np.float64]:
    """A float64 array of the numbers given, or of one.

    Raises:
        SolverError: for what is not a number, and for integers (mostly beyond 2^53), fractions and decimals
            that are not float64 numbers: they would be rounded.
    """
    if isinstance(values, list | tuple) and any(isinstance(v, np.ndarray) for v in values):
        values = [v.tolist() if isinstance(v, np.ndarray) and v.dtype.kind in "iu" else v for v in values]
    try:
        array = np.asarray(values)
        if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
            with np.errstate(invalid="ignore"):
                if (
                    np.isfinite(array) & (np.abs(array) >= EXACT_INTEGER)
                ).any():  # integers among floats became floats
                    array = np.asarray(values, dtype=object)
    except (TypeError, ValueError, OverflowError) as error:
        raise SolverError(f"{name}: cannot be read as numbers ({error}).") from error
    if array.dtype.kind in "iub" or array.dtype in (np.dtype(np.float64), np.dtype(np.float32)):
        floats = array.astype(np.float64, copy=False)
        if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
            for at in np.argwhere(np.abs(floats) >= EXACT_INTEGER):
                _exactly(array[tuple(at)], name, tuple(int(i) for i in at))
        return floats
    if array.dtype.kind not in "fO":
        raise SolverError(f"{name}: dtype {array.dtype} cannot be read as float64 numbers.")
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    floats = np.empty(array.shape, dtype=np.float64)
    for place in np.ndindex(array.shape):
        floats[place] = _exactly(array[place], name, place)
    return floats
