"""The documents are true: examples run, printed output is the real one, links and names lead somewhere.

A block with a title that is a file name is written under that name, so that other blocks of the page can use it. A
block ``text`` has a command as its title, or follows a block ``sh``, and is compared with what these commands print. A
block ``diff`` is a change of the file that its title names.
"""

import doctest
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import distribution
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

import fakestore
from benchmarks.behaviour import answers, in_fakestore
from docs.generate import generated
from tests.conformance import DECISION
from tests.support.access import put_policy
from tests.support.documents import statement

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "docs" / "CONTRIBUTING.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
SEMANTICS = ROOT / "docs" / "semantics.md"
#: The pages that `make docs` writes for the site alone.
WRITTEN = {ROOT / "docs" / "conformance.md", ROOT / "docs" / "facts.md"}
PAGES = [README, *sorted({*(ROOT / "docs").rglob("*.md")} - WRITTEN)]
DOCUMENTS = [*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "benchmarks").glob("*.md")]

FENCED = re.compile(
    r'^(?P<indent> *)```(?P<language>\w*)(?: title="(?P<title>[^"]*)")?(?P<rest>[^\n]*)\n(?P<code>.*?)^(?P=indent)```$',
    re.DOTALL | re.MULTILINE,
)
#: The first or last line of a block, in any form that Markdown has.
FENCE = re.compile(r"^[\s>*-]*(?:```|~~~)", re.MULTILINE)
#: A decision's name as the code has it, ``[suspended-put]``; not the code of a ``type: ignore``.
NAMED_IN_CODE = re.compile(r"(?<!ignore)\[([a-z]{2,}(?:-[a-z0-9]+)+)\]")
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]*)(?:#(?P<heading>[^)]*))?\)")
#: A path in backquotes, also as an argument of a command, that begins at the root of the repository.
PATH = re.compile(r"(?<=[` ])((?:benchmarks|docs|examples|fakestore|tests)(?:/[\w./-]*\w|/)?)/?(?=[` :])(?=[^\n]*`)")
#: A paragraph of an item of a list, and the first line of the next item without an empty line between them.
ITEM_IN_A_PARAGRAPH = re.compile(r"\n\n {2,}(?![-*\d])[^\n]+\n(?:[^\n]+\n)*?(?:\d+\.|-) ")
OUTCOME = re.compile(r"^(?P<outcome>PASSED|FAILED|ERROR) (?P<path>[\w./-]+\.py)", re.MULTILINE)
#: A name that mkdocstrings writes into a page.
DIRECTIVE = re.compile(r"^::: fakestore\.(\w+)$", re.MULTILINE)
#: Phrases that must be read twice. Write for example "customer key", "an empty body", "the header for X", "applies to".
DENSE = re.compile(
    r"\bkeys? of the client\b|\bkey of (?:a|the) tag\b|\b[Ww]hat cannot\b|\b[Hh]eaders? about\b"
    r"|\b(?:that|those) of no\b|\b(?:is|are|be|was|were) about (?:it|what|how|the|that|those|an?|keys?|objects?)\b"
)
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
#: A question of the comparison with moto, and the answer of fakestore.
COMPARED = re.compile(r"^\| (.+) \| (yes|no) \| (?:yes|no) \|$", re.MULTILINE)
#: The commands whose blocks are not run: `pip` needs a network, and `make` runs the tests.
NOT_RUN = ("python -m pip ", "make ")
#: What differs between two runs of a command.
CHANGING = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT|\b\d+\.\d\ds\b"
    r"|(?<=127\.0\.0\.1:)\d+|(?<=the signature ')[^']+"
)

PYTEST_INI = """
[pytest]
filterwarnings =
    error
    ignore:.*utcnow:DeprecationWarning
asyncio_default_fixture_loop_scope = function
"""

