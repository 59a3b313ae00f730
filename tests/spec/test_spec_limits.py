"""Limits (specification, section 8): reached by small bodies where they are lowered, at full size by sparse ones."""

from __future__ import annotations

import base64
import hashlib
import tracemalloc

import pytest

from fakestore import Limits, SparseContent, UnsupportedRequest
from tests.spec.arrange import etag_of, holdings, own_headers, put_fields, refusal, stack, wire

statement = pytest.mark.statement

KIB, GIB, TIB = 1024, 1024**3, 1024**4


# -- the size of an object


@statement("8-01")
def test_an_object_of_5_tb_is_stored_through_requests(store, session):
    assert session.put(store.url("photos", "huge"), data=SparseContent(5 * TIB)).status_code == 200
    assert session.head(store.url("photos", "huge")).headers["Content-Length"] == str(5 * TIB)


@statement("8-01")
def test_an_object_of_one_byte_more_than_5_tb_is_refused(store, session):
    store["photos"].put("huge", b"older")
    before = holdings(store)
    answer = session.put(store.url("photos", "huge"), data=SparseContent(5 * TIB + 1))
    assert refusal(answer) == (400, "EntityTooLarge")
    assert holdings(store) == before


@statement("8-01")
@pytest.mark.parametrize("length", [str(5 * TIB + 1), "9" * 18, "9" * 19, "9" * 4000])
def test_a_length_over_the_limit_is_refused_on_its_announcement(store, length):
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/huge", [("Content-Length", length)], b"meow")
    assert refusal(answer) == (400, "EntityTooLarge")
    assert holdings(store) == before


@pytest.mark.fakestore(limits=Limits(object_size=4))
@statement("8-01")
def test_a_lowered_limit_of_an_object_is_reached_by_a_small_body(store, session):
    assert session.put(store.url("photos", "cat.jpg"), data=b"meow").status_code == 200
    assert refusal(session.put(store.url("photos", "cat.jpg"), data=b"meow!")) == (400, "EntityTooLarge")
    assert stack(store, "photos", "cat.jpg") == [b"meow"]


# -- the size of a copy


@statement("8-02")
def test_an_object_of_5_gb_is_copied(store, session):
    store["photos"].put("huge", SparseContent(5 * GIB))
    answer = session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/huge"})
    assert answer.status_code == 200
    assert store["photos"]["copy"].content == SparseContent(5 * GIB)


@statement("8-02")
@pytest.mark.parametrize("size", [5 * GIB + 1, 6 * GIB])
def test_an_object_of_more_than_5_gb_is_not_copied(store, session, size):
    store["photos"].put("huge", SparseContent(size))
    before = holdings(store)
    answer = session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/huge"})
    assert refusal(answer) == (400, "InvalidRequest")
    assert holdings(store) == before


@pytest.mark.fakestore(limits=Limits(copy_size=4))
@statement("8-02")
@pytest.mark.parametrize(("content", "status"), [(b"meow", 200), (b"meow!", 400)])
def test_a_lowered_limit_of_a_copy_is_reached_by_a_small_object(store, session, content, status):
    store["photos"].put("cat.jpg", content)
    answer = session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/cat.jpg"})
    assert answer.status_code == status
    assert stack(store, "photos", "copy") == ([content] if status == 200 else [])


# -- the header section


def put_with_section_of(store, size, *fields):
    """A PUT whose headers have ``size`` bytes: names, values, and four bytes for each line's punctuation."""
    fields = [*put_fields(b"meow"), *fields]
    key = store.default_account.access_key_id
    standing = [*fields, ("Host", "photos.objects.test"), ("Authorization", f"SVC {key}:signature")]
    standing.append(("Date", "Sat, 21 Nov 2026 12:00:00 GMT"))
    filler = size - sum(len(name) + len(value) + 4 for name, value in standing) - len("X-Filler") - 4
    return wire(store, "PUT", "photos", "/cat.jpg", [*fields, ("X-Filler", "a" * filler)], b"meow")


@statement("8-03", "4.1-27")
def test_a_header_section_of_8_kb_is_taken(store, noon):
    assert put_with_section_of(store, 8 * KIB).status == 200


@statement("8-03", "4.1-27")
def test_a_header_section_of_one_byte_more_is_refused(store, noon):
    before = holdings(store)
    assert refusal(put_with_section_of(store, 8 * KIB + 1)) == (400, "RequestHeaderSectionTooLarge")
    assert holdings(store) == before


@statement("8-03")
def test_every_header_counts_whatever_its_name(store, noon):
    others = [("x-svc-meta-a", "a" * 500), ("X-Two", "b" * 500)]
    assert put_with_section_of(store, 8 * KIB, *others).status == 200
    assert put_with_section_of(store, 8 * KIB + 1, *others).status == 400


@pytest.mark.fakestore(limits=Limits(header_section=400))
@statement("8-03")
def test_a_lowered_limit_of_the_header_section_is_reached_by_a_short_one(store, noon):
    assert put_with_section_of(store, 400).status == 200
    assert refusal(put_with_section_of(store, 401)) == (400, "RequestHeaderSectionTooLarge")


@statement("8-03")
def test_a_get_has_no_limit_of_its_header_section(store):
    store["photos"].put("cat.jpg", b"meow")
    assert wire(store, "GET", "photos", "/cat.jpg?acl", [("Cookie", "a" * 9 * KIB)]).status == 200


# -- user metadata


def put_with_metadata(store, *metadata):
    fields = [(f"x-svc-meta-{name}", value) for name, value in metadata]
    return wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"", *fields))


