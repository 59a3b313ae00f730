"""What is generated: pages and pictures of the documentation, and the names of the operations for type checkers."""

from __future__ import annotations

from pathlib import Path

from docs.generate.faults import faults_page
from docs.generate.life_of_a_key import draw
from docs.generate.operations import operation_names, operations_page
from docs.generate.request_path import draw_request_path
from fakestore import DOCUMENT, S3

_ROOT = Path(__file__).parents[2]


def generated() -> dict[Path, str]:
    """Return the text of every file that is generated as a whole or in part."""
    readme, index = _read("README.md"), _read("docs/index.md")
    migrate = _read("docs/how-to/migrate.md")
    behaviour = _read("benchmarks/BEHAVIOUR.md")
    pictures = {
        _ROOT / "docs" / "pictures" / f"life-of-a-key-{dialect.name}.svg": draw(dialect) for dialect in (DOCUMENT, S3)
    }
    return {
        **pictures,
        _ROOT / "docs" / "pictures" / "request-path.svg": draw_request_path(),
        _ROOT / "docs" / "reference" / "operations.md": operations_page(),
        _ROOT / "fakestore" / "api" / "operation_names.py": operation_names(),
        _ROOT / "docs" / "reference" / "faults.md": faults_page(),
        _ROOT / "docs" / "index.md": _fill(index, {part: _part(readme, part) for part in ("first", "install")}),
        _ROOT / "docs" / "how-to" / "migrate.md": _fill(migrate, {"behaviour": behaviour[behaviour.index("|") :]}),
    }


def _read(path: str) -> str:
    return (_ROOT / path).read_text(encoding="utf-8")


def _part(text: str, name: str) -> str:
    """Return the part of a text between its two comments.

    Raises:
        ValueError: If one of them is missing.
    """
    begin = f"<!-- {name} -->\n"
    return text[text.index(begin) + len(begin) : text.index(f"<!-- end of {name} -->")].strip("\n") + "\n"


def _fill(text: str, parts: dict[str, str]) -> str:
    """Return a text with each part between its two comments, ``<!-- name -->`` and ``<!-- end of name -->``."""
    for name, part in parts.items():
        before, _, rest = text.partition(f"<!-- {name} -->\n")
        after = rest.partition(f"<!-- end of {name} -->")[2]
        text = f"{before}<!-- {name} -->\n\n{part}\n<!-- end of {name} -->{after}"
    return text
