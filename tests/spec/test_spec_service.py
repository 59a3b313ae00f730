"""The service and its objects: what a stored object is, and that it is whole."""

from __future__ import annotations

import io
import threading

import pytest
import requests

from fakestore import DeleteMarker
from fakestore.model.bucket import BucketRecord
from tests.spec.arrange import etag_of, holdings, own_headers, put_fields, refusal, stack, whole, wire

statement = pytest.mark.statement


@statement("1-01", "1-03", "3-04", "4.1-01")
def test_what_is_put_under_a_path_is_found_under_it(store, session):
    session.put(store.url("photos", "2026/cat.jpg"), data=b"meow")
    assert stack(store, "photos", "2026/cat.jpg") == [b"meow"]
    assert session.get(store.url("photos", "2026/cat.jpg")).content == b"meow"


@statement("1-02", "4-03")
def test_one_key_in_two_buckets_is_two_objects(store, session):
    session.put("http://objects.test/cat.jpg", data=b"photo", headers={"Host": "photos.objects.test"})
    session.put(store.url("kept", "cat.jpg"), data=b"another")
    assert (stack(store, "photos", "cat.jpg"), stack(store, "kept", "cat.jpg")) == ([b"photo"], [b"another"])


@statement("4-03")
def test_every_operation_names_the_bucket_in_host_and_the_key_in_the_path(store, session):
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


@statement("1-04", "3-11")
def test_a_copy_is_a_second_object_and_leaves_the_first(store, session):
    store["photos"].put("a", b"meow")
    session.put(store.url("photos", "b"), headers={"x-svc-copy-source": "/photos/a"})
    assert (stack(store, "photos", "a"), stack(store, "photos", "b")) == ([b"meow"], [b"meow"])


@statement("1-05")
@pytest.mark.parametrize("bucket", ["photos", "kept", "paused"])
def test_a_deleted_object_is_not_found(store, session, bucket):
    store[bucket].put("cat.jpg", b"meow")
    session.delete(store.url(bucket, "cat.jpg"))
    assert refusal(session.get(store.url(bucket, "cat.jpg"))) == (404, "NoSuchKey")


@statement("1-06", "3-23", "4.3-02", "9-03")
def test_a_delete_of_a_version_takes_that_one_alone(store, session):
    first, second, third = (store["kept"].put("cat.jpg", content) for content in (b"1", b"2", b"3"))
    session.delete(store.url("kept", "cat.jpg", versionId=second.version_id))
    assert store["kept"].versions() == [third, first]
    gone = session.get(store.url("kept", "cat.jpg", versionId=second.version_id))
    assert refusal(gone) == (404, "NoSuchVersion")


@statement("1-07")
def test_the_acl_subresource_is_not_the_content(store, session):
    store["photos"].put("cat.jpg", b"meow")
    answer = session.get(store.url("photos", "cat.jpg", acl=None))
    assert (answer.status_code, b"<AccessControlPolicy>" in answer.content, b"meow" in answer.content) == (
        200,
        True,
        False,
    )


@statement("1-08", "2.1-02")
@pytest.mark.parametrize(
    "body",
    [
        b"meow",
        bytes(range(256)) * 1000,
        b"\r\n--x\r\n\x00",
        "text as UTF-8: ünïcödé".encode(),
    ],
)
def test_success_means_that_every_byte_is_stored(store, session, body):
    assert session.put(store.url("photos", "cat.jpg"), data=body).status_code == 200
    assert session.get(store.url("photos", "cat.jpg")).content == body


@statement("1-08")
def test_a_file_is_stored_whole_however_it_is_read(store, session):
    class Dripping(io.BytesIO):
        """A file whose read gives less than was asked for."""

        def read(self, size=-1):
            return super().read(min(size, 3) if size > 0 else 3)

    content = bytes(range(100))
    assert session.put(store.url("photos", "cat.jpg"), data=Dripping(content)).status_code == 200
    assert store["photos"]["cat.jpg"].content == content


