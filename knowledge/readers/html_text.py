"""The visible text of a piece of HTML: without styles, scripts, comments and hidden elements."""

import re

from lxml import html as lxml_html
from lxml.etree import ParserError
from lxml.html import HtmlElement, HTMLParser

_NEVER_SHOWN = frozenset(("style", "script", "noscript", "template"))
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.I)
_APART = tuple(
    """address article blockquote br caption center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6
    header hr li ol p pre section table td th tr ul""".split()
)
"""Elements whose text stands on separate lines or in separate cells."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def is_hidden(element: HtmlElement) -> bool:
    """Whether an element is never shown, or is hidden by its own attributes. Style sheets and
    enclosing elements can hide an element too, but are not considered."""
    hides = element.get("hidden") is not None or _HIDING.search(element.get("style", ""))
    return element.tag in _NEVER_SHOWN or bool(hides)


def visible_text(markup: str) -> str:
    """The visible text of a piece of HTML, on one line.

    >>> visible_text('<style>.a{}</style>Ann<br><i>Example</i><span style="display:none">date QS</span>')
    'Ann Example'
    """
    if "<" in markup or "&" in markup:
        try:
            root = lxml_html.fromstring(
                f"<div>{_UNPRINTABLE.sub('', markup)}</div>", parser=HTMLParser(huge_tree=True)
            )
        except (ParserError, ValueError):
            return " ".join(re.sub(r"<[^<>]*>", " ", markup).split())
        for element in list(root.iterdescendants()):
            if not isinstance(element.tag, str) or is_hidden(element):
                element.drop_tree()
        for element in root.iter(*_APART):
            element.text, element.tail = f" {element.text or ''}", f" {element.tail or ''}"
        markup = root.text_content()
    return " ".join(markup.split())
