"""What a request costs in steps: calls of functions, counted, so that a noisy machine counts the same."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import fakestore
from fakestore import fake_store
from fakestore.model.acl import PRIVATE
from fakestore.model.versions import Metadata, StorageClass

PACKAGE = str(Path(fakestore.__file__).parent)


def steps(call: Callable[[], object]) -> Counter[str]:
    """How many functions are called: under "own" those of the package, under "all" every one, those in C too."""
    counted: Counter[str] = Counter()

    def note(frame, event, argument):
        if event in ("call", "c_call"):
            counted["all"] += 1
            counted["own"] += event == "call" and frame.f_code.co_filename.startswith(PACKAGE)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return counted


def fill(store, bucket: str, keys: list[str]) -> list[str]:
    """Put an empty object under every key, beneath HTTP; the version ids in order."""
    record, now = store._service.state.bucket(bucket), store._service.clock()
    asked = {"asked_acl": PRIVATE, "owner": store.default_account, "metadata": Metadata(), "encryption": None}
    return [
        record.put(key, b"", '"etag"', storage_class=StorageClass.STANDARD, now=now, **asked).version_id for key in keys
    ]


@pytest.fixture
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store


@pytest.mark.parametrize(
    ("request_name", "most"),
    [("PUT", 120), ("GET", 100), ("HEAD", 100), ("GET acl", 120), ("copy", 160), ("DELETE", 90)],
)
def test_a_request_takes_a_bounded_number_of_calls_of_the_packages_functions(store, request_name, most):
    session, url = store.session(), store.url("photos", "cat")
    # Given, so that signing is not counted.
    session.auth = None
    given = {"Authorization": f"SVC {store.default_account.access_key_id}:given"}
    given["Date"] = session.get(url, auth=store.auth()).headers["Date"]
    session.headers.update(given)
    requests = {
        "PUT": lambda: session.put(url, data=bytes(1024)),
        "GET": lambda: session.get(url),
        "HEAD": lambda: session.head(url),
        "GET acl": lambda: session.get(f"{url}?acl"),
        "copy": lambda: session.put(f"{url}-copy", headers={"x-svc-copy-source": "/photos/cat"}),
        "DELETE": lambda: session.delete(f"{url}-copy"),
    }
    for call in requests.values():
        call().raise_for_status()
    requests["PUT"]()
    assert steps(requests[request_name])["own"] <= most


@pytest.mark.parametrize(
    "query",
    [{"max_keys": 100}, {"delimiter": "/"}, {"delimiter": "/", "marker": "5/"}, {"versions": None, "max_keys": 100}],
    ids=["keys", "prefixes", "prefixes behind a marker", "versions"],
)
def test_a_page_of_a_listing_takes_as_many_steps_in_a_bucket_a_hundred_times_as_large(query):
    taken = []
    for count in (200, 20_000):
        with fake_store(buckets=["photos"]) as store:
            fill(store, "photos", [f"{number * 10 // count}/{number:06}" for number in range(count)])
            session, url = store.session(), store.url("photos", **query)
            session.get(url).raise_for_status()
            taken.append(steps(lambda get=session.get, url=url: get(url))["all"])
    small, large = taken
    assert large <= small * 1.02


@pytest.fixture(scope="module")
def histories():
    """Buckets of one key each, with 50 versions and with 100,000; the ids by bucket."""
    with fake_store(buckets={"short": "enabled", "long": "enabled"}) as store:
        ids = {bucket: fill(store, bucket, ["cat"] * count) for bucket, count in (("short", 50), ("long", 100_000))}
        ids["gone"] = fill(store, "short", ["dog"])
        yield store, ids


@pytest.mark.parametrize("request_name", ["PUT", "GET", "DELETE", "GET acl", "GET of one that is gone"])
def test_a_request_takes_as_many_steps_in_a_history_two_thousand_times_as_long(histories, request_name):
    store, ids = histories
    session = store.session()
    taken = {}
    for bucket in ("short", "long"):
        asked = {
            "PUT": lambda bucket=bucket: session.put(store.url(bucket, "cat"), data=b"meow"),
            "GET": lambda bucket=bucket: session.get(store.url(bucket, "cat", versionId=ids[bucket][4])),
            "DELETE": lambda bucket=bucket: session.delete(store.url(bucket, "cat", versionId=ids[bucket].pop(5))),
            "GET acl": lambda bucket=bucket: session.get(store.url(bucket, "cat", acl=None, versionId=ids[bucket][4])),
            "GET of one that is gone": lambda bucket=bucket: session.get(
                store.url(bucket, "cat", versionId=ids["gone"][0])
            ),
        }[request_name]
        asked()
        taken[bucket] = steps(asked)["own"]
    # A date is written anew when the clock has ticked in between.
    assert taken["long"] <= taken["short"] + 4


def test_a_snapshot_and_its_restoring_take_as_many_steps_for_a_thousand_times_as_many_objects():
    taken = []
    for count in (10, 10_000):
        with fake_store(buckets=["photos"]) as store:
            fill(store, "photos", [f"{number:05}" for number in range(count)])
            taken.append(steps(lambda store=store: store.restore(store.snapshot()))["own"])
    small, large = taken
    assert large == small
