"""Options of the commands that take a log: how it is read, and how its ties count."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Logs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LOG…",
        help="Battles as CSV, Parquet or JSON lines, files or patterns; or bundled:NAME.",
        show_default=False,
    ),
]
LayoutName = Annotated[
    str,
    typer.Option(
        "--layout", help="arena-140k, search-arena, vision-arena, plain, counts, or auto: by the columns."
    ),
]
Objectives = Annotated[
    str | None,
    typer.Option(
        "--objectives",
        help="Only these, in this order: names with commas, a name that has one in double quotes.",
        show_default="all there are",
    ),
]
Flags = Annotated[
    str | None,
    typer.Option(
        "--flags",
        help="True/false columns that say what a battle counts for, first one first: is_code>math; "
        "code=is_code renames one, a/b is key b inside column a. Battles without any count for general.",
        show_default=False,
    ),
]
MultiLabel = Annotated[
    bool | None,
    typer.Option(
        "--multi-label/--first-label",
        help="A battle counts for every true flag, or for the first one.",
        show_default="as the layout says",
    ),
]
ObjectiveColumn = Annotated[
    str | None,
    typer.Option("--objective-column", help="Column that names the objective.", show_default="objective"),
]
ModelA = Annotated[
    str | None, typer.Option("--model-a", help="Column of the first model.", show_default=False)
]
ModelB = Annotated[
    str | None, typer.Option("--model-b", help="Column of the second model.", show_default=False)
]
Winner = Annotated[str | None, typer.Option("--winner", help="Column of the outcome.", show_default=False)]
Names = Annotated[
    Path | None,
    typer.Option("--names", help="CSV with from and to: models to rename first.", show_default=False),
]
Ties = Annotated[
    str,
    typer.Option(
        "--ties",
        help="decisive: left out (D). half: half a win each (H). davidson: fitted, then half (F).",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Votes that belong together, so that claims allow for it: session, voter, or a column.",
        show_default="every vote is independent",
    ),
]
Rule = Annotated[
    str,
    typer.Option(
        "--rule",
        help="Models kept. clique: every two met decisively on every objective. connected: they are linked, "
        "however indirectly (with --ties davidson).",
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        envvar="PARETO_MEMORY_LIMIT",
        help="For logs larger than memory: stay below this much, such as 500MB. Results are the same; a "
        "cluster is refused where it does not fit.",
        show_default=False,
    ),
]
