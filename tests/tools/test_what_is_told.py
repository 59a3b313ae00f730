"""How much an explanation and the journal tell: enough for a person, and a bounded amount."""

import hashlib

import pytest

from fakestore import SparseContent
from fakestore.journal import BodyDigest


@pytest.fixture
def photos(fakestore):
    return fakestore.create_bucket("photos", versioning="enabled")


def explanation_without_one_of(fakestore, photos, count):
    """What a GET is told of a version that is gone, where ``count`` others are there; and these, newest first."""
    gone = photos.put("cat.jpg")
    others = [photos.put("cat.jpg").version_id for _ in range(count)]
    photos.delete_version("cat.jpg", gone.version_id)
    fakestore.session().get(fakestore.url("photos", "cat.jpg", versionId=gone.version_id))
    return fakestore.exchanges[-1].explanation.partition("newest first: ")[2], others[::-1]


def test_a_version_that_is_gone_is_explained_with_the_versions_there_are(fakestore, photos):
    told, others = explanation_without_one_of(fakestore, photos, 20)
    assert told == ", ".join(others)


def test_of_many_versions_an_explanation_names_the_newest_20(fakestore, photos):
    told, others = explanation_without_one_of(fakestore, photos, 21)
    assert told == ", ".join(others[:20]) + ", ..."


def recorded_range(fakestore, size):
    fakestore.session().get(fakestore.url("photos", "cat.jpg"), headers={"Range": f"bytes=1-{size}"})
    return fakestore.exchanges[-1].reply.body


def test_of_a_large_range_the_journal_keeps_its_own_digest(fakestore, photos):
    content = bytes(range(256)) * 20
    photos.put("cat.jpg", content)
    assert recorded_range(fakestore, 4000) == BodyDigest(4000, hashlib.md5(content[1:4001]).hexdigest())


def test_of_a_large_range_of_sparse_content_the_journal_keeps_no_digest(fakestore, photos):
    photos.put("cat.jpg", SparseContent(2**40))
    assert recorded_range(fakestore, 4000) == BodyDigest(4000, "")
