"""DELETE Object (specification, sections 3 and 4.3): what goes, what stays, and what is told of it."""

from __future__ import annotations

import pytest

from fakestore import DeleteMarker, MfaDevice, UnsupportedRequest
from tests.spec.arrange import holdings, own_headers, refusal, stack, whole, wire

statement = pytest.mark.statement


def delete(store, bucket, key="cat.jpg", version=None, **options):
    query = "" if version is None else f"?versionId={version}"
    return wire(store, "DELETE", bucket, f"/{key}{query}", **options)


def told(marker, version=None):
    """The whole answer of a DELETE."""
    headers = {"content-length": "0", "x-svc-delete-marker": marker}
    return 204, headers if version is None else headers | {"x-svc-version-id": version}, b""


#: Stands for the id of a delete marker that a DELETE makes.
NEW = "the new marker's"


# -- simple DELETE, by versioning state


@statement("4.3-10", "4.3-11", "4.3-13", "4.3-17")
def test_a_simple_delete_in_a_bucket_never_versioned_makes_no_marker_and_says_so(store, session):
    store["photos"].put("cat.jpg", b"meow")
    assert whole(session.delete(store.url("photos", "cat.jpg"))) == told("false")
    assert store["photos"].versions() == []


@statement("4.3-01", "4.3-12", "4.3-16", "3-20", "3-21", "9-06", "2.2-01", "2.2-02", "2.2-03")
def test_a_simple_delete_with_versioning_makes_a_marker_and_tells_its_id(store, session):
    version = store["kept"].put("cat.jpg", b"meow")
    answer = session.delete(store.url("kept", "cat.jpg"))
    marker, older = store["kept"].versions("cat.jpg")
    assert whole(answer) == told("true", marker.version_id)
    assert (type(marker), older) == (DeleteMarker, version)
    assert marker.version_id != version.version_id


@statement("3-18", "3-19", "3-20", "3-21", "4.3-16")
def test_a_simple_delete_while_suspended_puts_a_null_marker_in_the_place_of_the_null_version(store, session):
    store["paused"].put("cat.jpg", b"meow")
    assert whole(session.delete(store.url("paused", "cat.jpg"))) == told("true", "null")
    assert [(type(each), each.version_id) for each in store["paused"].versions()] == [(DeleteMarker, "null")]


@statement("3-18", "3-19")
def test_a_simple_delete_with_versioning_takes_the_null_version_and_puts_a_marker_on_top(store, session):
    store["photos"].put("cat.jpg", b"null")
    store["photos"].set_versioning("enabled")
    store["photos"].put("cat.jpg", b"newer")
    session.delete(store.url("photos", "cat.jpg"))
    assert stack(store, "photos", "cat.jpg") == [DeleteMarker, b"newer"]
    assert refusal(session.get(store.url("photos", "cat.jpg", versionId="null"))) == (404, "NoSuchVersion")


@statement("3-22", "3-02")
@pytest.mark.parametrize("state", ["enabled", "suspended"])
def test_a_simple_delete_without_a_null_version_removes_no_object(store, session, state):
    versions = [store["kept"].put("cat.jpg", content) for content in (b"1", b"2")]
    store["kept"].set_versioning(state)
    session.delete(store.url("kept", "cat.jpg"))
    assert store["kept"].versions("cat.jpg")[1:] == versions[::-1]
    assert [session.get(store.url("kept", "cat.jpg", versionId=each.version_id)).content for each in versions] == [
        b"1",
        b"2",
    ]


def test_a_simple_delete_of_a_key_that_never_was(store, session):
    assert whole(session.delete(store.url("photos", "cat.jpg"))) == told("false")
    answer = session.delete(store.url("kept", "cat.jpg"))
    (marker,) = store["kept"].versions("cat.jpg")
    assert whole(answer) == told("true", marker.version_id)
    assert whole(session.delete(store.url("paused", "cat.jpg"))) == told("true", "null")


def test_simple_deletes_stack_markers_while_enabled_and_keep_one_while_suspended(store, session):
    for bucket in ("kept", "paused"):
        for _ in range(3):
            session.delete(store.url(bucket, "cat.jpg"))
    assert stack(store, "kept", "cat.jpg") == [DeleteMarker] * 3
    assert stack(store, "paused", "cat.jpg") == [DeleteMarker]


