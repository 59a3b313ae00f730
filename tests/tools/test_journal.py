"""What was asked and answered."""

from __future__ import annotations

import hashlib
import tracemalloc
from datetime import UTC, datetime

import pytest
import requests
import responses

from fakestore import SparseContent, UnsupportedRequest, fake_store, faults
from fakestore.http import Headers, Request
from fakestore.service.journal import KEPT, KEPT_BODY, BodyDigest, Exchange, Journal


@pytest.fixture
def photos(fakestore):
    return fakestore.create_bucket("photos", versioning="enabled")


def last(store):
    return store.exchanges[-1]


def test_an_exchange_says_who_asked_for_what(fakestore, photos):
    alice = fakestore.create_account("alice")
    photos.acl = "public-read-write"
    fakestore.session(alice).put(fakestore.url("photos", "a b/é"), data=b"meow")
    exchange = last(fakestore)
    assert (exchange.operation, exchange.account, exchange.bucket, exchange.key) == (
        "PUT Object",
        alice,
        "photos",
        "a b/é",
    )


def test_an_exchange_says_what_came_of_it(fakestore, photos):
    fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    exchange = last(fakestore)
    assert (exchange.status, exchange.version_id, exchange.error_code, exchange.explanation, exchange.fault) == (
        200,
        photos["cat.jpg"].version_id,
        None,
        None,
        None,
    )


def test_an_exchange_keeps_the_request_as_it_was_sent(fakestore, photos):
    url = fakestore.url("photos", "a b/é", versionId="null")
    fakestore.session().get(url, headers={"X-Own": "1"})
    request = last(fakestore).request
    assert (request.method, request.url, request.headers.get("x-own"), request.body) == ("GET", url, "1", None)


def test_an_exchange_keeps_the_body_of_the_request(fakestore, photos):
    fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    assert last(fakestore).request.body == b"meow"


def test_an_exchange_keeps_the_reply_as_it_was_sent(fakestore, photos):
    photos.put("cat.jpg", b"meow")
    answer = fakestore.session().get(fakestore.url("photos", "cat.jpg"))
    reply = last(fakestore).reply
    assert (reply.status, reply.headers, reply.body) == (200, dict(answer.headers), b"meow")


def test_exchanges_are_equal_to_a_list_of_the_same(fakestore, photos):
    assert fakestore.calls("GET Bucket") == []
    fakestore.session().get(fakestore.url("photos"))
    assert fakestore.calls("GET Bucket") == [last(fakestore)]
    assert fakestore.calls("GET Bucket") != []
    assert not fakestore.calls("HEAD Bucket") != []  # noqa: SIM202  (the operator is what is tested)


def test_a_body_that_the_store_did_not_read_is_none(fakestore, photos):
    requests.put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    assert (last(fakestore).status, last(fakestore).request.body) == (403, None)


@pytest.mark.parametrize("size", [KEPT_BODY + 1, 100_000])
def test_a_large_body_is_kept_by_its_size_and_digest(fakestore, photos, size):
    content = b"x" * size
    fakestore.session().put(fakestore.url("photos", "big"), data=content)
    fakestore.session().get(fakestore.url("photos", "big"))
    digest = BodyDigest(size, hashlib.md5(content, usedforsecurity=False).hexdigest())
    assert [fakestore.exchanges[0].request.body, fakestore.exchanges[1].reply.body] == [digest, digest]


def test_a_range_of_a_large_body_is_kept_by_its_own_digest(fakestore, photos):
    photos.put("big", b"x" * 5000 + b"y" * 5000)
    fakestore.session().get(fakestore.url("photos", "big"), headers={"Range": "bytes=0-4999"})
    digest = hashlib.md5(b"x" * 5000, usedforsecurity=False).hexdigest()
    assert last(fakestore).reply.body == BodyDigest(5000, digest)


def test_the_largest_body_kept_whole(fakestore, photos):
    fakestore.session().put(fakestore.url("photos", "big"), data=b"x" * KEPT_BODY)
    assert last(fakestore).request.body == b"x" * KEPT_BODY


