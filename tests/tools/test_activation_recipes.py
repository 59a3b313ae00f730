"""One recipe, many uses: nested, in threads and in tasks."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack

import requests
from requests.adapters import HTTPAdapter

from fakestore import fake_store

REAL_SEND = HTTPAdapter.send


def put_cat(store):
    return requests.put(store.url("photos", "cat.jpg"), data=b"meow", auth=store.auth()).status_code


def test_a_recipe_nested_in_itself_gives_another_store_each_time():
    recipe = fake_store(buckets=["photos"])
    with recipe as outer:
        with recipe as inner:
            put_cat(inner)
        seen_inside = (list(outer["photos"]), list(inner["photos"]))
        put_cat(outer)

    assert (seen_inside, list(outer["photos"])) == (([], ["cat.jpg"]), ["cat.jpg"])
    assert HTTPAdapter.send is REAL_SEND


def test_a_recipe_may_be_entered_by_threads_at_once():
    recipe = fake_store(buckets=["photos"])
    barrier = threading.Barrier(8)
    found = []

    def use(name):
        with recipe as store:
            barrier.wait()
            store["photos"].put(name)
            barrier.wait()
            found.append((name, list(store["photos"])))
            barrier.wait()

    threads = [threading.Thread(target=use, args=(f"of {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == [(f"of {number}", [f"of {number}"]) for number in range(8)]
    assert HTTPAdapter.send is REAL_SEND


def test_a_recipe_may_be_entered_by_tasks_at_once_and_left_in_any_order():
    recipe = fake_store(buckets=["photos"])

    async def use(number):
        with recipe as store:
            store["photos"].put(f"of {number}")
            await asyncio.sleep(0.001 * (number * 7 % 5))
            return list(store["photos"])

    async def at_once():
        return await asyncio.gather(*map(use, range(8)))

    assert asyncio.run(at_once()) == [[f"of {number}"] for number in range(8)]
    assert HTTPAdapter.send is REAL_SEND


def test_threads_that_enter_and_leave_all_the_time_leave_nothing_behind():
    recipe = fake_store()

    def use():
        for _ in range(50):
            with recipe:
                pass

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert HTTPAdapter.send is REAL_SEND


def test_a_store_entered_in_one_thread_may_be_left_in_another():
    stack = ExitStack()
    stack.enter_context(fake_store())
    thread = threading.Thread(target=stack.close)
    thread.start()
    thread.join()
    assert HTTPAdapter.send is REAL_SEND


def test_a_task_begun_inside_of_a_store_leaves_its_own_store_and_not_its_parents():
    recipe = fake_store(buckets=["photos"])

    async def child():
        with recipe:
            await asyncio.sleep(0)

    async def parent():
        with recipe as store:
            await asyncio.create_task(child())
            return put_cat(store), list(store["photos"])

    assert asyncio.run(parent()) == (200, ["cat.jpg"])


def test_the_repr_of_a_recipe_is_the_call_that_makes_it():
    assert repr(fake_store(buckets=["photos"], seed=3)) == "fake_store(buckets=['photos'], seed=3)"
