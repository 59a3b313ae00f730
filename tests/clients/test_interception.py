"""When clients on urllib3 are intercepted, and the errors of other clients."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
import itertools
import socket
from unittest import mock
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import boto3
import pytest
import requests
import responses
import urllib3
from botocore.exceptions import HTTPClientError
from minio import Minio
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool

from fakestore import FakeStore, fake_store
from tests.clients.served import open_url
from tests.support.cases import each
from tests.support.programs import run_program

REAL_URLOPEN = HTTPConnectionPool.urlopen


def functions_of_sockets():
    of_module = socket.getaddrinfo, socket.gethostbyname, socket.gethostbyname_ex
    return *of_module, socket.socket.connect, socket.socket.connect_ex


REAL_FUNCTIONS = functions_of_sockets()

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def nothing_stays_patched():
    yield
    assert HTTPConnectionPool.urlopen is REAL_URLOPEN
    assert functions_of_sockets() == REAL_FUNCTIONS


def client_of(store, **options):
    account = store.default_account
    return boto3.client(
        "s3",
        region_name="us-east-1",
        aws_access_key_id=account.access_key_id,
        aws_secret_access_key=account.secret_key,
        **options,
    )


def put_cat(store):
    """Upload with a client of the store at its own base URL."""
    client = client_of(store, endpoint_url=store.base_url)
    client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
    client.close()


def s3_store(host="s3.amazonaws.com", **options):
    return fake_store(dialect="s3", base_url=f"https://{host}", buckets=["photos"], signatures="verify", **options)


# -- when the patch is installed


def test_boto3_that_is_imported_inside_a_store_is_served():
    assert run_program("""
import sys, urllib3
from fakestore import fake_store
open_url = urllib3.HTTPConnectionPool.urlopen
for _ in range(2):
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        print("botocore" in sys.modules)
        import boto3
        boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        print(store["photos"]["cat.jpg"].content)
print(urllib3.HTTPConnectionPool.urlopen is open_url, boto3.DEFAULT_SESSION)
""").split() == ["False", "b'meow'", "True", "b'meow'", "True", "None"]


@fake_store(dialect="s3", signatures="verify", buckets=["photos"])
def test_a_header_with_several_values_is_sent_as_several_headers(store):
    account = store.default_account
    minio = Minio("s3.amazonaws.com", account.access_key_id, account.secret_key, region="us-east-1")
    minio.put_object("photos", "cat.jpg", io.BytesIO(b"meow"), 4, metadata={"colours": ["black", "white"]})
    assert dict(store["photos"]["cat.jpg"].metadata) == {"colours": "black,white"}


def test_clients_made_before_the_store_are_served():
    known = FakeStore()
    account = known.default_account
    keys = {"access_key_id": account.access_key_id, "secret_key": account.secret_key}
    client = client_of(known)
    minio = Minio("s3.amazonaws.com", account.access_key_id, account.secret_key, region="us-east-1")
    for _ in range(2):
        with s3_store(**keys) as store:
            client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            assert minio.stat_object("photos", "cat.jpg").size == 4
            assert len(store.exchanges) == 2
    client.close()


@pytest.mark.decision("path-style")
@pytest.mark.parametrize("netloc", ["[::1]:9000", "127.0.0.1:9000"])
def test_clients_may_be_configured_with_an_ip_address(netloc):
    url = f"http://{netloc}"
    with fake_store(dialect="s3", base_url=url, buckets=["photos"], signatures="verify") as store:
        client = client_of(store, endpoint_url=url)
        client.put_object(Bucket="photos", Key="boto3", Body=b"meow")
        account = store.default_account
        minio = Minio(netloc, account.access_key_id, account.secret_key, region="us-east-1", secure=False)
        minio.put_object("photos", "minio", io.BytesIO(b"meow"), 4)
        requests.put(store.url("photos", "requests"), data=b"meow", auth=store.auth()).raise_for_status()
        form = client.generate_presigned_post("photos", "form")
        requests.post(form["url"], data=form["fields"], files={"file": b"meow"}).raise_for_status()
        assert {key: store["photos"][key].content for key in store["photos"]} == dict.fromkeys(
            ["boto3", "form", "minio", "requests"], b"meow"
        )
        for case in each(
            client.generate_presigned_url("get_object", {"Bucket": "photos", "Key": "minio"}),
            minio.presigned_get_object("photos", "boto3"),
            store.presign("GET", "photos", "form", expires_in=60),
        ):
            with case as presigned:
                assert presigned.startswith(f"{url}/photos/")
                assert requests.get(presigned).content == b"meow"
        client.close()


def test_urllib3_sends_its_whole_file_although_it_is_refused():
    file = io.BytesIO(bytes(200_000))
    with fake_store(dialect="s3") as store:
        url, headers = store.url("nowhere", "cat.jpg"), {"Content-Length": "200000"}
        assert urllib3.PoolManager().request("PUT", url, body=file, headers=headers).status == 404
    assert file.tell() == 200_000


def test_header_that_urllib3_skips_is_not_sent():
    with fake_store(buckets=["photos"]) as store:
        urllib3.request("GET", store.url("photos"), headers={"User-Agent": urllib3.util.SKIP_HEADER, "Accept": "*/*"})
        assert dict(store.exchanges[-1].request.headers) == {"accept": "*/*"}


def test_a_pool_of_urllib3_without_a_port_has_that_of_its_scheme():
    for scheme, pool in (("http", HTTPConnectionPool), ("https", urllib3.HTTPSConnectionPool)):
        with fake_store(base_url=f"{scheme}://objects.test", buckets=["photos"]) as store:
            assert pool("photos.objects.test").request("GET", "/cat.jpg").status == 403
            assert store.exchanges[-1].request.url == f"{scheme}://photos.objects.test/cat.jpg"


def test_urllib3_alone_is_served_and_its_other_hosts_are_refused():
    assert run_program("""
