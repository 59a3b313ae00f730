"""The server as HTTP clients see it."""

from __future__ import annotations

import http.client
import logging
import multiprocessing
import re
import shutil
import subprocess
import sys
import time
from xml.etree import ElementTree

import aiohttp
import boto3
import httpx
import pytest
import requests
import urllib3
from freezegun import freeze_time

from fakestore import (
    Addressing,
    Dialect,
    FakeStore,
    SparseContent,
    UnexpectedRequest,
    UnsupportedRequest,
    fake_store,
    faults,
)
from tests.clients.served import HOST, connect, ends, has_ipv6, head, reply_to, signed
from tests.support.documents import policy, statement

PATHS = Dialect(addressing=frozenset(Addressing))


@pytest.fixture
def store():
    return FakeStore(buckets={"photos": "enabled"})


@pytest.fixture
def url(store):
    with store.serve() as url:
        yield url


@pytest.fixture
def client(store, url):
    with httpx.Client(base_url=url, headers=signed(store, Host=HOST)) as client:
        yield client


def test_httpx_uploads_reads_lists_and_deletes(store, client):
    put = client.put("/a%20b/cat.jpg", content=b"meow", headers={"x-svc-meta-Taken_By": "anna"})
    assert put.status_code == 200
    got = client.get("/a%20b/cat.jpg")
    assert (got.content, got.headers["etag"], got.headers["x-svc-meta-taken_by"]) == (
        b"meow",
        put.headers["etag"],
        "anna",
    )
    assert "<Key>a b/cat.jpg</Key>" in client.get("/").text
    version = put.headers["x-svc-version-id"]
    assert client.delete("/a%20b/cat.jpg").status_code == 204
    assert client.get("/a%20b/cat.jpg").status_code == 404
    assert client.get("/a%20b/cat.jpg", params={"versionId": version}).content == b"meow"
    assert len(store.calls("GET Object")) == 3


def test_connections_are_kept_alive(store, url):
    connection = connect(url)
    with connection:
        for method, status in [("PUT", 200), ("HEAD", 200), ("GET", 200), ("DELETE", 204), ("HEAD", 404), ("GET", 404)]:
            connection.sendall(
                head(store, f"{method} /cat HTTP/1.1", **({"Content_Length": "0"} if method == "PUT" else {}))
            )
            reply = reply_to(connection, method)
            assert reply[0] == status
            assert "connection" not in reply[1]


def test_connections_of_http_1_0_are_kept_alive_if_the_client_says_so(store, url):
    with connect(url) as connection:
        for sent, answered in [({"Connection": "Keep-Alive"}, "keep-alive"), ({}, "close")]:
            connection.sendall(head(store, "GET / HTTP/1.0", **sent))
            status, headers, _ = reply_to(connection)
            assert (status, headers["connection"]) == (200, answered)
        assert ends(connection)


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


def test_http_client_and_urllib3_reach_the_store(store, url):
    plain = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
    plain.request("PUT", "/cat", b"meow", signed(store, Host=HOST))
    assert plain.getresponse().read() == b""
    plain.close()
    with urllib3.PoolManager() as pool:
        assert pool.request("GET", f"{url}/cat", headers=signed(store, Host=HOST)).data == b"meow"


async def _with_aiohttp(url, headers):
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.put(f"{url}/cat", data=b"meow") as put:
            assert put.status == 200
        async with session.get(f"{url}/cat") as got:
            return await got.read()


@pytest.mark.asyncio
async def test_aiohttp_reaches_the_store(store, url):
    assert await _with_aiohttp(url, signed(store, Host=HOST)) == b"meow"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_uploads_and_downloads_as_through_a_proxy(store, url, tmp_path):
    (tmp_path / "cat").write_bytes(b"meow" * 300_000)
    headers = [part for name, value in signed(store).items() for part in ("-H", f"{name}: {value}")]
    curl = ["curl", "-sS", "--fail", "--max-time", "5", "--proxy", url, *headers, store.url("photos", "cat")]
    subprocess.run([*curl, "-T", tmp_path / "cat"], check=True)  # with Expect: 100-continue
    assert subprocess.run(curl, check=True, capture_output=True).stdout == b"meow" * 300_000
    assert store.calls("PUT Object")[0].interim == (100,)


