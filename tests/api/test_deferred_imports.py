"""A module that a test may never need is imported only when it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: The signatures that the default dialect does not have.
VERSION_4 = "fakestore.protocol.auth.v4"
#: The modules of subjects that most tests do not have.
RARE = {
    "fakestore.http.form",
    "fakestore.model.cors",
    "fakestore.model.lifecycle",
    "fakestore.model.multipart_upload",
    "fakestore.model.policy_conditions",
    "fakestore.operations.rare",
}
IMPORTING = "import fakestore"
MAKING = "from fakestore import FakeStore, fake_store, faults; fake_store()"
USING = """
import requests
from fakestore import fake_store
with fake_store(buckets={"photos": "enabled"}) as store:
    requests.put(store.url("photos", "cat"), data=b"meow", auth=store.auth()).raise_for_status()
    requests.get(store.url("photos", "cat", acl=None), auth=store.auth()).raise_for_status()
    requests.get(store.url("photos"), auth=store.auth()).raise_for_status()
"""


@pytest.mark.parametrize(
    ("code", "deferred"),
    [
        (IMPORTING, {"freezegun", "lxml", "pytest", "requests", "responses", "sortedcontainers"}),
        (MAKING, {"freezegun", "lxml", "pytest", "sortedcontainers", VERSION_4, *RARE}),
        (USING, {"freezegun", "lxml", "pytest", VERSION_4}),
    ],
    ids=["importing", "making a store", "using a store"],
)
def test_modules_that_are_not_needed_are_not_imported(code, deferred):
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert deferred.isdisjoint(result.stdout.split())


@pytest.mark.parametrize(
    ("operation", "method", "target"),
    [
        ("GET Service", "GET", ""),
        ("GET Bucket ACL", "GET", "photos/?acl"),
        ("Upload Part", "PUT", "photos/cat?partNumber=1&uploadId=1"),
        ("POST Object", "POST", "photos/"),
        ("OPTIONS Object", "OPTIONS", "photos/cat?versionId=1"),
    ],
)
def test_first_request_for_a_rare_operation_finds_it(operation, method, target):
    program = f"""
from fakestore import FakeStore, Request
store = FakeStore(dialect="s3", buckets=["photos"])
store.handle(Request.to_url("{method}", "http://s3.us-east-1.amazonaws.com/{target}"))
print(store.exchanges[-1].operation)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == operation
