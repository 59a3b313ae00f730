"""The documents are true: examples run, the report is the real one, links and names lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from docs.generate import generated

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "guide.md"
CLIENTS = ROOT / "docs" / "clients.md"
CONTRIBUTING = ROOT / "docs" / "CONTRIBUTING.md"
SEMANTICS = ROOT / "docs" / "semantics.md"
DOCUMENTS = [README, ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "RESULTS.md", *sorted((ROOT / "docs").glob("*.md"))]

FENCED = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
#: A decision's name as the code has it, ``[suspended-put]``; not the code of a ``type: ignore``.
NAMED_IN_CODE = re.compile(r"(?<!ignore)\[([a-z]{2,}(?:-[a-z0-9]+)+)\]")
ENTRY = re.compile(r"^### ([a-z0-9-]+)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]*)(?:#(?P<heading>[^)]*))?\)")
#: A path in backquotes, also as an argument of a command, that begins at the root of the repository.
PATH = re.compile(r"(?<=[` ])((?:benchmarks|docs|examples|fakestore|tests)(?:/[\w./-]*\w|/)?)/?(?=[` :])(?=[^\n]*`)")
#: The module that a reader creates in the example of an operation.
NOT_YET = {"fakestore/operations/bucket/logging.py"}
OUTCOME = re.compile(r"^(?P<outcome>PASSED|FAILED|ERROR) (?P<module>\w+)\.py", re.MULTILINE)

PYTEST_INI = """
[pytest]
filterwarnings =
    error
    ignore:.*utcnow:DeprecationWarning
asyncio_default_fixture_loop_scope = function
"""


class Block(NamedTuple):
    """A fenced block: its document, first line, info string and content."""

    document: Path
    line: int
    info: str
    code: str

    def __str__(self) -> str:
        return f"{self.document.name}:{self.line}"

    @property
    def module(self) -> str:
        return f"test_{self.document.stem.lower()}_{self.line}"


def blocks_of(*documents: Path) -> list[Block]:
    blocks = []
    for document in documents:
        text = read(document)
        for block in FENCED.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            blocks.append(Block(document, line, block["info"], block["code"]))
    return blocks


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def run_pytest(directory: Path, *arguments: str) -> str:
    """Run the test files in `directory` in a process of their own, and return what pytest prints."""
    (directory / "pytest.ini").write_text(PYTEST_INI)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", *arguments],
        cwd=directory,
        env=environment | {"COLUMNS": "80", "PYTHONUTF8": "1"},  # a report is as wide as the terminal
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    return finished.stdout + finished.stderr


BLOCKS = blocks_of(README, GUIDE, CLIENTS)
EXAMPLES = [block for block in BLOCKS if block.info == "python"]


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """The output of pytest if every example is a test file; code outside of tests runs when it is imported."""
    directory = tmp_path_factory.mktemp("examples")
    for block in EXAMPLES:
        (directory / f"{block.module}.py").write_text(block.code, encoding="utf-8")
    return run_pytest(directory, "-rA")


@pytest.mark.parametrize("block", EXAMPLES, ids=str)
def test_every_example_in_the_documents_runs(output, block):
    outcomes = {found["outcome"] for found in OUTCOME.finditer(output) if found["module"] == block.module}
    has_tests = re.search(r"^ *(async )?def test_", block.code, re.MULTILINE)
    assert outcomes == ({"PASSED"} if has_tests else set()), output


def test_report_of_a_failure_in_the_readme_is_the_real_one(tmp_path):
    (failing,) = (block for block in BLOCKS if block.info == "python fails")
    (report,) = (block for block in BLOCKS if block.info == "text report")
    (tmp_path / "test_example.py").write_text(failing.code)
    assert without_dates(report.code.strip()) in without_dates(run_pytest(tmp_path))


def without_dates(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "<date>", text)


@pytest.mark.parametrize(("path", "text"), generated().items(), ids=lambda value: getattr(value, "name", ""))
def test_every_generated_document_is_current(path, text):
    assert read(path) == text, "run: python -m docs.generate"


def test_every_decision_named_in_the_code_has_one_entry():
    named = {name for file in (ROOT / "fakestore").rglob("*.py") for name in NAMED_IN_CODE.findall(read(file))}
    entries = ENTRY.findall(read(SEMANTICS))
    assert sorted(named - set(entries)) == []
    assert len(entries) == len(set(entries))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_link_between_documents_leads_somewhere(document):
    links = [(path, heading) for path, heading in LINK.findall(read(document)) if path or heading]
    assert [
        f"{path}#{heading}"
        for path, heading in links
        if not (file := document.parent / path if path else document).exists()
        or (heading and heading not in anchors_of(file))
    ] == []


def test_every_path_named_in_contributing_exists():
    named = set(PATH.findall(FENCED.sub("", read(CONTRIBUTING))))
    assert named
    assert [path for path in sorted(named) if path not in NOT_YET and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("top", ["fakestore", "tests"])
def test_the_layout_in_contributing_has_every_directory(top):
    rows = [line for line in read(CONTRIBUTING).splitlines() if line.startswith(("| `fakestore/", "| `tests/"))]
    named = {path.rstrip("/") for row in rows for path in PATH.findall(row.split("|")[1])}
    directories = {f"{top}/{each.parent.name}" for each in (ROOT / top).glob("*/*.py")}
    assert sorted(directories - named) == []


def anchors_of(document: Path) -> set[str]:
    """Return the anchors of all headings, as the usual sites make them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", read(document)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