def test_another_process_reaches_the_store(store, url):
    program = (
        "import sys, urllib.request as u; print(u.urlopen(u.Request(sys.argv[1], headers=eval(sys.argv[2]))).read())"
    )
    store["photos"].put("cat", b"meow")
    arguments = [sys.executable, "-c", program, f"{url}/cat", repr(signed(store, Host=HOST))]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True).stdout == "b'meow'\n"


def _put_from_a_fork(url, headers):
    httpx.put(f"{url}/cat", content=b"meow", headers=headers)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_reaches_the_store(store, url):
    process = multiprocessing.get_context("fork").Process(target=_put_from_a_fork, args=(url, signed(store, Host=HOST)))
    process.start()
    process.join(5)
    assert store["photos"]["cat"].content == b"meow"


def _put_from_a_fork_with_intercepted_clients(client, store, url):
    client.put_object(Bucket="photos", Key="boto3", Body=b"")
    requests.put(f"{url}/photos/requests", auth=store.auth()).raise_for_status()
    store.session().put(f"{url}/photos/session").raise_for_status()
    assert "boto3" not in store["photos"]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_intercepted_clients_of_a_forked_process_reach_the_served_store():
    with fake_store(dialect="s3", buckets=["photos"]) as store, store.serve() as url:
        keys = {
            "aws_access_key_id": store.default_account.access_key_id,
            "aws_secret_access_key": store.default_account.secret_key,
        }
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
        client.put_object(Bucket="photos", Key="parent", Body=b"")
        target, arguments = _put_from_a_fork_with_intercepted_clients, (client, store, url)
        process = multiprocessing.get_context("fork").Process(target=target, args=arguments)
        process.start()
        process.join(10)
        assert process.exitcode == 0
        assert list(store["photos"]) == ["boto3", "parent", "requests", "session"]


# -- addresses


@pytest.mark.parametrize(
    "host", ["photos.localhost:{port}", "photos.objects.test:{port}", "photos.objects.test", HOST.upper()]
)
def test_virtual_hosts_name_a_bucket(store, client, url, host):
    store["photos"].put("cat", b"meow")
    assert client.get("/cat", headers={"Host": host.format(port=url.rpartition(":")[2])}).content == b"meow"


def test_another_host_is_refused_with_the_address_of_the_server(store, client, url, caplog):
    caplog.set_level(logging.INFO, "fakestore.server")
    for host in ("store.test", "store.test:1", "x" * 70_000):
        reply = client.get("/cat", headers={"Host": host})
        assert reply.status_code == 501
        assert repr(url.removeprefix("http://")) in reply.text
        assert len(reply.text) < 2000
        store.unhandled_requests.clear()
    assert max(map(len, caplog.messages)) < 2000


def test_path_style_is_served_where_the_dialect_has_it():
    store = FakeStore(buckets=["photos"], dialect=PATHS)
    with store.serve() as url:
        assert httpx.put(f"{url}/photos/cat", content=b"meow", headers=signed(store)).status_code == 200
        assert (
            httpx.get(url.replace("127.0.0.1", "localhost") + "/photos/cat", headers=signed(store)).content == b"meow"
        )
    assert [each.bucket for each in store.exchanges] == ["photos", "photos"]


@pytest.mark.parametrize("host", ["host.docker.internal:{port}", "localhost:1", "192.0.2.1"])
def test_unknown_host_is_refused_with_the_option_that_makes_it_known(host):
    def get(store):
        with store.serve() as url:
            return httpx.get(url, headers=signed(store, Host=host.format(port=url.rpartition(":")[2])))

    reply = get(FakeStore())
    assert (reply.status_code, "base_url" in reply.text, "--base-url" in reply.text) == (501, True, True)
    assert get(FakeStore(base_url="http://" + host.format(port=9000))).status_code == 200


def test_the_server_is_a_proxy_for_the_hosts_of_the_store(store, url):
    with httpx.Client(proxy=url, headers=signed(store)) as client:
        assert client.put(store.url("photos", "cat"), content=b"meow").status_code == 200
        assert client.get("http://example.test/").status_code == 501
    assert store["photos"]["cat"].content == b"meow"


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


def test_intercepted_clients_may_use_the_address_of_the_server():
    with fake_store(buckets=["photos"]) as store:
        with store.serve() as url:
            assert requests.get(url, auth=store.auth()).status_code == 200
        with pytest.raises(requests.ConnectionError):
            requests.get(url)
        store.unhandled_requests.clear()


