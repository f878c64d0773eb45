"""Our own exact search for maximum cliques: largest, then heaviest, then first by name."""
