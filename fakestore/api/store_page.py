"""The page about a store: one HTML file with what the store holds, and the exchanges that led to it.

The file needs no network and can be read without JavaScript. Its script only filters the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import islice
from typing import NamedTuple

from lxml.html import HtmlElement, tostring
from lxml.html.builder import E

from fakestore.api.report import describe_pending
from fakestore.api.tree import describe_exceptions, describe_settings, preview_text
from fakestore.messages import counted, escaped, shortened
from fakestore.model.bucket import BucketRecord
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_version import Entry, EntryId, ObjectVersion
from fakestore.model.versioning import Versioning
from fakestore.service.journal import Exchange, RecordedBody, recorded_size
from fakestore.service.service import Service, current_time

#: The most keys of a bucket, and the most versions of a key, that the page shows.
_MOST_KEYS = 1000
_MOST_VERSIONS = 100
_TIME = "%Y-%m-%d %H:%M:%S"

_VERSION_COLUMNS = ("Key", "Version", "Size", "Type", "Written", "Owner", "Created by", "Content")
_EXCHANGE_COLUMNS = ("", "Time", "Client", "Account", "Request", "Reply", "Sent", "Received", "Changes")


class _Version(NamedTuple):
    """A version or delete marker of a bucket. A page links to it by this name."""

    bucket: str
    entry: EntryId


def render_page(service: Service, title: str) -> str:
    """Return the page about a store as HTML. The caller holds the lock of the service.

    Args:
        service: The service of the store.
        title: The title of the page.
    """
    page = _Page(service)
    resources = files("fakestore.api")
    html = E.html(
        E.head(
            E.meta(charset="utf-8"),
            E.meta(name="viewport", content="width=device-width, initial-scale=1"),
            E.title(escaped(title)),
            E.style((resources / "store_page.css").read_text()),
        ),
        E.body(
            E.header(
                E.h1(escaped(title)),
                E.p(page.summary),
                E.label(
                    "Show rows with ",
                    E.input(type="search", id="filter", placeholder="a key, a status, an id"),
                    hidden="",
                ),
            ),
            E.main(*page.sections()),
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
        self._numbers = range(self._exchanges.dropped + 1, self._exchanges.dropped + len(self._exchanges) + 1)
        #: The number of the exchange that created each version.
        self._creators = {
            _Version(exchange.bucket or "", entry): number
            for number, exchange in zip(self._numbers, self._exchanges, strict=True)
            for entry in exchange.created
        }
        self._anchors: dict[_Version, str] = {}

    @property
    def summary(self) -> str:
        """What the page is about, in one line."""
        return (
            f"{current_time():{_TIME}} UTC, dialect {self._service.dialect.name},"
            f" {counted(len(self._buckets), 'bucket')}, {counted(len(self._exchanges), 'exchange')}"
        )

    def sections(self) -> Iterator[HtmlElement]:
        """Yield the elements of the page in order."""
        yield E.h2("Buckets")
        for _, bucket in self._buckets:
            yield from self._bucket(bucket)
        if not self._buckets:
            yield E.p("The store has no buckets.")
        yield E.h2("Exchanges")
        if self._exchanges.dropped:
            yield E.p(f"{counted(self._exchanges.dropped, 'older exchange')} not shown.")
        if self._exchanges:
            rows = map(self._exchange, self._numbers, self._exchanges)
            yield _table(_EXCHANGE_COLUMNS, rows, "exchanges")
        else:
            yield E.p("No request has reached the store.")
        pending = [describe_pending(each, self._service) for each in self._service.faults.pending()]
        unhandled = Counter(map(str, self._service.unhandled_requests))
        sentences = [f"{error} ({count} times)" if count > 1 else error for error, count in unhandled.items()]
        for heading, lines in (("Unhandled requests", sentences), ("Pending faults", pending)):
            if lines:
                yield E.h2(heading)
                yield E.ul(*(E.li(escaped(line)) for line in lines))

    # -- buckets

    def _bucket(self, bucket: BucketRecord) -> Iterator[HtmlElement]:
        yield E.h3(bucket.name)
        yield E.p(escaped(describe_settings(bucket, self._service.state.semantics)))
        keys = list(islice(bucket, _MOST_KEYS))
        uploads = list(bucket.uploads)
        if keys:
            yield _table(_VERSION_COLUMNS, (self._key(bucket, key) for key in keys), "versions")
        if len(bucket) > len(keys):
            yield E.p(f"{counted(len(bucket) - len(keys), 'more key')} not shown.")
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
        row = E.tr(
            {"id": anchor, "class": "latest" if is_latest else "older"},
            _key_cell(entry.key),
            E.td(E.code(entry.version_id) if bucket.versioning is not Versioning.NEVER else ""),
        )
        if isinstance(entry, ObjectVersion):
            notes = [E.span(escaped(note), {"class": "note"}) for note in describe_exceptions(entry)]
            row.extend(
                [
                    E.td(f"{entry.size:,}", {"class": "number"}),
                    E.td(escaped(entry.content_type), *notes),
                ]
            )
        else:
            row.extend([E.td(), E.td(E.span("delete marker", {"class": "marker"}))])
        row.extend(
            [
                E.td(f"{entry.last_modified:{_TIME}}", {"class": "time"}),
                E.td(escaped(str(entry.owner))),
                E.td("" if creator is None else E.a(f"#{creator}", href=f"#exchange-{creator}")),
                E.td(E.code(preview_text(entry.content)) if isinstance(entry, ObjectVersion) else ""),
            ]
        )
        return row

    # -- exchanges

    def _exchange(self, number: int, exchange: Exchange) -> list[HtmlElement]:
        """Return the row of an exchange, and a second one with the explanation if it has one."""
        method, url = exchange.request.method, exchange.request.url_to_show.partition("://")[2]
        request = E.details(
            E.summary(E.b(method), f" {escaped(url)}", title=exchange.operation or ""),
            E.pre("\n".join(escaped(f"{name}: {value}") for name, value in exchange.request.headers.fields_to_show)),
        )
        row = E.tr(
            {"id": f"exchange-{number}"},
            E.td(f"#{number}", {"class": "number"}),
            E.td(f"{exchange.time:{_TIME}}", {"class": "time"}, E.span(escaped(exchange.thread), {"class": "note"})),
            E.td(escaped(exchange.client or "")),
            E.td("-" if exchange.account is None else escaped(str(exchange.account))),
            E.td(request),
            _reply_cell(exchange),
            _size_cell(exchange.request.body),
            _size_cell(None if exchange.reply is None else exchange.reply.body),
            E.td(*self._changes(exchange)),
        )
        if exchange.explanation is None:
            return [row]
        explanation = E.td(escaped(exchange.explanation), colspan=str(len(_EXCHANGE_COLUMNS) - 4))
        return [row, E.tr({"class": "explanation"}, E.td(colspan="4"), explanation)]

    def _changes(self, exchange: Exchange) -> Iterator[HtmlElement]:
        for verb, entries in (("created", exchange.created), ("removed", exchange.removed)):
            for entry in entries:
                label = E.code(shortened(entry.version_id), title=str(entry))
                anchor = self._anchors.get(_Version(exchange.bucket or "", entry))
                yield E.div(f"{verb} ", E.a(label, href=f"#{anchor}") if anchor and verb == "created" else label)


def _table(columns: Iterable[str], groups: Iterable[list[HtmlElement]], name: str) -> HtmlElement:
    """Return a table. The script shows or hides each group of rows as a whole."""
    head = E.thead(E.tr(*(E.th(column, scope="col") for column in columns)))
    return E.div({"class": "scroll"}, E.table({"class": name}, head, *(E.tbody(*rows) for rows in groups)))


def _key_cell(key: str) -> HtmlElement:
    return E.td(E.span(escaped(key), {"class": "key"}))


def _reply_cell(exchange: Exchange) -> HtmlElement:
    status = "no answer" if exchange.status is None else str(exchange.status)
    kind = "failed" if exchange.status is None or exchange.status >= 400 else "ok"
    cell = E.td(E.span(status, {"class": f"status {kind}"}), f" {escaped(exchange.error_code or '')}")
    if exchange.fault is not None:
        cell.append(E.span(escaped(repr(exchange.fault)), {"class": "note"}))
    return cell


def _size_cell(body: RecordedBody | None) -> HtmlElement:
    return E.td("" if not body else f"{recorded_size(body):,}", {"class": "number"})


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