import urllib3
from fakestore import fake_store
urlopen, http = urllib3.HTTPConnectionPool.urlopen, urllib3.PoolManager(retries=False)
with fake_store(dialect="s3") as store:
    store.create_bucket("photos", acl="public-read").put("cat.jpg", b"meow", acl="public-read")
    print(http.request("GET", store.url("photos", "cat.jpg")).data)
    try:
        http.request("GET", "http://elsewhere.test/")
    except OSError as error:
        print(type(error).__name__)
    store.unhandled_requests.clear()
print(urllib3.HTTPConnectionPool.urlopen is urlopen)
""").split() == ["b'meow'", "UnexpectedRequest", "True"]


# -- several stores


def test_of_nested_stores_each_answers_its_own_hosts():
    with s3_store("one.test") as one, s3_store("two.test") as two:
        put_cat(one)
        assert (list(one["photos"]), list(two["photos"])) == (["cat.jpg"], [])
    with s3_store() as outer, s3_store() as inner:
        put_cat(outer)
        assert (list(outer["photos"]), list(inner["photos"])) == ([], ["cat.jpg"])


def test_of_nested_stores_the_inner_answers_a_client_that_the_outer_has_answered():
    with s3_store() as outer:
        client = client_of(outer)
        client.put_object(Bucket="photos", Key="before")
        with s3_store() as inner:
            client.put_object(Bucket="photos", Key="inside")
        client.put_object(Bucket="photos", Key="after")
        client.close()
    assert (list(outer["photos"]), list(inner["photos"])) == (["after", "before"], ["inside"])


def test_a_client_does_not_keep_a_store_that_was_left():
    code = """
import gc, weakref
import boto3
from fakestore import fake_store

def sleep(seconds): ...

with fake_store(dialect="s3", buckets=["photos"], sleep=sleep) as store:
    client = boto3.client("s3")
    client.put_object(Bucket="photos", Key="cat.jpg")
