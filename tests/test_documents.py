"""The documents are true: examples run, printed output is the real one, links and names lead somewhere.

A block with a title that is a file name is written under that name, into a folder of its page, so that other blocks of
the page can use it. A block ``text`` has a command as its title, and is compared with what that command prints.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

import fakestore
from docs.generate import generated
from tests.support.access import put_policy
from tests.support.documents import statement

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "docs" / "CONTRIBUTING.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
SEMANTICS = ROOT / "docs" / "semantics.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
DOCUMENTS = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "RESULTS.md"]

FENCED = re.compile(
    r'^```(?P<language>\w*)(?: title="(?P<title>[^"]*)")?(?P<rest>[^\n]*)\n(?P<code>.*?)^```$', re.DOTALL | re.MULTILINE
)
#: A decision's name as the code has it, ``[suspended-put]``; not the code of a ``type: ignore``.
NAMED_IN_CODE = re.compile(r"(?<!ignore)\[([a-z]{2,}(?:-[a-z0-9]+)+)\]")
ENTRY = re.compile(r"^### ([a-z0-9-]+)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]*)(?:#(?P<heading>[^)]*))?\)")
#: A path in backquotes, also as an argument of a command, that begins at the root of the repository.
PATH = re.compile(r"(?<=[` ])((?:benchmarks|docs|examples|fakestore|tests)(?:/[\w./-]*\w|/)?)/?(?=[` :])(?=[^\n]*`)")
#: The module that a reader creates in the example of an operation.
NOT_YET = {"fakestore/operations/bucket/inventory.py"}
OUTCOME = re.compile(r"^(?P<outcome>PASSED|FAILED|ERROR) (?P<path>[\w./-]+\.py)", re.MULTILINE)
#: A name that mkdocstrings writes into a page.
DIRECTIVE = re.compile(r"^::: fakestore\.(\w+)$", re.MULTILINE)
#: Fields of public values that only the store reads.
INTERNAL_FIELDS = {
    "MultipartUpload.checksum_mode",
    "MultipartUpload.headers",
    "MultipartUpload.key_was_written",
    "MultipartUpload.new",
    "ObjectVersion.all_metadata",
    "ObjectVersion.lock",
}
#: A condition key in a table, such as ``aws:SourceIp``.
CONDITION_KEY = re.compile(r"`((?:aws|s3):[^`]+)`")
TARGET = re.compile(r"^(\w[\w-]*):", re.MULTILINE)
#: What differs between two runs of a command.
CHANGING = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\b\d+\.\d\ds\b|(?<=127\.0\.0\.1:)\d+")

PYTEST_INI = """
[pytest]
filterwarnings =
    error
    ignore:.*utcnow:DeprecationWarning
asyncio_default_fixture_loop_scope = function
"""

#: The plugins of pytest that the examples use. Loading all that are installed takes longer than most examples.
PLUGINS = ("-p", "fakestore.pytest_plugin", "-p", "pytest_asyncio.plugin")


class Block(NamedTuple):
    """A fenced block: its page, first line, language, title, the rest of its first line, and its content."""

    page: Path
    line: int
    language: str
    title: str
    rest: str
    code: str

    def __str__(self) -> str:
        return f"{name_of(self.page)}:{self.line}"

    @property
    def file(self) -> str:
        return self.title or f"test_{self.page.stem.lower().replace('-', '_')}_{self.line}.py"


def blocks_of(page: Path) -> list[Block]:
    text = read(page)
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, *(found[name] or "" for name in Block._fields[2:]))
        for found in FENCED.finditer(text)
    ]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


BLOCKS = {page: blocks_of(page) for page in PAGES}
EXAMPLES = {
    page: examples
    for page, blocks in BLOCKS.items()
    if (examples := [each for each in blocks if each.language == "python"])
}
OUTPUTS = [block for blocks in BLOCKS.values() for block in blocks if block.language == "text" and block.title]
COMMANDS = [block for blocks in BLOCKS.values() for block in blocks if block.language == "sh"]

MODULES_WITH_EXAMPLES = [
    file for file in sorted((ROOT / "fakestore").rglob("*.py")) if ">>>" in read(file) and file.stem != "__init__"
]


def write_examples(page: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for block in EXAMPLES.get(page, []):
        (folder / block.file).write_text(block.code, encoding="utf-8")


def run(folder: Path, *arguments: str, **variables: str) -> str:
    """Run a module of Python in a process of its own, and return what it prints."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTEST_", "COV_"))
    }
    finished = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment | {"COLUMNS": "80", "PYTHONUTF8": "1"} | variables,  # a report is as wide as the terminal
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    return finished.stdout + finished.stderr


