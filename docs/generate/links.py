"""A hook of mkdocs: a link to a file outside of the documentation leads to the repository."""

from __future__ import annotations

import re

from mkdocs.config.defaults import MkDocsConfig

_OUTSIDE = re.compile(r"\]\((?:\.\./)+(?=(?:CHANGELOG|LICENSE|README|benchmarks|examples|fakestore|tests)\b)")


def on_page_markdown(markdown: str, *, config: MkDocsConfig, **_: object) -> str:
    """Return the text of a page with those links replaced."""
    return _OUTSIDE.sub(f"]({config.repo_url}blob/main/", markdown)
