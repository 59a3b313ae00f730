"""The server: its connections, the clients that reach it, its addresses and its end."""

from __future__ import annotations

import multiprocessing
import shutil
import socket
import subprocess
import time
from urllib.error import URLError
from urllib.parse import urlsplit

import boto3
import httpx
import pytest
import requests
from freezegun import freeze_time

from fakestore import (
    Addressing,
    Dialect,
    FakeStore,
    SparseContent,
    UnexpectedRequest,
    fake_store,
    faults,
)
from tests.clients.served import HOST, connect, ends, has_ipv6, head, open_url, reply_to, signed
from tests.support.documents import policy, statement

PATHS = Dialect(addressing=frozenset(Addressing))


def test_connections_are_kept_alive(store, url):
    connection = connect(url)
    with connection:
        for method, status in [("PUT", 200), ("HEAD", 200), ("GET", 200), ("DELETE", 204), ("HEAD", 404), ("GET", 404)]:
            connection.sendall(
                head(store, f"{method} /cat HTTP/1.1", **({"Content_Length": "0"} if method == "PUT" else {}))
            )
            reply = reply_to(connection, method)
            assert reply[0] == status
            assert reply[1]["connection"] == "keep-alive"


def test_connections_of_http_1_0_are_kept_alive_if_the_client_says_so(store, url):
    with connect(url) as connection:
        for sent, answered in [({"Connection": "Keep-Alive"}, "keep-alive"), ({}, "close")]:
            connection.sendall(head(store, "GET / HTTP/1.0", **sent))
            status, headers, _ = reply_to(connection)
            assert (status, headers["connection"]) == (200, answered)
        assert ends(connection)


def test_a_clock_that_is_moved_or_frozen_leaves_connections_alone():
    with freeze_time("2026-01-01"):
        store = FakeStore(buckets=["photos"])
        with store.serve() as url, connect(url) as connection:
            for date in ("2026-01-01", "2026-01-04"):
                with freeze_time(date):
                    connection.sendall(head(store, "GET / HTTP/1.1"))
                    assert reply_to(connection)[0] == 200


# -- clients


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


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_uploads_and_downloads_as_through_a_proxy(store, url, tmp_path):
    (tmp_path / "cat").write_bytes(b"meow" * 300_000)
    headers = [part for name, value in signed(store).items() for part in ("-H", f"{name}: {value}")]
    curl = ["curl", "-sS", "--fail", "--max-time", "5", "--proxy", url, *headers, store.url("photos", "cat")]
    subprocess.run([*curl, "-T", tmp_path / "cat"], check=True)  # with Expect: 100-continue
    assert subprocess.run(curl, check=True, capture_output=True).stdout == b"meow" * 300_000
    assert store.calls("PUT Object")[0].interim == (100,)


def _put_from_a_fork(client, store, url):
    client.put_object(Bucket="photos", Key="boto3", Body=b"")
    requests.put(f"{url}/photos/requests", auth=store.auth()).raise_for_status()
    store.session().put(f"{url}/photos/session").raise_for_status()
    look_up, names = socket.getaddrinfo, f"http://photos.localhost:{urlsplit(url).port}"
    socket.getaddrinfo = lambda host, *args, **kwargs: look_up("127.0.0.1", *args, **kwargs)
    requests.put(f"{names}/names", auth=store.auth()).raise_for_status()
    assert httpx.get(f"{url}/photos/parent").status_code == 403, "it is anonymous, but it reaches the store"
    assert "boto3" not in store["photos"]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_clients_of_a_forked_process_reach_the_served_store():
    with fake_store(dialect="s3", buckets=["photos"]) as store, store.serve() as url:
        keys = {
            "aws_access_key_id": store.default_account.access_key_id,
            "aws_secret_access_key": store.default_account.secret_key,
        }
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
        client.put_object(Bucket="photos", Key="parent", Body=b"")
        target, arguments = _put_from_a_fork, (client, store, url)
        process = multiprocessing.get_context("fork").Process(target=target, args=arguments)
        process.start()
        process.join(10)
        assert process.exitcode == 0
        assert list(store["photos"]) == ["boto3", "names", "parent", "requests", "session"]


