"""Studies: evidence worked out piece by piece, resumable, compared with a paper, drawn, and put on one page.

A study is data (`solvers.studies.study`); a package lists its own (`solvers.studies.catalogue`), and its
command `reproduce` (`solvers.studies.command`) runs them.
"""
