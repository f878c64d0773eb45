"""Davidson models of wins, losses and ties, with factored tie weights (paper, appendix 9.4).

fit = fit_davidson(wins, ties, size=5)           # one objective, (K, K) counts
selection = select_tie_size(wins, ties)          # the size by held-out likelihood, and its fit to all
models = davidson_models(counts)                 # every objective of a log; .probabilities is p̂^F
"""

from pareto.davidson.fitting import DavidsonFit, fit_davidson
from pareto.davidson.held_out import Candidate, Selection, default_sizes, select_tie_size, split_counts
from pareto.davidson.likelihood import Outcomes
from pareto.davidson.models import DavidsonModels, davidson_models, davidson_target

__all__ = [
    "Candidate",
    "DavidsonFit",
    "DavidsonModels",
    "Outcomes",
    "Selection",
    "davidson_models",
    "davidson_target",
    "default_sizes",
    "fit_davidson",
    "select_tie_size",
    "split_counts",
]
