"""Settings of a bucket. The GET, the PUT and the DELETE of a setting are made from one declared value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from fakestore.errors import TOO_MANY_CONFIGURATIONS, ErrorCode, ErrorResponse, invalid_argument
from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.access import BUCKET_OWNER, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import query
from fakestore.operations.framework.page_token import make_token, parse_token
from fakestore.operations.framework.parameters import Parameters
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import Operation, Row, operation
from fakestore.protocol.routing import Route

#: The maximum number of settings with an id in a bucket, and in a page of their list.
_MOST_IDS, _PAGE = 1000, 100


class SettingsQuery(Parameters):
    """The query of a list of settings."""

    token: str | None = query("continuation-token")


class Actions(NamedTuple):
    """The actions of the policy language; `delete` is None if the service has no DELETE."""

    get: str
    put: str
    delete: str | None = None


class Setting(NamedTuple):
    """A setting of a bucket, with the operations GET, PUT and perhaps DELETE.

    A setting whose value is its document, and that the bucket can always have, needs only the first four arguments.

    Example::

        WEBSITE = Setting(
            "website",
            "BucketWebsite",
            WebsiteConfiguration,
            Actions("s3:GetBucketWebsite", "s3:PutBucketWebsite", "s3:DeleteBucketWebsite"),
            missing=NO_SUCH_WEBSITE,
        )

    Args:
        subresource: The name of the setting in the query and in the names of the operations.
        api_name: The name of the setting in the names of the operations in the S3 API.
        document: The shape of its document.
        actions: The actions of the policy language.
        attribute: The attribute of `BucketRecord` with the value; None for `configurations`.
        missing: The error for a bucket without the setting; None if the service returns a document.
        initial: The document of a bucket without the setting; None for an empty document.
        title: The name of the setting in explanations; by default `subresource`.
        read: Returns the document of the bucket, or None if it has none. By default, the value is the document.
        check: Refuses a bucket that cannot have the setting, before the document is read.
        prepare: Checks a document, and returns the value that is stored. Its arguments are those of a function of an
            operation with a document.
        store: Stores a value. By default, it is only stored.
        removed: The value that DELETE stores.
        parameters: The class of the headers of the PUT.
        reply_headers: Returns the dialect's headers of the replies to GET and PUT.
        put_status: The status of the reply to PUT.
        body_is_optional: Whether a PUT may come without a document, which is then None.
        delete_api_name: The name in the S3 API for DELETE, if it is not `api_name`.
        listing: The shape of a list, if a bucket can have several of these settings. Then the query parameter `id`
            names one setting, and the document repeats the id. A GET without `id` returns the list.
    """

    subresource: str
    api_name: str
    document: type
    actions: Actions
    attribute: str | None = None
    missing: ErrorCode | None = None
    initial: object | None = None
    title: str = ""
    read: Callable[[BucketRecord], object | None] | None = None
    check: Callable[..., None] | None = None
    prepare: Callable[..., object] = lambda document: document
    store: Callable[[BucketRecord, Any], None] | None = None
    removed: object = None
    parameters: type[Parameters] | None = None
    reply_headers: Callable[[BucketRecord], Mapping[str, str]] = lambda bucket: {}
    put_status: int = 200
    body_is_optional: bool = False
    delete_api_name: str = ""
    listing: Callable[..., object] | None = None

    def operations(self) -> Iterator[Operation]:
        yield self._row("GET", self.actions.get, self.api_name)(self.get)
        put = replace(
            self._row("PUT", self.actions.put, self.api_name),
            body=self.document,
            body_is_optional=self.body_is_optional,
            parameters=self.parameters,
            check=self.check,
        )
        yield put(self._putter(put.bind(self.prepare)))
        if self.actions.delete is not None:
            yield self._row("DELETE", self.actions.delete, self.delete_api_name or self.api_name)(self.delete)
        if self.listing is not None:
            yield operation(
                f"List Bucket {self.subresource}",
                Route("GET", "bucket", self.subresource),
                api_name=f"List{self.api_name}s",
                access=Access(self.actions.get, BUCKET_OWNER),
                parameters=SettingsQuery,
            )(self.list)

    def _row(self, method: str, action: str, api_name: str) -> Row:
        return operation(
            f"{method} Bucket {self.subresource}",
            Route(method, "bucket", self.subresource, frozenset() if self.listing is None else frozenset({"id"})),
            api_name=f"{method.capitalize()}{api_name}",
            access=Access(action, BUCKET_OWNER),
        )

    def get(self, call: Call, bucket: BucketRecord) -> Result:
        document = self._load(call, bucket)
        if document is None:
            if self.missing is not None:
                raise self._missing(call, bucket)
            document = self.document() if self.initial is None else self.initial
        return Result(document=document, service_headers=self.reply_headers(bucket))

    def _putter(self, prepare: Callable[[Call], object]) -> Callable[[Call, BucketRecord], Result]:
        """Return the function that replaces the setting by what `prepare` returns."""

        def put(call: Call, bucket: BucketRecord) -> Result:
            value = prepare(call)
            if self.listing is not None:
                self._check_id(call, bucket, value)
            self._store(call, bucket, value)
            return Result(status=self.put_status, service_headers=self.reply_headers(bucket))

        return put

    def delete(self, call: Call, bucket: BucketRecord) -> Result:
        """Remove the setting. A setting with an id must exist."""
        if self.listing is not None and self._load(call, bucket) is None:
            raise self._missing(call, bucket)
        self._store(call, bucket, self.removed)
        return Result(status=204)

    def list(self, call: Call, bucket: BucketRecord, parameters: SettingsQuery) -> Result:
        """Return a page of the settings with an id, in the order of their ids."""
        assert self.listing is not None
        token = parameters.token
        after = "" if token is None else parse_token(bucket, token)
        ids = sorted(id_ for name, id_ in bucket.configurations if name == self.subresource and id_ > after)
        page = ids[:_PAGE]
        return Result(
            document=self.listing(
                is_truncated=len(ids) > _PAGE,
                continuation_token=token,
                next_continuation_token=make_token(bucket, page[-1]) if len(ids) > _PAGE else None,
                configurations=tuple(bucket.configurations[self.subresource, each] for each in page),
            )
        )

    def _check_id(self, call: Call, bucket: BucketRecord, value: Any) -> None:
        """Check that the document has the id of the query, and that the bucket has space for one more setting.

        [configurations-with-an-id]
        """
        if value.id != call.query["id"]:
            raise invalid_argument(
                "Id", value.id, explanation=f"<Id> is {value.id!r}, and the query has the id {call.query['id']!r}"
            )
        others = [name for name, id_ in bucket.configurations if name == self.subresource and id_ != value.id]
        if len(others) >= _MOST_IDS:
            raise TOO_MANY_CONFIGURATIONS.error(
                explanation=f"bucket {bucket.name!r} has {len(others):,} {self.subresource} configurations; delete some"
            )

    def _missing(self, call: Call, bucket: BucketRecord) -> ErrorResponse:
        assert self.missing is not None
        title, id_ = self.title or self.subresource, call.query.get("id")
        return bucket.missing(self.missing, title if id_ is None else f"{title} configuration with the id {id_!r}")

    def _load(self, call: Call, bucket: BucketRecord) -> object | None:
        if self.read is not None:
            return self.read(bucket)
        if self.attribute is None:
            return bucket.configurations.get((self.subresource, call.query.get("id", "")))
        loaded: object | None = getattr(bucket, self.attribute)
        return loaded

    def _store(self, call: Call, bucket: BucketRecord, value: object | None) -> None:
        key = self.subresource, call.query.get("id", "")
        if self.store is not None:
            self.store(bucket, value)
        elif self.attribute is not None:
            setattr(bucket, self.attribute, value)
        elif value is None:
            bucket.configurations.pop(key, None)
        else:
            bucket.configurations[key] = value


def new_ids(call: Call) -> Iterator[str]:
    """Yield new ids for parts of a configuration without an id. They differ between requests."""
    return (f"{call.ids.request_id.lower()}-{number}" for number in count(1))
