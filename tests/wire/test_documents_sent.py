"""Documents that a client sends: a form that means nothing is never taken for one that does."""

from __future__ import annotations

import pytest

from tests.support.state import state_of as holdings
from tests.support.wire import error_of as refusal
from tests.support.wire import send as wire

SERVICE = "http://s3.amazonaws.com/doc/2006-03-01/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
#: Names a bucket and a subresource's document; ``{xmlns}`` is where its namespace is declared.
DOCUMENTS = {
    "versioning": "<VersioningConfiguration{xmlns}><Status>Enabled</Status></VersioningConfiguration>",
    "lifecycle": (
        "<LifecycleConfiguration{xmlns}><Rule><ID>r</ID><Prefix/><Status>Enabled</Status>"
        "<Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>"
    ),
    "acl": ("<AccessControlPolicy{xmlns}><Owner><ID>{owner}</ID></Owner><AccessControlList/></AccessControlPolicy>"),
}
MALFORMED = {"acl": (400, "MalformedACLError")}


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


def send(store, subresource, document):
    body = document.replace("{owner}", store.default_account.id).encode()
    return wire(store, "PUT", "photos", f"/?{subresource}", (), body)


def expect_malformed(store, subresource, document, why):
    before = holdings(store)
    answer = send(store, subresource, document)
    assert (refusal(answer), store.exchanges[-1].explanation) == (
        MALFORMED.get(subresource, (400, "MalformedXML")),
        why,
    )
    assert holdings(store) == before


of_every_document = pytest.mark.parametrize("subresource", DOCUMENTS)


@of_every_document
@pytest.mark.parametrize("xmlns", ["", f' xmlns="{SERVICE}"'], ids=["none", "the service's"])
def test_a_document_has_the_namespace_of_the_service_or_none(fakestore, subresource, xmlns):
    assert send(fakestore, subresource, DOCUMENTS[subresource].replace("{xmlns}", xmlns)).status == 200


@of_every_document
@pytest.mark.parametrize("namespace", ["http://example.test/", SERVICE.rstrip("/"), XSI])
def test_a_document_in_another_namespace_is_malformed(fakestore, subresource, namespace):
    document = DOCUMENTS[subresource].replace("{xmlns}", f' xmlns="{namespace}"')
    root = document[1:].partition(" ")[0]
    expect_malformed(fakestore, subresource, document, f"<{root}> is in the unknown namespace {namespace!r}")


def test_one_element_in_another_namespace_makes_a_document_malformed(fakestore):
    document = '<VersioningConfiguration><Status xmlns="urn:x">Enabled</Status></VersioningConfiguration>'
    expect_malformed(fakestore, "versioning", document, "<Status> is in the unknown namespace 'urn:x'")


@pytest.mark.parametrize(
    ("subresource", "document", "name"),
    [
        (
            "versioning",
            "<VersioningConfiguration><Status>Enabled<b/></Status></VersioningConfiguration>",
            "Status",
        ),
        (
            "lifecycle",
            DOCUMENTS["lifecycle"].replace("{xmlns}", "").replace("<Days>1</Days>", "<Days>1<b>2</b></Days>"),
            "Days",
        ),
        ("acl", DOCUMENTS["acl"].replace("{xmlns}", "").replace("{owner}", "{owner}<b/>"), "ID"),
    ],
)
def test_an_element_within_a_text_makes_a_document_malformed(fakestore, subresource, document, name):
    expect_malformed(fakestore, subresource, document, f"<{name}> has children, where text belongs")


# -- the AccessControlPolicy

ID, URI = "<ID>{owner}</ID>", "<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>"
MAIL = "<EmailAddress>ada@example.test</EmailAddress>"


def policy(grantee, kind="CanonicalUser"):
    return (
        "<AccessControlPolicy><Owner><ID>{owner}</ID></Owner><AccessControlList><Grant>"
        f'<Grantee xmlns:xsi="{XSI}" xsi:type="{kind}">{grantee}</Grantee><Permission>READ</Permission>'
        "</Grant></AccessControlList></AccessControlPolicy>"
    )


def test_a_policy_with_one_grantee_is_taken(fakestore):
    assert send(fakestore, "acl", policy(ID)).status == 200


@pytest.mark.parametrize(
    ("repeated", "why"),
    [
        ("<Owner>", "<AccessControlPolicy> has 2 children <Owner>, where one belongs"),
        ("<AccessControlList>", "<AccessControlPolicy> has 2 children <AccessControlList>, where one belongs"),
        ("<Grantee ", "<Grant> has 2 children <Grantee>, where one belongs"),
        ("<Permission>", "<Grant> has 2 children <Permission>, where one belongs"),
        ("<ID>", "<Owner> has 2 children <ID>, where one belongs"),
    ],
)
def test_what_belongs_in_a_policy_once_makes_it_malformed_where_it_stands_twice(fakestore, repeated, why):
    document = policy(URI, "Group")
    name = repeated.strip("<> ")
    start, end = document.index(repeated), document.index(f"</{name}>") + len(f"</{name}>")
    twice = document[:end] + document[start:end] + document[end:]
    expect_malformed(fakestore, "acl", twice, why)


@pytest.mark.parametrize(
    ("kind", "grantee", "why"),
    [
        ("CanonicalUser", ID + URI, "<Grantee> has no child <URI>; it has ID, DisplayName"),
        ("CanonicalUser", MAIL + ID, "<Grantee> has no child <EmailAddress>; it has ID, DisplayName"),
        ("Group", ID + URI, "<Grantee> has no child <ID>; it has URI, DisplayName"),
        ("AmazonCustomerByEmail", MAIL + URI, "<Grantee> has no child <URI>; it has EmailAddress, DisplayName"),
        ("CanonicalUser", URI, "<Grantee> has no child <URI>; it has ID, DisplayName"),
        ("CanonicalUser", "", "a Grantee of xsi:type CanonicalUser is named by its ID"),
        ("CanonicalUser", ID + ID, "<Grantee> has 2 children <ID>, where one belongs"),
    ],
)
def test_a_grantee_is_named_in_one_way(fakestore, kind, grantee, why):
    expect_malformed(fakestore, "acl", policy(grantee, kind), why)


# -- the lifecycle


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("<Filter/>", "<Filter></Filter>"),
        ("<Filter><Prefix/></Filter>", "<Filter><Prefix></Prefix></Filter>"),
        ("<Prefix/>", "<Filter><Prefix></Prefix></Filter>"),
    ],
)
def test_an_empty_filter_is_of_every_key_and_is_written_back_as_it_came(fakestore, sent, written):
    photos = fakestore["photos"]
    photos.put("a/cat.jpg", b"meow")
    photos.put("dog.jpg", b"woof")
    document = DOCUMENTS["lifecycle"].replace("{xmlns}", "").replace("<Prefix/>", sent)
    assert send(fakestore, "lifecycle", document).status == 200
    told = wire(fakestore, "GET", "photos", "/?lifecycle").body.decode()
    assert told[told.index("<Filter>") : told.index("</Filter>")] == written.removesuffix("</Filter>")
    fakestore.travel(days=3)
    assert list(photos) == []
