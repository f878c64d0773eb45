"""The logs of the arena study: part of Arena-140K, which comes with the package, and the paper's data sets.

The paper's files cannot be shipped. Who has them gives a folder with `arena-140k`, `search-arena` and
`vision-arena` inside (any of them), each holding the data set's Parquet files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pareto.errors import BattleError

if TYPE_CHECKING:
    from pareto.retention import Log

BUNDLED = "arena140k-decisive"


@dataclass(frozen=True)
class Setting:
    """A log as it is read.

    Attributes:
        name: in keys; text: for people.
        objectives: those selected; None for all.
        multi_label: a battle counts for every true flag; None as the layout says.
        cluster: what votes of one voter are told by; "" where nothing says.
        files: the paper's files; () for the bundled log.
    """

    name: str
    text: str
    layout: str
    objectives: tuple[str, ...] | None = None
    multi_label: bool | None = None
    cluster: str = ""
    files: tuple[Path, ...] = ()

    @property
    def given(self) -> bool:
        """Whether it is one of the paper's own."""
        return bool(self.files)

    def log(self) -> Log:
        """The models that can be compared; read once in a process."""
        return _log(self)


Settings = Mapping[str, Setting]


@lru_cache(maxsize=2)
def _log(setting: Setting) -> Log:
    from pareto.battles import read_battles
    from pareto.bundled import bundled_log

    battles = read_battles(
        list(setting.files) or bundled_log(BUNDLED),
        setting.layout,
        objectives=setting.objectives,
        multi_label=setting.multi_label,
        cluster=setting.cluster or None,
    )
    return battles.retain()


def _bundled(name: str, objectives: str, *, every_flag: bool = False) -> Setting:
    chosen = tuple(objectives.split(","))
    text = f"{', '.join(chosen)}{'; every flag' if every_flag else ''}"
    return Setting(name, text, "arena-140k", chosen, True if every_flag else None, "session")


BUNDLED_LOGS: Settings = {
    one.name: one
    for one in (
        _bundled("first-5", "code,math,creative_writing,instruction_following,general"),
        _bundled("first-3", "code,instruction_following,general"),
        _bundled("first-2", "code,general"),
        _bundled("every-4", "code,math,creative_writing,instruction_following", every_flag=True),
        _bundled("every-3", "code,math,instruction_following", every_flag=True),
        _bundled("every-2", "code,instruction_following", every_flag=True),
    )
}
"""By name: battles count for their first flag, or for every flag they have, on so many objectives."""
FOLDERS = {"arena-140k": "Arena-35", "search-arena": "SearchArena-8", "vision-arena": "VisionArena-12"}
"""The paper's data sets: folder and layout, and what the paper calls the models retained."""


def originals(data: Path) -> dict[str, Setting]:
    """The paper's data sets in the folder `data`, by name. The names change with the files' sizes, so that
    results of other files are not taken for theirs."""
    if not data.is_dir():
        raise BattleError(f"--data {data} is no folder; give one with {', '.join(FOLDERS)} inside")
    found = {}
    for folder, text in FOLDERS.items():
        files = tuple(sorted((data / folder).rglob("*.parquet")))
        if files:
            name = f"{text.lower()}@{_mark(files)}"
            cluster = "session" if folder == "arena-140k" else "voter"
            found[name] = Setting(name, text, folder, cluster=cluster, files=files)
    if not found:
        raise BattleError(
            f"--data {data}: no Parquet file in {', '.join(str(data / folder) for folder in FOLDERS)}; put "
            "the files of each data set there"
        )
    return found


def _mark(files: Sequence[Path]) -> str:
    listed = "\n".join(f"{path.name} {path.stat().st_size}" for path in files)
    return hashlib.sha256(listed.encode()).hexdigest()[:8]
