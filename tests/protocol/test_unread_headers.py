"""Headers that an operation does not read: each is refused, or a decision says that it is ignored."""

from __future__ import annotations

import hashlib
from itertools import product

import pytest

from fakestore import Dialect, FakeStore, UnsupportedRequest, fake_store
from tests.support.cases import each
from tests.support.forms import FORM_TYPE, form_body
from tests.support.operations import Operation, operations
from tests.support.wire import outcome, send

decision = pytest.mark.decision

MD5_OF_NOTHING = "1B2M2Y8AsgTpgAmY7PhCfg=="
FORM = "POST Object"
#: All operations except preflights, which any header may accompany.
OPERATIONS = [each for each in operations() if each.method != "OPTIONS"]
EVERY = {each.name for each in OPERATIONS}
BODIES = {each.name for each in OPERATIONS if each.has_body}


def message_of(store: FakeStore, operation: Operation, headers: dict[str, str]) -> str | None:
    """Send a request for the operation, and return the message with which it is refused as unsupported."""
    is_form = operation.name == FORM
    query = "&".join(name if value is None else f"{name}={value}" for name, value in operation.query.items())
    target = f"{'/cat.jpg' if operation.scope == 'object' else '/'}?{query}".rstrip("?")
    body = form_body({"key": "new.jpg"}) if is_form else b"<x/>" if operation.has_body else b""
    fields = {
        "Content-Type": FORM_TYPE,
        "Authorization": None if is_form else f"AWS {store.default_account.access_key_id}:signature",
        **operation.headers("x-amz-"),
        **headers,
    }
    try:
        send(store, operation.method, None if operation.scope == "service" else "photos", target, fields, body)
    except UnsupportedRequest as unsupported:
        store.unhandled_requests.clear()
        return str(unsupported)
    assert store.exchanges[-1].operation == operation.name
    return None


@pytest.fixture
def store():
    store = FakeStore(dialect="s3", base_url="http://objects.test", buckets=["photos"])
    store["photos"].public_access_block = None
    store["photos"].object_ownership = "ObjectWriter"
    store["photos"].acl = "public-read-write"
    for key in ("cat.jpg", "public.jpg"):
        store["photos"].put(key, b"meow", acl="public-read")
    return store


def accepting(store: FakeStore, headers: dict[str, str]) -> set[str]:
    """Return the names of the operations that accept the one header. The others name it."""
    accepted, (named,) = set(), headers
    for operation in OPERATIONS:
        message = message_of(store, operation, headers)
        if message is None:
            accepted.add(operation.name)
        else:
            assert named.lower() in message.lower() or "a form" in message, operation.name
    return accepted


@decision("headers-in-the-wrong-request")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-amz-trailer", "x-amz-checksum-crc32"),
        ("x-amz-decoded-content-length", "4"),
        ("x-amz-expires", "5"),
        ("x-amz-content-sha256", "0"),
        ("Trailer", "x-amz-checksum-crc32"),
    ],
)
@decision("headers-without-an-effect")
def test_header_that_nothing_would_check_is_refused_by_every_operation(store, name, value):
    assert accepting(store, {name: value}) == set()


@decision("content-sha256-values")
@pytest.mark.parametrize("credentials", [None, "AWS {}:signature"], ids=["anonymous", "v2"])
def test_hash_of_a_body_that_is_not_signed_must_be_right(store, credentials):
    authorization = credentials and credentials.format(store.default_account.access_key_id)
    for method, body in [("GET", b""), ("PUT", b"meow"), ("DELETE", b"")]:
        for right in (hashlib.sha256(body).hexdigest().upper(), "UNSIGNED-PAYLOAD"):
            headers = {"x-amz-content-sha256": right, "Authorization": authorization}
            assert send(store, method, "photos", "/cat.jpg", headers, body).status in (200, 204)
            store["photos"].put("cat.jpg", b"meow", acl="public-read")
        with pytest.raises(UnsupportedRequest, match="x-amz-content-sha256"):
            send(store, method, "photos", "/cat.jpg", headers | {"x-amz-content-sha256": "0" * 64}, body)
    assert store["photos"]["cat.jpg"].content == b"meow"
    store.unhandled_requests.clear()


