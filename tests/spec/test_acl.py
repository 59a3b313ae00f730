"""GET Object ACL (specification, sections 2.4 and 4.4): whose ACL is answered, to whom, and the document."""

from __future__ import annotations

import pytest
from lxml import etree

from fakestore import UnsupportedRequest
from tests.support.cases import each
from tests.support.wire import grants, outcome, own_headers, send, texts, whole

statement = pytest.mark.statement
decision = pytest.mark.decision

XML = "text/xml; charset=utf-8"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
NOON = "Sat, 21 Nov 2026 12:00:00 GMT"


def document(owner, *grants):
    """Return the whole document; each grant is an account or the URI of a group, and a permission."""
    rendered = "".join(
        f'<Grant><Grantee {XSI} xsi:type="Group"><URI>{grantee}</URI></Grantee>'
        f"<Permission>{permission}</Permission></Grant>"
        if isinstance(grantee, str)
        else f'<Grant><Grantee {XSI} xsi:type="CanonicalUser"><ID>{grantee.id}</ID>'
        f"<DisplayName>{grantee.display_name}</DisplayName></Grantee><Permission>{permission}</Permission></Grant>"
        for grantee, permission in grants
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<AccessControlPolicy><Owner><ID>{owner.id}</ID><DisplayName>{owner.display_name}</DisplayName></Owner>"
        f"<AccessControlList>{rendered}</AccessControlList></AccessControlPolicy>"
    ).encode()


@statement("4.4-01", "4.4-06", "4.4-07", "4.4-08", "4.4-09", "2.4-13")
@statement("2.4-01", "2.4-02", "2.4-03", "2.4-04", "2.4-05", "2.4-06", "2.4-07", "2.4-08", "2.4-09", "2.4-10")
def test_acl_of_a_new_object_gives_its_owner_full_control(store, noon, alice):
    store["photos"].put("cat.jpg", b"meow", account=alice, content_type="image/jpeg", metadata={"a": "b"})
    noon.tick(3600)
    expected = document(alice, (alice, "FULL_CONTROL"))
    headers = {"content-length": str(len(expected)), "content-type": XML, "last-modified": NOON}
    headers["x-svc-version-id"] = "null"
    assert whole(send(store, "GET", "photos", "/cat.jpg?acl", account=alice)) == (200, headers, expected)


@statement("2.4-11", "2.4-06")
@decision("groups")
def test_grants_of_groups_have_the_uri_of_the_group(store):
    store["photos"].put("cat.jpg", b"meow", acl="public-read-write")
    owner = store.default_account
    all_users = "http://acs.amazonaws.com/groups/global/AllUsers"
    assert send(store, "GET", "photos", "/cat.jpg?acl").body == document(
        owner, (owner, "FULL_CONTROL"), (all_users, "READ"), (all_users, "WRITE")
    )


@statement("2.4-12", "2.4-08", "2.4-09")
def test_grantees_have_id_and_name_in_the_order_of_the_headers(store, alice):
    bob = store.create_account('bob & <"sons">')
    headers = {"x-svc-grant-read-acp": f'id="{alice.id}", id="{bob.id}"', "x-svc-grant-read": f'id="{bob.id}"'}
    send(store, "PUT", "photos", "/cat.jpg", headers)
    answer = send(store, "GET", "photos", "/cat.jpg?acl")
    assert grants(answer) == [
        ("CanonicalUser", bob.display_name, "READ"),
        ("CanonicalUser", "alice", "READ_ACP"),
        ("CanonicalUser", bob.display_name, "READ_ACP"),
    ]
    assert texts(answer, "AccessControlList/Grant/Grantee/ID") == [bob.id, alice.id, bob.id]


# -- versions


