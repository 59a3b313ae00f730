"""What every client library and program does against a store that verifies signatures."""

from __future__ import annotations

import re
from contextlib import ExitStack, closing, contextmanager, nullcontext

import pytest
import requests

from fakestore import DeleteMarker, fake_store, faults
from tests.clients.libraries import BUCKET, CLIENTS, PROGRAMS, Settings
from tests.support.documents import policy, statement

OPTIONS = {"dialect": "s3", "signatures": "verify", "buckets": {BUCKET: "enabled"}}

# botocore, minio and tinys3 call functions of Python that are deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
every_library = pytest.mark.parametrize("name", CLIENTS)


def settings_of(store, url, directory):
    return Settings(store.default_account.access_key_id, store.default_account.secret_key, url, directory)


@contextmanager
def client_of(name, store, directory, secret_key=None):
    """Make a client that can reach a store."""
    make = CLIENTS[name]
    with ExitStack() as stack:
        settings = settings_of(store, stack.enter_context(store.serve()) if make.is_served else "", directory)
        settings = settings._replace(secret_key=secret_key or settings.secret_key)
        yield stack.enter_context(closing(make(settings)))


@every_library
def test_it_uploads_lists_copies_reads_versions_and_deletes(name, tmp_path):
    with fake_store(**OPTIONS) as store:
        with client_of(name, store, tmp_path) as client:
            first = client.upload("cat.jpg", b"meow")
            client.upload("cat.jpg", b"purr")
            client.copy("cat.jpg", "copy.jpg")
            assert client.keys() == ["cat.jpg", "copy.jpg"]
            assert client.download("copy.jpg") == b"purr"
            assert client.download("cat.jpg", first) == b"meow"
            client.delete("cat.jpg")
            with pytest.raises(Exception, match=r"404|NoSuchKey|does not exist"):
                client.download("cat.jpg")
        photos = store[BUCKET]
        assert [isinstance(each, DeleteMarker) for each in photos.versions("cat.jpg")] == [True, False, False]
        assert photos["copy.jpg"].content == b"purr"
        assert {each.account for each in store.exchanges} == {store.default_account}


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_faults_explanations_the_journal_and_snapshots_work_with_it(name, tmp_path):
    files, downloaded = tmp_path / "files", tmp_path / "downloaded"
    for directory in (files, downloaded):
        directory.mkdir()
    with fake_store(**OPTIONS) as store, store.serve() as url:
        account, program = store.default_account, PROGRAMS[name](settings_of(store, url, tmp_path))
        deny = policy(statement("Deny", account, "s3:PutObject", f"{BUCKET}/secret"))
        requests.put(store.url(BUCKET, policy=None), data=deny, auth=store.auth()).raise_for_status()
        for key in ("cut", "whole"):
            store[BUCKET].put(key, b"meow" * 10)
        before = store.snapshot()

        for key in ("busy", "late", "reset", "secret"):  # in this order, because s3cmd stops at a 403
            (files / key).write_bytes(b"purr")
        store.fail("PUT Object", faults.ServiceError("SlowDown"), key="busy")
        store.fail("PUT Object", faults.Latency(0.1), key="late")
        store.fail("PUT Object", faults.ConnectionReset(), key="reset")
        with pytest.raises(RuntimeError, match="SlowDown") as failed:
            program.upload_files(files)
        assert "AccessDenied" in str(failed.value)
        uploads = {each.key: each for each in store.calls("PUT Object", bucket=BUCKET)}
        assert {key: (each.status, each.error_code) for key, each in uploads.items()} == {
            "busy": (503, "SlowDown"),
            "late": (200, None),
            "reset": (None, None),
            "secret": (403, "AccessDenied"),
        }
        assert uploads["late"].account == uploads["secret"].account == account
        assert "Deny" in uploads["secret"].explanation
        assert set(store[BUCKET]) == {"cut", "late", "whole"}

        store.restore(before)
        store.fail("GET Object", faults.TruncatedBody(4), key="cut")
        reads_the_rest = name == "aws"  # of a body that is cut off
        with nullcontext() if reads_the_rest else pytest.raises(RuntimeError):
            program.download_files(downloaded)
        assert store.calls("GET Object", key="cut")[0].reply.body == b"meow"
        contents = {file.name: file.read_bytes() for file in downloaded.iterdir()}
        assert contents == dict.fromkeys(["cut", "whole"] if reads_the_rest else ["whole"], b"meow" * 10)


def test_s3cmd_moves_and_lists_objects(tmp_path):
    with fake_store(**OPTIONS) as store, store.serve() as url:
        store[BUCKET].put("cat.jpg", b"meow")
        program = PROGRAMS["s3cmd"](settings_of(store, url, tmp_path))
        program.move("cat.jpg", "copy.jpg")
        assert program.urls() == [f"s3://{BUCKET}/copy.jpg"]
        assert store[BUCKET]["copy.jpg"].content == b"meow"


FAILING = """
import pytest
from tests.clients.test_libraries import client_of

@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.fakestore(dialect="s3", signatures="verify", buckets={{"photos": "enabled"}})
def test_upload(fakestore, tmp_path):
    with client_of({name!r}, fakestore, tmp_path, secret_key="this is not the secret key") as client:
        client.upload("cat.jpg", b"meow")
"""


@every_library
def test_the_report_of_a_failed_test_explains_a_403(name, pytester, plain_runs):
    pytester.makepyfile(FAILING.format(name=name))
    result = pytester.runpytest_inprocess("-p", "fakestore.pytest_plugin")
    result.assert_outcomes(failed=1)
    report = result.stdout.str().partition("- fakestore https://s3.amazonaws.com -")[2]
    assert re.search(r"PUT .*cat\.jpg.* -> 403 SignatureDoesNotMatch", report)
    assert "string to sign" in report.lower()
