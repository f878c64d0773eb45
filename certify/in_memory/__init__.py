"""Candidates that are in memory already: class probabilities as arrays, and fitted classifiers."""

from certify.in_memory.assembling import Candidates
from certify.in_memory.estimators import from_estimators
from certify.in_memory.probabilities import from_probabilities

__all__ = ["Candidates", "from_estimators", "from_probabilities"]
