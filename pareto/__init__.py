"""Which models are worth keeping when quality has several sides."""
