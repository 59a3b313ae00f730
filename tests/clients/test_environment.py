"""While a store is entered, clients are configured by the environment for its default account."""

from __future__ import annotations

import os
import sys
import threading
import types
import unittest
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError, URLError

import boto3
import botocore.handlers
import httpx
import pytest
import requests
from moto import mock_aws
from moto.core.config import default_user_config
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, UnexpectedRequest, fake_store
from tests.clients.served import open_url
from tests.support.programs import run_program

#: Variables that have no effect on clients by themselves, but beside the others.
WITHOUT_OWN_EFFECT = (
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
)
#: What clients read. The names are not those of the dialect, so that a name that the dialect lacks fails a test.
VARIABLES = (
    *WITHOUT_OWN_EFFECT,
    "AWS_ACCESS_KEY_ID",
    "AWS_ALLOW_HTTP",
    "AWS_CONFIG_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CREDENTIAL_EXPIRATION",
    "AWS_DEFAULT_PROFILE",
    "AWS_DEFAULT_REGION",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_ENDPOINT",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_HTTPS",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_S3_ENDPOINT",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SECURITY_TOKEN",
    "AWS_SESSION_TOKEN",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_VIRTUAL_HOSTING",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "DUCKDB_S3_ENDPOINT",
    "DUCKDB_S3_USE_SSL",
    "S3_ENDPOINT_URL",
)
#: Values that compete with those of a store.
OF_THE_USER = {
    **dict.fromkeys(VARIABLES, "of the user"),
    **dict.fromkeys(["AWS_DEFAULT_REGION", "AWS_REGION"], "eu-west-3"),
}
IN_S3 = {"dialect": "s3", "buckets": ["photos"]}


def environment():
    """Return the environment without the variable that pytest changes during a test."""
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


@pytest.fixture
def without_variables(monkeypatch):
    """The environment without any variable of the clients."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)


@pytest.fixture(params=["unset", "set"])
def before(request, monkeypatch):
    """The environment before a store is entered: without any variable of the clients, or with all of them."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        if request.param == "set":
            monkeypatch.setenv(name, OF_THE_USER[name])
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    return environment()


def names_account_of(store):
    """Return whether clients without any configuration use the keys of a store."""
    account = store.default_account
    keys = account.access_key_id, account.secret_key, None
    found = [session.get_credentials() for session in (boto3.Session(), boto3.DEFAULT_SESSION)]
    return [(each.access_key, each.secret_key, each.token) for each in found] == [keys, keys]


def upload():
    boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")


def used_by_function():
    @fake_store(**IN_S3)
    def test(store):
        upload()
        assert names_account_of(store)

    test()


def used_by_context_manager():
    with fake_store(**IN_S3) as store:
        upload()
        assert names_account_of(store)


def used_by_test_case():
    @fake_store(**IN_S3)
    class Case(unittest.TestCase):
        def test(self):
            upload()
            assert names_account_of(self.store)

    Case("test").debug()


def used_and_failed():
    with pytest.raises(ZeroDivisionError), fake_store(**IN_S3):
        raise ZeroDivisionError


def nested():
    with fake_store(**IN_S3) as outer, fake_store(**IN_S3, access_key_id="INNER") as inner:
        assert names_account_of(inner)
        upload()
    assert ("cat.jpg" in inner["photos"], "cat.jpg" in outer["photos"]) == (True, False)


def nested_and_left_in_another_order():
    outer, inner = fake_store(**IN_S3), fake_store(**IN_S3, access_key_id="INNER")
    outer.__enter__()
    store = inner.__enter__()
    outer.__exit__(None, None, None)
    assert names_account_of(store)
    inner.__exit__(None, None, None)


def entered_in_another_thread():
    def use():
        with fake_store(**IN_S3, access_key_id="INNER") as store:
            assert names_account_of(store)

    with fake_store(**IN_S3) as store:
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        assert names_account_of(store)


def moto_entered_before_and_left_first():
    moto = mock_aws()
    moto.start()
    with fake_store(**IN_S3) as store:
        assert names_account_of(store)
        moto.stop()


def moto_entered_inside_and_left_last():
    moto = mock_aws()
    with fake_store(**IN_S3) as store:
        moto.start()
        assert names_account_of(store)
    moto.stop()


def moto_entered_and_left_inside():
    with fake_store(**IN_S3) as store, mock_aws(), fake_store(**IN_S3, access_key_id="INNER") as inner:
        assert names_account_of(inner)
    assert store is not inner


