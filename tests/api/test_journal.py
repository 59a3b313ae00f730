"""The exchanges of a store: what is recorded, how it is found, and what is dropped."""

from __future__ import annotations

import hashlib
import tracemalloc
from datetime import UTC, datetime
from threading import current_thread
from urllib.parse import urlencode

import pytest
import requests
import responses
from freezegun import freeze_time

from fakestore import BodyDigest, Exchange, Exchanges, FakeStore, SparseContent, UnsupportedRequest, fake_store, faults
from fakestore.http import Request
from tests.support.cases import each

#: Bodies up to this many bytes are kept whole.
KEPT_BODY = 2048


@pytest.fixture
def photos(fakestore):
    return fakestore.create_bucket("photos", versioning="enabled")


def last(store):
    return store.exchanges[-1]


def md5(content):
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


# -- what is recorded


def test_an_exchange_records_when_the_request_arrived(fakestore, photos):
    def body():
        clock.tick(60)
        yield b"meow"

    with freeze_time("2026-11-21 12:00:00.123456", tz_offset=3) as clock:
        url = fakestore.url("photos", "cat.jpg")
        fakestore.session().put(url, data=body(), headers={"Content-Length": "4"})
    assert last(fakestore).time == datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=UTC)


def test_an_exchange_records_the_request_and_its_response(fakestore, photos):
    alice = fakestore.create_account("alice")
    photos.acl = "public-read-write"
    url = fakestore.url("photos", "a b/é")
    answer = fakestore.session(alice).put(url, data=b"meow", headers={"X-Own": "1"})
    exchange = last(fakestore)
    assert (exchange.operation, exchange.account, exchange.bucket, exchange.key) == (
        "PUT Object",
        alice,
        "photos",
        "a b/é",
    )
    request, reply = exchange.request, exchange.reply
    assert (request.method, request.url, request.headers["x-own"], request.body) == ("PUT", url, "1", b"meow")
    assert (reply.status, reply.headers, reply.body) == (200, dict(answer.headers), b"")
    assert (exchange.status, exchange.version_id) == (200, photos["a b/é"].version_id)
    assert (exchange.error_code, exchange.explanation, exchange.fault) == (None, None, None)


def test_a_refused_request_records_its_code_and_an_explanation(fakestore, photos):
    alice = fakestore.create_account("alice")
    answer = fakestore.session(alice).put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    exchange = last(fakestore)
    assert (exchange.status, exchange.error_code) == (403, "AccessDenied")
    assert "alice" in exchange.explanation
    assert "WRITE" in exchange.explanation
    assert exchange.explanation not in answer.text


def test_an_unauthenticated_request_records_no_account_and_no_body(fakestore, photos):
    requests.put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    exchange = last(fakestore)
    assert (exchange.operation, exchange.account, exchange.status, exchange.request.body) == (
        "PUT Object",
        None,
        403,
        None,
    )


def test_a_malformed_document_is_recorded(fakestore, photos):
    fakestore.session().put(fakestore.url("photos", versioning=None), data=b"<Versioning")
    exchange = last(fakestore)
    assert (exchange.error_code, exchange.request.body) == ("MalformedXML", b"<Versioning")


@pytest.mark.parametrize(
    "fault", [faults.ServiceError("SlowDown"), faults.Latency(0), faults.AfterCommit(faults.ServiceError("SlowDown"))]
)
def test_a_fault_is_recorded(fakestore, photos, fault):
    photos.put("cat.jpg", b"meow")
    fakestore.fail("GET Object", fault)
    fakestore.session().get(fakestore.url("photos", "cat.jpg"))
    assert last(fakestore).fault == fault


def test_a_failed_connection_records_no_reply(fakestore, photos):
    fakestore.fail("PUT Object", faults.ConnectionReset())
    with pytest.raises(requests.ConnectionError):
        fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    exchange = last(fakestore)
    assert (exchange.operation, exchange.fault, exchange.status, exchange.reply) == (
        "PUT Object",
        faults.ConnectionReset(),
        None,
        None,
    )