def test_intercepted_clients_may_use_the_address_of_the_server():
    with fake_store(buckets=["photos"]) as store:
        with store.serve() as url:
            assert requests.get(url, auth=store.auth()).status_code == 200
        with pytest.raises(requests.ConnectionError):
            requests.get(url)
        store.unhandled_requests.clear()


# -- addresses


@pytest.mark.parametrize(
    "host", ["photos.localhost:{port}", "photos.objects.test:{port}", "photos.objects.test", HOST.upper()]
)
def test_virtual_hosts_name_a_bucket(store, client, url, host):
    store["photos"].put("cat", b"meow")
    assert client.get("/cat", headers={"Host": host.format(port=url.rpartition(":")[2])}).content == b"meow"


def test_path_style_is_served_where_the_dialect_has_it():
    store = FakeStore(buckets=["photos"], dialect=PATHS)
    with store.serve() as url:
        assert httpx.put(f"{url}/photos/cat", content=b"meow", headers=signed(store)).status_code == 200
        assert (
            httpx.get(url.replace("127.0.0.1", "localhost") + "/photos/cat", headers=signed(store)).content == b"meow"
        )
    assert [each.bucket for each in store.exchanges] == ["photos", "photos"]


@pytest.mark.parametrize("host", ["host.docker.internal:{port}", "localhost:1"])
def test_unknown_host_is_refused_with_the_option_that_makes_it_known(host):
    def get(store):
        with store.serve() as url:
            return httpx.get(url, headers=signed(store, Host=host.format(port=url.rpartition(":")[2])))

    reply = get(FakeStore())
    assert (reply.status_code, "--base-url" in reply.text) == (501, True)
    assert "'127.0.0.1:" in reply.text, "at which the server answers"
    assert get(FakeStore(base_url="http://" + host.format(port=9000))).status_code == 200


def test_the_server_is_a_proxy_for_the_hosts_of_the_store(store, url):
    with httpx.Client(proxy=url, headers=signed(store)) as client:
        assert client.put(store.url("photos", "cat"), content=b"meow").status_code == 200
        assert client.get("http://example.test/").status_code == 501
    assert store["photos"]["cat"].content == b"meow"


@pytest.mark.skipif(not has_ipv6(), reason="needs an IPv6 loopback address")
def test_every_client_reaches_a_store_at_an_ipv6_address():
    with fake_store(dialect="s3", buckets=["photos"]) as store, store.serve("::1") as url:
        assert url.startswith("http://[::1]:")
        keys = {"aws_access_key_id": store.default_account.access_key_id, "aws_secret_access_key": "secret"}
        s3 = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
        s3.put_object(Bucket="photos", Key="cat", Body=b"meow")
        assert requests.get(f"{url}/photos/cat", auth=store.auth()).content == b"meow"
        assert httpx.get(f"{url}/photos/cat").status_code == 403, "an anonymous request reaches the store, too"


def test_a_policy_sees_the_address_of_the_client(store, url):
    condition = {"IpAddress": {"aws:SourceIp": "127.0.0.2"}}
    deny = statement("Deny", "*", "s3:ListBucket", "photos", Condition=condition)
    statuses = []
    httpx.put(f"{url}/?policy", content=policy(deny), headers=signed(store, Host=HOST)).raise_for_status()
    for address in ("127.0.0.1", "127.0.0.2"):
        with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as client:
            statuses.append(client.get(url, headers=signed(store, Host=HOST)).status_code)
    assert statuses == [200, 403]


# -- several servers, and their end


def test_a_store_is_served_at_several_ports_and_again(store):
    with store.serve() as one, store.serve() as other:
        assert one != other
        for url in (one, other):
            assert httpx.get(url, headers=signed(store)).status_code == 200
    port = int(one.rpartition(":")[2])
    with store.serve(host="localhost", port=port) as again:
        assert again == f"http://localhost:{port}"
        assert httpx.get(again, headers=signed(store)).status_code == 200


def test_servers_of_nested_stores_are_left_in_any_order():
    with fake_store() as outer, fake_store(base_url="http://inner.test") as inner:
        stores = {"a": outer, "b": inner, "c": outer}
        serving = {name: store.serve() for name, store in stores.items()}
        urls = {name: server.__enter__() for name, server in serving.items()}
        for name in "bca":
            serving.pop(name).__exit__(None, None, None)
            with pytest.raises(URLError):
                open_url(urls[name])
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
