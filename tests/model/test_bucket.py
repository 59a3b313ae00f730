"""The entries of a bucket's keys: their order, errors and snapshots. The state machines are about all other rules."""

from __future__ import annotations

from datetime import timedelta

import pytest

from fakestore.model.acl import CannedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import (
    BUCKET_NOT_EMPTY,
    INVALID_ARGUMENT,
    METHOD_NOT_ALLOWED,
    NO_SUCH_KEY,
    NO_SUCH_VERSION,
    ErrorResponse,
)
from fakestore.model.lifecycle import Lifecycle, Rule
from fakestore.model.mfa import MfaDevice
from fakestore.model.object_version import DeleteMarker, ObjectVersion
from fakestore.model.versioning import Versioning
from tests.model.arrange import ALICE, NOON, empty_bucket, put

Entries = list[tuple[str, object]]


@pytest.fixture
def bucket() -> BucketRecord:
    return empty_bucket()


def enabled(bucket: BucketRecord) -> BucketRecord:
    bucket.versioning = Versioning.ENABLED
    return bucket


def delete(bucket: BucketRecord, key: str = "k", **options: bool) -> DeleteMarker | None:
    return bucket.delete(key, owner=ALICE, now=NOON, **options).created


def entries(bucket: BucketRecord, key: str = "k") -> Entries:
    """The ids and contents, newest first; the content of a delete marker is the class ``DeleteMarker``."""
    return [
        (entry.version_id, entry.content if isinstance(entry, ObjectVersion) else DeleteMarker)
        for entry in bucket.entries(key)
    ]


@pytest.mark.parametrize("hours", [(0, 0, 0), (0, 5, -3), (9, 4, 1)], ids=["frozen", "jumping", "backwards"])
def test_order_is_order_of_writing_whatever_the_clock_says(bucket, hours):
    written = [put(enabled(bucket), now=NOON + timedelta(hours=hour)).version_id for hour in hours]
    assert [id for id, _ in entries(bucket)] == written[::-1]


def test_new_acl_changes_nothing_else(bucket):
    first, second = put(enabled(bucket), b"1"), put(bucket, b"2")
    snapshot = bucket.copy()
    public = CannedAcl.PUBLIC_READ.expand(ALICE, ALICE)
    bucket.replace_acl(first, public)
    assert entries(bucket) == [(second.version_id, b"2"), (first.version_id, b"1")]
    assert (bucket.get_entry("k", first.version_id).acl, second.acl) == (public, first.acl)
    assert snapshot.get_entry("k", first.version_id) is first


# -- errors


def error_of(function, *arguments) -> ErrorResponse:
    with pytest.raises(ErrorResponse) as raised:
        function(*arguments)
    return raised.value


def test_error_says_its_code_and_its_explanation():
    assert str(NO_SUCH_KEY.error(explanation="no object 'cat.jpg'")) == "NoSuchKey: no object 'cat.jpg'"


def test_unissued_version_id_is_invalid_argument(bucket):
    put(bucket)
    for function in (bucket.get_version, bucket.delete_version):
        error = error_of(function, "k", "x" * 32)
        assert (error.error, error.elements["ArgumentName"]) == (INVALID_ARGUMENT, "versionId")


def test_version_id_of_another_key_is_no_such_version(bucket):
    version = put(enabled(bucket), key="a")
    for number in range(25):
        put(bucket, b"%d" % number)
    error = error_of(bucket.get_entry, "k", version.version_id)
    named = [id for id, _ in entries(bucket)[:20]]
    assert (error.error, error.explanation.endswith(f": {', '.join(named)}, ...")) == (NO_SUCH_VERSION, True)
    assert error_of(bucket.get_entry, "b", version.version_id).explanation.endswith(": none")


def test_errors_carry_the_delete_marker(bucket):
    assert error_of(bucket.get_object, "k").marker is None
    put(enabled(bucket))
    marker = delete(bucket)
    current, named = error_of(bucket.get_object, "k"), error_of(bucket.get_version, "k", marker.version_id)
    assert [(error.error, error.marker) for error in (current, named)] == [
        (NO_SUCH_KEY, marker),
        (METHOD_NOT_ALLOWED, marker),
    ]
    assert (current.without_marker().marker, current.without_marker().elements) == (None, current.elements)


@pytest.mark.parametrize(("versioning", "hint"), [(Versioning.NEVER, False), (Versioning.SUSPENDED, True)])
def test_bucket_with_entries_is_not_empty(bucket, versioning, hint):
    bucket.versioning = versioning
    bucket.check_empty()
    put(bucket)
    error = error_of(bucket.check_empty)
    assert (error.error, "delete all versions" in error.message) == (BUCKET_NOT_EMPTY, hint)


# -- snapshots


def test_snapshot_keeps_every_setting(bucket):
    device, lifecycle = MfaDevice("1", "2"), Lifecycle((Rule(id="r", days=1),))
    bucket.mfa_device, bucket.mfa_delete, bucket.lifecycle = device, True, lifecycle
    snapshot = enabled(bucket).copy()
    bucket.mfa_device, bucket.mfa_delete, bucket.lifecycle = None, False, None
    bucket.versioning = Versioning.SUSPENDED
    assert (snapshot.mfa_device, snapshot.mfa_delete, snapshot.lifecycle) == (device, True, lifecycle)
    assert snapshot.versioning is Versioning.ENABLED


def test_snapshot_shares_content_and_issues_other_ids(bucket):
    content = bytes(1000)
    put(enabled(bucket), content)
    snapshot = bucket.copy()
    assert snapshot.get_object("k").content is content
    assert put(bucket).version_id != put(snapshot).version_id
