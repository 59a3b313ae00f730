"""Limits (specification, section 8): lowered ones with small bodies, those of the document with sparse content."""

from __future__ import annotations

import base64
import hashlib
import tracemalloc

import pytest

from fakestore import Limits, SparseContent, UnsupportedRequest
from tests.support.cases import each
from tests.support.state import stack, state_of
from tests.support.wire import etag_of, outcome, send

statement = pytest.mark.statement
decision = pytest.mark.decision

KIB, MIB, GIB, TIB = 1024, 1024**2, 1024**3, 1024**4
#: Sparse content has its MD5 as the entity tag up to this size.
HASHED = 64 * MIB


# -- the size of an object


@statement("8-01")
def test_object_of_5_tib_is_stored_and_one_byte_more_refused(store):
    assert send(store, "PUT", "photos", "/huge", body=SparseContent(5 * TIB)).status == 200
    assert send(store, "HEAD", "photos", "/huge").headers["Content-Length"] == str(5 * TIB)
    before = state_of(store)
    answer = send(store, "PUT", "photos", "/huge", body=SparseContent(5 * TIB + 1))
    assert outcome(answer) == (400, "EntityTooLarge")
    assert state_of(store) == before


@statement("8-01")
@decision("content-length")
def test_announced_length_over_the_limit_is_refused(store):
    for length in [str(5 * TIB + 1), "9" * 19, "9" * 4000]:
        answer = send(store, "PUT", "photos", "/huge", {"Content-Length": length}, b"meow")
        assert outcome(answer) == (400, "EntityTooLarge")
        assert list(store["photos"]) == []


@pytest.mark.fakestore(limits=Limits(object_size=4))
@statement("8-01")
def test_lowered_object_size_applies_to_a_small_body(store):
    assert send(store, "PUT", "photos", "/cat.jpg", body=b"meow").status == 200
    assert outcome(send(store, "PUT", "photos", "/cat.jpg", body=b"meow!")) == (400, "EntityTooLarge")
    assert stack(store, "photos", "cat.jpg") == [b"meow"]


@pytest.mark.fakestore(dialect="s3", limits=Limits(object_size=4))
def test_lowered_object_size_applies_to_a_put_in_s3(store):
    assert outcome(send(store, "PUT", "photos", "/cat.jpg", body=b"meow!")) == (400, "EntityTooLarge")
    assert list(store["photos"]) == []


# -- the size of a copy


@statement("8-02")
@pytest.mark.parametrize(("size", "error"), [(5 * GIB, None), (5 * GIB + 1, "InvalidRequest")])
def test_object_of_5_gib_is_copied_and_one_byte_more_refused(store, size, error):
    store["photos"].put("huge", SparseContent(size))
    send(store, "PUT", "photos", "/copy", {"x-svc-copy-source": "/photos/huge"})
    assert store.exchanges[-1].error_code == error
    assert list(store["photos"]) == (["huge"] if error else ["copy", "huge"])


@pytest.mark.fakestore(limits=Limits(copy_size=4))
@statement("8-02")
@pytest.mark.parametrize(("content", "status"), [(b"meow", 200), (b"meow!", 400)])
def test_lowered_copy_size_applies_to_a_small_object(store, content, status):
    store["photos"].put("cat.jpg", content)
    assert send(store, "PUT", "photos", "/copy", {"x-svc-copy-source": "/photos/cat.jpg"}).status == status
    assert stack(store, "photos", "copy") == ([content] if status == 200 else [])


# -- the header section


