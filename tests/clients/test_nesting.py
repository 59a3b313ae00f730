"""Stores beside other mocks and other stores, and without a patch."""

from __future__ import annotations

import itertools
import re
from contextlib import ExitStack

import pytest
import requests
import requests_mock
import responses
from requests.adapters import HTTPAdapter
from responses.registries import OrderedRegistry
from urllib3.util import Retry

from fakestore import FakeStore, UnexpectedRequest, fake_store, faults
from tests.clients.arrange import get, put_cat
from tests.support.programs import run_program

REAL_SEND = HTTPAdapter.send
REAL_MOCK = responses.RequestsMock.stop, responses.RequestsMock.unbound_on_send
ELSEWHERE = "http://elsewhere.test/"


@pytest.fixture(autouse=True)
def nothing_stays_patched():
    yield
    assert HTTPAdapter.send is REAL_SEND
    assert (responses.RequestsMock.stop, responses.RequestsMock.unbound_on_send) == REAL_MOCK


# -- responses


@responses.activate
def test_a_store_inside_responses_lets_it_answer_the_rest():
    responses.get(ELSEWHERE, status=299)
    with fake_store(buckets=["photos"]) as store:
        assert (put_cat(store), get(ELSEWHERE), len(responses.calls)) == (200, 299, 1)
        with pytest.raises(requests.ConnectionError, match="Connection refused by Responses"):
            requests.get("http://unknown.test/")
        assert store.unhandled_requests == []
    assert get(ELSEWHERE) == 299


@pytest.mark.parametrize(
    "stub", [{}, {"url": re.compile(r"http://photos\.objects\.test/cat.*")}], ids=["url", "pattern"]
)
def test_responses_inside_a_store_answers_first_and_leaves_it_the_rest(stub):
    with fake_store(buckets=["photos"]) as store:
        with responses.RequestsMock() as inner:
            inner.put(**({"url": store.url("photos", "cat.jpg")} | stub), status=299)
            inner.get(ELSEWHERE, status=298)
            assert (put_cat(store), get(ELSEWHERE)) == (299, 298)
            reply = requests.get(store.url("photos", "cat.jpg"), auth=store.auth())
            assert (reply.status_code, len(inner.calls)) == (404, 2), "the store's requests are not kept"
            with pytest.raises(requests.ConnectionError, match="Connection refused by Responses"):
                requests.get("http://unknown.test/")
        assert put_cat(store) == 200


def test_responses_inside_a_store_of_other_hosts_does_not_notice_its_requests():
    waited, sizes = [], []

    class File:
        def read(self, size=None):
            sizes.append(size)
            return b""

    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=Retry(1, status_forcelist=[503], backoff_factor=8)))
    with fake_store(buckets=["photos"], sleep=waited.append) as store:
        with responses.RequestsMock(registry=OrderedRegistry) as inner:
            for status in (297, 298):
                inner.get(ELSEWHERE, status=status)
            assert get(ELSEWHERE) == 297
            store.fail("GetObject", faults.ServiceError("SlowDown"), times=2)
            with pytest.raises(requests.exceptions.RetryError):
                session.get(store.url("photos", "cat.jpg"), auth=store.auth())
            requests.put(store.url("photos", "k"), data=File(), auth=store.auth(), headers={"Content-Length": "9"})
            assert get(ELSEWHERE) == 298
    assert sizes
    assert None not in sizes, "a mock of responses reads the whole file"


def test_responses_that_outlives_a_store_refuses_its_requests():
    with responses.RequestsMock() as mock:
        mock.stop()
        with fake_store(buckets=["photos"]) as store:
            mock.start()
            assert put_cat(store) == 200
        with pytest.raises(requests.ConnectionError, match="Connection refused by Responses"):
            requests.get(store.url("photos", "cat.jpg"))


def test_a_store_first_imported_inside_responses_still_refuses_the_network():
    code = """
import requests, responses
with responses.RequestsMock():
    from fakestore import UnexpectedRequest, fake_store
with fake_store() as store:
    try:
        requests.get("http://127.0.0.1:9/", timeout=1)
    except UnexpectedRequest:
        print("refused")
    store.unhandled_requests.clear()
"""
    assert run_program(code) == "refused\n"


# -- requests-mock


def test_requests_mock_with_real_http_reaches_a_store_on_either_side():
    with requests_mock.Mocker(real_http=True) as mocker, fake_store(buckets=["photos"]) as store:
        mocker.get(ELSEWHERE, status_code=299)
        assert (put_cat(store), get(ELSEWHERE)) == (200, 299)
    with fake_store(buckets=["photos"]) as store, requests_mock.Mocker(real_http=True) as mocker:
        mocker.get(ELSEWHERE, status_code=299)
        assert (put_cat(store), get(ELSEWHERE)) == (200, 299)