def test_sparse_content_is_kept_by_its_size_and_entity_tag(fakestore, photos):
    version = photos.put("huge", SparseContent(2**40))
    answer = fakestore.session().get(fakestore.url("photos", "huge"), stream=True)
    answer.close()
    assert last(fakestore).reply.body == BodyDigest(2**40, version.etag.strip('"'))


def test_a_refusal_says_its_code_and_explains_itself(fakestore, photos):
    alice = fakestore.create_account("alice")
    fakestore.session(alice).put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    exchange = last(fakestore)
    assert (exchange.status, exchange.error_code) == (403, "AccessDenied")
    assert "alice" in exchange.explanation
    assert "WRITE" in exchange.explanation


def test_an_explanation_is_never_sent(fakestore, photos):
    answer = fakestore.session().get(fakestore.url("photos", "none"))
    assert last(fakestore).explanation == "bucket 'photos' has no object with key 'none'"
    assert "holds nothing" not in answer.text


def test_a_request_of_nobody_has_no_account(fakestore, photos):
    requests.get(fakestore.url("photos", "cat.jpg"))
    assert (last(fakestore).operation, last(fakestore).account) == ("GET Object", None)


@pytest.mark.parametrize(
    "fault", [faults.ServiceError("SlowDown"), faults.Latency(0), faults.AfterCommit(faults.ServiceError("SlowDown"))]
)
def test_a_fault_is_noted(fakestore, photos, fault):
    photos.put("cat.jpg", b"meow")
    fakestore.fail("GET Object", fault)
    fakestore.session().get(fakestore.url("photos", "cat.jpg"))
    assert last(fakestore).fault == fault


def test_a_connection_that_failed_has_a_fault_and_no_reply(fakestore, photos):
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


def test_an_interim_reply_is_noted(fakestore, photos):
    fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow", headers={"Expect": "100-continue"})
    fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    assert [exchange.interim for exchange in fakestore.exchanges] == [(100,), ()]


def test_an_unsupported_request_is_a_refusal_and_no_exchange(fakestore, photos):
    with pytest.raises(UnsupportedRequest) as unsupported:
        fakestore.session().get(fakestore.url("photos", "cat.jpg", torrent=None))
    assert (len(fakestore.exchanges), fakestore.unhandled_requests) == (0, [unsupported.value])
    fakestore.unhandled_requests.clear()


def test_calls_on_a_handle_are_no_exchanges(fakestore, photos):
    photos.put("cat.jpg", b"meow")
    _ = photos["cat.jpg"]
    photos.delete("cat.jpg")
    assert list(fakestore.exchanges) == []


def lines(exchanges):
    return [f"{exchange.operation} {exchange.bucket}/{exchange.key}" for exchange in exchanges]


@pytest.fixture
def asked(fakestore, photos):
    fakestore.create_bucket("films")
    session = fakestore.session()
    for bucket, key in (("photos", "a"), ("films", "a"), ("photos", "b")):
        session.put(fakestore.url(bucket, key), data=b"x")
        session.get(fakestore.url(bucket, key))
    return fakestore


def test_exchanges_stand_in_order(asked):
    assert lines(asked.exchanges) == [
        "PUT Object photos/a",
        "GET Object photos/a",
        "PUT Object films/a",
        "GET Object films/a",
        "PUT Object photos/b",
        "GET Object photos/b",
    ]


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        ({"operation": "PUT Object"}, ["PUT Object photos/a", "PUT Object films/a", "PUT Object photos/b"]),
        ({"bucket": "films"}, ["PUT Object films/a", "GET Object films/a"]),
        ({"key": "b"}, ["PUT Object photos/b", "GET Object photos/b"]),
        ({"operation": "GET Object", "bucket": "photos", "key": "a"}, ["GET Object photos/a"]),
        ({"operation": "DELETE Object"}, []),
    ],
)
def test_calls_are_found_by_operation_bucket_and_key(asked, criteria, found):
    assert lines(asked.calls(**criteria)) == found


