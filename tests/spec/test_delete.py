"""DELETE Object (specification, sections 3 and 4.3): what is removed, what stays, and what the reply says."""

from __future__ import annotations

from itertools import product

import pytest

from fakestore import DeleteMarker, MfaDevice, UnsupportedRequest
from tests.support.cases import each
from tests.support.state import stack, state_of
from tests.support.wire import outcome, send, whole

statement = pytest.mark.statement
decision = pytest.mark.decision


def delete(store, bucket, key="cat.jpg", version=None, headers=(), **options):
    query = "" if version is None else f"?versionId={version}"
    return send(store, "DELETE", bucket, f"/{key}{query}", headers, **options)


def reply(marker, version=None):
    """Return the whole reply of a DELETE."""
    headers = {"content-length": "0", "x-svc-delete-marker": marker}
    return 204, headers if version is None else headers | {"x-svc-version-id": version}, b""


def test_delete_that_removes_nothing_says_so_and_suggests_a_key(store):
    store["photos"].put("a/b", b"meow")
    version = store["kept"].put("a/b", b"meow").version_id
    hint = f"bucket 'kept' has no version {version!r} of 'a%2Fb'. Did you mean 'a/b'?"
    for bucket, key, named, end in (
        ("photos", "a%252Fb", None, "bucket 'photos' has no object with key 'a%2Fb'. Did you mean 'a/b'?"),
        ("photos", "cat.jpg", None, "bucket 'photos' has no object with key 'cat.jpg'"),
        ("kept", "a%252Fb", None, "bucket 'kept' has no object with key 'a%2Fb'. Did you mean 'a/b'?"),
        ("kept", "a%252Fb", version, hint),
        ("kept", "cat.jpg", version, f"bucket 'kept' has no version {version!r} of 'cat.jpg'"),
    ):
        assert delete(store, bucket, key, named).status == 204
        assert store.exchanges[-1].explanation == f"nothing was removed: {end}"
    assert outcome(send(store, "GET", "kept", f"/a%252Fb?versionId={version}")) == (404, "NoSuchVersion")
    assert store.exchanges[-1].explanation.endswith(". Did you mean 'a/b'?")
    for bucket, key in (("photos", "a/b"), ("kept", "a/b")):
        delete(store, bucket, key)
        assert store.exchanges[-1].explanation is None


# -- simple DELETE, by versioning state


@statement("1-05", "4.3-10", "4.3-11", "4.3-13", "4.3-17")
@decision("never-versioned", "delete-headers")
def test_never_versioned_delete_removes_the_object_without_marker(store):
    store["photos"].put("cat.jpg", b"meow")
    assert whole(delete(store, "photos")) == reply("false")
    assert store["photos"].versions() == []
    assert outcome(send(store, "GET", "photos", "/cat.jpg")) == (404, "NoSuchKey")
    assert whole(delete(store, "photos")) == reply("false")


@statement("1-05", "4.3-01", "4.3-12", "4.3-16", "3-20", "3-21", "9-06", "2.2-01", "2.2-02", "2.2-03")
@decision("delete-headers", "reading-a-marker")
def test_enabled_delete_adds_a_marker_and_names_it(store):
    version = store["kept"].put("cat.jpg", b"meow")
    answer = delete(store, "kept")
    marker, older = store["kept"].versions("cat.jpg")
    assert whole(answer) == reply("true", marker.version_id)
    assert (type(marker), older) == (DeleteMarker, version)
    assert marker.version_id != version.version_id
    read = send(store, "GET", "kept", "/cat.jpg")
    assert outcome(read) == (404, "NoSuchKey")
    assert (read.headers["x-svc-delete-marker"], read.headers["x-svc-version-id"]) == ("true", marker.version_id)


@statement("3-18", "3-19", "3-20", "3-21", "4.3-16")
@decision("delete-removes-null-version", "delete-headers")
def test_suspended_delete_replaces_null_version_with_marker(store):
    store["paused"].put("cat.jpg", b"meow")
    assert whole(delete(store, "paused")) == reply("true", "null")
    assert [(type(each), each.version_id) for each in store["paused"].versions()] == [(DeleteMarker, "null")]


@statement("3-18", "3-19")
@decision("delete-removes-null-version")
def test_enabled_delete_removes_null_version_under_its_marker(store):
    store["photos"].put("cat.jpg", b"null")
    store["photos"].versioning = "enabled"
    store["photos"].put("cat.jpg", b"newer")
    delete(store, "photos")
    assert stack(store, "photos", "cat.jpg") == [DeleteMarker, b"newer"]
    assert outcome(send(store, "GET", "photos", "/cat.jpg?versionId=null")) == (404, "NoSuchVersion")


@statement("3-22", "3-02")
@pytest.mark.parametrize("state", ["enabled", "suspended"])
def test_delete_without_null_version_keeps_every_version(store, state):
    versions = [store["kept"].put("cat.jpg", content) for content in (b"1", b"2")]
    store["kept"].versioning = state
    delete(store, "kept")
    assert store["kept"].versions("cat.jpg")[1:] == versions[::-1]
    targets = [f"/cat.jpg?versionId={each.version_id}" for each in versions]
    assert [send(store, "GET", "kept", target).body for target in targets] == [b"1", b"2"]