def _raising():
    yield b"me"
    raise RuntimeError("the disk failed")


def _ending_early():
    yield b"me"


_PARTIAL = {
    "ends early": (lambda: b"me", {"Content-Length": "4"}),
    "iterator that ends early": (_ending_early, {"Content-Length": "4"}),
    "more than announced": (lambda: b"meow!", {"Content-Length": "4"}),
    "iterator of more than announced": (lambda: iter([b"me", b"ow!"]), {"Content-Length": "4"}),
    "wrong digest": (lambda: b"meow", {"Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="}),
    "wrong digest of a file": (lambda: io.BytesIO(b"meow"), {"Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="}),
}


def _put_partially(session, url, how):
    body, headers = _PARTIAL[how]
    request = session.prepare_request(requests.Request("PUT", url, data=body()))
    request.headers.update(headers)
    return session.send(request)


@statement("1-09")
@pytest.mark.parametrize("how", _PARTIAL)
def test_a_partial_body_leaves_no_object(store, session, how):
    before = holdings(store)
    assert _put_partially(session, store.url("kept", "cat.jpg"), how).status_code == 400
    assert holdings(store) == before


@statement("1-10")
@pytest.mark.parametrize("bucket", ["photos", "kept", "paused"])
@pytest.mark.parametrize("how", _PARTIAL)
def test_a_partial_body_does_not_touch_the_older_object(store, session, bucket, how):
    store[bucket].put("cat.jpg", b"older", metadata={"by": "ada"})
    before = holdings(store)
    assert _put_partially(session, store.url(bucket, "cat.jpg"), how).status_code == 400
    assert holdings(store) == before


@statement("1-09", "1-10")
def test_a_body_that_raises_half_way_changes_nothing_and_its_exception_is_the_clients(store, session):
    store["kept"].put("cat.jpg", b"older")
    before = holdings(store)
    for key in ("cat.jpg", "new.jpg"):
        with pytest.raises(RuntimeError, match="the disk failed"):
            session.put(store.url("kept", key), data=_raising(), headers={"Content-Length": "4"})
    assert holdings(store) == before


@statement("1-10")
def test_a_failed_connection_while_the_body_is_read_changes_nothing(store, session):
    def lost():
        yield b"me"
        raise ConnectionResetError(104, "Connection reset by peer")

    store["kept"].put("cat.jpg", b"older")
    before = holdings(store)
    with pytest.raises(requests.ConnectionError):
        session.put(store.url("kept", "cat.jpg"), data=lost(), headers={"Content-Length": "4"})
    assert holdings(store) == before


# -- concurrency