def test_requests_mock_without_real_http_hides_a_store():
    with requests_mock.Mocker() as mocker, fake_store(buckets=["photos"]) as store:
        assert get(store.url("photos")) == "NoMockAddress"
        mocker.register_uri(requests_mock.ANY, store.url("photos", "cat.jpg"), real_http=True)
        assert (put_cat(store), get(ELSEWHERE)) == (200, "NoMockAddress")


def test_adapters_of_requests_mock_and_of_a_store_are_mounted_together():
    store = FakeStore(buckets=["photos"])
    elsewhere = requests_mock.Adapter()
    elsewhere.register_uri("GET", ELSEWHERE, status_code=299)
    session = store.session()
    session.mount("http://photos.objects.test", store.adapter())
    session.mount(ELSEWHERE, elsewhere)
    assert (put_cat(store, session), session.get(ELSEWHERE).status_code) == (200, 299)


# -- other stores


def test_stores_of_different_hosts_each_answer_their_own():
    with fake_store(base_url="http://one.test", buckets=["photos"]) as one:
        with fake_store(base_url="http://two.test", buckets=["photos"]) as two:
            assert (put_cat(one), list(one["photos"]), list(two["photos"])) == (200, ["cat.jpg"], [])


def test_of_two_stores_of_one_host_the_inner_answers():
    with fake_store(buckets=["photos"]) as outer, fake_store(buckets=["photos"]) as inner:
        put_cat(outer)
        assert (list(outer["photos"]), list(inner["photos"])) == ([], ["cat.jpg"])


def test_a_bucket_that_only_an_outer_store_has_is_explained():
    with fake_store(base_url="http://one.test", buckets=["photos"]), fake_store() as left:
        with fake_store(base_url="http://one.test", buckets=["films"]) as inner:
            for bucket, is_known in [("photos", True), ("nowhere", False)]:
                inner.session().get(inner.url(bucket))
                explanation = inner.exchanges[-1].explanation
                assert f"bucket {bucket!r} does not exist; known buckets: films" in explanation
                assert ("the store at 'http://one.test' that was entered earlier has it" in explanation) is is_known
                with pytest.raises(KeyError) as unknown:
                    inner[bucket]
                assert ("that was entered earlier has it" in str(unknown.value)) is is_known
        left.session().get(left.url("films"))
        assert "entered" not in left.exchanges[-1].explanation


@pytest.mark.decision("hosts-of-the-store")
def test_a_store_with_a_public_base_url_answers_at_the_public_hosts():
    recipes = [
        fake_store(dialect="s3", buckets=["photos"]),
        fake_store(dialect="s3", buckets=["photos"], base_url="http://minio.test:9000"),
    ]
    for outer, inner in (recipes, recipes[::-1]):
        with outer as one, inner as two:
            service, other = sorted((one, two), key=lambda store: store.base_url, reverse=True)
            for host in ("s3.amazonaws.com", "s3.us-east-1.amazonaws.com"):
                requests.put(f"https://{host}/photos/{host}", auth=service.auth())
            put_cat(other)
            assert len(service["photos"]) == 2
            assert list(other["photos"]) == ["cat.jpg"]


@pytest.mark.decision("unknown-hosts-in-nested-stores")
@pytest.mark.parametrize("allowed", list(itertools.product([False, True], repeat=2)))
def test_the_outermost_store_decides_about_other_hosts(loopback, allowed):
    one_allows, two_allows = allowed
    with fake_store(base_url="http://one.test", allow_network=one_allows) as one:
        with fake_store(base_url="http://two.test", allow_network=two_allows) as two:
            seen = get(f"{loopback.url}/ok")
            counts = (len(one.unhandled_requests), len(two.unhandled_requests))
            one.unhandled_requests.clear()
    assert (seen, counts) == ((200, (0, 0)) if one_allows else ("UnexpectedRequest", (1, 0)))


@pytest.mark.decision("unknown-hosts-in-nested-stores")
def test_refusal_of_another_mock_is_not_raised_again():
    with responses.RequestsMock(), fake_store():
        assert get(ELSEWHERE) == "ConnectionError"
    with fake_store(), responses.RequestsMock():
        assert get(ELSEWHERE) == "ConnectionError"


@pytest.mark.decision("hosts-of-the-store")
def test_both_schemes_are_the_stores():
    with fake_store(buckets=["photos"]) as store:
        secure = store.url("photos", "cat.jpg").replace("http:", "https:")
        assert requests.get(secure, auth=store.auth()).status_code == 404


# -- leaving in any order


