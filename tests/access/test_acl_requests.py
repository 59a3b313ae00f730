"""Access control lists over HTTP: canned, by grant headers, by a document; on objects and on buckets."""

from __future__ import annotations

import pytest
import requests
from lxml import etree

ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery"
NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


@pytest.fixture(autouse=True)
def photos(fakestore):
    """A bucket of ann's that everybody may write to."""
    return fakestore.create_bucket("photos", owner=fakestore.create_account("ann"), acl="public-read-write")


@pytest.fixture
def ann(photos):
    return photos.owner


@pytest.fixture
def bob(fakestore):
    return fakestore.create_account("bob", email="bob@example.test")


@pytest.fixture
def session(fakestore, bob):
    """Signs as bob, who owns no bucket."""
    return fakestore.session(bob)


def put(fakestore, session, **headers):
    """Upload "cat.jpg", or copy it, with headers of the dialect, and tell its grants, or the error it met."""
    named = {f"x-svc-{name.replace('_', '-')}": value for name, value in headers.items()}
    body = b"" if "copy_source" in headers else b"meow"
    session.put(fakestore.url("photos", "cat.jpg"), data=body, headers=named)
    return told(fakestore, lambda: fakestore["photos"]["cat.jpg"].acl)


def set_acl(fakestore, session, key="cat.jpg", body=b"", **headers):
    """Set the ACL of "cat.jpg", or of the bucket where there is no key."""
    named = {f"x-svc-{name.replace('_', '-')}": value for name, value in headers.items()}
    session.put(fakestore.url("photos", key, acl=None), data=body, headers=named)
    return told(fakestore, lambda: fakestore["photos"][key].acl if key else fakestore["photos"].acl)


def told(fakestore, acl):
    exchange = fakestore.exchanges[-1]
    return str(acl()) if exchange.status == 200 else f"{exchange.status} {exchange.error_code}"


def message(response: requests.Response) -> str | None:
    return etree.fromstring(response.content).findtext("Message")


# Canned

CANNED = {
    "private": "",
    "public-read": ", AllUsers:READ",
    "public-read-write": ", AllUsers:READ, AllUsers:WRITE",
    "authenticated-read": ", AuthenticatedUsers:READ",
    "bucket-owner-read": ", ann:READ",
    "bucket-owner-full-control": ", ann:FULL_CONTROL",
}
OF_THE_BUCKETS_OWNER = {name: "" if "ann" in added else added for name, added in CANNED.items()}


@pytest.mark.parametrize(("canned", "added"), CANNED.items())
def test_a_canned_acl_of_an_upload_is_of_the_uploader_and_names_the_buckets_owner(fakestore, session, canned, added):
    assert put(fakestore, session, acl=canned) == f"bob:FULL_CONTROL{added}"


@pytest.mark.parametrize(("canned", "added"), OF_THE_BUCKETS_OWNER.items())
def test_a_canned_acl_of_the_buckets_owner_names_them_once(fakestore, ann, canned, added):
    assert put(fakestore, fakestore.session(ann), acl=canned) == f"ann:FULL_CONTROL{added}"


@pytest.mark.parametrize(("canned", "added"), CANNED.items())
def test_a_canned_acl_of_a_copy_is_of_who_copied(fakestore, photos, session, bob, canned, added):
    photos.put("dog.jpg", b"wuff", acl="public-read")
    assert put(fakestore, session, acl=canned, copy_source="/photos/dog.jpg") == f"bob:FULL_CONTROL{added}"


@pytest.mark.parametrize(("canned", "added"), CANNED.items())
def test_a_canned_acl_that_is_put_keeps_the_owner(fakestore, photos, session, bob, canned, added):
    photos.put("cat.jpg", b"meow", account=bob)
    assert set_acl(fakestore, session, acl=canned) == f"bob:FULL_CONTROL{added}"


