"""What a store holds and what became of it, written down for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import urlsplit

from fakestore.messages import counted
from fakestore.model.bucket import BucketRecord
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.model.state import State
from fakestore.model.versioning import Versioning
from fakestore.service.fault_plan import PlannedFault
from fakestore.service.journal import Exchange
from fakestore.service.service import Service

#: A key with more versions than this is drawn with the newest ones alone; likewise a bucket with more keys.
_MOST_VERSIONS = 20
_MOST_KEYS = 200
#: The most exchanges, lines of the tree and names that a report of a failure shows.
_LAST_EXCHANGES = 20
_MOST_LINES = 40
_MOST_NAMES = 8
#: How the refusals of other mocks begin, whose innermost answers before a store outside of it is asked.
_REFUSALS_OF_MOCKS = ("Connection refused by Responses", "No mock address")


class Beginning(NamedTuple):
    """What a store had been asked last, and what it had refused, when a test began."""

    last: Exchange | None
    unhandled_requests: tuple[Exception, ...]


# -- what it holds


def describe(state: State) -> str:
    """The tree: buckets by name, keys by their UTF-8 bytes, versions newest first."""
    if not state.buckets:
        return "no buckets"
    return "\n".join(line for _, bucket in sorted(state.buckets.items()) for line in _bucket(bucket))


def _bucket(bucket: BucketRecord) -> list[str]:
    about = [f"of {bucket.owner}", f"versioning {bucket.versioning.value}"]
    if bucket.mfa_delete:
        about.append("MFA Delete")
    if bucket.lifecycle is not None:
        about.append(counted(len(bucket.lifecycle.rules), "lifecycle rule"))
    if bucket.policy.statements:
        about.append(counted(len(bucket.policy.statements), "policy statement"))
    keys = [key for _, key in zip(range(_MOST_KEYS), bucket, strict=False)]
    drawn = [_key(bucket, key) for key in keys]
    if len(bucket) > len(keys):
        drawn.append([f"... and {counted(len(bucket) - len(keys), 'more key')}"])
    uploads = list(bucket.uploads())
    drawn += [[_upload(upload)] for upload in uploads[:_MOST_KEYS]]
    if len(uploads) > _MOST_KEYS:
        drawn.append([f"... and {counted(len(uploads) - _MOST_KEYS, 'more unfinished upload')}"])
    if not drawn:
        drawn.append(["(empty)"])
    return [f"{bucket.name}  ({', '.join(about)})", *_branches(drawn)]


def _key(bucket: BucketRecord, key: str) -> list[str]:
    entries = list(bucket.entries(key))
    if bucket.versioning is Versioning.NEVER:
        return [f"{_shown(key)}  {_entry(entries[0], with_id=False)}"]
    drawn = [
        [_entry(entry, with_id=True) + ("  (latest)" if place == 0 else "")]
        for place, entry in enumerate(entries[:_MOST_VERSIONS])
    ]
    if len(entries) > _MOST_VERSIONS:
        drawn.append([f"... and {counted(len(entries) - _MOST_VERSIONS, 'older version')}"])
    return [_shown(key), *_branches(drawn)]


def _entry(entry: Entry, *, with_id: bool) -> str:
    version = f"{entry.version_id}  " if with_id else ""
    written = f"{entry.last_modified:%Y-%m-%d %H:%M:%S}"
    if not isinstance(entry, ObjectVersion):
        return f"{version}delete marker  {written}"
    granted = [str(grant) for grant in entry.acl.grants if grant.grantee != entry.owner]
    acl = f"  grants {', '.join(granted)}" if granted else ""
    return f"{version}{counted(entry.size, 'byte')}  {entry.content_type}  {written}{acl}"


def _upload(upload: MultipartUpload) -> str:
    parts = f"{counted(len(upload.parts), 'part')}, {counted(upload.size, 'byte')}"
    return f"{_shown(upload.key)}  unfinished upload {upload.upload_id}  {parts}  {upload.initiated:%Y-%m-%d %H:%M:%S}"


def _branches(drawn: list[list[str]]) -> list[str]:
    lines = []
    for place, (head, *rest) in enumerate(drawn):
        last = place == len(drawn) - 1
        lines.append(("└── " if last else "├── ") + head)
        lines += [("    " if last else "│   ") + line for line in rest]
    return lines


def _shown(key: str) -> str:
    return key if key.isprintable() and key == key.strip() else repr(key)


# -- what became of a failing test


def section(
    service: Service, tree: str, moved: timedelta, error: BaseException | None, beginning: Beginning | None
) -> str:
    """What the report of a test that failed by ``error`` says; without what was before ``beginning``, if there is one.

    ``tree`` is what the store holds, ``moved`` how far it moved the clock.
    """
    lines = _exchanges(service, None if beginning is None else beginning.last)
    if moved:
        lines.append(f"  clock: moved by store.travel(), {_signed(moved)}")
    before = () if beginning is None else beginning.unhandled_requests
    refused = Counter(str(each) for each in service.unhandled_requests if not any(each is other for other in before))
    for refusal, count in refused.items():
        lines.append(f"  refused{f' {count} times' if count > 1 else ''}: {refusal}")
    hidden = _hidden(service, error)
    if hidden is not None:
        lines.append(
            f"  hidden: another mock, begun inside of this store, refused {hidden}, for the innermost answers. Begin"
            " the store inside of it: @fake_store() under @responses.activate; requests_mock.Mocker(real_http=True)"
        )
    for planned in service.faults.pending():
        lines.append(f"  armed: {planned}" + ("" if planned.fired else f": {why_unfired(planned, service)}"))
    held = tree.splitlines()
    lines += ["holds:", *(f"  {line}" for line in held[:_MOST_LINES])]
    if len(held) > _MOST_LINES:
        lines.append(f"  ... and {counted(len(held) - _MOST_LINES, 'more line')}; store.describe() has them all")
    return "\n".join(lines)


def _signed(moved: timedelta) -> str:
    return f"{moved} ahead" if moved > timedelta() else f"{-moved} back"


def _exchanges(service: Service, last: Exchange | None) -> list[str]:
    """The last exchanges, of those behind ``last`` where it is kept still."""
    exchanges = service.journal.exchanges()
    places = [place for place, exchange in enumerate(exchanges, 1) if exchange is last]
    since = exchanges[places[0] :] if places else exchanges
    of_test = " of this test" if places else ""
    shown = since[-_LAST_EXCHANGES:]
    older = len(since) - len(shown) + (0 if places else exchanges.dropped)
    title = f"last exchanges{of_test} ({older} older ones not shown):" if older else f"exchanges{of_test}:"
    return [title, *([f"  {exchange}" for exchange in shown] or ["  none"])]


def _hidden(service: Service, error: BaseException | None) -> str | None:
    """The URL of this store that another mock refused, where that is what the test failed by."""
    for each in with_causes(error):
        url = getattr(getattr(each, "request", None), "url", None)
        if isinstance(url, str) and str(each).startswith(_REFUSALS_OF_MOCKS):
            asked = urlsplit(url)
            return url if service.endpoint.claims(asked.scheme, asked.hostname or "", asked.port) else None
    return None


def with_causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what it was raised from or while handling, and so on; each once."""
    seen: list[BaseException] = []
    while error is not None and not any(error is each for each in seen):
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__


