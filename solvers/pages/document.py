"""The frame of a page: one HTML file that loads nothing and runs nothing."""

from __future__ import annotations

from solvers.pages.canvas import Picture
from solvers.pages.look import STYLE
from solvers.pages.markup import Html, element, joined, text


def document(title: str, *body: object, style: str = "") -> str:
    """The file's text; `style` is added to the common style sheet."""
    head = joined(
        [
            Html('<meta charset="utf-8">'),
            Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            # nothing may be fetched or run, whatever a name on the page tries
            Html(
                '<meta http-equiv="Content-Security-Policy" '
                "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            ),
            element("title", title),
            element("style", Html(STYLE + style)),
        ],
        "\n",
    )
    main = element("main", *body)
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{main}\n</body>\n</html>\n'


def section(anchor: str, heading: str, *content: object) -> Html:
    """A part of the page that can be linked to."""
    return element("section", element("h2", heading), *content, id=anchor)


def figure(picture: Picture, caption: object) -> Html:
    """The picture at both widths; the page shows one of them."""
    renditions = [
        element(
            "div",
            Html(
                picture.svg(narrow).replace("<svg ", f'<svg role="img" aria-label="{text(picture.alt)}" ', 1)
            ),
            class_="narrow" if narrow else "wide",
        )
        for narrow in (False, True)
    ]
    return element("figure", element("figcaption", element("b", picture.title), caption), *renditions)
