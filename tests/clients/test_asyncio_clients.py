"""Clients that are answered in process without urllib3: aiohttp, aiobotocore, s3fs, pandas and httpx."""

from __future__ import annotations

import asyncio
import gc
import io
import time
import unittest
import warnings

import aiobotocore.session
import aiohttp
import httpx
import httpx2
import pytest
import s3fs
from aiobotocore.config import AioConfig
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError

from fakestore import UnexpectedRequest, fake_store, faults
from tests.support.programs import run_program

#: Made when the module is imported, before any store is entered.
EARLY_SESSION = aiobotocore.session.get_session()

CONTENT = b"meow" * 50_000


def s3_store(**options):
    return fake_store(dialect="s3", buckets=["photos"], **options)


def presigned(store, method="GET", key="cat.jpg"):
    return store.presign(method, "photos", key, expires_in=60)


# -- aiobotocore


@pytest.mark.parametrize("make_session", [aiobotocore.session.get_session, lambda: EARLY_SESSION])
@pytest.mark.parametrize("signatures", ["accept", "verify"])
def test_aiobotocore_puts_reads_lists_and_gets_errors(make_session, signatures):
    @s3_store(signatures=signatures)
    async def use(store):
        async with make_session().create_client("s3") as s3:
            await s3.put_object(Bucket="photos", Key="a cat+é", Body=CONTENT)
            reply = await s3.get_object(Bucket="photos", Key="a cat+é")
            async with reply["Body"]:
                assert b"".join([piece async for piece in reply["Body"].iter_chunks(1000)]) == CONTENT
            pages = s3.get_paginator("list_objects_v2").paginate(Bucket="photos")
            assert [each["Key"] async for page in pages for each in page["Contents"]] == ["a cat+é"]
            with pytest.raises(s3.exceptions.NoSuchKey):
                await s3.get_object(Bucket="photos", Key="dog.jpg")
        operations = ["PutObject", "GetObject", "ListObjectsV2", "GetObject"]
        assert [each.api_name for each in store.exchanges] == operations

    asyncio.run(use())
    asyncio.run(use())  # in another event loop


def test_aiobotocore_works_with_its_httpx_session():
    from aiobotocore.httpxsession import HttpxSession

    @s3_store()
    async def use(store):
        config = AioConfig(http_session_cls=HttpxSession)
        async with aiobotocore.session.get_session().create_client("s3", config=config) as s3:
            await s3.put_object(Bucket="photos", Key="cat.jpg", Body=CONTENT)
            reply = await s3.get_object(Bucket="photos", Key="cat.jpg")
            assert await reply["Body"].read() == CONTENT
        assert len(store.exchanges) == 2

    asyncio.run(use())


@s3_store()
async def _use_faults(store):
    store["photos"].put("cat.jpg", CONTENT)
    async with aiobotocore.session.get_session().create_client("s3") as s3:
        for fault in (faults.ServiceError("SlowDown"), faults.ConnectionReset()):
            store.fail("GetObject", fault, times=1)
            reply = await s3.get_object(Bucket="photos", Key="cat.jpg")
            assert await reply["Body"].read() == CONTENT
        assert len(store.exchanges) == 4
        store.fail("GetObject", faults.Latency(0.3), times=1)
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        started = time.monotonic()
        reply = await s3.get_object(Bucket="photos", Key="cat.jpg")
        ticking.cancel()
        assert await reply["Body"].read() == CONTENT
        assert time.monotonic() - started >= 0.3
        assert ticks > 5, "a delay does not block the event loop"


def test_aiobotocore_meets_faults_and_a_delay_does_not_block_the_loop():
    asyncio.run(_use_faults())


def test_aioboto3_transfers_and_lists_objects():
    # Its newest version needs an older aiobotocore than the newest one, so only `make test-lowest` has it.
    aioboto3 = pytest.importorskip("aioboto3")
    content = b"meow" * 3_000_000

    async def use():
        async with aioboto3.Session().client("s3") as s3:
            await s3.upload_fileobj(io.BytesIO(content), "photos", "cat.mov")
            target = io.BytesIO()
            await s3.download_fileobj("photos", "cat.mov", target)
            assert target.getvalue() == content
        async with aioboto3.Session().resource("s3") as s3:
            bucket = await s3.Bucket("photos")
            assert [summary.key async for summary in bucket.objects.all()] == ["cat.mov"]
            await (await s3.Object("photos", "cat.mov")).delete()

    with fake_store(dialect="s3", buckets=["photos"]) as store:
        asyncio.run(use())
        assert "cat.mov" not in store["photos"]


# -- s3fs


@pytest.mark.parametrize("turn", [1, 2])
def test_cached_filesystem_of_s3fs_uses_the_current_store(turn):
    with s3_store() as store:
        files = s3fs.S3FileSystem()
        assert files.ls("photos") == []
        with files.open("photos/film", "wb") as film:
            film.write(bytes(12 * 1024 * 1024))
        assert store["photos"]["film"].size == 12 * 1024 * 1024
        assert files.ls("photos") == ["photos/film"]


