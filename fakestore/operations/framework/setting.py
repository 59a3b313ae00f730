"""Settings of a bucket. The GET, the PUT and the DELETE of a setting are made from one declared value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

from fakestore.errors import TOO_MANY_CONFIGURATIONS, ErrorCode, ErrorResponse, invalid_argument
from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.access import BUCKET_OWNER, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, query
from fakestore.operations.framework.operation import Operation, OperationDecorator, operation
from fakestore.operations.framework.page_token import make_token, parse_token
from fakestore.operations.framework.result import NO_CONTENT, Result
from fakestore.protocol.routing import Route

#: The maximum number of settings with an id in a bucket, and in a page of their list.
_MOST_IDS, _PAGE = 1000, 100


class Actions(NamedTuple):
    """The actions of the policy language; `delete` is None if the service has no DELETE."""

    get: str
    put: str
    delete: str | None = None


class Setting(NamedTuple):
    """A setting of a bucket, with the operations GET, PUT and perhaps DELETE.

    A setting whose value is its document, and that the bucket can always have, needs only the first four arguments. If
    PUT does more than to store its document, its function is decorated with `put`, and passed to `operations`.

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
        removed: The value that DELETE stores.
        reply_headers: Returns the dialect's headers of the reply to GET.
        delete_api_name: The name in the S3 API for DELETE, if it is not `api_name`.
        refuses_anonymous: Whether an anonymous requester is refused, even if the policy of the bucket allows it.
        needs_checksum: Whether the service requires an MD5 or a checksum of the document.
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
    removed: object = None
    reply_headers: Callable[[BucketRecord], Mapping[str, str]] = lambda bucket: {}
    delete_api_name: str = ""
    refuses_anonymous: bool = False
    needs_checksum: bool = False

    def operations(self, put: Operation | None = None) -> Iterator[Operation]:
        yield self._operation("GET", self.actions.get)(self._get)
        yield self.put(self._put, self.document) if put is None else put
        if self.actions.delete is not None:
            yield self._operation("DELETE", self.actions.delete, self.delete_api_name)(self._delete)

    @property
    def put(self) -> OperationDecorator:
        """The decorator of the function of PUT."""
        return self._operation("PUT", self.actions.put)

    def _operation(self, method: str, action: str, api_name: str = "") -> OperationDecorator:
        error = f"{action} does not support Anonymous requests!" if self.refuses_anonymous else ""
        needs_checksum = self.needs_checksum and method == "PUT"
        return _setting_operation(method, self, action, api_name, anonymous_error=error, needs_checksum=needs_checksum)

    def _get(self, call: Call, bucket: BucketRecord) -> Result:
        document = self._load(bucket)
        if document is None:
            if self.missing is not None:
                raise bucket.missing(self.missing, self.title or self.subresource)
            document = self.document() if self.initial is None else self.initial
        return Result(document=document, service_headers=self.reply_headers(bucket))

    def _put(self, bucket: BucketRecord, document: Any) -> Result:
        self.store(bucket, document)
        return Result()

    def _delete(self, call: Call, bucket: BucketRecord) -> Result:
        self.store(bucket, self.removed)
        return NO_CONTENT

    def _load(self, bucket: BucketRecord) -> object | None:
        if self.read is not None:
            return self.read(bucket)
        if self.attribute is None:
            return bucket.configurations.get((self.subresource, ""))
        loaded: object | None = getattr(bucket, self.attribute)
        return loaded

    def store(self, bucket: BucketRecord, value: object | None) -> None:
        """Set the value of the setting in a bucket; None removes it."""
        if self.attribute is not None:
            setattr(bucket, self.attribute, value)
        elif value is None:
            bucket.configurations.pop((self.subresource, ""), None)
        else:
            bucket.configurations[self.subresource, ""] = value


class IdQuery(Parameters):
    """The query of a request for one setting with an id."""

    id: str = query("id")


class SettingsQuery(Parameters):
    """The query of a list of settings."""

    token: str | None = query("continuation-token")


