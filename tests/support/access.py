"""What the tests of access control share: requests by an account, grants, policies, and the state of a store."""

from __future__ import annotations

import json

from fakestore import Account, FakeStore
from tests.support.buckets import outcome, send

ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery"

DONE = (200, None)
DELETED = (204, None)
DENIED = (403, "AccessDenied")


def ask(store: FakeStore, account: Account | None, method: str, bucket: str, key: str = "", **request: object):
    """Send a request as `account` and return the status and the error code of the answer, also for HEAD."""
    send(store, method, bucket, key, account=account, **request)
    return store.exchanges[-1].status, store.exchanges[-1].error_code


def explanation(store: FakeStore) -> str:
    """Return the explanation of the last exchange, or an empty text."""
    return store.exchanges[-1].explanation or ""


def grant(store: FakeStore, owner: Account, bucket: str, key: str = "", **permissions: Account) -> None:
    """Replace the ACL of a bucket or an object by grants to accounts: ``grant(..., read=bob)``."""
    headers = {f"x-svc-grant-{name.replace('_', '-')}": f"id={grantee.id}" for name, grantee in permissions.items()}
    assert ask(store, owner, "PUT", bucket, key, headers=headers, acl=None) == DONE


def statement(
    effect: str, principal: Account | str, action: str | list[str], resource: str | list[str], **more: object
) -> dict[str, object]:
    """Return a statement of a policy; resources are given as ``photos`` or ``photos/*``."""
    resources = [resource] if isinstance(resource, str) else resource
    return {
        "Effect": effect,
        "Principal": principal if isinstance(principal, str) else {"AWS": principal.id},
        "Action": action,
        "Resource": [f"arn:aws:s3:::{each}" for each in resources],
        **more,
    }


def policy(*statements: dict[str, object]) -> bytes:
    """Return the policy of these statements."""
    return json.dumps({"Version": "2012-10-17", "Statement": statements}).encode()


def put_policy(store: FakeStore, bucket: str, *statements: dict[str, object]) -> None:
    """Replace the policy of a bucket, as its owner."""
    reply = send(store, "PUT", bucket, account=store[bucket].owner, body=policy(*statements), policy=None)
    assert outcome(reply) == DELETED


def state(store: FakeStore) -> object:
    """Return everything that the buckets of the store hold, and leave the store as it was."""
    snapshot = store.snapshot()
    held = {}
    for name, bucket in store.buckets.items():
        settings = []
        # The policy comes first, because it may keep the owner from the other documents.
        for document in ("policy", "lifecycle", "versioning"):
            reply = send(store, "GET", name, account=bucket.owner, **{document: None})
            settings.append(bytes(reply.body) if reply.status == 200 else outcome(reply))
            send(store, "DELETE", name, account=bucket.owner, policy=None)
        held[name] = (bucket.owner, bucket.acl, bucket.versions(), settings)
    store.restore(snapshot)
    return held
