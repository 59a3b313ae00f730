"""GET Object ACL (specification, sections 2.4 and 4.4): whose list, to whom, and the document."""

from __future__ import annotations

import pytest
from lxml import etree

from fakestore import UnsupportedRequest
from tests.spec.arrange import XSI_TYPE, grants, own_headers, refusal, whole, wire

statement = pytest.mark.statement

XML = "text/xml; charset=utf-8"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def document(owner, *listed):
    """The document byte for byte; ``listed`` are accounts or group URIs with permissions."""
    rendered = "".join(
        f'<Grant><Grantee {XSI} xsi:type="Group"><URI>{grantee}</URI></Grantee>'
        f"<Permission>{permission}</Permission></Grant>"
        if isinstance(grantee, str)
        else f'<Grant><Grantee {XSI} xsi:type="CanonicalUser"><ID>{grantee.id}</ID>'
        f"<DisplayName>{grantee.display_name}</DisplayName></Grantee><Permission>{permission}</Permission></Grant>"
        for grantee, permission in listed
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<AccessControlPolicy><Owner><ID>{owner.id}</ID><DisplayName>{owner.display_name}</DisplayName></Owner>"
        f"<AccessControlList>{rendered}</AccessControlList></AccessControlPolicy>"
    ).encode()


@statement("4.4-01", "4.4-06", "4.4-07", "4.4-08", "4.4-09", "2.4-13")
@statement("2.4-01", "2.4-02", "2.4-03", "2.4-04", "2.4-05", "2.4-06", "2.4-07", "2.4-08", "2.4-09", "2.4-10")
def test_the_list_of_a_new_object_gives_its_owner_full_control(store, session, noon):
    store["photos"].put("cat.jpg", b"meow")
    noon.tick(3600)
    owner = store.default_account
    expected = document(owner, (owner, "FULL_CONTROL"))
    headers = {
        "content-length": str(len(expected)),
        "content-type": XML,
        "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT",
    }
    assert whole(session.get(store.url("photos", "cat.jpg", acl=None))) == (200, headers, expected)


@statement("2.4-11", "2.4-06")
def test_permissions_of_groups_are_told_with_the_groups_uri(store, session):
    store["photos"].put("cat.jpg", b"meow", acl="public-read-write")
    owner = store.default_account
    all_users = "http://acs.amazonaws.com/groups/global/AllUsers"
    assert session.get(store.url("photos", "cat.jpg", acl=None)).content == document(
        owner, (owner, "FULL_CONTROL"), (all_users, "READ"), (all_users, "WRITE")
    )


@statement("2.4-12", "2.4-08", "2.4-09")
def test_every_grantee_is_told_with_id_and_name_in_the_order_of_the_grants(store, session, alice):
    bob = store.create_account('bob & <"sons">')
    headers = {"x-svc-grant-read-acp": f'id="{alice.id}", id="{bob.id}"', "x-svc-grant-read": f'id="{bob.id}"'}
    session.put(store.url("photos", "cat.jpg"), data=b"meow", headers=headers)
    answer = session.get(store.url("photos", "cat.jpg", acl=None))
    told = [
        (grant.find("Grantee").get(XSI_TYPE), *(each.text for each in grant.iter("ID", "DisplayName", "Permission")))
        for grant in etree.fromstring(answer.content).iter("Grant")
    ]
    assert told == [
        ("CanonicalUser", bob.id, bob.display_name, "READ"),
        ("CanonicalUser", alice.id, "alice", "READ_ACP"),
        ("CanonicalUser", bob.id, bob.display_name, "READ_ACP"),
    ]


@statement("2.4-03", "2.4-04")
def test_the_owner_is_who_wrote_the_object_not_who_owns_the_bucket(store, alice):
    store["photos"].put("cat.jpg", b"meow", account=alice)
    answer = store.session(alice).get(store.url("photos", "cat.jpg", acl=None))
    assert answer.content == document(alice, (alice, "FULL_CONTROL"))


# -- versions


@statement("4.4-10", "4.4-01", "9-06")
def test_without_a_version_the_list_is_of_the_current_one(store, session):
    store["kept"].put("cat.jpg", b"1", acl="public-read")
    newer = store["kept"].put("cat.jpg", b"2")
    answer = session.get(store.url("kept", "cat.jpg", acl=None))
    assert answer.headers["x-svc-version-id"] == newer.version_id
    assert grants(answer.content) == [("CanonicalUser", "default", "FULL_CONTROL")]


