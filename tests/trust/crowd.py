"""Many threads on few keys of one store, and what must be true of what each of them saw."""

from __future__ import annotations

import random
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from fakestore import FakeStore
from tests.support.wire import etag_of, request

BUCKETS = ("never", "enabled", "suspended", "flipping")
KEYS = ("k", "k/l", "ü")
#: In these buckets every key holds at most one entry, so the last write is all there is.
OF_NULL_VERSIONS = ("never", "suspended")
#: In these a version stays once it is written, until it is deleted by its id.
OF_MANY_VERSIONS = ("enabled", "flipping")
#: In seconds. A thread that is not done by then is in a deadlock.
TIMEOUT = 120


class Event(NamedTuple):
    """An entry that was written or read: its entity tag, or None for nothing and for a delete marker."""

    begun: int
    ended: int
    bucket: str
    key: str
    version_id: str | None
    etag: str | None


@dataclass
class Seen:
    """What one thread did and saw, in its own order."""

    request_ids: list[str] = field(default_factory=list)
    written: list[Event] = field(default_factory=list)
    read: list[Event] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    #: When each listing of versions took place, its bucket, and key, id and IsLatest of its entries.
    listed: list[tuple[tuple[int, int], str, list[tuple[str, str, bool]]]] = field(default_factory=list)


