"""An extension of mkdocstrings: docstrings are shown as they are meant.

- A name in the form of Sphinx, such as ``:class:`Headers```, is shown as code.
- The section ``Example:`` is one with code, as the plural is.
"""

from __future__ import annotations

import re

import griffe

_ROLE = re.compile(r":[a-z]+:`~?(?P<name>[\w.]+)`")
_EXAMPLE = re.compile(r"^Example:$", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Replaces these parts in all docstrings."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Replace them in the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            text = _ROLE.sub(r"`\g<name>`", obj.docstring.value)
            obj.docstring.value = _EXAMPLE.sub("Examples:", text)
