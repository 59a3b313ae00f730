"""Objects (specification, sections 1 and 2.1): an object is stored whole, and read with everything it was put with."""

from __future__ import annotations

import io
import threading

import pytest
import requests

from fakestore import DeleteMarker
from tests.support.cases import each
from tests.support.state import stack, state_of
from tests.support.wire import etag_of, own_headers, send, whole

statement = pytest.mark.statement
decision = pytest.mark.decision


@statement("1-02", "4-03")
def test_same_key_in_two_buckets_is_two_objects(store, session):
    session.put("http://objects.test/cat.jpg", data=b"photo", headers={"Host": "photos.objects.test"})
    session.put(store.url("kept", "cat.jpg"), data=b"another")
    assert (stack(store, "photos", "cat.jpg"), stack(store, "kept", "cat.jpg")) == ([b"photo"], [b"another"])


@statement("4-03")
def test_every_operation_reads_bucket_from_host_and_key_from_path(store, session):
    store["photos"].put("a b", b"source")
    session.put(store.url("photos", "c d"), headers={"x-svc-copy-source": "/photos/a%20b"})
    session.get(store.url("photos", "c d", acl=None))
    session.delete(store.url("photos", "c d"))
    session.put(store.url("photos", "c d"), data=b"new")
    assert [(call.operation, call.bucket, call.key, call.status) for call in store.exchanges] == [
        ("PUT Object Copy", "photos", "c d", 200),
        ("GET Object ACL", "photos", "c d", 200),
        ("DELETE Object", "photos", "c d", 204),
        ("PUT Object", "photos", "c d", 200),
    ]


@statement("1-07")
def test_acl_subresource_is_not_the_content(store, session):
    store["photos"].put("cat.jpg", b"meow")
    content = session.get(store.url("photos", "cat.jpg", acl=None)).content
    assert b"<AccessControlPolicy>" in content
    assert b"meow" not in content


class SlowFile(io.BytesIO):
    """A file whose `read` returns at most three bytes."""

    def read(self, size=-1):
        return super().read(min(size, 3) if size > 0 else 3)


@statement("1-08", "2.1-02")
def test_success_means_that_every_byte_is_stored(store, session):
    content = bytes(range(256)) * 10 + b"\r\n--x\r\n\x00"
    for case in each(bytes, io.BytesIO, SlowFile):
        with case as kind:
            assert session.put(store.url("photos", "cat.jpg"), data=kind(content)).status_code == 200
            assert session.get(store.url("photos", "cat.jpg")).content == content


WRONG_MD5 = {"Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="}
PARTIAL = {
    "ends early": (lambda: b"me", {"Content-Length": "4"}),
    "iterator that ends early": (lambda: iter([b"me"]), {"Content-Length": "4"}),
    "more than announced": (lambda: b"meow!", {"Content-Length": "4"}),
    "iterator of more than announced": (lambda: iter([b"me", b"ow!"]), {"Content-Length": "4"}),
    "file with another digest": (lambda: io.BytesIO(b"meow"), WRONG_MD5),
}


@statement("1-09", "1-10")
@decision("content-length")
@pytest.mark.parametrize("how", PARTIAL)
def test_partial_body_changes_nothing(store, session, how):
    body, headers = PARTIAL[how]
    for bucket in ("photos", "kept", "paused"):
        store[bucket].put("cat.jpg", b"older", metadata={"by": "ada"})
        before = state_of(store)
        for key in ("cat.jpg", "new.jpg"):
            request = session.prepare_request(requests.Request("PUT", store.url(bucket, key), data=body()))
            request.headers.update(headers)
            assert (bucket, key, session.send(request).status_code) == (bucket, key, 400)
        assert state_of(store) == before


@statement("1-09", "1-10")
@pytest.mark.parametrize(
    ("error", "raised"),
    [(RuntimeError("the disk failed"), RuntimeError), (ConnectionResetError(104, "reset"), requests.ConnectionError)],
    ids=["of the client", "of the connection"],
)
def test_error_while_the_body_is_read_changes_nothing(store, session, error, raised):
    def body():
        yield b"me"
        raise error

    store["kept"].put("cat.jpg", b"older")
    before = state_of(store)
    for key in ("cat.jpg", "new.jpg"):
        with pytest.raises(raised):
            session.put(store.url("kept", key), data=body(), headers={"Content-Length": "4"})
    assert state_of(store) == before


# -- concurrency