@pytest.mark.parametrize(("canned", "added"), CANNED.items())
def test_a_canned_acl_in_python_is_the_same(photos, bob, canned, added):
    assert str(photos.put("cat.jpg", account=bob, acl=canned).acl) == f"bob:FULL_CONTROL{added}"


@pytest.mark.parametrize(("canned", "added"), OF_THE_BUCKETS_OWNER.items())
def test_a_canned_acl_of_a_new_bucket_is_of_who_made_it(fakestore, session, canned, added):
    session.put(fakestore.url("films"), headers={"x-svc-acl": canned})
    assert str(fakestore["films"].acl) == f"bob:FULL_CONTROL{added}"


@pytest.mark.parametrize(("canned", "added"), OF_THE_BUCKETS_OWNER.items())
def test_a_canned_acl_of_a_bucket_that_is_put_keeps_the_owner(fakestore, ann, canned, added):
    assert set_acl(fakestore, fakestore.session(ann), "", acl=canned) == f"ann:FULL_CONTROL{added}"


@pytest.mark.parametrize(("canned", "added"), OF_THE_BUCKETS_OWNER.items())
def test_a_canned_acl_of_a_bucket_in_python_is_the_same(fakestore, photos, bob, canned, added):
    photos.acl = canned
    made = fakestore.create_bucket("films", owner=bob, acl=canned)
    assert (str(photos.acl), str(made.acl)) == (f"ann:FULL_CONTROL{added}", f"bob:FULL_CONTROL{added}")


def test_an_upload_without_any_acl_is_private(fakestore, session):
    assert put(fakestore, session) == "bob:FULL_CONTROL"


@pytest.mark.parametrize("canned", ["", "Private", "public", "log-delivery-write", "aws-exec-read"])
def test_an_unknown_canned_acl_is_refused_and_told_which_there_are(fakestore, session, canned):
    assert put(fakestore, session, acl=canned) == "400 InvalidArgument"
    assert fakestore.exchanges[-1].explanation == f"{canned!r} is no canned ACL; there are {', '.join(CANNED)}"
    assert "cat.jpg" not in fakestore["photos"]


@pytest.mark.parametrize("canned", ["", "Private", "public"])
def test_an_unknown_canned_acl_in_python_is_an_error(photos, canned):
    with pytest.raises(ValueError, match="is no canned ACL; there are 'private', 'public-read'"):
        photos.put("cat.jpg", acl=canned)


# By headers


def test_grants_name_their_grantees_by_id_address_and_group(fakestore, ann, session):
    granted = put(
        fakestore,
        session,
        grant_read=f'id="{ann.id}", emailAddress="bob@example.test", uri="{ALL_USERS}"',
        grant_read_acp=f'uri="{AUTHENTICATED_USERS}"',
        grant_write_acp=f'id="{ann.id}"',
        grant_full_control='emailAddress="bob@example.test"',
    )
    assert granted == (
        "bob:FULL_CONTROL, ann:READ, bob:READ, AllUsers:READ, AuthenticatedUsers:READ_ACP, ann:WRITE_ACP"
    )


def test_grants_replace_the_whole_list_and_the_owners_too(fakestore, ann, session):
    assert put(fakestore, session, grant_read=f'id="{ann.id}"') == "ann:READ"
    assert fakestore["photos"]["cat.jpg"].owner.display_name == "bob"


@pytest.mark.parametrize("form", ["id={}", 'id="{}"', 'id="{}" ', 'id={0},id="{0}"', 'id="{0}" , id={0}'])
def test_a_grantee_may_be_quoted_or_not(fakestore, ann, session, form):
    assert put(fakestore, session, grant_read=form.format(ann.id)) == "ann:READ"


def test_the_same_grant_twice_is_one(fakestore, ann, session):
    assert put(fakestore, session, grant_read=f"id={ann.id}, id={ann.id}") == "ann:READ"


def test_an_address_is_found_in_any_case(fakestore, session):
    assert put(fakestore, session, grant_read="emailAddress=BOB@Example.test") == "bob:READ"


