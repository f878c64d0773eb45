"""Query policies: which unread row to label next (paper, sections 5 and 6.4).

Any order is valid, because the stopping test is exact for all of them; they differ in how many labels are
read before it fires. A policy never sees a label that was not bought.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from certify.errors import PoolError
from certify.policies import orders
from certify.policies.expected_gain import ExpectedGain
from certify.policies.model_selector import ModelSelector
from certify.policies.seen import Mask, Order, Policy, Seen, Stretch, propose
from certify.policies.vma import vma_order
from certify.pool import Pool

__all__ = [
    "DEFAULT_POLICY",
    "POLICIES",
    "Mask",
    "Order",
    "Policy",
    "Seen",
    "Stretch",
    "checked_seed",
    "make_policy",
    "propose",
]

Maker = Callable[[Pool, int], Policy]

_MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        "random": orders.random_order,
        "static-range": orders.static_range,
        "static-pair-sum": orders.static_pair_sum,
        "adaptive-range": orders.adaptive_range,
        "adaptive-pair-sum": orders.adaptive_pair_sum,
        "vma": vma_order,
        "model-selector": ModelSelector,
        "expected-gain": ExpectedGain,
    }
)
POLICIES = tuple(_MAKERS)
DEFAULT_POLICY = "expected-gain"


def checked_seed(seed: object) -> int:
    """`seed` as an int. Raises `PoolError` unless it is a whole number ≥ 0."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise PoolError(f"seed {seed!r} is not a whole number ≥ 0; give for example 0")
    return int(seed)


def make_policy(name: str, pool: Pool, seed: int = 0) -> Policy:
    """The policy called `name`, one of `POLICIES`; `seed` matters where chance enters.

    Raises `PoolError` for another name and for a seed that is no whole number ≥ 0.
    """
    seed = checked_seed(seed)
    if name not in _MAKERS:
        raise PoolError(f"unknown policy {name!r}; choose one of {', '.join(POLICIES)}")
    return _MAKERS[name](pool, seed)
