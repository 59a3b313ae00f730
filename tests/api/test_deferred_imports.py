"""A module that a test may never need is imported only when it is needed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

#: The last module has the signatures that the default dialect does not have.
NEVER = ("freezegun", "lxml", "pytest", "fakestore.protocol.auth.v4")
#: The modules of subjects that most tests do not have.
RARE = (
    "fakestore.http.form",
    "fakestore.model.cors",
    "fakestore.model.lifecycle",
    "fakestore.model.multipart_upload",
    "fakestore.model.policy_conditions",
    "fakestore.operations.rare",
)
#: The steps of one program, each with the modules that are still not imported after it.
STEPS = {
    "import fakestore": (*NEVER, "requests", "responses", "sortedcontainers"),
    "import fakestore.faults; from fakestore import faults; assert faults is fakestore.faults": ("requests",),
    """
from fakestore import FakeStore, Request
store = FakeStore(buckets=["photos"])
assert store.handle(Request.to_url("GET", store.url("photos"))).status == 403
""": ("requests",),
    "from fakestore import fake_store; fake_store()": (*NEVER, *RARE, "sortedcontainers"),
    """
import requests
with fake_store(buckets={"photos": "enabled"}) as store:
    requests.put(store.url("photos", "cat"), data=b"meow", auth=store.auth()).raise_for_status()
    requests.get(store.url("photos", "cat"), auth=store.auth()).raise_for_status()
    requests.get(store.url("photos"), auth=store.auth()).raise_for_status()
""": (*NEVER, *RARE),
    """
with fake_store(buckets=["photos"]) as store:
    requests.get(store.url("photos", acl=None), auth=store.auth()).raise_for_status()
""": NEVER,
}


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_modules_that_are_not_needed_are_not_imported():
    printed = run("import sys\n" + "".join(f"{step}\nprint(*sys.modules)\n" for step in STEPS)).splitlines()
    for (step, deferred), imported in zip(STEPS.items(), printed, strict=True):
        assert set(deferred).isdisjoint(imported.split()), step


REQUESTS = {
    "GET Service": ("GET", ""),
    "GET Bucket ACL": ("GET", "photos/?acl"),
    "Upload Part": ("PUT", "photos/cat?partNumber=1&uploadId=1"),
    "POST Object": ("POST", "photos/"),
    "OPTIONS Object": ("OPTIONS", "photos/cat?versionId=1"),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_first_request_for_a_rare_operation_finds_it():
    """Each is the first request of a forked process. A new process would have to import fakestore again."""
    printed = run(f"""
import os
from fakestore import FakeStore, Request
store = FakeStore(dialect="s3", buckets=["photos"])
for method, target in {[*REQUESTS.values()]}:
    if not os.fork():
        store.handle(Request.to_url(method, "http://s3.us-east-1.amazonaws.com/" + target))
        print(store.exchanges[-1].operation, flush=True)
        os._exit(0)
    os.wait()
""")
    assert printed.splitlines() == [*REQUESTS]


def test_rule_acts_if_its_modules_were_imported_while_sys_modules_was_patched():
    """`patch.dict` forgets the modules at its end, so they are imported a second time."""
    printed = run("""
import sys
from unittest import mock
from fakestore import FakeStore
store = FakeStore(buckets=["photos"])
store["photos"].put("cat.jpg")
with mock.patch.dict(sys.modules):
    store["photos"].expire(rule_id="all", days=1)
store.travel(days=3)
print([*store["photos"]])
store.close()
""")
    assert printed == "[]\n"
