"""The page `certify report` writes: what a journal says, in words, tables and pictures.

`history` reads the events, `findings` works everything out in integers, `wording` says it, `page` puts it
into one HTML file that needs nothing else.
"""