@decision("content-sha256-values")
def test_hash_of_a_body_must_be_right_in_every_dialect_with_its_header():
    dialect = Dialect(header_prefix="x-acme-", common_headers=frozenset({"content-sha256", "date"}))
    store = FakeStore(dialect=dialect, base_url="http://objects.test", buckets=["photos"])
    for wrong in ("0" * 64, "STREAMING-SOMETHING"):
        with pytest.raises(UnsupportedRequest, match="x-acme-content-sha256"):
            send(store, "PUT", "photos", "/cat.jpg", {"x-acme-content-sha256": wrong}, b"meow")


@decision("content-sha256-values")
def test_signed_hash_of_a_missing_body_must_be_right():
    with fake_store(dialect="s3", signatures="verify", buckets=["photos"]) as store:
        for method in ("GET", "DELETE"):
            headers = {"x-amz-content-sha256": "0" * 64}
            reply = store.session().request(method, store.url("photos", "cat.jpg"), headers=headers)
            assert outcome(reply) == (400, "XAmzContentSHA256Mismatch")


@decision("content-sha256-values")
def test_malformed_hash_is_refused_even_if_signatures_are_not_verified():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        reply = store.session().put(store.url("photos", "cat.jpg"), b"meow", headers={"x-amz-content-sha256": "0"})
        assert outcome(reply) == (400, "InvalidArgument")


@decision("content-md5")
def test_content_md5_is_refused_if_nothing_would_check_it(store):
    for wrong in ("bogus", "AAAAAAAAAAAAAAAAAAAAAA=="):
        assert accepting(store, {"Content-MD5": wrong}) == BODIES - {FORM}
    assert accepting(store, {"Content-MD5": MD5_OF_NOTHING}) == EVERY - {FORM}


@decision("checksum-of-any-body")
def test_digest_of_a_missing_body_is_that_of_no_bytes(store):
    for case in each(
        *product(
            [("photos", "/?acl"), ("photos", "/cat.jpg?acl"), ("fresh", "/")],
            [
                ("Content-MD5", "bogus", "InvalidDigest"),
                ("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA==", "BadDigest"),
                ("x-amz-checksum-crc32", "bogus", "InvalidRequest"),
                ("x-amz-checksum-crc32", "AAAABB==", "BadDigest"),
                ("x-amz-sdk-checksum-algorithm", "CRC32", "InvalidRequest"),
                ("Content-MD5", MD5_OF_NOTHING, None),
                ("x-amz-checksum-crc32", "AAAAAA==", None),
            ],
        )
    ):
        with case as ((bucket, target), (header, value, error)):
            reply = send(store, "PUT", bucket, target, {"x-amz-acl": "private", header: value})
            assert outcome(reply)[1] == error, (target, header, value)


@decision("object-headers-without-an-object")
@pytest.mark.parametrize("name", ["Content-Disposition", "Content-Language", "Expires"])
def test_header_of_an_object_is_refused_with_another_body(store, name):
    assert accepting(store, {name: "de"}) == EVERY - BODIES | {"PUT Object"}


@decision("checksum-algorithm-of-a-put")
@pytest.mark.parametrize("name", ["algorithm", "type"])
def test_algorithm_and_type_of_a_checksum_are_for_objects(store, name):
    uploads = {"Complete Multipart Upload"} if name == "type" else {"PUT Object Copy"}
    header = {f"x-amz-checksum-{name}": "SHA256" if name == "algorithm" else "FULL_OBJECT"}
    assert accepting(store, header) == {"PUT Object", "Initiate Multipart Upload", *uploads}


@decision("headers-without-an-effect")
@decision("range")
def test_what_sdks_add_is_ignored_by_every_operation(store):
    for case in each("amz-sdk-invocation-id", "amz-sdk-request", "x-amz-user-agent", "x-amz-security-token"):
        with case as name:
            assert accepting(store, {name: "1"}) == EVERY
    for case in each("Cache-Control", "Range", "X-Amzn-Trace-Id", "Accept", "Origin"):
        with case as name:
            assert accepting(store, {name: "1"}) == EVERY
    assert accepting(store, {"Content-Encoding": "gzip"}) == EVERY - {FORM}
