"""boto3 as it is: threads, waiters, retries, and its own exceptions for faults."""

from __future__ import annotations

import io
import tracemalloc

import boto3
import pytest
import requests
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    HTTPClientError,
    IncompleteReadError,
    ReadTimeoutError,
    WaiterError,
)

from fakestore import fake_store, faults
from tests.support.cases import each

MIB = 1024**2

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def waits():
    """What the store waits for."""
    return []


@pytest.fixture
def store(waits):
    with fake_store(dialect="s3", signatures="verify", buckets=["photos"], sleep=waits.append) as store:
        store["photos"].put("cat.jpg", b"meow" * 25)
        yield store


@pytest.fixture
def client_with(store, monkeypatch):
    """Make a client of boto3 with some configuration. Its own waiting takes no time."""
    account, clients = store.default_account, []
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda seconds: None)

    def make(attempts=1, service_options=None, **configuration):
        retries = {"total_max_attempts": attempts, "mode": "standard"}
        client = boto3.client(
            "s3",
            region_name="us-east-1",
            aws_access_key_id=account.access_key_id,
            aws_secret_access_key=account.secret_key,
            config=Config(retries=retries, **configuration),
            **service_options or {},
        )
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()


def read_cat(client):
    return client.get_object(Bucket="photos", Key="cat.jpg")["Body"].read()


# -- faults


@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        (faults.ServiceError("SlowDown"), ClientError),
        (faults.ConnectionReset(), ConnectionClosedError),
        (faults.ReadTimeout(), ReadTimeoutError),
        (faults.ConnectTimeout(), ConnectTimeoutError),
        (faults.TruncatedBody(9), IncompleteReadError),
        (faults.Latency(70), ReadTimeoutError),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_a_fault_is_an_exception_of_botocore(store, client_with, fault, raised):
    store.fail("GET Object", fault)
    with pytest.raises(raised):
        read_cat(client_with())
    assert store.exchanges[-1].fault is fault


@pytest.mark.parametrize(
    "fault",
    [faults.ServiceError("SlowDown"), faults.ConnectionReset(), faults.ReadTimeout(), faults.ConnectTimeout()],
    ids=lambda fault: type(fault).__name__,
)
def test_retries_of_botocore_act_on_a_fault(store, client_with, fault):
    store.fail("PUT Object", fault, times=2)
    reply = client_with(attempts=3).put_object(Bucket="photos", Key="new", Body=io.BytesIO(b"wuff"))
    assert reply["ResponseMetadata"]["RetryAttempts"] == 2
    assert (len(store.calls("PUT Object")), store["photos"]["new"].content) == (3, b"wuff")


def test_a_latency_is_compared_with_the_read_timeout(store, client_with, waits):
    store.fail("GET Object", faults.Latency(5))
    assert read_cat(client_with(connect_timeout=1, read_timeout=60)) == b"meow" * 25
    store.fail("GET Object", faults.Latency(5))
    with pytest.raises(ReadTimeoutError):
        read_cat(client_with(connect_timeout=60, read_timeout=1))
    assert waits == [5, 1]


# -- what else boto3 does


@pytest.mark.parametrize("style", ["virtual", "path"])
@pytest.mark.parametrize(
    "options", [{}, {"use_ssl": False}, {"endpoint_url": "https://s3.us-east-1.amazonaws.com:443"}]
)
def test_every_address_that_boto3_makes_is_served(store, client_with, style, options):
    client = client_with(service_options=options, s3={"addressing_style": style})
    assert read_cat(client) == b"meow" * 25
    for case in each("a b", "a//b://c", "à+%2F", ".."):
        with case as key:
            client.put_object(Bucket="photos", Key=key, Body=b"purr")
            assert store["photos"][key].content == b"purr"


def test_leading_slashes_of_a_key_reach_the_store(store, client_with):
    client = client_with(s3={"addressing_style": "virtual"})
    for key in ("/", "//", "/cat.jpg", "//cat.jpg"):
        client.put_object(Bucket="photos", Key=key, Body=key.encode())
    assert {key: store["photos"][key].content for key in store["photos"]} == {
        "cat.jpg": b"meow" * 25,
        "/": b"/",
        "//": b"//",
        "/cat.jpg": b"/cat.jpg",
        "//cat.jpg": b"//cat.jpg",
    }


