"""Made-up results of studies on methods."""

from __future__ import annotations

import polars as pl

from pareto.experiments.pieces import COLUMNS

_KINDS = {str: pl.String, int: pl.Int64, float: pl.Float64}


def rows(setting, method, comparisons, *, units=None, wrong=(), delta=0.05, **more):
    """A row for each entry of `comparisons`; `wrong` lists the trials that are."""
    return [
        {
            "setting": setting,
            "method": method,
            "delta": delta,
            "trial": trial,
            "unit": trial if units is None else units[trial],
            "comparisons": spent,
            "wrong": int(trial in wrong),
            "stopped": 1,
            **more,
        }
        for trial, spent in enumerate(comparisons)
    ]


def table(*parts, columns=COLUMNS):
    schema = {name: _KINDS[kind] for name, kind in columns.items()}
    return pl.DataFrame([row for part in parts for row in part], schema=schema)


def line(lines, quantity, part=""):
    """The one line of this quantity in the part that starts so."""
    (found,) = [line for line in lines if line.quantity == quantity and line.part.startswith(part)]
    return found