@statement("2.2-02")
def test_under_a_marker_the_object_is_not_found_and_the_marker_is_named(store, session):
    store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    answer = session.get(store.url("kept", "cat.jpg"))
    assert refusal(answer) == (404, "NoSuchKey")
    assert (answer.headers["x-svc-delete-marker"], answer.headers["x-svc-version-id"]) == ("true", marker.version_id)


@statement("3-01", "3-02")
def test_each_state_keeps_what_the_ones_before_wrote(store, session):
    url = store.url("photos", "cat.jpg")
    session.put(url, data=b"never 1")
    session.put(url, data=b"never 2")
    store["photos"].set_versioning("enabled")
    session.put(url, data=b"enabled 1")
    session.put(url, data=b"enabled 2")
    assert stack(store, "photos", "cat.jpg") == [b"enabled 2", b"enabled 1", b"never 2"]
    store["photos"].set_versioning("suspended")
    session.put(url, data=b"suspended 1")
    session.put(url, data=b"suspended 2")
    assert stack(store, "photos", "cat.jpg") == [b"suspended 2", b"enabled 2", b"enabled 1"]
    store["photos"].set_versioning("enabled")
    session.put(url, data=b"enabled 3")
    assert stack(store, "photos", "cat.jpg") == [b"enabled 3", b"suspended 2", b"enabled 2", b"enabled 1"]
    assert session.get(store.url("photos", "cat.jpg", versionId="null")).content == b"suspended 2"


# -- DELETE of a version


@statement("4.3-02", "4.3-15", "4.3-18", "4.3-10", "4.3-11", "3-23", "3-24", "3-26", "9-03", "9-06")
def test_a_delete_of_an_object_version_tells_its_id_and_that_it_was_no_marker(store, session):
    first, second = store["kept"].put("cat.jpg", b"1"), store["kept"].put("cat.jpg", b"2")
    answer = session.delete(store.url("kept", "cat.jpg", versionId=second.version_id))
    assert whole(answer) == told("false", second.version_id)
    assert store["kept"].versions() == [first]


@statement("4.3-14", "3-24", "3-25", "2.2-04")
def test_a_delete_of_a_marker_tells_that_it_was_one_and_brings_the_object_back(store, session):
    version = store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    answer = session.delete(store.url("kept", "cat.jpg", versionId=marker.version_id))
    assert whole(answer) == told("true", marker.version_id)
    assert store["kept"].versions() == [version]
    assert session.get(store.url("kept", "cat.jpg")).content == b"meow"


@pytest.mark.parametrize(("bucket", "marker"), [("photos", "false"), ("paused", "false"), ("paused", "true")])
def test_the_null_version_is_deleted_by_its_id(store, bucket, marker):
    store[bucket].put("cat.jpg", b"meow")
    if marker == "true":
        store[bucket].delete("cat.jpg")
    assert whole(delete(store, bucket, version="null")) == told(marker, "null")
    assert store[bucket].versions() == []


@pytest.mark.parametrize("bucket", ["photos", "kept", "paused"])
def test_a_null_version_that_there_is_not_is_deleted_without_a_change(store, bucket):
    store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    assert whole(delete(store, bucket, version="null")) == told("false", "null")
    assert holdings(store) == before


def test_a_version_that_is_gone_is_deleted_again_without_a_change(store):
    gone, kept = store["kept"].put("cat.jpg", b"1"), store["kept"].put("cat.jpg", b"2")
    store["kept"].delete_version("cat.jpg", gone.version_id)
    assert whole(delete(store, "kept", version=gone.version_id)) == told("false", gone.version_id)
    assert whole(delete(store, "kept", key="another", version=kept.version_id)) == told("false", kept.version_id)
    assert store["kept"].versions() == [kept]


@statement("7-03")
@pytest.mark.parametrize("version", ["", "nonsense", "A" * 32, "NULL", "null%20", "1" * 4000])
def test_a_version_id_that_was_never_issued_is_refused(store, version):
    store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    assert refusal(delete(store, "kept", version=version)) == (400, "InvalidArgument")
    assert holdings(store) == before


@statement("3-03")
@pytest.mark.parametrize("bucket", ["photos", "kept", "paused"])
def test_without_mfa_delete_a_version_is_deleted_without_a_code(store, bucket):
    version = store[bucket].put("cat.jpg", b"meow")
    assert delete(store, bucket, version=version.version_id).status == 204
    assert store[bucket].versions() == []


