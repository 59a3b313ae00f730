"""Many threads on few keys of one store, and what must be true of what each of them saw."""

from __future__ import annotations

import hashlib
import io
import random
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field

import requests
from lxml import etree

from fakestore import FakeStore

BUCKETS = ("never", "enabled", "suspended", "flipping")
KEYS = ("k", "k/l", "ü")
#: A thread that is not done by then hangs: a deadlock.
TIMEOUT = 120


@dataclass
class Seen:
    """What one thread did and saw, in its own order."""

    requests: int = 0
    request_ids: list[str] = field(default_factory=list)
    #: Bucket, key, version id (``None`` where none was told), content (``None`` for a delete marker).
    written: list[tuple[str, str, str | None, bytes | None]] = field(default_factory=list)
    sent: list[tuple[str, str, bytes]] = field(default_factory=list)
    read: list[tuple[str, str, bytes]] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    listed: list[list[tuple[str, str, bool]]] = field(default_factory=list)


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
            reply = session.request(method, url, data=data, headers=headers)
            seen.requests += 1
            seen.request_ids.append(reply.headers["x-svc-request-id"])
            assert reply.status_code in expected, (method, url, reply.status_code, reply.text)
            return reply

        bucket, key = chance.choice(BUCKETS), chance.choice(KEYS)
        kind = chance.choices(
            ["put", "copy", "delete", "delete version", "get", "list", "flip", "acl", "snapshot"],
            [30, 10, 8, 8, 20, 8, 3, 5, 3],
        )[0]
        if kind == "put":
            content = f"{label} ".encode() * chance.choice([1, 40, 4000])
            seen.sent.append((bucket, key, content))
            data = io.BytesIO(content) if chance.random() < 0.3 else content
            reply = ask("PUT", bucket, key, data=data)
            assert reply.headers["ETag"] == f'"{hashlib.md5(content).hexdigest()}"'
            self._wrote(seen, bucket, key, reply, content)
        elif kind == "copy":
            source = chance.choice(KEYS)
            headers = {
                "x-svc-copy-source": requests.utils.quote(f"/{bucket}/{source}"),
                "x-svc-storage-class": "STANDARD",
            }
            reply = ask("PUT", bucket, key, (200, 404), headers=headers)
            if reply.status_code == 200:
                self._wrote(seen, bucket, key, reply, etree.fromstring(reply.content).findtext("ETag"))
        elif kind == "delete":
            self._wrote(seen, bucket, key, ask("DELETE", bucket, key), None)
        elif kind == "delete version" and self.ids:
            version_id, bucket, key = chance.choice(self.ids)
            seen.deleted.append(version_id)
            ask("DELETE", bucket, key, versionId=version_id)
        elif kind == "get":
            reply = ask("GET", bucket, key, (200, 404))
            if reply.status_code == 200:
                assert reply.headers["ETag"] == f'"{hashlib.md5(reply.content).hexdigest()}"'
                seen.read.append((bucket, key, reply.content))
        elif kind == "list":
            listed = etree.fromstring(ask("GET", "enabled", versions=None).content)
            seen.listed.append(
                [
                    (each.findtext("Key"), each.findtext("VersionId"), each.findtext("IsLatest") == "true")
                    for each in listed
                    if each.tag in ("Version", "DeleteMarker")
                ]
            )
        elif kind == "flip":
            status = chance.choice(["Enabled", "Suspended"])
            body = f"<VersioningConfiguration><Status>{status}</Status></VersioningConfiguration>"
            ask("PUT", "flipping", data=body, versioning=None)
        elif kind == "acl":
            ask("PUT", bucket, key, (200, 404, 405), headers={"x-svc-acl": "public-read"}, acl=None)
        elif kind == "snapshot":
            self.snapshots.append(self.store.snapshot())

    def _wrote(self, seen, bucket, key, reply, content):
        version_id = reply.headers.get("x-svc-version-id")
        seen.written.append((bucket, key, version_id, content))
        if version_id not in (None, "null"):
            self.ids.append((version_id, bucket, key))

    # -- what must be true

    def check(self):
        self._every_request_is_in_the_journal_once()
        self._every_read_was_a_whole_write()
        self._check_state(final=True)
        for seen in self.seen:
            for listed in seen.listed:
                self._check_listing(listed)
        for snapshot in self.snapshots:
            self.store.restore(snapshot)
            self._check_state(final=False)

    def _every_request_is_in_the_journal_once(self):
        exchanges = self.store.exchanges
        assert len(exchanges) + exchanges.dropped == sum(seen.requests for seen in self.seen)
        told = [request_id for seen in self.seen for request_id in seen.request_ids]
        assert len(set(told)) == len(told)
        if not exchanges.dropped:
            assert {each.reply.headers["x-svc-request-id"] for each in exchanges} == set(told)

    def _every_read_was_a_whole_write(self):
        # A copy brings the content of another key of its bucket.
        sent = {(bucket, content) for seen in self.seen for bucket, _, content in seen.sent}
        assert all((bucket, content) in sent for seen in self.seen for bucket, _, content in seen.read)

    def _check_state(self, *, final):
        for name in BUCKETS:
            held = self.store[name].versions()
            by_key = Counter((entry.key, entry.version_id) for entry in held)
            assert not [each for each, times in by_key.items() if times > 1], "two entries of one id under a key"
            assert all(by_key[key, "null"] <= 1 for key in KEYS)
            if name == "never":
                assert all(entry.version_id == "null" and hasattr(entry, "content") for entry in held)
        self._check_successes(
            [(entry.key, entry.version_id, entry) for entry in self.store["enabled"].versions()], final
        )

    def _check_listing(self, listed):
        keys = [key for key, _, _ in listed]
        assert keys == sorted(keys, key=str.encode)
        latest = [key for key, _, is_latest in listed if is_latest]
        assert latest == list(dict.fromkeys(keys)), "the first of each key, and no other, is the latest"
        self._check_successes([(key, version_id, None) for key, version_id, _ in listed], final=False)

    def _check_successes(self, held, final):
        """Of the bucket that is always versioned: the writes of each thread, in its order, but for the deleted."""
        deleted = {version_id for seen in self.seen for version_id in seen.deleted}
        written = {}
        for seen in self.seen:
            mine = [each for each in seen.written if each[0] == "enabled"]
            written |= {version_id: (key, content) for _, key, version_id, content in mine}
            ids = [version_id for _, _, version_id, _ in mine if version_id not in deleted]
            there = {version_id for _, version_id, _ in held}
            assert [version_id in there for version_id in ids] == sorted(
                [version_id in there for version_id in ids], reverse=True
            ), "a later write is there and an earlier one is not"
            if final:
                assert there >= set(ids), "a success that is not in the history"
            for key in KEYS:
                order = [version_id for each, version_id, _ in held if each == key]
                own = [version_id for _, each, version_id, _ in mine if each == key and version_id in order]
                assert own == [version_id for version_id in reversed(order) if version_id in own]
        for key, version_id, entry in held:
            assert version_id not in deleted or not final
            assert written[version_id][0] == key
            if entry is not None:
                self._check_entry(entry, written[version_id][1])

    def _check_entry(self, entry, content):
        if content is None:
            assert not hasattr(entry, "content")
        elif isinstance(content, str):
            assert entry.etag == content
        else:
            assert entry.content == content
