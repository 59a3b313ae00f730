"""Tests of the archive with the pytest fixture, boto3 and the dialect S3."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
import requests
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError

from examples.film_archive.archive import PART_SIZE, FilmArchive
from fakestore import FakeStore, faults


@pytest.fixture
def fakestore_options() -> dict[str, Any]:
    return {"dialect": "s3", "signatures": "verify", "buckets": ["films"]}


@pytest.fixture
def archive(fakestore: FakeStore) -> FilmArchive:
    client = boto3.client("s3", config=Config(retries={"total_max_attempts": 1, "mode": "standard"}))
    return FilmArchive(client, "films")


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """A film of three parts."""
    path = tmp_path / "cats.mp4"
    path.write_bytes(b"1" * PART_SIZE + b"2" * PART_SIZE + b"3")
    return path


def interrupt_upload(store: FakeStore, archive: FilmArchive, film: Path) -> None:
    """Upload a film, and lose the connection at the second part."""
    store.fail("Upload Part", faults.ConnectionReset(), after=1)
    with pytest.raises(ConnectionClosedError):
        archive.upload(film, "cats.mp4")


def test_film_is_uploaded_in_parts(fakestore: FakeStore, archive: FilmArchive, film: Path) -> None:
    assert archive.upload(film, "cats.mp4") == 3
    assert bytes(fakestore["films"]["cats.mp4"].content) == film.read_bytes()


def test_empty_film_is_uploaded(fakestore: FakeStore, archive: FilmArchive, tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").touch()
    assert archive.upload(tmp_path / "empty.mp4", "empty.mp4") == 1
    assert fakestore["films"]["empty.mp4"].size == 0


def test_interrupted_upload_is_continued(fakestore: FakeStore, archive: FilmArchive, film: Path) -> None:
    interrupt_upload(fakestore, archive, film)
    assert "cats.mp4" not in fakestore["films"]
    assert archive.upload(film, "cats.mp4") == 2
    assert bytes(fakestore["films"]["cats.mp4"].content) == film.read_bytes()
    assert len(fakestore.calls("Initiate Multipart Upload")) == 1


def test_part_that_has_changed_is_sent_again(fakestore: FakeStore, archive: FilmArchive, film: Path) -> None:
    interrupt_upload(fakestore, archive, film)
    film.write_bytes(b"4" * PART_SIZE + b"5")
    assert archive.upload(film, "cats.mp4") == 2
    assert bytes(fakestore["films"]["cats.mp4"].content) == film.read_bytes()


def test_unfinished_upload_is_discarded(fakestore: FakeStore, archive: FilmArchive, film: Path) -> None:
    interrupt_upload(fakestore, archive, film)
    assert archive.discard_unfinished() == ["cats.mp4"]
    assert fakestore["films"].uploads == []


def test_link_is_valid_for_an_hour(fakestore: FakeStore, archive: FilmArchive) -> None:
    fakestore["films"].put("cats.mp4", b"meow")
    link = archive.link("cats.mp4", timedelta(hours=1))
    assert requests.get(link).content == b"meow"
    assert requests.get(link.replace("cats", "dogs")).status_code == 403
    fakestore.travel(hours=1, minutes=1)
    assert requests.get(link).status_code == 403
    assert "expired" in str(fakestore.exchanges[-1].explanation)


def test_upload_link_accepts_films_only(fakestore: FakeStore, archive: FilmArchive) -> None:
    link = archive.upload_link("cats.mp4", timedelta(minutes=5))
    assert requests.put(link, data=b"meow", headers={"Content-Type": "image/jpeg"}).status_code == 403
    assert requests.put(link, data=b"meow", headers={"Content-Type": "video/mp4"}).status_code == 200
    assert fakestore["films"]["cats.mp4"].content_type == "video/mp4"