def test_write_is_no_grant_on_an_object(fakestore, ann, session):
    granted = put(fakestore, session, grant_read=f"id={ann.id}", grant_write=f"id={ann.id}")
    assert granted == "ann:READ"


def test_write_alone_leaves_a_new_object_without_grants(fakestore, ann, session):
    assert put(fakestore, session, grant_write=f"id={ann.id}") == "none"


def test_write_alone_takes_every_grant_from_an_object(fakestore, ann, session):
    put(fakestore, session, acl="public-read")
    assert set_acl(fakestore, session, grant_write=f"id={ann.id}") == "none"


def test_write_is_a_grant_on_a_bucket(fakestore, ann, bob):
    session = fakestore.session(ann)
    assert set_acl(fakestore, session, "", grant_write=f"id={bob.id}", grant_read=f"id={bob.id}") == (
        "bob:READ, bob:WRITE"
    )


def test_a_new_bucket_may_have_grants(fakestore, session, ann):
    session.put(fakestore.url("films"), headers={"x-svc-grant-write": f"id={ann.id}"})
    assert str(fakestore["films"].acl) == "ann:WRITE"


def test_a_copy_may_have_grants(fakestore, photos, ann, session):
    photos.put("dog.jpg", b"wuff", acl="public-read")
    assert put(fakestore, session, copy_source="/photos/dog.jpg", grant_read=f"id={ann.id}") == "ann:READ"


def test_both_kinds_of_headers_are_refused(fakestore, ann, session):
    assert put(fakestore, session, acl="private", grant_read=f"id={ann.id}") == "400 InvalidRequest"
    assert fakestore.exchanges[-1].explanation == "both an ACL header and x-svc-grant-read were sent"


def test_both_kinds_of_headers_are_refused_for_an_acl_as_well(fakestore, photos, ann, bob, session):
    photos.put("cat.jpg", account=bob)
    assert set_acl(fakestore, session, acl="private", grant_read=f"id={ann.id}") == "400 InvalidRequest"
    assert str(photos["cat.jpg"].acl) == "bob:FULL_CONTROL"


@pytest.mark.parametrize("header", ["grant_read", "grant_write"])
@pytest.mark.parametrize(
    ("grantees", "error"),
    [
        ("", "InvalidArgument"),
        ("bob", "InvalidArgument"),
        ("name=bob", "InvalidArgument"),
        ('displayName="bob"', "InvalidArgument"),
        ("ID=1", "InvalidArgument"),
        ('emailAddress="bob@example.test" id=1', "InvalidArgument"),
        ('emailAddress="bob@example.test",', "InvalidArgument"),
        (',emailAddress="bob@example.test"', "InvalidArgument"),
        ('emailAddress="bob@example.test', "InvalidArgument"),
        ("id=", "InvalidArgument"),
        (f"id={'0' * 64}", "InvalidArgument"),
        (f"uri={LOG_DELIVERY}/more", "InvalidArgument"),
        (f"uri={ALL_USERS.replace('AllUsers', 'allusers')}", "InvalidArgument"),
        ("emailAddress=eve@example.test", "UnresolvableGrantByEmailAddress"),
        ("emailAddress=two@example.test", "AmbiguousGrantByEmailAddress"),
    ],
)
def test_a_grantee_that_is_malformed_unknown_or_ambiguous_is_refused(fakestore, session, header, grantees, error):
    fakestore.create_account("eve", email="two@example.test")
    fakestore.create_account("joe", email="Two@example.test")
    assert put(fakestore, session, **{header: grantees}) == f"400 {error}"
    assert "cat.jpg" not in fakestore["photos"]


