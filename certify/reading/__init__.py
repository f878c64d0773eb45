"""From the files users bring to a pool and its labels."""
