"""Runs test suites of public projects that use moto, with moto and with a store: ``python -m benchmarks.suites``.

Each suite comes from PyPI, runs unchanged in an environment of its own, and sees a store if it imports `moto`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import urllib.request
import venv
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urljoin

_PROJECT = Path(__file__).parents[1]
_VARIABLES = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
_VARIABLES["AWS_DEFAULT_REGION"] = "us-east-1"
_PLUGIN = Path(__file__).with_name("store_for_moto.py")
#: How often each suite runs with moto, and with a store. One more run comes before, which compiles modules.
_RUNS = 3


class Suite(NamedTuple):
    """A test module of a project that PyPI has, and what it needs beside the project and pytest."""

    project: str
    version: str
    tests: str
    needs: tuple[str, ...] = ("moto[s3]",)


SUITES = (
    Suite("papermill", "2.7.0", "papermill/tests/test_s3.py"),
    Suite("s3-concat", "0.3.0", "tests/test_s3concat.py"),
    Suite("flask-admin", "2.2.1", "flask_admin/tests/fileadmin/test_fileadmin_s3.py", ("moto[s3]", "flask-admin[all]")),
    Suite("celery", "5.7.0", "t/unit/backends/test_s3.py"),
    Suite("luigi", "3.8.1", "test/contrib/s3_test.py", ("moto[s3,sts]<5", "mock", "boto")),
)


class Outcome(NamedTuple):
    """How many tests of a suite pass with one contender, and the seconds of its runs."""

    passed: int
    seconds: list[float]

    def __str__(self) -> str:
        return f"{self.passed} | {median(self.seconds):.2f}"


def _source(suite: Suite, folder: Path) -> Path:
    index = f"https://pypi.org/simple/{suite.project}/"
    with urllib.request.urlopen(index) as page:
        links = re.findall(r'href="([^"#]+)', page.read().decode())
    [link] = [link for link in links if link.endswith(f"-{suite.version}.tar.gz")]
    with urllib.request.urlopen(urljoin(index, link)) as archive, tarfile.open(fileobj=archive, mode="r|gz") as files:
        files.extractall(folder, filter="data")
    [source] = folder.glob(f"*-{suite.version}")
    return source


def run(suite: Suite) -> dict[str, Outcome]:
    """Install a suite, and run it with moto and with a store by turns."""
    outcomes = {"moto": Outcome(0, []), "fakestore": Outcome(0, [])}
    with tempfile.TemporaryDirectory() as directory:
        source = _source(suite, Path(directory))
        environment = Path(directory) / "environment"
        venv.create(environment, with_pip=True)
        python = str(environment / "bin" / "python")
        pip = [python, "-m", "pip", "install", "-qqq", "--disable-pip-version-check"]
        subprocess.run([*pip, _PROJECT, source, "pytest", *suite.needs], check=True, stderr=subprocess.DEVNULL)
        shutil.copy(_PLUGIN, next(environment.glob("lib/*/site-packages")))
        for turn in range(_RUNS + 1):
            for contender, plugin in (("moto", "no:fakestore"), ("fakestore", _PLUGIN.stem)):
                command = [python, "-m", "pytest", "-q", "-p", plugin, suite.tests]
                begun = time.perf_counter()
                output = subprocess.run(command, cwd=source, env=_VARIABLES, capture_output=True, text=True).stdout
                seconds = [time.perf_counter() - begun] if turn else []
                passed = re.search(r"(\d+) passed", output)
                if passed is None:
                    raise RuntimeError(f"no test of {suite.project} passed with {contender}:\n{output}")
                outcomes[contender] = Outcome(int(passed[1]), [*outcomes[contender].seconds, *seconds])
    return outcomes


def rows() -> Iterator[str]:
    """Yield the rows of a table: how many tests pass and the seconds of a run, with moto and with a store."""
    for suite in SUITES:
        outcomes = run(suite)
        yield f"| {suite.project} {suite.version} | {outcomes['moto']} | {outcomes['fakestore']} |"


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
