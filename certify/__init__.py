"""Which classifier is best, and how few labels settle it – exactly.

pool = certify.read_pool(["a.csv", "b.csv"])
certify.prelabel_bound(pool)                     # budgets below it are impossible
session = certify.Session(pool)
rows = session.ask(1)                            # label this row next …
session.tell(rows, ["1"])
session.verdict                                  # … until it says certified
certify.minimum_certificate(pool, labels)        # afterwards: how few would have done, with proof
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.lazy_package import load_lazily

if TYPE_CHECKING:
    from certify.audit import audit
    from certify.budget import plan, prelabel_bound
    from certify.certificate import Certificate, minimum_certificate
    from certify.choose import choose
    from certify.classes import Labels
    from certify.errors import PoolError
    from certify.label_files import write_labels
    from certify.policies import POLICIES
    from certify.pool import Pool
    from certify.reading.files import read_pool
    from certify.reading.labels import read_labels
    from certify.replay import replay
    from certify.session import Session
    from certify.verdict import Verdict

_HOMES = {
    "Certificate": "certificate",
    "Labels": "classes",
    "POLICIES": "policies",
    "Pool": "pool",
    "PoolError": "errors",
    "Session": "session",
    "Verdict": "verdict",
    "audit": "audit",
    "choose": "choose",
    "minimum_certificate": "certificate",
    "plan": "budget",
    "prelabel_bound": "budget",
    "read_labels": "reading.labels",
    "read_pool": "reading.files",
    "replay": "replay",
    "write_labels": "label_files",
}

__all__ = [
    "POLICIES",
    "Certificate",
    "Labels",
    "Pool",
    "PoolError",
    "Session",
    "Verdict",
    "audit",
    "choose",
    "minimum_certificate",
    "plan",
    "prelabel_bound",
    "read_labels",
    "read_pool",
    "replay",
    "write_labels",
]

load_lazily(__name__, _HOMES)
