"""The replies of the server, and its log."""

from __future__ import annotations

import logging
import re
import time
from xml.etree import ElementTree

import httpx
import pytest
import requests

from fakestore import (
    FakeStore,
    SparseContent,
    UnsupportedRequest,
    fake_store,
    faults,
)
from tests.clients.served import HOST, connect, ends, head, reply_to, signed

# -- bodies


def test_replies_without_a_body_announce_none(store, url):
    store["photos"].put("cat", b"meow")
    etag = '"4a4be40c96ac6314e91d93f38043a634"'
    expected = {("HEAD", "/cat"): (200, "4"), ("HEAD", "/dog"): (404, None), ("DELETE", "/dog"): (204, "0")}
    with connect(url) as connection:
        for (method, path), (status, length) in expected.items():
            connection.sendall(head(store, f"{method} {path} HTTP/1.1"))
            reply = reply_to(connection, method)
            assert (reply[0], reply[1].get("content-length"), reply[2]) == (status, length, b"")
            assert "transfer-encoding" not in reply[1]
        connection.sendall(head(store, "GET /cat HTTP/1.1", If_None_Match=etag))
        status, headers, _ = reply_to(connection)
        assert (status, "content-length" in headers, "transfer-encoding" in headers) == (304, False, False)


@pytest.mark.parametrize("expect", ["100-continue", "100-continue, 100-Continue"])
def test_100_continue_is_sent_only_if_the_headers_are_accepted(store, url, expect):
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.1", Content_Length="4", Expect=expect))
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"meow")
        assert reply_to(connection)[0] == 200
        connection.sendall(head(store, "PUT /empty HTTP/1.1", Content_Length="0", Expect="100-continue"))
        status, headers, _ = reply_to(connection)
        assert (status, headers["connection"]) == (200, "keep-alive"), "there is no body to wait for"
        connection.sendall(
            head(store, "PUT /cat HTTP/1.1", Content_Length="4", Expect="100-continue", If_Match='"other"')
        )
        status, headers, _ = reply_to(connection)
        assert (status, headers["connection"]) == (412, "close")
        assert ends(connection)


@pytest.mark.parametrize("fault", [faults.ReadTimeout(), faults.ConnectTimeout()], ids=repr)
def test_a_client_that_waits_for_100_continue_sends_its_body_before_it_times_out(store, url, fault):
    """The read timeout of aiohttp begins when its request is sent."""
    store.fail("PUT Object", fault)
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.1", Content_Length="4", Expect="100-continue"))
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"meow")
        connection.settimeout(0.2)
        with pytest.raises(TimeoutError):
            connection.recv(100)


def test_a_planned_timeout_is_silent_after_a_malformed_body_too(store, url):
    store.fail("PUT Object", faults.ReadTimeout())
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.1", Transfer_Encoding="chunked") + b"meow\r\n")
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            connection.recv(100)


def test_a_client_of_http_1_0_gets_no_100_continue(store, url):
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.0", Content_Length="4", Expect="100-continue") + b"meow")
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_large_body_is_read_in_pieces_and_a_refused_one_is_dropped(store, client):
    pieces = [bytes([number]) * 65_536 for number in range(64)]

    def body():
        yield from pieces

    length = {"Content-Length": str(64 * 65_536)}
    assert client.put("/cat", content=body(), headers=length).status_code == 200
    assert client.get("/cat").content == b"".join(pieces)
    assert client.put("/cat", content=body(), headers={**length, "If-Match": '"other"'}).status_code == 412
    assert client.get("/cat").status_code == 200  # on the same connection


def test_chunked_requests_are_decoded(store, url):
    chunked = b"3;name=value\r\nmeo\r\n1\r\nw\r\n0\r\nTrailer: value\r\n\r\n"
    for length, status in [({}, 411), ({"Content_Length": "4"}, 200)]:
        with connect(url) as connection:
            connection.sendall(head(store, "PUT /cat HTTP/1.1", Transfer_Encoding="chunked", **length) + chunked)
            assert reply_to(connection)[0] == status
    assert store["photos"]["cat"].content == b"meow"


