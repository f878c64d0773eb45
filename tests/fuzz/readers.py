"""All readers that are fuzzed, by name."""

from __future__ import annotations

from tests.fuzz import (
    fuzz_battles,
    fuzz_clusters,
    fuzz_exchange,
    fuzz_journals,
    fuzz_limits,
    fuzz_mps,
    fuzz_pools,
    fuzz_solvers,
    fuzz_studies,
)

MODULES = (
    fuzz_pools,
    fuzz_battles,
    fuzz_clusters,
    fuzz_limits,
    fuzz_exchange,
    fuzz_journals,
    fuzz_mps,
    fuzz_solvers,
    fuzz_studies,
)
READERS = {reader.name: reader for module in MODULES for reader in module.READERS}