@pytest.mark.parametrize(
    ("grantees", "text", "explanation"),
    [
        (
            "bob",
            "Argument format not recognized",
            'x-svc-grant-read is \'bob\', no list of emailAddress="...", id="..." and uri="..." by commas',
        ),
        ("uri=nobody", "Invalid group uri", f"'nobody' is no group; there are {ALL_USERS}, {AUTHENTICATED_USERS}, "),
        ("id=nobody", "Invalid id", "no account has the canonical id 'nobody'; accounts: default (id "),
        (
            "emailAddress=eve@example.test",
            "The e-mail address you provided does not match any account on record.",
            "0 accounts have the address 'eve@example.test'; accounts: default (id ",
        ),
    ],
)
def test_a_refused_grantee_is_told_what_there_is(fakestore, session, grantees, text, explanation):
    url = fakestore.url("photos", "cat.jpg")
    assert message(session.put(url, data=b"", headers={"x-svc-grant-read": grantees})) == text
    assert (fakestore.exchanges[-1].explanation or "").startswith(explanation)


# By a document


def document(owner, *grants: str, xmlns: str = "") -> bytes:
    namespace = f' xmlns="{xmlns}"' if xmlns else ""
    return (
        f"<AccessControlPolicy{namespace}><Owner><ID>{owner.id}</ID></Owner>"
        f"<AccessControlList>{''.join(grants)}</AccessControlList></AccessControlPolicy>"
    ).encode()


def grant(kind: str, name: str, value: str, permission: str) -> str:
    grantee = f'<Grantee {XSI} xsi:type="{kind}"><{name}>{value}</{name}></Grantee>'
    return f"<Grant>{grantee}<Permission>{permission}</Permission></Grant>"


@pytest.mark.parametrize("xmlns", ["", NAMESPACE])
def test_a_document_grants_by_id_address_and_group_with_and_without_namespace(fakestore, photos, bob, session, xmlns):
    photos.put("cat.jpg", account=bob)
    body = document(
        bob,
        grant("CanonicalUser", "ID", photos.owner.id, "READ_ACP"),
        grant("AmazonCustomerByEmail", "EmailAddress", "bob@example.test", "FULL_CONTROL"),
        grant("Group", "URI", AUTHENTICATED_USERS, "READ"),
        xmlns=xmlns,
    )
    granted = set_acl(fakestore, session, body=body)
    assert granted == "ann:READ_ACP, bob:FULL_CONTROL, AuthenticatedUsers:READ"


@pytest.mark.parametrize("key", ["cat.jpg", ""])
def test_the_document_that_is_read_can_be_put_back(fakestore, photos, session, ann, bob, key):
    photos.put("cat.jpg", account=ann)
    owner = fakestore.session(ann)
    set_acl(fakestore, owner, key, grant_read=f"id={bob.id}, uri={ALL_USERS}", grant_full_control=f"id={ann.id}")
    body = owner.get(fakestore.url("photos", key, acl=None)).content
    set_acl(fakestore, owner, key, acl="private")
    assert set_acl(fakestore, owner, key, body=body) == "ann:FULL_CONTROL, bob:READ, AllUsers:READ"


def test_a_document_without_grants_leaves_none(fakestore, photos, bob, session):
    photos.put("cat.jpg", account=bob)
    assert set_acl(fakestore, session, body=document(bob)) == "none"


def test_a_document_sets_the_acl_of_a_bucket(fakestore, ann, bob):
    body = document(ann, grant("CanonicalUser", "ID", bob.id, "WRITE"))
    assert set_acl(fakestore, fakestore.session(ann), "", body=body) == "bob:WRITE"


