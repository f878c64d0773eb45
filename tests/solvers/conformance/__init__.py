"""The suite every back end has to pass, usable by anybody who writes one.

It needs numpy and an installed ``certified-choice`` only, no pytest. From an unpacked source distribution::

    PYTHONPATH=certified_choice-0.1.0 python -c "
    from tests.solvers.conformance import check_backend
    for result in check_backend('theirs'):
        print(result)"

(or put ``tests/solvers`` itself on the path and import ``conformance``, if you have a package ``tests``).
Your back end must be registered, see :mod:`solvers.backends`. A result is "pass", "refused" with the reason
the back end gave before it ran, "excluded" with a reason stated in :data:`EXCLUSIONS`, or "fail".
"""

from .case import Case, Expected
from .cases import CASES
from .checks import EXCLUSIONS, Result, check_backend, check_case, falsehood, shortcoming

__all__ = [
    "CASES",
    "EXCLUSIONS",
    "Case",
    "Expected",
    "Result",
    "check_backend",
    "check_case",
    "falsehood",
    "shortcoming",
]
