"""Which classifier is best, and how few labels settle it – exactly."""

from certify.budget import prelabel_bound
from certify.errors import PoolError
from certify.pool import Pool

__all__ = ["Pool", "PoolError", "prelabel_bound"]
