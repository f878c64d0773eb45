"""Events of a labelling session; `solvers.chain` has their texts and hashes.

Kinds and bodies (`row` is a 0-based position, `label` the text of a class, times are ISO UTC):

- ``own`` {row, label}: a label that was there before the session
- ``ask`` {asker, rows, expires}: the rows are leased to the asker until then
- ``tell`` {asker, row, label}, ``correct`` {asker, row, old, label}, ``skip`` {asker, row}
- ``release`` {asker, rows}: leases given back
- ``verdict`` {certified, winner, labels_read, gap}: follows the event that changed who is certified
"""

from solvers.chain import Event, timestamp

__all__ = ["Event", "timestamp"]
