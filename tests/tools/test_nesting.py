"""Stores beside other mocks and other stores, and what does not get past them."""

from __future__ import annotations

import pytest
import requests
import requests_mock
import responses
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, UnexpectedRequest, UnsupportedRequest, fake_store
from fakestore.clients.requests.patch import Patch

REAL_SEND = HTTPAdapter.send
ELSEWHERE = "http://elsewhere.test/"


@pytest.fixture(autouse=True)
def nothing_stays_patched():
    yield
    assert HTTPAdapter.send is REAL_SEND


def put_cat(store, session=requests):
    return session.put(store.url("photos", "cat.jpg"), data=b"meow", auth=store.auth()).status_code


def asked(url):
    """The status of a GET, or the name of what it raised."""
    try:
        return requests.get(url, timeout=2).status_code
    except Exception as error:
        return type(error).__name__


# -- responses


@responses.activate
def test_a_store_inside_of_responses_answers_and_lets_responses_answer_the_rest():
    responses.get(ELSEWHERE, status=299)
    with fake_store(buckets=["photos"]) as store:
        inside = (put_cat(store), asked(ELSEWHERE))
    assert (inside, asked(ELSEWHERE)) == ((200, 299), 299)


@responses.activate
def test_what_neither_a_store_nor_responses_knows_is_refused_by_responses():
    with fake_store() as store:
        with pytest.raises(requests.ConnectionError, match="Connection refused by Responses"):
            requests.get(ELSEWHERE)
        assert store.unhandled_requests == []


def test_responses_inside_of_a_store_hides_it_until_it_ends():
    with fake_store(buckets=["photos"]) as store:
        with responses.RequestsMock() as inner:
            inner.put(store.url("photos", "cat.jpg"), status=299)
            inside = put_cat(store)
        assert (inside, put_cat(store)) == (299, 200)


def test_responses_inside_of_a_store_refuses_what_it_does_not_know():
    with fake_store(buckets=["photos"]) as store:
        with responses.RequestsMock(), pytest.raises(requests.ConnectionError, match="Connection refused by Responses"):
            put_cat(store)


def test_a_store_leaves_no_call_in_responses_own_record():
    with responses.RequestsMock(assert_all_requests_are_fired=False) as outer:
        with fake_store(buckets=["photos"]) as store:
            put_cat(store)
        assert (len(outer.calls), len(responses.calls)) == (0, 0)


def test_a_store_stopped_before_the_responses_on_top_of_it_forwards_for_good():
    recipe = fake_store(buckets=["photos"])
    store = recipe.__enter__()
    with responses.RequestsMock() as on_top:
        recipe.__exit__(None, None, None)
        on_top.get(ELSEWHERE, status=299)
        still_on_top = asked(ELSEWHERE)
    put_back = HTTPAdapter.send is not REAL_SEND
    with fake_store(base_url="http://other.test") as later:
        refused = asked(store.url("photos"))
        later.unhandled_requests.clear()

    assert (still_on_top, put_back, refused) == (299, True, "UnexpectedRequest")


def test_a_store_that_was_put_back_after_it_closed_never_answers(loopback):
    recipe = fake_store(base_url=loopback.url, buckets=["photos"])
    recipe.__enter__()
    with responses.RequestsMock(assert_all_requests_are_fired=False):
        recipe.__exit__(None, None, None)
    assert requests.get(f"{loopback.url}/ok").content == b"real"
    with fake_store():
        pass


# -- requests-mock


def test_a_store_inside_of_requests_mock_is_reached_with_real_http():
    with requests_mock.Mocker(real_http=True) as mocker:
        mocker.get(ELSEWHERE, status_code=299)
        with fake_store(buckets=["photos"]) as store:
            assert (put_cat(store), asked(ELSEWHERE)) == (200, 299)


def test_requests_mock_without_real_http_hides_a_store_inside_of_it():
    with requests_mock.Mocker(), fake_store(buckets=["photos"]) as store:
        with pytest.raises(requests_mock.NoMockAddress):
            put_cat(store)


def test_requests_mock_inside_of_a_store_answers_and_lets_the_store_answer_the_rest():
    with fake_store(buckets=["photos"]) as store, requests_mock.Mocker(real_http=True) as mocker:
        mocker.get(ELSEWHERE, status_code=299)
        assert (put_cat(store), asked(ELSEWHERE)) == (200, 299)


def test_requests_mock_hands_on_to_a_store_for_one_url_registered_so():
    with fake_store(buckets=["photos"]) as store, requests_mock.Mocker() as mocker:
        mocker.register_uri(requests_mock.ANY, store.url("photos", "cat.jpg"), real_http=True)
        assert (put_cat(store), asked(ELSEWHERE)) == (200, "NoMockAddress")


def test_an_adapter_of_requests_mock_may_be_mounted_beside_one_of_a_store():
    store = FakeStore(buckets=["photos"])
    elsewhere = requests_mock.Adapter()
    elsewhere.register_uri("GET", ELSEWHERE, status_code=299)
    session = store.session()
    session.mount("http://photos.objects.test", store.adapter())
    session.mount(ELSEWHERE, elsewhere)
    assert (put_cat(store, session), session.get(ELSEWHERE).status_code) == (200, 299)


