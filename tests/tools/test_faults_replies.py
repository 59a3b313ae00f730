"""Replies that a fault damages, or that are an error of the service."""

from __future__ import annotations

import pytest
import requests

from fakestore import SparseContent, UnsupportedRequest, faults

KEY = "cat.jpg"


def copy(store, session=None):
    source = {"x-svc-copy-source": f"/photos/{KEY}"}
    return (session or store.session()).put(store.url("photos", "copy.jpg"), headers=source)


def test_reading_a_cut_reply_raises(fakestore, photos):
    fakestore.fail("GET Object", faults.TruncatedBody(10))
    answer = fakestore.session().get(fakestore.url("photos", KEY), stream=True)
    assert (answer.status_code, answer.headers["Content-Length"]) == (200, "100")
    with pytest.raises(requests.exceptions.ChunkedEncodingError, match="IncompleteRead"):
        _ = answer.content


def test_what_comes_before_the_cut_can_be_read(fakestore, photos):
    fakestore.fail("GET Object", faults.TruncatedBody(9))
    answer = fakestore.session().get(fakestore.url("photos", KEY), stream=True)
    assert next(answer.iter_content(9)) == b"only this"


def test_a_cut_reply_without_stream_raises_at_once(fakestore, photos):
    fakestore.fail("GET Object", faults.TruncatedBody(10))
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        fakestore.session().get(fakestore.url("photos", KEY))


def test_a_cut_of_a_chunked_copy_reply_raises(fakestore, photos):
    fakestore.fail("PUT Object Copy", faults.TruncatedBody(30))
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        copy(fakestore)
    assert "copy.jpg" in photos


def test_a_cut_of_a_copy_reply_before_its_first_byte_raises(fakestore, photos):
    fakestore.fail("PUT Object Copy", faults.TruncatedBody(0))
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        copy(fakestore)


def test_a_cut_behind_the_end_cuts_nothing_and_waits_for_a_longer_body(fakestore, photos):
    photos.put("longer", bytes(101))
    fakestore.fail("GET Object", faults.TruncatedBody(100))
    assert len(fakestore.session().get(fakestore.url("photos", KEY)).content) == 100
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        fakestore.session().get(fakestore.url("photos", "longer"))


def test_a_cut_of_sparse_content_takes_no_memory(fakestore, photos):
    photos.put("huge", SparseContent(2**40))
    fakestore.fail("GET Object", faults.TruncatedBody(2**39))
    answer = fakestore.session().get(fakestore.url("photos", "huge"), stream=True)
    assert answer.raw.read(5) == b"\0" * 5


def test_a_cut_of_a_head_reply_cuts_nothing(fakestore, photos):
    fakestore.fail("HEAD Object", faults.TruncatedBody(0), times=None)
    answer = fakestore.session().head(fakestore.url("photos", KEY))
    assert (answer.status_code, answer.headers["Content-Length"]) == (200, "100")


def test_a_corrupted_body_keeps_its_length_and_entity_tag(fakestore, photos):
    url = fakestore.url("photos", KEY)
    whole = fakestore.session().get(url)
    fakestore.fail("GET Object", faults.CorruptedBody())
    corrupted = fakestore.session().get(url)
    assert corrupted.content[1:] == whole.content[1:]
    assert corrupted.content[0] != whole.content[0]
    assert [corrupted.headers[name] for name in ("ETag", "Content-Length")] == [
        whole.headers[name] for name in ("ETag", "Content-Length")
    ]


def test_a_corrupted_body_leaves_what_is_stored_as_it_is(fakestore, photos):
    fakestore.fail("GET Object", faults.CorruptedBody())
    fakestore.session().get(fakestore.url("photos", KEY))
    assert photos[KEY].content.startswith(b"only this")


def test_an_empty_body_cannot_be_corrupted_and_the_fault_waits_for_another(fakestore, photos):
    photos.put("empty")
    fakestore.fail("GET Object", faults.CorruptedBody())
    seen = [fakestore.session().get(fakestore.url("photos", key)).content[:1] for key in ("empty", KEY, KEY)]
    assert seen == [b"", bytes([ord("o") ^ 0xFF]), b"o"]


def test_a_corrupted_body_that_would_take_much_memory_is_not_modelled(fakestore, photos):
    photos.put("huge", SparseContent(2**40))
    fakestore.fail("GET Object", faults.CorruptedBody())
    with pytest.raises(UnsupportedRequest, match="CorruptedBody"):
        fakestore.session().get(fakestore.url("photos", "huge"))
    fakestore.unhandled_requests.clear()


# -- errors of the service


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (faults.ServiceError("SlowDown"), 503, "SlowDown"),
        (faults.ServiceError("InternalError"), 500, "InternalError"),
        (faults.ServiceError("InternalError", status=599), 599, "InternalError"),
        (faults.ServiceError("OurOwn", status=418, message="short and stout"), 418, "OurOwn"),
    ],
)
def test_a_service_error_is_an_error_document_and_nothing_is_stored(fakestore, photos, fault, status, code):
    fakestore.fail("PUT Object", fault)
    answer = fakestore.session().put(fakestore.url("photos", "new"), data=b"meow")
    assert (answer.status_code, f"<Code>{code}</Code>" in answer.text, "new" in photos) == (status, True, False)


def test_the_message_of_a_service_error_may_be_ones_own(fakestore, photos):
    fakestore.fail("GET Object", faults.ServiceError("SlowDown", message="not so fast"))
    assert "<Message>not so fast</Message>" in fakestore.session().get(fakestore.url("photos", KEY)).text


def test_a_service_error_may_ask_the_client_to_come_again_later(fakestore, photos):
    fakestore.fail("GET Object", faults.ServiceError("SlowDown", retry_after=7))
    assert fakestore.session().get(fakestore.url("photos", KEY)).headers["Retry-After"] == "7"


def test_a_service_error_needs_no_valid_signature(fakestore, photos):
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"))
    assert requests.get(fakestore.url("photos", KEY)).status_code == 503


def test_an_embedded_error_is_a_200_with_an_error_and_nothing_stored(fakestore, photos):
    fakestore.fail("PUT Object Copy", faults.EmbeddedError("SlowDown", message="half-way"))
    answer = copy(fakestore)
    assert answer.status_code == 200
    assert "<Error><Code>SlowDown</Code><Message>half-way</Message>" in answer.text
    assert "copy.jpg" not in photos


def test_an_embedded_error_is_not_met_by_a_copy_that_is_refused_and_waits_for_another(fakestore, photos):
    fakestore.fail("PUT Object Copy", faults.EmbeddedError())
    answer = fakestore.session().put(fakestore.url("photos", "copy.jpg"), headers={"x-svc-copy-source": "/photos/none"})
    assert (answer.status_code, b"<Error>" in copy(fakestore).content) == (404, True)
