"""What a request costs in steps: calls of functions, counted, so that a noisy machine counts the same."""

from __future__ import annotations

import sys

import pytest

from benchmarks.contenders import BARE, FAKESTORE, REQUESTS
from benchmarks.measures import fill, steps, traced
from fakestore import fake_store

#: By how many bytes two requests that do the same may differ: caches of the interpreter and of requests.
ROOM = 32 * 1024
#: Calls that entering and leaving a store takes, with room for another version of responses.
ENTERING = 800


def cost(call):
    """Steps, and bytes taken at most: the least of three times, for a date is written anew when the clock ticks."""
    call()
    memory = []
    for _ in range(3):
        with traced() as taken:
            call()
        memory.append(taken.peak)
    return min(steps(call)["all"] for _ in range(3)), min(memory)


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
            taken.append(cost(lambda get=session.get, url=url: get(url).raise_for_status()))
    (small, small_memory), (large, large_memory) = taken
    assert large <= small * 1.02
    # A list of all keys alone would be 160 kB.
    assert large_memory <= small_memory + ROOM


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
        taken[bucket] = cost(asked)
    assert taken["long"][0] <= taken["short"][0] + 4
    # A list of all versions alone would be 800 kB.
    assert taken["long"][1] <= taken["short"][1] + ROOM


@pytest.mark.parametrize("behind", [False, True], ids=["first page", "behind a version"])
def test_a_page_of_versions_takes_as_many_steps_in_a_history_two_thousand_times_as_long(histories, behind):
    store, ids = histories
    session = store.session()
    taken = {}
    for bucket in ("short", "long"):
        query = {"versions": None, "prefix": "cat", "max-keys": 20}
        if behind:
            query |= {"key-marker": "cat", "version-id-marker": ids[bucket][-10]}
        url = store.url(bucket, **query)
        taken[bucket] = cost(lambda url=url: session.get(url).raise_for_status())
    assert taken["long"][0] <= taken["short"][0] + 4
    assert taken["long"][1] <= taken["short"][1] + ROOM


@pytest.mark.parametrize("what", ["snapshot", "restore"])
def test_a_snapshot_copies_one_mapping_of_a_bucket_and_nothing_else_that_grows(what):
    """Counted in bytes, for what C copies takes no steps: a copy of the sorted keys would be 8 bytes a key and more."""
    keys = [f"{number:06}" for number in range(100_000)]
    histories = dict.fromkeys(keys, keys)
    with traced() as mapping:
        copied = histories.copy()
    with fake_store(buckets=["photos"]) as store:
        fill(store, "photos", keys)
        kept = store.snapshot()
        with traced() as taking:
            taken = store.snapshot() if what == "snapshot" else store.restore(kept)
    assert taking.peak <= mapping.peak + ROOM, (taken, len(copied))


@pytest.mark.parametrize("what", ["snapshot", "restore"])
def test_a_snapshot_makes_as_many_objects_for_a_thousand_times_as_many_keys(what):
    made = []
    for count in (10, 10_000):
        with fake_store(buckets=["photos"]) as store:
            fill(store, "photos", [f"{number:05}" for number in range(count)])
            kept = store.snapshot()
            before = sys.getallocatedblocks()
            taken = store.snapshot() if what == "snapshot" else store.restore(kept)
            made.append((sys.getallocatedblocks() - before, taken))
    (small, _), (large, _) = made
    assert large <= small + 50


@pytest.mark.parametrize("what", ["snapshot", "restore"])
def test_a_snapshot_takes_as_many_steps_for_a_thousand_times_as_many_keys(what):
    taken = []
    for count in (10, 10_000):
        with fake_store(buckets=["photos"]) as store:
            fill(store, "photos", [f"{number:05}" for number in range(count)])
            kept = store.snapshot()
            call = store.snapshot if what == "snapshot" else lambda store=store, kept=kept: store.restore(kept)
            taken.append(steps(call)["all"])
    small, large = taken
    assert large == small


#: Calls, in C too, to those of the bare callback; a copy reads a source as well.
TIMES_THE_FLOOR = dict.fromkeys(REQUESTS, 1.26) | {"copy": 1.31}


def steps_of(contender):
    with contender.active(), contender.session() as session:
        # Or requests goes through the variables of the environment, and the more there are the less the rest counts.
        session.trust_env = False
        for call in contender.calls(session, "warm").values():
            call().raise_for_status()
        return {request: steps(call)["all"] for request, call in contender.calls(session, "counted").items()}


def test_a_request_takes_hardly_more_steps_than_a_bare_callback_of_responses():
    floor, ours = steps_of(BARE), steps_of(FAKESTORE)
    over = {request: ours[request] / floor[request] for request in ours}
    assert {request: times for request, times in over.items() if times > TIMES_THE_FLOOR[request]} == {}


def test_entering_and_leaving_a_store_takes_a_bounded_number_of_steps():
    def enter_and_leave():
        with fake_store():
            pass

    enter_and_leave()
    assert steps(enter_and_leave)["all"] <= ENTERING


@pytest.mark.parametrize(
    ("request_name", "times"), [("PUT", 1), ("GET", 0), ("HEAD", 0), ("GET acl", 0), ("copy", 0), ("DELETE", 0)]
)
def test_a_body_is_hashed_once_in_its_life(request_name, times):
    with FAKESTORE.active(), FAKESTORE.session() as session:
        hashed = {}
        for request, call in FAKESTORE.calls(session, "cat").items():
            hashed[request] = steps(call)["md5"]
    assert hashed[request_name] == times
