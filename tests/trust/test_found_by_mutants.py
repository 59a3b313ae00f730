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

from fakestore import FakeStore, MfaDevice, SparseContent, UnsupportedRequest, fake_store, faults
from tests.support.errors import text_of_error
from tests.trust.crowd import send


@pytest.fixture
def store():
    return FakeStore(buckets=["photos"])


@pytest.fixture
def session(store):
    with store.session() as session:
        session.mount("http://", store.adapter())
        yield session


def code_of(reply):
    return etree.fromstring(reply.body).findtext("Code")


# -- values


def test_sparse_content_reads_as_zeros():
    for size in (0, 1, 1024 * 1024, 1024 * 1024 + 1):
        content = SparseContent(size)
        assert (len(content), bytes(content), b"".join(content)) == (size, bytes(size), bytes(size))
    with pytest.raises(ValueError, match="-1"):
        SparseContent(-1)


def test_an_account_belongs_to_the_store_that_made_it(store):
    stranger = FakeStore().create_account("anna")
    with pytest.raises(ValueError, match="anna"):
        store.create_bucket("hers", owner=stranger)
    anna = store.create_account("anna", access_key_id="another")
    with pytest.raises(ValueError, match="anna"):
        store.create_bucket("hers", owner=stranger)
    assert store.create_bucket("hers", owner=anna).owner == anna


def test_an_object_keeps_everything_that_was_put_with_it(store):
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": "inline",
        "Content-Encoding": "gzip",
        "Content-Language": "de",
    }
    version = store["photos"].put(
        "k", b"meow", metadata={"colour": "red"}, content_type="text/plain", headers=headers | {"Expires": "5"}
    )
    assert (version.metadata, version.content_type, version.expires) == ({"colour": "red"}, "text/plain", 5)
    assert {name: getattr(version, name.lower().replace("-", "_")) for name in headers} == headers


# -- requests and replies


def test_a_listing_names_the_invalid_argument(store):
    for query, argument in [({"max_keys": -1}, "maxKeys"), ({"encoding_type": "no"}, "encoding-type")]:
        error = etree.fromstring(send(store, "GET", "photos", **query).body)
        assert (error.findtext("ArgumentName"), error.findtext("ArgumentValue")) == (argument, str(*query.values()))


def test_a_listing_continues_after_a_prefix_that_ends_in_a_letter(store):
    for key in ("aX1", "aX2", "aY", "b"):
        store["photos"].put(key)
    listing = etree.fromstring(send(store, "GET", "photos", delimiter="X").body)
    assert [each.text for each in listing.iterfind("*/Key")] == ["aY", "b"]
    assert [each.text for each in listing.iterfind("CommonPrefixes/Prefix")] == ["aX"]


def test_a_listing_may_begin_exactly_at_its_prefix(store):
    for key in ("a", "a1", "b"):
        store["photos"].put(key)
    for query in ({"marker": "a"}, {"list_type": 2, "start_after": "a"}):
        listing = etree.fromstring(send(store, "GET", "photos", prefix="a", **query).body)
        assert [each.text for each in listing.iterfind("*/Key")] == ["a1"]


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
        assert (query, reply.status, code_of(reply)) == (query, 400, "UnexpectedContent")


def test_a_bucket_with_versions_says_that_they_must_be_deleted():
    for versioning, hint in [("never", False), ("enabled", True)]:
        store = FakeStore(buckets={"photos": versioning})
        store["photos"].put("k")
        error = etree.fromstring(send(store, "DELETE", "photos").body)
        assert (error.findtext("Code"), "versions" in error.findtext("Message")) == ("BucketNotEmpty", hint)


def test_a_head_has_no_body_whatever_it_answers(store):
    store["photos"].put("k", b"content")
    for key in ("k", "missing"):
        assert send(store, "HEAD", "photos", key).body == b""
        assert store.exchanges[-1].reply.body == b""


def test_the_code_of_a_device_is_compared_exactly():
    store = FakeStore(buckets={"photos": "enabled"})
    version = store["photos"].put("k").version_id
    store["photos"].set_versioning("enabled", mfa_device=MfaDevice("Serial", "aBc123"))
    snapshot = store.snapshot()
    statuses = []
    for mfa in ("Serial abc123", "Serial ABC123", "serial aBc123", "Serial aBc123"):
        store.restore(snapshot)  # the snapshot keeps MFA Delete and its device
        url = store.url("photos", "k", versionId=version).replace("http:", "https:")
        session = requests.Session()
        session.mount("https://", store.adapter())
        statuses.append(session.delete(url, headers={"x-svc-mfa": mfa}, auth=store.auth()).status_code)
    assert statuses == [403, 403, 403, 204]