option_of_store = weakref.ref(sleep)
del store, sleep
gc.collect()
print(option_of_store())
"""
    assert run_program(code) == "None\n"


def test_stores_are_left_in_any_order():
    for order in itertools.permutations(range(3)):
        recipes = [s3_store(f"{name}.test") for name in ("one", "two", "three")]
        stores = [recipe.__enter__() for recipe in recipes]
        for place, left in enumerate(order, start=1):
            recipes[left].__exit__(None, None, None)
            for number in order[place:]:
                put_cat(stores[number])


@pytest.mark.decision("unknown-hosts-in-nested-stores")
@pytest.mark.parametrize("allowed", list(itertools.product([False, True], repeat=2)))
def test_the_outermost_store_decides_about_hosts_of_urllib3(loopback, allowed):
    one_allows, two_allows = allowed
    with s3_store("one.test", allow_network=one_allows) as one, s3_store("two.test", allow_network=two_allows) as two:
        with urllib3.PoolManager() as pool:
            if one_allows:
                assert pool.request("GET", f"{loopback.url}/ok").data == b"real"
            else:
                with pytest.raises(requests.ConnectionError, match="not a host of this store"):
                    pool.request("GET", f"{loopback.url}/ok")
        assert (len(one.unhandled_requests), two.unhandled_requests) == (0 if one_allows else 1, [])
        one.unhandled_requests.clear()


def test_a_swallowed_request_is_raised_when_the_store_is_left():
    with pytest.raises(requests.ConnectionError, match=r"elsewhere\.test"):
        with s3_store() as store:
            with pytest.raises(HTTPClientError):
                client_of(store, endpoint_url="http://elsewhere.test").list_buckets()


def test_what_a_mock_of_requests_passes_on_is_not_answered(loopback):
    retries = urllib3.Retry(1, status_forcelist=[503], backoff_factor=0)
    with s3_store() as store, responses.RequestsMock() as mocked, requests.Session() as session:
        session.mount("http://", HTTPAdapter(max_retries=retries))
        mocked.add_passthru(loopback.url)
        assert session.get(f"{loopback.url}/ok").content == b"real"
        with pytest.raises(requests.exceptions.RetryError):
            session.get(f"{loopback.url}/503")
        assert store.unhandled_requests == []


# -- other patches of the same functions


class OtherPatch:
    """Another library that replaces a function, as fakestore does."""

    def __init__(self, owner, name):
        self._owner, self._name = owner, name

    def __enter__(self):
        self._below = below = getattr(self._owner, self._name)
        self.calls = 0

        def other(*args, **kwargs):
            self.calls += 1
            return below(*args, **kwargs)

        setattr(self._owner, self._name, other)
        return self

    def __exit__(self, *_):
        setattr(self._owner, self._name, self._below)


def test_another_patch_of_urllib3_may_be_on_top():
    recipe = s3_store("one.test")
    recipe.__enter__()
    with OtherPatch(HTTPConnectionPool, "urlopen") as other:
        with s3_store("two.test") as two:
            put_cat(two)
        recipe.__exit__(None, None, None)
        with s3_store("three.test") as three:
            put_cat(three)
        assert other.calls == 2
    with s3_store():  # which removes what stayed below the other patch
        pass


def test_another_patch_of_look_ups_may_be_on_top():
    recipe = s3_store("one.test")
    recipe.__enter__()
    with OtherPatch(socket, "getaddrinfo") as other:
        with s3_store("two.test"):
            assert socket.getaddrinfo("127.0.0.1", 80)
            with pytest.raises(socket.gaierror, match="host of a fakestore"):
                socket.getaddrinfo("photos.one.test", 443)
        recipe.__exit__(None, None, None)
        assert other.calls > 0
    with s3_store():
        pass


def started(owner, name):
    return contextlib.nullcontext(mock.patch.object(owner, name).start())


@pytest.mark.parametrize("start", [mock.patch.object, started])
def test_what_a_mock_puts_back_after_the_store_is_removed_by_the_next_store(start):
    functions = [
        *((socket, name) for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex")),
        *((socket.socket, name) for name in ("connect", "connect_ex")),
        (HTTPConnectionPool, "urlopen"),
    ]
    recipe = s3_store()
    recipe.__enter__()
    with contextlib.ExitStack() as stack:
        stack.callback(mock.patch.stopall)
        for owner, name in functions:
            stack.enter_context(start(owner, name))
        recipe.__exit__(None, None, None)
    with s3_store():
        pass
    assert HTTPConnectionPool.urlopen is REAL_URLOPEN
    assert functions_of_sockets() == REAL_FUNCTIONS


def test_inherited_functions_are_inherited_again():
    code = """
import socket
from fakestore import fake_store
before = set(vars(socket.socket))
with fake_store():
    print(*sorted(vars(socket.socket).keys() - before))
