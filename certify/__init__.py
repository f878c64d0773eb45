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

from importlib import import_module
from typing import TYPE_CHECKING, Any

# modules that share a function's name must be loaded before it, or a later import would hide the function
from certify.audit import audit
from certify.choose import choose
from certify.errors import PoolError
from certify.replay import replay

if TYPE_CHECKING:
    from certify.budget import plan, prelabel_bound
    from certify.certificate import Certificate, minimum_certificate
    from certify.classes import Labels
    from certify.policies import POLICIES
    from certify.pool import Pool
    from certify.reading.files import read_pool
    from certify.reading.labels import read_labels
    from certify.session import Session
    from certify.verdict import Verdict

_HOMES = {
    "Certificate": "certificate",
    "Labels": "classes",
    "POLICIES": "policies",
    "Pool": "pool",
    "Session": "session",
    "Verdict": "verdict",
    "minimum_certificate": "certificate",
    "plan": "budget",
    "prelabel_bound": "budget",
    "read_labels": "reading.labels",
    "read_pool": "reading.files",
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
]


def __getattr__(name: str) -> Any:
    # file readers and solvers take a while to import, and most uses need only one of them
    if name not in _HOMES:
        raise AttributeError(f"module 'certify' has no attribute {name!r}")
    value = getattr(import_module(f"certify.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
