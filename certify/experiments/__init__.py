"""Studies, and how the bundled pools were made."""
