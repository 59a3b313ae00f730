"""Many threads on few keys of one store, and what must be true of what each of them saw."""

from __future__ import annotations

import hashlib
import io
import random
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import requests
from lxml import etree

from fakestore import FakeStore

BUCKETS = ("never", "enabled", "suspended", "flipping")
KEYS = ("k", "k/l", "ü")
#: A thread that is not done by then hangs: a deadlock.
TIMEOUT = 120


#: Buckets in which every key holds one thing at most, so that the last write is all there is.
OF_NULL_VERSIONS = ("never", "suspended")
#: Buckets in which a version that was once written stays, until it is deleted by its id.
OF_MANY_VERSIONS = ("enabled", "flipping")


class Event(NamedTuple):
    """Something written under a key, or found there: its entity tag, ``None`` for nothing and for a delete marker."""

    begun: int
    ended: int
    bucket: str
    key: str
    version_id: str | None
    etag: str | None


@dataclass
class Seen:
    """What one thread did and saw, in its own order."""

    requests: int = 0
    request_ids: list[str] = field(default_factory=list)
    written: list[Event] = field(default_factory=list)
    read: list[Event] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    #: Of each listing of versions when it was, the bucket, and key, id and whether it is the latest.
    listed: list[tuple[tuple[int, int], str, list[tuple[str, str, bool]]]] = field(default_factory=list)


