"""The types of the public API, as mypy sees them in the code of a user."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

import fakestore
from fakestore import CannedAclName, FakeStore, OperationName, StorageClassName, VersioningName

api = pytest.importorskip("mypy.api")
CASES = Path(__file__).parent / "typing"
ROOT = Path(__file__).parents[2]


def errors_of(name, tmp_path):
    """Return the numbers of the lines in which mypy finds errors."""
    config = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path)]
    output, problems, _ = api.run([*config, str(CASES / name)])
    assert problems == ""
    return sorted({int(line) for line in re.findall(rf"{name}:(\d+): error", output)}), output


def test_the_code_of_a_user_type_checks(tmp_path):
    lines, output = errors_of("accepted.py", tmp_path)
    assert lines == [], output


def test_wrong_code_does_not_type_check(tmp_path):
    source = (CASES / "refused.py").read_text().splitlines()
    expected = [number for number, line in enumerate(source, 1) if line.endswith("# error")]
    lines, output = errors_of("refused.py", tmp_path)
    assert lines == expected, output


@pytest.mark.parametrize(
    ("names", "refuse"),
    [
        (OperationName, lambda store: store.calls("x")),
        (CannedAclName, lambda store: store.create_bucket("films", acl="x")),
        (VersioningName, lambda store: store.create_bucket("films", versioning="x")),
        (StorageClassName, lambda store: store["photos"].put("cat.jpg", storage_class="x")),
    ],
)
def test_the_names_for_type_checkers_are_those_that_are_accepted(names, refuse):
    with pytest.raises(ValueError, match=r"expected|known") as refused:
        refuse(FakeStore(dialect="s3", buckets=["photos"]))
    message = str(refused.value)
    listed = message.replace("known operations: ", "expected one of ").partition("expected one of ")[2].rstrip(".")
    assert sorted(name.strip("'") for name in listed.split(", ")) == sorted(get_args(names))


def test_every_public_name_can_be_imported():
    assert [name for name in fakestore.__all__ if getattr(fakestore, name, None) is None] == []
    assert set(fakestore.__all__) <= set(dir(fakestore))


def test_type_checkers_see_every_public_name_in_its_module():
    module = ast.parse(Path(fakestore.__file__).read_text())
    (block,) = (each for each in module.body if isinstance(each, ast.If))
    seen = {
        alias.asname: f"{statement.module}.{alias.name}"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert set(seen) == set(fakestore.__all__)
    for name, path in seen.items():
        home, _, last = path.rpartition(".")
        assert getattr(import_module(home), last) is getattr(fakestore, name)