# -- the query and the body


@statement("4.3-03")
@pytest.mark.parametrize("query", ["versionid=null", "nosuchsub", "x=1", "versionId=null&x=1"])
def test_another_query_parameter_never_makes_a_plain_delete(store, query):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    with pytest.raises(UnsupportedRequest):
        wire(store, "DELETE", "photos", f"/cat.jpg?{query}")
    store.unhandled_requests.clear()
    assert holdings(store) == before


@statement("4.3-09")
@pytest.mark.parametrize("version", [None, "null"])
def test_a_delete_with_a_body_is_refused(store, session, version):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    query = {} if version is None else {"versionId": version}
    answer = session.delete(store.url("photos", "cat.jpg", **query), data=b"body")
    assert (*refusal(answer), store.exchanges[-1].explanation) == (
        400,
        "UnexpectedContent",
        "DELETE Object takes no body",
    )
    assert holdings(store) == before


@statement("7-03")
def test_a_delete_answers_with_the_general_errors(store, alice):
    assert refusal(delete(store, "nosuch")) == (404, "NoSuchBucket")
    assert refusal(delete(store, "photos", account=alice)) == (403, "AccessDenied")
    assert refusal(delete(store, "photos", key="k" * 1025)) == (400, "KeyTooLongError")


# -- MFA Delete

MFA = "20899872 301749"


@pytest.fixture
def guarded(store):
    """A version in a bucket with MFA Delete."""
    version = store["kept"].put("cat.jpg", b"meow")
    store["kept"].set_versioning("enabled", mfa_device=MfaDevice("20899872", "301749"))
    return version


@statement("3-27", "4.3-04", "4.3-06")
def test_with_serial_number_and_code_over_https_the_version_is_deleted(store, session, guarded):
    url = store.url("kept", "cat.jpg", versionId=guarded.version_id).replace("http:", "https:")
    assert whole(session.delete(url, headers={"x-svc-mfa": MFA})) == told("false", guarded.version_id)
    assert store["kept"].versions() == []


@statement("3-28", "4.3-04")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_without_the_header_the_version_stays(store, guarded, scheme):
    assert refusal(delete(store, "kept", version=guarded.version_id, scheme=scheme)) == (403, "AccessDenied")
    assert store["kept"].versions() == [guarded]


@statement("4.3-05")
def test_a_simple_delete_needs_no_code(store, guarded):
    answer = delete(store, "kept")
    assert answer.status == 204
    assert stack(store, "kept", "cat.jpg") == [DeleteMarker, b"meow"]


@statement("4.3-04")
def test_a_marker_is_a_version_and_needs_a_code(store, guarded):
    marker = store["kept"].delete("cat.jpg")
    assert refusal(delete(store, "kept", version=marker.version_id)) == (403, "AccessDenied")
    answer = delete(store, "kept", version=marker.version_id, fields=[("x-svc-mfa", MFA)], scheme="https")
    assert whole(answer) == told("true", marker.version_id)


@statement("4.3-07")
@pytest.mark.parametrize("value", ["20899872 301748", "20899873 301749", "301749 20899872", "x y"])
def test_another_serial_number_or_code_deletes_nothing(store, guarded, value):
    answer = delete(store, "kept", version=guarded.version_id, fields=[("x-svc-mfa", value)], scheme="https")
    assert refusal(answer) == (403, "AccessDenied")
    assert store["kept"].versions() == [guarded]


@statement("4.3-06")
@pytest.mark.parametrize(
    "value",
    ["", " ", "20899872", "20899872 ", " 301749", "20899872  301749", "20899872301749", "a b c"],
)
def test_a_header_of_another_form_deletes_nothing(store, guarded, value):
    answer = delete(store, "kept", version=guarded.version_id, fields=[("x-svc-mfa", value)], scheme="https")
    assert refusal(answer) == (400, "InvalidArgument")
    assert store["kept"].versions() == [guarded]


@statement("4.3-06")
def test_a_header_that_came_twice_deletes_nothing(store, guarded):
    twice = [("x-svc-mfa", MFA), ("x-svc-mfa", MFA)]
    answer = delete(store, "kept", version=guarded.version_id, fields=twice, scheme="https")
    assert answer.status in (400, 403)
    assert store["kept"].versions() == [guarded]


