"""POST ?delete: many objects, or versions of them, in one request."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest
import requests
from lxml import etree

from fakestore import MfaDevice, fake_store


@pytest.fixture
def store():
    with fake_store(base_url="https://objects.test", buckets=["photos"]) as store:
        yield store


def document(*objects, quiet=None):
    named = "".join(
        f"<Object><Key>{escape(key)}</Key>"
        + ("" if version_id is None else f"<VersionId>{version_id}</VersionId>")
        + "</Object>"
        for key, version_id in (each if isinstance(each, tuple) else (each, None) for each in objects)
    )
    return f"<Delete>{'' if quiet is None else f'<Quiet>{quiet}</Quiet>'}{named}</Delete>".encode()


def post(store, body, account=None, **headers):
    return requests.post(store.url("photos", delete=None), data=body, headers=headers, auth=store.auth(account))


def told(reply):
    """What the reply tells of each key: its element and the children of it; messages left out."""
    result = etree.fromstring(reply.content)
    assert (reply.status_code, result.tag) == (200, "DeleteResult")
    return [(each.tag, {child.tag: child.text for child in each if child.tag != "Message"}) for each in result]


def code(reply):
    return reply.status_code, etree.fromstring(reply.content).findtext("Code")


def test_objects_are_deleted_in_order_and_missing_ones_are_told_as_deleted(store, photos):
    photos.put("b")
    photos.put("stays")
    assert told(post(store, document("b", "a"))) == [("Deleted", {"Key": "b"}), ("Deleted", {"Key": "a"})]
    assert list(photos) == ["stays"]


def test_in_a_versioned_bucket_each_gets_a_marker(store, photos):
    photos.set_versioning("enabled")
    photos.put("a", b"1")
    deleted = told(post(store, document("a", "never")))
    markers = [photos.versions(key)[0].version_id for key in ("a", "never")]
    assert deleted == [
        ("Deleted", {"Key": "a", "DeleteMarker": "true", "DeleteMarkerVersionId": markers[0]}),
        ("Deleted", {"Key": "never", "DeleteMarker": "true", "DeleteMarkerVersionId": markers[1]}),
    ]
    assert [len(photos.versions(key)) for key in ("a", "never")] == [2, 1]


def test_in_a_suspended_bucket_the_marker_is_null(store, photos):
    photos.set_versioning("suspended")
    photos.put("a", b"1")
    assert told(post(store, document("a"))) == [
        ("Deleted", {"Key": "a", "DeleteMarker": "true", "DeleteMarkerVersionId": "null"})
    ]
    assert len(photos.versions("a")) == 1


def test_a_version_is_deleted_for_good(store, photos):
    photos.set_versioning("enabled")
    first, second = photos.put("a", b"1"), photos.put("a", b"2")
    assert told(post(store, document(("a", first.version_id)))) == [
        ("Deleted", {"Key": "a", "VersionId": first.version_id})
    ]
    assert photos.versions("a") == [second]


def test_a_marker_is_deleted_for_good_and_told_twice(store, photos):
    photos.set_versioning("enabled")
    first = photos.put("a", b"1")
    marker = photos.delete("a").version_id
    assert told(post(store, document(("a", marker)))) == [
        ("Deleted", {"Key": "a", "VersionId": marker, "DeleteMarker": "true", "DeleteMarkerVersionId": marker})
    ]
    assert photos["a"] == first


def test_an_id_that_was_never_issued_fails_alone(store, photos):
    photos.put("a")
    photos.put("b")
    assert told(post(store, document(("a", "x" * 32), "b"))) == [
        ("Error", {"Key": "a", "VersionId": "x" * 32, "Code": "NoSuchVersion"}),
        ("Deleted", {"Key": "b"}),
    ]
    assert list(photos) == ["a"]


def test_a_key_that_is_too_long_fails_alone(store, photos):
    photos.put("b")
    long = "k" * 1025
    assert told(post(store, document(long, "b"))) == [
        ("Error", {"Key": long, "Code": "KeyTooLongError"}),
        ("Deleted", {"Key": "b"}),
    ]


def test_one_key_twice_is_deleted_twice(store, photos):
    photos.set_versioning("enabled")
    post(store, document("a", "a"))
    assert len(photos.versions("a")) == 2


def test_quiet_tells_errors_alone(store, photos):
    photos.put("a")
    photos.put("b")
    assert told(post(store, document("a", ("b", "x" * 32), quiet="true"))) == [
        ("Error", {"Key": "b", "VersionId": "x" * 32, "Code": "NoSuchVersion"})
    ]
    assert list(photos) == ["b"]


def test_quiet_has_nothing_to_tell_where_all_went_well(store, photos):
    photos.put("a")
    assert told(post(store, document("a", quiet="true"))) == []


@pytest.mark.parametrize("key", ["a b", "<&>'\"", "日本/\U0001f600", " ", "a%2Fb", "a+b", "tab\there"])
def test_keys_are_taken_and_told_literally(store, photos, key):
    photos.put(key)
    assert told(post(store, document(key))) == [("Deleted", {"Key": key})]
    assert list(photos) == []


def test_a_thousand_keys_are_deleted(store, photos):
    keys = [f"{number:04}" for number in range(1000)]
    for key in keys:
        photos.put(key)
    assert len(told(post(store, document(*keys)))) == 1000
    assert len(photos) == 0


def test_a_thousand_and_one_are_malformed_and_none_is_deleted(store, photos):
    photos.put("0000")
    assert code(post(store, document(*(f"{number:04}" for number in range(1001))))) == (400, "MalformedXML")
    assert list(photos) == ["0000"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"photos",
        b"<Delete>",
        b"<Delete/>",
        b"<Deleted><Object><Key>a</Key></Object></Deleted>",
        b"<Delete><Object/></Delete>",
        b"<Delete><Object><Key/></Object></Delete>",
        b"<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>",
        b"<Delete><Object><Key>a</Key></Object><Quiet>yes</Quiet></Delete>",
        b"<Delete><Object><Key>a</Key></Object><Force>true</Force></Delete>",
        b"<!DOCTYPE Delete><Delete><Object><Key>a</Key></Object></Delete>",
    ],
)
def test_another_document_is_malformed_and_nothing_is_deleted(store, photos, body):
    photos.put("a")
    assert code(post(store, body)) == (400, "MalformedXML")
    assert list(photos) == ["a"]


def test_a_body_that_does_not_fit_its_md5_deletes_nothing(store, photos):
    photos.put("a")
    reply = post(store, document("a"), **{"Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="})
    assert code(reply) == (400, "BadDigest")
    assert list(photos) == ["a"]


def test_a_bucket_that_is_not_there_is_told(store):
    reply = requests.post(store.url("nothing", delete=None), data=document("a"), auth=store.auth())
    assert code(reply) == (404, "NoSuchBucket")


def test_who_may_not_write_is_denied_for_each_key(store, photos):
    photos.put("a")
    assert told(post(store, document("a", "b"), store.create_account("bob"))) == [
        ("Error", {"Key": "a", "Code": "AccessDenied"}),
        ("Error", {"Key": "b", "Code": "AccessDenied"}),
    ]
    assert list(photos) == ["a"]


def test_who_may_write_but_does_not_own_the_bucket_deletes_no_version(store, photos):
    photos.acl = "public-read-write"
    photos.set_versioning("enabled")
    first = photos.put("a", b"1")
    deleted = told(post(store, document(("a", first.version_id), "a"), store.create_account("bob")))
    assert [tag for tag, _ in deleted] == ["Error", "Deleted"]
    assert photos.versions("a")[1:] == [first]


# -- MFA Delete [delete-many-mfa]


@pytest.fixture
def version(photos):
    photos.set_versioning("enabled", mfa_device=MfaDevice("serial", "123456"))
    return photos.put("a", b"1")


def test_versions_are_deleted_with_the_devices_code(store, photos, version):
    body = document(("a", version.version_id))
    assert [tag for tag, _ in told(post(store, body, **{"x-svc-mfa": "serial 123456"}))] == ["Deleted"]
    assert photos.versions() == []


@pytest.mark.parametrize("headers", [{}, {"x-svc-mfa": "serial 654321"}], ids=["without", "wrong"])
def test_without_the_devices_code_nothing_is_deleted_at_all(store, photos, version, headers):
    body = document("another", ("a", version.version_id))
    assert code(post(store, body, **headers)) == (403, "AccessDenied")
    assert photos.versions() == [version]


def test_simple_deletions_need_no_code(store, photos, version):
    assert [tag for tag, _ in told(post(store, document("a")))] == ["Deleted"]
    assert photos.versions()[1:] == [version]


def test_a_code_that_changes_is_asked_for_once_per_request(store, photos):
    codes = iter(["111111", "222222"])
    photos.set_versioning("enabled", mfa_device=MfaDevice("serial", lambda: next(codes)))
    versions = [("a", photos.put("a", b"%d" % number).version_id) for number in range(3)]
    assert len(told(post(store, document(*versions), **{"x-svc-mfa": "serial 111111"}))) == 3
    assert next(codes) == "222222"


def test_why_some_were_not_deleted_is_explained_to_the_tests_author(store, photos):
    assert post(store, document(("a", "x" * 32), "k" * 1025)).status_code == 200
    assert store.exchanges[-1].explanation == (
        f"this store never issued the version id {'x' * 32!r}; the key has 1,025 bytes of UTF-8; the maximum is 1,024"
    )
