"""Libraries that cache the responses of `requests`: they must see bodies end as urllib3's do."""

from __future__ import annotations

import cachecontrol
import pytest
import requests
import requests_cache

from fakestore import fake_store


@pytest.fixture
def store():
    with fake_store(buckets=["photos"]) as store:
        store["photos"].put("cat.jpg", b"meow" * 10_000, headers={"Cache-Control": "max-age=3600"})
        store["photos"].put("checked.jpg", b"meow", headers={"Cache-Control": "no-cache"})
        store["photos"].put("empty", headers={"Cache-Control": "max-age=3600"})
        yield store


@pytest.fixture(params=["CacheControl", "requests-cache"])
def session(request, store):
    if request.param == "CacheControl":
        session = cachecontrol.CacheControl(requests.Session())
    else:
        session = requests_cache.CachedSession(backend="memory", cache_control=True)
    session.auth = store.auth()
    with session:
        yield session


@pytest.mark.parametrize("key", ["cat.jpg", "empty"])
def test_a_fresh_response_is_not_requested_again(store, session, key):
    seen = [session.get(store.url("photos", key)) for _ in range(3)]
    assert [(each.status_code, each.content) for each in seen] == [(200, store["photos"][key].content)] * 3
    assert len(store.exchanges) == 1


def test_a_stale_response_is_revalidated(store, session):
    url = store.url("photos", "checked.jpg")
    assert [session.get(url).content for _ in range(2)] == [b"meow"] * 2
    assert [exchange.status for exchange in store.exchanges] == [200, 304]


def test_a_body_that_is_read_to_its_end_is_closed(store):
    with store.session().get(store.url("photos", "cat.jpg"), stream=True) as answer:
        assert (answer.raw.read(10), answer.raw.closed) == (b"meowmeowme", False)
        assert (len(answer.raw.read()), answer.raw.closed, answer.raw.read(1)) == (39_990, True, b"")
