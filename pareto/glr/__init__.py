"""The generalised likelihood ratio of a frontier against its alternatives (paper, appendix 10).

`screening` picks the alternative that seems closest, `ordered_fits` fits scores under it, `frank_wolfe` says
how much better a fit could be, and `log_ratios` takes ratios of likelihoods that agree in most digits.
"""
