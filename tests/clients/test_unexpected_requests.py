"""Requests to other hosts: what is said of them, and what comes back when the store is left."""

from __future__ import annotations

import gc
import tracemalloc

import pytest
import requests

from fakestore import UnexpectedRequest, UnsupportedRequest, fake_store
from tests.support.wire import request

ELSEWHERE = "http://elsewhere.test/"


def refused(store, url, method="GET"):
    """Return the message of a refused request, and acknowledge it."""
    with pytest.raises(UnexpectedRequest) as error:
        requests.request(method, url, data=b"body")
    assert error.value.request.url == requests.Request(method, url).prepare().url
    store.unhandled_requests.remove(error.value)
    return str(error.value)


def swallow(*urls):
    for url in urls:
        with pytest.raises((requests.ConnectionError, UnsupportedRequest)):
            requests.get(url)


# -- the message


@fake_store()
def test_the_message_names_the_host_and_what_to_do(store):
    refused(store, "http://first.test/")
    store.session().get(store.base_url)
    message = refused(store, ELSEWHERE)
    assert message == (
        "GET http://elsewhere.test/: 'elsewhere.test' is not a host of this store. The store answers at 'objects.test'"
        " and at '<bucket>.objects.test'; to let requests to this host reach the network, use"
        " fake_store(allow_network=['elsewhere.test']), or allow_network=True for every host"
    )


def test_an_ip_address_advises_base_url_first():
    with fake_store() as store:
        store.session().get(store.base_url)
        message = refused(store, "http://10.0.0.5:9000/photos")
    assert message.index("fake_store(base_url='http://10.0.0.5:9000')") < message.index("['10.0.0.5:9000']")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_a_loopback_host_advises_allow_network_without_the_port_first(host):
    with fake_store(dialect="s3") as store:
        message = refused(store, f"http://{host}:41551/photos")
    advice = f"to reach a server of the test, use fake_store(allow_network=['{host}'])"
    assert message.index(advice) < message.index(f"fake_store(base_url='http://{host}:41551')")


@pytest.mark.parametrize(("dialect", "is_advised"), [("s3", True), ("document", False)])
def test_an_ipv6_address_is_advised_if_the_dialect_has_path_style(dialect, is_advised):
    with fake_store(dialect=dialect) as store:
        assert ("base_url='http://[::1]:9000'" in refused(store, "http://[::1]:9000/photos")) is is_advised
    with fake_store(dialect="s3", base_url="http://[::1]:9000") as store:
        message = refused(store, ELSEWHERE)
    assert "The store answers at '[::1]:9000'; to let" in message


def test_the_only_host_so_far_advises_base_url_first():
    with fake_store() as store:
        with pytest.raises(UnexpectedRequest, match=r"base_url='https://minio'.*allow_network"):
            requests.get("https://minio/photos")
        with pytest.raises(UnexpectedRequest, match=r"base_url='https://minio'"):
            requests.get("https://minio/films")
        with pytest.raises(UnexpectedRequest) as other:
            requests.get("https://elsewhere.test/")
        assert "base_url" not in str(other.value)
        store.unhandled_requests.clear()


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("http://photos.s3.internal:9000/cat.jpg", "fake_store(base_url='http://s3.internal:9000')."),
        ("http://photos.localhost:9000/cat.jpg", "fake_store(base_url='http://localhost:9000')."),
        ("http://s3.internal:9000/photos/cat.jpg", "fake_store(base_url='http://s3.internal:9000')."),
        ("http://films.s3.internal:9000/cat.jpg", "fake_store(base_url=...) with its URL, without the bucket."),
    ],
)
@fake_store(dialect="s3", buckets=["photos"])
def test_an_endpoint_is_advised_without_the_bucket(store, url, advice):
    assert advice in refused(store, url)


@pytest.mark.parametrize("url", ["http://photos.object.test/", "http://objects.tets/", "http://myobjects.test/"])
@fake_store()
def test_a_similar_host_is_named(store, url):
    assert "Did you mean 'objects.test'?" in refused(store, url)