@decision("delete-removes-null-version")
def test_delete_of_a_key_that_never_existed_makes_a_marker(store):
    for _ in range(3):
        answer = delete(store, "kept")
        assert whole(answer) == reply("true", store["kept"].versions("cat.jpg")[0].version_id)
        assert whole(delete(store, "paused")) == reply("true", "null")
    assert stack(store, "kept", "cat.jpg") == [DeleteMarker] * 3
    assert stack(store, "paused", "cat.jpg") == [DeleteMarker]


@statement("1-12", "3-01", "3-02", "3-07")
@decision("suspended-put")
def test_each_versioning_state_keeps_what_earlier_ones_wrote(store):
    def put_twice(state):
        for number in (b"1", b"2"):
            send(store, "PUT", "photos", "/cat.jpg", body=state.encode() + number)
        return stack(store, "photos", "cat.jpg")

    assert put_twice("never") == [b"never2"]
    store["photos"].versioning = "enabled"
    assert put_twice("enabled") == [b"enabled2", b"enabled1", b"never2"]
    store["photos"].versioning = "suspended"
    assert put_twice("suspended") == [b"suspended2", b"enabled2", b"enabled1"]
    store["photos"].versioning = "enabled"
    assert put_twice("again") == [b"again2", b"again1", b"suspended2", b"enabled2", b"enabled1"]
    assert send(store, "GET", "photos", "/cat.jpg?versionId=null").body == b"suspended2"


# -- DELETE of a version


@statement("1-06", "4.3-02", "4.3-15", "4.3-18", "4.3-10", "4.3-11", "3-03", "3-23", "3-24", "3-26", "9-03", "9-06")
@decision("delete-headers")
def test_delete_of_an_object_version_names_it(store):
    first, second, third = (store["kept"].put("cat.jpg", content) for content in (b"1", b"2", b"3"))
    assert whole(delete(store, "kept", version=second.version_id)) == reply("false", second.version_id)
    assert store["kept"].versions() == [third, first]
    gone = send(store, "GET", "kept", f"/cat.jpg?versionId={second.version_id}")
    assert outcome(gone) == (404, "NoSuchVersion")


@statement("4.3-14", "3-24", "3-25", "2.2-04")
@decision("delete-headers")
def test_delete_of_a_marker_brings_the_object_back(store):
    version = store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    assert whole(delete(store, "kept", version=marker.version_id)) == reply("true", marker.version_id)
    assert store["kept"].versions() == [version]
    assert send(store, "GET", "kept", "/cat.jpg").body == b"meow"


@decision("delete-headers")
@pytest.mark.parametrize(("bucket", "marker"), [("photos", "false"), ("paused", "false"), ("paused", "true")])
def test_null_version_is_deleted_by_its_id(store, bucket, marker):
    store[bucket].put("cat.jpg", b"meow")
    if marker == "true":
        store[bucket].delete("cat.jpg")
    assert whole(delete(store, bucket, version="null")) == reply(marker, "null")
    assert store[bucket].versions() == []


@decision("version-ids")
def test_delete_of_a_missing_version_succeeds_and_changes_nothing(store):
    gone, kept = store["kept"].put("cat.jpg", b"1"), store["kept"].put("cat.jpg", b"2")
    store["kept"].delete_version("cat.jpg", gone.version_id)
    before = state_of(store)
    assert whole(delete(store, "kept", version=gone.version_id)) == reply("false", gone.version_id)
    assert whole(delete(store, "kept", key="another", version=kept.version_id)) == reply("false", kept.version_id)
    for case in each("photos", "kept", "paused"):
        with case as bucket:
            assert whole(delete(store, bucket, version="null")) == reply("false", "null")
    assert state_of(store) == before


@statement("7-03")
@decision("version-ids")
def test_version_id_that_was_never_issued_is_refused(store):
    store["kept"].put("cat.jpg", b"meow")
    before = state_of(store)
    for version in ["", "nonsense", "A" * 32, "NULL", "null%20", "%00%ff", "1" * 4000]:
        assert outcome(delete(store, "kept", version=version))[0] == 400
        assert outcome(send(store, "GET", "kept", f"/cat.jpg?acl&versionId={version}"))[0] == 400
        assert state_of(store) == before


# -- the query and the body


@statement("4.3-03")
def test_delete_with_another_query_parameter_is_unsupported(store):
    store["photos"].put("cat.jpg", b"meow")
    for query in ["versionid=null", "nosuchsub", "x=1", "versionId=null&x=1"]:
        with pytest.raises(UnsupportedRequest):
            send(store, "DELETE", "photos", f"/cat.jpg?{query}")
        store.unhandled_requests.clear()
        assert list(store["photos"]) == ["cat.jpg"]