@pytest.mark.decision("content-length")
@pytest.mark.parametrize(("length", "status"), [("4", 200), ("5", 400)])
def test_a_request_with_a_length_and_in_chunks_is_the_last_of_its_connection(store, url, length, status):
    with connect(url) as connection:
        both = {"Transfer_Encoding": "chunked", "Content_Length": length}
        connection.sendall(head(store, "PUT /cat HTTP/1.1", **both) + b"4\r\nmeow\r\n0\r\n\r\n")
        answered, headers, _ = reply_to(connection)
        assert (answered, headers["connection"]) == (status, "close")
        assert ends(connection)


@pytest.mark.decision("header-section")
def test_the_public_service_limits_the_header_section_of_every_request():
    store = FakeStore(dialect="s3", buckets=["photos"])
    with store.serve() as url:
        reply = httpx.get(f"{url}/photos", headers={"Cookie": "a" * 9 * 1024})
    assert (reply.status_code, store.exchanges[0].error_code) == (400, "RequestHeaderSectionTooLarge")


@pytest.mark.parametrize("separator", [b": ", b":", b":\t", b":  "])
@pytest.mark.parametrize(("size", "status"), [(8192, 200), (8193, 400)])
def test_the_header_section_is_counted_as_it_is_sent(store, url, size, status, separator):
    request = head(store, "PUT /cat HTTP/1.1", Content_Length="0", X_Padding="").replace(b": ", separator)
    section = request.removesuffix(b"\r\n").partition(b"\r\n")[2]
    padding = b"X-Padding" + separator
    padded = request.replace(padding, padding + b"a" * (size - len(section)))
    with connect(url) as connection:
        connection.sendall(padded)
        assert reply_to(connection)[0] == status


def test_copies_are_answered_in_chunks_to_http_1_1_alone(store, url):
    store["photos"].put("cat", b"meow")
    with connect(url) as connection:
        copy = {"x_svc_copy_source": "/photos/cat", "Content_Length": "0"}
        connection.sendall(head(store, "PUT /copy HTTP/1.1", **copy))
        status, headers, body = reply_to(connection)
        assert (status, headers["transfer-encoding"], b"CopyObjectResult" in body) == (200, "chunked", True)
        connection.sendall(head(store, "PUT /copy HTTP/1.0", **copy))
        status, headers, body = reply_to(connection)
        assert (status, headers["connection"], b"CopyObjectResult" in body) == (200, "close", True)
        assert ends(connection)


def test_sparse_content_is_sent_in_pieces(store, client):
    store["photos"].put("zeros", SparseContent(5_000_000))
    assert client.get("/zeros").content == bytes(5_000_000)


# -- what was sent


def test_leading_and_repeated_slashes_belong_to_the_key(store, url):
    with connect(url) as connection:
        connection.sendall(head(store, "PUT //a//b HTTP/1.1", Content_Length="0"))
        assert reply_to(connection)[0] == 200
    assert list(store["photos"]) == ["/a//b"]


def test_signatures_hold_for_what_was_sent():
    store = FakeStore(buckets=["photos"], signatures="verify")
    prepared = requests.Request("PUT", store.url("photos", "cat"), data=b"meow", auth=store.auth()).prepare()
    with store.serve() as url:
        headers = {**prepared.headers, "Host": HOST}
        assert httpx.put(f"{url}/cat", content=b"meow", headers=headers).status_code == 200
        assert httpx.put(f"{url}/dog", content=b"meow", headers=headers).status_code == 403


# -- the log

SENT = "/cat?Signature=private-signature"
LOGGED = "/cat?Signature=<hidden>"


@pytest.mark.parametrize(
    ("start", "line"),
    [
        ("GET /cat HTTP/1.1", "GET Object (GetObject) photos/cat -> 403 InvalidAccessKeyId: "),
        (f"GET {SENT} HTTP/1.1", f"GET photos.objects.test{LOGGED} -> 501: UnsupportedRequest: "),
        (f"GET http://anna:private@host.test{SENT} HTTP/1.1", f"GET host.test{LOGGED} -> 501: UnsupportedRequest: "),
        ("CONNECT anna:private@host.test:443 HTTP/1.1", "CONNECT host.test:443 -> 501 No proxy for https"),
        (f"GET {SENT} HTTP/9.9", "- -> 505 HTTP Version Not Supported: "),
        (f"GET {SENT} HTTP/1.1\r\nno colon", f"GET {LOGGED} -> 400 Bad Request: A header line is not"),
        ("PUT /cat HTTP/1.1\r\nTransfer-Encoding: gzip", "PUT photos.objects.test/cat -> 501 Not Implemented: The"),
    ],
)
def test_the_log_has_one_line_for_each_request_without_secrets(store, url, caplog, start, line):
    caplog.set_level(logging.INFO, "fakestore.server")
    secret_key = store.default_account.secret_key
    with connect(url) as connection:
        connection.sendall(head(store, start, Authorization=f"SVC {secret_key}:private-signature"))
        reply_to(connection)
    (logged,) = caplog.messages
    assert logged.startswith(line)
    assert "private" not in logged
    assert secret_key not in logged


