"""Names of the columns in a table of combinations, whatever they are called in the file."""

FIRST, SECOND = "first", "second"
WORD, OUTCOME = "word", "outcome"
OBJECTIVE, FLAGS = "objective", "flags"
COUNT = "count"
