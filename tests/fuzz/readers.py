"""All readers that are fuzzed, by name."""

from __future__ import annotations

from tests.fuzz import fuzz_battles, fuzz_exchange, fuzz_journals, fuzz_pools, fuzz_solvers

MODULES = (fuzz_pools, fuzz_battles, fuzz_exchange, fuzz_journals, fuzz_solvers)
READERS = {reader.name: reader for module in MODULES for reader in module.READERS}
