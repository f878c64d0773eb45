"""The evidence of the frontier paper again, and our methods beside its four: `pareto reproduce`."""