# -- other stores


def test_two_stores_of_different_hosts_answer_each_its_own():
    with fake_store(base_url="http://one.test", buckets=["photos"]) as one:
        with fake_store(base_url="http://two.test", buckets=["photos"]) as two:
            assert (put_cat(one), list(one["photos"]), list(two["photos"])) == (200, ["cat.jpg"], [])


def test_of_two_stores_of_one_host_the_inner_answers():
    with fake_store(buckets=["photos"]) as outer, fake_store(buckets=["photos"]) as inner:
        put_cat(outer)
        assert (list(outer["photos"]), list(inner["photos"])) == ([], ["cat.jpg"])


def test_what_no_store_knows_is_refused_by_the_outermost_alone():
    with fake_store(base_url="http://one.test") as one, fake_store(base_url="http://two.test") as two:
        assert asked(ELSEWHERE) == "UnexpectedRequest"
        assert (len(one.unhandled_requests), len(two.unhandled_requests)) == (1, 0)
        one.unhandled_requests.clear()


def entered_out_of_order(**inner_options):
    """An outer store that is closed while the inner one still answers."""
    outer, inner = fake_store(base_url="http://one.test"), fake_store(base_url="http://two.test", **inner_options)
    outer.__enter__()
    inner_store = inner.__enter__()
    outer.__exit__(None, None, None)
    return inner, inner_store


def test_a_store_left_before_the_one_inside_of_it_takes_nothing_from_that():
    inner, store = entered_out_of_order(buckets=["photos"])
    answered = put_cat(store)
    inner.__exit__(None, None, None)
    assert (answered, HTTPAdapter.send is REAL_SEND) == (200, True)


def test_a_closed_store_underneath_opens_no_way_to_the_network(loopback):
    inner, store = entered_out_of_order()
    with pytest.raises(UnexpectedRequest):
        requests.get(f"{loopback.url}/ok")
    store.unhandled_requests.clear()
    inner.__exit__(None, None, None)


def test_a_closed_store_underneath_forwards_to_the_network_where_it_is_allowed(loopback):
    inner, _ = entered_out_of_order(allow_network=True)
    content = requests.get(f"{loopback.url}/ok").content
    inner.__exit__(None, None, None)
    assert content == b"real"


def test_a_patch_stopped_out_of_order_between_two_others_goes_with_the_upper_one():
    recipes = [fake_store(base_url=f"http://{name}.test") for name in ("one", "two", "three")]
    for recipe in recipes:
        recipe.__enter__()
    for place in (1, 0, 2):
        recipes[place].__exit__(None, None, None)
    assert HTTPAdapter.send is REAL_SEND


def test_a_patch_that_is_stopped_twice_is_stopped():
    patch = Patch(FakeStore()._service, allow_network=False)
    patch.start()
    patch.stop()
    patch.stop()
    assert HTTPAdapter.send is REAL_SEND


# -- requests to other hosts


@fake_store()
def test_a_request_to_another_host_is_refused_with_what_there_is(store):
    with pytest.raises(UnexpectedRequest) as refused:
        requests.get(ELSEWHERE)
    assert str(refused.value) == (
        "GET http://elsewhere.test/: 'elsewhere.test' is not a host of this store. It answers at 'objects.test' and at"
        " '<bucket>.objects.test'; to let other requests go to the network, use fake_store(allow_network=True)"
    )
    store.unhandled_requests.clear()


@fake_store()
def test_the_refusal_is_a_connection_error_that_carries_its_request(store):
    with pytest.raises(requests.ConnectionError) as refused:
        requests.get(ELSEWHERE)
    assert refused.value.request.url == ELSEWHERE
    store.unhandled_requests.clear()


@pytest.mark.parametrize(
    "near",
    ["http://photos.object.test/", "http://objects.tets/", "http://myobjects.test/"],
)
@fake_store()
def test_a_near_miss_of_the_host_is_named(store, near):
    with pytest.raises(UnexpectedRequest, match=r"though it is close to 'objects\.test'; is it a slip\?"):
        requests.get(near)
    store.unhandled_requests.clear()


@pytest.mark.parametrize(
    ("base_url", "asked"),
    [
        ("https://objects.test:9000", "https://photos.objects.test/"),
        ("https://objects.test:9000", "http://objects.test:9001/"),
        ("http://objects.test", "http://photos.objects.test:8080/"),
    ],
)
def test_another_port_of_the_stores_host_is_named(base_url, asked):
    with fake_store(base_url=base_url) as store:
        netloc, ours = (url.partition("://")[2].rstrip("/") for url in (asked, base_url))
        with pytest.raises(
            UnexpectedRequest, match=f"'{netloc}' is not a host of this store: the port is not that of '{ours}'"
        ):
            requests.get(asked)
        store.unhandled_requests.clear()


@fake_store(buckets=["photos"])
def test_both_schemes_are_the_stores(store):
    secure = store.url("photos", "cat.jpg").replace("http:", "https:")
    assert requests.get(secure, auth=store.auth()).status_code == 404


