"""python -m fakestore serve."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from contextlib import closing, contextmanager, nullcontext
from email.utils import formatdate
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import boto3
import httpx
import pytest
from botocore.exceptions import ClientError

from fakestore import FakeStore
from fakestore.__main__ import main
from tests.clients.served import connect, reply_to
from tests.support.cases import each

#: A certificate of 127.0.0.1 with its key.
PEM = Path(__file__).parent / "localhost.pem"
SERVE = [sys.executable, "-m", "fakestore", "serve", "--port", "0"]


@contextmanager
def started(*arguments, stderr=None):
    """Start the command, and kill it if the test fails, because leaving a `Popen` waits for its end."""
    with subprocess.Popen([*SERVE, *arguments], stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


KEYS = ("--access-key-id", "ANNA", "--secret-key", "hidden-key")


def test_it_says_where_it_listens_logs_requests_and_stops_cleanly():
    with started("--bucket", "photos=enabled", "--bucket", "more", *KEYS, stderr=subprocess.PIPE) as process:
        introduction = ""
        for line in process.stdout:
            introduction += line
            if "curl -i -H" in line:
                break
        url = re.search(r"http://127\.0\.0\.1:\d+", introduction)[0]
        assert "photos" in introduction
        assert "ANNA" in introduction
        assert "http_proxy=" in introduction
        headers = {
            "Host": "photos.objects.test",
            "Authorization": "SVC ANNA:long-signature",
            "Date": formatdate(usegmt=True),
        }
        put = httpx.put(f"{url}/cat", content=b"meow", headers=headers)
        assert (put.status_code, "x-svc-version-id" in put.headers) == (200, True)
        secret = "torrent&Signature=presigned&X-Svc-Security-Token=session-token"
        assert httpx.post(f"{url}/cat?{secret}", headers=headers).status_code == 501
        assert httpx.get(f"{url}/cat\u2028", headers={"Host": "photos.objects.test"}).status_code == 403
        with connect(url) as connection:
            connection.sendall(
                b"GET /cat?Signature=presigned HTTP/1.1\r\nHost: photos.objects.test\r\nno colon\r\n\r\n"
            )
            assert reply_to(connection)[0] == 400
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=5)
    assert (process.returncode, errors) == (0, "")
    lines = output.strip().splitlines()
    assert re.match(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d PUT Object \(PutObject\) photos/cat -> 200 \(as default\), ", lines[0]
    )
    assert "POST photos.objects.test/cat?torrent&" in lines[1]
    assert "-> 501: UnsupportedRequest" in lines[1]
    assert "403 AccessDenied" in lines[2]
    assert "GET photos.objects.test/cat?Signature=<hidden> -> 400 Bad Request: A header line" in lines[3]
    assert len(lines) == 5
    for case in each("hidden-key", "long-signature", "presigned", "session-token"):
        with case as secret:
            assert secret not in introduction + output


def read_url(process):
    """Return the first line, which is the URL. The server listens when it is printed."""
    return process.stdout.readline().removesuffix("\n")


def test_an_output_that_is_not_read_does_not_stop_the_server():
    with started("--bucket", "photos") as process:
        try:
            with closing(HTTPConnection(read_url(process).removeprefix("http://"), timeout=5)) as connection:
                for _ in range(150):  # a pipe has 64 KiB
                    connection.request("GET", f"/{'long-key/' * 100}", headers={"Host": "photos.objects.test"})
                    assert connection.getresponse().read() != b""
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=5) == 0
        finally:
            process.kill()


def test_an_output_that_the_reader_closes_ends_the_log_silently():
    with started("--bucket", "photos", stderr=subprocess.PIPE) as process:
        url = read_url(process)
        process.stdout.close()
        for _ in range(2):
            assert httpx.get(url, headers={"Host": "photos.objects.test"}).status_code == 403
        process.send_signal(signal.SIGTERM)
        assert (process.wait(timeout=5), process.stderr.read()) == (0, "")


def test_a_host_that_the_encoding_of_the_output_lacks_is_logged_escaped(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    with started(stderr=subprocess.PIPE) as process:
        with connect(read_url(process)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: \xff.test\r\n\r\n")
            assert reply_to(connection)[0] == 501
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=5)
    assert (process.returncode, errors) == (0, "")
    assert r"GET \xff.test/ -> 501" in output


@pytest.mark.parametrize(
    ("arguments", "text", "bucket"),
    [
        (["--host", "0.0.0.0"], "--base-url", "photos.objects.test"),
        (
            ["--host", "0.0.0.0", "--base-url", "http://store:9000"],
            "answers at http://store:9000",
            "photos.store:9000",
        ),
        (["--dialect", "s3", "--base-url", "http://[::1]:9"], "at http://[::1]:9", "[::1]:9/photos"),
    ],
)
def test_it_says_at_which_urls_other_machines_and_proxies_reach_it(arguments, text, bucket):
    with started(*arguments) as process:
        introduction = "".join(iter(process.stdout.readline, "\n"))
        process.send_signal(signal.SIGTERM)
        introduction += process.stdout.read()
        process.wait(timeout=5)
    assert text in introduction
    assert f"curl -i http://{bucket}\n" in introduction
    assert ("Host: photos." in introduction) is bucket.startswith("photos.")


def end(process):
    """End the server, and return what it printed after its first line."""
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=5)
    assert (process.returncode, errors) == (0, "")
    return output


def test_variables_of_the_environment_are_options(monkeypatch):
    for name, value in {"BUCKET": "photos=enabled more", "DIALECT": "s3", "QUIET": "1", "NO_CONTROL": "0"}.items():
        monkeypatch.setenv(f"FAKESTORE_{name}", value)
    monkeypatch.setenv("FAKESTORE_PORT", "not read")
    monkeypatch.setenv("FAKESTORE_SECRET_KEY", "")  # counts as not set
    with started("--any-access-key", stderr=subprocess.PIPE) as process:
        s3 = client(url := read_url(process))
        assert httpx.get(f"{url}/_fakestore/health").status_code == 200
        assert [each["Name"] for each in s3.list_buckets()["Buckets"]] == ["more", "photos"]
        assert s3.get_bucket_versioning(Bucket="photos")["Status"] == "Enabled"
        assert end(process) == "", "it is quiet"


@contextmanager
def receiver(status):
    """Yield the URL of a server that answers with a status, and what was posted to it."""
    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_): ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/events", received
        server.shutdown()
        thread.join()


def test_events_are_posted_to_a_url_also_after_a_reset():
    with receiver(200) as (event_url, received):
        with started("--bucket", "photos", "--any-access-key", "--dialect", "s3", "--event-url", event_url) as process:
            url = process.stdout.readline().strip()
            httpx.post(f"{url}/_fakestore/reset", timeout=10).raise_for_status()
            s3 = client(url)
            s3.put_object(Bucket="photos", Key="a cat.jpg", Body=b"meow")
            s3.delete_object(Bucket="photos", Key="a cat.jpg")
            process.send_signal(signal.SIGTERM)
        records = [record for document in received for record in document["Records"]]
        assert [record["eventName"] for record in records] == ["ObjectCreated:Put", "ObjectRemoved:Delete"]
        assert records[0]["s3"]["object"]["key"] == "a+cat.jpg"


def test_event_that_cannot_be_posted_is_in_the_log():
    with receiver(500) as (event_url, received):
        with started("--bucket", "photos", "--any-access-key", "--dialect", "s3", "--event-url", event_url) as process:
            url = process.stdout.readline().strip()
            client(url).put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            page = httpx.get(f"{url}/_fakestore/report", timeout=10).text
            process.send_signal(signal.SIGTERM)
            log = process.stdout.read()
        assert len(received) == 1
        for text in (log, page):
            assert event_url in text
            assert "not delivered" in text


def test_buckets_have_acls_as_before_2023():
    for options, code in (((), "AccessControlListNotSupported"), (("--acls",), None)):
        with started("--dialect", "s3", "--any-access-key", *options, stderr=subprocess.PIPE) as process:
            s3 = client(read_url(process))
            s3.create_bucket(Bucket="photos")
            with nullcontext() if code is None else pytest.raises(ClientError, match=code):
                s3.put_object(Bucket="photos", Key="cat", ACL="public-read")
            log = end(process)
        assert ("--acls on the command line" in log) == (code is not None)


def client(url, **options):
    keys = {"aws_access_key_id": "invented", "aws_secret_access_key": "invented", "region_name": "us-east-1"}
    return boto3.client("s3", endpoint_url=url, **{**keys, **options})


def test_objects_are_written_into_a_directory_and_read_from_it(tmp_path):
    kept = tmp_path / "kept"
    options = ("--dialect", "s3", "--any-access-key", "--load", kept, "--dump", kept)
    with started(*options, "--bucket", "photos", "--bucket", "old", stderr=subprocess.PIPE) as process:
        s3 = client(read_url(process))
        for bucket, key in (("photos", "cat.jpg"), ("photos", "2026"), ("old", "dog.jpg")):
            s3.put_object(Bucket=bucket, Key=key, Body=key.encode())
        s3.create_bucket(Bucket="empty")
        end(process)
    with started(*options, stderr=subprocess.PIPE) as process:
        s3 = client(url := read_url(process))
        s3.put_object(Bucket="photos", Key="later")
        assert httpx.post(f"{url}/_fakestore/reset").status_code == 200
        assert [each["Name"] for each in s3.list_buckets()["Buckets"]] == ["empty", "old", "photos"]
        assert [each["Key"] for each in s3.list_objects_v2(Bucket="photos")["Contents"]] == ["2026", "cat.jpg"]
        got = s3.get_object(Bucket="photos", Key="cat.jpg")
        assert (got["Body"].read(), got["ContentType"]) == (b"cat.jpg", "image/jpeg")
        for bucket, key in (("photos", "2026"), ("old", "dog.jpg")):
            s3.delete_object(Bucket=bucket, Key=key)
        s3.delete_bucket(Bucket="old")
        s3.put_object(Bucket="photos", Key="2026/owl.jpg", Body=b"hoot")
        end(process)
    files = {path.relative_to(kept).as_posix() for path in kept.rglob("*")}
    assert files == {"empty", "photos", "photos/2026", "photos/2026/owl.jpg", "photos/cat.jpg"}


def test_a_dump_that_fails_changes_nothing_and_is_reported(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"meow")
    options = ("--dialect", "s3", "--any-access-key", "--load", tmp_path, "--dump", tmp_path)
    with started(*options, stderr=subprocess.PIPE) as process:
        s3 = client(read_url(process))
        s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"purr")
        s3.put_object(Bucket="photos", Key="../up")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=5)
    assert (process.returncode, errors.startswith(f"--dump {tmp_path}: key '../up'")) == (1, True)
    assert [path.name for path in tmp_path.rglob("*")] == ["photos", "cat.jpg"]
    assert (tmp_path / "photos" / "cat.jpg").read_bytes() == b"meow"


def test_the_server_speaks_tls_so_that_clients_can_send_keys():
    options = ("--dialect", "s3", "--any-access-key", "--bucket", "photos", "--cert", PEM)
    with started(*options, stderr=subprocess.PIPE) as process:
        url = read_url(process)
        assert url.startswith("https://127.0.0.1:")
        s3 = client(url, verify=str(PEM))
        if "BlockedEncryptionTypes" not in s3.meta.service_model.shape_for("ServerSideEncryptionRule").members:
            pytest.skip("this boto3 cannot allow customer keys")
        unblocked = {"Rules": [{"BlockedEncryptionTypes": {"EncryptionType": ["NONE"]}}]}
        s3.put_bucket_encryption(Bucket="photos", ServerSideEncryptionConfiguration=unblocked)
        key = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": "k" * 32}
        s3.put_object(Bucket="photos", Key="cat", Body=b"meow" * 100_000, **key)
        assert s3.get_object(Bucket="photos", Key="cat", **key)["Body"].read() == b"meow" * 100_000
        with pytest.raises(httpx.HTTPError):
            httpx.get(url.replace("https:", "http:"))
        logged = end(process)
    assert "use a URL that begins with https://" in logged


def test_each_base_url_leads_to_the_store():
    urls = ("http://store:9000", "http://Other.test", "https://third.test")
    options = [part for url in urls for part in ("--base-url", url)]
    with started("--dialect", "s3", "--bucket", "photos", *options) as process:
        url = read_url(process)
        for case in each("store:9000", "photos.store:9000", "other.test", "other.test:80", "photos.third.test"):
            with case as host:
                assert httpx.get(url, headers={"Host": host}).status_code == 403
        assert httpx.get(url, headers={"Host": "unknown.test"}).status_code == 501
        process.terminate()


def test_a_client_of_another_dialect_is_told_the_option():
    with started("--bucket", "photos") as process:
        with pytest.raises(ClientError, match="--dialect s3"):
            client(read_url(process)).list_objects_v2(Bucket="photos")
        process.terminate()


def test_signatures_are_not_logged():
    with started("--bucket", "photos", "--signatures", "verify", *KEYS) as process:
        introduction = ""
        while "curl -i -H" not in introduction:
            introduction += process.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+", introduction)[0]
        headers = {"Host": "photos.objects.test", "Date": formatdate(usegmt=True)}
        httpx.get(url, headers={**headers, "Authorization": "SVC ANNA:wrong-signature"})
        httpx.get(url, headers={**headers, "Authorization": "SVC hidden-key:signature"})
        process.send_signal(signal.SIGTERM)
        logged = process.communicate(timeout=5)[0]
    assert "-> 403 SignatureDoesNotMatch" in logged
    assert "string to sign" in logged.lower()
    assert "InvalidAccessKeyId" in logged
    assert "wrong-signature" not in logged
    assert "hidden-key" not in logged


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bucket", "photos=maybe"], "maybe"),
        (["--bucket", "x"], "x"),
        (["--base-url", "objects.test"], "--base-url 'objects.test'"),
        (["--base-url", "http://a", "--base-url", "b"], "--base-url 'b'"),
        (["--any-access-key", "--signatures", "verify"], "invalid --any-access-key True: the signatures"),
        (["--region", "mars"], "--region 'mars'"),
        (["--access-key-id", ""], "an access key must"),
        (["--secret-key", ""], "a secret key must"),
        (["--key", "key.pem"], "--cert FILE"),
        (["--cert", "missing.pem"], "--cert"),
        (["--load", "missing"], "--load missing"),
        (["--load", "tests/support"], "expected a directory for each bucket"),
        (["--dump", "tests"], "--dump tests: the directory is not empty"),
        (["--dump", "pyproject.toml"], "--dump pyproject.toml"),
        (["--dialect", "klingon"], "klingon"),
        (["--port", "65536"], "65536"),
        (["--event-url", "localhost:8080"], "--event-url localhost:8080"),
    ],
)
def test_invalid_arguments_are_refused_in_a_sentence(capsys, arguments, message):
    with pytest.raises(SystemExit) as left:
        main(["serve", *arguments])
    assert left.value.code == 2
    assert message in capsys.readouterr().err


def test_an_address_that_cannot_be_used_is_reported_in_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with FakeStore().serve() as url:
        for case in each(("--port", url.rpartition(":")[2]), ("--host", ""), ("--host", "a" * 64)):
            with case as arguments:
                assert main(["serve", "--quiet", *arguments]) == 1
                assert "cannot listen" in capsys.readouterr().err
