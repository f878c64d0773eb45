"""The one exception of the package."""


class SolverError(ValueError):
    """A problem, option or file that cannot be used.

    The message says what is wrong and where, what is accepted, and what to do about it.
    """