@pytest.mark.parametrize(
    "body",
    [
        b"not xml",
        b"<AccessControlPolicy>",
        b"<AccessControlPolicy/>",
        b"<Other/>",
        b"<AccessControlPolicy><Owner><ID>{bob}</ID></Owner></AccessControlPolicy>",
        b"<AccessControlPolicy><AccessControlList/></AccessControlPolicy>",
        b"<AccessControlPolicy><Owner/><AccessControlList/></AccessControlPolicy>",
        b"<AccessControlPolicy><Owner><ID>{bob}</ID></Owner><AccessControlList/><More/></AccessControlPolicy>",
        b"<AccessControlPolicy><Owner><ID>{bob}</ID></Owner><AccessControlList/>text</AccessControlPolicy>",
        b'<!DOCTYPE a [<!ENTITY e "x">]><AccessControlPolicy><Owner><ID>&e;</ID></Owner><AccessControlList/>'
        b"</AccessControlPolicy>",
        b'<AccessControlPolicy xmlns="http://elsewhere.test/"/>',
        "grants: <Grant/>",
        "grants: <Other/>",
        "grants: " + grant("CanonicalUser", "ID", "{bob}", "read"),
        "grants: " + grant("CanonicalUser", "ID", "{bob}", ""),
        "grants: " + grant("CanonicalUser", "URI", ALL_USERS, "READ"),
        "grants: " + grant("User", "ID", "{bob}", "READ"),
        "grants: <Grant><Grantee><ID>{bob}</ID></Grantee><Permission>READ</Permission></Grant>",
        "grants: " + grant("CanonicalUser", "ID", "{bob}", "READ").replace("<Permission>READ</Permission>", ""),
        "grants: " + grant("CanonicalUser", "ID", "{bob}", "READ") + "text",
    ],
)
def test_a_malformed_document_is_refused(fakestore, photos, bob, session, body):
    photos.put("cat.jpg", account=bob)
    if isinstance(body, str):
        body = document(bob, body.removeprefix("grants: "))
    assert set_acl(fakestore, session, body=body.replace(b"{bob}", bob.id.encode())) == "400 MalformedACLError"
    assert str(photos["cat.jpg"].acl) == "bob:FULL_CONTROL"


@pytest.mark.parametrize(
    ("kind", "name", "value", "error"),
    [
        ("CanonicalUser", "ID", "nobody", "InvalidArgument"),
        ("Group", "URI", "nobody", "InvalidArgument"),
        ("AmazonCustomerByEmail", "EmailAddress", "eve@example.test", "UnresolvableGrantByEmailAddress"),
        ("AmazonCustomerByEmail", "EmailAddress", "two@example.test", "AmbiguousGrantByEmailAddress"),
    ],
)
def test_a_document_that_names_no_one_grantee_is_refused(fakestore, photos, bob, session, kind, name, value, error):
    fakestore.create_account("eve", email="two@example.test")
    fakestore.create_account("joe", email="two@example.test")
    photos.put("cat.jpg", account=bob)
    assert set_acl(fakestore, session, body=document(bob, grant(kind, name, value, "READ"))) == f"400 {error}"


@pytest.mark.parametrize("key", ["cat.jpg", ""])
def test_a_document_cannot_change_the_owner(fakestore, photos, ann, bob, key):
    photos.put("cat.jpg", account=ann)
    assert set_acl(fakestore, fakestore.session(ann), key, body=document(bob)) == "400 InvalidArgument"
    assert fakestore.exchanges[-1].explanation == (
        f"the document names the owner {bob.id!r}; the owner is ann ({ann.id}), and an ACL cannot change that"
    )


@pytest.mark.parametrize("key", ["cat.jpg", ""])
def test_an_acl_neither_in_headers_nor_in_a_body_is_refused(fakestore, photos, ann, key):
    photos.put("cat.jpg", account=ann)
    assert set_acl(fakestore, fakestore.session(ann), key) == "400 MissingSecurityHeader"


@pytest.mark.parametrize("key", ["cat.jpg", ""])
def test_an_acl_in_headers_and_in_a_body_is_refused(fakestore, photos, ann, key):
    photos.put("cat.jpg", account=ann)
    owner = fakestore.session(ann)
    assert set_acl(fakestore, owner, key, body=document(ann), acl="private") == "400 UnexpectedContent"


# Reading


