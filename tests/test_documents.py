"""The documents say what is so: examples run, the report is the true one, names and links lead somewhere."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import pytest

from fakestore import Dialect, Limits
from fakestore.api.options import Options

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "guide.md"
SEMANTICS = ROOT / "docs" / "semantics.md"
CONTRIBUTING = ROOT / "docs" / "CONTRIBUTING.md"
DOCUMENTS = [README, ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "RESULTS.md", *sorted((ROOT / "docs").glob("*.md"))]

FENCED = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
#: A decision's name as the code has it, ``[suspended-put]``; not the code of a ``type: ignore``.
NAMED_IN_CODE = re.compile(r"(?<!ignore)\[([a-z]{2,}(?:-[a-z0-9]+)+)\]")
ENTRY = re.compile(r"^### ([a-z0-9-]+)$", re.MULTILINE)
HELD_BY = re.compile(r"`(?P<file>(?:tests|examples)/[\w/]+\.py)::(?P<test>\w+)`")
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]*)(?:#(?P<heading>[^)]*))?\)")
OUTCOME = re.compile(r"^(?P<outcome>PASSED|FAILED|ERROR) (?P<module>\w+)\.py", re.MULTILINE)

PYTEST_INI = """
[pytest]
filterwarnings = error
asyncio_default_fixture_loop_scope = function
"""


class Block(NamedTuple):
    """A fenced block: its document, first line and info string, and what stands in it."""

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
    found = []
    for document in documents:
        text = read(document)
        for block in FENCED.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            found.append(Block(document, line, block["info"], block["code"]))
    return found


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def run_pytest(directory: Path, *arguments: str) -> str:
    """What pytest prints about the test files in ``directory``, in a process of its own."""
    (directory / "pytest.ini").write_text(PYTEST_INI)
    without_ours = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", *arguments],
        cwd=directory,
        env=without_ours | {"COLUMNS": "80", "PYTHONUTF8": "1"},  # the width of a report is that of the terminal
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    return finished.stdout + finished.stderr


BLOCKS = blocks_of(README, GUIDE)
EXAMPLES = [block for block in BLOCKS if block.info == "python"]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What pytest prints when every example is a test file; what it does outside of tests is done at its import."""
    directory = tmp_path_factory.mktemp("examples")
    for block in EXAMPLES:
        (directory / f"{block.module}.py").write_text(block.code, encoding="utf-8")
    return run_pytest(directory, "-rA")


@pytest.mark.parametrize("block", EXAMPLES, ids=str)
def test_an_example_runs_as_it_is_written(printed, block):
    outcomes = {found["outcome"] for found in OUTCOME.finditer(printed) if found["module"] == block.module}
    has_tests = re.search(r"^ *(async )?def test_", block.code, re.MULTILINE)
    assert outcomes == ({"PASSED"} if has_tests else set()), printed


def test_the_report_of_a_failure_in_the_readme_is_the_true_one(tmp_path):
    (failing,) = (block for block in BLOCKS if block.info == "python fails")
    (report,) = (block for block in BLOCKS if block.info == "text report")
    (tmp_path / "test_example.py").write_text(failing.code)
    printed = run_pytest(tmp_path)
    assert without_dates(report.code.strip()) in without_dates(printed)


def without_dates(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "<date>", text)


def test_every_decision_named_in_the_code_has_its_entry():
    named = {name for file in (ROOT / "fakestore").rglob("*.py") for name in NAMED_IN_CODE.findall(read(file))}
    assert sorted(named - set(ENTRY.findall(read(SEMANTICS)))) == []


def test_no_decision_has_two_entries():
    entries = ENTRY.findall(read(SEMANTICS))
    assert sorted(entries) == sorted(set(entries))


def test_every_test_that_a_decision_names_is_there():
    named = {found.group("file", "test") for found in HELD_BY.finditer(read(SEMANTICS))}
    missing = [
        f"{file}::{test}"
        for file, test in sorted(named)
        if not (ROOT / file).exists() or not re.search(rf"^ *def {test}\(", read(ROOT / file), re.MULTILINE)
    ]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_link_between_documents_leads_somewhere(document):
    linked = [(path, heading) for path, heading in LINK.findall(read(document)) if path or heading]
    assert [
        f"{path}#{heading}"
        for path, heading in linked
        if not (file := document.parent / path if path else document).exists()
        or (heading and heading not in anchors_of(file))
    ] == []


def anchors_of(document: Path) -> set[str]:
    """What a link to a heading may name, as it is made on the usual sites."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", read(document)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_recipe_of_the_guide_stands_in_its_contents_in_order():
    text = FENCED.sub("", read(GUIDE))
    assert re.findall(r"^- \[(.+)\]\(#", text, re.MULTILINE) == re.findall(r"^## (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("heading", "described"),
    [("Option", Options), ("Field of `Dialect`", Dialect), ("Field of `Limits`", Limits)],
    ids=["options", "dialect", "limits"],
)
def test_the_guide_describes_every_field(heading, described):
    table = read(GUIDE).partition(f"| {heading} |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [field.name for field in fields(described)]


def test_every_target_of_the_makefile_is_named_for_contributors():
    (phony,) = re.findall(r"^\.PHONY: (.+)$", read(ROOT / "Makefile"), re.MULTILINE)
    named = re.findall(r"^\| `make (\w+)", read(CONTRIBUTING), re.MULTILINE)
    assert sorted(named) == sorted(set(phony.split()) - {"remake"})


def test_every_test_file_that_contributors_are_told_of_is_there():
    named = re.findall(r"\b(?:tests|examples|benchmarks)/[\w/.]*\w", read(CONTRIBUTING))
    assert [path for path in named if not (ROOT / path).exists()] == []