#: The pages show how a random test is written. What it tests has tests of its own.
FEW_RANDOM_EXAMPLES = """
from hypothesis import settings

settings.register_profile("few", max_examples=10, deadline=None)
settings.load_profile("few")
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
        Block(
            page,
            text.count("\n", 0, found.start()) + 1,
            *(found[name] or "" for name in Block._fields[2:-1]),
            re.sub(f"^{found['indent']}", "", found["code"], flags=re.MULTILINE),
        )
        for found in FENCED.finditer(text)
    ]


def is_run(block: Block) -> bool:
    return not block.code.startswith(NOT_RUN)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


BLOCKS = {page: blocks_of(page) for page in PAGES}
EXAMPLES = {
    page: examples
    for page, blocks in BLOCKS.items()
    if page != CONTRIBUTING and (examples := [each for each in blocks if each.language == "python"])
}
OUTPUTS = [block for blocks in BLOCKS.values() for block in blocks if block.language == "text" and block.title]
#: The outputs of one command with several files, by the folder of their pages and the words before the file.
RUNS: dict[tuple[Path, tuple[str, ...]], list[Block]] = {}
for each in OUTPUTS:
    RUNS.setdefault((each.page.parent, tuple(shlex.split(each.title)[:-1])), []).append(each)
COMMANDS = [block for blocks in BLOCKS.values() for block in blocks if block.language == "sh"]
#: By a block with commands, the block after it that shows what they print.
PRINTED = {
    commands: text
    for blocks in BLOCKS.values()
    for commands, text in pairwise(blocks)
    if commands.language == "sh" and text.language == "text" and not text.title
}
#: A workflow of GitHub Actions and a compose file.
WORKFLOWS = [block for blocks in BLOCKS.values() for block in blocks if block.language == "yaml"]
NEW_OPERATION = [block for block in BLOCKS[CONTRIBUTING] if block.language in {"python", "diff"}]

MODULES_WITH_EXAMPLES = [
    file for file in sorted((ROOT / "fakestore").rglob("*.py")) if ">>>" in read(file) and file.stem != "__init__"
]


def write_examples(page: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for block in EXAMPLES.get(page, []):
        (folder / block.file).write_text(block.code, encoding="utf-8")


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTEST_", "COV_"))}
    programs = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return kept | programs | {"COLUMNS": "80", "PYTHONUTF8": "1"}  # a report is as wide as the terminal


def run(folder: Path, *arguments: str, **variables: str) -> str:
    """Run a module of Python in a process of its own, and return what it prints."""
    finished = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment() | variables,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    return finished.stdout + finished.stderr


def run_pytest(folder: Path, *arguments: str, **variables: str) -> str:
    (folder / "pytest.ini").write_text(PYTEST_INI, encoding="utf-8")
    options = ("-m", "pytest", *PLUGINS, "-p", "no:cacheprovider")
    return run(folder, *options, *arguments, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **variables)


def test_every_example_runs(tmp_path):
    """One process runs all pages, because starting one takes longer than the examples of most pages."""
    blocks = [block for examples in EXAMPLES.values() for block in examples]
    # The output of these is shown on the page, so it is compared below.
    shown = {(block.page, word) for block in OUTPUTS for word in shlex.split(block.title)}
    (tmp_path / "conftest.py").write_text(FEW_RANDOM_EXAMPLES, encoding="utf-8")
    for page in EXAMPLES:
        write_examples(page, tmp_path / page.stem)
    run_alone = [f"{block.page.stem}/{block.file}" for block in blocks if (block.page, block.file) in shown]
    # pytest would rewrite the asserts of every module that has the name of a test file, thus of all that are imported.
    options = ("-rA", "-o", "python_files=*.py", "--assert=plain")
    # boto3 waits up to 16 s before its last attempt.
    output = run_pytest(tmp_path, *options, *(f"--ignore={path}" for path in run_alone), AWS_MAX_ATTEMPTS="2")
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


@pytest.mark.parametrize("blocks", RUNS.values(), ids=lambda blocks: ",".join(map(str, blocks)))
def test_printed_output_is_the_real_one(blocks, tmp_path):
    for block in blocks:
        write_examples(block.page, tmp_path)
    program, *arguments = shlex.split(blocks[0].title)
    others = [shlex.split(block.title)[-1] for block in blocks[1:]]
    output = {"pytest": run_pytest, "python": run}[program](tmp_path, *arguments, *others)
    assert [block.code for block in blocks if not has_lines(output, block.code)] == [], output


def has_lines(output: str, shown: str) -> bool:
    """Return whether whole lines of the output are those that a page shows, except for what changes in each run."""
    printed, expected = (CHANGING.sub("<changing>", text.strip("\n")) for text in (output, shown))
    return f"\n{expected}\n" in f"\n{printed}\n"


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


@pytest.mark.parametrize("page", {block.page: None for block in COMMANDS if is_run(block)}, ids=name_of)
def test_commands_do_what_the_page_says(page, tmp_path):
    """The first block starts a server. The others run in one shell, in an empty folder."""
    blocks = [block for block in COMMANDS if block.page == page and is_run(block)]
    printed = print_of_commands([block.code for block in blocks], tmp_path)
    for block, output in zip(blocks, printed, strict=True):
        assert block not in PRINTED or has_lines(as_a_terminal_shows(output), PRINTED[block].code)


# The scripts of these programs do not start if the path of their Python has a space.
PROGRAMS = "".join(f'{name}() {{ python "$(type -P {name})" "$@"; }}\n' for name in ("aws", "s3cmd"))


def print_of_commands(blocks: list[str], folder: Path) -> list[str]:
    """Run the commands of each block, the first of which starts a server at port 9000, and return what each prints.

    The server gets a free port instead.
    """
    options = {
        "cwd": folder,
        "env": environment() | {"HOME": str(folder)},
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }
    server, *others = blocks
    with subprocess.Popen(["bash", "-c", f"exec {server.replace('9000', '0')}"], **options) as process:
        first_line = process.stdout.readline()
        port = re.search(r"127\.0\.0\.1:(\d+)", first_line)[1]
        script = PROGRAMS + "\necho END OF THE BLOCK\n".join(block.replace("9000", port) for block in others)
        finished = subprocess.run(["bash", "-euc", script], **options, timeout=100)
        process.terminate()
        log = first_line + process.stdout.read()
    assert finished.returncode == 0, finished.stdout + log
    return [log, *finished.stdout.split("END OF THE BLOCK\n")]


def as_a_terminal_shows(text: str) -> str:
    """Return a text in which a carriage return begins the line again."""
    return "\n".join(line.rpartition("\r")[2].rstrip() for line in text.split("\n"))


@pytest.mark.parametrize("block", [each for each in COMMANDS if not is_run(each)], ids=str)
def test_every_command_that_is_not_run_exists(block):
    for line in block.code.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "make":
            options = {"cwd": ROOT, "capture_output": True, "text": True, "check": True}
            assert "Nothing to be done" not in subprocess.run(["make", "--dry-run", *arguments], **options).stdout
        elif arguments[:3] == ["-m", "pip", "install"]:
            assert [name for name in arguments[3:] if not can_be_installed(name)] == []
        else:
            known = run(ROOT, *arguments[:2], "--help")
            assert [option for option in arguments[2:] if option.startswith("--") and option not in known] == []


def can_be_installed(requirement: str) -> bool:
    """Return whether a requirement is this project with one of its extras, or a package that the tests use."""
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    if requirement.startswith("."):
        return set(re.findall(r"\w+", requirement)) <= set(project["optional-dependencies"])
    return distribution(requirement) is not None


def test_the_steps_of_the_workflow_work(tmp_path):
    """All but those that need a network, in one shell."""
    workflow, _ = (yaml.safe_load(block.code) for block in WORKFLOWS)
    job = workflow["jobs"]["tests"]
    steps = [step["run"] for step in job["steps"] if "pip install" not in step.get("run", "pip install")]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    script = PROGRAMS + "\n".join(["trap 'kill %1' EXIT", *steps]).replace("9000", port)
    variables = {name: text.replace("9000", port) for name, text in job["env"].items()} | {"HOME": str(tmp_path)}
    options = {"cwd": tmp_path, "env": environment() | variables, "capture_output": True, "text": True}
    finished = subprocess.run(["bash", "-euc", script], **options, timeout=100)
    assert finished.returncode == 0, finished.stderr
    assert "photos?list-type=2" in finished.stdout
    assert "photos" in (tmp_path / "fakestore.html").read_text()


def test_the_server_of_the_compose_file_is_healthy(tmp_path):
    _, compose = (yaml.safe_load(block.code) for block in WORKFLOWS)
    service = compose["services"]["fakestore"]
    command = shlex.split(service["command"])[-1].partition("exec ")[2]
    variables = {name: str(value) for name, value in service["environment"].items()} | {"FAKESTORE_PORT": "0"}
    options = {"cwd": tmp_path, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(shlex.split(command), env=environment() | variables, **options) as process:
        port = process.stdout.readline().strip().rpartition(":")[2]
        check = shlex.split(service["healthcheck"]["test"].replace("9000", port))
        assert subprocess.run(check, env=environment(), timeout=10).returncode == 0
        process.terminate()
        assert "buckets: photos, thumbnails" in process.stdout.read()


def test_the_example_of_a_new_operation_works(tmp_path):
    """Its blocks are written into a copy of the package, and its test runs there."""
    shutil.copytree(ROOT / "fakestore", tmp_path / "fakestore")
    for block in NEW_OPERATION:
        file = tmp_path / block.title
        if block.language == "python":
            assert not file.exists()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.code, encoding="utf-8")
        else:
            old, new = ("".join(re.findall(rf"^[ {sign}](.*\n)", block.code, re.MULTILINE)) for sign in "-+")
            text = read(file)
            assert text.count(old) == 1
            file.write_text(text.replace(old, new), encoding="utf-8")
    output = run_pytest(tmp_path, *(block.title for block in NEW_OPERATION if "test_" in block.title))
    assert " passed in " in output
    assert "failed" not in output, output


def test_every_block_is_one_that_is_run():
    run = {
        *OUTPUTS,
        *COMMANDS,
        *NEW_OPERATION,
        *WORKFLOWS,
        *(block for blocks in EXAMPLES.values() for block in blocks),
    }
    shown = {text for commands, text in PRINTED.items() if is_run(commands)}
    assert [str(block) for blocks in BLOCKS.values() for block in blocks if block not in run | shown] == []
    assert [str(block) for blocks in BLOCKS.values() for block in blocks if block.rest] == []
    for page, blocks in BLOCKS.items():
        assert len(FENCE.findall(read(page))) == 2 * len(blocks)


def test_every_generated_document_is_current():
    old = [name_of(path) for path, text in generated().items() if read(path) != text]
    assert old == [], "run: python -m docs.generate"


def test_fakestore_behaves_as_the_comparison_with_moto_says():
    assert dict(COMPARED.findall(read(ROOT / "docs" / "how-to" / "migrate.md"))) == answers(in_fakestore)


def test_every_decision_named_in_the_code_has_one_entry():
    named = {name for file in (ROOT / "fakestore").rglob("*.py") for name in NAMED_IN_CODE.findall(read(file))}
    entries = DECISION.findall(read(SEMANTICS))
    assert sorted(named - set(entries)) == []
    assert len(entries) == len(set(entries))


def test_the_page_about_policies_has_every_condition_key():
    unknown = statement("Deny", "*", "s3:*", ["photos"], Condition={"Null": {"aws:unknown": True}})
    with fakestore.fake_store(dialect="s3", buckets=["photos"]) as store:
        with pytest.raises(fakestore.UnsupportedRequest) as unsupported:
            put_policy(store, "photos", unknown)
        store.unhandled_requests.clear()
    supported = re.search("supported: (.*)[.]", str(unsupported.value))[1].split(", ")
    table = [line for line in read(ROOT / "docs" / "how-to" / "policies.md").splitlines() if line.startswith("| ")]
    assert sorted(CONDITION_KEY.findall("\n".join(table))) == sorted(supported)


def test_changelog_begins_with_the_version_of_the_package():
    version = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["version"]
    assert re.search(r"^## \[(.+)\]", read(ROOT / "CHANGELOG.md"), re.MULTILINE)[1] == version


def test_only_the_project_file_names_the_repository():
    repository = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["urls"]["Source"].removeprefix("https://")
    assert [name_of(page) for page in DOCUMENTS if repository in read(page)] == []


def test_no_sentence_has_a_phrase_that_must_be_read_twice():
    files = [*DOCUMENTS, *(ROOT / "fakestore").rglob("*.py")]
    texts = {file.relative_to(ROOT): re.sub(r"\s+(?:#:? )?", " ", read(file)) for file in files}
    assert [(str(name), match[0]) for name, text in texts.items() for match in DENSE.finditer(text)] == []


def test_no_line_of_a_paragraph_looks_like_an_item_of_a_list():
    """Markdown would make a list of such a line, and drop the number."""
    lines = [(page, line) for page in DOCUMENTS for line in read(page).splitlines()]
    assert [each for each in lines if re.match(r"\s*\d{3,}\. ", each[1])] == []


def test_an_empty_line_is_before_an_item_if_the_item_before_has_paragraphs():
    """Without it, the site shows the item as a part of the paragraph."""
    texts = {page: FENCED.sub("", read(page)) for page in DOCUMENTS}
    assert [name_of(page) for page, text in texts.items() if ITEM_IN_A_PARAGRAPH.search(text)] == []


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
    created = {block.title for block in BLOCKS[page] if block.language == "python"}
    assert named
    assert [path for path in sorted(named - created) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(("top", "page"), [("fakestore", ARCHITECTURE), ("tests", CONTRIBUTING)])
def test_the_layout_has_every_directory(top, page):
    rows = [line for line in read(page).splitlines() if line.startswith(f"| `{top}/")]
    named = {path.rstrip("/") for row in rows for path in PATH.findall(row.split("|")[1])}
    directories = {f"{top}/{each.parent.name}" for each in (ROOT / top).glob("*/*.py")}
    assert sorted(directories - named) == []


def anchors_of(document: Path) -> set[str]:
    """Return the anchors of all headings, as the usual sites make them."""
    text = FENCED.sub("", read(document))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