@statement("4.4-01", "4.4-02", "4.4-09", "4.4-10", "9-04", "9-06")
@pytest.mark.parametrize("query", ["acl", "versionId={}&acl", "acl&versionId={}", "acl=&versionId={}"])
def test_acl_is_that_of_the_named_version_or_the_current_one(store, noon, query):
    older = store["kept"].put("cat.jpg", b"1", acl="public-read")
    noon.tick(60)
    newer = store["kept"].put("cat.jpg", b"2")
    answer = send(store, "GET", "kept", f"/cat.jpg?{query.format(older.version_id)}")
    version, added = (newer, []) if query == "acl" else (older, [("Group", "AllUsers", "READ")])
    assert own_headers(answer) == {
        "content-length": str(len(answer.body)),
        "content-type": XML,
        "last-modified": "Sat, 21 Nov 2026 12:01:00 GMT" if version is newer else NOON,
        "x-svc-version-id": version.version_id,
    }
    assert grants(answer) == [("CanonicalUser", "default", "FULL_CONTROL"), *added]


@statement("4.4-10")
@decision("requested-version")
def test_acl_of_the_null_version_names_it_null(store):
    for bucket in ("photos", "paused"):
        store[bucket].put("cat.jpg", b"meow")
        assert send(store, "GET", bucket, "/cat.jpg?acl").headers["x-svc-version-id"] == "null"


@decision("reading-a-marker")
def test_delete_marker_has_no_acl(store):
    store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    on_top = send(store, "GET", "kept", "/cat.jpg?acl")
    by_id = send(store, "GET", "kept", f"/cat.jpg?acl&versionId={marker.version_id}")
    assert (outcome(on_top), outcome(by_id)) == ((404, "NoSuchKey"), (405, "MethodNotAllowed"))
    assert by_id.headers["Allow"] == "DELETE"
    for answer in (on_top, by_id):
        assert answer.headers["x-svc-delete-marker"] == "true"
        assert answer.headers["x-svc-version-id"] == marker.version_id


@statement("7-04")
def test_acl_of_something_missing_is_a_general_error(store):
    gone = store["kept"].put("cat.jpg", b"meow")
    store["kept"].delete_version("cat.jpg", gone.version_id)
    expected = {
        ("nosuch", "/cat.jpg?acl"): (404, "NoSuchBucket"),
        ("photos", "/nosuch.jpg?acl"): (404, "NoSuchKey"),
        ("kept", f"/cat.jpg?acl&versionId={gone.version_id}"): (404, "NoSuchVersion"),
        ("kept", "/cat.jpg?acl&versionId=null"): (404, "NoSuchVersion"),
        ("kept", "/cat.jpg?acl&versionId=nonsense"): (400, "InvalidArgument"),
    }
    assert {where: outcome(send(store, "GET", *where)) for where in expected} == expected


# -- access, query and headers


@statement("4.4-03", "5-10")
def test_acl_needs_read_acp(store, alice):
    others = {"x-svc-grant-read": f'id="{alice.id}"', "x-svc-grant-write-acp": f'id="{alice.id}"'}
    send(store, "PUT", "photos", "/cat.jpg", others)
    assert outcome(send(store, "GET", "photos", "/cat.jpg?acl", account=alice)) == (403, "AccessDenied")
    send(store, "PUT", "photos", "/cat.jpg", {"x-svc-grant-read-acp": f'id="{alice.id}"'})
    assert grants(send(store, "GET", "photos", "/cat.jpg?acl", account=alice)) == [
        ("CanonicalUser", "alice", "READ_ACP")
    ]


@statement("4.4-04")
def test_acl_with_another_query_parameter_is_unsupported(store):
    for case in each("acl&x=1", "acl&partNumber=1", "acl&versionid=null", "acl&response-expires=0"):
        with case as query:
            store["photos"].put("cat.jpg", b"meow")
            with pytest.raises(UnsupportedRequest):
                send(store, "GET", "photos", f"/cat.jpg?{query}")
            store.unhandled_requests.clear()


@statement("4.4-05")
@decision("range")
def test_range_is_ignored(store):
    for case in each("bytes=0-9", "bytes=999999-", "nonsense", ""):
        with case as value:
            store["photos"].put("cat.jpg", b"meow")
            answer = send(store, "GET", "photos", "/cat.jpg?acl", {"Range": value})
            assert whole(answer) == whole(send(store, "GET", "photos", "/cat.jpg?acl"))
            assert etree.fromstring(answer.body).tag == "AccessControlPolicy"
