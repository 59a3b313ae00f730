"""Hooks of mkdocs: the site can be read as files and without a network, and its search finds pages for users only.

- The search has no pages for contributors, and shows how-to pages first. A result of it shows lines of code, items of
  lists and cells of tables, not whole blocks.
- A link to a file outside of the documentation leads to the repository.
- The script that lets the search work on files is a file of the site. The theme would load it from the network.
- A long code in a table, such as ``AccessControlListNotSupported``, can be broken only between its words.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

_OUTSIDE = re.compile(r"\]\((?:\.\./)+(?=(?:CHANGELOG|LICENSE|README|benchmarks|examples|fakestore|tests)\b)")
#: How much the pages for users count in the search, by the beginning of their path. The first that fits counts.
_BOOSTS = {
    "how-to/": 4,
    "tutorial.md": 3,
    "index.md": 2,
    "troubleshooting.md": 2,
    "reference/signature-": 1,
    "reference/": 2,
}
_REPOSITORY = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["urls"]["Source"]
_SHIM = "https://unpkg.com/iframe-worker/shim"
_LOCAL_SHIM = "iframe-worker.js"
_CODE_IN_TABLE = re.compile(r"<code>[^<]+(?=</code>.*</t[dh]>)")
_CELL = re.compile(r"(?<=<td>)(.+?)(?=</td>)")
_LIST = re.compile(r"</?[uo]l>")
_CODE = re.compile(r"<pre>(?:<span></span>)?<code>(.*?)</code></pre>", re.DOTALL)
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[(=/_:])(?=\w)")


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Return the text of a page with the links to other files replaced, and set its rank in the search."""
    path = page.file.src_uri
    boost = next((boost for start, boost in _BOOSTS.items() if path.startswith(start)), None)
    page.meta["search"] = {"exclude": True} if boost is None else {"boost": boost}
    return _OUTSIDE.sub(f"]({_REPOSITORY}/blob/main/", markdown)


def on_page_content(html: str, **_: object) -> str:
    """Return a page whose cells are paragraphs, which the search shows one by one."""
    return _CELL.sub(r"<p>\1</p>", html.replace("<br>", "<br> "))


def on_post_build(*, config: MkDocsConfig, **_: object) -> None:
    """Divide the lists and the code in the index of the search: a result shows the first two blocks that match."""
    file = Path(config.site_dir, "search", "search_index.json")
    index = json.loads(file.read_text(encoding="utf-8"))
    for section in index["docs"]:
        section["text"] = _CODE.sub(_lines, _LIST.sub("", section["text"]))
    file.write_text(json.dumps(index), encoding="utf-8")


def _lines(code: re.Match[str]) -> str:
    return "".join(f"<p><code>{line}</code></p>" for line in code[1].splitlines() if line.strip())


def on_post_page(output: str, *, page: Page, **_: object) -> str:
    """Return a page with the address of the script replaced, and a break between the words of codes in tables."""
    output = _CODE_IN_TABLE.sub(lambda code: _BETWEEN_WORDS.sub("<wbr>", code[0]), output)
    return output.replace(_SHIM, get_relative_url(_LOCAL_SHIM, page.url))


def on_post_template(output_content: str, **_: object) -> str:
    """Return a page that has no text, such as that about a missing page, with the address replaced."""
    return output_content.replace(_SHIM, f"/{_LOCAL_SHIM}")