def test_the_document_names_owner_grantees_and_permissions_in_order(fakestore, session, ann, bob):
    put(fakestore, session, grant_full_control=f"id={bob.id}", grant_read=f"uri={ALL_USERS}, id={ann.id}")
    response = session.get(fakestore.url("photos", "cat.jpg", acl=None))
    assert response.text == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<AccessControlPolicy><Owner><ID>{bob.id}</ID><DisplayName>bob</DisplayName></Owner><AccessControlList>"
        f'<Grant><Grantee {XSI} xsi:type="CanonicalUser"><ID>{bob.id}</ID><DisplayName>bob</DisplayName></Grantee>'
        "<Permission>FULL_CONTROL</Permission></Grant>"
        f'<Grant><Grantee {XSI} xsi:type="Group"><URI>{ALL_USERS}</URI></Grantee><Permission>READ</Permission></Grant>'
        f'<Grant><Grantee {XSI} xsi:type="CanonicalUser"><ID>{ann.id}</ID><DisplayName>ann</DisplayName></Grantee>'
        "<Permission>READ</Permission></Grant>"
        "</AccessControlList></AccessControlPolicy>"
    )


def test_the_document_of_a_bucket_is_of_the_same_form(fakestore, photos, ann):
    photos.acl = "private"
    response = fakestore.session(ann).get(fakestore.url("photos", acl=None))
    assert response.text == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<AccessControlPolicy><Owner><ID>{ann.id}</ID><DisplayName>ann</DisplayName></Owner><AccessControlList>"
        f'<Grant><Grantee {XSI} xsi:type="CanonicalUser"><ID>{ann.id}</ID><DisplayName>ann</DisplayName></Grantee>'
        "<Permission>FULL_CONTROL</Permission></Grant></AccessControlList></AccessControlPolicy>"
    )


# Versions


def test_an_acl_is_that_of_one_version(fakestore, photos, bob, session):
    photos.set_versioning("enabled")
    older, newer = photos.put("cat.jpg", b"1", account=bob), photos.put("cat.jpg", b"2", account=bob)
    url = fakestore.url("photos", "cat.jpg", versionId=older.version_id, acl=None)
    response = session.put(url, headers={"x-svc-acl": "public-read"})
    assert response.headers["x-svc-version-id"] == older.version_id
    assert [(entry.version_id, str(entry.acl)) for entry in photos.versions("cat.jpg")] == [
        (newer.version_id, "bob:FULL_CONTROL"),
        (older.version_id, "bob:FULL_CONTROL, AllUsers:READ"),
    ]


def test_a_new_version_is_private_again(fakestore, photos, session):
    photos.set_versioning("enabled")
    put(fakestore, session, acl="public-read")
    assert put(fakestore, session) == "bob:FULL_CONTROL"


def test_an_acl_changes_neither_content_nor_date_nor_the_order_of_versions(fakestore, photos, bob, session):
    photos.set_versioning("enabled")
    before = [photos.put("cat.jpg", content, account=bob) for content in (b"1", b"2")]
    url = fakestore.url("photos", "cat.jpg", versionId=before[0].version_id, acl=None)
    session.put(url, headers={"x-svc-acl": "public-read"}).raise_for_status()
    after = photos.versions("cat.jpg")[::-1]
    assert [(each.content, each.last_modified, each.version_id) for each in after] == [
        (each.content, each.last_modified, each.version_id) for each in before
    ]


def test_the_acl_of_a_delete_marker_cannot_be_set(fakestore, photos, ann):
    photos.set_versioning("enabled")
    photos.put("cat.jpg", account=ann)
    marker = photos.delete("cat.jpg")
    owner = fakestore.session(ann)
    url = fakestore.url("photos", "cat.jpg", acl=None)
    answers = [
        owner.put(each, headers={"x-svc-acl": "private"}) for each in (url, f"{url}&versionId={marker.version_id}")
    ]
    assert [(answer.status_code, answer.headers["Allow"]) for answer in answers] == [(405, "DELETE")] * 2
