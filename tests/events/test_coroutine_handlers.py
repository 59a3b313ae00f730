"""Coroutines as handlers of events: in which event loop they run, and what the client and the test see of them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from threading import Thread

import httpx
import pytest
from aiobotocore.session import get_session

from fakestore import fake_store
from tests.events.arrange import key_of, outcomes, put

# -- asynchronous clients


@asynccontextmanager
async def opened_aiobotocore(store):
    async with get_session().create_client("s3") as s3:
        yield lambda key, bucket="photos": s3.put_object(Bucket=bucket, Key=key, Body=b"meow")


@asynccontextmanager
async def opened_httpx(store, timeout=5):
    async with httpx.AsyncClient(timeout=timeout) as http:
        yield lambda key, bucket="photos": http.put(store.presign("PUT", bucket, key, expires_in=60), content=b"meow")


ASYNCHRONOUS = pytest.mark.parametrize("opened", [opened_aiobotocore, opened_httpx], ids=["aiobotocore", "httpx"])


@pytest.mark.decision("deliveries")
@ASYNCHRONOUS
def test_coroutine_shares_the_client_and_the_lock_of_the_application(store, photos, opened):
    async def application():
        lock = asyncio.Lock()
        async with opened(store) as write:

            async def make_thumbnail(event):
                async with lock:
                    await write(key_of(event), "thumbnails")
                    await asyncio.sleep(0.01)

            photos.on_event(make_thumbnail)
            await asyncio.wait_for(asyncio.gather(*(write(str(number)) for number in range(5))), 20)

    asyncio.run(application())
    assert list(store["thumbnails"]) == ["0", "1", "2", "3", "4"]
    assert outcomes(store) == [["delivered"]] * 5


@pytest.mark.decision("deliveries")
@ASYNCHRONOUS
def test_coroutine_waits_for_a_worker_of_the_application(store, photos, opened):
    keys = []

    async def application():
        queue = asyncio.Queue(maxsize=1)
        photos.on_event(queue.put)

        async def work():
            while True:
                await asyncio.sleep(0.1)  # meanwhile the handler waits, because the queue is full
                keys.append(key_of(await queue.get()))
                queue.task_done()

        worker = asyncio.create_task(work())
        async with opened(store) as write:
            for number in range(4):
                await asyncio.wait_for(write(str(number)), 20)
        await asyncio.wait_for(queue.join(), 20)
        worker.cancel()

    thread = Thread(target=asyncio.run, args=(application(),), daemon=True)  # a blocked loop would block the test
    thread.start()
    thread.join(30)
    assert keys == ["0", "1", "2", "3"]


@pytest.mark.decision("deliveries")
@ASYNCHRONOUS
def test_other_functions_run_in_a_thread_without_a_loop(store, photos, opened):
    async def work():
        await asyncio.sleep(0)

    def function(event, context):
        asyncio.run(work())

    def starts_a_task(event):
        asyncio.get_running_loop().create_task(work())

    async def application():
        photos.on_event(function)
        photos.on_event(starts_a_task)
        async with opened(store) as write:
            await write("cat.jpg")

    asyncio.run(application())
    assert outcomes(store) == [["delivered", "raised RuntimeError('no running event loop')"]]
    (error,) = store.handler_errors
    assert "async def" in error.__notes__[0]
    store.handler_errors.clear()


def test_httpx_waits_for_a_coroutine_at_most_until_its_timeout(store, photos):
    async def application():
        may_end = asyncio.Event()

        async def slow(event):
            await may_end.wait()

        photos.on_event(slow)
        async with opened_httpx(store, timeout=0.2) as write:
            with pytest.raises(httpx.ReadTimeout, match="handler"):
                await write("cat.jpg")
        assert outcomes(store) == [["still running"]]
        may_end.set()
        await until_outcome(store, "delivered")

    asyncio.run(application())


async def until_outcome(store, outcome):
    async with asyncio.timeout(10):
        while outcomes(store) != [[outcome]]:
            await asyncio.sleep(0.01)


@ASYNCHRONOUS
def test_cancelled_request_does_not_cancel_the_handler(store, photos, opened):
    async def application():
        started, may_end = asyncio.Event(), asyncio.Event()

        async def slow(event):
            started.set()
            await may_end.wait()

        photos.on_event(slow)
        async with opened(store) as write:
            request = asyncio.ensure_future(write("cat.jpg"))
            await asyncio.wait_for(started.wait(), 10)
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(request, 10)
        may_end.set()
        await until_outcome(store, "delivered")

    asyncio.run(application())


@pytest.mark.decision("deliveries")
@ASYNCHRONOUS
def test_handler_that_waits_while_the_store_is_left_is_the_last(opened):
    async def application():
        may_end, started = asyncio.Event(), asyncio.Event()

        async def slow(event):
            started.set()
            await may_end.wait()

        async with AsyncExitStack() as stack:
            with fake_store(dialect="s3", buckets=["photos"]) as store:
                store["photos"].on_event(slow)
                store["photos"].on_event(print)
                write = await stack.enter_async_context(opened(store))
                request = asyncio.ensure_future(write("cat.jpg"))
                await asyncio.wait_for(started.wait(), 10)
            may_end.set()
            await asyncio.wait_for(request, 10)
        assert outcomes(store) == [["delivered", "not delivered: the store was left"]]

    asyncio.run(application())


@ASYNCHRONOUS
@pytest.mark.parametrize("error", [ValueError, SystemExit, asyncio.CancelledError])
def test_exception_of_a_coroutine_does_not_reach_the_loop_of_the_client(store, photos, opened, error):
    async def broken(event):
        raise error("no jpg")

    async def application():
        photos.on_event(broken)
        async with opened(store) as write:
            await write("cat.jpg")
        return "ended"

    assert asyncio.run(application()) == "ended"
    assert outcomes(store) == [[f"raised {error('no jpg')!r}"]]
    (line,) = store.events[0].destinations[0].raised_at
    assert "in broken" in line
    store.handler_errors.clear()


def test_interruption_of_a_handler_reaches_the_application(store, photos):
    def interrupt(event):
        raise KeyboardInterrupt

    async def application():
        photos.on_event(interrupt)
        async with opened_httpx(store) as write:
            await write("cat.jpg")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(application())


@pytest.mark.decision("deliveries")
def test_many_parallel_requests_of_a_loop_are_no_mistake(store, photos):
    async def application():
        everybody = asyncio.Barrier(400)

        async def slow(event):
            await everybody.wait()

        photos.on_event(slow)
        async with opened_httpx(store, timeout=60) as write:
            await asyncio.gather(*(write(str(number)) for number in range(400)))

    asyncio.run(application())
    assert outcomes(store) == [["delivered"]] * 400


# -- the own loop of a coroutine


@pytest.mark.decision("deliveries")
def test_outcome_names_the_tasks_that_the_own_loop_of_a_coroutine_cancelled(store, photos):
    async def index_photo():
        await asyncio.sleep(60)

    async def handler(event):
        handler.task = asyncio.create_task(index_photo())
        await asyncio.sleep(0)

    photos.on_event(handler)
    put()
    assert outcomes(store) == [["delivered, but 1 task was cancelled at the end of its event loop: index_photo"]]


@pytest.mark.decision("deliveries")
def test_error_of_a_coroutine_says_that_it_had_a_loop_of_its_own(store, photos):
    async def application():
        queue = asyncio.Queue(maxsize=1)
        getting = asyncio.create_task(queue.get())
        await asyncio.sleep(0)
        await queue.put(1)
        await queue.put(2)
        await getting

        photos.on_event(queue.put)
        put()

    asyncio.run(application())
    (error,) = store.handler_errors
    assert "different event loop" in str(error)
    assert "a loop of its own" in error.__notes__[0]
    store.handler_errors.clear()


def test_error_of_a_coroutine_hides_how_its_loop_was_chosen(store, photos):
    async def broken(event):
        raise ValueError("no jpg")

    photos.on_event(broken)
    put()
    (error,) = store.handler_errors
    assert (str(error), error.__context__) == ("no jpg", None)
    store.handler_errors.clear()


def test_only_an_error_of_asyncio_has_a_note_about_loops(store, photos):
    async def waits_for_a_future_of_another_loop(event):
        await other

    def application_is_broken(event):
        raise RuntimeError("the event loop of the window has ended")

    loop = asyncio.new_event_loop()
    other = loop.create_future()
    photos.on_event(waits_for_a_future_of_another_loop)
    photos.on_event(application_is_broken)
    put()
    loop.close()
    of_asyncio, of_application = store.handler_errors
    assert "different loop" in str(of_asyncio)
    assert "a loop of its own" in of_asyncio.__notes__[0]
    assert not hasattr(of_application, "__notes__")
    store.handler_errors.clear()


def test_client_that_gave_up_is_not_taken_for_one_that_is_not_intercepted(store, photos):
    async def main():
        lock = asyncio.Lock()

        async def wait_for_the_test(event):
            async with lock:
                pass

        photos.on_event(wait_for_the_test)
        async with opened_aiobotocore(store) as put_with, lock:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(put_with("cat.jpg"), 0.2)

    asyncio.run(main())
    assert "not intercepted" not in "".join(map(str, store.journal))