def moto_entered_before_and_left_last():
    with mock_aws():
        of_moto = environment()
        with fake_store(**IN_S3) as store:
            assert names_account_of(store)
        assert environment() == of_moto


def changed_by_the_test():
    with fake_store(**IN_S3):
        boto3.setup_default_session(region_name="eu-west-1")
        os.environ["AWS_ACCESS_KEY_ID"] = "of the test"
        del os.environ["AWS_SECRET_ACCESS_KEY"]
        os.environ["AWS_PROFILE"] = "of the test"


def served():
    with FakeStore(**IN_S3).serve() as url:
        assert os.environ["AWS_ENDPOINT_URL_S3"] == os.environ["AWS_ENDPOINT"] == url


USES = [
    used_by_function,
    used_by_context_manager,
    used_by_test_case,
    used_and_failed,
    nested,
    nested_and_left_in_another_order,
    entered_in_another_thread,
    moto_entered_before_and_left_first,
    moto_entered_inside_and_left_last,
    moto_entered_and_left_inside,
    moto_entered_before_and_left_last,
    changed_by_the_test,
    served,
]


@pytest.mark.parametrize("use", USES)
def test_environment_names_the_account_and_is_put_back(before, use):
    settings = dict(default_user_config["core"])
    use()
    assert environment() == before
    assert boto3.DEFAULT_SESSION is None
    assert default_user_config["core"] == settings


@pytest.mark.parametrize(
    "of_user",
    [
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:9/"},
        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/role"},
        {"AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws:iam::111111111111:role/of-the-user"},
        {"AWS_EC2_METADATA_DISABLED": "false"},
        {"AWS_CONFIG_FILE": "keys"},
        {"AWS_SHARED_CREDENTIALS_FILE": "keys"},
    ],
    ids=lambda each: next(iter(each)),
)
def test_no_other_keys_are_found_if_a_test_removes_those_of_the_store(monkeypatch, tmp_path, of_user):
    """A client that looks for keys at another place sends a request, which the store raises when it is left."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keys").write_text("[default]\naws_access_key_id = REAL\naws_secret_access_key = REAL\n")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in of_user.items():
        monkeypatch.setenv(name, value)
    with fake_store(**IN_S3), monkeypatch.context() as within:
        within.delenv("AWS_ACCESS_KEY_ID")
        within.delenv("AWS_SECRET_ACCESS_KEY")
        assert boto3.Session().get_credentials() is None


@pytest.mark.usefixtures("before")
def test_variables_without_an_effect_of_their_own_are_removed():
    with fake_store(**IN_S3) as store:
        assert not set(WITHOUT_OWN_EFFECT) & os.environ.keys()
        with store.serve():
            assert not set(WITHOUT_OWN_EFFECT) & os.environ.keys()
            assert os.environ["AWS_ALLOW_HTTP"] == "true"  # obstore needs it


@pytest.mark.usefixtures("before")
def test_variable_for_all_services_is_not_the_servers(monkeypatch):
    with fake_store(**IN_S3) as store:
        assert "AWS_ENDPOINT_URL" not in os.environ
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:5000")  # for example of a server of moto
        with store.serve() as url:
            assert boto3.client("s3").meta.endpoint_url == url
            assert boto3.client("sqs").meta.endpoint_url == "http://127.0.0.1:5000"


@pytest.mark.parametrize("name", ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"])
def test_variables_for_files_name_an_empty_regular_file(name):
    """DVC does not accept the null device, and clients in Rust warn of a missing file."""
    for _ in range(2):
        with fake_store(**IN_S3):
            path = Path(os.environ[name])
            assert path.is_file()
            assert path.read_bytes() == b""
            path.write_bytes(b"[default]")  # as `aws configure` does


def test_settings_that_a_program_writes_stay_until_its_store_is_left():
    """Another process that enters a store, such as another worker of pytest-xdist, does not empty the file."""
    program = "from fakestore import fake_store\nwith fake_store(dialect='s3'): pass"
    with fake_store(**IN_S3):
        settings = Path(os.environ["AWS_CONFIG_FILE"])
        settings.write_bytes(b"[profile dev]")
        run_program(program)
        assert settings.read_bytes() == b"[profile dev]"


def test_rasterio_reads_and_writes_objects_of_a_served_store(monkeypatch):
    """GDAL holds the interpreter's lock while it writes, so it runs in another process."""
    program = """
import numpy, rasterio
profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "uint8"}
with rasterio.open("/vsis3/photos/cat.tif", "w", **profile) as image:
    image.write(numpy.full((1, 4, 4), 7, "uint8"))
with rasterio.open("s3://photos/cat.tif") as image:
    assert image.read(1).sum() == 7 * 16
"""
    with fake_store(**IN_S3) as store, store.serve():
        monkeypatch.setenv("CPL_VSIL_USE_TEMP_FILE_FOR_RANDOM_WRITE", "YES")
        run_program(program, "-W", "ignore")
        assert store["photos"]["cat.tif"].size > 0


