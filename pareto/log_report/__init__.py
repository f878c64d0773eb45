"""What a log says, as records for --json, as tables and sentences, and as one HTML page.

`findings` works everything out, `records` says it in JSON values, `tables` prints these, `drawings` draws,
`page` puts words and pictures into one file that needs nothing else.
"""
