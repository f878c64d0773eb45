"""The real logs that come with the package (sources and licences in `data/SOURCES.md`)."""

from __future__ import annotations

from pathlib import Path

from pareto.errors import BattleError

DATA = Path(__file__).parent / "data"
LOGS = {
    "arena140k-decisive": "22,577 decisive battles of 52 models, part of Arena-140K, with sessions",
    "arena140k-first5000": "the first 5,000 battles of Arena-140K, ties and both-bad votes with them",
    "chatbot-arena-2024-08-pairs": "1,670,250 votes on 129 models, counted by pair, without objectives",
}
"""Names of the bundled logs and what they are."""


def bundled_log(name: str) -> Path:
    """The file of a bundled log, ready for `read_battles`. Raises `BattleError` for another name.

    >>> import pareto
    >>> pareto.bundled_log("arena140k-decisive").name
    'arena140k-decisive.parquet'
    """
    if name not in LOGS:
        raise BattleError(f"no bundled log {name!r}; there are {', '.join(LOGS)}")
    return DATA / f"{name}.parquet"
