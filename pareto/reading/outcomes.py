"""How a log may spell who won.

Accepted, in any case and with blanks around: model_a, model-a, a, left; model_b, model-b, b, right; tie; and
both_bad, bothbad, tie (bothbad). A blank or null cell is a row without an outcome. Anything else is an error,
a model's name too: which side it was on would have to be guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl

from pareto.reading.words import quoted, rows
from pareto.records import BAD, FIRST_WINS, SECOND_WINS, TIED
from pareto.spelling import LEFT, RIGHT, TIES

TIE_WORDS = ("tie",)
BAD_WORDS = tuple(word for word in TIES if word not in TIE_WORDS)
MEANING = {
    **dict.fromkeys(LEFT, FIRST_WINS),
    **dict.fromkeys(RIGHT, SECOND_WINS),
    **dict.fromkeys(TIE_WORDS, TIED),
    **dict.fromkeys(BAD_WORDS, BAD),
}
FAMILIES: tuple[tuple[str, ...], ...] = (
    ("model_a", *LEFT),
    ("model_b", *RIGHT),
    TIE_WORDS,
    ("both_bad", *BAD_WORDS),
)
UNVOTED = -1
USUAL = ("model_a", "model_b", "tie", "both_bad", "tie (bothbad)")
"""What published logs write; found by comparison, faster than by looking words up."""
OTHER_WORD = 0
ACCEPTED = (
    f"{', '.join(LEFT)} (the first model won); {', '.join(RIGHT)} (the second); {', '.join(TIE_WORDS)}; "
    f"{', '.join(BAD_WORDS)}; a blank cell where nobody voted"
)


def meaning(text: str | None) -> int | None:
    """The outcome a cell tells, `UNVOTED` for a blank one; None for what is no outcome."""
    word = "" if text is None else text.strip().lower()
    return MEANING.get(word) if word else UNVOTED


def decoded(words: pl.Series) -> pl.Series:
    """Outcomes Int8 of cells, null for what is no outcome."""
    distinct = words.unique()
    codes = pl.Series([meaning(text) for text in distinct.to_list()], dtype=pl.Int8)
    return words.replace_strict(distinct, codes, return_dtype=pl.Int8)


def coded_words(cell: pl.Expr) -> pl.Expr:
    """UInt8: 1 + the place among `USUAL`, one more for null, `OTHER_WORD` for any other text."""
    total = (cell == USUAL[0]).cast(pl.UInt8)
    for code, word in enumerate(USUAL[1:], 2):
        total = total + (cell == word).cast(pl.UInt8) * code
    return total.fill_null(len(USUAL) + 1)


def words_of_codes(codes: pl.Series) -> pl.Series:
    """The words that were coded."""
    places = list(range(1, len(USUAL) + 2))
    return codes.replace_strict(places, [*USUAL, None], return_dtype=pl.String)


def unambiguous(outcome: int, models: Collection[str]) -> str:
    """What to write instead of an outcome where names of models, here in lower case, are such words too."""
    free = [next((word for word in words if word not in models), "") for words in FAMILIES]
    if not free[outcome]:
        return "no other word for it is accepted, so give the model another name in every column"
    return f"write {', '.join(word for word in free if word)}"


def refusal(word: str, count: int, models: Sequence[str]) -> str:
    """What to say about a cell that is no outcome, found in `count` rows."""
    names = ", which names a model" if word.strip() in models else ""
    more = f" ({rows(count)} like it)" if count > 1 else ""
    return f"found {quoted(word)}{names}{more}; accepted are {ACCEPTED}"