@statement("8-04", "4.1-28", "4.1-29")
@pytest.mark.parametrize(
    "metadata",
    [
        [("a", "b" * 2047)],
        [("name", "b" * 2044)],
        [("a" * 1024, "b" * 1024)],
        [("a", "b" * 1000), ("c", "d" * 1046)],
        [("a" * 2048, "")],
    ],
)
def test_user_metadata_of_2_kb_is_taken_and_one_byte_more_is_refused(store, metadata):
    assert put_with_metadata(store, *metadata).status == 200
    stored = store["photos"]["cat.jpg"]
    assert dict(stored.metadata) == dict(metadata)
    (name, value), *others = metadata
    for more in ((name + "x", value), (name, value + "x")):
        assert refusal(put_with_metadata(store, more, *others)) == (400, "MetadataTooLarge")
    assert store["photos"].versions() == [stored]


@statement("4.1-30")
@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("é" * 1023 + "x", 200),
        ("é" * 1024, 400),
        ("é".encode().decode("latin-1") * 1023 + "x", 200),
        ("é".encode().decode("latin-1") * 1024, 400),
        ("猫".encode().decode("latin-1") * 682 + "x", 200),
        ("猫".encode().decode("latin-1") * 682 + "xx", 400),
    ],
    ids=["latin-1 2047", "latin-1 2048", "UTF-8 of two 2047", "UTF-8 of two 2048", "of three 2047", "of three 2048"],
)
def test_user_metadata_is_measured_in_bytes_of_utf_8(store, value, status):
    assert put_with_metadata(store, ("a", value)).status == status


@statement("4.1-29")
def test_the_prefix_of_the_names_is_not_measured(store):
    metadata = [(f"{number:04}", "abcd") for number in range(256)]
    metadata_bytes = sum(len(name) + len(value) for name, value in metadata)
    assert metadata_bytes == 2 * KIB
    assert put_with_metadata(store, *metadata).status == 200


@pytest.mark.fakestore(limits=Limits(metadata=10))
@statement("8-04")
def test_a_lowered_limit_of_user_metadata_is_reached_by_a_short_one(store):
    assert put_with_metadata(store, ("abcd", "efghij")).status == 200
    assert refusal(put_with_metadata(store, ("abcd", "efghijk"))) == (400, "MetadataTooLarge")


# -- sparse content


def test_sparse_content_has_the_entity_tag_of_zeros_up_to_64_mib_and_a_multipart_one_above(store, session):
    small, large = (store["photos"].put(str(size), SparseContent(size)) for size in (1_000_000, 64 * 1024**2 + 1))
    assert small.etag == etag_of(bytes(1_000_000))
    digits, _, parts = large.etag.strip('"').partition("-")
    assert (len(digits), parts) == (32, "2")
    answer = session.put(store.url("photos", "zeros"), data=SparseContent(1_000_000))
    assert own_headers(answer) == {"content-length": "0", "etag": etag_of(bytes(1_000_000))}


def test_the_md5_of_sparse_content_is_computed_up_to_its_limit_and_not_a_byte_further(store, session):
    zeros = hashlib.md5()
    for _ in range(64):
        zeros.update(bytes(1024 * KIB))
    most = store["photos"].put("most", SparseContent(64 * 1024**2))
    more = store["photos"].put("more", SparseContent(64 * 1024**2 + 1))
    assert (most.etag, more.etag[-3:]) == (f'"{zeros.hexdigest()}"', '-2"')
    headers = {"Content-MD5": base64.b64encode(zeros.digest()).decode()}
    answer = session.put(store.url("photos", "most"), data=SparseContent(64 * 1024**2), headers=headers)
    assert answer.headers["ETag"] == most.etag
    with pytest.raises(UnsupportedRequest, match="the MD5 of sparse content over 67,108,864 bytes is not computed"):
        session.put(store.url("photos", "more"), data=SparseContent(64 * 1024**2 + 1), headers=headers)
    store.unhandled_requests.clear()
    assert store["photos"]["more"] == more


def test_ranges_of_sparse_content_are_read(store, session):
    store["photos"].put("huge", SparseContent(5 * TIB))
    answer = session.get(store.url("photos", "huge"), headers={"Range": f"bytes={4 * TIB}-{4 * TIB + 9}"})
    assert (answer.status_code, answer.content) == (206, bytes(10))
    assert answer.headers["Content-Range"] == f"bytes {4 * TIB}-{4 * TIB + 9}/{5 * TIB}"


def test_the_last_bytes_of_sparse_content_are_read(store, session):
    store["photos"].put("huge", SparseContent(5 * TIB))
    answer = session.get(store.url("photos", "huge"), headers={"Range": "bytes=-3"})
    assert (answer.content, answer.headers["Content-Range"]) == (
        bytes(3),
        f"bytes {5 * TIB - 3}-{5 * TIB - 1}/{5 * TIB}",
    )


def test_putting_and_streaming_sparse_content_never_holds_the_whole(store, session):
    session.head(store.url("photos", "warm up"))
    tracemalloc.start()
    try:
        session.put(store.url("photos", "huge"), data=SparseContent(5 * TIB))
        session.put(store.url("photos", "large"), data=SparseContent(5 * GIB))
        session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/large"})
        with session.get(store.url("photos", "huge"), stream=True) as answer:
            chunks = answer.iter_content(1024 * KIB)
            assert [next(chunks) == bytes(1024 * KIB) for _ in range(32)] == [True] * 32
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * 1024 * KIB


def test_a_streamed_read_of_sparse_content_ends_with_its_last_byte(store, session):
    store["photos"].put("large", SparseContent(3 * 1024 * KIB + 1))
    with session.get(store.url("photos", "large"), stream=True) as answer:
        assert sum(len(chunk) for chunk in answer.iter_content(1024 * KIB)) == 3 * 1024 * KIB + 1
