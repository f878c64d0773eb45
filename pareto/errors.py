"""The one exception class of `pareto`."""


class BattleError(ValueError):
    """Unusable input: the message says what is wrong, where, what is accepted and what to do."""