def test_calls_without_a_criterion_are_all_exchanges(asked):
    assert asked.calls() == asked.exchanges


def test_calls_of_an_operation_that_there_is_not_are_refused_with_those_there_are(fakestore):
    with pytest.raises(ValueError, match=r"there is no operation 'PUT'; there are .*PUT Object"):
        fakestore.calls("PUT")


def test_exchanges_are_those_of_that_moment(asked):
    before = asked.exchanges
    asked.session().get(asked.url("photos", "a"))
    assert (len(before), len(asked.exchanges)) == (6, 7)


def journal_of(count):
    """A journal to which so many exchanges were added; the key of each is its number."""
    journal = Journal()
    for number in range(count):
        exchange = Exchange(Request("GET", "http", "photos.objects.test", f"/{number}", Headers()), datetime.now(UTC))
        exchange.key = str(number)
        journal.add(exchange)
    return journal


def test_the_journal_keeps_the_latest_and_counts_what_it_dropped():
    exchanges = journal_of(KEPT + 5).exchanges()
    assert (len(exchanges), exchanges.dropped, exchanges[0].key) == (KEPT, 5, "5")


def test_the_journal_holds_no_large_bodies(fakestore, photos):
    session = fakestore.session()
    content = bytes(1024 * 1024)
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


def test_the_journal_is_empty_after_a_reset(asked):
    asked.reset()
    assert (list(asked.exchanges), asked.exchanges.dropped) == ([], 0)


@responses.activate
def test_responses_own_record_of_calls_does_not_grow():
    with fake_store(buckets=["photos"]) as store:
        store.session().put(store.url("photos", "cat.jpg"), data=b"meow")
        assert (len(store.exchanges), len(responses.calls)) == (1, 0)


# -- for a person


def test_the_line_of_an_exchange(fakestore, photos):
    fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    assert str(last(fakestore)) == "PUT photos.objects.test/cat.jpg -> 200 (as default)"


def test_the_line_of_a_refusal_explains_it(fakestore, photos):
    fakestore.session().get(fakestore.url("photos", "none", versionId="null"))
    assert str(last(fakestore)) == (
        "GET photos.objects.test/none?versionId=null -> 404 NoSuchVersion (as default):"
        " key 'none' has no version null; its versions, newest first: none"
    )


def test_the_line_of_a_failed_connection_names_the_fault(fakestore, photos):
    fakestore.fail("GET Object", faults.ConnectionReset())
    with pytest.raises(requests.ConnectionError):
        fakestore.session().get(fakestore.url("photos", "cat.jpg"))
    assert str(last(fakestore)) == "GET photos.objects.test/cat.jpg -> no answer [ConnectionReset()]"


def test_the_repr_of_an_exchange_is_its_line(asked):
    assert repr(asked.exchanges[0]) == "<Exchange PUT photos.objects.test/a -> 200 (as default)>"


def test_the_repr_of_exchanges_has_a_line_for_each(asked):
    assert repr(asked.calls(bucket="films")) == (
        "<2 exchanges\n  PUT films.objects.test/a -> 200 (as default)\n  GET films.objects.test/a -> 200 (as default)>"
    )


def test_the_repr_of_exchanges_says_how_many_were_dropped():
    assert repr(journal_of(KEPT + 1).exchanges(key="0")) == "<0 exchanges (1 older ones dropped)>"


def test_a_body_that_raises_leaves_an_exchange_without_a_reply(fakestore, photos):
    def broken():
        yield b"me"
        raise OSError("the disk is gone")

    with pytest.raises(requests.ConnectionError, match="the disk is gone"):
        fakestore.session().put(
            fakestore.url("photos", "cat.jpg"),
            data=broken(),
            headers={"Content-Length": "4", "Transfer-Encoding": None},
        )
    exchange = last(fakestore)
    assert (exchange.operation, exchange.account, exchange.key, exchange.reply, exchange.explanation) == (
        "PUT Object",
        fakestore.default_account,
        "cat.jpg",
        None,
        "there is no answer, for OSError('the disk is gone') was raised while the request was sent",
    )
