"""python -m fakestore serve."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from email.utils import formatdate
from http.client import HTTPConnection

import httpx
import pytest

from fakestore import __main__ as command_line
from tests.clients.served import connect, reply_to

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


def run(*arguments):
    return subprocess.run([*SERVE, *arguments], capture_output=True, text=True, timeout=10)


KEYS = ("--access-key-id", "ANNA", "--secret-key", "hidden-key")


def test_it_says_where_it_listens_logs_requests_and_stops_cleanly():
    with started("--bucket", "photos:enabled", "--bucket", "more", *KEYS, stderr=subprocess.PIPE) as process:
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
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d PUT photos\.objects\.test/cat -> 200 \(as default\), ", lines[0])
    assert "POST photos.objects.test/cat?torrent&" in lines[1]
    assert "-> 501: UnsupportedRequest" in lines[1]
    assert "403 AccessDenied" in lines[2]
    assert "GET photos.objects.test/cat?Signature=<hidden> -> 400 Bad Request: A header line" in lines[3]
    assert len(lines) == 5
    for secret in ("hidden-key", "long-signature", "presigned", "session-token"):
        assert secret not in introduction + output


def read_url(process):
    return re.search(r"http://\S+", process.stdout.readline())[0]


@pytest.mark.parametrize("is_read_later", [False, True])
def test_an_output_that_nobody_reads_does_not_stop_the_server(is_read_later):
    with started("--bucket", "photos") as process:
        try:
            with closing(HTTPConnection(read_url(process).removeprefix("http://"), timeout=5)) as connection:
                for _ in range(1200):
                    connection.request("GET", f"/{'long-key/' * 100}", headers={"Host": "photos.objects.test"})
                    assert connection.getresponse().read() != b""
            for _ in range(500 if is_read_later else 0):
                process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            if is_read_later:
                assert "lines are missing here" in process.stdout.read()
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
        (["--host", "0.0.0.0"], "--base-url", "photos.objects.test/"),
        (
            ["--host", "0.0.0.0", "--base-url", "http://store:9000"],
            "answers at http://store:9000",
            "photos.store:9000/",
        ),
        (["--dialect", "s3", "--base-url", "http://[::1]:9"], "at http://[::1]:9", "[::1]:9/photos/"),
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
        (["--bucket", "photos:maybe"], "maybe"),
        (["--bucket", "x"], "x"),
        (["--base-url", "objects.test"], "base_url"),
        (["--dialect", "klingon"], "klingon"),
        (["--port", "65536"], "65536"),
    ],
)
def test_invalid_arguments_are_refused_in_a_sentence(capsys, arguments, message):
    with pytest.raises(SystemExit) as left:
        command_line.main(["serve", *arguments])
    assert left.value.code == 2
    assert message in capsys.readouterr().err


def test_an_address_that_cannot_be_used_is_reported_in_a_sentence():
    with command_line.FakeStore().serve() as url:
        for arguments in (("--port", url.rpartition(":")[2]), ("--host", ""), ("--host", "a" * 64)):
            process = run(*arguments)
            assert process.returncode == 1
            assert "cannot listen" in process.stderr
            assert "Traceback" not in process.stderr


def test_without_the_extra_it_says_how_to_install_it():
    program = (
        "import sys; sys.modules['cheroot'] = None; from fakestore.__main__ import main; sys.exit(main(['serve']))"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=10)
    assert process.returncode == 1
    assert "pip install 'fakestore[server]'" in process.stderr
    assert "Traceback" not in process.stderr