def put_with_section_of(store, size, *fields):
    """Send a PUT whose header section has `size` bytes: names, values, and four bytes for each line."""
    key = store.default_account.access_key_id
    fields = [
        ("Host", "photos.objects.test"),
        ("Content-Length", "4"),
        ("Date", "Sat, 21 Nov 2026 12:00:00 GMT"),
        ("Authorization", f"SVC {key}:signature"),
        *fields,
    ]
    filler = size - sum(len(f"{name}: {value}\r\n") for name, value in fields) - len("X-Filler: \r\n")
    sent = [*fields, ("X-Filler", "a" * filler)]
    replies = [send(store, "PUT", "photos", "/cat.jpg", each, b"meow") for each in (sent[1:], sent)]
    assert replies[0].status == replies[1].status  # the Host header counts, also if the request was made without it
    return replies[1]


@statement("8-03", "4.1-27")
@decision("header-section")
@pytest.mark.parametrize(
    "fields",
    [[], [("x-svc-meta-a", "a" * 500), ("X-Two", "b" * 500)], [("x-svc-meta-a", "1")] * 20, [("X-Blank", "  \t 1 ")]],
    ids=["plain", "long lines", "one name often", "blanks"],
)
def test_header_section_of_8_kib_is_accepted_and_one_byte_more_refused(store, noon, fields):
    assert put_with_section_of(store, 8 * KIB, *fields).status == 200
    before = state_of(store)
    answer = put_with_section_of(store, 8 * KIB + 1, *fields)
    assert outcome(answer) == (400, "RequestHeaderSectionTooLarge")
    assert state_of(store) == before


@pytest.mark.fakestore(limits=Limits(header_section=400))
@statement("8-03")
def test_lowered_header_section_applies_to_a_short_one(store, noon):
    assert put_with_section_of(store, 400).status == 200
    assert outcome(put_with_section_of(store, 401)) == (400, "RequestHeaderSectionTooLarge")


@statement("8-03")
def test_header_section_of_a_get_is_not_limited(store):
    store["photos"].put("cat.jpg", b"meow")
    assert send(store, "GET", "photos", "/cat.jpg?acl", {"Cookie": "a" * 9 * KIB}).status == 200


# -- user metadata


def put_with_metadata(store, *metadata):
    return send(store, "PUT", "photos", "/cat.jpg", [(f"x-svc-meta-{name}", value) for name, value in metadata])


@statement("8-04", "4.1-28", "4.1-29")
@decision("user-metadata")
@pytest.mark.parametrize(
    "metadata",
    [
        [("name", "b" * 2044)],
        [("a", "b" * 1000), ("c", "d" * 1046)],
        [("a" * 2048, "")],
        [(f"{number:04}", "abcd") for number in range(256)],
    ],
    ids=["one", "two", "a name only", "256"],
)
def test_metadata_of_2_kib_is_accepted_and_one_byte_more_refused(store, metadata):
    assert put_with_metadata(store, *metadata).status == 200
    stored = store["photos"]["cat.jpg"]
    assert dict(stored.metadata) == dict(metadata)
    (name, value), *others = metadata
    for more in ((name + "x", value), (name, value + "x")):
        assert put_with_metadata(store, more, *others).status == 400
    assert store["photos"].versions() == [stored]


LATIN_1, UTF_8 = "é", "é".encode().decode("latin-1")


@statement("4.1-30")
@decision("user-metadata")
@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        (LATIN_1 * 1023 + "x", True),
        (LATIN_1 * 1024, False),
        (UTF_8 * 1023 + "x", True),
        (UTF_8 * 1024, False),
        ("猫".encode().decode("latin-1") * 682 + "x", True),
        ("猫".encode().decode("latin-1") * 682 + "xx", False),
    ],
    ids=["latin-1 2047", "latin-1 2048", "UTF-8 2047", "UTF-8 2048", "of three 2047", "of three 2048"],
)
def test_metadata_is_counted_in_bytes_of_utf_8(store, value, accepted):
    send(store, "PUT", "photos", "/cat.jpg", {"x-svc-meta-a": value})
    assert store.exchanges[-1].error_code == (None if accepted else "MetadataTooLarge")
    if accepted:
        assert store["photos"].put("other", metadata={"a": value}).metadata == store["photos"]["cat.jpg"].metadata
    else:
        with pytest.raises(ValueError, match="metadata"):
            store["photos"].put("other", metadata={"a": value})


