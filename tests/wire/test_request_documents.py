"""What the documents of requests have in common: nothing in them is passed over in silence."""

from __future__ import annotations

import pytest
import requests
from lxml import etree

from fakestore import UnsupportedRequest

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
OWNER = "<Owner><ID>{owner}</ID><DisplayName>ann</DisplayName></Owner>"
GRANT = (
    f'<Grant><Grantee {XSI} xsi:type="CanonicalUser"><ID>{{owner}}</ID><DisplayName>ann</DisplayName></Grantee>'
    "<Permission>READ</Permission></Grant>"
)
#: Method, subresource, and a document that is taken.
DOCUMENTS = {
    "create": (
        "PUT",
        "",
        "<CreateBucketConfiguration><LocationConstraint></LocationConstraint></CreateBucketConfiguration>",
    ),
    "acl": (
        "PUT",
        "acl",
        f"<AccessControlPolicy>{OWNER}<AccessControlList>{GRANT}</AccessControlList></AccessControlPolicy>",
    ),
    "versioning": (
        "PUT",
        "versioning",
        "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
    ),
    "lifecycle": (
        "PUT",
        "lifecycle",
        "<LifecycleConfiguration><Rule><ID>r</ID><Filter><Prefix>p</Prefix></Filter><Status>Enabled</Status>"
        "<Expiration><Days>7</Days></Expiration></Rule></LifecycleConfiguration>",
    ),
    "delete": (
        "POST",
        "delete",
        "<Delete><Quiet>false</Quiet><Object><Key>k</Key><VersionId>null</VersionId></Object></Delete>",
    ),
}


@pytest.fixture(autouse=True)
def photos(fakestore):
    return fakestore.create_bucket("photos")


def send(fakestore, method, subresource, document):
    url = fakestore.url("photos") + (f"?{subresource}" if subresource else "")
    body = document.replace("{owner}", fakestore.default_account.id)
    return requests.request(method, url, data=body, auth=fakestore.auth())


def code(reply):
    return reply.status_code, etree.fromstring(reply.content).findtext("Code")


def elements():
    """Each element of each document, by its place."""
    return [
        pytest.param(method, subresource, document, place, id=f"{name}-{place}-{node.tag}")
        for name, (method, subresource, document) in DOCUMENTS.items()
        for place, node in enumerate(etree.fromstring(document).iter())
    ]


@pytest.mark.parametrize(("method", "subresource", "document"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_documents_are_taken_as_they_are(fakestore, method, subresource, document):
    assert send(fakestore, method, subresource, document).status_code == 200


@pytest.mark.parametrize(("method", "subresource", "document", "place"), elements())
def test_an_attribute_that_no_document_has_is_malformed(fakestore, method, subresource, document, place):
    changed = etree.fromstring(document)
    list(changed.iter())[place].set("unit", "hours")
    assert code(send(fakestore, method, subresource, etree.tostring(changed).decode())) == (
        400,
        "MalformedACLError" if subresource == "acl" else "MalformedXML",
    )


@pytest.mark.parametrize(("method", "subresource", "document", "place"), elements())
def test_children_where_text_belongs_and_unknown_children_are_malformed(
    fakestore, method, subresource, document, place
):
    changed = etree.fromstring(document)
    etree.SubElement(etree.SubElement(list(changed.iter())[place], "a"), "b")
    assert code(send(fakestore, method, subresource, etree.tostring(changed).decode())) == (
        400,
        "MalformedACLError" if subresource == "acl" else "MalformedXML",
    )


@pytest.mark.parametrize("element", ["ETag", "LastModifiedTime", "Size"])
def test_a_condition_on_one_of_many_to_be_deleted_is_not_modelled(fakestore, photos, element):
    photos.put("k")
    document = f"<Delete><Object><Key>k</Key><{element}>1</{element}></Object></Delete>"
    with pytest.raises(UnsupportedRequest) as unsupported:
        send(fakestore, "POST", "delete", document)
    fakestore.unhandled_requests.clear()
    assert (str(unsupported.value), list(photos)) == (
        f"<{element}> in <Object> is not modelled; there is Key, VersionId",
        ["k"],
    )


@pytest.mark.parametrize("subresource", ["versioning", "lifecycle", "policy", "acl"])
def test_a_document_over_2_mib_is_refused_unread(fakestore, subresource):
    assert code(send(fakestore, "PUT", subresource, " " * (2 * 1024 * 1024 + 1))) == (400, "EntityTooLarge")
