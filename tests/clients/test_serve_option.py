"""The option `serve`: a server from entering to leaving a store."""

from __future__ import annotations

import socket
import time
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request

import boto3
import httpx
import pytest
import requests
from botocore.config import Config
from botocore.exceptions import HTTPClientError

from fakestore import FakeStore, fake_store
from tests.clients.served import open_url

IN_S3 = {"dialect": "s3", "buckets": ["photos"]}


def is_free(url):
    parts = urlsplit(url)
    with socket.socket() as connection:
        return connection.connect_ex((parts.hostname, parts.port)) != 0


def test_server_runs_from_entering_to_leaving():
    with fake_store(**IN_S3, serve=True) as store:
        assert httpx.get(f"{store.server_url}/photos").status_code == 403
    assert is_free(store.server_url)
    assert len(store.exchanges) == 1


def test_server_ends_if_the_store_raises_when_it_is_left():
    with pytest.raises(Exception, match="torrent"), fake_store(**IN_S3, serve=True) as store:
        httpx.get(f"{store.server_url}/photos/cat.jpg?torrent")
    assert is_free(store.server_url)


def test_a_store_without_the_option_says_how_to_serve_it():
    with fake_store() as store, pytest.raises(RuntimeError, match=r"fake_store\(serve=True\)"):
        store.server_url  # noqa: B018


def test_a_store_that_is_not_entered_cannot_have_the_option():
    with pytest.raises(TypeError, match=r"FakeStore\(serve=True\) is not possible"):
        FakeStore(serve=True)
    with pytest.raises(ValueError, match="invalid serve 'thread'"):
        fake_store(serve="thread")


def shortest_time(**options):
    """Return how long entering and leaving a store takes, without the disturbances of a busy machine."""
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        with fake_store(**IN_S3, **options):
            pass
        times.append(time.perf_counter() - begin)
    return min(times)


def test_server_waits_for_nothing_when_it_begins_and_ends():
    assert shortest_time(serve=True) - shortest_time() < 0.02, "it takes a millisecond"


def test_the_port_of_an_earlier_server_is_used_again_if_it_is_free():
    with fake_store(serve=True) as store:
        earlier = urlsplit(store.server_url).port
    with fake_store(serve=True) as store:
        assert urlsplit(store.server_url).port == earlier
    with socket.create_server(("127.0.0.1", earlier)), fake_store(serve=True) as store:
        assert urlsplit(store.server_url).port != earlier


@pytest.mark.parametrize(
    ("service", "operation", "arguments", "name"),
    [
        ("sqs", "list_queues", {}, "'sqs'"),
        ("dynamodb", "list_tables", {}, "'dynamodb'"),
        ("lambda", "list_functions", {}, "'lambda'"),
        ("s3control", "get_public_access_block", {"AccountId": "111111111111"}, "S3 Control"),
    ],
)
def test_a_request_for_another_service_is_refused_with_its_name(monkeypatch, service, operation, arguments, name):
    with fake_store(**IN_S3, serve=True) as store:
        monkeypatch.setenv("AWS_ENDPOINT_URL", store.server_url)
        client = boto3.client(service, config=Config(retries={"total_max_attempts": 1}))
        with pytest.raises(HTTPClientError, match=f"is a request for .*{name}.*AWS_ENDPOINT_URL"):
            getattr(client, operation)(**arguments)
        store.unhandled_requests.clear()
        request = Request(store.server_url, b"", {"X-Amz-Target": "AmazonSQS.ListQueues"})
        with pytest.raises(HTTPError) as refused:
            open_url(request)
        assert "is a request for 'AmazonSQS'" in refused.value.read().decode()
        store.unhandled_requests.clear()


def test_a_program_may_sign_for_any_service():
    with fake_store(**IN_S3) as store:
        key = store.default_account.access_key_id
        authorization = f"AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/mine/aws4_request"
        headers = {
            "Authorization": f"{authorization}, SignedHeaders=host;x-amz-date, Signature={'0' * 64}",
            "X-Amz-Date": "20260101T000000Z",
            "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD",
        }
        assert requests.get(store.url("photos"), headers=headers).status_code == 200
