"""Specialised methods for covering programs: dual prices, incumbents, canonical witnesses, trees."""
