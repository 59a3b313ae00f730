"""What a person reads about a store: its contents as a tree, and its section in the report of a failed test."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from itertools import chain, groupby, islice
from typing import NamedTuple
from urllib.parse import urlsplit

from fakestore.clients.target import Reach
from fakestore.messages import counted, escaped, iso_date, repetition
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import Content, sparse_size
from fakestore.model.lifecycle import LifecycleEffect
from fakestore.model.lifecycle_rule import Rule
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_lock import UNLOCKED
from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.model.semantics import Semantics
from fakestore.model.state import State
from fakestore.model.storage_class import StorageClass
from fakestore.model.versioning import Versioning
from fakestore.service.events import SentEvent
from fakestore.service.fault_plan import DELIVERY, PlannedFault
from fakestore.service.journal import Exchange, JournalEntry, UninterceptedRequest
from fakestore.service.service import Service, current_time

#: The maximum number of versions of a key or parts of an upload, and of keys of a bucket, in the tree.
_MOST_VERSIONS = 20
_MOST_KEYS = 200
#: The maximum number of lifecycle rules of a bucket that are shown.
_MOST_RULES = 10
#: The maximum number of bytes of a text in the tree.
_MOST_PREVIEWED = 40
#: The maximum number of exchanges, lines of the tree, and names in the report of a failed test.
_LAST_EXCHANGES = 20
#: How many lines of exchanges and of what they caused a report has.
_MOST_ENTRIES = 100
_MOST_LINES = 40
_ADVICE = "nobody answers: give the ARN a handler in store.destinations, or enter a mock of its service, such as moto"
_MOST_NAMES = 8


@contextmanager
def state_to_show(service: Service, *, delivers: bool = True) -> Iterator[State]:
    """Yield the state of a store after the lifecycle rules that are due. Other threads wait meanwhile.

    Args:
        delivers: Whether the events of these rules are delivered at the end.
    """
    turn: AbstractContextManager[object] = service.turn() if delivers else service.turns
    with turn:
        now = current_time()
        for bucket in service.state.buckets.values():
            bucket.apply_lifecycle(now)
        yield service.state


def describe(state: State) -> str:
    """Return the tree: buckets by name, keys by their UTF-8 bytes, versions in reverse order of writing."""
    if not state.buckets:
        return "no buckets"
    return "\n".join(line for _, bucket in sorted(state.buckets.items()) for line in _bucket(bucket, state.semantics))


def describe_settings(bucket: BucketRecord, semantics: Semantics) -> str:
    """Return the owner and the versioning of a bucket, and its settings that a new bucket does not have."""
    about = [f"of {bucket.owner}", f"versioning {bucket.versioning}"]
    if bucket.mfa_delete:
        about.append("MFA Delete")
    if bucket.object_ownership is not semantics.default_object_ownership:
        about.append(f"object ownership {bucket.object_ownership or 'not set'}")
    if bucket.public_access_block != semantics.default_public_access_block:
        about.append(f"public access block of {bucket.public_access_block or 'nothing'}")
    if bucket.object_lock is not None:
        about.append("Object Lock")
    if bucket.encryption.default is not None:
        about.append(f"default encryption {bucket.encryption.default.method}")
    if bucket.encryption.blocked not in ((), (semantics.default_blocked_encryption,)):
        about.append(f"blocked encryption {bucket.encryption.blocked[0]}")
    if bucket.lifecycle is not None:
        about.append(counted(len(bucket.lifecycle.rules), "lifecycle rule"))
    if bucket.policy.statements:
        about.append(counted(len(bucket.policy.statements), "policy statement"))
    if bucket.cors is not None:
        about.append(counted(len(bucket.cors.rules), "CORS rule"))
    if bucket.request_payment.requester_pays:
        about.append("requester pays")
    if bucket.notification is not None and (count := bucket.notification.destination_count):
        about.append(counted(count, "notification"))
    about += [f"{name} configuration{id_ and f' {id_!r}'}" for name, id_ in sorted(bucket.configurations)]
    if bucket.tags:
        about.append(_tags(bucket.tags))
    return ", ".join(about)


def describe_rules(bucket: BucketRecord) -> list[str]:
    """Return a line for each lifecycle rule: its filter, its status, and when it acts next on what is stored now."""
    rules = () if bucket.lifecycle is None else bucket.lifecycle.rules
    lines = [f"lifecycle rule {escaped(repr(rule.id))}: {_rule(bucket, rule)}" for rule in rules[:_MOST_RULES]]
    return lines + ([f"... and {counted(len(rules) - _MOST_RULES, 'more rule')}"] if len(rules) > _MOST_RULES else [])


def _rule(bucket: BucketRecord, rule: Rule) -> str:
    about = [f"prefix {rule.prefix!r}"]
    if rule.tags:
        about.append(_tags({tag.key: tag.value for tag in rule.tags}))
    sizes = {"over": rule.predicates.larger_than, "under": rule.predicates.smaller_than}
    about += [f"{word} {counted(size, 'byte')}" for word, size in sizes.items() if size is not None]
    if not rule.enabled:
        return ", ".join([*about, "disabled"])
    due = bucket.next_due(rule)
    when = "acts on nothing that is stored now" if due is None else f"next due {iso_date(due)}"
    return ", ".join([*about, "enabled", when])


def _bucket(bucket: BucketRecord, semantics: Semantics) -> list[str]:
    keys = list(islice(bucket.keys, _MOST_KEYS))
    branches = [_key(bucket, key) for key in keys]
    if len(bucket.keys) > len(keys):
        branches.append([f"... and {counted(len(bucket.keys) - len(keys), 'more key')}"])
    uploads = list(bucket.uploads)
    branches += [_upload(upload) for upload in uploads[:_MOST_KEYS]]
    if len(uploads) > _MOST_KEYS:
        branches.append([f"... and {counted(len(uploads) - _MOST_KEYS, 'more unfinished upload')}"])
    if not branches:
        branches.append(["(empty)"])
    rules = [f"  {line}" for line in describe_rules(bucket)]
    return [f"{bucket.name}  ({describe_settings(bucket, semantics)})", *rules, *_draw(branches)]


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
    about = [counted(entry.size, "byte"), escaped(entry.content_type), written, *describe_exceptions(entry)]
    preview = preview_text(entry.content)
    return version + "  ".join([*about, preview] if preview else about)


def describe_exceptions(version: ObjectVersion) -> list[str]:
    """Return the unusual parts of a version: a storage class other than STANDARD, grants to others, tags, a lock."""
    exceptions = [] if version.storage_class is StorageClass.STANDARD else [str(version.storage_class)]
    if grants := [str(grant) for grant in version.acl.grants if grant.grantee != version.owner]:
        exceptions.append(f"grants {', '.join(grants)}")
    if version.tags:
        exceptions.append(_tags(version.tags))
    if version.lock != UNLOCKED:
        exceptions.append(str(version.lock))
    return exceptions


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


class Baseline(NamedTuple):
    """The last entry of the journal and the unhandled requests of a store when a test began."""

    last: JournalEntry | None = None
    unhandled_requests: tuple[Exception, ...] = ()


def failure_report(
    service: Service,
    moved: timedelta,
    baseline: Baseline,
    error: BaseException | None,
    reach: Reach,
    *,
    served_at: str | None = None,
) -> str:
    """Return the section of a store in the report of a failed test, without what is in the baseline.

    Args:
        moved: How far the store has moved the clock.
        error: The exception of the test.
        reach: Whether another mock may have answered requests for the store.
        served_at: The URL of the server that runs while the store is entered.
    """
    lines, sent = _journal(service, baseline.last), reach.last_sent
    if sent and not service.journal.exchanges():
        lines.append(
            f"  no request arrived: boto3 sent {escaped(sent)}, but another mock, or a handler of the event"
            " before-send, answered it"
        )
    reasons = [f"  no request was sent: {reason}" for reason in _explain_unsent(error)]
    reasons += [f"  {refusal}" for refusal in _describe_refusals(service, error)]
    is_refused = any(type(each).__name__ == "UnexpectedRequest" for each in _causes(error))
    is_unused = not service.journal.entries() and not service.unhandled_requests
    if sent is None and not reasons and is_unused and not is_refused:
        reasons = [f"  if a request is missing, {reason}" for reason in _explain_unseen(served_at, reach)]
    lines += reasons
    if moved:
        lines.append(f"  clock: moved by store.travel(), {abs(moved)} {'ahead' if moved > timedelta() else 'back'}")
    unhandled = Counter(str(each) for each in service.unhandled_requests if each not in baseline.unhandled_requests)
    lines += [f"  unhandled request{repetition(count)}: {escaped(error)}" for error, count in unhandled.items()]
    lines += [f"  pending: {describe_pending(each, service)}" for each in service.faults.pending()]
    lines += [f"  {line}" for line in service.outbox.explain_idle_destinations(service.state.buckets.values())]
    tree_lines = describe(service.state).splitlines()
    lines += ["contents:", *(f"  {line}" for line in tree_lines[:_MOST_LINES])]
    if len(tree_lines) > _MOST_LINES:
        lines.append(f"  ... and {counted(len(tree_lines) - _MOST_LINES, 'more line')}; see store.describe()")
    return "\n".join(lines)


def _journal(service: Service, last: JournalEntry | None) -> list[str]:
    """Return the lines of the last entries of the journal. If `last` is still kept, only later entries count."""
    entries = service.journal.entries()
    index = next((index for index, entry in enumerate(entries, 1) if entry == last), None)
    of_test = "" if index is None else " of this test"
    groups = [list(group) for _, group in groupby(entries[index:], key=_series)]
    positions = [position for position, (entry, *_) in enumerate(groups) if isinstance(entry, Exchange)]
    first = positions[-_LAST_EXCHANGES] if len(positions) > _LAST_EXCHANGES else 0
    first = max(first, len(groups) - _MOST_ENTRIES)
    shown = groups[first:]
    older = sum(position < first for position in positions)
    older += service.journal.exchanges().dropped if index is None else 0
    title = f"exchanges{of_test}:"
    if older or first:
        left_out = counted(older, "older exchange") if older else "older events"
        title = f"last exchanges{of_test} ({left_out} not shown):"
    has_threads = len({entry.thread for entry, *_ in shown if isinstance(entry, Exchange)}) > 1
    lines = [f"  {_line(group, has_threads=has_threads)}" for group in shown]
    if any(isinstance(entry, SentEvent) and entry.has_no_receiver for entry, *_ in shown):
        lines.append(f"  {_ADVICE}")
    return [title, *(lines or ["  none"])]


#: Why a client of botocore sends no request, by the name of its error.
_UNSENT = {
    "NoCredentialsError": "the client had no access key, because it or its session was made before the store was"
    " entered; make both while the store is entered, or give the client an access key",
    "PartialCredentialsError": "the client has only one of its two keys; give it both or none",
    "ProfileNotFound": "no profile of the user exists while a store is entered, because the store names empty settings"
    " files; write the profile into such a file, or make the session without a profile",
}


def _explain_unsent(error: BaseException | None) -> Iterator[str]:
    """Yield why a client raised an error before it sent a request, if its error or the cause of its error shows it."""
    for each in _causes(error):
        # The name is enough, because botocore and aiobotocore need not be imported.
        name = type(each).__name__
        # generate_presigned_post() of botocore does not check that it has credentials.
        if isinstance(each, AttributeError) and (each.obj, each.name) == (None, "access_key"):
            name = "NoCredentialsError"
        reason = _UNSENT.get(name)
        if reason is not None:
            yield f"{type(each).__name__} means that {reason}"
            return


def _describe_refusals(service: Service, error: BaseException | None) -> Iterator[str]:
    """Yield which host a mock of `responses` refused, which the store does not notice by itself."""
    for each in _causes(error):
        if str(each).startswith("Connection refused by Responses"):
            from fakestore.clients.unexpected import describe_refusal_of_responses  # imports `requests`

            url = str(getattr(getattr(each, "request", None), "url", ""))
            if text := describe_refusal_of_responses(service, urlsplit(url)):
                yield text
            return


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, its cause, the cause of its cause, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


#: Clients that a store cannot intercept, and the value of `serve` with which they reach it.
_NOT_INTERCEPTED = {
    **dict.fromkeys(("polars", "obstore", "duckdb", "daft", "pyarrow"), "serve=True"),
    **dict.fromkeys(("deltalake", "opendal", "rasterio", "osgeo", "pyogrio"), "serve='process'"),
}

#: Clients whose requests are coroutines.
_ASYNCHRONOUS = ("aiohttp", "httpx", "httpx2")


def _explain_unseen(served_at: str | None, reach: Reach) -> Iterator[str]:
    """Yield why a request may not have reached the store, although no client raised an error that says why."""
    imported = [name for name in _NOT_INTERCEPTED if name in sys.modules]
    if imported and served_at is not None:
        yield f"its client may not use the server: make it while the store is entered, or pass {served_at} to it"
    elif imported:
        values = ", ".join(f"{name} {_NOT_INTERCEPTED[name]}" for name in imported)
        yield f"its client may not be intercepted: {values}"
    if not sys.modules.keys().isdisjoint(_ASYNCHRONOUS):
        yield "a coroutine may not have been awaited: see the warnings"
    if reach.is_mocked:
        yield "a mock of responses may have answered it, because it has a response for a host of this store"
    if "botocore" in sys.modules:
        yield (
            "another mock may have answered it: for example a patch of BaseClient._make_api_call, botocore's Stubber,"
            " or a handler of the event before-send"
        )


def _series(entry: JournalEntry) -> object:
    """Return a value that all entries in one line of the report have in common."""
    if isinstance(entry, Exchange):
        return entry
    if isinstance(entry, UninterceptedRequest):
        return entry.explanation
    if isinstance(entry, SentEvent):
        return entry.name, entry.bucket, entry.is_arranged, *map(str, entry.destinations)
    kinds = map(bool, (entry.created, entry.removed, entry.upload_id))
    return entry.bucket, entry.rule, entry.storage_class, *kinds


def _line(group: Sequence[JournalEntry], *, has_threads: bool) -> str:
    """Return the line of entries in one line of the report."""
    entry, *others = group
    if isinstance(entry, Exchange) and has_threads:
        return f"[{escaped(entry.thread)}] {entry}"
    line = str(entry)
    if isinstance(entry, SentEvent):
        line = f"Bucket.put: {entry}" if entry.is_arranged else f"  {entry}"
        line += "".join(
            f"\n      {escaped(each)}" for destination in entry.destinations for each in destination.raised_at
        )
    if not others:
        return line
    if isinstance(entry, UninterceptedRequest):
        return str(entry).replace(":", f" ({len(group)} times):", 1)
    keys = [other.key for other in others if isinstance(other, LifecycleEffect | SentEvent)]
    return f"{line}; and {len(others)} more: {_some_names(keys, ())}"


def describe_pending(planned: PlannedFault, service: Service) -> str:
    """Return a planned fault, and how often it has fired or why it has not."""
    if not planned.fired:
        return f"{planned}: {_explain_unfired(planned, service)}"
    fired = counted(planned.fired, "time") if planned.times is None else f"{planned.fired} of {planned.times} times"
    return f"{planned}: fired {fired}"


def _explain_unfired(planned: PlannedFault, service: Service) -> str:
    matched = planned.missed or planned.passed
    pronoun = "it" if matched == 1 else "them"
    if planned.missed:
        reason = f"the store refused {pronoun}, or the fault could not change the reply"
        return f"{counted(matched, 'request')} matched, but {reason}"
    noun = "event" if planned.operation == DELIVERY else "request"
    if planned.passed:
        return f"{counted(matched, noun)} matched, but after={planned.after} let {pronoun} pass"
    if planned.operation == DELIVERY:
        return "no event was delivered that matches"
    exchanges = service.journal.exchanges()
    matching = [exchange for exchange in exchanges if exchange.operation is not None]
    if not matching:
        return "the journal has dropped all requests" if exchanges.dropped else "the store got no request"
    buckets = service.state.buckets
    keys = [bucket.keys for name, bucket in sorted(buckets.items()) if planned.bucket in (None, name)]
    description = "recorded request" if exchanges.dropped else "request"
    for field, name, stored in (
        ("bucket", planned.bucket, sorted(buckets)),
        ("key", planned.key, chain.from_iterable(keys)),
        ("operation", planned.operation, ()),
    ):
        if name is not None:
            names = {getattr(exchange, field) for exchange in matching}
            first_names = {exchange.title.partition(" (")[0] for exchange in matching}
            matching = [exchange for exchange in matching if getattr(exchange, field) == name]
            if not matching:
                label = "known"
                if field == "operation":
                    label, name, names = "requested", planned.written_name, first_names
                return f"no {description} has {field} {name!r}; {label}: {_some_names(names, stored)}"
            description += f" with {field} {name!r}"
    return "every matching request came before store.fail(), or an earlier fault fired instead"


def _some_names(requested: Iterable[str | None], stored: Iterable[str]) -> str:
    """Return some of the requested names, and some of the stored names."""
    names = list(islice(dict.fromkeys(chain(sorted(filter(None, requested)), stored)), _MOST_NAMES + 1))
    shown = ", ".join(map(repr, names[:_MOST_NAMES])) or "none"
    return shown + (" and more" if len(names) > _MOST_NAMES else "")
