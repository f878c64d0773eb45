"""Ordered Bradley–Terry fits: the constraint set, an interior-point method, and rigorous certificates."""
