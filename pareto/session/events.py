"""Events of a comparison session; `solvers.chain` has their texts and hashes.

Kinds and bodies. Models, objectives and queries are numbers (positions; query numbers count from 1), times
are ISO UTC, points are those of the model shown on the left, from 0 to `answered`:

- ``round`` {number, comparisons, status, kept, dropped, staked, wanted}: a round has been judged, the first
  time (number 0) before anything was asked. kept, and dropped with its witness, [model, witness], are the
  models decided by it; staked is what the method fixes before it sees the next outcomes (see `stakes`);
  wanted is the next round, [first, second, objective, count] a row
- ``ask`` {asker, expires, queries}: each query [number, first, second, left, objectives, count], `left`
  being the model shown on that side; they are leased to the asker until then
- ``tell`` {asker, answers}: each [query, objective, points, answered]; answered 0 means "cannot tell"
- ``correct`` {asker, query, objective, old, new}: [points, answered] before and after; new null = withdrawn
- ``release`` {asker, queries}: leases given back
"""

from solvers.chain import Event, canonical, timestamp

__all__ = ["Event", "canonical", "timestamp"]