@pytest.mark.parametrize(("error", "seen"), [(OSError, requests.ConnectionError), (AssertionError, AssertionError)])
def test_a_body_that_raises_is_recorded_without_a_reply(fakestore, photos, error, seen):
    def broken():
        yield b"me"
        raise error("the disk is full")

    url, headers = fakestore.url("photos", "cat.jpg"), {"Content-Length": "4", "Transfer-Encoding": None}
    with pytest.raises(seen, match="the disk is full"):
        fakestore.session().put(url, data=broken(), headers=headers)
    put = last(fakestore)
    assert (put.operation, put.account, put.key) == ("PUT Object", fakestore.default_account, "cat.jpg")
    form = {**headers, "Content-Type": "multipart/form-data; boundary=x"}
    with pytest.raises(seen, match="the disk is full"):
        fakestore.session().post(fakestore.url("photos"), data=broken(), headers=form)
    post = last(fakestore)
    assert (post.operation, post.reply, put.reply) == ("POST Object", None, None)
    assert "the disk is full" in put.explanation
    assert "the disk is full" in post.explanation


def test_unsupported_requests_and_calls_on_handles_are_no_exchanges(fakestore, photos):
    photos.put("cat.jpg", b"meow")
    photos.delete("cat.jpg")
    with pytest.raises(UnsupportedRequest) as unsupported:
        fakestore.session().get(fakestore.url("photos", "cat.jpg", torrent=None))
    assert (fakestore.exchanges, fakestore.unhandled_requests) == ([], [unsupported.value])
    fakestore.unhandled_requests.clear()


def test_errors_that_are_kept_do_not_keep_the_frames_of_their_requests(fakestore, photos):
    for number in range(3):
        with pytest.raises(UnsupportedRequest):
            fakestore.session().get(fakestore.url("photos", torrent=None))
        assert [error.__traceback__ is None for error in fakestore.unhandled_requests] == [True] * number + [False]
    fakestore.unhandled_requests.clear()


def test_the_version_of_an_exchange_is_that_of_request_and_reply(photos, fakestore):
    named = photos.put("cat.jpg", b"meow").version_id
    photos.versioning = "suspended"
    for name in (named, photos.put("cat.jpg", b"purr").version_id):
        photos.versioning = "enabled"
        photos.put("cat.jpg", b"latest")
        for case in each(("GET", {}), ("HEAD", {}), ("GET", {"acl": None}), ("DELETE", {})):
            with case as (method, query):
                url = fakestore.url("photos", "cat.jpg", versionId=name, **query)
                reply = fakestore.session().request(method, url)
                assert reply.ok
                assert last(fakestore).version_id == reply.headers.get("x-svc-version-id", name) == name, url
        assert fakestore.session().get(fakestore.url("photos", "cat.jpg", versionId=name)).status_code == 404
        assert last(fakestore).version_id == name
    created = fakestore.session().delete(fakestore.url("photos", "cat.jpg")).headers["x-svc-version-id"]
    assert last(fakestore).version_id == created


def changes(store):
    return list(last(store).created), list(last(store).removed)


def test_an_exchange_names_what_it_created_and_removed(fakestore, photos):
    """The null version that a marker replaces counts as removed, and DELETE of many names each key."""
    session, url = fakestore.session(), fakestore.url("photos", "cat.jpg")
    session.put(url, data=b"meow")
    first = photos["cat.jpg"].version_id
    assert changes(fakestore) == ([("cat.jpg", first)], [])
    session.put(url, headers={"x-svc-copy-source": f"/photos/cat.jpg?versionId={first}"})
    assert changes(fakestore) == ([("cat.jpg", photos["cat.jpg"].version_id)], [])
    session.get(url)
    assert changes(fakestore) == ([], [])
    session.delete(url)
    marker = photos.versions()[0].version_id
    assert changes(fakestore) == ([("cat.jpg", marker)], [])
    url_of_marker = fakestore.url("photos", "cat.jpg", versionId=marker)
    session.delete(url_of_marker)
    assert changes(fakestore) == ([], [("cat.jpg", marker)])
    session.delete(url_of_marker)
    assert changes(fakestore) == ([], [])
    photos.versioning = "suspended"
    photos.put("cat.jpg", b"null version")
    session.delete(url)
    assert changes(fakestore) == ([("cat.jpg", "null")], [("cat.jpg", "null")])
    document = b"<Delete><Object><Key>cat.jpg</Key></Object><Object><Key>dog.jpg</Key></Object></Delete>"
    session.post(fakestore.url("photos", delete=None), data=document)
    assert changes(fakestore) == ([("cat.jpg", "null"), ("dog.jpg", "null")], [("cat.jpg", "null")])
    session.post(fakestore.url("photos", delete=None), data=document)
    assert changes(fakestore)[1] == [("cat.jpg", "null"), ("dog.jpg", "null")]


def test_an_exchange_names_its_client_and_thread(fakestore, photos):
    fakestore.session().get(fakestore.url("photos"))
    assert last(fakestore).client == f"python-requests/{requests.__version__}"
    assert last(fakestore).thread == current_thread().name
    fakestore.handle(Request.to_url("GET", fakestore.url("photos")))
    assert last(fakestore).client is None


