"""How much an explanation and the journal tell: enough for a person, and a bounded amount."""

import hashlib

import pytest
import requests

from fakestore import SparseContent, faults
from fakestore.service.journal import BodyDigest


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


@pytest.fixture
def large(photos):
    return photos.put("cat.jpg", bytes(range(256)) * 20).content


def test_of_a_corrupted_body_the_journal_keeps_the_digest_of_what_was_sent(fakestore, large):
    fakestore.fail("GET Object", faults.CorruptedBody())
    sent = fakestore.session().get(fakestore.url("photos", "cat.jpg")).content
    assert sent != large
    assert fakestore.exchanges[-1].reply.body == BodyDigest(len(sent), hashlib.md5(sent).hexdigest())


def test_a_fault_that_leaves_sparse_content_whole_leaves_its_digest_in_the_journal(fakestore, photos):
    content = SparseContent(3 * 1024 * 1024)
    photos.put("huge", content)
    fakestore.fail("GET Object", faults.Latency(0))
    fakestore.session().get(fakestore.url("photos", "huge"))
    digest = hashlib.md5(bytes(content)).hexdigest()
    assert fakestore.exchanges[-1].reply.body == BodyDigest(content.size, digest)


@pytest.mark.parametrize("size", [2, 3000])
def test_of_a_body_that_was_cut_the_journal_keeps_what_was_sent(fakestore, large, size):
    fakestore.fail("GET Object", faults.TruncatedBody(size))
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        fakestore.session().get(fakestore.url("photos", "cat.jpg"))
    sent = large[:size]
    kept = sent if size == 2 else BodyDigest(size, hashlib.md5(sent).hexdigest())
    assert fakestore.exchanges[-1].reply.body == kept


@pytest.mark.parametrize("key", ["cat.jpg", "none"])
def test_a_head_has_no_body_in_the_journal_either(fakestore, photos, key):
    photos.put("cat.jpg", b"meow")
    fakestore.session().head(fakestore.url("photos", key))
    assert fakestore.exchanges[-1].reply.body == b""


def test_an_error_embedded_in_a_copy_is_the_exchanges_error(fakestore, photos):
    photos.put("cat.jpg", b"meow")
    fakestore.fail("PUT Object Copy", faults.EmbeddedError("SlowDown"))
    fakestore.session().put(fakestore.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/cat.jpg"})
    exchange = fakestore.exchanges[-1]
    assert (exchange.status, exchange.error_code, exchange.explanation) == (
        200,
        "SlowDown",
        "a fault that was asked for",
    )


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
