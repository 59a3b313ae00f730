"""A store beside mocks of other hosts: they keep answering their own, and what nothing answers is refused."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import aiohttp
import boto3
import httpx
import pytest
import requests
import responses
import respx
import urllib3
import vcr
from requests.adapters import HTTPAdapter

from fakestore import UnexpectedRequest, fake_store
from tests.clients.arrange import get, put_cat

QUEUE = "https://queue.example.com/next"
ELSEWHERE = "http://elsewhere.test/"
REAL_SEND = HTTPAdapter.send


@pytest.fixture(autouse=True)
def nothing_stays_patched():
    yield
    assert HTTPAdapter.send is REAL_SEND


# -- the mock of a store


def test_responses_of_a_store_answer_other_hosts_until_it_is_left():
    with fake_store(buckets=["photos"]) as store:
        store.responses.get(QUEUE, json={"name": "cat.jpg"})
        assert requests.get(QUEUE).json() == {"name": "cat.jpg"}
        assert (put_cat(store), len(store.responses.calls)) == (200, 1), "requests to the store are not kept"
        assert get(ELSEWHERE) == "UnexpectedRequest"
        assert len(store.unhandled_requests) == 1
        store.unhandled_requests.clear()


def test_refusal_names_the_responses_of_the_store_for_the_host():
    with fake_store() as store:
        store.responses.assert_all_requests_are_fired = False
        store.responses.get(QUEUE)
        store.responses.get(ELSEWHERE)
        for client, reason in ((requests, r" \(Method does not match\)"), (httpx, "")):
            with pytest.raises(UnexpectedRequest, match=rf"for httpx, use respx.*, and has GET {QUEUE}{reason}\."):
                client.post(QUEUE)
        store.unhandled_requests.clear()


def test_refusal_says_why_a_response_of_the_store_does_not_match():
    with fake_store() as store:
        store.responses.assert_all_requests_are_fired = False
        matchers = responses.matchers
        for matcher, reason in (
            (matchers.json_params_matcher({"name": "cat.jpg"}), r"request\.body doesn't match"),
            (matchers.header_matcher({"Authorization": "Bearer right"}), "Headers do not match"),
            (matchers.query_param_matcher({"token": "right"}), "Parameters do not match"),
        ):
            store.responses.reset()
            store.responses.post(QUEUE, match=[matcher])
            with pytest.raises(UnexpectedRequest, match=rf"POST {QUEUE} \({reason}\)\.") as raised:
                headers = {"Authorization": "Bearer secret"}
                requests.post(QUEUE, json={"name": "secret"}, headers=headers, params={"token": "secret"})
            assert "secret" not in str(raised.value)
            assert raised.value.request.body is None
        store.unhandled_requests.clear()


def test_reset_removes_responses_and_calls():
    with fake_store() as store:
        store.responses.get(QUEUE)
        requests.get(QUEUE)
        store.responses.get(ELSEWHERE)
        store.reset()
        assert len(store.responses.calls) == 0
        assert get(QUEUE) == "UnexpectedRequest"
        store.unhandled_requests.clear()


def test_response_of_a_store_that_was_never_sent_fails_the_test():
    with pytest.raises(AssertionError, match=r"queue\.example\.com"):
        with fake_store() as store:
            store.responses.get(QUEUE)
    with pytest.raises(ZeroDivisionError), fake_store() as store:
        store.responses.get(QUEUE)
        raise ZeroDivisionError
    with fake_store() as store:
        store.responses.assert_all_requests_are_fired = False
        store.responses.get(QUEUE)


@responses.activate
def test_what_a_store_has_no_response_for_goes_on_to_the_mocks_around_it():
    responses.get(ELSEWHERE, status=299)
    with fake_store(base_url="http://outer.test") as outer, fake_store() as store:
        outer.responses.get("http://outer.example.com/", status=298)
        store.responses.get(QUEUE, status=297)
        assert (get(ELSEWHERE), get("http://outer.example.com/"), get(QUEUE)) == (299, 298, 297)


@pytest.mark.parametrize("let_pass", [responses.RequestsMock.add_passthru, responses.RequestsMock.get])
def test_responses_of_a_store_let_requests_pass_to_the_network(loopback, let_pass):
    with fake_store() as store:
        if let_pass is responses.RequestsMock.get:
            store.responses.add(responses.PassthroughResponse("GET", f"{loopback.url}/ok"))
        else:
            store.responses.add_passthru(loopback.url)
        assert requests.get(f"{loopback.url}/ok").content == b"real"
        store.responses.reset()
        assert get(f"{loopback.url}/ok") == "UnexpectedRequest"
        store.unhandled_requests.clear()


# -- mocks of `responses`


@pytest.mark.parametrize("order", ["outside", "inside"])
def test_add_passthru_lets_requests_reach_a_store_or_the_network(loopback, order):
    def check(store, mock):
        mock.add_passthru(store.url("photos"))
        mock.add_passthru(loopback.url)
        mock.get(QUEUE, status=299)
        assert (put_cat(store), get(QUEUE), get(f"{loopback.url}/ok")) == (200, 299, 200)

    if order == "outside":
        with responses.RequestsMock() as mock, fake_store(buckets=["photos"]) as store:
            check(store, mock)
    else:
        with fake_store(buckets=["photos"]) as store, responses.RequestsMock() as mock:
            check(store, mock)


def test_store_answers_after_a_mock_around_it_has_ended():
    mock = responses.RequestsMock()
    mock.start()
    with fake_store(buckets=["photos"]) as store:
        mock.stop()
        assert (put_cat(store), get(ELSEWHERE)) == (200, "UnexpectedRequest")
        store.unhandled_requests.clear()


def test_file_is_read_by_the_store_and_not_before_it():
    sizes = []

    class File:
        def read(self, size=None):
            sizes.append(size)
            return b""

    with responses.RequestsMock() as mock, fake_store(buckets=["photos"]) as store:
        mock.add_passthru(store.url("photos"))
        store.responses.assert_all_requests_are_fired = False
        store.responses.get(QUEUE)
        requests.put(store.url("photos", "k"), data=File(), auth=store.auth(), headers={"Content-Length": "9"})
    assert sizes
    assert None not in sizes, "a mock of responses reads the whole file"


# -- VCR


@pytest.fixture
def cassette(tmp_path):
    path = tmp_path / "cassette.yaml"
    path.write_text(
        f"""interactions:
