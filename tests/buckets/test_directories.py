"""Loading a directory into a bucket, and dumping a bucket into a directory."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fakestore import FakeStore, Limits, SparseContent
from tests.support.errors import text_of_error

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not allow these names")
TREE = {
    "empty": b"",
    "index.html": b"<p>",
    "2030/january/cat.jpg": b"meow",
    "2030/january/.hidden": b"1",
    "a b+c%20&#=": b"2",
    "\u65e5\u672c/\U0001f600": b"3",
    "bytes": bytes(range(256)),
}
ODD_NAMES = {"back\\slash": b"1", "line\nbreak": b"2", " blank ": b"3", "...": b"4", "c:": b"5", "*?": b"6"}


def files(path: Path) -> dict[str, bytes]:
    return {each.relative_to(path).as_posix(): each.read_bytes() for each in sorted(path.rglob("*")) if each.is_file()}


def write(path: Path, tree: dict[str, bytes]) -> None:
    for name, content in tree.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)


@pytest.mark.parametrize("tree", [TREE, pytest.param(ODD_NAMES, marks=POSIX)], ids=["tree", "odd names"])
def test_loaded_directory_is_dumped_unchanged(store, photos, tmp_path, tree):
    write(tmp_path / "in", tree)
    store.load("photos", str(tmp_path / "in"))
    assert {key: photos[key].content for key in photos} == tree
    store.dump("photos", tmp_path / "out")
    assert files(tmp_path / "out") == tree


def test_content_types_are_guessed_from_names(store, photos, tmp_path):
    write(tmp_path, TREE)
    store.load("photos", tmp_path)
    types = [photos[key].content_type for key in ("index.html", "2030/january/cat.jpg", "empty")]
    assert types == ["text/html", "image/jpeg", "binary/octet-stream"]


def test_load_adds_versions_and_dump_writes_current_objects(store, photos, tmp_path):
    store.dump("photos", tmp_path / "new" / "deep")
    assert list((tmp_path / "new" / "deep").iterdir()) == []
    photos.versioning = "enabled"
    photos.put("k", b"old")
    write(tmp_path / "in", {"k": b"1", "gone": b""})
    for _ in range(2):
        store.load("photos", tmp_path / "in")
    assert [entry.content for entry in photos.versions("k")] == [b"1", b"1", b"old"]
    photos.delete("gone")
    photos.put("zeros", SparseContent(100_000))
    store.dump("photos", tmp_path / "out")
    assert files(tmp_path / "out") == {"k": b"1", "zeros": bytes(100_000)}


def test_key_that_is_not_a_relative_path_dumps_nothing(store, photos, tmp_path):
    photos.put("first", b"1")
    for key in ["/absolute", "a//b", "folder/", "../up", "a/../b", ".", "..", "a/./b", "nul\0", "first/b"]:
        photos.put(key, b"2")
        message = text_of_error(ValueError, lambda: store.dump("photos", tmp_path / "out"))
        assert "path" in message or "directory" in message, key
        assert not (tmp_path / "out").exists(), key
        photos.delete(key)


@POSIX
def test_dump_is_of_the_moment_when_it_begins(store, photos, tmp_path, monkeypatch):
    for key in "abc":
        photos.put(key, key.encode())
    really_open = Path.open

    def open_while_others_write(path, *args, **options):
        if path.is_relative_to(tmp_path):  # and not a module that is imported
            photos.delete("b")
            photos.put("c", b"changed")
        return really_open(path, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", open_while_others_write)
        store.dump("photos", tmp_path)
    assert files(tmp_path) == {"a": b"a", "b": b"b", "c": b"c"}


@POSIX
def test_dump_follows_no_link_below_the_directory(store, photos, tmp_path):
    write(tmp_path, {"outside/cat.jpg": b"kept", "really/empty": b""})
    for key in ("a", "d/cat.jpg"):
        photos.put(key, b"meow")
    out = tmp_path / "out"
    out.symlink_to(tmp_path / "really")  # the directory itself may be a link
    for link, target in [("d", "outside"), ("a", "outside/cat.jpg"), ("a", "missing")]:
        (out / link).symlink_to(tmp_path / target)
        with pytest.raises(ValueError, match=f"out/{link}' is a symbolic link"):
            store.dump("photos", out)
        (out / link).unlink()
        assert files(tmp_path / "really") == {"empty": b""}
    store.dump("photos", out)
    assert files(tmp_path / "really") == {"empty": b"", "a": b"meow", "d/cat.jpg": b"meow"}
    assert files(tmp_path / "outside") == {"cat.jpg": b"kept"}


def test_path_that_is_not_a_valid_key_loads_nothing(store, photos, tmp_path):
    write(tmp_path, {"0 comes first": b"1", "/".join(["a" * 170] * 6): b"2"})
    with pytest.raises(ValueError, match="1,025 bytes"):
        store.load("photos", tmp_path)
    assert photos.versions() == []


@POSIX
def test_name_that_is_not_utf_8_loads_nothing(store, photos, tmp_path):
    write(tmp_path, {"0 comes first": b"1"})
    try:
        (tmp_path / os.fsdecode(b"\xff")).write_bytes(b"2")
    except OSError:
        pytest.skip("the file system does not allow this name")
    with pytest.raises(ValueError, match="UTF-8"):
        store.load("photos", tmp_path)
    assert photos.versions() == []


def test_missing_directory_or_bucket_is_an_error(store, tmp_path):
    write(tmp_path, {"file": b""})
    for path in (tmp_path / "file", tmp_path / "missing"):
        with pytest.raises(NotADirectoryError, match=path.name):
            store.load("photos", path)
    for use in (store.load, store.dump):
        with pytest.raises(KeyError, match="films"):
            use("films", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_file_over_the_size_limit_loads_nothing(tmp_path):
    write(tmp_path, {"a": b"1", "b": b"12345"})
    store = FakeStore(buckets=["photos"], limits=Limits(object_size=4))
    with pytest.raises(ValueError, match=r"b: .* 5 bytes.*object_size"):
        store.load("photos", tmp_path)
    assert list(store["photos"]) == []
