"""The handle of a bucket: arranging objects and looking at them, without a request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
from freezegun import freeze_time

from fakestore import (
    DeleteMarker,
    FakeStore,
    LegalHold,
    Limits,
    ObjectVersion,
    Retention,
    RetentionMode,
    SparseContent,
)
from tests.support.cases import each
from tests.support.wire import request

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


# Putting


@freeze_time("2030-01-01 12:00")
def test_object_has_the_defaults_of_the_service(store, photos):
    version = photos.put("k", b"1")
    assert (version.owner, version.last_modified, version.version_id) == (store.default_account, NOON, "null")
    assert (version.storage_class.value, version.encryption, dict(version.metadata)) == ("STANDARD", None, {})
    assert request(store, "GET", "photos", "k").headers["Content-Type"] == version.content_type == "binary/octet-stream"
    types = [photos.put("k", content_type=each).content_type for each in ("", " \t", "text/plain ")]
    assert types == ["binary/octet-stream", "binary/octet-stream", "text/plain"]
    assert list(store.calls("PUT Object")) == []


def test_get_returns_everything_that_was_put(store, photos):
    photos.put(
        "k",
        b"<p>",
        metadata={"Camera": " Leica "},
        content_type="text/html",
        headers={
            "Cache-Control": "no-cache",
            "content-disposition": "inline",
            "Content-Encoding": "identity",
            "Content-Language": "de",
            "Expires": "5000",
        },
        storage_class="REDUCED_REDUNDANCY",
        encryption="AES256",
    )
    expected = {
        "x-svc-meta-camera": "Leica",
        "content-type": "text/html",
        "cache-control": "no-cache",
        "content-disposition": "inline",
        "content-encoding": "identity",
        "content-language": "de",
        "expires": "5000",
        "x-svc-storage-class": "REDUCED_REDUNDANCY",
        "x-svc-server-side-encryption": "AES256",
    }
    headers = request(store, "GET", "photos", "k").headers
    assert {name: headers.get(name) for name in expected} == expected


@freeze_time("2030-01-01 12:00")
def test_put_stores_a_retention_and_a_legal_hold():
    store = FakeStore(dialect="s3", buckets={"photos": {"object_lock": True}, "films": "enabled"})
    until = datetime(2030, 1, 2, 1, 0, 0, 123456, timezone(timedelta(hours=1)))
    version = store["photos"].put("k", b"1", retention=Retention("GOVERNANCE", until), legal_hold=True)
    kept = Retention(RetentionMode.GOVERNANCE, datetime(2030, 1, 2, 0, 0, 0, 123000, UTC))
    assert (version.retention, version.legal_hold) == (kept, LegalHold.ON)
    version = store["photos"].put("k", b"1", retention=kept)
    assert (version.retention, version.legal_hold) == (kept, None)
    url = store.url("photos", "k", versionId=version.version_id)
    session = store.session()
    session.mount("https://", store.adapter())
    assert session.delete(url).status_code == 403
    for arguments, error, message in [
        ({"retention": kept}, ValueError, "'films' has no Object Lock"),
        ({"legal_hold": True}, ValueError, "'films' has no Object Lock"),
        ({"retention": until}, TypeError, r"expected a fakestore\.Retention"),
        ({"retention": Retention("LONG", until)}, ValueError, "'LONG'"),
        ({"retention": Retention("GOVERNANCE", "soon")}, TypeError, "expected a datetime"),
        ({"legal_hold": "ON"}, TypeError, "'ON': expected True or False"),
    ]:
        with pytest.raises(error, match=message):
            store["films"].put("k", **arguments)
    assert store["films"].versions() == []


def test_last_modified_is_in_utc_and_whole_seconds(photos):
    for case in each(
        (datetime(2020, 5, 6, 7, 8, 9), datetime(2020, 5, 6, 7, 8, 9, tzinfo=UTC)),
        (datetime(2020, 5, 6, 7, tzinfo=timezone(timedelta(hours=2))), datetime(2020, 5, 6, 5, tzinfo=UTC)),
        (datetime(2020, 5, 6, 7, 8, 9, 999999, UTC), datetime(2020, 5, 6, 7, 8, 9, tzinfo=UTC)),
    ):
        with case as (last_modified, expected):
            assert photos.put("k", last_modified=last_modified).last_modified == expected


INVALID = [
    ({"key": ""}, "key"),
    ({"key": "\xe9" * 513}, "1,026.*1,024"),
    ({"key": "\ud800"}, "UTF-8"),
    ({"content": bytes(11)}, "11 bytes.*object_size"),
    ({"content": SparseContent(2**62)}, "4,611,686,018,427,387,904 bytes.*object_size"),
    ({"metadata": {"a b": "1"}}, "'a b'"),
    ({"metadata": {"": "1"}}, "''"),
    ({"metadata": {"a": "\u65e5"}}, "'\u65e5'.*ISO-8859-1"),
    ({"metadata": {"a": "1\n2"}}, r"'1\\n2'"),
    ({"metadata": {"a": "1", "A": "2"}}, "case.*a, A"),
    ({"metadata": {"a": "x" * 2048}}, "2,049 bytes.*metadata"),
    ({"content_type": "text/\nhtml"}, r"'text/\\nhtml'"),
    ({"headers": {"Cache-Control": "\u65e5"}}, "'\u65e5'.*ISO-8859-1"),
    ({"headers": {"Expires": "-1"}}, "expires.*-1"),
    ({"headers": {"Content-Type": "text/html"}}, "'content-type'.*Cache-Control"),
    ({"acl": "open"}, "'open'.*'private', 'public-read'"),
    ({"storage_class": "GLACIER"}, "'GLACIER'.*'STANDARD', 'REDUCED_REDUNDANCY'"),
    ({"storage_class": None}, "None: expected one of 'STANDARD', 'REDUCED_REDUNDANCY'$"),
    ({"encryption": "rot13"}, "'rot13'.*'AES256', 'aws:kms'"),
]


def test_what_the_service_would_refuse_is_a_value_error():
    store = FakeStore(buckets=["photos"], limits=Limits(object_size=10))
    for arguments, names in INVALID:
        with pytest.raises(ValueError, match=names):
            store["photos"].put(**{"key": "k", **arguments})
        assert store["photos"].versions() == []


@pytest.mark.parametrize("dialect", ["document", "s3"])
def test_argument_of_a_wrong_type_is_a_type_error(dialect):
    photos = FakeStore(dialect=dialect, buckets=["photos"])["photos"]
    for arguments, names in [
        ({"content": "text"}, r"bytes, .* not str; encode it"),
        ({"tags": {"year": 2024}}, "tag 'year' 2024.*str"),
        ({"last_modified": NOON.date()}, r"datetime, not datetime.date\(2030, 1, 1\)"),
        ({"account": "bob"}, "create_account"),
        ({"headers": {"Expires": 1000}}, "Expires 1000.*str"),
        ({"metadata": {"camera": b"M3"}}, "camera b'M3'.*str"),
        ({"content_type": 5}, "Content-Type 5.*str"),
        ({"headers": {1: "a"}}, "name in headers 1.*str"),
        ({"metadata": {1: "a"}}, "name in metadata 1.*str"),
        ({"tags": [{"Key": "a", "Value": "b"}]}, "invalid tags .*expected a mapping"),
        ({"headers": [("Expires", "0")]}, "invalid headers .*expected a mapping"),
        ({"metadata": [("camera", "M3")]}, "invalid metadata .*expected a mapping"),
    ]:
        with pytest.raises(TypeError, match=names):
            photos.put("k", **arguments)
        assert photos.versions() == []


# Deleting


def test_delete_returns_the_marker_or_none(photos):
    photos.put("k")
    assert (photos.delete("k"), photos.versions()) == (None, [])
    photos.versioning = "enabled"
    photos.put("k")
    marker = photos.delete("k")
    assert (type(marker), photos.versions("k")[0]) == (DeleteMarker, marker)


def test_delete_version_returns_what_it_removed(photos):
    photos.versioning = "enabled"
    version = photos.put("k")
    assert (photos.delete_version("k", version.version_id), photos.versions()) == (version, [])


def test_delete_of_an_unknown_version_names_it(photos):
    photos.put("k")
    with pytest.raises(KeyError, match=r"other.*photos.*null"):
        photos.delete_version("other", "null")
    with pytest.raises(ValueError, match="v1"):
        photos.delete_version("k", "v1")
    assert len(photos.versions()) == 1


# Looking


@pytest.mark.parametrize("key", [b"cat.jpg", 0, None, ("cat.jpg",)])
def test_key_that_is_no_text_is_refused(photos, key):
    with pytest.raises(TypeError, match=r"invalid key .*: expected str, not"):
        photos[key]


def test_acl_of_another_bucket_is_refused_as_the_name_of_an_acl(photos):
    with pytest.raises(TypeError, match=r"^invalid canned ACL: expected a name such as 'private', not Acl$"):
        photos.acl = photos.acl


def test_delete_marker_is_a_key_error_that_shows_it(photos):
    photos.versioning = "enabled"
    photos.put("k")
    marker = photos.delete("k")
    with pytest.raises(KeyError) as raised:
        photos["k"]
    assert all(name in raised.value.args[0] for name in ("photos", "'k'", repr(marker)))


def test_iteration_length_and_containment_are_of_current_objects(photos):
    assert (len(photos), list(photos)) == (0, [])
    photos.versioning = "enabled"
    for key in ("\U0001f600", "b", "\uffee", "a", "gone"):
        photos.put(key)
    photos.delete("gone")
    assert (list(photos), len(photos)) == (["a", "b", "\uffee", "\U0001f600"], 4)
    assert ("a" in photos, "gone" in photos) == (True, False)


def test_bucket_may_change_while_it_is_iterated(photos):
    for key in "abc":
        photos.put(key)
    for key in photos:
        photos.delete(key)
    assert list(photos) == []


def test_versions_are_ordered_by_key_and_newest_first(photos):
    photos.versioning = "enabled"
    b = photos.put("b")
    old, new = photos.put("a", b"1"), photos.put("a", b"2")
    marker = photos.delete("b")
    photos.versions("a").clear()
    assert photos.versions() == [new, old, marker, b]
    assert photos.versions("b") == [marker, b]
    assert photos["a"] == new


# Seeding a history


def test_history_is_seeded_oldest_first_on_top_of_what_exists(photos):
    photos.versioning = "enabled"
    before = photos.put("k")
    moments = [datetime(2020, month, 1, tzinfo=UTC) for month in (1, 2, 3)]
    written = photos.seed("k", zip(moments, [b"1", DeleteMarker, SparseContent(3)], strict=True))
    assert photos.versions("k") == [*written[::-1], before]
    assert [(type(entry), entry.last_modified) for entry in written] == [
        (ObjectVersion, moments[0]),
        (DeleteMarker, moments[1]),
        (ObjectVersion, moments[2]),
    ]
    assert (written[0].content, written[2].content) == (b"1", SparseContent(3))


def test_seeding_an_unversioned_bucket_keeps_the_last_object(photos):
    written = photos.seed("k", [(NOON, b"1"), (NOON, b"2")])
    assert ([each.content for each in written], photos.versions("k")) == ([b"1", b"2"], [written[1]])


def test_suspended_bucket_is_seeded_with_a_null_marker(photos):
    photos.versioning = "suspended"
    _, marker = photos.seed("k", [(NOON, b"1"), (NOON, DeleteMarker)])
    assert (type(marker), marker.version_id, photos.versions("k")) == (DeleteMarker, "null", [marker])


def test_lifecycle_rules_act_once_the_whole_history_is_seeded(photos):
    photos.versioning = "enabled"
    photos.expire(rule_id="r", days=3)
    old = datetime(2020, 1, 1, tzinfo=UTC)
    first, second = photos.seed("k", [(old, b"1"), (old, b"2")])
    marker, *rest = photos.versions("k")
    assert (type(marker), rest) == (DeleteMarker, [second, first])


def test_history_may_be_computed_by_a_thread_that_uses_the_store(store, photos):
    def history():
        with ThreadPoolExecutor() as pool:
            yield NOON, pool.submit(lambda: bytes(len(store["photos"]))).result(timeout=10)

    assert photos.seed("k", history())[0].content == b""


def test_invalid_history_writes_nothing(photos):
    for key, entry, error, name in [
        ("k", (NOON, DeleteMarker), ValueError, "photos.*versioned"),
        ("k", (NOON, "text"), TypeError, "bytes"),
        ("", (NOON, b"2"), ValueError, "key"),
    ]:
        with pytest.raises(error, match=name):
            photos.seed(key, [(NOON, b"1"), entry])
        assert photos.versions() == []


def test_public_access_block_is_not_a_bool(store):
    with pytest.raises(TypeError, match="PublicAccessBlock or None, not True"):
        store["photos"].public_access_block = True


def test_value_that_is_not_an_mfa_device_is_refused(photos):
    photos.versioning = "enabled"
    with pytest.raises(TypeError, match=r"MfaDevice\('SN', '1'\).*not \('SN', '1'\)"):
        photos.enable_mfa_delete(("SN", "1"))
    photos.put("cat.jpg", b"meow")
    photos.delete_version("cat.jpg", photos["cat.jpg"].version_id)  # MFA Delete is not enabled


def test_misspelled_setting_is_refused(photos):
    with pytest.raises(AttributeError):
        photos.versionning = "enabled"


# Handles


def test_handles_of_one_bucket_are_equal(store, photos):
    another, foreign = store.create_bucket("another"), FakeStore(buckets=["photos"])["photos"]
    assert len({photos, store["photos"], another, foreign}) == 3
    assert photos == store["photos"]
    assert photos not in (another, foreign, "photos")


def test_handle_shows_the_bucket_that_has_its_name_now(store, photos):
    photos.put("k", b"1")
    snapshot = store.snapshot()
    for content in (b"2", b"3"):
        photos.put("k", content)
        photos.versioning = "enabled"
        store.restore(snapshot)
        assert (photos["k"].content, photos.versioning) == (b"1", "never")
    photos.delete("k")
    assert request(store, "DELETE", "photos").status == 204
    store.create_bucket("photos", versioning="enabled").put("k", b"new")
    assert (photos["k"].content, photos.versioning) == (b"new", "enabled")
    store.restore(snapshot)
    assert photos["k"].content == b"1"


def test_handle_of_a_bucket_that_is_gone_raises_key_error(store, photos):
    snapshot = store.snapshot()
    another = store.create_bucket("another")
    assert request(store, "DELETE", "photos").status == 204
    for case in each(
        photos.versions, lambda: photos["k"], lambda: photos.put("k"), lambda: photos.owner, photos.__len__
    ):
        with case as use:
            with pytest.raises(KeyError, match=r"photos.*another"):
                use()
    assert "photos" in repr(photos)
    store.restore(snapshot)
    with pytest.raises(KeyError, match=r"another.*photos"):
        another.versions()


def test_repr_shows_name_owner_versioning_and_count(store, photos):
    photos.versioning = "enabled"
    photos.expire(rule_id="r", days=1)
    photos.put("k")
    assert all(name in repr(photos) for name in ("photos", "default", "enabled", "1 key"))
    store.travel(days=3)
    assert ("0 keys" in repr(photos), len(photos)) == (True, 0)


def test_mapping_of_buckets_is_sorted_and_read_only(store):
    store.create_bucket("apes")
    assert list(store.buckets) == list(store) == ["apes", "photos"]
    assert ("apes" in store, "zebras" in store) == (True, False)
    with pytest.raises(TypeError):
        store.buckets["zebras"] = store["apes"]