def test_request_ids_depend_on_the_seed_and_the_base_url():
    def replies(**options):
        store = FakeStore(buckets=["photos"], **options)
        return [store.handle(Request.to_url("GET", store.url("photos"))).headers["x-svc-request-id"] for _ in range(2)]

    assert replies() == replies()
    assert not {*replies()} & {*replies(base_url="http://other.test")}
    assert not {*replies()} & {*replies(seed=7)}


# -- bodies


def test_large_bodies_are_recorded_as_size_and_digest(fakestore, photos):
    content = bytes(range(256)) * 20
    session, url = fakestore.session(), fakestore.url("photos", "big")
    session.put(url, data=content)
    session.get(url)
    session.get(url, headers={"Range": "bytes=1-4000"})
    session.put(url, data=content[:KEPT_BODY])
    put, get, part, small = fakestore.exchanges
    assert put.request.body == get.reply.body == BodyDigest(len(content), md5(content))
    assert part.reply.body == BodyDigest(4000, md5(content[1:4001]))
    assert small.request.body == content[:KEPT_BODY]


def test_sparse_content_is_recorded_by_its_entity_tag(fakestore, photos):
    version = photos.put("huge", SparseContent(2**40))
    session, url = fakestore.session(), fakestore.url("photos", "huge")
    session.get(url, stream=True).close()
    session.get(url, headers={"Range": "bytes=1-4000"})
    whole, part = fakestore.exchanges
    assert (whole.reply.body, part.reply.body) == (BodyDigest(2**40, version.etag.strip('"')), BodyDigest(4000, ""))


@pytest.mark.parametrize("fault", [faults.CorruptedBody(), faults.TruncatedBody(2), faults.TruncatedBody(3000)])
def test_of_a_damaged_body_what_was_sent_is_recorded(fakestore, photos, fault):
    content = bytes(range(256)) * 20
    photos.put("cat.jpg", content)
    fakestore.fail("GET Object", fault)
    with fakestore.session().get(fakestore.url("photos", "cat.jpg"), stream=True) as answer:
        sent = answer.raw.read(getattr(fault, "nbytes", len(content)))
    recorded = last(fakestore).reply.body
    assert recorded == (sent if len(sent) <= KEPT_BODY else BodyDigest(len(sent), md5(sent)))
    assert sent != content


def test_the_reply_to_head_is_recorded_without_a_body(fakestore, photos):
    photos.put("cat.jpg", b"meow")
    for key in ("cat.jpg", "none"):
        fakestore.session().head(fakestore.url("photos", key))
        assert last(fakestore).reply.body == b""


def test_the_journal_holds_no_large_bodies(fakestore, photos):
    session, content = fakestore.session(), bytes(1024 * 1024)
    session.put(fakestore.url("photos", "big"), data=content)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(10):
            session.get(fakestore.url("photos", "big"))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < len(content)


# -- finding exchanges


@pytest.fixture
def used(fakestore, photos):
    fakestore.create_bucket("films")
    session = fakestore.session()
    for bucket, key in (("photos", "a"), ("films", "a"), ("photos", "ab")):
        session.put(fakestore.url(bucket, key), data=b"x")
        session.get(fakestore.url(bucket, key))
    return fakestore


@pytest.mark.parametrize(
    ("criteria", "indexes"),
    [
        ({}, [0, 1, 2, 3, 4, 5]),
        ({"operation": "PUT Object"}, [0, 2, 4]),
        ({"bucket": "films"}, [2, 3]),
        ({"key": "a"}, [0, 1, 2, 3]),
        ({"operation": "GET Object", "bucket": "photos", "key": "a"}, [1]),
        ({"operation": "DELETE Object"}, []),
        ({"key": ""}, []),
    ],
)
def test_calls_are_found_by_operation_bucket_and_key(used, criteria, indexes):
    assert used.calls(**criteria) == [used.exchanges[index] for index in indexes]


def test_an_exchange_is_equal_only_to_itself(used):
    exchange = used.exchanges[0]
    copy = exchange._replace()
    assert (exchange == exchange, exchange != exchange) == (True, False)
    assert (exchange == copy, exchange != copy) == (False, True)
    assert len({exchange, copy}) == 2


def test_exchanges_are_a_list_of_that_moment(used):
    before = used.exchanges
    assert isinstance(before, Exchanges)
    assert isinstance(before, list)
    assert isinstance(before[0], Exchange)
    used.session().get(used.url("photos", "a"))
    assert (len(before), len(used.exchanges)) == (6, 7)
    used.reset()
    assert (used.exchanges, used.exchanges.dropped) == ([], 0)