def why_unfired(planned: PlannedFault, service: Service) -> str:
    """Why no request has met a fault so far."""
    asked = [exchange for exchange in service.journal.exchanges() if exchange.operation is not None]
    state = service.state
    if planned.bucket is not None and planned.bucket not in (names := {each.bucket for each in asked}):
        return f"no request named bucket {planned.bucket!r}; {_there_are(names, sorted(state.buckets))}"
    if planned.key is not None and planned.key not in (names := {each.key for each in asked}):
        buckets = [bucket for name, bucket in sorted(state.buckets.items()) if planned.bucket in (None, name)]
        return f"no request named key {planned.key!r}; {_there_are(names, chain.from_iterable(buckets))}"
    if asked and planned.operation not in (None, *(names := {each.operation for each in asked})):
        return f"no request was a {planned.operation!r}; {_there_are(names, ())}"
    if planned.missed:
        refused = "refused, or had no reply that the fault could harm"
        return f"{counted(planned.missed, 'request')} matched, and {'was' if planned.missed == 1 else 'were'} {refused}"
    if planned.passed:
        them = "it" if planned.passed == 1 else "them"
        return f"{counted(planned.passed, 'request')} matched, and after={planned.after} let {them} pass"
    return "no request that matched came to it" if asked else "no request came"


def _there_are(asked: Iterable[str | None], held: Iterable[str]) -> str:
    """Some of the names that were asked for, and of those that are held."""
    names = list(islice(dict.fromkeys(chain(sorted(filter(None, asked)), held)), _MOST_NAMES + 1))
    shown = ", ".join(map(repr, names[:_MOST_NAMES])) or "none"
    return f"there are {shown}" + (" and more" if len(names) > _MOST_NAMES else "")