@statement("4.3-08", "5-15")
def test_the_right_header_over_http_deletes_nothing(store, guarded):
    answer = delete(store, "kept", version=guarded.version_id, fields=[("x-svc-mfa", MFA)])
    assert refusal(answer) == (403, "AccessDenied")
    assert store["kept"].versions() == [guarded]


@statement("4.3-08", "5-15")
@pytest.mark.parametrize(
    ("method", "target", "fields"),
    [
        ("PUT", "/k", [("Content-Length", "0")]),
        ("PUT", "/k", [("x-svc-copy-source", "/kept/cat.jpg")]),
        ("DELETE", "/cat.jpg", []),
        ("GET", "/cat.jpg?acl", []),
        ("GET", "/cat.jpg", []),
    ],
    ids=["put", "copy", "delete", "acl", "get"],
)
def test_the_header_over_http_is_refused_on_every_operation(store, guarded, method, target, fields):
    before = holdings(store)
    answer = wire(store, method, "kept", target, [*fields, ("x-svc-mfa", MFA)])
    assert refusal(answer) == (403, "AccessDenied")
    assert holdings(store) == before


@statement("3-03")
def test_where_mfa_delete_is_disabled_again_a_version_is_deleted_without_a_code(store, session, guarded):
    disabled = (
        "<VersioningConfiguration><Status>Enabled</Status><MfaDelete>Disabled</MfaDelete></VersioningConfiguration>"
    )
    url = store.url("kept", versioning=None).replace("http:", "https:")
    assert session.put(url, data=disabled, headers={"x-svc-mfa": MFA}).status_code == 200
    assert whole(delete(store, "kept", version=guarded.version_id)) == told("false", guarded.version_id)


@statement("3-29")
@pytest.mark.parametrize(
    ("bucket", "left"), [("photos", []), ("kept", [DeleteMarker, b"meow"]), ("paused", [DeleteMarker])]
)
def test_an_expiration_rule_removes_the_object_when_its_time_has_come(store, session, noon, bucket, left):
    store[bucket].put("cat.jpg", b"meow")
    store[bucket].expire(rule_id="old", days=1)
    noon.move_to("2026-11-22 23:59:59")
    assert stack(store, bucket, "cat.jpg") == [b"meow"]
    noon.tick(1)
    assert refusal(session.get(store.url(bucket, "cat.jpg"))) == (404, "NoSuchKey")
    assert stack(store, bucket, "cat.jpg") == left


@statement("3-29")
def test_an_expiration_rule_leaves_what_it_does_not_apply_to(store, session, noon):
    store["photos"].put("kept.jpg", b"meow")
    store["photos"].expire(rule_id="old", prefix="old/", days=1)
    noon.tick(10 * 86400)
    assert session.get(store.url("photos", "kept.jpg")).content == b"meow"


@pytest.mark.parametrize(
    ("bucket", "key", "named", "expected"),
    [
        ("photos", "cat.jpg", None, told("false")),
        ("photos", "never", None, told("false")),
        ("photos", "cat.jpg", "null", told("false", "null")),
        ("photos", "never", "null", told("false", "null")),
        ("kept", "cat.jpg", None, told("true", NEW)),
        ("kept", "never", None, told("true", NEW)),
        ("kept", "cat.jpg", "the object's", told("false", "the object's")),
        ("kept", "gone.jpg", "the marker's", told("true", "the marker's")),
        ("kept", "cat.jpg", "null", told("false", "null")),
        ("paused", "cat.jpg", None, told("true", "null")),
        ("paused", "cat.jpg", "null", told("false", "null")),
        ("paused", "gone.jpg", "null", told("true", "null")),
    ],
)
def test_what_a_delete_tells_is_all_that_it_tells(store, bucket, key, named, expected):
    held = store[bucket]
    ids = {"the object's": held.put("cat.jpg", b"meow").version_id}
    if bucket != "photos":
        held.put("gone.jpg", b"meow")
        ids["the marker's"] = held.delete("gone.jpg").version_id
    answer = delete(store, bucket, key, named and ids.get(named, named))
    ids[NEW] = own_headers(answer).get("x-svc-version-id")
    status, headers, body = expected
    assert whole(answer) == (status, {name: ids.get(value, value) for name, value in headers.items()}, body)
    assert named is not None or bucket != "kept" or ids[NEW] == held.versions(key)[0].version_id
