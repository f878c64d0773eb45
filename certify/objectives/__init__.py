"""What "best" may mean: objectives that are sums over rows of a loss times a weight fixed before labelling.

Only for these do pairwise bounds, stopping test and certificates hold (paper, section 4.5). An objective
turns a pool's confidences into weights, one integer a candidate and row; all else is the same for all.
"""

from certify.objectives.aurc import Aurc
from certify.objectives.base import Objective
from certify.objectives.ranked import Augrc
from certify.objectives.selective import SelectiveError
from certify.objectives.spelling import FORMS, check_objective, parse_objective
from certify.objectives.uniform import Accuracy, WeightedError

__all__ = [
    "FORMS",
    "Accuracy",
    "Augrc",
    "Aurc",
    "Objective",
    "SelectiveError",
    "WeightedError",
    "check_objective",
    "parse_objective",
]