# -- aiohttp


@s3_store()
async def _use_aiohttp(store):
    async with aiohttp.ClientSession() as session:
        async with session.put(presigned(store, "PUT"), data=CONTENT) as reply:
            assert reply.status == 200
        async with session.get(presigned(store)) as reply:
            assert (await reply.content.read(4), len(await reply.content.read())) == (b"meow", len(CONTENT) - 4)
        with pytest.raises((aiohttp.ClientError, UnexpectedRequest), match="not a host of this store"):
            await session.get("https://api.example.com/")
    store.unhandled_requests.clear()


def test_aiohttp_sends_presigned_urls_and_reaches_no_other_host():
    asyncio.run(_use_aiohttp())


@pytest.mark.parametrize(
    ("fault", "error", "error_of_aiobotocore"),
    [
        (faults.ConnectTimeout(), "ConnectionTimeoutError", ConnectTimeoutError),
        (faults.ReadTimeout(), "SocketTimeoutError", ReadTimeoutError),
        (faults.AfterCommit(faults.ReadTimeout()), "SocketTimeoutError", ReadTimeoutError),
    ],
)
def test_aiohttp_times_out_at_once(fault, error, error_of_aiobotocore):
    """aiohttp has no timeout of its own, and aiobotocore waits for 100 Continue before its timeout begins."""

    @s3_store()
    async def use(store):
        store.fail(None, fault, times=4)
        config = AioConfig(retries={"total_max_attempts": 1})
        async with asyncio.timeout(20), aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:
            for method in ("PUT", "GET"):
                with pytest.raises(getattr(aiohttp, error, aiohttp.ServerTimeoutError)):
                    await session.request(method, presigned(store, method))
            async with aiobotocore.session.get_session().create_client("s3", config=config) as s3:
                with pytest.raises(error_of_aiobotocore):
                    await s3.put_object(Bucket="photos", Key="cat.jpg", Body=CONTENT)
                with pytest.raises(error_of_aiobotocore):
                    await s3.get_object(Bucket="photos", Key="cat.jpg")
        assert len(store.exchanges) == 4

    asyncio.run(use())


@pytest.mark.parametrize(
    ("limits", "outcome", "wait"),
    [
        ({"total": 70, "sock_read": 5}, "SocketTimeoutError", 5),
        ({"total": 5, "sock_read": 70}, "TimeoutError", 5),
        ({"total": None, "sock_read": 60}, "SocketTimeoutError", 60),
        ({"total": None, "sock_read": 61}, "200", 60),
        ({"total": None}, "200", 60),
        ({"total": 0}, "200", 60),
        ({"total": -1}, "200", 60),
    ],
)
def test_aiohttp_times_out_before_a_late_reply_without_waiting(limits, outcome, wait):
    waited, outcomes = [], []

    @s3_store(sleep=waited.append)
    async def use(store):
        store["photos"].put("cat.jpg", CONTENT)
        store.fail("GetObject", faults.Latency(60))
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(**limits)) as session:
            for _ in range(2):
                try:
                    async with session.get(presigned(store)) as reply:
                        outcomes.append(str(reply.status))
                except TimeoutError as error:
                    outcomes.append(type(error).__name__)
        assert [exchange.status for exchange in store.exchanges] == [200, 200]

    asyncio.run(use())
    expected = outcome if hasattr(aiohttp, "SocketTimeoutError") else outcome.replace("Socket", "Server")  # before 3.10
    assert (outcomes, waited) == ([expected, "200"], [wait])


def test_aiobotocore_times_out_before_a_late_reply_without_waiting():
    waited = []

    @s3_store(sleep=waited.append)
    async def use(store):
        store["photos"].put("cat.jpg", CONTENT)
        store.fail("GetObject", faults.Latency(60))
        config = AioConfig(read_timeout=7, retries={"total_max_attempts": 1})
        async with aiobotocore.session.get_session().create_client("s3", config=config) as s3:
            with pytest.raises(ReadTimeoutError):
                await s3.get_object(Bucket="photos", Key="cat.jpg")

    asyncio.run(use())
    assert waited == [7]


@s3_store()
async def _cancel_aiohttp(store):
    async with aiohttp.ClientSession() as session:
        for steps in range(30):
            request = asyncio.create_task(session.put(presigned(store, "PUT"), data=CONTENT))
            for _ in range(steps):
                await asyncio.sleep(0)
            request.cancel()
            await asyncio.gather(request, return_exceptions=True)


def test_cancelled_aiohttp_leaves_no_socket_open():
    gc.collect()  # what other tests have left
    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always", ResourceWarning)
        asyncio.run(_cancel_aiohttp())
        gc.collect()
    assert unclosed == []


# -- httpx, and httpx2, which continues it

BOTH = pytest.mark.parametrize("client_library", [httpx, httpx2], ids=lambda each: each.__name__)