def store_after(count, **options):
    """Return a store after GETs of the keys "0", "1" and so on, and one HEAD before them."""
    store = FakeStore(buckets=["photos"], **options)
    store.handle(Request.to_url("HEAD", store.url("photos", "first")))
    for number in range(count):
        store.handle(Request.to_url("GET", store.url("photos", str(number))))
    return store


def test_the_journal_keeps_the_latest_2000_exchanges():
    exchanges = store_after(2005).exchanges
    assert (len(exchanges), exchanges.dropped, exchanges[0].key) == (2000, 6, "5")


def test_journal_size_is_an_option():
    for size in (0, 3):
        exchanges = store_after(4, journal_size=size).exchanges
        assert (len(exchanges), exchanges.dropped) == (size, 5 - size)


def test_calls_raises_if_dropped_exchanges_could_match():
    store = store_after(3, journal_size=3)
    assert store.calls("GET Object", key="0") == [store.exchanges[0]]
    assert store.calls("DELETE Object") == []
    for case in each({"operation": "HEAD Object"}, {"key": "first"}, {}):
        with case as criteria:
            with pytest.raises(RuntimeError, match=r"has dropped 1 exchange that.*fake_store\(journal_size=\.\.\.\)"):
                store.calls(**criteria)
    store.reset()
    assert store.calls("HEAD Object") == []


@responses.activate
def test_the_record_of_responses_does_not_grow():
    with fake_store(buckets=["photos"]) as store:
        store.session().put(store.url("photos", "cat.jpg"), data=b"meow")
        assert (len(store.exchanges), len(responses.calls)) == (1, 0)


# -- for a person


def test_the_line_of_an_exchange(fakestore, photos):
    fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    version_id = photos["cat.jpg"].version_id
    line = f"PUT Object (PutObject) photos/cat.jpg -> 200 (as default), sent 4 bytes, created {version_id[:8]}..."
    assert (str(last(fakestore)), repr(last(fakestore))) == (line, f"<Exchange {line}>")
    fakestore.session().delete(fakestore.url("photos", "cat.jpg", versionId=version_id))
    assert str(last(fakestore)).endswith(f" -> 204 (as default), removed {version_id[:8]}...")
    document = b"<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>"
    fakestore.session().post(fakestore.url("photos", delete=None), data=document)
    assert f" -> 200 (as default), sent {len(document)} bytes, created 2 versions: bucket 'photos' has no" in str(
        last(fakestore)
    )
    fakestore.session().get(fakestore.url("photos", "none", versionId="null"))
    line = "GET Object (GetObject) photos/none?versionId=null -> 404 NoSuchVersion (as default): "
    assert str(last(fakestore)).startswith(line + last(fakestore).explanation)
    fakestore.fail("GET Object", faults.ConnectionReset())
    with pytest.raises(requests.ConnectionError):
        fakestore.session().get(fakestore.url("photos", "cat.jpg"))
    assert str(last(fakestore)) == "GET Object (GetObject) photos/cat.jpg -> no answer [ConnectionReset()]"


def test_line_of_an_exchange_begins_with_the_name_that_users_of_the_dialect_know():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        store.session().get(store.url("photos", list_type=2))
        assert str(last(store)).startswith("ListObjectsV2 (GET Bucket version 2) photos?list-type=2 -> 200 ")
        store.session().options(store.url("photos"))
        assert str(last(store)).startswith("OPTIONS Bucket photos -> ")


def test_line_of_an_exchange_shows_names_decoded_and_without_the_host(fakestore, photos):
    session = fakestore.session()
    session.put(fakestore.url("photos", "a b/ümlaut 100%.jpg"), data=b"meow")
    assert str(last(fakestore)).startswith("PUT Object (PutObject) photos/a b/ümlaut 100%.jpg -> 200 ")
    session.get(fakestore.url("photos", prefix="ümlaut&/"))
    assert str(last(fakestore)).startswith("GET Bucket (ListObjects) photos?prefix=ümlaut&/ -> 200 ")
    session.get(fakestore.url("photos", "line\nbreak", versionId="null"))
    assert str(last(fakestore)).startswith(r"GET Object (GetObject) photos/line\nbreak?versionId=null -> 404 ")
    session.get(fakestore.base_url)
    assert str(last(fakestore)).startswith("GET Service (ListBuckets) -> 200 ")
    session.options(fakestore.url("photos"))
    assert str(last(fakestore)).startswith("OPTIONS Bucket photos -> ")
    session.get(fakestore.base_url + "/%FF")
    assert str(last(fakestore)).startswith("GET objects.test/%FF -> 400 InvalidURI")


