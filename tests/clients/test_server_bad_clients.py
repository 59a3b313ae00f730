"""The server and clients that break the rules, are slow, or disappear: it survives, and nothing is stored."""

from __future__ import annotations

import logging
import os
import resource
import select
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import httpx
import pytest

from fakestore import FakeStore, fake_store
from tests.clients.served import connect, ends, head, reply_to
from tests.support.cases import each
from tests.support.wire import STANDARD_HEADERS


@pytest.fixture(scope="module")
def shared():
    store = FakeStore(buckets=["photos"])
    with store.serve() as url:
        yield store, url


@pytest.fixture
def served(shared):
    """A store and its URL. The server still answers after each test, and nothing is stored."""
    store, url = shared
    store.reset()
    yield store, url
    with connect(url) as connection:
        connection.sendall(head(store, "GET / HTTP/1.1"))
        assert reply_to(connection)[0] == 200
    assert list(store["photos"]) == []
    assert store.unhandled_requests == []


BAD_STARTS = {
    "nothing": b"\r\n\r\n",
    "no version": b"GET /\r\n\r\n",
    "unknown version": b"GET / HTTP/3.0\r\n\r\n",
    "version in words": b"GET / HTTP/one\r\n\r\n",
    "lower case": b"get / HTTP/1.1\r\nHost: photos.objects.test\r\n\r\n",
    "no slash": b"GET cat HTTP/1.1\r\nHost: photos.objects.test\r\n\r\n",
    "bytes above ASCII": b"GET /\xff\xfe HTTP/1.1\r\nHost: photos.objects.test\r\n\r\n",
    "broken address": b"GET http://[cat HTTP/1.1\r\nHost: photos.objects.test\r\n\r\n",
    "NUL in the target": b"GET /c\0t HTTP/1.1\r\nHost: photos.objects.test\r\n\r\n",
    "NUL in the method": b"G\0T / HTTP/1.1\r\nHost: photos.objects.test\r\n\r\n",
    "control bytes": bytes(range(32)) + b"\r\n\r\n",
    "line without CR": b"GET / HTTP/1.1\nHost: photos.objects.test\n\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: photos.objects.test\r\nHost: photos.objects.test\r\n\r\n",
    "header without colon": b"GET / HTTP/1.1\r\nHost photos.objects.test\r\n\r\n",
    "blank before colon": b"GET / HTTP/1.1\r\nHost : photos.objects.test\r\n\r\n",
    "folded header": b"GET / HTTP/1.1\r\nHost: photos\r\n .objects.test\r\n\r\n",
    "NUL in a header": b"GET / HTTP/1.1\r\nHost: photos.objects.test\r\nX: \0\r\n\r\n",
    "unknown coding": b"GET / HTTP/1.1\r\nHost: photos.objects.test\r\nTransfer-Encoding: gzip\r\n\r\n",
    "too long a target": b"GET /" + b"a" * 300_000 + b" HTTP/1.1\r\nHost: photos.objects.test\r\n\r\n",
    "too many headers": b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 300_000 + b"\r\n\r\n",
    "CONNECT": b"CONNECT photos.objects.test:443 HTTP/1.1\r\nHost: photos.objects.test:443\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40),
}

NOT_400 = {
    "unknown version": 505,
    "unknown coding": 501,
    "CONNECT": 501,
    "too long a target": 414,
    "too many headers": 431,
}


@fake_store(dialect="s3", buckets=["photos"])
def test_a_client_that_uses_the_server_as_a_proxy_for_https_gets_advice(store):
    with store.serve() as url:
        opener = build_opener(ProxyHandler({"https": url}))
        with pytest.raises(OSError, match="use a base URL that begins with http://"):
            opener.open(store.url("photos").replace("s3.", "s4."))


def test_a_client_that_speaks_tls_fails_at_once_and_the_log_says_why(served, caplog):
    caplog.set_level(logging.INFO, "fakestore.server")
    with pytest.raises(httpx.ConnectError, match="SSL"):
        httpx.get(served[1].replace("http:", "https:"), timeout=5)
    assert "use a URL that begins with http://" in caplog.text


def test_a_malformed_request_is_logged_and_answered_and_its_connection_ends(served, caplog):
    caplog.set_level(logging.INFO, "fakestore.server")
    for case in each(*BAD_STARTS.items()):
        with case as (name, sent):
            caplog.clear()
            with connect(served[1]) as connection:
                connection.sendall(sent)
                status, headers, _ = reply_to(connection)
                assert status == NOT_400.get(name, 400)
                assert headers.keys() >= STANDARD_HEADERS
                assert ends(connection)
            (line,) = caplog.messages
            assert f" -> {status} " in line