class SettingWithId(NamedTuple):
    """A setting of which a bucket can have several. The operations are GET, PUT, DELETE and a list.

    The query parameter `id` names one of them, and its document repeats the id. A GET without `id` returns the list.

    Args:
        subresource: The name of the setting in the query and in the names of the operations.
        api_name: The name of the setting in the names of the operations in the S3 API.
        document: The shape of the document of one setting.
        listing: The shape of a list.
        actions: The actions of the policy language.
        missing: The error for an id that the bucket does not have.
    """

    subresource: str
    api_name: str
    document: type
    listing: Callable[..., object]
    actions: Actions
    missing: ErrorCode

    def operations(self) -> Iterator[Operation]:
        one = frozenset({"id"})
        yield _setting_operation("GET", self, self.actions.get, query=one)(self._get)
        yield _setting_operation("PUT", self, self.actions.put, query=one)(self._put, self.document)
        assert self.actions.delete is not None
        yield _setting_operation("DELETE", self, self.actions.delete, query=one)(self._delete)
        yield operation(
            f"List Bucket {self.subresource}",
            Route("GET", "bucket", self.subresource),
            api_name=f"List{self.api_name}s",
            access=Access(self.actions.get, BUCKET_OWNER),
        )(self._list)

    def _get(self, call: Call, bucket: BucketRecord, one: IdQuery) -> Result:
        document = bucket.configurations.get((self.subresource, one.id))
        if document is None:
            raise self._missing(bucket, one.id)
        return Result(document=document)

    def _put(self, bucket: BucketRecord, one: IdQuery, document: Any) -> Result:
        """Store a document with the id of the query. [configurations-with-an-id]"""
        if document.id != one.id:
            raise invalid_argument(
                "Id", document.id, explanation=f"<Id> is {document.id!r}, and the query has the id {one.id!r}"
            )
        others = [name for name, id_ in bucket.configurations if name == self.subresource and id_ != one.id]
        if len(others) >= _MOST_IDS:
            raise TOO_MANY_CONFIGURATIONS.error(
                explanation=f"bucket {bucket.name!r} has {len(others):,} {self.subresource} configurations; delete some"
            )
        bucket.configurations[self.subresource, one.id] = document
        return Result()

    def _delete(self, call: Call, bucket: BucketRecord, one: IdQuery) -> Result:
        if bucket.configurations.pop((self.subresource, one.id), None) is None:
            raise self._missing(bucket, one.id)
        return NO_CONTENT

    def _list(self, call: Call, bucket: BucketRecord, page: SettingsQuery) -> Result:
        """Return a page of the settings, in the order of their ids."""
        after = "" if page.token is None else parse_token(bucket, page.token)
        ids = sorted(id_ for name, id_ in bucket.configurations if name == self.subresource and id_ > after)
        shown, is_truncated = ids[:_PAGE], len(ids) > _PAGE
        return Result(
            document=self.listing(
                is_truncated=is_truncated,
                continuation_token=page.token,
                next_continuation_token=make_token(bucket, shown[-1]) if is_truncated else None,
                configurations=tuple(bucket.configurations[self.subresource, each] for each in shown),
            ),
            truncated_after=len(shown) if is_truncated else None,
        )

    def _missing(self, bucket: BucketRecord, id_: str) -> ErrorResponse:
        return bucket.missing(self.missing, f"{self.subresource} configuration with the id {id_!r}")


def _setting_operation(
    method: str,
    setting: Setting | SettingWithId,
    action: str,
    api_name: str = "",
    query: frozenset[str] = frozenset(),
    anonymous_error: str = "",
    needs_checksum: bool = False,
) -> OperationDecorator:
    return operation(
        f"{method} Bucket {setting.subresource}",
        Route(method, "bucket", setting.subresource, query),
        api_name=f"{method.capitalize()}{api_name or setting.api_name}",
        access=Access(action, BUCKET_OWNER),
        anonymous_error=anonymous_error,
        needs_checksum=needs_checksum,
    )


def new_ids(call: Call) -> Iterator[str]:
    """Yield new ids for parts of a configuration without an id. They differ between requests."""
    return (f"{call.ids.request_id.lower()}-{number}" for number in count(1))
