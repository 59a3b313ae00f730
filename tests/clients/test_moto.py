"""A store beside moto: S3 is the store's, and everything else is moto's."""

from __future__ import annotations

import asyncio
import copy
import os
import socket
import unittest
from contextlib import ExitStack, contextmanager
from unittest import mock

import aiobotocore.session
import boto3
import httpx
import pytest
import requests
import responses
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError, HTTPClientError
from moto import mock_aws
from moto.core.config import default_user_config
from moto.core.models import MockAWS, botocore_stubber, patch_client
from requests.adapters import HTTPAdapter

from fakestore import UnexpectedRequest, fake_store
from tests.support.programs import run_program

OWN_CONFIG = {"core": {"mock_credentials": True, "service_whitelist": None}}
REAL_SEND = HTTPAdapter.send
REAL_MOTO = MockAWS.start, MockAWS.stop
MOTO_KEYS = {"aws_access_key_id": "FOOBARKEY", "aws_secret_access_key": "FOOBARSECRET"}


def aws_variables():
    return {name: value for name, value in os.environ.items() if name.startswith("AWS_")}


@pytest.fixture(autouse=True)
def nothing_stays_behind(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    environment, session, config = aws_variables(), boto3.DEFAULT_SESSION, copy.deepcopy(default_user_config)
    yield
    assert aws_variables() == environment
    assert (boto3.DEFAULT_SESSION, default_user_config) == (session, config)
    assert HTTPAdapter.send is REAL_SEND
    assert (MockAWS.start, MockAWS.stop) == REAL_MOTO


def recipe(**options):
    return fake_store(dialect="s3", buckets=["photos"], **options)


def use_three_services(store):
    """Use S3 of the store, and SQS and DynamoDB of moto."""
    s3, sqs = boto3.client("s3"), boto3.resource("sqs")
    s3.put_object(Bucket="photos", Key="boto3", Body=b"meow")
    queue = sqs.create_queue(QueueName="uploads")
    queue.send_message(MessageBody="boto3")
    table = boto3.client("dynamodb").create_table(
        TableName="index",
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "key", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    assert table["TableDescription"]["TableName"] == "index"
    assert [message.body for message in queue.receive_messages()] == ["boto3"]
    presigned = s3.generate_presigned_url("put_object", {"Bucket": "photos", "Key": "presigned"})
    assert requests.put(presigned, data=b"purr").status_code == 200
    assert s3.get_object(Bucket="photos", Key="presigned")["Body"].read() == b"purr"
    assert list(store["photos"]) == ["boto3", "presigned"]
    with pytest.raises(requests.ConnectionError, match=r"elsewhere\.test"):
        requests.get("http://elsewhere.test/")
    assert [type(error) for error in store.unhandled_requests] == [UnexpectedRequest]
    store.unhandled_requests.clear()


both_orders = pytest.mark.parametrize("order", ["moto around", "moto inside"])


@contextmanager
def beside_moto(order, store, config=None):
    """Enter a store and a mock of moto, one inside the other."""
    moto = mock_aws(config=copy.deepcopy(config))
    if order == "moto around":
        with moto, store as entered:
            yield entered
    else:
        with store as entered, moto:
            yield entered


@pytest.mark.parametrize("config", [None, OWN_CONFIG, {"core": {"passthrough": {"urls": []}}}])
@both_orders
def test_store_and_moto_each_answer_their_own(order, config):
    with beside_moto(order, recipe(signatures="verify"), config) as store:
        use_three_services(store)


@both_orders
def test_store_answers_for_buckets_whose_hosts_moto_takes_for_other_services(order):
    names = ["config", "events", "logs", "monitoring", "photos.sqs"]
    with beside_moto(order, fake_store(dialect="s3", buckets=names)) as store:
        s3 = boto3.client("s3")
        for name in names:
            s3.put_object(Bucket=name, Key="cat.jpg", Body=b"meow")
            presigned = s3.generate_presigned_url("get_object", {"Bucket": name, "Key": "cat.jpg"})
            assert requests.get(presigned).content == b"meow"
            assert list(store[name]) == ["cat.jpg"]
        assert boto3.client("logs").describe_log_groups()["logGroups"] == []


@both_orders
def test_responses_of_the_store_answer_beside_moto(order):
    with ExitStack() as stack:
        if order == "moto around":
            stack.enter_context(mock_aws())
        store = stack.enter_context(recipe())
        store.responses.get("https://queue.example.com/next", status=299)
        if order == "moto inside":
            stack.enter_context(mock_aws())
        assert requests.get("https://queue.example.com/next").status_code == 299


@pytest.mark.parametrize("signatures", ["accept", "verify"])
@both_orders
def test_aiobotocore_and_httpx_reach_the_store_beside_moto(order, signatures):
    async def upload_and_sign():
        async with aiobotocore.session.get_session().create_client("s3") as s3:
            await s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            return await s3.generate_presigned_url("get_object", Params={"Bucket": "photos", "Key": "cat.jpg"})

    with beside_moto(order, recipe(signatures=signatures)) as store:
        assert httpx.get(asyncio.run(upload_and_sign())).content == b"meow"
        assert boto3.client("sqs").list_queues()["ResponseMetadata"]["HTTPStatusCode"] == 200
        assert [exchange.api_name for exchange in store.exchanges] == ["PutObject", "GetObject"]


def test_after_the_store_moto_has_its_own_s3_without_anything_of_the_store():
    with mock_aws():
        boto3.client("s3").create_bucket(Bucket="of-moto")
        with recipe():
            client = boto3.client("s3")
            client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            assert [each["Name"] for each in client.list_buckets()["Buckets"]] == ["photos"]
        assert [each["Name"] for each in boto3.client("s3").list_buckets()["Buckets"]] == ["of-moto"]
        url = boto3.client("s3").generate_presigned_url("list_buckets")
        assert "of-moto" in requests.get(url).text


@pytest.mark.parametrize("signatures", ["accept", "verify"])
def test_clients_that_were_made_inside_moto_reach_the_store(signatures):
    with mock_aws():
        client, resource = boto3.client("s3"), boto3.resource("s3")
        with recipe(signatures=signatures) as store:
            client.put_object(Bucket="photos", Key="client", Body=b"meow")
            resource.Object("photos", "resource").put(Body=b"meow")
            assert requests.get(client.generate_presigned_url("list_buckets")).status_code == 200
            assert [exchange.status for exchange in store.exchanges] == [200, 200, 200]


def test_clients_that_were_made_before_moto_was_imported_reach_the_store():
    code = """
    import boto3
    client = boto3.client("s3", region_name="us-east-1", aws_access_key_id="KEY", aws_secret_access_key="secret")
    from fakestore import fake_store
    with fake_store(dialect="s3", buckets=["photos"], access_key_id="KEY", secret_key="secret") as store:
        from moto import mock_aws
        with mock_aws():
            client.put_object(Bucket="photos", Key="before", Body=b"meow")
            boto3.client("s3").put_object(Bucket="photos", Key="inside", Body=b"meow")
            print(boto3.client("sqs", region_name="us-east-1").create_queue(QueueName="queue")["QueueUrl"][:8])
        print(*store["photos"])
    """
    assert run_program(code).split() == ["https://", "before", "inside"]


def test_moto_that_is_imported_after_the_default_session_was_used_answers():
    code = """
    import boto3
    from fakestore import fake_store
    with fake_store(dialect="s3", buckets=["photos"], region="us-east-1"):
        boto3.client("s3")
        with fake_store(dialect="s3", buckets=["photos"], region="us-east-1"):
            boto3.client("s3")
            from moto import mock_aws
            moto = mock_aws()
            moto.start()
            print(boto3.client("sqs").create_queue(QueueName="inner")["QueueUrl"])
        print(boto3.client("sqs").create_queue(QueueName="outer")["QueueUrl"])
        moto.stop()
    """
    assert [url.rpartition("/")[2] for url in run_program(code).split()] == ["inner", "outer"]


USUAL_KEYS = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"), "testing")


@pytest.mark.decision("keys-beside-moto")
@pytest.mark.parametrize("options", [{"signatures": "verify"}, {"signatures": "verify", "serve": True}, {}])
@mock.patch.dict(os.environ, USUAL_KEYS)
def test_client_that_was_made_before_with_the_keys_in_the_environment_reaches_the_store(options):
    client, queues = boto3.Session().client("s3"), boto3.Session().client("sqs")
    wrong = boto3.Session("testing", "wrong").client("s3")

    def check(store):
        queues.create_queue(QueueName="uploads")
        client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        assert [str(exchange.account) for exchange in store.exchanges] == ["default"]
        if options:
            with pytest.raises(Exception, match="SignatureDoesNotMatch"):
                wrong.list_buckets()

    @mock_aws
    @recipe(**options)
    def moto_first(store):
        check(store)

    @recipe(**options)
    @mock_aws
    def moto_last(store):
        check(store)

    moto_first()
    moto_last()
    with recipe(**options), mock_aws():
        client.list_buckets()


@mock.patch.dict(os.environ, USUAL_KEYS)
def test_keys_of_a_decoration_count_only_for_the_stores_of_its_function():
    client = boto3.Session().client("s3")

    def upload():
        with recipe() as inner:
            client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            assert list(inner["photos"]) == ["cat.jpg"]

    @recipe()
    def decorated():
        upload()

    @recipe()
    class Case(unittest.TestCase):
        def test_upload(self):
            upload()

    for use in (decorated, lambda: run_cases(Case)):
        with mock_aws():
            use()
            with pytest.raises(Exception, match="InvalidAccessKeyId"):
                upload()


def own_client():
    return boto3.Session(region_name="us-east-1", **MOTO_KEYS).client("s3")


@both_orders
def test_nested_moto_with_its_own_config_leaves_s3_to_the_store(order):
    before = own_client()
    with beside_moto(order, recipe()) as store:
        with mock_aws(config=copy.deepcopy(OWN_CONFIG)):
            before.put_object(Bucket="photos", Key="before", Body=b"meow")
            own_client().put_object(Bucket="photos", Key="session", Body=b"meow")
            boto3.client("s3").put_object(Bucket="photos", Key="default", Body=b"meow")
            presigned = own_client().generate_presigned_url("put_object", {"Bucket": "photos", "Key": "presigned"})
            assert requests.put(presigned, data=b"purr").status_code == 200
            boto3.client("sqs").create_queue(QueueName="uploads")
        own_client().put_object(Bucket="photos", Key="after", Body=b"meow")
        assert list(store["photos"]) == ["after", "before", "default", "presigned", "session"]


def test_keys_of_a_nested_moto_are_known():
    with mock_aws(config={"core": {"mock_credentials": False}}), recipe() as store:
        with mock_aws(config=copy.deepcopy(OWN_CONFIG)):
            own_client().list_buckets()
        assert [exchange.status for exchange in store.exchanges] == [200]


def test_inner_store_that_is_left_leaves_s3_to_the_outer_store():
    with recipe() as outer, mock_aws():
        with recipe():
            pass
        own_client().put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        assert list(outer["photos"]) == ["cat.jpg"]


def test_services_that_the_test_lets_pass_stay(monkeypatch):
    def fail(*args, **kwargs):
        raise socket.gaierror("no network")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with mock_aws(config={"core": {"passthrough": {"services": ["sqs"]}}}), recipe() as store:
        boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        with pytest.raises(EndpointConnectionError, match="sqs"):
            boto3.client("sqs", config=Config(retries={"max_attempts": 0})).list_queues()
        assert store.unhandled_requests == []


def test_moto_keys_are_forgotten_when_the_store_is_left():
    with mock_aws(), recipe():
        pass
    with recipe(), mock_aws(config={"core": {"mock_credentials": False}}):
        with pytest.raises(Exception, match="InvalidAccessKeyId"):
            own_client().list_buckets()


@pytest.mark.decision("keys-beside-moto")
def test_moto_keys_are_unknown_without_moto():
    with recipe() as store:
        with pytest.raises(Exception, match="InvalidAccessKeyId"):
            boto3.client("s3", **MOTO_KEYS).list_buckets()
        with mock_aws(config=copy.deepcopy(OWN_CONFIG)):
            boto3.client("s3", **MOTO_KEYS).list_buckets()
        assert [exchange.status for exchange in store.exchanges] == [403, 200]


@pytest.mark.decision("keys-beside-moto")
def test_keys_of_a_role_belong_to_the_default_account_or_to_the_account_that_has_them():
    with mock_aws(), recipe(signatures="verify") as store:
        role = {"RoleArn": "arn:aws:iam::123456789012:role/auditor", "RoleSessionName": "test"}
        keys = boto3.client("sts").assume_role(**role)["Credentials"]
        credentials = {
            "aws_access_key_id": keys["AccessKeyId"],
            "aws_secret_access_key": keys["SecretAccessKey"],
            "aws_session_token": keys["SessionToken"],
        }
        boto3.client("s3", **credentials).list_buckets()
        with pytest.raises(Exception, match="SignatureDoesNotMatch"):
            boto3.client("s3", **{**credentials, "aws_secret_access_key": "wrong"}).list_buckets()
        store.create_account("auditor", access_key_id=keys["AccessKeyId"], secret_key=keys["SecretAccessKey"])
        boto3.client("s3", **credentials).list_buckets()
        requesters = [str(exchange.account) for exchange in store.exchanges if exchange.status == 200]
        assert requesters == ["default", "auditor"]


@pytest.mark.decision("keys-beside-moto")
@pytest.mark.parametrize(
    ("operation", "arguments"), [("get_session_token", {}), ("get_federation_token", {"Name": "ann"})]
)
def test_keys_of_other_moto_sessions_are_unknown(operation, arguments):
    with mock_aws(), recipe():
        keys = getattr(boto3.client("sts"), operation)(**arguments)["Credentials"]
        client = boto3.client(
            "s3",
            aws_access_key_id=keys["AccessKeyId"],
            aws_secret_access_key=keys["SecretAccessKey"],
            aws_session_token=keys["SessionToken"],
        )
        with pytest.raises(Exception, match="InvalidAccessKeyId"):
            client.list_buckets()


@pytest.mark.decision("keys-beside-moto")
def test_keys_of_moto_iam_are_known():
    with mock_aws(), recipe(signatures="verify"):
        iam = boto3.client("iam")
        iam.create_user(UserName="ann")
        key = iam.create_access_key(UserName="ann")["AccessKey"]
        client = boto3.client("s3", aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
        assert len(client.list_buckets()["Buckets"]) == 1


@pytest.mark.decision("account-numbers")
def test_default_account_has_the_account_number_of_moto():
    with mock_aws(), recipe() as store:
        number = boto3.client("sts").get_caller_identity()["Account"]
        boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", ExpectedBucketOwner=number)
        assert list(store["photos"]) == ["cat.jpg"]
        assert store.default_account.number == number != store.create_account("bob").number


# -- hosts that neither answers


@both_orders
def test_host_that_neither_answers_is_reached_only_if_the_test_lets_it_pass(loopback, order):
    url = f"{loopback.url}/ok"

    def get():
        return requests.get(url).content

    with beside_moto(order, recipe()) as store:
        with pytest.raises(UnexpectedRequest, match="allow_network=\\['127"):
            get()
        store.unhandled_requests.clear()
        with responses.RequestsMock() as mock:
            mock.add_passthru(loopback.url)
            assert get() == b"real"
        passthrough = {"core": {"passthrough": {"urls": [loopback.url]}}}
        with mock_aws(config=passthrough):
            assert get() == b"real"
        assert store.unhandled_requests == []
    for allowed in (True, ["127.0.0.1"]):
        with mock_aws(), recipe(allow_network=allowed):
            assert get() == b"real"
        with recipe(allow_network=allowed), mock_aws():
            assert get() == b"real"


@pytest.mark.parametrize("config", [None, {"core": {"passthrough": {"services": ["s3"]}}}])
def test_host_of_s3_that_is_not_the_stores_is_refused(config):
    with mock_aws(config=config), recipe() as store:
        with pytest.raises(UnexpectedRequest, match="accelerated transfers"):
            requests.get("https://photos.s3-accelerate.amazonaws.com/cat.jpg")
        store.unhandled_requests.clear()


def test_prefix_that_the_test_adds_to_the_mock_of_moto_counts(loopback):
    from moto.core.models import responses_mock

    with mock_aws():
        responses_mock.add_passthru(loopback.url)
        with recipe():
            assert requests.get(f"{loopback.url}/ok").content == b"real"


# -- S3 beside a store that does not answer at its hosts


@both_orders
@pytest.mark.decision("s3-beside-moto")
def test_moto_does_not_answer_s3_beside_a_store_of_another_dialect(order):
    with ExitStack() as stack:
        if order == "moto around":
            stack.enter_context(mock_aws())
            boto3.client("s3").create_bucket(Bucket="photos")
        store = stack.enter_context(fake_store(buckets=["photos"]))
        if order == "moto inside":
            stack.enter_context(mock_aws())
        s3 = boto3.client("s3")
        boto3.client("sqs").create_queue(QueueName="uploads")
        with pytest.raises(UnexpectedRequest, match=r"dialect='s3'.*moto.*allow_network=\['s3\.amazonaws\.com'\]"):
            requests.get(s3.generate_presigned_url("get_object", {"Bucket": "logs", "Key": "cat.jpg"}))
        with pytest.raises(Exception, match=r"dialect='s3'.*moto.*allow_network=\['s3\.amazonaws\.com'\]"):
            s3.create_bucket(Bucket="photos")
        assert {type(error) for error in store.unhandled_requests} == {UnexpectedRequest}
        store.unhandled_requests.clear()


@both_orders
@pytest.mark.parametrize("allowed", [["s3.amazonaws.com"], ["s3.us-east-1.amazonaws.com:443"], True])
@pytest.mark.decision("s3-beside-moto")
def test_moto_answers_s3_if_the_outermost_store_allows_it(allowed, order):
    with beside_moto(order, fake_store(buckets=["photos"], allow_network=allowed)):
        with recipe() as inner:
            boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            assert list(inner["photos"]) == ["cat.jpg"]
        boto3.client("s3").create_bucket(Bucket="of-moto")
        assert "of-moto" in requests.get(boto3.client("s3").generate_presigned_url("list_buckets")).text


# -- decorators, fixtures and crossed orders


@mock_aws
@recipe()
def test_decorators_with_moto_first(store):
    use_three_services(store)


@recipe()
@mock_aws
def test_decorators_with_moto_last(store):
    use_three_services(store)


@pytest.fixture
def moto():
    with mock_aws():
        yield


@pytest.mark.fakestore(dialect="s3", buckets=["photos"])
def test_fixtures_with_moto_first(moto, fakestore):
    use_three_services(fakestore)


@pytest.mark.fakestore(dialect="s3", buckets=["photos"])
def test_fixtures_with_moto_last(fakestore, moto):
    use_three_services(fakestore)


@pytest.mark.parametrize("config", [None, OWN_CONFIG])
@pytest.mark.parametrize("first", ["moto", "store"])
def test_crossed_order_leaves_nothing(first, config):
    moto, store = mock_aws(config=copy.deepcopy(config)), recipe()
    if first == "moto":
        moto.start()
        entered = store.__enter__()
        moto.stop()
        boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        requests.get(entered.presign("GET", "photos", "cat.jpg", expires_in=9)).raise_for_status()
        store.__exit__(None, None, None)
    else:
        entered = store.__enter__()
        moto.start()
        boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        store.__exit__(None, None, None)
        boto3.client("s3").create_bucket(Bucket="of-moto")
        moto.stop()
    assert list(entered["photos"]) == ["cat.jpg"]


def run_cases(case_class):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case_class).run(result)
    assert (result.testsRun, result.errors, result.failures) == (1, [], [])


def test_decorators_of_a_test_case_in_both_orders():
    for decorate in (lambda case: mock_aws(recipe()(case)), lambda case: recipe()(mock_aws(case))):

        class Case(unittest.TestCase):
            def setUp(self):
                boto3.client("s3").put_object(Bucket="photos", Key="set-up", Body=b"meow")

            def test_services(self):
                boto3.client("sqs").create_queue(QueueName="uploads")
                boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
                assert list(self.store["photos"]) == ["cat.jpg", "set-up"]

        run_cases(decorate(Case))


# -- the report


def test_report_says_that_another_handler_has_answered(pytester, plain_runs):
    pytester.makepyfile(
        """
        import boto3
        from botocore.awsrequest import AWSResponse
        from fakestore import fake_store

        class Empty:
            def stream(self):
                return []

        @fake_store(dialect="s3", buckets=["photos"])
        def test_upload(store):
            client = boto3.client("s3")
            answer = AWSResponse("https://photos.s3.amazonaws.com/", 200, {}, Empty())
            client.meta.events.register("before-send.s3", lambda **_: answer)
            client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            assert "cat.jpg" in store["photos"]
        """
    )
    pytester.runpytest("-p", "fakestore.pytest_plugin").stdout.fnmatch_lines(
        ["*no request arrived: boto3 sent PUT https://photos.s3.amazonaws.com/cat.jpg, but another mock*"]
    )


def test_report_does_not_blame_a_mock_for_a_request_that_has_arrived(pytester, plain_runs):
    pytester.makepyfile(
        """
        import boto3
        from botocore.config import Config
        from fakestore import fake_store

        class Broken:
            def signature(self, request, address, secret_key):
                raise RuntimeError("of the verifier")

        @fake_store(dialect="s3", buckets=["photos"])
        def test_reset(store):
            boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            store.reset()
            assert "cat.jpg" in store["photos"]

        @fake_store(dialect="s3", buckets=["photos"], signatures=Broken())
        def test_verifier(store):
            boto3.client("s3", config=Config(signature_version="s3")).list_buckets()
        """
    )
    result = pytester.runpytest("-p", "fakestore.pytest_plugin")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*of the verifier", "exchanges:"])
    result.stdout.no_fnmatch_line("*another mock*")


ANSWERED_BY_A_MOCK = {
    "patch": """
        with mock.patch("botocore.client.BaseClient._make_api_call", return_value={}):
            boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
""",
    "stubber": """
        client = boto3.client("s3")
        with Stubber(client) as stubber:
            stubber.add_response("put_object", {})
            client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
""",
    "handler": """
        client = boto3.Session("key", "secret", region_name="us-east-1").client("s3")
        answer = AWSResponse("https://photos.s3.amazonaws.com/", 200, {}, Empty())
        client.meta.events.register("before-send.s3", lambda **_: answer)
        client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
""",
}


def test_report_names_the_clients_that_need_a_server(pytester, plain_runs):
    pytester.makepyfile(
        """
    import polars
    from fakestore import fake_store

    @fake_store(dialect="s3", buckets=["photos"])
    def test_upload(store):
        assert "cat.csv" in store["photos"]

    @fake_store(dialect="s3", buckets=["photos"], serve=True)
    def test_upload_to_a_server(store):
        assert "cat.csv" in store["photos"]
        """
    )
    result = pytester.runpytest_subprocess("-p", "fakestore.pytest_plugin")
    hint = "*if a request is missing, its client may not be intercepted: polars serve=True*"
    served_hint = "*if a request is missing, its client may not use the server*pass http://127.0.0.1:*"
    result.stdout.fnmatch_lines(["*test_upload*", hint, "*test_upload_to_a_server*", served_hint])
    assert str(result.stdout).count("may not be intercepted") == 1


@pytest.mark.parametrize("name", ANSWERED_BY_A_MOCK)
def test_report_names_the_mocks_that_may_have_answered(pytester, plain_runs, name):
    pytester.makepyfile(
        f"""
    from unittest import mock
    import boto3
    from botocore.awsrequest import AWSResponse
    from botocore.stub import Stubber
    from fakestore import fake_store

    class Empty:
        def stream(self):
            return []

    @fake_store(dialect="s3", buckets=["photos"])
    def test_upload(store):
{ANSWERED_BY_A_MOCK[name]}
        assert "cat.jpg" in store["photos"]
        """
    )
    pytester.runpytest("-p", "fakestore.pytest_plugin").stdout.fnmatch_lines(
        [
            "E *AssertionError*",
            "exchanges:",
            "  none",
            "*another mock may*: *BaseClient._make_api_call, *Stubber, *before-send*",
            "contents:",
        ]
    )


@fake_store(dialect="s3")
@mock_aws
def test_client_that_was_made_before_moto_was_imported_is_explained(store):
    client = boto3.client("sqs")
    client.meta.events.unregister("before-send", botocore_stubber)  # moto adds it to clients that are made after it
    with pytest.raises(HTTPClientError, match="only if it was made after moto was imported"):
        client.list_queues()
    store.unhandled_requests.clear()
    patch_client(client)
    assert client.list_queues()["ResponseMetadata"]["HTTPStatusCode"] == 200
