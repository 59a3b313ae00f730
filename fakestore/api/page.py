"""The page about a store: one HTML file with the failures, the contents of the store, and the exchanges.

The file needs no network and can be read without JavaScript. Its script only filters the rows.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import count, islice
from typing import NamedTuple

from lxml.html import HtmlElement, tostring
from lxml.html.builder import E

from fakestore.api.report import (
    describe_exceptions,
    describe_pending,
    describe_rules,
    describe_settings,
    preview_text,
    state_to_show,
)
from fakestore.messages import counted, escaped, repetition, some_of
from fakestore.model.bucket import BucketRecord
from fakestore.model.lifecycle import LifecycleEffect, describe_versions
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_version import Entry, EntryId, ObjectVersion
from fakestore.model.versioning import Versioning
from fakestore.service.events import SentEvent
from fakestore.service.journal import (
    BodyDigest,
    Exchange,
    JournalEntry,
    Note,
    RecordedBody,
    RecordedReply,
    RecordedRequest,
    UninterceptedRequest,
    recorded_size,
)
from fakestore.service.service import Service, current_time

#: The maximum number of keys of a bucket, of versions of a key, and of failures at the top of the page.
_MOST_KEYS = 1000
_MOST_VERSIONS = 100
_MOST_FAILURES = 20

_TIME = "%Y-%m-%d %H:%M:%S"
_VERSION_COLUMNS = ("Key", "Version", "Size", "Type", "Written", "Owner", "Created by", "Content")
_EXCHANGE_COLUMNS = ("", "Request", "Reply", "Changes", "Sent", "Received", "Account", "Client", "Time")


class _Version(NamedTuple):
    """A version or delete marker of a bucket. A page links to it by this name."""

    bucket: str
    entry: EntryId


def render_page(service: Service, test: str = "") -> str:
    """Return the page about a store as HTML.

    Args:
        test: The name of its test if pytest does not run; empty if the store has none.
    """
    title = escaped(f"Store at {service.origin}")
    # pytest names the running test and its phase: "tests/test_a.py::test_upload (call)".
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0] or test
    resources = files("fakestore.api")
    with state_to_show(service):
        page = _Page(service)
        summary, sections = page.summary, list(page.sections())
    html = E.html(
        E.head(
            E.meta(charset="utf-8"),
            E.meta(name="viewport", content="width=device-width, initial-scale=1"),
            E.title(title),
            E.style((resources / "store_page.css").read_text()),
        ),
        E.body(
            E.header(
                E.h1(title),
                *([E.p(E.code(escaped(test)))] if test else []),
                E.p(summary),
                E.form(
                    E.label(
                        "Show rows with ", E.input(type="search", id="filter", placeholder="a key, a status, an id")
                    ),
                    E.label(E.input(type="checkbox", id="failures"), " failures only"),
                    hidden="",
                ),
            ),
            E.main(*sections),
            E.script((resources / "store_page.js").read_text()),
        ),
        lang="en",
    )
    text: str = tostring(html, encoding="unicode", doctype="<!DOCTYPE html>")
    return text


class _Page:
    """The sections of the page about a store."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._buckets = sorted(service.state.buckets.items())
        self._exchanges = service.journal.exchanges()
        exchanges, notes = count(self._exchanges.dropped + 1), count(1)
        #: The entries of the journal, each after its label. The label of an exchange has its number.
        self._journal: list[tuple[str, JournalEntry]] = [
            (f"exchange-{next(exchanges)}" if isinstance(entry, Exchange) else f"{_kind(entry)}-{next(notes)}", entry)
            for entry in service.journal.entries()
        ]
        #: The label of the entry of the journal that created each version.
        self._creators = {
            _Version(entry.bucket or "", created): label
            for label, entry in self._journal
            if isinstance(entry, Exchange | LifecycleEffect)
            for created in entry.created
        }
        self._anchors: dict[_Version, str] = {}

    @property
    def summary(self) -> str:
        """The subject of the page, in one line."""
        return (
            f"{current_time():{_TIME}} UTC, dialect {self._service.dialect.name},"
            f" {counted(len(self._buckets), 'bucket')}, {counted(len(self._exchanges), 'exchange')}"
        )

    def sections(self) -> Iterator[HtmlElement]:
        """Yield the sections of the page in order, without empty sections."""
        pending = [describe_pending(each, self._service) for each in self._service.faults.pending()]
        unhandled = Counter(map(str, self._service.unhandled_requests))
        lists: dict[str, list[HtmlElement]] = {
            "Failures": self._failures(),
            "Unhandled requests": [E.li(escaped(f"{error}{repetition(count)}")) for error, count in unhandled.items()],
            "Pending faults": [E.li(escaped(line)) for line in pending],
            "Destinations without an event": [
                E.li(line) for line in self._service.outbox.explain_idle_destinations(dict(self._buckets).values())
            ],
        }
        for heading, items in lists.items():
            if items:
                yield E.section(E.h2(heading), E.ul(*items))
        if self._buckets:
            yield E.section(E.h2("Buckets"), *(E.section(*self._bucket(bucket)) for _, bucket in self._buckets))
        if self._journal:
            dropped = self._exchanges.dropped
            older = [E.p(f"{counted(dropped, 'older exchange')} not shown.")] if dropped else []
            rows = (self._entry(label, entry) for label, entry in self._journal)
            yield E.section(E.h2("Exchanges"), *older, _table(_EXCHANGE_COLUMNS, rows, "exchanges"))

    def _failures(self) -> list[HtmlElement]:
        """Return an item for each of the last entries of the journal that is a failure."""
        failures = [
            E.li(E.a(_shown_label(label), href=f"#{label}"), f" {entry}")
            for label, entry in self._journal
            if _is_failure(entry)
        ]
        earlier = len(failures) - _MOST_FAILURES
        if earlier <= 0:
            return failures
        return [E.li(f"{counted(earlier, 'earlier failure')} not shown here."), *failures[-_MOST_FAILURES:]]

    # -- buckets

    def _bucket(self, bucket: BucketRecord) -> Iterator[HtmlElement]:
        yield E.h3(bucket.name)
        yield E.p(escaped(describe_settings(bucket, self._service.state.semantics)))
        for line in describe_rules(bucket):
            yield E.p(line)
        keys = list(islice(bucket.keys, _MOST_KEYS))
        uploads = list(bucket.uploads)
        if keys:
            yield _table(_VERSION_COLUMNS, (self._key(bucket, key) for key in keys), "versions")
        if len(bucket.keys) > len(keys):
            yield E.p(f"{counted(len(bucket.keys) - len(keys), 'more key')} not shown.")
        if uploads:
            yield _table(("Key", "Unfinished upload", "Begun", "Parts"), map(_upload, uploads), "uploads")
        if not keys and not uploads:
            yield E.p("empty")

    def _key(self, bucket: BucketRecord, key: str) -> list[HtmlElement]:
        """Return a row for each version of a key, newest first."""
        entries = list(islice(bucket.entries(key), _MOST_VERSIONS + 1))
        rows = [
            self._version(bucket, entry, is_latest=index == 0) for index, entry in enumerate(entries[:_MOST_VERSIONS])
        ]
        if len(entries) > _MOST_VERSIONS:
            rows.append(E.tr(E.td("older versions are not shown", colspan=str(len(_VERSION_COLUMNS)))))
        return rows

    def _version(self, bucket: BucketRecord, entry: Entry, *, is_latest: bool) -> HtmlElement:
        name = _Version(bucket.name, EntryId.of(entry))
        anchor = self._anchors[name] = f"version-{len(self._anchors) + 1}"
        creator = self._creators.get(name)
        if isinstance(entry, ObjectVersion):
            notes = [E.span(escaped(note), {"class": "note"}) for note in describe_exceptions(entry)]
            size = E.td(f"{entry.size:,}", {"class": "number"})
            kind = E.td(escaped(entry.content_type), *notes)
            content = E.td(E.code(preview_text(entry.content)))
        else:
            size, kind, content = E.td(), E.td(E.span("delete marker", {"class": "marker"})), E.td("")
        return E.tr(
            {"id": anchor, "class": "latest" if is_latest else "older"},
            _key_cell(entry.key),
            E.td(E.code(entry.version_id) if bucket.versioning is not Versioning.NEVER else ""),
            size,
            kind,
            E.td(f"{entry.last_modified:{_TIME}}", {"class": "time"}),
            E.td(escaped(str(entry.owner))),
            E.td("" if creator is None else E.a(_shown_label(creator), href=f"#{creator}")),
            content,
        )

    # -- exchanges

    def _entry(self, label: str, entry: JournalEntry) -> list[HtmlElement]:
        return self._exchange(label, entry) if isinstance(entry, Exchange) else [self._note(label, entry)]

    def _note(self, label: str, note: Note) -> HtmlElement:
        """Return the row of an entry that is not an exchange."""
        if isinstance(note, LifecycleEffect):
            time, text, changes = note.due, escaped(f"{note.rule}: {note.bucket}/{note.key}"), note.changes
        elif isinstance(note, SentEvent):
            text = escaped(f"{note.name} {note.bucket}/{note.key}")
            changes = [line for each in note.destinations for line in (str(each), *each.raised_at)]
            time = note.time
        else:
            time, text, changes = note.time, str(note), []
        return E.tr(
            {"id": label, "class": "failed event" if _is_failure(note) else "event"},
            E.td(_shown_label(label), {"class": "number"}),
            E.td(text, colspan="2"),
            E.td(*(E.div(escaped(change)) for change in changes), colspan=str(len(_EXCHANGE_COLUMNS) - 4)),
            E.td(f"{time:{_TIME}}", {"class": "time"}),
        )

    def _exchange(self, label: str, exchange: Exchange) -> list[HtmlElement]:
        """Return the row of an exchange, and a second row for its explanation, if it has one."""
        sent, reply = exchange.request, exchange.reply
        request = E.details(
            E.summary(E.b(exchange.title), f" {escaped(exchange.resource)}"),
            _message(f"{sent.method} {sent.url_to_show}", sent),
            *([] if reply is None else [_message(str(reply.status), reply)]),
        )
        row = E.tr(
            {"id": label},
            E.td(_shown_label(label), {"class": "number"}),
            E.td(request, {"class": "request"}),
            _reply_cell(exchange),
            E.td(*self._changes(exchange)),
            _size_cell("sent", exchange.request.body),
            _size_cell("received", None if exchange.reply is None else exchange.reply.body),
            E.td("-" if exchange.account is None else escaped(str(exchange.account))),
            E.td(escaped(exchange.client or "")),
            E.td(f"{exchange.time:{_TIME}}", {"class": "time"}, E.span(escaped(exchange.thread), {"class": "note"})),
        )
        if exchange.explanation is None:
            return [row]
        explanation = E.td(escaped(exchange.explanation), colspan=str(len(_EXCHANGE_COLUMNS) - 1))
        return [row, E.tr({"class": "explanation"}, E.td(), explanation)]

    def _changes(self, exchange: Exchange) -> Iterator[HtmlElement]:
        for verb, entries in (("created", exchange.created), ("removed", exchange.removed)):
            for entry in entries:
                label = E.code(describe_versions((entry,)), title=str(entry))
                anchor = self._anchors.get(_Version(exchange.bucket or "", entry))
                yield E.div(f"{verb} ", E.a(label, href=f"#{anchor}") if anchor and verb == "created" else label)
        if exchange.ignored:
            yield E.div(escaped(f"ignored {some_of(exchange.ignored)}"))