@pytest.mark.parametrize("length", ["-1", "four", "4,5", "+4", "1" * 30])
def test_an_invalid_length_is_answered_by_the_store(served, length):
    store, url = served
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.1", Content_Length=length) + b"meow")
        assert reply_to(connection)[0] == 400
        assert ends(connection)
    assert store.exchanges[0].error_code in ("InvalidArgument", "EntityTooLarge")


@pytest.mark.decision("content-length")
@pytest.mark.parametrize(
    "chunks",
    [
        b"4\r\nmeow!!0\r\n\r\n",
        b"-4\r\nmeow\r\n",
        b"0x4\r\nmeow\r\n",
        b"\r\n",
        b"4\r\nmeow!\r\n",
        b"9" * 5000,
        b"0\r\n" + b"T" * 5000,
    ],
)
def test_malformed_chunks_are_answered_with_400(served, chunks, caplog):
    store, url = served
    caplog.set_level(logging.INFO, "fakestore.server")
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.1", Transfer_Encoding="chunked", Content_Length="4") + chunks)
        assert reply_to(connection)[0] == 400
        assert ends(connection)
    (line,) = caplog.messages
    assert line.startswith(
        "PUT Object (PutObject) photos/cat -> 400 IncompleteBody (as default): Malformed chunked body: "
    )
    assert store.exchanges[-1].error_code == "IncompleteBody"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content_Length": "1000000"}, b"meow"),
        ({"Content_Length": "4", "Transfer_Encoding": "chunked"}, b"4\r\nme"),
        ({"Content_Length": "4", "Transfer_Encoding": "chunked"}, b"4\r\nmeow\r\n"),
        ({"Content_Length": "4", "Expect": "100-continue"}, b""),
    ],
)
def test_a_client_that_disappears_during_a_body_stores_nothing(served, headers, body):
    store, url = served
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.1", **headers) + body)
        time.sleep(0.02)
    _wait_until(lambda: len(store.exchanges) == 1)
    assert store.exchanges[0].status in (None, 400)


def test_a_client_that_gives_up_before_the_answer_is_noted(served):
    store, url = served
    with store._service.turns:  # noqa: SLF001  # so that the server cannot answer, as if the lock of Python were held
        with connect(url) as connection:
            connection.sendall(head(store, "GET /cat HTTP/1.1"))
            time.sleep(0.05)
    _wait_until(lambda: len(store.journal) == 2)
    assert "use fake_store(serve='process')" in str(store.journal[1])


def test_a_body_that_ends_early_is_answered_with_incomplete_body(served):
    store, url = served
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.1", Content_Length="9") + b"meow")
        connection.shutdown(1)
        assert b"IncompleteBody" in reply_to(connection)[2]


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_server_waits_some_time_for_a_client(timeout):
    with pytest.raises(ValueError, match=r"timeout.*more than 0"):
        FakeStore().serve(timeout=timeout)


@pytest.mark.parametrize("port", [-1, 65_536, "9000", True])
def test_a_port_out_of_range_is_refused(port):
    with pytest.raises(ValueError, match=r"invalid port .*from 0 to 65535"):
        FakeStore().serve(port=port)


def test_an_address_that_is_not_of_this_machine_is_named():
    with pytest.raises(OSError, match=r"cannot listen at 192\.0\.2\.1, port 0: "), FakeStore().serve(host="192.0.2.1"):
        pass


def test_a_port_in_use_is_named():
    with FakeStore().serve() as url:
        port = int(url.rpartition(":")[2])
        with pytest.raises(OSError, match=rf"port {port} .* is in use.*pytest-xdist"):
            with FakeStore().serve(port=port):
                pass


def test_a_silent_client_is_disconnected(caplog):
    store = FakeStore(buckets=["photos"])
    caplog.set_level(logging.INFO, "fakestore.server")
    with store.serve(timeout=0.1) as url:
        with connect(url) as half_a_head, connect(url) as half_a_body:
            half_a_head.sendall(b"GET / HTTP/1.1\r\nHo")
            half_a_body.sendall(head(store, "PUT /cat HTTP/1.1", Content_Length="9") + b"meow")
            status, headers, _ = reply_to(half_a_head)
            assert status == 408
            assert headers.keys() >= STANDARD_HEADERS
            assert ends(half_a_body)
    assert list(store["photos"]) == []
    assert sorted(caplog.messages) == [
        "GET / -> 408 Request Timeout",
        "PUT photos.objects.test/cat -> no answer: reading the body raised TimeoutError('timed out')",
    ]


