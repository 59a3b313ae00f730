"""Checks the built packages: ``python -m tests.dist dist/packages``.

Each package is installed in an empty environment, and used there outside of the repository.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

#: What a user of the installed package does.
PROGRAM = """
import importlib.metadata
import re
from importlib.resources import files
from pathlib import Path

import requests
import fakestore

assert Path(fakestore.__file__).is_relative_to(Path.cwd()), fakestore.__file__
for name in ("py.typed", "api/store_page.css", "api/store_page.js"):
    assert files("fakestore").joinpath(name).read_bytes() or name == "py.typed", name
with fakestore.fake_store(buckets=["photos"]) as store:
    requests.put(store.url("photos", "cat.jpg"), data=b"meow", auth=store.auth())
    assert store["photos"]["cat.jpg"].content == b"meow"
    store.to_html("store.html")
metadata = importlib.metadata.metadata("fakestore")
readme = metadata.get_payload() or metadata["Description"]
assert "# fakestore" in readme
links = re.findall(r"\\]\\(([^)]+)\\)", readme)
assert all(link.startswith(("https://", "#")) for link in links), links
assert {"Source", "Changelog"} <= {each.partition(",")[0] for each in metadata.get_all("Project-URL")}
"""


def check(package: Path) -> None:
    """Install a package in an empty environment, and run the program with it.

    Raises:
        subprocess.CalledProcessError: If it cannot be installed, or the program fails.
    """
    with TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin", "python")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, package.resolve()], check=True, cwd=folder)
        subprocess.run([python, "-I", "-c", PROGRAM], check=True, cwd=folder)
        subprocess.run(
            [python, "-I", "-m", "fakestore", "serve", "--help"], check=True, cwd=folder, stdout=subprocess.DEVNULL
        )
    print(f"{package.name} can be installed and used")


def main() -> None:
    """Check a wheel and a source distribution.

    Raises:
        SystemExit: If one of them is missing.
    """
    packages = sorted(Path(sys.argv[1]).iterdir())
    if [package.suffix for package in packages] != [".whl", ".gz"]:
        raise SystemExit(f"expected a wheel and a source distribution in {sys.argv[1]}, not {packages}")
    for package in packages:
        check(package)


if __name__ == "__main__":
    main()
