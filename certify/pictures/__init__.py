"""Pictures, one file each. Floats are for drawing only; nothing is decided here.

Every picture is a `solvers.pages.canvas.Picture`: it knows its alternative text, can be written to a file,
and can be put into a page at two widths.
"""