def test_a_long_host_is_shortened_in_the_reply_and_in_the_log(client, caplog):
    caplog.set_level(logging.INFO, "fakestore.server")
    reply = client.get("/cat", headers={"Host": "x" * 70_000})
    assert (reply.status_code, len(reply.text) < 2000) == (501, True)
    assert max(map(len, caplog.messages)) < 2000


# -- faults


def test_failing_connections_fail_and_nothing_is_done(store, client):
    store.fail("PUT Object", faults.ConnectionReset())
    store.fail("PUT Object", faults.ReadTimeout())
    store.fail("PUT Object", faults.ConnectTimeout())
    with pytest.raises(httpx.NetworkError):
        client.put("/cat", content=b"meow")
    for _ in range(2):
        with pytest.raises(httpx.ReadTimeout):
            client.put("/cat", content=b"meow", timeout=0.2)
    assert list(store["photos"]) == []
    assert [exchange.status for exchange in store.exchanges] == [None, None, None]


def test_a_truncated_body_is_shorter_than_announced(store, client):
    store["photos"].put("cat", b"meow")
    store.fail("GET Object", faults.TruncatedBody(2))
    with pytest.raises(httpx.RemoteProtocolError, match="2"):
        client.get("/cat")
    assert client.get("/cat").content == b"meow"


def test_latency_delays_the_reply(store, client):
    store.fail("GET Bucket", faults.Latency(0.2), times=2)
    started = time.monotonic()
    assert client.get("/").status_code == 200
    assert time.monotonic() - started >= 0.2
    with pytest.raises(httpx.ReadTimeout):
        client.get("/", timeout=0.05)


def test_latency_uses_the_function_that_waits_for_the_store():
    waits = []
    store = FakeStore(buckets=["photos"], sleep=waits.append)
    store.fail("GET Bucket", faults.Latency(3600))
    with store.serve() as url:
        assert httpx.get(url, headers=signed(store, Host=HOST)).status_code == 200
    assert waits == [3600]


def test_planned_errors_are_answered(store, client):
    store.fail("PUT Object", faults.ServiceError("SlowDown", retry_after=2))
    reply = client.put("/cat", content=b"meow")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")


# -- errors


def test_unsupported_request_is_501_with_its_reason():
    with pytest.raises(UnsupportedRequest, match="torrent"), fake_store(buckets=["photos"]) as store:
        with store.serve() as url:
            reply = httpx.get(f"{url}/cat?torrent", headers=signed(store, Host=HOST))
            assert (reply.status_code, reply.headers["content-type"].partition(";")[0]) == (501, "text/xml")
            document = ElementTree.fromstring(reply.content)
            assert document.findtext("Code") == "NotImplemented"
            assert document.findtext("Resource") == "/cat"
            assert re.match(r"UnsupportedRequest: .*torrent", document.findtext("Message"))
            assert document.findtext("RequestId") == reply.headers["x-svc-request-id"]
            reply = httpx.head(f"{url}/cat?torrent", headers=signed(store, Host=HOST))
            assert (reply.status_code, reply.content) == (501, b"")
        assert len(store.unhandled_requests) == 2


class Broken:
    """A verifier with a bug."""

    def signature(self, request, address, secret_key):
        raise ZeroDivisionError("no such luck")


def test_an_error_in_the_process_of_the_test_is_raised_on_leaving():
    with pytest.raises(ZeroDivisionError), fake_store(buckets=["photos"], signatures=Broken()) as store:
        with store.serve() as url, connect(url) as connection:
            for method in ("HEAD", "GET"):  # on one connection, so the reply to HEAD must not have a body
                connection.sendall(head(store, f"{method} / HTTP/1.1"))
                status, _, body = reply_to(connection, method)
                assert (status, b"no such luck" in body) == (500, method == "GET")
