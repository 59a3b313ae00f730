"""Behaviour that no other test noticed when a mutation or a person changed it."""

import base64
import hashlib
import io
import itertools
from functools import partial

import pytest
import requests
from lxml import etree
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, SparseContent, UnsupportedRequest, fake_store, faults
from tests.support.errors import text_of_error
from tests.support.wire import outcome
from tests.trust.crowd import send


@pytest.fixture
def store():
    return FakeStore(buckets=["photos"])


@pytest.fixture
def session(store):
    with store.session() as session:
        session.mount("http://", store.adapter())
        yield session


# -- values


def test_sparse_content_reads_as_zeros():
    for size in (0, 1, 1024 * 1024, 1024 * 1024 + 1):
        content = SparseContent(size)
        assert (len(content), bytes(content), b"".join(content)) == (size, bytes(size), bytes(size))
    with pytest.raises(ValueError, match="-1"):
        SparseContent(-1)


# -- requests and replies


def test_a_listing_has_its_name_and_no_text_between_elements(store):
    for key in ("a", "k1", "k2", "l-1"):
        store["photos"].put(key)
    for query in [{}, {"list_type": 2}, {"versions": None}, {"max_keys": 1}, {"delimiter": "k"}]:
        listing = etree.fromstring(send(store, "GET", "photos", **query).body)
        name = "ListVersionsResult" if "versions" in query else "ListBucketResult"
        assert (query, listing.tag, stray_text(listing)) == (query, name, [])


def test_a_delete_result_has_no_text_between_elements(store):
    objects = "".join(f"<Object><Key>{key}</Key></Object>" for key in ("a", "b", "k" * 1025, "l" * 1025))
    for quiet, elements in [("true", 2), ("false", 4)]:
        body = f"<Delete><Quiet>{quiet}</Quiet>{objects}</Delete>".encode()
        result = etree.fromstring(send(store, "POST", "photos", body=body, delete=None).body)
        assert (quiet, len(result), stray_text(result)) == (quiet, elements, [])


def stray_text(document):
    return [node.tag for node in document.iter() if (len(node) and node.text) or node.tail]


def test_an_entity_tag_with_an_extra_letter_does_not_match(store):
    etag = store["photos"].put("k", b"x").etag.strip('"')
    for value in [f"X{etag}", f"{etag}X", f'"X{etag}"']:
        assert (value, send(store, "GET", "photos", "k", headers={"If-Match": value}).status) == (value, 412)


def test_the_md5_of_small_sparse_content_is_checked(store):
    for hashed, status in [(bytes(10), 200), (bytes(11), 400)]:
        headers = {"Content-MD5": base64.b64encode(hashlib.md5(hashed).digest()).decode(), "Content-Length": "10"}
        assert send(store, "PUT", "photos", "k", headers=headers, body=SparseContent(10)).status == status


CONDITIONS = ("If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since")


def test_a_condition_is_served_or_unsupported_but_never_ignored(store):
    served = {"GET": CONDITIONS, "PUT": ("If-Match", "If-None-Match"), "DELETE": ("If-Match",)}
    before = store["photos"].put("k", b"x")
    for method, name in itertools.product(served, CONDITIONS):
        headers = {name: '"other"', "Range": "bytes=0-0"} if name == "If-Range" else {name: '"other"'}
        ask = partial(send, store, method, "photos", "k", headers=headers)
        if name in served[method]:
            assert ask().status in ((200,) if name == "If-Range" else (200, 400, 412, 501)), (method, name)
        else:
            assert name.lower() in text_of_error(UnsupportedRequest, ask), (method, name)
            assert store["photos"]["k"] == before, (method, name)


def test_an_unknown_method_is_answered_with_the_known_operations(store):
    for key, named, other in [("k", "PUT Object Copy", "HEAD Bucket"), ("", "HEAD Bucket", "Copy")]:
        with pytest.raises(UnsupportedRequest, match=named) as caught:
            send(store, "PATCH", "photos", key)
        assert other not in str(caught.value)


def test_a_delete_of_a_bucket_with_a_body_is_refused(store):
    for query in ({}, {"policy": None}):
        reply = send(store, "DELETE", "photos", headers={"Content-Length": "4"}, body=b"body", **query)
        assert (query, *outcome(reply)) == (query, 400, "UnexpectedContent")


def test_a_bucket_with_versions_says_that_they_must_be_deleted():
    for versioning, hint in [("never", False), ("enabled", True)]:
        store = FakeStore(buckets={"photos": versioning})
        store["photos"].put("k")
        error = etree.fromstring(send(store, "DELETE", "photos").body)
        assert (error.findtext("Code"), "versions" in error.findtext("Message")) == ("BucketNotEmpty", hint)


def test_a_connect_timeout_sends_nothing_of_a_body(store, session):
    store.fail("PUT Object", faults.ConnectTimeout())
    body = io.BytesIO(bytes(200_000))
    with pytest.raises(requests.ConnectTimeout):
        session.put(store.url("photos", "k"), data=body, timeout=1)
    assert (body.tell(), "k" in store["photos"]) == (0, False)


def test_a_reply_that_takes_as_long_as_the_timeout_is_too_late(store, session):
    store.fail("PUT Object", faults.Latency(0.01))
    with pytest.raises(requests.ReadTimeout):
        session.put(store.url("photos", "k"), data=b"x", timeout=0.01)


# -- clients and patches


def test_a_store_left_under_another_patch_does_not_come_back():
    """Somebody else patches on top and takes the patch off after the store was left; then another store starts."""
    original = HTTPAdapter.send
    recipe = fake_store(base_url="http://first.test", buckets=["photos"])
    first = recipe.__enter__()
    below = HTTPAdapter.send
    HTTPAdapter.send = lambda *args, **options: below(*args, **options)
    recipe.__exit__(None, None, None)
    HTTPAdapter.send = below
    with fake_store(base_url="http://second.test", buckets=["photos"]) as second:
        assert requests.get(second.url("photos"), auth=second.auth()).status_code == 200
        with pytest.raises(requests.ConnectionError):
            requests.get(first.url("photos"), auth=first.auth())
        second.unhandled_requests.clear()
    assert HTTPAdapter.send is original
    assert len(first.exchanges) == 0