@statement("1-11", "1-13", "1-14", "3-07")
@pytest.mark.parametrize(
    ("bucket", "left"), [("photos", [b"meow"]), ("paused", [b"meow"]), ("kept", [b"meow", b"another"])]
)
def test_writer_does_not_block_others_while_its_body_arrives(store, session, bucket, left):
    statuses = []

    def put_another():
        with store.session() as other:
            statuses.append(other.put(store.url(bucket, "cat.jpg"), data=b"another").status_code)

    def slow():
        yield b"me"
        other = threading.Thread(target=put_another, daemon=True)
        other.start()
        other.join(timeout=10)
        yield b"ow"

    answer = session.put(store.url(bucket, "cat.jpg"), data=slow(), headers={"Content-Length": "4"})
    assert ([answer.status_code, *statuses], stack(store, bucket, "cat.jpg")) == ([200, 200], left)


# -- what is stored with an object

DESCRIBED = {
    "Content-Type": "image/jpeg; q=1",
    "Cache-Control": "max-age=60, public",
    "Content-Disposition": 'attachment; filename="cat (1).jpg"',
    "Content-Encoding": "gzip, br",
    "Content-Language": "de, en",
    "Expires": "86400000",
    "x-svc-meta-camera": "X100",
    "x-svc-meta-place": "by the stove; 2nd floor",
}


@statement("2.1-03", "2.1-05", "2.1-06", "2.1-07", "2.1-08", "2.1-09", "2.1-11")
@statement("4.1-09", "4.1-11", "4.1-12", "4.1-13", "4.1-14", "4.1-26")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_read_returns_every_header_the_object_was_put_with(store, session, noon, method):
    session.put(store.url("photos", "cat.jpg"), data=b"\x1f\x8b", headers=DESCRIBED)
    answer = session.request(method, store.url("photos", "cat.jpg"), stream=True)
    assert own_headers(answer) == {
        "accept-ranges": "bytes",
        "content-length": "2",
        "etag": etag_of(b"\x1f\x8b"),
        "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT",
    } | {name.lower(): value for name, value in DESCRIBED.items()}


@statement("2.1-04", "2.1-05", "2.1-06", "2.1-07", "2.1-08", "2.1-09", "2.1-10", "2.1-12", "2.1-16", "4.1-10", "4.1-35")
def test_plain_put_resets_everything_to_the_defaults(store, session, noon):
    headers = DESCRIBED | {"x-svc-storage-class": "REDUCED_REDUNDANCY", "x-svc-server-side-encryption": "AES256"}
    session.put(store.url("photos", "cat.jpg"), data=b"1", headers=headers)
    session.put(store.url("photos", "cat.jpg"), data=b"meow")
    assert whole(session.get(store.url("photos", "cat.jpg"))) == (
        200,
        {
            "accept-ranges": "bytes",
            "content-length": "4",
            "content-type": "binary/octet-stream",
            "etag": etag_of(b"meow"),
            "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT",
        },
        b"meow",
    )


@statement("2.1-11")
@decision("user-metadata", "blanks-around-values")
@pytest.mark.parametrize("blanks", ["", "  ", "\t "])
def test_metadata_names_are_lower_case_and_values_lose_outer_blanks(store, blanks):
    headers = {"X-Svc-Meta-Camera_Model": f"{blanks}X100  V{blanks}", "x-svc-meta-empty": blanks}
    send(store, "PUT", "photos", "/cat.jpg", headers)
    assert dict(store["photos"]["cat.jpg"].metadata) == {"camera_model": "X100  V", "empty": ""}


@statement("2.1-19")
def test_last_modified_is_the_http_date_of_the_last_write(store, session, noon):
    for body in (b"1", b"2"):
        session.put(store.url("photos", "cat.jpg"), data=body)
        noon.tick(90)
    answer = session.head(store.url("photos", "cat.jpg"))
    assert answer.headers["Last-Modified"] == "Sat, 21 Nov 2026 12:01:30 GMT"


@statement("2.1-18", "9-02")
def test_version_id_names_its_version_from_then_on(store, session):
    bodies = [b"1", b"2", b"3"]
    ids = [session.put(store.url("kept", "cat.jpg"), data=body).headers["x-svc-version-id"] for body in bodies]
    assert len(set(ids)) == 3
    answers = [session.get(store.url("kept", "cat.jpg", versionId=version_id)) for version_id in ids]
    assert [each.content for each in answers] == bodies
    assert [each.headers["x-svc-version-id"] for each in answers] == ids


def test_delete_marker_has_no_content_in_python(store):
    store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    assert stack(store, "kept", "cat.jpg") == [DeleteMarker, b"meow"]
    assert [name for name in ("content", "size", "etag", "metadata", "acl") if hasattr(marker, name)] == []