@contextmanager
def frequent_switches():
    """Let the interpreter switch threads a thousand times more often than usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def together(count, work):
    """Run `work(number)` in threads that start at the same time. Return the results, or raise the first error."""
    barrier = threading.Barrier(count)
    results = [None] * count
    errors = []

    def run(number):
        try:
            barrier.wait(TIMEOUT)
            results[number] = work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    with frequent_switches():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT)
    assert not any(thread.is_alive() for thread in threads), "deadlock: some threads did not end"
    if errors:
        raise errors[0]
    return results


def in_pieces(content):
    """Yield content in pieces, and let other threads run between them."""
    for start in range(0, len(content), 1000):
        time.sleep(0)
        yield content[start : start + 1000]


class Crowd:
    """`threads` threads of `steps` mixed operations each. Call `run`, then `check`."""

    def __init__(self, seed, threads=32, steps=20):
        self.seed, self.threads, self.steps = seed, threads, steps
        self.store = FakeStore()
        for name in BUCKETS:
            self.store.create_bucket(name, versioning="enabled" if name == "flipping" else name)
        #: The ids that any thread may delete. All threads append to it.
        self.ids = []
        self.snapshots = []

    def run(self):
        self.seen = together(self.threads, self._work)

    def _work(self, number):
        chance = random.Random(f"{self.seed} {number}")
        seen = Seen()
        for step in range(self.steps):
            self._step(chance, seen, f"{number}.{step}")
        return seen

    def _step(self, chance, seen, label):
        def ask(method, bucket, key="", statuses=(200, 204), **options):
            begun = time.monotonic_ns()
            reply = request(self.store, method, bucket, key, **options)
            seen.request_ids.append(reply.headers["x-svc-request-id"])
            assert reply.status in statuses, (method, bucket, key, reply.status, reply.body)
            return reply, (begun, time.monotonic_ns())

        def wrote(reply, took, etag):
            version_id = reply.headers.get("x-svc-version-id")
            seen.written.append(Event(*took, bucket, key, version_id, etag))
            if version_id not in (None, "null"):
                self.ids.append((version_id, bucket, key))

        bucket, key = chance.choice(BUCKETS), chance.choice(KEYS)
        kinds = ["put", "copy", "delete", "delete version", "get", "list", "flip", "acl", "snapshot"]
        kind = chance.choices(kinds, [30, 10, 8, 8, 20, 8, 3, 5, 3])[0]
        if kind == "put":
            content = f"{label} ".encode() * chance.choice([1, 40, 4000])
            length = {"Content-Length": str(len(content))}
            body = in_pieces(content) if chance.random() < 0.5 else content
            reply, took = ask("PUT", bucket, key, headers=length, body=body)
            assert reply.headers["ETag"] == etag_of(content)
            wrote(reply, took, etag_of(content))
        elif kind == "copy":
            source = "/".join(("", bucket, chance.choice(KEYS))).replace("ü", "%C3%BC")
            headers = {"x-svc-copy-source": source, "x-svc-storage-class": "STANDARD"}
            reply, took = ask("PUT", bucket, key, (200, 404), headers=headers)
            if reply.status == 200:
                wrote(reply, took, etree.fromstring(reply.body).findtext("ETag"))
        elif kind == "delete":
            wrote(*ask("DELETE", bucket, key), None)
        elif kind == "delete version" and self.ids:
            version_id, bucket, key = chance.choice(self.ids)
            seen.deleted.append(version_id)
            ask("DELETE", bucket, key, versionId=version_id)
        elif kind == "get":
            reply, took = ask("GET", bucket, key, (200, 404))
            etag = etag_of(reply.body) if reply.status == 200 else None
            assert reply.headers.get("ETag") == etag
            seen.read.append(Event(*took, bucket, key, reply.headers.get("x-svc-version-id"), etag))
        elif kind == "list":
            reply, took = ask("GET", bucket, versions=None)
            listed = [
                (each.findtext("Key"), each.findtext("VersionId"), each.findtext("IsLatest") == "true")
                for each in etree.fromstring(reply.body)
                if each.tag in ("Version", "DeleteMarker")
            ]
            seen.listed.append((took, bucket, listed))
        elif kind == "flip":
            status = chance.choice(["Enabled", "Suspended"])
            body = f"<VersioningConfiguration><Status>{status}</Status></VersioningConfiguration>".encode()
            ask("PUT", "flipping", body=body, versioning=None)
        elif kind == "acl":
            ask("PUT", bucket, key, (200, 404, 405), headers={"x-svc-acl": "public-read"}, acl=None)
        elif kind == "snapshot":
            begun = time.monotonic_ns()
            snapshot = self.store.snapshot()
            self.snapshots.append((begun, time.monotonic_ns(), snapshot))

    # -- what must be true

    def check(self):
        self.written = [event for seen in self.seen for event in seen.written]
        self.deleted = {version_id for seen in self.seen for version_id in seen.deleted}
        self._check_journal()
        for event in (event for seen in self.seen for event in seen.read):
            self._check_entry(event)
        now = time.monotonic_ns()
        self._check_state(now, now)
        assert not self.deleted & {entry.version_id for name in BUCKETS for entry in self.store[name].versions()}
        for seen in self.seen:
            for took, bucket, listed in seen.listed:
                self._check_listing(took, bucket, listed)
        for begun, ended, snapshot in self.snapshots:
            self.store.restore(snapshot)
            self._check_state(begun, ended)

    def _check_journal(self):
        """Every request is in the journal once."""
        sent = sorted(request_id for seen in self.seen for request_id in seen.request_ids)
        assert len(set(sent)) == len(sent)
        assert sorted(each.reply.headers["x-svc-request-id"] for each in self.store.exchanges) == sent

    def _check_entry(self, found):
        """An entry is one whole write. Where a key holds only one entry, no later write had ended before the look."""
        writes = [event for event in self.written if (event.bucket, event.key) == (found.bucket, found.key)]
        whole = [event for event in writes if event.etag == found.etag and event.begun < found.ended]
        if found.bucket not in OF_NULL_VERSIONS:
            assert found.etag is None or whole, f"{found} was never written"
            return
        over = [event for event in writes if event.ended < found.begun]
        nothing_yet = found.etag is None and not over
        assert nothing_yet or any(all(other.begun <= event.ended for other in over) for event in whole), (
            f"{found} was not written last; {sorted(over)}"
        )

    def _check_state(self, begun, ended):
        """The store's state is that of one moment between `begun` and `ended`."""
        versions = {}
        for name in BUCKETS:
            entries = self.store[name].versions()
            for entry in entries:
                etag = getattr(entry, "etag", None)
                assert etag is None or etag == etag_of(entry.content)
                self._check_entry(Event(begun, ended, name, entry.key, entry.version_id, etag))
            if name in OF_NULL_VERSIONS:
                assert all(entry.version_id == "null" for entry in entries)
                for key in set(KEYS) - {entry.key for entry in entries}:
                    self._check_entry(Event(begun, ended, name, key, None, None))
            else:
                versions[name] = [(entry.key, entry.version_id) for entry in entries]
        self._check_versions(begun, ended, versions)

    def _check_listing(self, took, bucket, listed):
        keys = [key for key, _, _ in listed]
        assert keys == sorted(keys, key=str.encode)
        assert [key for key, _, is_latest in listed if is_latest] == list(dict.fromkeys(keys))
        versions = [(key, version_id) for key, version_id, _ in listed]
        assert len(set(versions)) == len(versions), "a version is listed twice"
        if bucket in OF_MANY_VERSIONS:
            self._check_versions(*took, {bucket: versions})

    def _check_versions(self, begun, ended, listed):
        """What was written before is there, and what was written meanwhile is there in the order of each thread.

        Within a key the newest version is first. A version that was deleted by its id may be there or not.
        """
        there = {version_id: (name, key) for name in listed for key, version_id in listed[name]}
        by_id = {}
        for seen in self.seen:
            own = [event for event in seen.written if event.bucket in listed and event.version_id not in (None, "null")]
            by_id |= {event.version_id: event for event in own}
            kept = [event for event in own if event.version_id not in self.deleted]
            found = [event.version_id in there for event in kept]
            assert found == sorted(found, reverse=True), "a later write is there and an earlier one is not"
            assert all(event.version_id in there for event in kept if event.ended < begun), "a write is lost"
            assert not any(event.version_id in there for event in own if event.begun > ended)
        for versions in listed.values():
            for key in KEYS:
                newest_first = [by_id[each] for other, each in versions if other == key and each in by_id]
                latest_begin = 0
                for event in reversed(newest_first):
                    assert latest_begin <= event.ended, "an older write is on top of a newer one"
                    latest_begin = max(latest_begin, event.begun)
        for version_id, place in there.items():
            if version_id != "null":
                assert place == (by_id[version_id].bucket, by_id[version_id].key)
