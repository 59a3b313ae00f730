"""The description of a store, and its section in the report of a failed test."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from itertools import chain, islice
from typing import NamedTuple

from fakestore.messages import counted, escaped
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import Content, sparse_size
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_lock import UNLOCKED
from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.model.semantics import Semantics
from fakestore.model.state import State
from fakestore.model.storage_class import StorageClass
from fakestore.model.versioning import Versioning
from fakestore.service.fault_plan import PendingFault
from fakestore.service.journal import Exchange
from fakestore.service.service import Service

#: The most versions of a key or parts of an upload, and the most keys of a bucket, that the tree shows.
_MOST_VERSIONS = 20
_MOST_KEYS = 200
#: The most bytes of a text that the tree shows.
_MOST_PREVIEWED = 40
#: The most exchanges, lines of the tree, and names that the report of a failed test shows.
_LAST_EXCHANGES = 20
_MOST_LINES = 40
_MOST_NAMES = 8


class Baseline(NamedTuple):
    """The last exchange and the unhandled requests of a store when a test began."""

    last: Exchange | None
    unhandled_requests: tuple[Exception, ...]


# -- the tree


def describe(state: State) -> str:
    """Return the tree: buckets by name, keys by their UTF-8 bytes, versions in reverse order of writing."""
    if not state.buckets:
        return "no buckets"
    return "\n".join(line for _, bucket in sorted(state.buckets.items()) for line in _bucket(bucket, state.semantics))


def _bucket(bucket: BucketRecord, semantics: Semantics) -> list[str]:
    about = [f"of {bucket.owner}", f"versioning {bucket.versioning.value}"]
    if bucket.mfa_delete:
        about.append("MFA Delete")
    if bucket.object_ownership is not semantics.default_object_ownership:
        about.append(f"object ownership {bucket.object_ownership or 'not set'}")
    if bucket.public_access_block != semantics.default_public_access_block:
        about.append(f"public access block of {bucket.public_access_block or 'nothing'}")
    if bucket.object_lock is not None:
        about.append("Object Lock")
    if bucket.lifecycle is not None:
        about.append(counted(len(bucket.lifecycle.rules), "lifecycle rule"))
    if bucket.policy.statements:
        about.append(counted(len(bucket.policy.statements), "policy statement"))
    if bucket.tags:
        about.append(_tags(bucket.tags))
    keys = list(islice(bucket, _MOST_KEYS))
    branches = [_key(bucket, key) for key in keys]
    if len(bucket) > len(keys):
        branches.append([f"... and {counted(len(bucket) - len(keys), 'more key')}"])
    uploads = list(bucket.uploads())
    branches += [_upload(upload) for upload in uploads[:_MOST_KEYS]]
    if len(uploads) > _MOST_KEYS:
        branches.append([f"... and {counted(len(uploads) - _MOST_KEYS, 'more unfinished upload')}"])
    if not branches:
        branches.append(["(empty)"])
    return [f"{bucket.name}  ({', '.join(about)})", *_draw(branches)]


def _key(bucket: BucketRecord, key: str) -> list[str]:
    entries = list(bucket.entries(key))
    if bucket.versioning is Versioning.NEVER:
        return [f"{_printable(key)}  {_entry(entries[0], with_id=False)}"]
    branches = [
        [_entry(entry, with_id=True) + ("  (latest)" if index == 0 else "")]
        for index, entry in enumerate(entries[:_MOST_VERSIONS])
    ]
    if len(entries) > _MOST_VERSIONS:
        branches.append([f"... and {counted(len(entries) - _MOST_VERSIONS, 'older version')}"])
    return [_printable(key), *_draw(branches)]


def _entry(entry: Entry, *, with_id: bool) -> str:
    version = f"{entry.version_id}  " if with_id else ""
    written = f"{entry.last_modified:%Y-%m-%d %H:%M:%S}"
    if not isinstance(entry, ObjectVersion):
        return f"{version}delete marker  {written}"
    grants = [str(grant) for grant in entry.acl.grants if grant.grantee != entry.owner]
    acl = f"  grants {', '.join(grants)}" if grants else ""
    tags = f"  {_tags(entry.tags)}" if entry.tags else ""
    kind = escaped(entry.content_type)
    if entry.storage_class is not StorageClass.STANDARD:
        kind += f"  {entry.storage_class}"
    lock = "" if entry.lock == UNLOCKED else f"  {entry.lock}"
    preview = preview_text(entry.content)
    content = f"  {preview}" if preview else ""
    about = f"{counted(entry.size, 'byte')}  {kind}  {written}"
    return f"{version}{about}{acl}{tags}{lock}{content}"


def preview_text(content: Content) -> str:
    """Return the beginning of a text in quotes, or an empty string if the content is empty or not a text."""
    if sparse_size(content):
        return ""
    try:
        # An incremental decoder accepts a character that the slice cuts off.
        text = getincrementaldecoder("utf-8")().decode(bytes(content[:_MOST_PREVIEWED]))
    except UnicodeDecodeError:
        return ""
    if not text or not all(each.isprintable() or each in "\t\r\n" for each in text):
        return ""
    return repr(text) + ("..." if len(content) > _MOST_PREVIEWED else "")


def _upload(upload: MultipartUpload) -> list[str]:
    size = f"{counted(len(upload.parts), 'part')}, {counted(upload.size, 'byte')}"
    tags = f"  {_tags(upload.new.tags)}" if upload.new.tags else ""
    branches = [
        [f"part {part.number}  {counted(part.size, 'byte')}  {part.last_modified:%Y-%m-%d %H:%M:%S}"]
        for part in upload.parts[:_MOST_VERSIONS]
    ]
    if len(upload.parts) > _MOST_VERSIONS:
        branches.append([f"... and {counted(len(upload.parts) - _MOST_VERSIONS, 'more part')}"])
    return [
        f"{_printable(upload.key)}  unfinished upload {upload.upload_id}  {size}"
        f"  {upload.initiated:%Y-%m-%d %H:%M:%S}{tags}",
        *_draw(branches),
    ]


def _tags(tags: Mapping[str, str]) -> str:
    return "tags " + ", ".join(f"{escaped(key)}={escaped(value)}" for key, value in tags.items())


def _draw(branches: list[list[str]]) -> list[str]:
    lines = []
    for index, (head, *rest) in enumerate(branches):
        is_last = index == len(branches) - 1
        lines.append(("└── " if is_last else "├── ") + head)
        lines += [("    " if is_last else "│   ") + line for line in rest]
    return lines


def _printable(key: str) -> str:
    return key if key.isprintable() and key == key.strip() else repr(key)


# -- the report of a failed test


def failure_report(service: Service, tree: str, moved: timedelta, baseline: Baseline | None) -> str:
    """Return the section of a store in the report of a failed test.

    Args:
        service: The service of the store.
        tree: What the store holds.
        moved: How far the store has moved the clock.
        baseline: What was there before the test and is left out, or None.
    """
    lines = _exchanges(service, None if baseline is None else baseline.last)
    if moved:
        lines.append(f"  clock: moved by store.travel(), {_signed(moved)}")
    earlier = () if baseline is None else baseline.unhandled_requests
    unhandled = Counter(str(each) for each in service.unhandled_requests if not any(each is one for one in earlier))
    for error, count in unhandled.items():
        lines.append(f"  unhandled request{f' ({count} times)' if count > 1 else ''}: {escaped(error)}")
    for pending in service.faults.pending():
        reason = "" if pending.fired else f": {explain_unfired(pending, service)}"
        lines.append(f"  pending: {pending.planned}{reason}")
    tree_lines = tree.splitlines()
    lines += ["contents:", *(f"  {line}" for line in tree_lines[:_MOST_LINES])]
    if len(tree_lines) > _MOST_LINES:
        lines.append(f"  ... and {counted(len(tree_lines) - _MOST_LINES, 'more line')}; see store.describe()")
    return "\n".join(lines)


def _signed(moved: timedelta) -> str:
    return f"{moved} ahead" if moved > timedelta() else f"{-moved} back"


def _exchanges(service: Service, last: Exchange | None) -> list[str]:
    """Return the lines of the last exchanges, of those after `last` if it is still kept."""
    exchanges = service.journal.exchanges()
    index = next((index for index, exchange in enumerate(exchanges, 1) if exchange is last), None)
    since = exchanges[index:]
    of_test = "" if index is None else " of this test"
    shown = since[-_LAST_EXCHANGES:]
    older = len(since) - len(shown) + (exchanges.dropped if index is None else 0)
    title = f"last exchanges{of_test} ({older} older ones not shown):" if older else f"exchanges{of_test}:"
    has_threads = len({exchange.thread for exchange in shown}) > 1
    lines = [f"  [{escaped(each.thread)}] {each}" if has_threads else f"  {each}" for each in shown]
    return [title, *(lines or ["  none"])]


def explain_unfired(pending: PendingFault, service: Service) -> str:
    """Return why a planned fault has not fired."""
    planned = pending.planned
    exchanges = [exchange for exchange in service.journal.exchanges() if exchange.operation is not None]
    state = service.state
    if planned.bucket is not None and planned.bucket not in (names := {each.bucket for each in exchanges}):
        return f"no request named bucket {planned.bucket!r}; {_known(names, sorted(state.buckets))}"
    if planned.key is not None and planned.key not in (names := {each.key for each in exchanges}):
        buckets = [bucket for name, bucket in sorted(state.buckets.items()) if planned.bucket in (None, name)]
        return f"no request named key {planned.key!r}; {_known(names, chain.from_iterable(buckets))}"
    if exchanges and planned.operation not in (None, *(names := {each.operation for each in exchanges})):
        return f"no request was a {planned.operation!r}; {_known(names, ())}"
    if pending.missed:
        verb = "was" if pending.missed == 1 else "were"
        return f"{counted(pending.missed, 'request')} matched, but {verb} refused or had a reply it cannot affect"
    if pending.passed:
        pronoun = "it" if pending.passed == 1 else "them"
        return f"{counted(pending.passed, 'request')} matched, but after={planned.after} let {pronoun} pass"
    return "an earlier fault met every matching request" if exchanges else "the store got no request"


def _known(requested: Iterable[str | None], stored: Iterable[str]) -> str:
    """Return some of the names that were requested, and of those that are stored."""
    names = list(islice(dict.fromkeys(chain(sorted(filter(None, requested)), stored)), _MOST_NAMES + 1))
    shown = ", ".join(map(repr, names[:_MOST_NAMES])) or "none"
    return f"known: {shown}" + (" and more" if len(names) > _MOST_NAMES else "")