def test_fixture_sets_the_environment(pytester, plain_runs, without_variables):
    pytester.makeini("[pytest]\nfakestore_dialect = s3")
    pytester.makepyfile(
        """
        import os

        import boto3

        def test_upload(fakestore, monkeypatch):
            monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
            fakestore.create_bucket("photos")
            boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")

        def test_nothing_is_left():
            assert not {"AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_REGION"} & os.environ.keys()
        """
    )
    pytester.runpytest("-p", "fakestore.pytest_plugin").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("profile", "key", "url"),
    [("default", "REAL", "http://127.0.0.1:9"), ("work", "WORK", "https://s3.mars-1.amazonaws.com")],
)
def test_files_and_profiles_of_the_user_have_no_effect(tmp_path, monkeypatch, without_variables, profile, key, url):
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text(
        "[default]\naws_access_key_id = REAL\naws_secret_access_key = REAL\naws_session_token = REAL\n"
        "[work]\naws_access_key_id = WORK\naws_secret_access_key = WORK\n"
    )
    (tmp_path / ".aws" / "config").write_text(
        "[default]\nregion = eu-west-1\nendpoint_url = http://127.0.0.1:9\n[profile work]\nregion = mars-1\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_PROFILE", profile)
    with fake_store(**IN_S3) as store:
        upload()
        assert store.exchanges[0].account == store.default_account
        assert boto3.client("s3").meta.region_name == "us-east-1"
    assert boto3.Session().get_credentials().access_key == key
    assert boto3.client("s3").meta.endpoint_url == url


def test_environment_is_not_set_if_the_option_says_so(before):
    session = boto3.DEFAULT_SESSION = object()
    with fake_store(**IN_S3, set_environment=False) as store:
        assert environment() == before
        with store.serve():
            assert environment() == before
        assert boto3.DEFAULT_SESSION is session


def test_a_store_of_the_document_sets_nothing(before):
    with fake_store() as store, store.serve():
        assert environment() == before


@pytest.mark.decision("hosts-of-the-store")
@pytest.mark.parametrize("partition", boto3.Session().get_available_partitions())
def test_clients_of_every_partition_reach_the_store(partition):
    for region in boto3.Session().get_available_regions("s3", partition):
        with fake_store(**IN_S3, region=region):
            upload()


def test_regions_of_the_user_are_kept_without_the_option(monkeypatch):
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    with fake_store(**IN_S3, region="eu-central-1"):
        assert boto3.Session().region_name == os.environ["AWS_REGION"] == "eu-central-1"
        with fake_store(**IN_S3):
            assert boto3.Session().region_name == os.environ["AWS_REGION"] == "eu-west-1"