- request: {{body: null, headers: {{}}, method: GET, uri: '{ELSEWHERE}'}}
  response: {{body: {{string: recorded}}, headers: {{}}, status: {{code: 200, message: OK}}}}
version: 1
"""
    )
    return str(path)


def use_in_company_of_vcr(store):
    client = boto3.client("s3")
    client.put_object(Bucket="photos", Key="boto3", Body=b"meow")
    assert client.get_object(Bucket="photos", Key="boto3")["Body"].read() == b"meow"
    assert put_cat(store) == 200
    assert urllib3.request("GET", store.presign("GET", "photos", "cat.jpg", expires_in=9)).data == b"meow"
    assert requests.get(ELSEWHERE).text == "recorded"


@pytest.mark.parametrize("order", ["outside", "inside"])
def test_vcr_answers_its_hosts_and_the_store_its_own(cassette, order):
    recorder, recipe = vcr.VCR(record_mode="none"), fake_store(dialect="s3", buckets=["photos"])
    if order == "outside":
        with recorder.use_cassette(cassette) as tape, recipe as store:
            use_in_company_of_vcr(store)
    else:
        with recipe as store, recorder.use_cassette(cassette) as tape:
            use_in_company_of_vcr(store)
    assert (tape.play_count, len(tape)) == (1, 1)


@pytest.mark.parametrize("order", ["outside", "inside"])
def test_vcr_that_ignores_the_store_leaves_it_the_requests_of_aiohttp(tmp_path, order):
    async def get(url):
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            return await response.read()

    ignoring = vcr.use_cassette(str(tmp_path / "new.yaml"), record_mode="none", ignore_hosts=["photos.objects.test"])
    with ExitStack() as stack:
        if order == "outside":
            stack.enter_context(ignoring)
        store = stack.enter_context(
            fake_store(buckets=["photos"], base_url="http://objects.test", dialect="s3", acls=True)
        )
        store["photos"].put("cat.jpg", b"meow", acl="public-read")
        if order == "inside":
            stack.enter_context(ignoring)
        assert asyncio.run(get(store.url("photos", "cat.jpg"))) == b"meow"


def test_other_tool_that_replaces_the_class_of_connections_does_not_hang_a_pool(monkeypatch):
    class Connection(urllib3.connection.HTTPConnection):
        pass

    with fake_store(buckets=["photos"]) as store:
        monkeypatch.setattr(urllib3.HTTPConnectionPool, "ConnectionCls", Connection)
        assert urllib3.request("GET", store.url("photos")).status == 403


# -- other functions on top or below


def test_function_that_was_put_below_the_store_answers_other_hosts(monkeypatch):
    monkeypatch.setattr(urllib3.HTTPConnectionPool, "urlopen", lambda *_, **__: "mocked")
    with fake_store() as store:
        assert urllib3.PoolManager().connection_from_url(ELSEWHERE).urlopen("GET", "/") == "mocked"
        assert store.unhandled_requests == []


def test_adapters_of_other_schemes_pass(loopback):
    class Unix(HTTPAdapter):
        def get_connection_with_tls_context(self, *_, **__):
            return urllib3.connection_from_url(loopback.url)

        get_connection = get_connection_with_tls_context  # of `requests` before 2.32

        def request_url(self, *_):
            return "/ok"

    with fake_store() as store, requests.Session() as session:
        session.mount("http+docker://", Unix())
        assert session.get("http+docker://localhost/version").content == b"real"
        assert store.unhandled_requests == []
        with pytest.raises(UnexpectedRequest):
            requests.get(f"{loopback.url}/ok")
        store.unhandled_requests.clear()


# -- hosts that may reach the network


@pytest.mark.parametrize("port", ["", ":{port}"])
def test_only_the_hosts_of_allow_network_reach_the_network(loopback, port):
    with fake_store(allow_network=["127.0.0.1" + port.format(port=loopback.url.rpartition(":")[2])]) as store:
        assert requests.get(f"{loopback.url}/ok").content == b"real"
        assert urllib3.request("GET", f"{loopback.url}/ok").data == b"real"
        assert httpx.get(f"{loopback.url}/ok").content == b"real"
        with pytest.raises(UnexpectedRequest, match=r"use fake_store\(allow_network=\['elsewhere\.test'\]\)"):
            requests.get(ELSEWHERE)
        store.unhandled_requests.clear()
    with fake_store(allow_network=["127.0.0.1:9"]) as store:
        assert get(f"{loopback.url}/ok") == "UnexpectedRequest"
        store.unhandled_requests.clear()


@pytest.mark.parametrize("host", ["::1", "[::1]", "[::1]:9"])
def test_an_ipv6_address_may_reach_the_network(host):
    with fake_store(allow_network=[host]):
        assert get("http://[::1]:9/") == "ConnectionError"


@pytest.mark.parametrize("hosts", ["localhost", 1, None])
def test_allow_network_that_is_no_list_of_hosts_is_refused(hosts):
    with pytest.raises(TypeError, match="allow_network"), fake_store(allow_network=hosts):
        pass


@pytest.mark.parametrize("host", ["http://localhost", "a/b", "", "localhost:http", "[::1", "[localhost]", 80])
def test_allow_network_refuses_what_is_not_a_host(host):
    with pytest.raises(ValueError, match="in allow_network: expected a host"), fake_store(allow_network=[host]):
        pass


# -- respx, pytest-httpx, pytest-socket, requests-mock, pytest-recording


@pytest.mark.parametrize("order", ["outside", "inside"])
def test_respx_answers_its_hosts_and_the_store_its_own(order):
    router, recipe = respx.mock(assert_all_called=False), fake_store(dialect="s3", buckets=["photos"])
    with ExitStack() as stack:
        entered = [stack.enter_context(each) for each in ((router, recipe) if order == "outside" else (recipe, router))]
        routes, store = entered if order == "outside" else entered[::-1]
        routes.get(QUEUE).respond(json={"name": "cat.jpg"})
        assert httpx.get(QUEUE).json() == {"name": "cat.jpg"}
        assert httpx.get(store.url("photos", "cat.jpg")).status_code == 403
        assert (put_cat(store), len(store.exchanges), routes.calls.call_count) == (200, 2, 1)


USE_PLUGINS = """
import httpx, pytest, requests, socket, boto3
from fakestore import fake_store

