"""The types of the public API, as mypy sees them in the code of a user."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import fakestore
from fakestore import CannedAclName, FakeStore, StorageClassName, VersioningName

api = pytest.importorskip("mypy.api")
CASES = Path(__file__).parent / "typing"
ROOT = Path(__file__).parents[2]


def test_the_code_of_a_user_type_checks_unless_it_is_wrong():
    """Both files in one run of mypy, with the cache of `make test`, because it takes seconds to begin."""
    files = [CASES / "accepted.py", CASES / "refused.py"]
    config = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    output, problems, _ = api.run([*config, *map(str, files)])
    assert problems == ""
    expected = [
        (file.name, number)
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if line.endswith("# error")
    ]
    found = re.findall(r"(\w+\.py):(\d+): error", output)
    assert sorted({(name, int(line)) for name, line in found}) == expected, output


@pytest.mark.parametrize(
    ("names", "refuse"),
    [
        (CannedAclName, lambda store: store.create_bucket("films", acl="x")),
        (VersioningName, lambda store: store.create_bucket("films", versioning="x")),
        (StorageClassName, lambda store: store["photos"].put("cat.jpg", storage_class="x")),
    ],
)
def test_the_names_for_type_checkers_are_those_that_are_accepted(names, refuse):
    with pytest.raises(ValueError, match="expected") as refused:
        refuse(FakeStore(dialect="s3", buckets=["photos"]))
    listed = str(refused.value).partition("expected one of ")[2].rstrip(".")
    assert sorted(name.strip("'") for name in listed.split(", ")) == sorted(get_args(names))


def test_every_public_name_can_be_imported():
    assert [name for name in fakestore.__all__ if getattr(fakestore, name, None) is None] == []
    assert dir(fakestore) == sorted(fakestore.__all__)