def test_each_variable_for_the_region_keeps_its_own_value(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_REGION", "eu-west-3")
    with fake_store(**IN_S3):
        assert (os.environ["AWS_DEFAULT_REGION"], os.environ["AWS_REGION"]) == ("eu-west-1", "eu-west-3")
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    with fake_store(**IN_S3):
        assert (os.environ["AWS_DEFAULT_REGION"], os.environ["AWS_REGION"]) == ("eu-west-3", "eu-west-3")


def test_clients_reach_a_store_with_a_base_url(monkeypatch):
    monkeypatch.setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
    with fake_store(**IN_S3, base_url="http://objects.example:9000") as store:
        upload()
        assert store.exchanges[0].request.url == "http://objects.example:9000/photos/cat.jpg"


def test_default_session_of_the_test_wins():
    with fake_store(**IN_S3) as store:
        bob = store.create_account("bob")
        boto3.setup_default_session(aws_access_key_id=bob.access_key_id, aws_secret_access_key=bob.secret_key)
        of_bob = boto3.DEFAULT_SESSION
        with fake_store(**IN_S3):
            assert boto3.DEFAULT_SESSION is not of_bob
        with store.serve():
            boto3.client("s3").list_buckets()
        assert boto3.DEFAULT_SESSION is of_bob
    assert store.exchanges[0].account == bob


def test_a_client_keeps_the_keys_of_a_store_that_was_left(loopback):
    with fake_store(dialect="s3") as store:
        client = boto3.client("s3", endpoint_url=loopback.url)
    client.head_bucket(Bucket="ok")
    (headers,) = loopback.headers
    assert f"Credential={store.default_account.access_key_id}/" in headers["Authorization"]


@pytest.mark.decision("store-that-was-left")
@pytest.mark.parametrize("get", ["boto3", "session", "auth"])
def test_a_request_to_a_store_that_was_left_says_so(get):
    with fake_store(**IN_S3) as store:
        with store.serve():
            pass
        client, session, url = boto3.client("s3"), store.session(), store.url("photos", "cat.jpg")
    send = {
        "boto3": lambda: client.head_object(Bucket="photos", Key="cat.jpg"),
        "session": lambda: session.head(url),
        "auth": lambda: requests.head(url, auth=store.auth()),
    }[get]
    with pytest.raises(UnexpectedRequest, match=r"HEAD https://photos\..*'https://s3\.amazonaws\.com' was left"):
        send()
    assert store.unhandled_requests == []
    with fake_store(**IN_S3, any_access_key=True) as later:  # answers for the earlier one
        later["photos"].put("cat.jpg", b"meow")
        send()


class Network(HTTPAdapter):
    """Notes the requests that no store intercepts, instead of sending them."""

    def __init__(self):
        super().__init__()
        self.urls = []

    def get_connection_with_tls_context(self, request, *_, **__):
        self.urls.append(request.url)
        raise requests.ConnectionError("the network is not reached in tests")


@pytest.mark.decision("store-that-was-left")
def test_no_request_reaches_the_real_service_while_a_store_is_left():
    """At each function call of the end, a request is sent, as another thread could do it."""
    network, outcomes = Network(), []

    def send(*_):
        try:
            outcomes.append(session.head(url).status_code)
        except requests.ConnectionError as error:
            outcomes.append(type(error))

    with ExitStack() as stack:
        store = stack.enter_context(fake_store(**IN_S3))
        session, url = store.session(), store.url("photos", "cat.jpg")
        session.mount("https://", network)
        sys.setprofile(send)
        try:
            stack.close()
        finally:
            sys.setprofile(None)
    assert network.urls == []
    assert set(outcomes) == {404, UnexpectedRequest}


@pytest.mark.decision("store-that-was-left")
def test_a_store_that_was_left_can_be_used_by_its_adapter_and_server():
    with fake_store(**IN_S3) as store:
        store["photos"].put("cat.jpg", b"meow")
    with store.serve() as url, httpx.Client() as client:
        signed = requests.Request("GET", store.url("photos", "cat.jpg"), auth=store.auth()).prepare()
        headers = {**signed.headers, "Host": "photos.s3.amazonaws.com"}
        assert client.get(f"{url}/cat.jpg", headers=headers).content == b"meow"
    session = store.session()
    session.mount("https://", store.adapter())
    assert session.get(store.url("photos", "cat.jpg")).content == b"meow"


def test_filesystems_of_s3fs_are_forgotten(monkeypatch):
    """s3fs returns an earlier filesystem for the same arguments, although the environment has changed."""
    made_for = ["the user"]
    module = types.SimpleNamespace(S3FileSystem=types.SimpleNamespace(clear_instance_cache=made_for.clear))
    monkeypatch.setitem(sys.modules, "s3fs", module)  # the package needs its own versions of boto3
    with fake_store(**IN_S3) as store:
        assert made_for == []
        made_for.append("the store")
        with store.serve():
            assert made_for == []
            made_for.append("the server")
        assert made_for == []
        made_for.append("the store")
    assert made_for == []


def test_boto3_is_intercepted_while_the_store_is_served():
    with fake_store(**IN_S3) as store, store.serve():
        upload()
        (exchange,) = store.exchanges
    assert exchange.thread == threading.current_thread().name


@pytest.mark.parametrize("options", [{}, {"dialect": "s3"}, {"base_url": "http://127.0.0.1:9000"}])
def test_hosts_of_a_store_need_no_proxy(monkeypatch, options):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "intranet.example")
    with fake_store(**options, buckets=["photos"]) as store:
        with pytest.raises(URLError, match=r"store\.serve\(\)"):
            open_url(store.url("photos", "cat.jpg"))
        with store.serve() as url, pytest.raises(HTTPError, match="403"):
            open_url(f"{url}/")
        assert os.environ["no_proxy"].split(",")[0] == "intranet.example"
    assert os.environ["no_proxy"] == "intranet.example"


