"""What every client library and program does against a store that verifies signatures."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager

import pytest

from fakestore import DeleteMarker, fake_store, faults
from tests.clients.libraries import BUCKET, CLIENTS, Command, Settings

OPTIONS = {"dialect": "s3", "signatures": "verify", "buckets": {BUCKET: "enabled"}}
WITHOUT_VERSIONS = {"s3cmd"}

# botocore, minio and tinys3 call functions of Python that are deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
every_client = pytest.mark.parametrize("name", CLIENTS)
#: Those that run in this process. A program takes seconds, and is tested with the command line of fakestore.
every_library = pytest.mark.parametrize("name", [name for name in CLIENTS if not issubclass(CLIENTS[name], Command)])


@contextmanager
def client_of(name, store, directory, secret_key=None):
    """Make a client that can reach a store."""
    account, make = store.default_account, CLIENTS[name]
    with ExitStack() as stack:
        url = stack.enter_context(store.serve()) if make.is_served else ""
        settings = Settings(account.access_key_id, secret_key or account.secret_key, url, directory)
        yield stack.enter_context(closing(make(settings)))


def use_all_of(client, name):
    """Upload, list, copy, read versions, and delete."""
    first = client.upload("cat.jpg", b"meow")
    client.upload("cat.jpg", b"purr")
    client.copy("cat.jpg", "copy.jpg")
    assert client.keys() == ["cat.jpg", "copy.jpg"]
    assert client.download("copy.jpg") == b"purr"
    if name not in WITHOUT_VERSIONS:
        assert client.download("cat.jpg", first) == b"meow"
    client.delete("cat.jpg")
    with pytest.raises(Exception, match=r"404|NoSuchKey|does not exist"):
        client.download("cat.jpg")


@every_library
def test_it_uploads_lists_copies_reads_versions_and_deletes(name, tmp_path):
    with fake_store(**OPTIONS) as store:
        with client_of(name, store, tmp_path) as client:
            use_all_of(client, name)
        photos = store[BUCKET]
        assert [isinstance(each, DeleteMarker) for each in photos.versions("cat.jpg")] == [True, False, False]
        assert photos["copy.jpg"].content == b"purr"
        assert {each.account for each in store.exchanges} == {store.default_account}


@every_library
def test_snapshots_and_the_journal_work_with_it(name, tmp_path):
    with fake_store(**OPTIONS) as store, client_of(name, store, tmp_path) as client:
        empty = store.snapshot()
        client.upload("cat.jpg", b"meow")
        full = store.snapshot()
        store.restore(empty)
        assert client.keys() == []
        store.restore(full)
        assert client.keys() == ["cat.jpg"]
        (upload,) = store.calls("PUT Object", bucket=BUCKET, key="cat.jpg")
        assert (upload.status, upload.account) == (200, store.default_account)


@every_library
def test_a_fault_meets_the_next_request_of_it(name, tmp_path):
    denied = faults.ServiceError("AccessDenied")
    with fake_store(**OPTIONS) as store, client_of(name, store, tmp_path) as client:
        client.upload("cat.jpg", b"meow")
        store.fail(None, denied, key="cat.jpg")
        with pytest.raises(Exception, match=r"403|AccessDenied|Forbidden"):
            client.download("cat.jpg")
        assert [each.fault for each in store.exchanges if each.fault] == [denied]
        assert client.download("cat.jpg") == b"meow"


FAILING = """
import pytest
from tests.clients.test_libraries import client_of

@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.fakestore(dialect="s3", signatures="verify", buckets={{"photos": "enabled"}})
def test_upload(fakestore, tmp_path):
    with client_of({name!r}, fakestore, tmp_path, secret_key="this is not the secret key") as client:
        client.upload("cat.jpg", b"meow")
"""


@every_client
def test_the_report_of_a_failed_test_explains_a_403(name, pytester):
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function")
    pytester.makepyfile(FAILING.format(name=name))
    result = pytester.runpytest_inprocess("-p", "no:randomly", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    report = result.stdout.str().partition("- fakestore https://s3.amazonaws.com -")[2]
    assert re.search(r"PUT .*cat\.jpg.* -> 403 SignatureDoesNotMatch", report)
    assert "string to sign" in report.lower()


@pytest.mark.parametrize("name", [name for name, make in CLIENTS.items() if make.is_served])
def test_it_uses_the_command_line_of_fakestore(name, tmp_path):
    command = [sys.executable, "-m", "fakestore", "serve", "--dialect", "s3", "--port", "0", "--signatures", "verify"]
    command += ["--bucket", f"{BUCKET}:enabled", "--access-key-id", "ANNA", "--secret-key", "a secret key"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())[0]
            with closing(CLIENTS[name](Settings("ANNA", "a secret key", url, tmp_path))) as client:
                use_all_of(client, name)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=10)