@contextmanager
def frequent_switches():
    """Let the interpreter change threads a thousand times more often than it does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def jostle(chance):
    """Let this thread give way now and then, at a random call inside of the package: critical sections are short,
    and left to the interpreter two threads hardly ever meet in one.
    """

    def give_way(frame, event, arg):
        if frame.f_globals.get("__name__", "").startswith("fakestore.") and chance.random() < 0.01:
            time.sleep(0.00001)

    sys.setprofile(give_way)


def together(count, work, *, seed=0):
    """Run ``work(number)`` in ``count`` threads that start as one; what they return, or the first that one raised."""
    barrier = threading.Barrier(count)
    results = [None] * count
    errors = []

    def run(number):
        try:
            barrier.wait(TIMEOUT)
            jostle(random.Random(f"jostle {seed} {number}"))
            results[number] = work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    with frequent_switches():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT)
    assert not any(thread.is_alive() for thread in threads), "a deadlock: threads that do not end"
    if errors:
        raise errors[0]
    return results


class Crowd:
    """``threads`` threads of ``steps`` mixed operations each; call :meth:`run`, then :meth:`check`."""

    def __init__(self, seed, threads=32, steps=20):
        self.seed, self.threads, self.steps = seed, threads, steps
        self.store = FakeStore()
        for name in BUCKETS:
            self.store.create_bucket(name, versioning="enabled" if name == "flipping" else name)
        #: Ids anybody may delete for good: appended to by all.
        self.ids = []
        self.snapshots = []

    def run(self):
        self.seen = together(self.threads, self._work, seed=self.seed)

    def _work(self, number):
        chance = random.Random(f"{self.seed} {number}")
        seen = Seen()
        with requests.Session() as session:
            session.mount("http://", self.store.adapter())
            session.auth = self.store.auth()
            for step in range(self.steps):
                self._step(chance, session, seen, f"{number}.{step}")
        return seen

    def _step(self, chance, session, seen, label):
        def ask(method, bucket, key="", expected=(200, 204), *, data=None, headers=None, **query):
            url = self.store.url(bucket, key, **query)
            begun = time.monotonic_ns()
            reply = session.request(method, url, data=data, headers=headers)
            reply.took = begun, time.monotonic_ns()
            seen.requests += 1
            seen.request_ids.append(reply.headers["x-svc-request-id"])
            assert reply.status_code in expected, (method, url, reply.status_code, reply.text)
            return reply

        def wrote(reply, etag):
            version_id = reply.headers.get("x-svc-version-id")
            seen.written.append(Event(*reply.took, bucket, key, version_id, etag))
            if version_id not in (None, "null"):
                self.ids.append((version_id, bucket, key))

        bucket, key = chance.choice(BUCKETS), chance.choice(KEYS)
        kind = chance.choices(
            ["put", "copy", "delete", "delete version", "get", "list", "flip", "acl", "snapshot"],
            [30, 10, 8, 8, 20, 8, 3, 5, 3],
        )[0]
        if kind == "put":
            content = f"{label} ".encode() * chance.choice([1, 40, 4000])
            data = io.BytesIO(content) if chance.random() < 0.3 else content
            reply = ask("PUT", bucket, key, data=data)
            assert reply.headers["ETag"] == f'"{hashlib.md5(content).hexdigest()}"'
            wrote(reply, reply.headers["ETag"])
        elif kind == "copy":
            source = chance.choice(KEYS)
            headers = {
                "x-svc-copy-source": requests.utils.quote(f"/{bucket}/{source}"),
                "x-svc-storage-class": "STANDARD",
            }
            reply = ask("PUT", bucket, key, (200, 404), headers=headers)
            if reply.status_code == 200:
                wrote(reply, etree.fromstring(reply.content).findtext("ETag"))
        elif kind == "delete":
            wrote(ask("DELETE", bucket, key), None)
        elif kind == "delete version" and self.ids:
            version_id, bucket, key = chance.choice(self.ids)
            seen.deleted.append(version_id)
            ask("DELETE", bucket, key, versionId=version_id)
        elif kind == "get":
            reply = ask("GET", bucket, key, (200, 404))
            etag = None
            if reply.status_code == 200:
                etag = f'"{hashlib.md5(reply.content).hexdigest()}"'
                assert reply.headers["ETag"] == etag
            seen.read.append(Event(*reply.took, bucket, key, reply.headers.get("x-svc-version-id"), etag))
        elif kind == "list":
            reply = ask("GET", bucket, versions=None)
            listed = [
                (each.findtext("Key"), each.findtext("VersionId"), each.findtext("IsLatest") == "true")
                for each in etree.fromstring(reply.content)
                if each.tag in ("Version", "DeleteMarker")
            ]
            seen.listed.append((reply.took, bucket, listed))
        elif kind == "flip":
            status = chance.choice(["Enabled", "Suspended"])
            body = f"<VersioningConfiguration><Status>{status}</Status></VersioningConfiguration>"
            ask("PUT", "flipping", data=body, versioning=None)
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
        self._every_request_is_in_the_journal_once()
        for event in (event for seen in self.seen for event in seen.read):
            self._check_found(event)
        now = time.monotonic_ns()
        self._check_state(now, now)
        assert not self.deleted & {entry.version_id for name in BUCKETS for entry in self.store[name].versions()}
        for seen in self.seen:
            for took, bucket, listed in seen.listed:
                self._check_listing(took, bucket, listed)
        for begun, ended, snapshot in self.snapshots:
            self.store.restore(snapshot)
            self._check_state(begun, ended)

    def _every_request_is_in_the_journal_once(self):
        exchanges = self.store.exchanges
        assert len(exchanges) + exchanges.dropped == sum(seen.requests for seen in self.seen)
        told = [request_id for seen in self.seen for request_id in seen.request_ids]
        assert len(set(told)) == len(told)
        if not exchanges.dropped:
            assert {each.reply.headers["x-svc-request-id"] for each in exchanges} == set(told)

    def _check_found(self, found):
        """What was found is one whole write. Where there is but one thing under a key, it is the last write: none
        that was over before one began to look had begun after it was over.
        """
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
        """The store's state is one that there was at a moment from ``begun`` to ``ended``."""
        versions = {}
        for name in BUCKETS:
            held = self.store[name].versions()
            for entry in held:
                etag = getattr(entry, "etag", None)
                assert etag is None or etag == f'"{hashlib.md5(entry.content).hexdigest()}"'
                self._check_found(Event(begun, ended, name, entry.key, entry.version_id, etag))
            missing = set(KEYS) - {entry.key for entry in held}
            for key in missing & set(KEYS if name in OF_NULL_VERSIONS else ()):
                self._check_found(Event(begun, ended, name, key, None, None))
            assert all(entry.version_id == "null" for entry in held if name in OF_NULL_VERSIONS)
            versions[name] = [(entry.key, entry.version_id) for entry in held]
        self._check_versions(begun, ended, {name: versions[name] for name in OF_MANY_VERSIONS})

    def _check_listing(self, took, bucket, listed):
        keys = [key for key, _, _ in listed]
        assert keys == sorted(keys, key=str.encode)
        latest = [key for key, _, is_latest in listed if is_latest]
        assert latest == list(dict.fromkeys(keys)), "the first of each key, and no other, is the latest"
        versions = [(key, version_id) for key, version_id, _ in listed]
        assert len(set(versions)) == len(versions), "a version, the null one say, is listed twice"
        if bucket in OF_MANY_VERSIONS:
            self._check_versions(*took, {bucket: versions})

    def _check_versions(self, begun, ended, listed):
        """Of buckets in which versions stay, all were looked at in one moment: those written before are there, and of
        those written meanwhile none is there without what the same thread wrote before. Within a key the newest is
        first. Those that were deleted by their ids meanwhile may be there or not.
        """
        there = {version_id: (name, key) for name in listed for key, version_id in listed[name]}
        by_id = {}
        for seen in self.seen:
            mine = [
                event for event in seen.written if event.bucket in listed and event.version_id not in (None, "null")
            ]
            by_id |= {event.version_id: event for event in mine}
            stayed = [event for event in mine if event.version_id not in self.deleted]
            found = [event.version_id in there for event in stayed]
            assert found == sorted(found, reverse=True), "a later write is there and an earlier one is not"
            assert all(event.version_id in there for event in stayed if event.ended < begun), "a success is lost"
            assert not any(event.version_id in there for event in mine if event.begun > ended)
        for versions in listed.values():
            for key in KEYS:
                newest_first = [
                    by_id[version_id] for each, version_id in versions if each == key and version_id in by_id
                ]
                latest_begin = 0
                for event in reversed(newest_first):
                    assert latest_begin <= event.ended, "an older write is on top of a newer one"
                    latest_begin = max(latest_begin, event.begun)
        for version_id, place in there.items():
            if version_id != "null":
                assert place == (by_id[version_id].bucket, by_id[version_id].key)
