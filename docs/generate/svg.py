"""What the pictures of the documentation share: elements, colours for light and dark pages, and text."""

from __future__ import annotations

from lxml.builder import ElementMaker
from lxml.etree import _Element, tostring

_SVG = "http://www.w3.org/2000/svg"
E = ElementMaker(namespace=_SVG, nsmap={None: _SVG})

_STYLE = """
svg { color-scheme: light dark; font: 13px system-ui, sans-serif; }
text { fill: light-dark(#1c2330, #e4e8ef); }
.page { fill: light-dark(#ffffff, #14181f); }
.line { stroke: light-dark(#e3e6eb, #303846); }
.title { font-weight: 600; }
.soft { fill: light-dark(#667085, #98a2b3); font-size: 12px; }
"""


def new_picture(width: int, height: int, title: str, style: str) -> _Element:
    """Return a picture with a background. `style` is CSS for the classes of its own."""
    return E.svg(
        {"viewBox": f"0 0 {width} {height}", "width": str(width), "role": "img"},
        E.title(title),
        E.style(_STYLE + style),
        E.rect({"class": "page", "width": str(width), "height": str(height)}),
    )


def text(x: int, y: int, content: str, kind: str = "label") -> _Element:
    """Return a text that begins at a point."""
    return E.text(content, {"x": str(x), "y": str(y), "class": kind})


def render(picture: _Element) -> str:
    """Return a picture as the text of a file."""
    rendered: str = tostring(picture, encoding="unicode", pretty_print=True)
    return rendered
