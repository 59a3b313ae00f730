"""Print pip constraints that hold each dependency of the package at its lower bound, for `make test-lowest`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def constraints() -> list[str]:
    """Return a line such as ``lxml==5.0`` for each dependency.

    Raises:
        ValueError: If a dependency has no lower bound.
    """
    lines = []
    for dependency in tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"]:
        bound = re.fullmatch(r"([\w.-]+)>=([\w.]+)(,.*)?", dependency)
        if bound is None:
            raise ValueError(f"dependency {dependency!r} has no lower bound: write 'name>=version'")
        lines.append(f"{bound[1]}=={bound[2]}")
    return lines


if __name__ == "__main__":
    print("\n".join(constraints()))