def test_line_of_an_exchange_hides_encoded_credentials():
    query = "Signature=0123%264567&X-Amz-Sig%6Eature=89abcdef"
    store = FakeStore(buckets=["photos"], dialect="s3")
    store.handle(Request.to_url("GET", f"{store.url('photos', 'cat.jpg')}?{query}"))
    line = str(store.exchanges[-1])
    assert "?Signature=<hidden>&X-Amz-Signature=<hidden> -> 400" in line
    assert not [digits for digits in ("0123", "4567", "89abcdef") if digits in line]


def test_the_line_of_a_listing_says_that_it_is_truncated(fakestore):
    for name in ("films", "pets", "photos"):
        fakestore.create_bucket(name)
    for key in ("a", "b/1", "c"):
        fakestore["films"].put(key, b"meow")
    session = fakestore.session()
    for _ in range(3):
        reply = session.post(fakestore.url("films", "film", uploads=None))
    upload_id = reply.text.partition("<UploadId>")[2].partition("<")[0]
    for number in (1, 2, 3):
        session.put(fakestore.url("films", "film", uploadId=upload_id, partNumber=str(number)), data=b"meow")

    def urls(size):
        yield fakestore.url("films", **{"max-keys": size, "delimiter": "/"})
        yield fakestore.url("films", **{"max-keys": size, "list-type": "2"})
        yield fakestore.url("films", **{"max-keys": size, "versions": None})
        yield fakestore.url("films", **{"max-uploads": size, "uploads": None})
        yield fakestore.url("films", "film", **{"max-parts": size, "uploadId": upload_id})
        yield f"{fakestore.base_url}/?max-buckets={size}"

    for url in urls("2"):
        session.get(url)
        assert last(fakestore).truncated_after == 2
        assert str(last(fakestore)).endswith(" bytes, truncated after 2 items")
    for url in urls("3"):
        session.get(url)
        assert (last(fakestore).status, last(fakestore).truncated_after) == (200, None)
        assert str(last(fakestore)).endswith(" bytes")


def test_the_repr_of_exchanges_has_a_line_for_each(used):
    assert repr(used.calls(bucket="films")) == (
        "<2 exchanges\n"
        "  PUT Object (PutObject) films/a -> 200 (as default), sent 1 byte, created version null\n"
        "  GET Object (GetObject) films/a -> 200 (as default), received 1 byte>"
    )
    assert repr(store_after(4, journal_size=0).exchanges) == "<0 exchanges (5 older ones dropped)>"


@pytest.mark.decision("secrets-are-not-printed")
def test_the_repr_of_a_request_hides_its_credentials():
    secret = "0123456789abcdef"
    query = {"X-Amz-Signature": secret, "X-Amz-Security-Token": secret, "versionId": "null"}
    headers = [("authorization", f"SVC AK:{secret}"), ("X-Amz-Security-Token", secret), ("X-Own", "1")]
    headers += [("x-amz-server-side-encryption-customer-key", secret), ("x-amz-mfa", f"serial {secret}")]
    exchange = refused_exchange(query, headers)
    for case in each(repr(exchange.request), repr(exchange.request.headers), repr(exchange), str(exchange)):
        with case as text:
            assert secret not in text
    assert "('X-Own', '1')" in repr(exchange.request)
    assert "versionId=null" in repr(exchange.request)
    assert exchange.request.headers["authorization"] == f"SVC AK:{secret}"


def refused_exchange(query, headers):
    """Return the exchange of a GET that an S3 store refuses."""
    store = FakeStore(buckets=["photos"], dialect="s3")
    store.handle(Request.to_url("GET", f"{store.url('photos', 'cat.jpg')}?{urlencode(query)}", headers))
    return store.exchanges[-1]


@pytest.mark.parametrize(("others", "named"), [(20, 20), (21, 20)])
def test_an_explanation_names_at_most_20_versions(fakestore, photos, others, named):
    removed = photos.put("cat.jpg")
    ids = [photos.put("cat.jpg").version_id for _ in range(others)][::-1]
    photos.delete_version("cat.jpg", removed.version_id)
    fakestore.session().get(fakestore.url("photos", "cat.jpg", versionId=removed.version_id))
    explanation = last(fakestore).explanation
    assert [version_id for version_id in ids if version_id in explanation] == ids[:named]