@pytest.mark.parametrize("dialect", ["document", "s3"])
def test_a_key_that_was_joined_without_a_slash_is_explained(dialect):
    with fake_store(dialect=dialect, buckets=["photos"]) as store:
        message = refused(store, store.url("photos") + "cat.jpg")
        assert "use store.url(bucket, key)" in message
        assert "base_url" not in message


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://127.0.0.1:9000", "http://127.0.0.10:9000/"),
        ("http://minio:9000", "http://minio2:9000/"),
        ("http://s3:9000", "https://photos.s3-accelerate.amazonaws.com/"),
        ("http://objects.test", "http://objects.tests/"),
        ("http://objects.test", "http://photos.objects.test.example/"),
    ],
)
def test_a_host_that_only_contains_the_host_of_the_store_is_not_taken_for_a_key(base_url, url):
    with fake_store(base_url=base_url, buckets=["photos"]) as store:
        assert "use store.url(bucket, key)" not in refused(store, url)


@pytest.mark.parametrize("host", ["s3.amazonaws.com", "photos.s3.eu-west-1.amazonaws.com:443"])
@fake_store()
def test_a_public_host_of_another_dialect_advises_the_dialect(store, host):
    message = refused(store, f"https://{host}/cat.jpg")
    assert "fake_store(dialect='s3')" in message
    assert "base_url" not in message


@pytest.mark.parametrize(
    "host", ["sts.amazonaws.com", "dynamodb.us-east-1.amazonaws.com", "sts.cn-north-1.amazonaws.com.cn"]
)
@fake_store(dialect="s3")
def test_another_service_of_the_provider_is_not_taken_for_a_mistake(store, host):
    message = refused(store, f"https://{host}/")
    assert "Did you mean" not in message
    assert "base_url" not in message
    assert "store.responses (for the library 'requests'), or for example moto" in message


@pytest.mark.parametrize("host", ["s3.mars-1.amazonaws.com:443", "photos.s3.dualstack.mars-1.amazonaws.eu"])
@fake_store(dialect="s3")
def test_an_invented_region_is_named(store, host):
    message = refused(store, f"https://{host}/")
    assert "'mars-1' does not have the form of a region" in message
    assert "'eu-central-1'" in message
    assert "moto" not in message


@pytest.mark.parametrize("host", ["169.254.169.254", "169.254.170.2"])
@fake_store(dialect="s3")
def test_where_botocore_looks_for_credentials_is_explained(store, host):
    message = refused(store, f"http://{host}/latest/api/token", "PUT")
    assert "AWS_ACCESS_KEY_ID" in message
    assert "base_url" not in message


@fake_store()
def test_a_store_without_variables_for_botocore_names_the_dialect(store):
    message = refused(store, "http://169.254.169.254/latest/api/token", "PUT")
    assert "use fake_store(dialect='s3')" in message
    assert "AWS_ACCESS_KEY_ID" not in message


@pytest.mark.parametrize(
    ("host", "part"),
    [
        ("photos.s3-accelerate.dualstack.amazonaws.com", "accelerated transfers"),
        ("photos.s3-website-us-east-1.amazonaws.com", "websites"),
        ("photos.s3-website.eu-south-1.amazonaws.com", "websites"),
        ("photos.s3-website.cn-north-1.amazonaws.com.cn", "websites"),
        ("ap-111122223333.s3-accesspoint.us-east-1.amazonaws.com", "access points"),
        ("mfzwi23gnjvgw.mrap.accesspoint.s3-global.amazonaws.com", "multi-region access points"),
        (
            "111122223333.s3-control.us-east-1.amazonaws.com",
            "access points, batch operations and settings of an account",
        ),
        ("ap-111122223333.s3-object-lambda.us-east-1.amazonaws.com", "Object Lambda"),
        ("ap-111122223333.op-1.s3-outposts.us-east-1.amazonaws.com", "Outposts"),
        ("photos--use1-az4--x-s3.s3express-use1-az4.us-east-1.amazonaws.com", "directory buckets"),
        ("s3express-control.us-east-1.amazonaws.com", "directory buckets"),
    ],
)
@fake_store(dialect="s3")
def test_a_host_of_a_part_that_the_store_does_not_have_is_explained(store, host, part):
    message = refused(store, f"https://{host}/")
    assert f"it is a host for {part}, which fakestore does not support" in message
    assert "moto" not in message


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://objects.test:9000", "https://photos.objects.test/"),
        ("https://objects.test:9000", "http://objects.test:9001/"),
        ("http://objects.test", "http://photos.objects.test:8080/"),
    ],
)
def test_another_port_of_the_host_is_named(base_url, url):
    with fake_store(base_url=base_url) as store:
        assert f"the port is not that of '{base_url.partition('//')[2]}'" in refused(store, url)