@statement("4.3-09")
@decision("unexpected-body")
def test_delete_with_a_body_is_refused(store):
    store["photos"].put("cat.jpg", b"meow")
    for target in ["/cat.jpg", "/cat.jpg?versionId=null", "/", "/?policy"]:
        assert outcome(send(store, "DELETE", "photos", target, body=b"body")) == (400, "UnexpectedContent")
        assert list(store["photos"]) == ["cat.jpg"]


# -- MFA Delete

MFA = "20899872 30174a"
#: Another code, serial number or order, and the code in another case or of another length.
WRONG = ["20899872 301740", "20899873 30174a", "30174a 20899872", "20899872 30174A", "20899872 30174"]
MALFORMED = ["", "20899872", "20899872 ", " 30174a", "20899872  30174a", "20899872\t30174a", "2089987230174a", "a b c"]


@pytest.fixture
def guarded(store):
    """A version in a bucket with MFA Delete."""
    version = store["kept"].put("cat.jpg", b"meow")
    store["kept"].versioning = "enabled"
    store["kept"].enable_mfa_delete(MfaDevice(*MFA.split()))
    return version


def delete_with(store, guarded, *values, scheme="https"):
    headers = [("x-svc-mfa", value) for value in values]
    return delete(store, "kept", version=guarded.version_id, headers=headers, scheme=scheme)


@statement("3-27", "4.3-04", "4.3-06")
@decision("mfa-delete")
def test_mfa_code_over_https_deletes_the_version(store, guarded):
    assert whole(delete_with(store, guarded, MFA)) == reply("false", guarded.version_id)
    assert store["kept"].versions() == []


@statement("3-28", "4.3-04")
@decision("mfa-delete")
def test_version_stays_without_an_mfa_header(store, guarded):
    assert [outcome(delete_with(store, guarded, scheme=each))[0] for each in ("http", "https")] == [403, 403]
    assert all(name in store.exchanges[-1].explanation for name in ("x-svc-mfa", "kept"))
    assert store["kept"].versions() == [guarded]


@statement("4.3-07")
@decision("mfa-delete")
def test_version_stays_with_a_wrong_mfa_code(store, guarded):
    answers = {value: outcome(delete_with(store, guarded, value)) for value in WRONG}
    assert answers == dict.fromkeys(WRONG, (403, "AccessDenied"))
    assert store["kept"].versions() == [guarded]


@statement("4.3-06")
@decision("mfa-delete", "doubled-headers")
def test_version_stays_with_a_malformed_mfa_header(store, guarded):
    answers = {value: outcome(delete_with(store, guarded, value)) for value in MALFORMED}
    assert answers == dict.fromkeys(MALFORMED, (400, "InvalidArgument"))
    assert outcome(delete_with(store, guarded, MFA, MFA)) == (400, "InvalidArgument")
    assert store["kept"].versions() == [guarded]


@statement("4.3-05")
@decision("mfa-delete")
def test_simple_delete_needs_no_mfa_code(store, guarded):
    assert delete(store, "kept").status == 204
    assert stack(store, "kept", "cat.jpg") == [DeleteMarker, b"meow"]


@statement("4.3-04")
def test_marker_is_a_version_and_needs_an_mfa_code(store, guarded):
    marker = store["kept"].delete("cat.jpg")
    assert outcome(delete_with(store, marker)) == (403, "AccessDenied")
    assert whole(delete_with(store, marker, MFA)) == reply("true", marker.version_id)


@statement("4.3-08", "5-15")
@decision("mfa-delete", "order-of-checks")
@pytest.mark.parametrize("value", [MFA, WRONG[0], MALFORMED[0]], ids=["right", "wrong", "malformed"])
def test_mfa_header_over_http_is_refused_by_every_operation(store, guarded, value):
    for case in each(
        ("DELETE", "kept", f"/cat.jpg?versionId={guarded.version_id}", {}),
        ("DELETE", "kept", "/cat.jpg", {}),
        ("PUT", "kept", "/k", {}),
        ("PUT", "kept", "/k", {"x-svc-copy-source": "/kept/cat.jpg"}),
        ("GET", "kept", "/cat.jpg", {}),
        ("GET", "kept", "/cat.jpg?acl", {}),
        ("GET", "kept", "/", {}),
        ("GET", "kept", "/?versioning", {}),
        ("GET", "nosuch", "/", {}),
    ):
        with case as (method, bucket, target, headers):
            answer = send(store, method, bucket, target, {**headers, "x-svc-mfa": value})
            assert outcome(answer) == (403, "AccessDenied")
    assert "https" in store.exchanges[-1].explanation
    assert store["kept"].versions() == [guarded]


@decision("mfa-delete")
def test_mfa_header_over_https_is_ignored_if_nothing_needs_it(store, guarded):
    for case in each(
        *product(
            (MFA, *WRONG, *MALFORMED),
            [("GET", "/cat.jpg"), ("HEAD", "/cat.jpg"), ("GET", "/cat.jpg?acl"), ("DELETE", "/k")],
        )
    ):
        with case as (value, (method, target)):
            answer = send(store, method, "kept", target, {"x-svc-mfa": value}, scheme="https")
            assert (value, answer.status) == (value, 204 if method == "DELETE" else 200)
    assert store["kept"].versions("cat.jpg") == [guarded]