print(*vars(socket.socket).keys() - before)
"""
    assert run_program(code).splitlines() == ["connect connect_ex", ""]


# -- clients that are not intercepted


def with_http_client(url):
    connection = http.client.HTTPSConnection(url.split("/")[2])
    connection.request("GET", "/")


def with_gethostbyname(url):
    socket.gethostbyname(urlsplit(url).hostname)


def with_gethostbyname_ex(url):
    socket.gethostbyname_ex(urlsplit(url).hostname)


def with_streams(url):
    asyncio.run(asyncio.open_connection(urlsplit(url).hostname, urlsplit(url).port or 443))


def with_connect_ex(url):
    with socket.socket() as connection:
        connection.connect_ex((urlsplit(url).hostname, urlsplit(url).port or 443))


NAMES_THE_SERVER = r"host of a fakestore.*store\.serve\(\)"


@pytest.mark.parametrize(
    "get",
    [
        *(open_url, with_http_client, with_streams),
        *(with_gethostbyname, with_gethostbyname_ex, with_connect_ex),
    ],
)
@pytest.mark.parametrize("host", ["s3.amazonaws.com", "minio.internal:9000"])
def test_the_error_of_another_client_names_the_server(get, host):
    with s3_store(host) as store, pytest.raises(Exception, match=NAMES_THE_SERVER):
        get(store.url("photos"))


def test_the_error_names_the_server_if_the_host_ends_with_a_dot():
    with s3_store() as store, pytest.raises(URLError, match=NAMES_THE_SERVER):
        open_url(store.url("photos").replace(".com", ".com."))


@pytest.mark.parametrize("get", [open_url, with_http_client, with_streams])
@pytest.mark.parametrize("host", ["127.0.0.1:9", "[::1]:9"])
def test_the_error_names_the_server_if_the_host_is_an_ip_address(get, host):
    with s3_store(host) as store, pytest.raises(Exception, match=NAMES_THE_SERVER):
        get(store.url("photos"))


def test_the_error_names_the_url_of_a_running_server():
    with s3_store("s3.amazonaws.com") as store, store.serve() as url:
        with pytest.raises(URLError, match=f"'{url}'.*base_url"):
            open_url(store.presign("GET", "photos", "cat.jpg", expires_in=5))
    port = int(url.rpartition(":")[2])
    with fake_store(dialect="s3", buckets=["photos"], base_url=url) as store, store.serve(port=port):
        with pytest.raises(HTTPError, match="404"):
            open_url(store.presign("GET", "photos", "cat.jpg", expires_in=5))


@pytest.mark.parametrize(("dialect", "way"), [("s3", "path_style=True"), ("document", "Host header")])
def test_an_unknown_name_before_the_host_of_the_server_is_explained(dialect, way):
    with fake_store(dialect=dialect) as store, store.serve() as url:
        with pytest.raises(URLError, match=rf"front of the host of store\.serve.*{way}"):
            open_url(url.replace("//", "//photos."))
        with pytest.raises(URLError, match=r"^[^;]*$"):
            open_url("http://photos.invalid")


def test_other_ports_of_a_local_host_and_other_sockets_are_left_alone(loopback):
    for base_url in ("http://localhost:9", "http://127.0.0.1:9"):
        with fake_store(base_url=base_url, dialect="s3"):
            assert socket.gethostbyname("localhost") == "127.0.0.1"
            with open_url(f"{loopback.url}/ok") as reply:
                assert reply.read() == b"real"
            with pytest.raises(FileNotFoundError), socket.socket(socket.AF_UNIX) as connection:
                connection.connect("/nowhere")
            with pytest.raises(TypeError), socket.socket() as connection:
                connection.connect(None)
            with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as connection:
                assert connection.connect_ex(server.getsockname()) == 0


def test_journal_has_the_requests_of_clients_that_are_not_intercepted():
    with fake_store(buckets=["photos"]) as store:
        for url in (store.url("photos", "cat.jpg"), store.base_url):
            with pytest.raises(URLError):
                open_url(url)
        first, second = store.journal
    assert (first.host, second.host) == ("photos.objects.test", "objects.test")
    assert "store.serve()" in first.explanation
    assert store.exchanges == []