def test_a_request_to_the_network_is_let_out_where_that_is_allowed(loopback):
    with fake_store(allow_network=True, buckets=["photos"]) as store:
        assert (requests.get(f"{loopback.url}/ok").content, put_cat(store)) == (b"real", 200)


def test_no_request_reaches_the_network_where_it_is_not_allowed(loopback):
    with fake_store() as store:
        asked(f"{loopback.url}/ok")
        store.unhandled_requests.clear()
    assert loopback.bodies == []


def test_a_redirect_to_another_host_is_refused_too():
    with responses.RequestsMock() as outer:
        outer.get("http://redirects.test/", status=302, headers={"Location": "http://photos.objects.test/cat.jpg"})
        with fake_store(buckets=["photos"]) as store:
            assert requests.get("http://redirects.test/", auth=store.auth()).status_code == 403


# -- on leaving


def test_a_swallowed_request_to_another_host_comes_back_on_leaving():
    with pytest.raises(UnexpectedRequest, match="elsewhere"):
        with fake_store():
            asked(ELSEWHERE)


def test_a_swallowed_unsupported_request_comes_back_on_leaving():
    with pytest.raises(UnsupportedRequest, match="torrent"):
        with fake_store(buckets=["photos"]) as store:
            assert asked(store.url("photos", "cat.jpg", torrent=None)) == "UnsupportedRequest"


def test_of_several_swallowed_refusals_the_first_comes_back_with_the_others_as_notes():
    with pytest.raises(UnexpectedRequest, match="one") as first:
        with fake_store():
            asked("http://one.test/")
            asked("http://two.test/")
    assert ["http://two.test/" in note for note in first.value.__notes__] == [True]


def test_swallowed_refusals_that_are_the_same_come_back_once_with_their_count():
    with pytest.raises(UnexpectedRequest, match="one") as first:
        with fake_store():
            for name in ("one", "two", "one", "two", "one"):
                asked(f"http://{name}.test/")
    count, others = first.value.__notes__
    assert (count, others[:35], others[-9:]) == ("3 times", "and also: GET http://two.test/: 'tw", "(2 times)")


def test_a_refusal_never_replaces_an_exception_that_is_leaving():
    with pytest.raises(ZeroDivisionError):
        with fake_store():
            asked(ELSEWHERE)
            _ = 1 / 0


def test_a_refusal_that_was_not_swallowed_is_the_exception_that_leaves():
    with pytest.raises(UnexpectedRequest) as raised:
        with fake_store() as store:
            requests.get(ELSEWHERE)
    assert raised.value is store.unhandled_requests[0]


def test_a_refusal_taken_off_does_not_come_back():
    with fake_store() as store:
        with pytest.raises(UnexpectedRequest) as meant:
            requests.get(ELSEWHERE)
        store.unhandled_requests.remove(meant.value)


# -- without patching


def test_a_store_made_directly_patches_nothing():
    FakeStore(buckets=["photos"])
    assert HTTPAdapter.send is REAL_SEND


@pytest.mark.parametrize("prefix", ["http://", "http://photos.objects.test", "http://photos.objects.test/"])
def test_a_mounted_adapter_answers(prefix):
    store = FakeStore(buckets=["photos"])
    session = store.session()
    session.mount(prefix, store.adapter())
    assert (put_cat(store, session), store["photos"]["cat.jpg"].content) == (200, b"meow")


def test_a_mounted_adapter_lets_requests_to_other_hosts_go_on(loopback):
    session = requests.Session()
    session.mount("http://", FakeStore().adapter())
    assert session.get(f"{loopback.url}/ok").content == b"real"


def test_a_mounted_adapter_inside_of_another_store_is_refused_other_hosts(loopback):
    session = requests.Session()
    session.mount("http://", FakeStore(base_url="http://mounted.test").adapter())
    with fake_store() as store:
        with pytest.raises(UnexpectedRequest):
            session.get(f"{loopback.url}/ok")
        store.unhandled_requests.clear()


def test_a_mounted_adapter_is_preferred_to_a_store_that_is_patched_in():
    mounted = FakeStore(buckets=["photos"])
    session = mounted.session()
    session.mount("http://", mounted.adapter())
    with fake_store(buckets=["photos"]) as patched:
        put_cat(mounted, session)
        assert (list(mounted["photos"]), list(patched["photos"])) == (["cat.jpg"], [])


def test_a_mounted_adapter_retries_as_it_is_told():
    from fakestore import faults

    store = FakeStore(buckets=["photos"])
    session = store.session()
    session.mount("http://", store.adapter(max_retries=1))
    store.fail("PUT Object", faults.ConnectionReset())
    assert put_cat(store, session) == 200


def test_a_session_of_a_store_signs_only_requests_to_it():
    with responses.RequestsMock() as outer:
        outer.get(ELSEWHERE)
        with fake_store() as store:
            store.session().get(ELSEWHERE)
        assert "Authorization" not in outer.calls[0].request.headers