def use(store):
    boto3.client("s3").put_object(Bucket="photos", Key="boto3", Body=b"meow")
    assert requests.get(store.presign("GET", "photos", "boto3", expires_in=9)).content == b"meow"
    assert httpx.get(store.presign("GET", "photos", "boto3", expires_in=9)).content == b"meow"

@pytest.fixture
def store():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        yield store
"""


@pytest.mark.parametrize(
    ("plugin", "test"),
    [
        (
            "pytest_httpx",
            """
@pytest.mark.parametrize("order", [("store", "httpx_mock"), ("httpx_mock", "store")])
def test_it(order, request):
    fixtures = {name: request.getfixturevalue(name) for name in order}
    fixtures["httpx_mock"].add_response(url="https://queue.example.com/next", text="mocked")
    assert httpx.get("https://queue.example.com/next").text == "mocked"
    use(fixtures["store"])
""",
        ),
        (
            "pytest_socket",
            """
from pytest_socket import SocketBlockedError

@pytest.mark.disable_socket
@pytest.mark.filterwarnings("ignore:A test tried to use")
def test_disabled(store):
    use(store)
    with pytest.raises(SocketBlockedError):
        socket.socket()

def test_disabled_inside(store, socket_disabled):
    use(store)

@pytest.mark.allow_hosts(["127.0.0.1"])
def test_allowed(store):
    use(store)
""",
        ),
        (
            "requests_mock.contrib._pytest_plugin",
            """
@pytest.mark.parametrize("order", [("store", "requests_mock"), ("requests_mock", "store")])
def test_it(order, request):
    fixtures = {name: request.getfixturevalue(name) for name in order}
    fixtures["requests_mock"].real_http = True
    fixtures["requests_mock"].get("https://queue.example.com/next", text="mocked")
    assert requests.get("https://queue.example.com/next").text == "mocked"
    use(fixtures["store"])
""",
        ),
        (
            "pytest_recording.plugin",
            """
@pytest.mark.vcr
def test_recorded(store, vcr):
    use(store)
    assert len(vcr) == 0

@pytest.mark.block_network
def test_blocked(store):
    use(store)
""",
        ),
    ],
    ids=lambda value: value if "\n" not in value else "",
)
def test_plugins_of_pytest_keep_company(pytester, plain_runs, plugin, test):
    pytester.makepyfile(USE_PLUGINS + test)
    result = pytester.runpytest("-p", plugin, "-p", "fakestore.pytest_plugin")
    outcomes = result.parseoutcomes()
    assert outcomes.keys() - {"warnings", "warning"} == {"passed"}, result.stdout.str()