def _message(first_line: str, message: RecordedRequest | RecordedReply) -> HtmlElement:
    """Return the first line, the headers and the recorded body of a message, without credentials."""
    lines = [first_line, *(f"{name}: {value}" for name, value in message.headers.fields_to_show)]
    body = message.body_to_show
    if isinstance(body, BodyDigest):
        lines += ["", f"({counted(body.size, 'byte')}{body.md5 and f', MD5 {body.md5}'})"]
    elif body:
        lines += ["", *body.decode("utf-8", "backslashreplace").splitlines()]
    return E.pre("\n".join(map(escaped, lines)))


def _table(columns: Iterable[str], groups: Iterable[list[HtmlElement]], name: str) -> HtmlElement:
    """Return a table. The script shows or hides each group of rows as a whole."""
    head = E.thead(E.tr(*(E.th(column, scope="col") for column in columns)))
    return E.div({"class": "scroll"}, E.table({"class": name}, head, *(E.tbody(*rows) for rows in groups)))


def _kind(note: Note) -> str:
    if isinstance(note, SentEvent):
        return "event"
    return "rule" if isinstance(note, LifecycleEffect) else "missed"


def _shown_label(label: str) -> str:
    """Return ``#2`` for an exchange, and otherwise the kind of the entry."""
    kind, _, number = label.partition("-")
    return f"#{number}" if kind == "exchange" else kind


