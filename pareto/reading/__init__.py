"""From the files users bring to counts.

Whatever a file is, it is asked one question: how often does each combination of its two names, outcome and
objective occur? That is one streaming group-by over the needed columns, so memory does not grow with the
rows; every rule about names, outcomes and objectives is then applied to the few combinations found. A file is
read again only after an error, to name the row, and for single records, if clusters were asked for.
"""