@fake_store()
def test_no_secret_and_no_control_character_reaches_the_message(store):
    message = refused(store, "http://user:hush@elsewhere.test/path?token=hush&X-Signature=hush&flag", "GET\n::error::")
    assert "hush" not in message
    assert "\n" not in message
    assert "http://elsewhere.test/path?token=...&X-Signature=...&flag" in message
    message = refused(store, "http://user:hush@localhost/?token=hush")
    assert "hush" not in message


def test_nothing_reaches_the_network_unless_it_is_allowed(loopback):
    with fake_store() as store:
        refused(store, f"{loopback.url}/ok")
        assert loopback.bodies == []
    with fake_store(allow_network=True):
        assert requests.get(f"{loopback.url}/ok").content == b"real"


# -- on leaving


def test_swallowed_requests_are_raised_on_leaving_with_a_word_of_why():
    with pytest.raises(UnexpectedRequest, match="one") as first:
        with fake_store():
            swallow("http://one.test/", "http://two.test/", "http://one.test/", "http://two.test/")
    why, others = first.value.__notes__
    assert "raised again because it is still in store.unhandled_requests" in why
    assert "store.unhandled_requests.clear()" in why
    assert "2 times" in why
    assert others.startswith("and also: GET http://two.test/")
    assert others.endswith("(2 times)")


def test_a_swallowed_unsupported_request_is_raised_on_leaving():
    with pytest.raises(UnsupportedRequest, match="torrent") as raised:
        with fake_store(buckets=["photos"]) as store:
            swallow(store.url("photos", "cat.jpg", torrent=None))
    assert "store.unhandled_requests.clear()" in raised.value.__notes__[0]


def test_an_exception_that_is_leaving_is_not_replaced():
    with pytest.raises(ZeroDivisionError):
        with fake_store():
            swallow(ELSEWHERE)
            _ = 1 / 0
    with pytest.raises(UnexpectedRequest) as raised:
        with fake_store() as store:
            requests.get(ELSEWHERE)
    assert raised.value is store.unhandled_requests[0]


def test_an_acknowledged_request_is_not_raised():
    with fake_store() as store:
        with pytest.raises(UnexpectedRequest) as expected:
            requests.get(ELSEWHERE)
        store.unhandled_requests.remove(expected.value)


# -- memory


def test_unhandled_requests_keep_no_bodies_and_their_number_is_bounded():
    with fake_store(buckets=["photos"]) as store:
        session = store.session()
        tracemalloc.start()
        try:
            for url in (store.url("photos", "cat.jpg", torrent=None), ELSEWHERE):
                for _ in range(30):
                    with pytest.raises((UnsupportedRequest, UnexpectedRequest)):
                        session.post(url, data=bytes(1024 * 1024))
            gc.collect()
            traced_bytes, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert traced_bytes < 10 * 1024 * 1024
        for _ in range(1000):
            with pytest.raises(UnsupportedRequest):
                request(store, "GET", "photos", "cat.jpg", torrent=None)
        assert len(store.unhandled_requests) == 1000
        store.unhandled_requests.clear()
