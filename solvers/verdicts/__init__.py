"""What exact arithmetic makes of an answer, one file a problem type."""