@statement("4.4-02", "4.4-09", "4.4-10", "9-04")
@pytest.mark.parametrize("query", ["versionId={}&acl", "acl&versionId={}", "acl=&versionId={}"])
def test_a_version_is_selected_by_its_id_wherever_it_stands_in_the_query(store, session, noon, query):
    older = store["kept"].put("cat.jpg", b"1", acl="public-read")
    noon.tick(60)
    store["kept"].put("cat.jpg", b"2")
    answer = session.get(f"{store.url('kept', 'cat.jpg')}?{query.format(older.version_id)}")
    assert own_headers(answer) == {
        "content-length": str(len(answer.content)),
        "content-type": XML,
        "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT",
        "x-svc-version-id": older.version_id,
    }
    assert grants(answer.content) == [
        ("CanonicalUser", "default", "FULL_CONTROL"),
        ("Group", "AllUsers", "READ"),
    ]


@statement("4.4-10")
def test_the_null_version_is_told_as_null(store, session):
    store["paused"].put("cat.jpg", b"meow")
    assert session.get(store.url("paused", "cat.jpg", acl=None)).headers["x-svc-version-id"] == "null"


def test_a_marker_has_no_list(store, session):
    store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    on_top = session.get(store.url("kept", "cat.jpg", acl=None))
    by_id = session.get(store.url("kept", "cat.jpg", versionId=marker.version_id, acl=None))
    assert (refusal(on_top), refusal(by_id)) == ((404, "NoSuchKey"), (405, "MethodNotAllowed"))
    assert by_id.headers["Allow"] == "DELETE"
    for answer in (on_top, by_id):
        assert (answer.headers["x-svc-delete-marker"], answer.headers["x-svc-version-id"]) == (
            "true",
            marker.version_id,
        )


@statement("7-04")
def test_the_list_of_what_there_is_not_is_a_general_error(store):
    gone = store["kept"].put("cat.jpg", b"meow")
    store["kept"].delete_version("cat.jpg", gone.version_id)
    asked = {
        ("nosuch", "/cat.jpg?acl"): (404, "NoSuchBucket"),
        ("photos", "/nosuch.jpg?acl"): (404, "NoSuchKey"),
        ("kept", f"/cat.jpg?acl&versionId={gone.version_id}"): (404, "NoSuchVersion"),
        ("kept", "/cat.jpg?acl&versionId=null"): (404, "NoSuchVersion"),
        ("kept", "/cat.jpg?acl&versionId=nonsense"): (400, "InvalidArgument"),
        ("kept", "/cat.jpg?acl&versionId="): (400, "InvalidArgument"),
    }
    assert {where: refusal(wire(store, "GET", *where)) for where in asked} == asked


# -- who may, and what else may be asked


@statement("4.4-03", "5-10")
def test_read_acp_is_what_it_takes(store, session, alice):
    url = store.url("photos", "cat.jpg", acl=None)
    refused = {"x-svc-grant-read": f'id="{alice.id}"', "x-svc-grant-write-acp": f'id="{alice.id}"'}
    session.put(store.url("photos", "cat.jpg"), data=b"meow", headers=refused)
    assert refusal(store.session(alice).get(url)) == (403, "AccessDenied")
    session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"x-svc-grant-read-acp": f'id="{alice.id}"'})
    assert grants(store.session(alice).get(url).content) == [("CanonicalUser", "alice", "READ_ACP")]


@statement("4.4-04")
@pytest.mark.parametrize("query", ["acl&x=1", "acl&partNumber=1", "acl&versionid=null", "acl&response-expires=0"])
def test_another_query_parameter_is_never_ignored(store, query):
    store["photos"].put("cat.jpg", b"meow")
    with pytest.raises(UnsupportedRequest):
        wire(store, "GET", "photos", f"/cat.jpg?{query}")
    store.unhandled_requests.clear()


@statement("4.4-05")
@pytest.mark.parametrize("value", ["bytes=0-9", "bytes=999999-", "nonsense", ""])
def test_a_range_has_no_effect(store, value):
    store["photos"].put("cat.jpg", b"meow")
    ranged = wire(store, "GET", "photos", "/cat.jpg?acl", [("Range", value)])
    assert whole(ranged) == whole(wire(store, "GET", "photos", "/cat.jpg?acl"))


def test_the_list_tells_the_content_type_and_length_of_the_document_not_of_the_object(store, session):
    store["photos"].put("cat.jpg", b"meow", content_type="image/jpeg", content_encoding="gzip", metadata={"a": "b"})
    answer = session.get(store.url("photos", "cat.jpg", acl=None))
    assert set(own_headers(answer)) == {"content-length", "content-type", "last-modified"}
    assert answer.headers["Content-Type"] == XML