def _write_at_once(store, bucket, bodies):
    """The statuses of one PUT for each body, all begun together."""
    barrier = threading.Barrier(len(bodies))
    statuses = [0] * len(bodies)

    def write(number):
        with store.session() as session:
            barrier.wait()
            statuses[number] = session.put(store.url(bucket, "cat.jpg"), data=bodies[number]).status_code

    threads = [threading.Thread(target=write, args=(number,)) for number in range(len(bodies))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


@statement("1-11", "1-13", "3-07")
@pytest.mark.parametrize("bucket", ["photos", "paused"])
def test_writers_at_the_same_time_leave_one_whole_object(store, bucket):
    bodies = [bytes([number]) * 50_000 for number in range(8)]
    assert _write_at_once(store, bucket, bodies) == [200] * 8
    (left,) = store[bucket].versions()
    assert left.content in bodies
    assert left.etag == etag_of(left.content)


@statement("1-11", "1-13", "3-07")
@pytest.mark.parametrize("bucket", ["photos", "paused"])
def test_a_writer_whose_body_is_on_its_way_keeps_nobody_out_and_leaves_a_whole_object(store, bucket):
    statuses = _write_while_another_is_on_its_way(store, bucket)
    (left,) = store[bucket].versions()
    assert (statuses, left.content, left.etag) == ([200, 200], b"meow", etag_of(b"meow"))


@statement("1-13", "1-14")
def test_with_versioning_a_writer_whose_body_is_on_its_way_loses_nobodys_version(store):
    assert _write_while_another_is_on_its_way(store, "kept") == [200, 200]
    assert stack(store, "kept", "cat.jpg") == [b"meow", b"another"]


def _write_while_another_is_on_its_way(store, bucket):
    """The statuses of two PUTs: the second is begun and answered in the middle of the first one's body."""
    answers = []

    def write(body, **headers):
        with store.session() as session:
            answers.append(session.put(store.url(bucket, "cat.jpg"), data=body, headers=headers).status_code)

    def slow():
        yield b"me"
        other = threading.Thread(target=write, args=(b"another",), daemon=True)
        other.start()
        other.join(timeout=10)
        yield b"ow"

    write(slow(), **{"Content-Length": "4"})
    return answers


@statement("1-11", "1-14", "3-07")
@pytest.mark.parametrize("bucket", ["photos", "kept", "paused"])
@pytest.mark.parametrize(
    ("change", "headers"),
    [("put", {}), ("put", {"x-svc-copy-source": "/photos/source"}), ("delete", {})],
    ids=["put", "copy", "delete"],
)
def test_nobody_else_is_let_in_while_a_key_is_changed(store, session, monkeypatch, bucket, change, headers):
    store["photos"].put("source", b"meow")
    lock = store._service.lock
    let_in = []

    def knock():
        if lock.acquire(blocking=False):
            let_in.append(change)
            lock.release()

    def changed_under_observation(record, *arguments, **named):
        other = threading.Thread(target=knock)
        other.start()
        other.join()
        return unobserved(record, *arguments, **named)

    unobserved = getattr(BucketRecord, change)
    monkeypatch.setattr(BucketRecord, change, changed_under_observation)
    method = "DELETE" if change == "delete" else "PUT"
    body = None if method == "DELETE" or headers else b"meow"
    answer = session.request(method, store.url(bucket, "cat.jpg"), data=body, headers=headers)
    assert (answer.ok, let_in) == (True, [])


@statement("1-12", "3-07")
@pytest.mark.parametrize("bucket", ["photos", "paused"])
def test_the_last_write_remains(store, session, bucket):
    for body in (b"1", b"2", b"3"):
        session.put(store.url(bucket, "cat.jpg"), data=body)
    assert stack(store, bucket, "cat.jpg") == [b"3"]


@statement("1-14")
def test_with_versioning_writers_at_the_same_time_all_leave_a_version(store):
    bodies = [bytes([number]) * 50_000 for number in range(8)]
    assert _write_at_once(store, "kept", bodies) == [200] * 8
    assert sorted(stack(store, "kept", "cat.jpg")) == bodies


# -- the fields of an object


@statement("2.1-03")
def test_the_size_comes_with_the_content(store, session):
    session.put(store.url("photos", "cat.jpg"), data=b"meow" * 100)
    url = store.url("photos", "cat.jpg")
    assert [session.request(method, url).headers["Content-Length"] for method in ("GET", "HEAD")] == ["400", "400"]


@statement("2.1-04", "2.1-10", "2.1-12", "2.1-16", "4.1-10", "4.1-35")
def test_an_object_put_with_nothing_said_has_the_defaults(store, session, noon):
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
    assert store["photos"]["cat.jpg"].storage_class.value == "STANDARD"


_DESCRIBED = {
    "Content-Type": "image/jpeg; q=1",
    "Cache-Control": "max-age=60, public",
    "Content-Disposition": 'attachment; filename="cat (1).jpg"',
    "Content-Encoding": "gzip, br",
    "Content-Language": "de, en",
    "Expires": "86400000",
    "x-svc-meta-camera": "X100",
    "x-svc-meta-place": "by the stove; 2nd floor",
}


@statement("2.1-05", "2.1-06", "2.1-07", "2.1-08", "2.1-09", "2.1-11")
@statement("4.1-09", "4.1-11", "4.1-12", "4.1-13", "4.1-14", "4.1-26")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_what_describes_an_object_comes_back_when_it_is_read(store, session, noon, method):
    session.put(store.url("photos", "cat.jpg"), data=b"\x1f\x8b", headers=_DESCRIBED)
    answer = session.request(method, store.url("photos", "cat.jpg"), stream=True)
    assert own_headers(answer) == {
        "accept-ranges": "bytes",
        "content-length": "2",
        "etag": etag_of(b"\x1f\x8b"),
        "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT",
    } | {name.lower(): value for name, value in _DESCRIBED.items()}


@statement("2.1-05", "2.1-06", "2.1-07", "2.1-08", "2.1-09")
@pytest.mark.parametrize(
    "name", ["Content-Type", "Cache-Control", "Content-Disposition", "Content-Encoding", "Expires"]
)
def test_a_described_object_put_again_with_nothing_said_loses_the_description(store, session, name):
    session.put(store.url("photos", "cat.jpg"), data=b"1", headers=_DESCRIBED)
    session.put(store.url("photos", "cat.jpg"), data=b"2")
    assert session.get(store.url("photos", "cat.jpg")).headers.get(name) == (
        "binary/octet-stream" if name == "Content-Type" else None
    )


@statement("2.1-11")
def test_names_of_user_metadata_are_lower_case_and_values_as_sent(store, session):
    headers = {"X-Svc-Meta-Camera_Model": "X100  V", "x-svc-meta-empty": ""}
    session.put(store.url("photos", "cat.jpg"), data=b"", headers=headers)
    assert dict(store["photos"]["cat.jpg"].metadata) == {"camera_model": "X100  V", "empty": ""}


@statement("2.1-11")
@pytest.mark.parametrize("value", ["  X100  V", "X100  V  ", "\tX100  V \t"])
def test_blanks_around_a_value_of_user_metadata_are_not_kept(store, session, value):
    wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"", ("x-svc-meta-camera", value)))
    assert dict(store["photos"]["cat.jpg"].metadata) == {"camera": "X100  V"}
    assert session.head(store.url("photos", "cat.jpg")).headers["x-svc-meta-camera"] == "X100  V"


