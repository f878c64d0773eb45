"""The commands of `pareto`, a file a subject."""