def test_stores_may_be_left_in_any_order():
    for order in itertools.permutations(range(3)):
        recipes = [fake_store(base_url=f"http://{name}.test", buckets=["photos"]) for name in ("one", "two", "three")]
        stores = [recipe.__enter__() for recipe in recipes]
        for place, left in enumerate(order, start=1):
            recipes[left].__exit__(None, None, None)
            assert [put_cat(stores[number]) for number in order[place:]] == [200] * (3 - place), order
            with pytest.raises(requests.ConnectionError):
                put_cat(stores[left])
            for number in order[place:]:
                stores[number].unhandled_requests.clear()
        assert HTTPAdapter.send is REAL_SEND, order


def test_a_store_left_before_the_mock_inside_it_only_forwards(loopback):
    recipe = fake_store(base_url=loopback.url, buckets=["photos"])
    recipe.__enter__()
    with responses.RequestsMock() as inner:
        recipe.__exit__(None, None, None)
        inner.get(ELSEWHERE, status=299)
        assert get(ELSEWHERE) == 299
    assert HTTPAdapter.send is REAL_SEND
    assert requests.get(f"{loopback.url}/ok").content == b"real"
    with fake_store(base_url="http://other.test") as later:
        assert get(f"{loopback.url}/ok") == "UnexpectedRequest"
        later.unhandled_requests.clear()


def test_stores_on_both_sides_of_a_mock_may_be_left_in_any_order(loopback):
    outer, inner = fake_store(base_url="http://one.test", buckets=["photos"]), fake_store(buckets=["photos"])
    one = outer.__enter__()
    with responses.RequestsMock() as mock:
        store = inner.__enter__()
        mock.add_passthru(one.base_url)
        assert (put_cat(store), get(ELSEWHERE)) == (200, "ConnectionError")
        outer.__exit__(None, None, None)
        assert put_cat(store) == 200
        inner.__exit__(None, None, None)


def test_mocks_that_outlive_their_stores_leave_no_patch():
    for order in itertools.permutations(range(3)):
        recipes = [fake_store(base_url=f"http://{number}.test", buckets=["photos"]) for number in range(3)]
        with ExitStack() as mocks:
            stores = []
            for recipe in recipes:
                stores.append(recipe.__enter__())
                mock = mocks.enter_context(responses.RequestsMock())
                mock.put(stores[-1].url("photos", "cat.jpg"), status=299)
                assert put_cat(stores[-1]) == 299
            for number in order:
                recipes[number].__exit__(None, None, None)
        assert HTTPAdapter.send is REAL_SEND, order


def test_a_store_left_below_another_opens_no_way_to_the_network(loopback):
    outer, inner = fake_store(base_url="http://one.test", allow_network=True), fake_store(base_url="http://two.test")
    outer.__enter__()
    with inner as store:
        outer.__exit__(None, None, None)
        assert get(f"{loopback.url}/ok") == "UnexpectedRequest"
        store.unhandled_requests.clear()
    assert loopback.bodies == []


# -- without a patch


@pytest.mark.parametrize("prefix", ["http://", "http://photos.objects.test", "http://photos.objects.test/"])
def test_a_mounted_adapter_answers(prefix):
    store = FakeStore(buckets=["photos"])
    session = store.session()
    session.mount(prefix, store.adapter(max_retries=1))
    assert HTTPAdapter.send is REAL_SEND
    store.fail("PUT Object", faults.ConnectionReset())
    assert (put_cat(store, session), store["photos"]["cat.jpg"].content) == (200, b"meow")


def test_a_mounted_adapter_passes_requests_to_other_hosts(loopback):
    session = requests.Session()
    session.mount("http://", FakeStore(base_url="http://mounted.test").adapter())
    assert session.get(f"{loopback.url}/ok").content == b"real"
    with fake_store() as store:
        with pytest.raises(UnexpectedRequest):
            session.get(f"{loopback.url}/ok")
        store.unhandled_requests.clear()


def test_a_mounted_adapter_is_preferred_to_an_entered_store():
    mounted = FakeStore(buckets=["photos"])
    session = mounted.session()
    session.mount("http://", mounted.adapter())
    with fake_store(buckets=["photos"]) as patched:
        put_cat(mounted, session)
        assert (list(mounted["photos"]), list(patched["photos"])) == (["cat.jpg"], [])


def test_a_session_signs_only_requests_to_its_store():
    with responses.RequestsMock() as outer:
        outer.get(ELSEWHERE)
        with fake_store() as store:
            store.session().get(ELSEWHERE)
        assert "Authorization" not in outer.calls[0].request.headers


def test_a_redirect_to_the_store_is_answered_by_it():
    with responses.RequestsMock() as outer:
        outer.get("http://redirects.test/", status=302, headers={"Location": "http://photos.objects.test/cat.jpg"})
        with fake_store(buckets=["photos"]) as store:
            assert requests.get("http://redirects.test/", auth=store.auth()).status_code == 403