@pytest.mark.skipif(not has_ipv6(), reason="needs an IPv6 loopback address")
def test_every_client_reaches_a_store_at_an_ipv6_address():
    with fake_store(dialect="s3", buckets=["photos"]) as store, store.serve("::1") as url:
        assert url.startswith("http://[::1]:")
        keys = {"aws_access_key_id": store.default_account.access_key_id, "aws_secret_access_key": "secret"}
        s3 = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
        s3.put_object(Bucket="photos", Key="cat", Body=b"meow")
        assert requests.get(f"{url}/photos/cat", auth=store.auth()).content == b"meow"
        assert httpx.get(f"{url}/photos/cat").status_code == 403, "an anonymous request reaches the store, too"


def test_a_store_is_served_at_several_ports_and_again(store):
    with store.serve() as one, store.serve() as other:
        assert one != other
        for url in (one, other):
            assert httpx.get(url, headers=signed(store)).status_code == 200
    port = int(one.rpartition(":")[2])
    with store.serve(host="localhost", port=port) as again:
        assert again == f"http://localhost:{port}"
        assert httpx.get(again, headers=signed(store)).status_code == 200


@pytest.mark.parametrize("order", ["abc", "bca", "cab"])
def test_servers_of_nested_stores_are_left_in_any_order(order):
    with fake_store() as outer, fake_store(base_url="http://inner.test") as inner:
        stores = {"a": outer, "b": inner, "c": outer}
        serving = {name: store.serve() for name, store in stores.items()}
        urls = {name: server.__enter__() for name, server in serving.items()}
        for name in order:
            serving.pop(name).__exit__(None, None, None)
            with pytest.raises(httpx.ConnectError):
                httpx.get(urls[name])
            with pytest.raises(UnexpectedRequest):
                requests.get(urls[name])
            for other in serving:
                before = len(stores[other].exchanges)
                assert (httpx.get(urls[other]).status_code, requests.get(urls[other]).status_code) == (403, 403)
                assert len(stores[other].exchanges) == before + 2
        outer.unhandled_requests.clear()


def test_a_server_that_is_left_takes_no_host_from_another_one_at_its_port(store):
    with store.serve("127.0.0.2") as url:
        port = url.rpartition(":")[2]
        with store.serve("127.0.0.1", int(port)):
            pass
        assert httpx.get(url, headers=signed(store, Host=f"{HOST}:{port}")).status_code == 200


def test_a_port_in_use_is_an_os_error(store, url):
    with pytest.raises(OSError, match="in use"), store.serve(port=int(url.rpartition(":")[2])):
        pass


# -- bodies


def test_100_continue_is_sent_only_if_the_headers_are_accepted(store, url):
    with connect(url) as connection:
        connection.sendall(head(store, "PUT /cat HTTP/1.1", Content_Length="4", Expect="100-continue"))
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"meow")
        assert reply_to(connection)[0] == 200
        connection.sendall(
            head(store, "PUT /cat HTTP/1.1", Content_Length="4", Expect="100-continue", If_Match='"other"')
        )
        status, headers, _ = reply_to(connection)
        assert (status, headers["connection"]) == (412, "close")
        assert ends(connection)


@pytest.mark.decision("source-address")
def test_a_policy_sees_the_address_of_the_client(store, url):
    condition = {"IpAddress": {"aws:SourceIp": "127.0.0.2"}}
    deny = statement("Deny", "*", "s3:ListBucket", "photos", Condition=condition)
    statuses = []
    httpx.put(f"{url}/?policy", content=policy(deny), headers=signed(store, Host=HOST)).raise_for_status()
    for address in ("127.0.0.1", "127.0.0.2"):
        with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as client:
            statuses.append(client.get(url, headers=signed(store, Host=HOST)).status_code)
    assert statuses == [200, 403]


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
    with connect(url) as connection:
        for length, status in [({}, 411), ({"Content_Length": "4"}, 200)]:
            connection.sendall(head(store, "PUT /cat HTTP/1.1", Transfer_Encoding="chunked", **length) + chunked)
            assert reply_to(connection)[0] == status
    assert store["photos"]["cat"].content == b"meow"


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


# -- the log