def test_an_account_made_after_a_snapshot_is_gone_after_a_restore(store):
    store.create_account("anna", email="a@example.test")
    snapshot = store.snapshot()
    store.create_account("ben", email="a@example.test")
    grant = {"x-svc-grant-read": 'emailAddress="a@example.test"'}
    reply = send(store, "PUT", "photos", "k", headers=grant)
    assert (reply.status, code_of(reply)) == (400, "AmbiguousGrantByEmailAddress")
    store.restore(snapshot)
    assert send(store, "PUT", "photos", "k", headers=grant).status == 200


# -- the journal


def test_calls_compares_whole_keys_and_buckets(store):
    store.create_bucket("photos2")
    for bucket, key in (("photos", "k"), ("photos", "k2"), ("photos", "k/l"), ("photos2", "k")):
        send(store, "PUT", bucket, key)
    assert [(each.bucket, each.key) for each in store.calls(key="k")] == [("photos", "k"), ("photos2", "k")]
    assert [each.key for each in store.calls(bucket="photos")] == ["k", "k2", "k/l"]
    assert [each.key for each in store.calls("PUT Object", bucket="photos", key="k")] == ["k"]
    assert list(store.calls(key="")) == []


def test_an_exchange_keeps_the_version_id_of_the_query():
    store = FakeStore(buckets={"photos": "enabled"})
    version = store["photos"].put("k").version_id
    for method, key in (("GET", "k"), ("GET", "missing"), ("DELETE", "k"), ("GET", "k")):
        send(store, method, "photos", key, versionId=version)
    send(store, "GET", "photos", "k", versionId="invalid")
    assert [each.version_id for each in store.exchanges] == [version] * 4 + ["invalid"]


# -- faults


def statuses(store, count):
    return [send(store, "GET", "photos", "k").status for _ in range(count)]


def test_a_request_that_meets_a_fault_does_not_count_for_the_next(store):
    store["photos"].put("k", b"x")
    store.fail("GET Object", faults.ServiceError("SlowDown"))
    store.fail("GET Object", faults.ServiceError("InternalError"), after=1)
    assert statuses(store, 4) == [503, 200, 500, 200]


def test_faults_fire_in_their_order_and_as_often_as_planned(store):
    store["photos"].put("k", b"x")
    store.fail("PUT Object", faults.ServiceError("AccessDenied"))
    store.fail(None, faults.ServiceError("InternalError"), key="other")
    store.fail("GET Object", faults.ServiceError("SlowDown"), times=2)
    store.fail(None, faults.ServiceError("InternalError"), times=None)
    assert statuses(store, 4) == [503, 503, 500, 500]


def test_a_fault_without_effect_waits_for_another_request(store):
    store["photos"].put("k", b"content")
    store.fail(None, faults.TruncatedBody(3), key="k")
    assert send(store, "HEAD", "photos", "k").status == 200
    assert [send(store, "GET", "photos", "k").body for _ in range(2)] == [b"con", b"content"]


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


# -- clients


def test_a_client_sends_its_whole_file_although_it_is_refused(store, session):
    session.auth = store.auth(store.create_account("anna"))
    for bucket, status in [("nowhere", 404), ("photos", 403)]:
        file = io.BytesIO(bytes(200_000))
        assert session.put(store.url(bucket, "k"), data=file).status_code == status
        assert file.tell() == 200_000


def test_a_body_of_text_is_sent_as_utf8(store, session):
    class Text:
        pieces = ("ü", "b", "")

        def __init__(self):
            self.rest = iter(self.pieces)

        def __len__(self):
            return 3

        def read(self, size=-1):
            return next(self.rest)

        def __iter__(self):
            return iter(self.pieces)

    assert session.put(store.url("photos", "k"), data=Text()).status_code == 200
    assert store["photos"]["k"].content == "üb".encode()


def test_user_information_is_not_part_of_the_host():
    with fake_store(buckets=["photos"]) as store:
        store["photos"].put("k", b"x")
        url = store.url("photos", "k").replace("://", "://user:password@")
        assert requests.get(url, auth=store.auth()).content == b"x"
        assert store.exchanges[-1].bucket == "photos"


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
