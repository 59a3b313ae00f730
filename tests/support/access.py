"""Requests by an account, and what it is allowed to do."""

from __future__ import annotations

from fakestore import Account, Bucket, FakeStore
from tests.support.documents import policy
from tests.support.wire import outcome, request

ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery"

DONE = (200, None)
DELETED = (204, None)
DENIED = (403, "AccessDenied")


def ask(
    store: FakeStore, account: Account | None, method: str, bucket: str, key: str = "", **arguments: object
) -> tuple[int, str | None]:
    """Send a request as `account` and return the status and the error code of the answer, also for HEAD."""
    request(store, method, bucket, key, account=account, **arguments)
    return store.exchanges[-1].status, store.exchanges[-1].error_code


def explanation(store: FakeStore) -> str:
    """Return the explanation of the last exchange, or an empty text."""
    return store.exchanges[-1].explanation or ""


def grant(store: FakeStore, owner: Account, bucket: str, key: str = "", **permissions: Account) -> None:
    """Replace the ACL of a bucket or an object by grants to accounts: ``grant(..., read=bob)``."""
    headers = {f"x-svc-grant-{name.replace('_', '-')}": f"id={grantee.id}" for name, grantee in permissions.items()}
    assert ask(store, owner, "PUT", bucket, key, headers=headers, acl=None) == DONE


def open_bucket(store: FakeStore, name: str = "photos") -> Bucket:
    """Let the ACLs of a bucket have an effect, and let it be public. In S3 a new bucket does neither."""
    bucket = store[name]
    bucket.object_ownership, bucket.public_access_block = "ObjectWriter", None
    return bucket


def put_policy(store: FakeStore, bucket: str, *statements: dict[str, object]) -> None:
    """Replace the policy of a bucket, as its owner."""
    reply = request(store, "PUT", bucket, account=store[bucket].owner, body=policy(*statements), policy=None)
    assert outcome(reply) == DELETED
