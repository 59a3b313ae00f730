"""Print pip constraints that hold each dependency of the package at its lower bound, for `make test-lowest`."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

#: Extras that no user installs.
FOR_DEVELOPERS = ("bench", "dev", "dist", "docs")
#: The client libraries and mocks whose lowest version is tested, too. The lowest aiobotocore bounds boto3.
CLIENTS = {
    "aiobotocore",
    "aiohttp",
    "deltalake",
    "duckdb-extension-httpfs",
    "httpx",
    "httpx2",
    "minio",
    "moto",
    "obstore",
    "opendal",
    "pandas",
    "polars",
    "rasterio",
    "respx",
    "s3fs",
}
PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def constraints() -> list[str]:
    """Return a line such as ``lxml==5.0`` for each dependency, also for those of the extras for users, and for clients.

    Raises:
        ValueError: If a dependency has no lower bound.
    """
    lines = []
    project = tomllib.loads(PYPROJECT.read_text())["project"]
    extras = [extra for name, extra in project["optional-dependencies"].items() if name not in FOR_DEVELOPERS]
    clients = [each for each in project["optional-dependencies"]["dev"] if re.split(r"[>[]", each)[0] in CLIENTS]
    for dependency in [*project["dependencies"], *chain(*extras), *clients]:
        bound = re.fullmatch(r"([\w.-]+)(?:\[.*\])?>=([\w.]+)(,.*)?", dependency)
        if bound is None:
            raise ValueError(f"dependency {dependency!r} has no lower bound: write 'name>=version'")
        lines.append(f"{bound[1]}=={bound[2]}")
    return lines


if __name__ == "__main__":
    print("\n".join(constraints()))
