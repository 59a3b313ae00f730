"""The requests that control the server of the command."""

from __future__ import annotations

import signal
import subprocess
import sys

import boto3
import httpx
import pytest
from botocore.exceptions import ClientError

from tests.clients.served import connect
from tests.support.cases import each

SERVE = [sys.executable, "-m", "fakestore", "serve", "--dialect", "s3", "--port", "0", "--bucket", "photos"]


@pytest.fixture(scope="module")
def url():
    with subprocess.Popen([*SERVE, "--any-access-key"], stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().removesuffix("\n")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=5)


@pytest.fixture
def client(url):
    with httpx.Client(base_url=url) as client:
        yield client
        assert client.post("/_fakestore/reset").status_code == 200


@pytest.fixture
def s3(url):
    return boto3.client("s3", "us-east-1", endpoint_url=url, aws_access_key_id="any", aws_secret_access_key="any")


def test_health_is_answered_at_every_host(client):
    for headers in ({}, {"Host": "store:9000"}):
        assert (client.get("/_fakestore/health", headers=headers).text, client.get("/").status_code) == ("ok\n", 403)
    reply = client.head("/_fakestore/health")
    assert (reply.status_code, reply.content) == (200, b"")


def test_reset_puts_back_the_state_in_which_the_server_started(client, s3):
    s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
    s3.create_bucket(Bucket="more")
    assert client.post("/_fakestore/reset", content=b"{}").text == "ok\n"
    assert [each["Name"] for each in s3.list_buckets()["Buckets"]] == ["photos"]
    assert s3.list_objects_v2(Bucket="photos")["KeyCount"] == 0


def test_report_is_the_page_about_the_store(client, s3):
    s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
    client.get("/_fakestore/health")
    reply = client.get("/_fakestore/report")
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "cat.jpg" in reply.text
    assert "/_fakestore/health" not in reply.text, "only requests to the store are recorded"


def test_other_requests_are_refused(client):
    reply = client.get("/_fakestore/reset")
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
    reply = client.get("/_fakestore/metrics")
    assert (reply.status_code, "GET /_fakestore/health" in reply.text) == (404, True)


def test_the_reply_to_head_has_no_body(url):
    for case in each("health", "report", "reset", "metrics"):
        with case as name, connect(url) as connection:
            connection.sendall(f"HEAD /_fakestore/{name} HTTP/1.1\r\nHost: store\r\nConnection: close\r\n\r\n".encode())
            with connection.makefile("rb") as reply:
                assert reply.read().endswith(b"\r\n\r\n")


def test_a_key_of_a_bucket_in_the_host_controls_nothing(client, s3):
    s3.put_object(Bucket="photos", Key="_fakestore/health", Body=b"meow")
    for host in (f"photos.{client.base_url.netloc.decode()}", "photos.s3.amazonaws.com"):
        reply = client.get("/_fakestore/health", headers={"Host": host})
        assert (reply.status_code, "AccessDenied" in reply.text) == (403, True)


def test_no_bucket_has_the_name_of_the_prefix(s3):
    with pytest.raises(ClientError, match="InvalidBucketName"):
        s3.create_bucket(Bucket="_fakestore")


def test_control_can_be_switched_off():
    with subprocess.Popen([*SERVE, "--no-control"], stdout=subprocess.PIPE, text=True) as process:
        reply = httpx.get(f"{process.stdout.readline().strip()}/_fakestore/health")
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=5)
    assert (reply.status_code, "NoSuchBucket" in reply.text) == (404, True)
    assert "POST /_fakestore" not in output