def _key_cell(key: str) -> HtmlElement:
    return E.td(E.span(escaped(key), {"class": "key"}))


def _reply_cell(exchange: Exchange) -> HtmlElement:
    status = "no answer" if exchange.status is None else str(exchange.status)
    kind = "failed" if _is_failure(exchange) else "ok"
    cell = E.td(E.span(status, {"class": f"status {kind}"}), f" {escaped(exchange.error_code or '')}")
    if exchange.fault is not None:
        cell.append(E.span(escaped(repr(exchange.fault)), {"class": "note"}))
    return cell


def _is_failure(entry: JournalEntry) -> bool:
    """Return whether an exchange has an error or no answer, a request did not reach the store, or a handler raised."""
    if isinstance(entry, Exchange):
        return entry.status is None or entry.status >= 400 or entry.error_code is not None
    if isinstance(entry, SentEvent):
        return any(each.error is not None for each in entry.destinations)
    return isinstance(entry, UninterceptedRequest)


def _size_cell(label: str, body: RecordedBody | None) -> HtmlElement:
    return E.td("" if not body else f"{recorded_size(body):,}", {"class": "number", "data-label": label})


def _upload(upload: MultipartUpload) -> list[HtmlElement]:
    parts = ", ".join(f"{part.number}: {counted(part.size, 'byte')}" for part in upload.parts[:_MOST_VERSIONS])
    return [
        E.tr(
            _key_cell(upload.key),
            E.td(E.code(upload.upload_id)),
            E.td(f"{upload.initiated:{_TIME}}", {"class": "time"}),
            E.td(
                f"{counted(len(upload.parts), 'part')}, {counted(upload.size, 'byte')}",
                *([E.br(), parts] if parts else []),
            ),
        )
    ]