def run_pytest(folder: Path, *arguments: str) -> str:
    (folder / "pytest.ini").write_text(PYTEST_INI, encoding="utf-8")
    options = ("-m", "pytest", *PLUGINS, "-p", "no:cacheprovider")
    return run(folder, *options, *arguments, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")


@pytest.mark.parametrize("folder", sorted({page.parent for page in EXAMPLES}), ids=name_of)
def test_every_example_runs(folder, tmp_path):
    """One process runs all pages of a folder, because starting one takes longer than the examples of a page."""
    pages = [page for page in EXAMPLES if page.parent == folder]
    blocks = [block for page in pages for block in EXAMPLES[page]]
    # The output of these is shown on the page, so it is compared below.
    shown = {(block.page, word) for block in OUTPUTS for word in shlex.split(block.title)}
    for page in pages:
        write_examples(page, tmp_path / page.stem)
    run_alone = [f"{block.page.stem}/{block.file}" for block in blocks if (block.page, block.file) in shown]
    # pytest would rewrite the asserts of every module that has the name of a test file, thus of all that are imported.
    options = ("-rA", "-o", "python_files=*.py", "--assert=plain")
    output = run_pytest(tmp_path, *options, *(f"--ignore={path}" for path in run_alone))
    outcomes = {f"{block.page.stem}/{block.file}": set() for block in blocks}
    for found in OUTCOME.finditer(output):
        outcomes[found["path"]].add(found["outcome"])
    expected = {
        path: {"PASSED"} if has_tests(block) and path not in run_alone else set()
        for path, block in zip(outcomes, blocks, strict=True)
    }
    assert outcomes == expected, output


def has_tests(block: Block) -> bool:
    return re.search(r"^ *(async )?def test_", block.code, re.MULTILINE) is not None


@pytest.mark.parametrize("block", OUTPUTS, ids=str)
def test_printed_output_is_the_real_one(block, tmp_path):
    write_examples(block.page, tmp_path)
    program, *arguments = shlex.split(block.title)
    output = {"pytest": run_pytest, "python": run}[program](tmp_path, *arguments)
    assert unchanging(block.code.strip()) in unchanging(output)


def unchanging(text: str) -> str:
    return CHANGING.sub("<changing>", text)


@pytest.mark.parametrize("file", MODULES_WITH_EXAMPLES, ids=name_of)
def test_every_example_in_a_docstring_runs(file):
    module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    results = doctest.testmod(module, extraglobs={name: getattr(fakestore, name) for name in fakestore.__all__})
    assert results.failed == 0


def test_the_reference_has_every_public_name():
    shown = {name for page in (ROOT / "docs" / "reference").glob("*.md") for name in DIRECTIVE.findall(read(page))}
    assert shown == set(fakestore.__all__)


def test_every_field_of_a_public_value_is_described():
    values = [value for name in fakestore.__all__ if isinstance(value := getattr(fakestore, name), type)]
    fields = {
        f"{value.__name__}.{name}"
        for value in values
        for name in (*getattr(value, "__dataclass_fields__", ()), *getattr(value, "_fields", ()))
        if not name.startswith("_") and f"    {name}: " not in value.__doc__
    }
    assert fields == INTERNAL_FIELDS


@pytest.mark.parametrize("block", COMMANDS, ids=str)
def test_every_command_exists(block):
    lines = block.code.replace("\\\n", " ").splitlines()
    assert [line for line in lines if not exists(shlex.split(line, comments=True))] == []


def exists(words: list[str]) -> bool:
    """Return whether a command can be run: the program, the module, the target of make, and options of fakestore."""
    if not words or words[0] == "export":
        return True
    program, *arguments = words
    if program == "make":
        return set(arguments[:1]) <= set(TARGET.findall(read(ROOT / "Makefile")))
    if program.endswith("python"):
        assert arguments[0] == "-m"
        if arguments[1] != "fakestore":
            return find_spec(arguments[1]) is not None
        known = run(ROOT, *arguments[:3], "--help")
        return all(option in known for option in arguments if option.startswith("--"))
    return shutil.which(program, path=f"{Path(sys.executable).parent}:{os.defpath}") is not None


def test_every_block_is_one_that_is_run():
    blocks = [block for page in PAGES if page != CONTRIBUTING for block in BLOCKS[page]]
    assert [str(each) for each in blocks if each.language not in {"python", "sh"} and each not in OUTPUTS] == []
    assert [str(each) for each in blocks if each.rest] == []


@pytest.mark.parametrize(("path", "text"), generated().items(), ids=lambda value: getattr(value, "name", ""))
def test_every_generated_document_is_current(path, text):
    assert read(path) == text, "run: python -m docs.generate"


def test_every_decision_named_in_the_code_has_one_entry():
    named = {name for file in (ROOT / "fakestore").rglob("*.py") for name in NAMED_IN_CODE.findall(read(file))}
    entries = ENTRY.findall(read(SEMANTICS))
    assert sorted(named - set(entries)) == []
    assert len(entries) == len(set(entries))


def test_the_page_about_policies_has_every_condition_key():
    unknown = statement("Deny", "*", "s3:*", ["photos"], Condition={"Null": {"s3:unknown": True}})
    with fakestore.fake_store(dialect="s3", buckets=["photos"]) as store:
        with pytest.raises(fakestore.UnsupportedRequest) as unsupported:
            put_policy(store, "photos", unknown)
        store.unhandled_requests.clear()
    supported = re.search("supported: (.*)[.]", str(unsupported.value))[1].split(", ")
    table = [line for line in read(ROOT / "docs" / "how-to" / "policies.md").splitlines() if line.startswith("| ")]
    assert sorted(CONDITION_KEY.findall("\n".join(table))) == sorted(supported)


def test_no_line_of_a_paragraph_looks_like_an_item_of_a_list():
    """Markdown would make a list of such a line, and drop the number."""
    lines = [(page, line) for page in DOCUMENTS for line in read(page).splitlines()]
    assert [each for each in lines if re.match(r"\s*\d{3,}\. ", each[1])] == []


def test_every_link_between_documents_leads_somewhere():
    links = [(page, path, heading) for page in DOCUMENTS for path, heading in LINK.findall(read(page))]
    assert [
        f"{name_of(page)}: {path}#{heading}"
        for page, path, heading in links
        if (path or heading)
        and (
            not (file := page.parent / path if path else page).exists() or (heading and heading not in anchors_of(file))
        )
    ] == []


@pytest.mark.parametrize("page", [CONTRIBUTING, ARCHITECTURE], ids=name_of)
def test_every_path_named_for_contributors_exists(page):
    named = set(PATH.findall(FENCED.sub("", read(page))))
    assert named
    assert [path for path in sorted(named) if path not in NOT_YET and not (ROOT / path).exists()] == []


@pytest.mark.parametrize(("top", "page"), [("fakestore", ARCHITECTURE), ("tests", CONTRIBUTING)])
def test_the_layout_has_every_directory(top, page):
    rows = [line for line in read(page).splitlines() if line.startswith(f"| `{top}/")]
    named = {path.rstrip("/") for row in rows for path in PATH.findall(row.split("|")[1])}
    directories = {f"{top}/{each.parent.name}" for each in (ROOT / top).glob("*/*.py")}
    assert sorted(directories - named) == []


def anchors_of(document: Path) -> set[str]:
    """Return the anchors of all headings, as the usual sites make them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", read(document)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