@pytest.mark.parametrize(
    "host",
    [
        "s3.amazonaws.com",
        "s3.eu-west-1.amazonaws.com",
        "s3-eu-west-1.amazonaws.com",
        "photos.s3.dualstack.eu-central-1.amazonaws.com",
        "s3-fips.us-east-1.amazonaws.com",
        "s3-fips.dualstack.us-gov-west-1.amazonaws.com",
        "s3-fips-us-gov-west-1.amazonaws.com",
        "photos.s3.cn-north-1.amazonaws.com.cn",
        "s3.dualstack.eusc-de-east-1.amazonaws.eu",
    ],
)
def test_public_hosts_of_a_store_need_no_proxy(monkeypatch, host):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    with fake_store(**IN_S3, base_url="http://127.0.0.1:9000"):
        with pytest.raises(URLError, match=r"store\.serve\(\)"):
            open_url(f"https://{host}/photos/cat.jpg")


def test_unknown_access_keys_can_stand_for_the_default_account():
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing", "aws_session_token": "testing"}
    with fake_store(**IN_S3) as store:
        store.restore(store.snapshot())
        with pytest.raises(Exception, match="InvalidAccessKeyId"):
            boto3.client("s3", **keys).list_objects_v2(Bucket="photos")
        assert "take its keys from the environment" in store.exchanges[-1].explanation
        assert "any_access_key=True" in store.exchanges[-1].explanation
    with fake_store(**IN_S3, any_access_key=True) as store:
        bob = store.create_account("bob")
        boto3.client("s3", **keys).put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        store.restore(store.snapshot())
        boto3.client("s3", **keys).list_buckets()
        assert [each.account for each in store.exchanges] == [store.default_account] * 2
        requests_of_bob = boto3.client("s3", aws_access_key_id=bob.access_key_id, aws_secret_access_key="any")
        with pytest.raises(Exception, match="AccessDenied"):
            requests_of_bob.list_objects_v2(Bucket="photos")
    with pytest.raises(ValueError, match="any_access_key"):
        FakeStore(any_access_key=True, signatures="verify")


def test_unknown_access_key_is_explained_by_the_environment(monkeypatch):
    def explanation_of_a_request(store, client):
        with pytest.raises(Exception, match="InvalidAccessKeyId"):
            client.list_buckets()
        return store.exchanges[-1].explanation

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "before")
    client = boto3.Session(region_name="us-east-1").client("s3")
    with fake_store(**IN_S3) as store, fake_store(base_url="http://inner.test"):
        assert "before the store was entered" in explanation_of_a_request(store, client)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "testing")
        explanation = explanation_of_a_request(store, boto3.client("s3"))
        assert "AWS_ACCESS_KEY_ID was set to 'testing' after the store was entered" in explanation
        assert "before 'fakestore'" in explanation
        monkeypatch.undo()


def test_stores_of_several_threads_leave_the_environment_as_it_was(before):
    """The environment belongs to the process, so it names the store that was entered last."""
    with ExitStack() as stack:
        entering = threading.Barrier(4)

        def use():
            with fake_store(**IN_S3):
                entering.wait()

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
            stack.callback(thread.join)
    assert environment() == before


def test_session_has_the_handlers_that_a_library_adds_to_botocore_later(monkeypatch):
    """Importing moto adds a handler, which answers the requests for other services."""

    def answer(**_):
        raise LookupError("the library answers")

    with fake_store(dialect="s3"):
        boto3.client("s3").list_buckets()
    handlers = [*botocore.handlers.BUILTIN_HANDLERS, ("before-send", answer)]
    monkeypatch.setattr(botocore.handlers, "BUILTIN_HANDLERS", handlers)
    with fake_store(dialect="s3"), pytest.raises(LookupError, match="the library answers"):
        boto3.client("sts").get_caller_identity()