@BOTH
def test_httpx_streams_both_ways_and_reaches_no_other_host(client_library):
    with s3_store() as store, client_library.Client() as client:
        parts = (CONTENT[start : start + 1000] for start in range(0, len(CONTENT), 1000))
        sent = client.put(presigned(store, "PUT"), content=parts, headers={"Content-Length": str(len(CONTENT))})
        assert sent.status_code == 200
        with client.stream("GET", presigned(store)) as reply:
            assert b"".join(reply.iter_bytes(1000)) == CONTENT
        with pytest.raises(UnexpectedRequest):
            client.get("https://api.example.com/")
        store.unhandled_requests.clear()


@BOTH
def test_asynchronous_httpx_streams_and_reaches_no_other_host(client_library):
    @s3_store()
    async def use(store):
        async with client_library.AsyncClient() as client:
            assert (await client.put(presigned(store, "PUT"), content=CONTENT)).status_code == 200
            async with client.stream("GET", presigned(store)) as reply:
                assert b"".join([piece async for piece in reply.aiter_bytes()]) == CONTENT
            with pytest.raises(UnexpectedRequest):
                await client.get("https://api.example.com/")
        store.unhandled_requests.clear()

    asyncio.run(use())


@BOTH
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (faults.ConnectionReset(), "ReadError"),
        (faults.ConnectTimeout(), "ConnectTimeout"),
        (faults.ReadTimeout(), "ReadTimeout"),
        (faults.Latency(60), "ReadTimeout"),
        (faults.TruncatedBody(4), "RemoteProtocolError"),
    ],
)
def test_httpx_raises_its_own_error_of_a_failed_connection(client_library, fault, error):
    waited = []
    with s3_store(sleep=waited.append) as store:
        store["photos"].put("cat.jpg", CONTENT)
        store.fail("GetObject", fault, times=1)
        with pytest.raises(getattr(client_library, error)):
            client_library.get(presigned(store))
        assert client_library.get(presigned(store)).content == CONTENT
    assert sum(waited) == (5 if fault == faults.Latency(60) else 0), "the read timeout of httpx is 5 seconds"


@s3_store()
def test_transport_of_the_test_itself_is_not_replaced(store):
    transport = httpx.MockTransport(lambda request: httpx.Response(418))
    with httpx.Client(transport=transport) as client:
        assert client.get(presigned(store)).status_code == 418
    assert store.exchanges == []


# -- frameworks, and imports inside of a store


class Downloads(unittest.IsolatedAsyncioTestCase):
    @s3_store()
    async def test_isolated_asyncio_test_case(self, store):
        store["photos"].put("cat.jpg", CONTENT)
        async with aiobotocore.session.get_session().create_client("s3") as s3:
            reply = await s3.get_object(Bucket="photos", Key="cat.jpg")
            assert await reply["Body"].read() == CONTENT


MARKS = {
    "strict": "import pytest, pytest_asyncio; pytestmark = pytest.mark.asyncio; fixture = pytest_asyncio.fixture",
    "auto": "import pytest; fixture = pytest.fixture",
}
COROUTINES = """
import aiobotocore.session
from fakestore import fake_store

@fixture
async def s3():
    async with aiobotocore.session.get_session().create_client("s3") as client:
        yield client

@pytest.mark.fakestore(dialect="s3", buckets=["photos"])
async def test_fixture(fakestore, s3):
    await s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
    assert fakestore["photos"]["cat.jpg"].content == b"meow"

@fake_store(dialect="s3", buckets=["photos"])
async def test_decorated(store):
    async with aiobotocore.session.get_session().create_client("s3") as client:
        await client.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
    assert store["photos"]["cat.jpg"].content == b"meow"
"""


@pytest.mark.parametrize("mode", MARKS)
def test_coroutines_of_pytest_asyncio_have_a_store(pytester, plain_runs, mode):
    pytester.makeini(f"[pytest]\nasyncio_mode = {mode}\nasyncio_default_fixture_loop_scope = function")
    pytester.makepyfile(MARKS[mode] + COROUTINES)
    plugins = "-p", "fakestore.pytest_plugin", "-p", "pytest_asyncio.plugin"
    pytester.runpytest(*plugins).assert_outcomes(passed=2)


def test_libraries_that_are_imported_inside_of_a_store_are_answered():
    code = """
    import io, sys
    from fakestore import fake_store

    with fake_store(dialect="s3", buckets=["photos"]) as store:
        print({"aiohttp", "boto3", "httpx"} & sys.modules.keys())
        import boto3, httpx, pandas
        from boto3.s3.transfer import TransferConfig
        crt = TransferConfig(preferred_transfer_client="crt")  # its HTTP client cannot be intercepted
        boto3.client("s3").upload_fileobj(io.BytesIO(b"meow"), "photos", "cat.jpg", Config=crt)
        pandas.DataFrame({"a": [1]}).to_csv("s3://photos/cats.csv", index=False)
        print(httpx.get(store.presign("GET", "photos", "cats.csv", expires_in=60)).content)
    print([each for each in sys.meta_path if type(each).__module__.startswith("fakestore")])
    """
    assert run_program(code, "-W", "ignore").splitlines() == ["set()", r"b'a\n1\n'", "[]"]