def test_a_head_must_arrive_within_the_timeout_but_a_body_may_be_slow():
    store = FakeStore(buckets=["photos"])
    with store.serve(timeout=0.5) as url, connect(url) as slow_head, connect(url) as slow_body:
        slow_head.sendall(b"GET / HTTP/1.1\r\nX: ")
        slow_body.sendall(head(store, "PUT /cat HTTP/1.1", Content_Length="100"))
        sent = 0
        while not select.select([slow_head], [], [], 0.05)[0]:
            slow_head.sendall(b"x")
            slow_body.sendall(b"x")
            sent += 1
            assert sent < 100
        assert reply_to(slow_head)[0] == 408
        slow_body.sendall(b"x" * (100 - sent))
        assert reply_to(slow_body)[0] == 200
        with pytest.raises(OSError):  # noqa: PT011  # a reset or a broken pipe
            for _ in range(60):
                slow_head.sendall(b"x")
                time.sleep(0.05)
    assert store["photos"]["cat"].size == 100


def test_a_client_that_is_stuck_in_a_request_keeps_no_other_from_being_answered():
    store = FakeStore(buckets=["photos"])
    with store.serve() as url, ExitStack() as opened:
        *stuck, last = [opened.enter_context(connect(url)) for _ in range(401)]
        for number, connection in enumerate(stuck):
            sent = head(store, "PUT /cat HTTP/1.1", Content_Length="9", Expect="100-continue")
            connection.sendall(sent if number % 2 else sent[:40])
        for connection in stuck[1::2]:
            assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        last.sendall(head(store, "GET / HTTP/1.1"))
        assert reply_to(last)[0] == 200
    assert list(store["photos"]) == []


@pytest.fixture
def few_files(monkeypatch):
    """Let servers have 8 connections, as in a process that can open 16 files."""
    monkeypatch.setattr("fakestore.clients.server.MAX_CONNECTIONS", 8)


@pytest.mark.usefixtures("few_files")
def test_the_connection_that_is_idle_for_the_longest_time_makes_room_for_another():
    store = FakeStore(buckets=["photos"])
    with store.serve() as url, ExitStack() as opened:
        silent, *others = [opened.enter_context(connect(url)) for _ in range(8)]
        for connection in (*others, opened.enter_context(connect(url))):
            connection.sendall(head(store, "GET / HTTP/1.1"))
            assert reply_to(connection)[0] == 200
        assert ends(silent)
        for connection in others:
            connection.sendall(head(store, "GET / HTTP/1.1"))
            assert reply_to(connection)[0] == 200


@pytest.mark.usefixtures("few_files")
def test_a_client_waits_while_no_connection_is_idle():
    store = FakeStore(buckets=["photos"])
    with store.serve() as url, ExitStack() as opened:
        halves = [opened.enter_context(connect(url)) for _ in range(8)]
        for connection in halves:
            connection.sendall(head(store, "PUT /cat HTTP/1.1", Content_Length="9", Expect="100-continue"))
        for connection in halves:
            assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        last = opened.enter_context(connect(url))
        last.sendall(head(store, "GET / HTTP/1.1"))
        assert not select.select([last], [], [], 0.2)[0]
        halves[0].close()
        assert reply_to(last)[0] == 200
    assert list(store["photos"]) == []


def test_server_raises_the_limit_of_open_files_when_it_starts():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = 4000 if hard == resource.RLIM_INFINITY else min(4000, hard)
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for limit, raised in ((highest // 2, highest), (hard, hard)):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
            with FakeStore().serve():
                assert resource.getrlimit(resource.RLIMIT_NOFILE) == (raised, hard)


def test_a_server_without_files_answers_again_when_it_has_some(caplog):
    """The limit of this process cannot be lowered far enough, so all of its files are opened instead."""
    store = FakeStore(buckets=["photos"])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with store.serve() as url, ExitStack() as opened:
        idle, late = opened.enter_context(connect(url)), opened.enter_context(socket.socket())
        idle.sendall(head(store, "GET / HTTP/1.1"))
        assert reply_to(idle)[0] == 200
        resource.setrlimit(resource.RLIMIT_NOFILE, (len([*Path("/dev/fd").iterdir()]) + 10, hard))
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with ExitStack() as files:
            with suppress(OSError):
                while True:
                    files.enter_context(open(os.devnull))  # noqa: PTH123
            late.connect(("127.0.0.1", int(url.rpartition(":")[2])))
            assert ends(idle), "which makes room"
        late.sendall(head(store, "GET / HTTP/1.1"))
        late.settimeout(5)
        assert reply_to(late)[0] == 200
    assert len([each for each in caplog.messages if "cannot accept" in each]) == 1


def test_pipelined_requests_are_answered_in_order(served):
    store, url = served
    with connect(url) as connection:
        connection.sendall(head(store, "GET / HTTP/1.1") + head(store, "GET /cat HTTP/1.1", Connection="close"))
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert received.index(b"ListBucketResult") < received.index(b"NoSuchKey")


def _wait_until(condition):
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within 5 seconds")