@statement("2.1-13", "2.1-20")
def test_reduced_redundancy_is_kept_and_reads_as_any_other(store, session):
    session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"x-svc-storage-class": "REDUCED_REDUNDANCY"})
    answer = session.get(store.url("photos", "cat.jpg"))
    assert (answer.status_code, answer.content, answer.headers["x-svc-storage-class"]) == (
        200,
        b"meow",
        "REDUCED_REDUNDANCY",
    )


@statement("2.1-19")
def test_last_modified_is_the_http_date_of_the_last_write(store, session, noon):
    session.put(store.url("photos", "cat.jpg"), data=b"1")
    noon.tick(90)
    session.put(store.url("photos", "cat.jpg"), data=b"2")
    noon.tick(90)
    answer = session.head(store.url("photos", "cat.jpg"))
    assert answer.headers["Last-Modified"] == "Sat, 21 Nov 2026 12:01:30 GMT"


@statement("2.1-18", "9-02")
def test_a_version_id_names_its_version_from_then_on(store, session):
    ids = [
        session.put(store.url("kept", "cat.jpg"), data=body).headers["x-svc-version-id"] for body in (b"1", b"2", b"3")
    ]
    assert len(set(ids)) == 3
    answers = [session.get(store.url("kept", "cat.jpg", versionId=version_id)) for version_id in ids]
    assert [(each.content, each.headers["x-svc-version-id"]) for each in answers] == list(
        zip([b"1", b"2", b"3"], ids, strict=True)
    )


def test_a_delete_marker_has_no_content_to_ask_for(store):
    store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    assert stack(store, "kept", "cat.jpg") == [DeleteMarker, b"meow"]
    assert [name for name in ("content", "size", "etag", "metadata", "acl") if hasattr(marker, name)] == []