@pytest.mark.fakestore(limits=Limits(metadata=10))
@statement("8-04")
def test_lowered_metadata_limit_applies_without_outer_blanks(store):
    assert put_with_metadata(store, ("abcd", "  efghij ")).status == 200
    assert outcome(put_with_metadata(store, ("abcd", "efghijk"))) == (400, "MetadataTooLarge")


# -- sparse content


@decision("large-sparse-content")
def test_sparse_content_has_its_md5_up_to_64_mib(store):
    zeros = hashlib.md5()
    for _ in range(HASHED // MIB):
        zeros.update(bytes(MIB))
    most, more = (store["photos"].put(str(size), SparseContent(size)) for size in (HASHED, HASHED + 1))
    assert most.etag == f'"{zeros.hexdigest()}"'
    digits, _, parts = more.etag.strip('"').partition("-")
    assert (len(digits), parts) == (32, "2")
    md5 = {"Content-MD5": base64.b64encode(zeros.digest()).decode()}
    assert send(store, "PUT", "photos", f"/{HASHED}", md5, SparseContent(HASHED)).headers["ETag"] == most.etag
    assert outcome(send(store, "PUT", "photos", "/k", md5, SparseContent(10))) == (400, "BadDigest")
    with pytest.raises(UnsupportedRequest, match="MD5 of sparse content"):
        send(store, "PUT", "photos", f"/{HASHED + 1}", md5, SparseContent(HASHED + 1))
    store.unhandled_requests.clear()
    assert store["photos"][str(HASHED + 1)] == more


def test_sparse_content_reads_as_zeros():
    for case in each(0, 1, MIB, MIB + 1):
        with case as size:
            content = SparseContent(size)
            assert (len(content), bytes(content), b"".join(content)) == (size, bytes(size), bytes(size))
    for size in (-1, 2**63):
        with pytest.raises(ValueError, match=f"{size:,}"):
            SparseContent(size)


def test_sparse_content_sent_by_requests_has_the_etag_of_zeros(store, session):
    answer = session.put(store.url("photos", "zeros"), data=SparseContent(1_000_000))
    assert answer.headers["ETag"] == etag_of(bytes(1_000_000))


@pytest.mark.parametrize(
    ("requested", "content", "answered"),
    [
        (f"bytes={4 * TIB}-{4 * TIB + 9}", bytes(10), f"bytes {4 * TIB}-{4 * TIB + 9}/{5 * TIB}"),
        ("bytes=-3", bytes(3), f"bytes {5 * TIB - 3}-{5 * TIB - 1}/{5 * TIB}"),
    ],
    ids=["inside", "last bytes"],
)
def test_range_of_sparse_content_is_read(store, session, requested, content, answered):
    store["photos"].put("huge", SparseContent(5 * TIB))
    answer = session.get(store.url("photos", "huge"), headers={"Range": requested})
    assert (answer.status_code, answer.content, answer.headers["Content-Range"]) == (206, content, answered)


def test_sparse_content_is_never_in_memory_as_a_whole(store, session):
    session.head(store.url("photos", "warm up"))
    tracemalloc.start()
    try:
        session.put(store.url("photos", "huge"), data=SparseContent(5 * TIB))
        session.put(store.url("photos", "large"), data=SparseContent(5 * GIB))
        session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/large"})
        with session.get(store.url("photos", "huge"), stream=True) as answer:
            chunks = answer.iter_content(MIB)
            assert all(next(chunks) == bytes(MIB) for _ in range(32))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * MIB


def test_streamed_sparse_content_ends_with_its_last_byte(store, session):
    store["photos"].put("large", SparseContent(3 * MIB + 1))
    with session.get(store.url("photos", "large"), stream=True) as answer:
        assert sum(len(chunk) for chunk in answer.iter_content(MIB)) == 3 * MIB + 1