SENT = "/cat?Signature=private-signature"
LOGGED = "/cat?Signature=<hidden>"


@pytest.mark.parametrize(
    ("start", "line"),
    [
        ("GET /cat HTTP/1.1", "GET photos.objects.test/cat -> 403 InvalidAccessKeyId: "),
        (f"GET {SENT} HTTP/1.1", f"GET photos.objects.test{LOGGED} -> 501: UnsupportedRequest: "),
        (f"GET http://anna:private@host.test{SENT} HTTP/1.1", f"GET host.test{LOGGED} -> 501: UnsupportedRequest: "),
        ("CONNECT anna:private@host.test:443 HTTP/1.1", "CONNECT host.test:443 -> 501 No proxy for https"),
        (f"GET {SENT} HTTP/9.9", "- -> 505 HTTP Version Not Supported: "),
        (f"GET {SENT} HTTP/1.1\r\nno colon", f"GET {LOGGED} -> 400 Bad Request: A header line is not"),
        ("PUT /cat HTTP/1.1\r\nTransfer-Encoding: gzip", "PUT photos.objects.test/cat -> 501 Unimplemented: The"),
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


# -- faults and requests that are not supported


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


def test_planned_errors_are_answered(store, client):
    store.fail("PUT Object", faults.ServiceError("SlowDown", retry_after=2))
    reply = client.put("/cat", content=b"meow")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")


def test_leaving_does_not_wait_for_faults_and_slow_clients(store):
    store.fail("GET Bucket", faults.Latency(60))
    store.fail("GET Bucket", faults.ReadTimeout())
    started = time.monotonic()
    with store.serve() as url:
        waiting = [connect(url) for _ in range(4)]
        for connection in waiting[:2]:
            connection.sendall(head(store, "GET / HTTP/1.1"))
        waiting[2].sendall(b"GET / HT")
        while len(store.exchanges) < 2:
            time.sleep(0.01)
    for connection in waiting:
        assert ends(connection) or connection is waiting[2]
        connection.close()
    assert time.monotonic() - started < 10


def test_leaving_does_not_wait_for_a_client_that_does_not_read(store):
    store["photos"].put("zeros", SparseContent(10**12))
    started = time.monotonic()
    with store.serve() as url:
        connection = connect(url)
        connection.sendall(head(store, "GET /zeros HTTP/1.1"))
        assert connection.recv(8) == b"HTTP/1.1"
    connection.close()
    assert time.monotonic() - started < 10


def test_unsupported_request_is_501_with_its_reason():
    with pytest.raises(UnsupportedRequest, match="torrent"), fake_store(buckets=["photos"]) as store:
        with store.serve() as url:
            reply = httpx.get(f"{url}/cat?torrent", headers=signed(store, Host=HOST))
            assert (reply.status_code, reply.headers["content-type"].partition(";")[0]) == (501, "text/xml")
            document = ElementTree.fromstring(reply.content)
            assert document.findtext("Code") == "NotImplemented"
            assert re.match(r"UnsupportedRequest: .*torrent", document.findtext("Message"))
            assert document.findtext("RequestId") == reply.headers["x-svc-request-id"]
            reply = httpx.head(f"{url}/cat?torrent", headers=signed(store, Host=HOST))
            assert (reply.status_code, reply.content) == (501, b"")
        assert len(store.unhandled_requests) == 2


def test_a_moved_clock_leaves_connections_alone(store, url):
    with connect(url) as connection:
        for date in ("2026-01-01", "2026-01-04"):
            with freeze_time(date):
                connection.sendall(head(store, "GET / HTTP/1.1"))
                assert reply_to(connection)[0] == 200
                time.sleep(0.2)  # the server looks for expired connections every 0.05 s


def test_a_frozen_clock_stops_neither_the_server_nor_its_end():
    with freeze_time("2026-01-01"):
        store = FakeStore(buckets=["photos"])
        with store.serve() as url:
            assert httpx.get(url, headers=signed(store)).status_code == 200
            connect(url).close()


def test_latency_uses_the_function_that_waits_for_the_store():
    waits = []
    store = FakeStore(buckets=["photos"], sleep=waits.append)
    store.fail("GET Bucket", faults.Latency(3600))
    with store.serve() as url:
        assert httpx.get(url, headers=signed(store, Host=HOST)).status_code == 200
    assert waits == [3600]


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