@pytest.mark.parametrize("variable", ["http_proxy", "https_proxy"])
def test_proxies_of_the_environment_are_passed_by(store, client_with, monkeypatch, variable):
    monkeypatch.setenv(variable, "http://proxy.test:3128")
    for ssl in (True, False):
        assert read_cat(client_with(service_options={"use_ssl": ssl})) == b"meow" * 25


def test_waiters_wait_for_an_object(store, client_with):
    waiter = client_with().get_waiter("object_exists")
    waiter.wait(Bucket="photos", Key="cat.jpg")
    with pytest.raises(WaiterError, match="Max attempts exceeded"):
        waiter.wait(Bucket="photos", Key="dog.jpg", WaiterConfig={"Delay": 0, "MaxAttempts": 2})
    assert len(store.calls("HEAD Object")) == 3


@pytest.mark.parametrize("signature_version", ["s3", "s3v4"])
def test_presigned_urls_of_boto3_are_served(store, client_with, signature_version):
    client = client_with(signature_version=signature_version)
    url = client.generate_presigned_url("get_object", {"Bucket": "photos", "Key": "cat.jpg"}, ExpiresIn=60)
    assert requests.get(url).content == b"meow" * 25
    assert requests.get(url.replace("cat.jpg", "dog.jpg")).status_code == 403


@pytest.mark.decision("signature")
def test_version_2_of_botocore_has_a_slash_after_a_bucket_in_the_path(store, client_with):
    client = client_with(signature_version="s3", s3={"addressing_style": "path"})
    assert client.get_bucket_location(Bucket="photos")["LocationConstraint"] is None
    url = client.generate_presigned_url("list_objects_v2", {"Bucket": "photos"})
    assert [requests.get(each).status_code for each in (url, url.replace("/photos", "/films"))] == [200, 403]


def test_a_file_is_uploaded_and_downloaded_by_threads(store, client_with, tmp_path):
    source, target = tmp_path / "film", tmp_path / "downloaded"
    source.write_bytes(bytes(range(256)) * (24 * MIB // 256))
    config = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB, max_concurrency=4)
    client = client_with(attempts=3)
    store.fail("Upload Part", faults.ConnectionReset(), after=2)
    client.upload_file(str(source), "photos", "film", Config=config, ExtraArgs={"Metadata": {"cat": "tom"}})
    client.download_file("photos", "film", str(target), Config=config)
    assert target.read_bytes() == source.read_bytes()
    film = store["photos"]["film"]
    assert (len(store.calls("Upload Part")), dict(film.metadata)) == (6, {"cat": "tom"})
    assert (film.checksum.algorithm, film.checksum.type, film.checksum.value[-2:]) == ("CRC32", "COMPOSITE", "-5")
    second = client.get_object(Bucket="photos", Key="film", PartNumber=2)["Body"].read()
    assert second == source.read_bytes()[5 * MIB : 10 * MIB]
    client.copy({"Bucket": "photos", "Key": "film"}, "photos", "a copy", Config=config)
    assert store["photos"]["a copy"].content == film.content


def test_an_upload_keeps_its_content_once(store, client_with, tmp_path):
    source = tmp_path / "film"
    source.write_bytes(bytes(24 * MIB))
    client = client_with()
    read_cat(client)
    tracemalloc.start()
    try:
        config = TransferConfig(multipart_threshold=MIB, multipart_chunksize=6 * MIB, max_concurrency=2)
        client.upload_file(str(source), "photos", "film", Config=config)
        left, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < 25 * MIB
    assert peak < (24 + 2 * 6 + 3) * MIB


# -- requests that are not served


def test_an_unsupported_request_reaches_the_test_in_spite_of_botocore(store, client_with):
    with pytest.raises(HTTPClientError, match="torrent"):
        client_with().get_object_torrent(Bucket="photos", Key="cat.jpg")
    assert "torrent" in str(store.unhandled_requests.pop())


def test_another_host_is_refused_with_an_explanation(store, client_with):
    client = client_with(service_options={"endpoint_url": "http://minio.internal:9000"})
    with pytest.raises(HTTPClientError, match=r"fake_store\(base_url='http://minio.internal:9000'\)"):
        read_cat(client)
    (error,) = store.unhandled_requests
    assert error.request.url.startswith("http://minio.internal:9000/photos/cat.jpg")
    store.unhandled_requests.clear()
