"""What the HTML pages of both packages share: pictures, markup, the look, and the frame of one file.

Nothing here knows what a page says.
"""
