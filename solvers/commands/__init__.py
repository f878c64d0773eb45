"""The commands of ``solvers``, one file a subject."""
