"""What a request is for: its Host header, its path and its query."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
import requests
from requests.adapters import HTTPAdapter

from fakestore import Addressing, Dialect, FakeStore, UnexpectedRequest, UnsupportedRequest, fake_store
from fakestore.http import Request
from tests.support.cases import each
from tests.support.state import stack
from tests.support.wire import elements, outcome, send, texts

decision = pytest.mark.decision


def unsupported(store, method, target, bucket="photos"):
    """Send a request that is not supported, and return the message."""
    with pytest.raises(UnsupportedRequest) as raised:
        send(store, method, bucket, target)
    store.unhandled_requests.clear()
    assert stack(store, "photos", "cat.jpg") == [b"meow"]
    return str(raised.value)


@pytest.fixture(autouse=True)
def cat(store):
    store["photos"].put("cat.jpg", b"meow")


# -- the host


def get_with_host(base_url, scheme, host):
    store = FakeStore(base_url=base_url, buckets=["photos"])
    with requests.Session() as session:
        session.mount(f"{scheme}://", store.adapter())
        url = f"{scheme}://{base_url.partition('://')[2]}/"
        return session.get(url, headers={"Host": host}, auth=store.auth()).status_code


@decision("hosts-of-the-store")
def test_host_with_the_port_of_the_store_or_none_is_served():
    for case in each(
        ("http://objects.test", "http", "photos.objects.test"),
        ("http://objects.test", "http", "photos.objects.test:80"),
        ("http://objects.test", "http", "photos.objects.test:080"),
        ("http://objects.test", "https", "photos.objects.test:443"),
        ("http://objects.test:9000", "http", "photos.objects.test:9000"),
        ("http://objects.test:9000", "http", "photos.objects.test"),
    ):
        with case as (base_url, scheme, host):
            assert get_with_host(base_url, scheme, host) == 200


@decision("hosts-of-the-store")
def test_host_with_another_port_is_unsupported():
    for case in each(
        ("http://objects.test", "http", "photos.objects.test:443"),
        ("http://objects.test", "https", "photos.objects.test:80"),
        ("http://objects.test:9000", "http", "photos.objects.test:80"),
        ("http://objects.test:9000", "http", "objects.test:80"),
        ("http://objects.test", "http", "photos.objects.test:99999999999"),
        ("http://objects.test", "http", "photos.objects.test:"),
    ):
        with case as (base_url, scheme, host):
            with pytest.raises(UnsupportedRequest, match=host):
                get_with_host(base_url, scheme, host)


def test_url_with_an_invalid_port_does_not_reach_the_store(store):
    prepared = requests.Request("GET", store.url("photos")).prepare()
    for port in ["99999", "x", "-1"]:
        prepared.url = f"http://photos.objects.test:{port}/"
        with pytest.raises(requests.ConnectionError):
            requests.Session().send(prepared)
        store.unhandled_requests.clear()
        assert list(store.exchanges) == []


@decision("hosts-of-the-store")
def test_public_host_answers_at_the_default_ports_and_the_port_of_the_store(store):
    with fake_store(dialect="s3", base_url="http://localhost:9000", buckets=["photos"]) as public:
        for url in ("https://photos.s3.amazonaws.com", "http://s3.amazonaws.com:80", "http://s3.amazonaws.com:9000"):
            assert requests.get(url).status_code == 403
        with pytest.raises(UnexpectedRequest, match="8080"):
            requests.get("http://s3.amazonaws.com:8080")
        public.unhandled_requests.clear()
    store.unhandled_requests.clear()


def test_region_of_a_public_host_is_read_without_regard_to_case():
    store = FakeStore(dialect="s3")
    url = "https://S3.EU-WEST-1.amazonaws.com/photos"
    signed = requests.Request("PUT", url, auth=store.auth()).prepare()
    reply = store.handle(Request.to_url("PUT", url, signed.headers))
    assert outcome(reply) == (400, "IllegalLocationConstraintException"), "a PUT without a region is for us-east-1"


def test_user_information_in_a_url_is_not_part_of_the_host(store):
    url = store.url("photos", "cat.jpg").replace("://", "://ada:secret@")
    assert Request.to_url("GET", url).host == "photos.objects.test"
    assert requests.get(url, auth=store.auth()).content == b"meow"
    assert "secret" not in store.exchanges[-1].request.url


# -- the path


@decision("path-without-a-key")
def test_put_of_an_object_without_a_key_says_so(store):
    for case in each("x-svc-meta-name", "x-svc-storage-class"):
        with case as header:
            with pytest.raises(UnsupportedRequest, match="no key") as raised:
                send(store, "PUT", "photos", "/", {header: "/photos/cat.jpg"})
            assert header in str(raised.value)
    assert outcome(send(store, "PUT", "photos", "/", {"x-svc-copy-source": "/photos/cat.jpg"}))[0] == 400
    assert "names a key" in store.exchanges[-1].explanation
    store.unhandled_requests.clear()
    assert outcome(send(store, "PUT", "photos", "/%2F", body=b"meow")) == (200, None)
    assert stack(store, "photos", "/") == [b"meow"]


@decision("object-keys")
def test_target_that_does_not_begin_with_a_slash_is_invalid(store):
    for case in each("k", "*", "", "?versions", "http://photos.objects.test/k"):
        with case as target:
            assert outcome(send(store, "GET", "photos", target)) == (400, "InvalidURI")


@decision("object-keys")
def test_leading_slashes_of_a_path_arrive_as_the_adapter_sends_them(store):
    class Collapsing(HTTPAdapter):
        def request_url(self, request, proxies):  # as in requests 2.32.5 to 2.33.1
            return "/" + super().request_url(request, proxies).lstrip("/")

    for adapter in [HTTPAdapter(), Collapsing()]:
        session = store.session()
        session.mount("http://", adapter)
        for case in each("//a", "//a//b", "/a//b", "/a//", "/%2Fa"):
            with case as path:
                reply = session.put(f"http://photos.objects.test{path}", data=b"meow")
                reply.raise_for_status()
                sent = adapter.request_url(reply.request, {})
                assert store.exchanges[-1].key == unquote(sent[1:])
                assert store.exchanges[-1].key in store["photos"]


@decision("path-style")
def test_path_style_is_unsupported_and_the_message_has_the_url(store):
    for case in each(
        ("GET", "/photos/cat.jpg", "http://photos.objects.test/cat.jpg"),
        ("PUT", "/photos/a/b.jpg", "http://photos.objects.test/a/b.jpg"),
        ("GET", "/photos/", "http://photos.objects.test/"),
        ("DELETE", "/photos/cat.jpg?versionId=null", "http://photos.objects.test/cat.jpg"),
        ("GET", "/photos/2024/a%20b.csv", "http://photos.objects.test/2024/a%20b.csv"),
    ):
        with case as (method, target, url):
            message = unsupported(store, method, target, bucket=None)
            assert f"{url}," in message
            assert "addressing=frozenset({Addressing.PATH})" in message


@decision("path-style")
def test_bucket_in_the_host_is_unsupported_with_path_style_only():
    dialect = Dialect(addressing=frozenset({Addressing.PATH}))
    store = FakeStore(dialect=dialect, base_url="https://depot.test:8443", buckets=["photos"])
    request = Request.to_url("GET", "https://photos.depot.test:8443/a%20b?versionId=1")
    with pytest.raises(UnsupportedRequest, match="only path style") as raised:
        store.handle(request)
    assert " https://depot.test:8443/photos/a%20b," in str(raised.value)
    assert "addressing=frozenset(Addressing)" in str(raised.value)


@decision("hosts-of-the-store")
def test_message_about_an_unknown_host_has_the_port_of_the_store():
    with pytest.raises(UnsupportedRequest, match=r"'objects\.test:9000' and .* 'photos\.objects\.test:9000'"):
        get_with_host("http://objects.test:9000", "http", "elsewhere.test:9000")


@decision("path-style")
@pytest.mark.parametrize("dialect", ["document", "s3"])
def test_path_of_the_service_that_begins_with_two_slashes_is_unsupported(dialect):
    store = FakeStore(dialect=dialect, buckets=["photos"])
    for case in each("//photos", "//photos/cat.jpg", "//"):
        with case as target:
            with pytest.raises(UnsupportedRequest, match=f"GET {target}: .* two slashes"):
                store.handle(Request.to_url("GET", store.base_url + target))


# -- the query


def test_query_parameter_sent_twice_is_unsupported(store):
    for case in each(
        ("GET", "/?prefix=a&prefix=b", "prefix"),
        ("GET", "/?prefix=a&%70refix=a", "prefix"),
        ("GET", "/?acl&acl", "acl"),
        ("DELETE", "/cat.jpg?versionId=null&versionId=null", "versionId"),
    ):
        with case as (method, target, name):
            assert repr(name) in unsupported(store, method, target)


def test_two_subresources_are_unsupported(store):
    for case in each(
        ("GET", "/?acl&policy", ("acl", "policy")),
        ("GET", "/?list-type=2&versions", ("list-type", "versions")),
        ("PUT", "/?versioning&lifecycle", ("lifecycle", "versioning")),
        ("POST", "/?delete&acl", ("acl", "delete")),
        ("GET", "/cat.jpg?versioning&acl", ("acl", "versioning")),
    ):
        with case as (method, target, names):
            message = unsupported(store, method, target)
            assert [repr(name) in message for name in names] == [True, True]


@decision("values-of-subresources")
def test_subresource_with_a_value_is_unsupported(store):
    for case in each(
        ("GET", "/?location=x", "location", "x"),
        ("GET", "/?policy=%20", "policy", " "),
        ("PUT", "/?lifecycle=1&x=y", "lifecycle", "1"),
        ("POST", "/?delete=foo", "delete", "foo"),
        ("GET", "/cat.jpg?versionId=null&acl=banana", "acl", "banana"),
    ):
        with case as (method, target, name, value):
            message = unsupported(store, method, target)
            assert repr(name) in message
            assert repr(value) in message


def test_plus_is_a_blank_in_the_query(store):
    store["photos"].put("a b/c", b"meow")
    for case in each("a+b", "a%20b", "%61+b"):
        with case as prefix:
            assert texts(send(store, "GET", "photos", f"/?prefix={prefix}"), "Contents/Key") == ["a b/c"]
    assert repr("x y") in unsupported(store, "GET", "/?x+y=1&x%20y=1")


@decision("values-of-subresources")
def test_empty_value_and_empty_parameter_mean_nothing(store):
    for case in each("acl", "acl=", "&acl", "acl&", "&&acl&&"):
        with case as query:
            assert "AccessControlList" in elements(send(store, "GET", "photos", f"/?{query}"))


# -- public hosts and IP addresses


@pytest.mark.parametrize(
    "host",
    [
        "s3.amazonaws.com",
        "s3.eu-west-1.amazonaws.com",
        "s3-eu-west-1.amazonaws.com",
        "s3.dualstack.eu-west-1.amazonaws.com",
        "s3-fips.us-east-1.amazonaws.com",
        "s3-fips.dualstack.us-east-1.amazonaws.com",
        "s3.cn-north-1.amazonaws.com.cn",
        "s3.dualstack.cn-northwest-1.amazonaws.com.cn",
        "s3.us-gov-west-1.amazonaws.com",
        "s3.eusc-de-east-1.amazonaws.eu",
        "s3.us-iso-east-1.c2s.ic.gov",
        "s3.us-isob-east-1.sc2s.sgov.gov",
        "s3.eu-isoe-west-1.cloud.adc-e.uk",
        "s3-fips.us-isof-south-1.csp.hci.ic.gov",
    ],
)
@pytest.mark.parametrize("origin", ["https://{}", "https://{}:443", "http://{}", "http://{}:80"])
def test_a_store_of_s3_answers_at_the_public_hosts(host, origin):
    region = re.search(r"[.-]([a-z]+(-[a-z]+)+-\d)\.", host.replace("s3-fips", "s3"))
    with fake_store(dialect="s3", region=None if region is None else region[1], buckets=["photos"]) as store:
        store["photos"].put("cat.jpg", b"meow")
        session = store.session()
        for bucket_in_host, path in [("", "/photos/cat.jpg"), ("photos.", "/cat.jpg")]:
            url = origin.format(f"{bucket_in_host}{host}") + path
            assert session.get(url).content == b"meow", url


@decision("path-style")
def test_bucket_is_in_the_path_if_the_host_is_an_ip_address():
    for base_url, hosts, other_port in [
        ("http://127.0.0.1:9000", ["127.0.0.1:9000", "127.0.0.1"], "127.0.0.1:9001"),
        ("http://[::1]:9000", ["[::1]:9000", "[::1]"], "[::1]:9001"),
        ("http://[2001:DB8::80]", ["[2001:db8::80]", "[2001:db8::80]:80"], "[2001:db8::80]:9000"),
    ]:
        store = FakeStore(dialect="s3", base_url=base_url, buckets=["photos"])
        store["photos"].put("cat.jpg", b"meow")
        url = store.url("photos", "cat.jpg")
        assert url == f"{base_url}/photos/cat.jpg"
        with store.session() as session:
            session.mount("http://", store.adapter())
            for case in each(None, *hosts):
                with case as host:
                    assert session.get(url, headers={"Host": host}).content == b"meow"
            for case in each(other_port, "[::2]", "[::1", "[::1]x"):
                with case as host:
                    with pytest.raises(UnsupportedRequest, match=re.escape(repr(host))) as raised:
                        session.get(url, headers={"Host": host})
                    assert "'photos." not in str(raised.value), "a bucket cannot be in front of an IP address"


@decision("path-style")
def test_bucket_can_be_in_front_of_an_ipv4_address_but_not_of_ipv6():
    with fake_store(base_url="http://127.0.0.1:9000", buckets=["photos"]) as store:
        assert store.url("photos") == "http://photos.127.0.0.1:9000"
        assert store.session().get(store.url("photos")).status_code == 200
    with pytest.raises(ValueError, match=r"'http://\[::1\]:9000': .* in front of .* dialect='s3'"):
        fake_store(base_url="http://[::1]:9000")


@decision("path-style")
def test_url_is_refused_if_the_store_would_not_answer_it():
    for case in each(
        ({}, True, False),
        ({}, False, True),
        ({"dialect": "s3", "base_url": "http://[::1]:9000"}, False, False),
        ({"dialect": "s3", "base_url": "http://127.0.0.1:9000"}, False, True),
        ({"dialect": "s3"}, True, True),
    ):
        with case as (options, path_style, is_answered):
            with fake_store(buckets=["photos"], **options) as store:
                if is_answered:
                    url = store.url("photos", path_style=path_style)
                    assert store.session().get(url).status_code == 200
                else:
                    with pytest.raises(ValueError, match=f"path_style={path_style}"):
                        store.url("photos", path_style=path_style)
