"""A directory into a bucket and back."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fakestore import Limits, SparseContent, fake_store

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not take")


def files(path: Path) -> dict[str, bytes]:
    return {each.relative_to(path).as_posix(): each.read_bytes() for each in sorted(path.rglob("*")) if each.is_file()}


def write(path: Path, tree: dict[str, bytes]) -> None:
    for name, content in tree.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)


TREE = {
    "empty": b"",
    "index.html": b"<p>",
    "2030/january/cat.jpg": b"meow",
    "2030/january/.hidden": b"1",
    "a b+c%20&#=": b"2",
    "日本/\U0001f600": b"3",
    "bytes": bytes(range(256)),
}


def test_every_file_becomes_an_object_under_its_path(store, photos, tmp_path):
    write(tmp_path, TREE)
    store.load("photos", tmp_path)
    assert {key: photos[key].content for key in photos} == TREE


def test_what_was_loaded_is_dumped_the_same(store, tmp_path):
    write(tmp_path / "in", TREE)
    store.load("photos", tmp_path / "in")
    store.dump("photos", tmp_path / "out")
    assert files(tmp_path / "out") == TREE


@POSIX
def test_odd_names_come_back_too(store, tmp_path):
    odd = {"back\\slash": b"1", "line\nbreak": b"2", " blank ": b"3", "...": b"4", "c:": b"5", "*?": b"6"}
    write(tmp_path / "in", odd)
    store.load("photos", tmp_path / "in")
    store.dump("photos", tmp_path / "out")
    assert files(tmp_path / "out") == odd


def test_types_are_guessed_by_name(store, photos, tmp_path):
    write(tmp_path, TREE)
    store.load("photos", tmp_path)
    guessed = [photos[key].content_type for key in ("index.html", "2030/january/cat.jpg", "empty")]
    assert guessed == ["text/html", "image/jpeg", "binary/octet-stream"]


def test_loading_again_makes_new_versions(store, photos, tmp_path):
    photos.set_versioning("enabled")
    write(tmp_path, {"k": b"1"})
    store.load("photos", tmp_path)
    store.load("photos", str(tmp_path))
    assert [entry.content for entry in photos.versions("k")] == [b"1", b"1"]


def test_only_current_objects_are_dumped(store, photos, tmp_path):
    photos.set_versioning("enabled")
    photos.put("k", b"1")
    photos.put("k", b"2")
    photos.put("gone")
    photos.delete("gone")
    store.dump("photos", tmp_path)
    assert files(tmp_path) == {"k": b"2"}


def test_an_empty_bucket_makes_an_empty_directory(store, tmp_path):
    store.dump("photos", tmp_path / "new" / "deep")
    assert list((tmp_path / "new" / "deep").iterdir()) == []


def test_sparse_content_is_dumped_as_zeros(store, photos, tmp_path):
    photos.put("zeros", SparseContent(100_000))
    store.dump("photos", tmp_path)
    assert files(tmp_path) == {"zeros": bytes(100_000)}


@pytest.mark.parametrize(
    "key",
    ["/absolute", "a//b", "folder/", "../up", "a/../b", ".", "..", "a/./b", "nul\0", "n" * 256, "d/" + "é" * 128],
)
def test_a_key_that_cannot_be_a_path_is_a_value_error_and_nothing_is_written(store, photos, tmp_path, key):
    photos.put("0 comes first", b"1")
    photos.put(key, b"2")
    with pytest.raises(ValueError, match="cannot be a path under"):
        store.dump("photos", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_key_that_is_also_the_directory_of_another_is_a_value_error(store, photos, tmp_path):
    photos.put("a", b"1")
    photos.put("a/b", b"2")
    with pytest.raises(ValueError, match="key 'a' would be a file and a directory under"):
        store.dump("photos", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@POSIX
@pytest.mark.parametrize("key", ["a/x", "a", "deep/b/x"])
@pytest.mark.parametrize("target", ["../elsewhere", "inside", "../missing"])
def test_a_key_that_leads_through_a_symlink_is_a_value_error_and_nothing_is_written(
    store, photos, tmp_path, key, target
):
    write(tmp_path, {"elsewhere/kept": b"1", "out/inside/kept": b"2", "out/deep/kept": b"3"})
    (tmp_path / "out" / "a").symlink_to(target)
    (tmp_path / "out" / "deep" / "b").symlink_to(Path("..") / target)
    before = files(tmp_path)
    photos.put("0 comes first", b"4")
    photos.put(key, b"5")
    with pytest.raises(ValueError, match=f"key '{key}' cannot be a path under .*: .* is a symbolic link"):
        store.dump("photos", tmp_path / "out")
    assert files(tmp_path) == before


@POSIX
def test_the_directory_itself_may_be_a_symlink(store, photos, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    photos.put("a/x", b"1")
    store.dump("photos", tmp_path / "out")
    assert files(tmp_path / "real") == {"a/x": b"1"}


def test_what_is_dumped_is_of_the_moment_when_it_began(store, photos, tmp_path, monkeypatch):
    photos.put("a", b"1")
    photos.put("b", b"2")
    photos.put("c", b"3")
    really_open = Path.open

    def open_while_others_write(path, *args):
        photos.delete("b")
        photos.put("c", b"changed")
        return really_open(path, *args)

    monkeypatch.setattr(Path, "open", open_while_others_write)
    store.dump("photos", tmp_path)
    monkeypatch.undo()
    assert files(tmp_path) == {"a": b"1", "b": b"2", "c": b"3"}


@POSIX
def test_a_name_that_is_no_utf8_is_a_value_error_and_nothing_is_put(store, photos, tmp_path):
    write(tmp_path, {"0 comes first": b"1"})
    try:
        (tmp_path / os.fsdecode(b"\xff")).write_bytes(b"2")
    except OSError:
        pytest.skip("the file system takes no such name")
    with pytest.raises(ValueError, match="no UTF-8 form"):
        store.load("photos", tmp_path)
    assert photos.versions() == []


@POSIX
def test_a_path_too_long_for_a_key_is_a_value_error_and_nothing_is_put(store, photos, tmp_path):
    write(tmp_path, {"0 comes first": b"1", "/".join(["a" * 170] * 6): b"2"})
    with pytest.raises(ValueError, match="1,025 bytes"):
        store.load("photos", tmp_path)
    assert photos.versions() == []


def test_a_path_that_is_no_directory_is_not_loaded(store, tmp_path):
    write(tmp_path, {"file": b""})
    for path in (tmp_path / "file", tmp_path / "missing"):
        with pytest.raises(NotADirectoryError, match="is no directory, so it cannot be loaded into a bucket"):
            store.load("photos", path)


def test_a_bucket_that_is_not_there_is_a_key_error(store, tmp_path):
    with pytest.raises(KeyError):
        store.load("nothing", tmp_path)
    with pytest.raises(KeyError):
        store.dump("nothing", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_over_the_limit_is_a_value_error_and_nothing_is_loaded(tmp_path):
    write(tmp_path, {"a": b"1", "b": b"12345"})
    with fake_store(buckets=["photos"], limits=Limits(object_size=4)) as store:
        with pytest.raises(ValueError, match=r"b: 5 bytes of content, and Limits\.object_size is 4"):
            store.load("photos", tmp_path)
        assert list(store["photos"]) == []
