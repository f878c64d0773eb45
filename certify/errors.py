"""The one exception class of `certify`."""


class PoolError(ValueError):
    """Unusable input: the message says what is wrong, where, what is accepted and what to do."""
