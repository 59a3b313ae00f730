"""The XML documents of requests: nothing in them is ignored, and every error names the element."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
from lxml import etree

from fakestore import DOCUMENT, S3, FakeStore, UnsupportedRequest
from tests.support.cases import each
from tests.support.wire import body_of, outcome, send, status_of

SERVICE = "http://s3.amazonaws.com/doc/2006-03-01/"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
#: Method, target, a valid document, and the elements that may be repeated.
DOCUMENTS = {
    "location": (
        "PUT",
        "/",
        "<CreateBucketConfiguration><LocationConstraint></LocationConstraint></CreateBucketConfiguration>",
        set(),
    ),
    "acl": (
        "PUT",
        "/?acl",
        "<AccessControlPolicy><Owner><ID>OWNER</ID><DisplayName>ann</DisplayName></Owner><AccessControlList><Grant>"
        f'<Grantee {XSI} xsi:type="CanonicalUser"><ID>OWNER</ID><DisplayName>ann</DisplayName></Grantee>'
        "<Permission>READ</Permission></Grant></AccessControlList></AccessControlPolicy>",
        {"Grant"},
    ),
    "versioning": (
        "PUT",
        "/?versioning",
        "<VersioningConfiguration><Status>Enabled</Status><MfaDelete>Disabled</MfaDelete></VersioningConfiguration>",
        set(),
    ),
    "lifecycle": (
        "PUT",
        "/?lifecycle",
        "<LifecycleConfiguration><Rule><ID></ID><Filter><And><Prefix>p</Prefix>"
        "<ObjectSizeGreaterThan>1</ObjectSizeGreaterThan><ObjectSizeLessThan>9</ObjectSizeLessThan></And></Filter>"
        "<Status>Enabled</Status><Expiration><Days>7</Days></Expiration><NoncurrentVersionExpiration>"
        "<NoncurrentDays>3</NoncurrentDays><NewerNoncurrentVersions>2</NewerNoncurrentVersions>"
        "</NoncurrentVersionExpiration></Rule></LifecycleConfiguration>",
        {"Rule"},
    ),
    "delete": (
        "POST",
        "/?delete",
        "<Delete><Quiet>false</Quiet><Object><Key>k</Key><VersionId>null</VersionId></Object></Delete>",
        {"Object"},
    ),
}
#: The elements without which a document is refused.
REQUIRED = {
    "location": set(),
    "acl": {"Owner", "ID", "AccessControlList", "Grantee", "Permission"},
    "versioning": {"Status"},
    "lifecycle": {"Rule", "Filter", "Status", "NoncurrentDays", "Days"},
    "delete": {"Object", "Key"},
}
SMALL = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"

each_document = pytest.mark.parametrize("name", DOCUMENTS)


def put(store, name, document):
    method, target, _, _ = DOCUMENTS[name]
    if not isinstance(document, str):
        document = etree.tostring(document).decode()
    return send(store, method, "photos", target, body=document.replace("OWNER", store.default_account.id).encode())


def expect_malformed(store, name, document, *words):
    """Expect the document's error, with an explanation that contains every one of `words`."""
    code = "MalformedACLError" if name == "acl" else "MalformedXML"
    assert outcome(put(store, name, document)) == (400, code)
    explanation = store.exchanges[-1].explanation
    assert [word for word in words if word not in explanation] == [], explanation


def changed(name):
    """Yield a copy of the document for each of its elements, with that element."""
    root = etree.fromstring(DOCUMENTS[name][2])
    for place, _ in enumerate(root.iter()):
        copy = deepcopy(root)
        yield copy, list(copy.iter())[place]


@each_document
@pytest.mark.decision("xml-documents")
@pytest.mark.parametrize("own", [None, "http://acme.example/", SERVICE])
def test_documents_have_the_namespace_of_the_dialect_or_none(name, own):
    store = FakeStore(dialect=replace(DOCUMENT, xml_namespace=own), buckets=["photos"])
    document = DOCUMENTS[name][2]
    for namespace in {"http://acme.example/", SERVICE, SERVICE.rstrip("/")} - {own}:
        other = document.replace(">", f' xmlns="{namespace}">', 1)
        words = (f"<{etree.fromstring(document).tag}>", repr(namespace), "expected")
        expect_malformed(store, name, other, *words, "no namespace" if own is None else repr(own))
    assert status_of(put(store, name, document)) == 200
    if own is not None:
        assert status_of(put(store, name, document.replace(">", f' xmlns="{own}">', 1))) == 200


@pytest.mark.parametrize("dialect", [DOCUMENT, S3, replace(S3, xml_namespace="http://acme.example/")])
def test_document_of_a_reply_can_be_sent_back(dialect):
    store = FakeStore(dialect=dialect, base_url="http://objects.test", buckets=["photos"])
    store["photos"].object_ownership = "ObjectWriter"
    acl = send(store, "GET", "photos", "/?acl").body
    assert status_of(send(store, "PUT", "photos", "/?acl", body=bytes(acl))) == 200


def test_one_element_in_another_namespace_is_malformed(store):
    expect_malformed(store, "versioning", SMALL.replace("<Status>", '<Status xmlns="urn:x">'), "<Status>", "urn:x")


@each_document
@pytest.mark.decision("xml-documents")
def test_an_attribute_is_malformed_on_every_element(store, name):
    for document, node in changed(name):
        node.set("unit", "hours")
        expect_malformed(store, name, document, f"<{node.tag}>", "'unit'", "remove")


@each_document
def test_an_unknown_child_is_malformed_in_every_element(store, name):
    for document, node in changed(name):
        etree.SubElement(node, "Colour")
        expect_malformed(store, name, document, f"<{node.tag}>", "<Colour>", "expected")


@each_document
def test_text_between_elements_is_malformed(store, name):
    for document, node in changed(name):
        if len(node):
            node.text = " stray "
            expect_malformed(store, name, document, f"<{node.tag}>", "'stray'", "only elements")
            node.text, node[-1].tail = None, " stray "
            expect_malformed(store, name, document, f"<{node.tag}>", "'stray'", "only elements")


@each_document
def test_blanks_between_elements_and_comments_are_ignored(store, name):
    document = DOCUMENTS[name][2].replace("><", "><!-- a comment -->\n<").replace("><!-- a comment -->\n</", "></")
    assert status_of(put(store, name, document)) == 200


@each_document
def test_an_element_that_may_not_be_repeated_is_malformed_twice(store, name):
    for document, node in changed(name):
        if node is not document and node.tag not in DOCUMENTS[name][3]:
            node.addnext(deepcopy(node))
            parent = node.getparent().tag
            expect_malformed(store, name, document, f"<{parent}>", f"2 elements <{node.tag}>", "at most one")


@each_document
def test_elements_may_be_in_any_order(store, name):
    document = etree.fromstring(DOCUMENTS[name][2])
    for node in document.iter():
        node[:] = reversed(node)
    assert status_of(put(store, name, document)) == 200


@each_document
def test_a_required_element_that_is_missing_is_refused(store, name):
    refused = set()
    for document, node in changed(name):
        if node is not document:
            parent = node.getparent()
            parent.remove(node)
            if status_of(put(store, name, document)) != 200:
                refused.add(node.tag)
                assert f"<{parent.tag}>" in store.exchanges[-1].explanation
    assert refused == REQUIRED[name]


def test_an_invalid_text_is_malformed(store):
    for case in each(
        ("acl", "READ", "read", ["<Permission> in <Grant> is 'read'", "READ, WRITE, READ_ACP, WRITE_ACP or FULL_C"]),
        ("acl", 'xsi:type="CanonicalUser"', "", ["<Grantee> has no xsi:type", "AmazonCustomerByEmail or Group"]),
        ("acl", '"CanonicalUser"', '"User"', ["<Grantee> has the xsi:type 'User'", "CanonicalUser, Amazon"]),
        ("acl", '"CanonicalUser"', '"Group"', ["<Grantee>", "<ID>", "expected URI or DisplayName"]),
        ("acl", '"CanonicalUser"', '"AmazonCustomerByEmail"', ["<ID>", "expected EmailAddress or DisplayName"]),
        ("versioning", ">Enabled", ">enabled", ["<Status> in <VersioningConfiguration> is 'enabled'", "or Suspended"]),
        ("versioning", "Disabled", "", ["<MfaDelete>", "''", "expected Enabled or Disabled"]),
        ("lifecycle", "Enabled", "On", ["<Status> in <Rule> is 'On'", "expected Enabled or Disabled"]),
        ("delete", "false", "yes", ["<Quiet> in <Delete> is 'yes'", "expected true or false"]),
        ("delete", ">k<", "><", ["<Key> in <Object> is empty"]),
    ):
        with case as (name, valid, invalid, words):
            expect_malformed(store, name, DOCUMENTS[name][2].replace(valid, invalid), *words)


@pytest.mark.decision("xml-documents")
def test_another_document_is_malformed(store):
    for case in each(
        "",
        "photos",
        "<VersioningConfiguration>",
        "\ufffe",
        SMALL + SMALL,
        "<!DOCTYPE VersioningConfiguration>" + SMALL,
        '<!DOCTYPE v [<!ENTITY e "Enabled">]>' + SMALL.replace("Enabled", "&e;"),
        '<!DOCTYPE v [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + SMALL.replace("Enabled", "&e;"),
        SMALL.replace("Enabled", "&e;"),
        SMALL.replace("Enabled", "<Status>" * 300 + "</Status>" * 300),
        SMALL.replace("Versioning", "Version"),
    ):
        with case as document:
            expect_malformed(store, "versioning", document)


def test_a_versioning_without_status_has_an_error_of_its_own(store):
    reply = put(store, "versioning", "<VersioningConfiguration/>")
    assert outcome(reply) == (400, "IllegalVersioningConfigurationException")


@pytest.mark.decision("xml-documents", "create-bucket-document")
def test_an_element_of_the_public_service_is_unsupported(store):
    for name, parent, element in [
        ("location", "CreateBucketConfiguration", "Location"),
        ("location", "CreateBucketConfiguration", "Bucket"),
        ("delete", "Object", "LastModifiedTime"),
        ("delete", "Object", "Size"),
    ]:
        document = etree.fromstring(DOCUMENTS[name][2])
        node = next(document.iter(parent))
        known = [child.tag for child in node]
        etree.SubElement(node, element)
        with pytest.raises(UnsupportedRequest, match=f"^<{element}> in <{parent}> is not supported; .*{known[-1]}"):
            put(store, name, document)


def test_a_newer_element_of_a_setting_is_unsupported(store):
    store["photos"].versioning = "enabled"
    lock = "<ObjectLockEnabled>Enabled</ObjectLockEnabled>"
    rule = "<Role>role</Role><Rule><Status>Enabled</Status>"
    films = "<Destination><Bucket>arn:aws:s3:::films</Bucket>"
    for case in each(
        ("object-lock", f"<ObjectLockConfiguration>{lock}<Rule><DefaultRetention>", "DefaultEventHold"),
        ("replication", f"<ReplicationConfiguration>{rule}<Filter>", "Not"),
        ("replication", f"<ReplicationConfiguration>{rule}<Filter><And>", "Not"),
        (
            "replication",
            f"<ReplicationConfiguration>{rule}{films}<EncryptionConfiguration>",
            "UseSourceMultiRegionKey",
        ),
    ):
        with case as (setting, beginning, element):
            parser = etree.XMLParser(recover=True)  # closes the open elements
            body = etree.tostring(etree.fromstring(f"{beginning}<{element}/>", parser))
            with pytest.raises(UnsupportedRequest, match=f"^<{element}> in <.*> is not supported"):
                send(store, "PUT", "photos", f"/?{setting}", body=body)


@pytest.mark.parametrize("inner", ["<LocationConstraint/>", "", "\n"])
@pytest.mark.decision("create-bucket-document")
def test_a_bucket_may_be_created_without_a_location(store, inner):
    tag = "CreateBucketConfiguration"
    document = f"<{tag}>{inner}</{tag}>"
    assert status_of(send(store, "PUT", "films", body=document.encode())) == 200
    assert list(store.buckets) == ["films", "photos"]


def test_a_document_over_2_mib_is_refused(store):
    for case in each("versioning", "lifecycle", "acl"):
        with case as name:
            assert outcome(put(store, name, " " * (2 * 1024 * 1024 + 1))) == (400, "EntityTooLarge")


def test_as_many_objects_as_permitted_are_deleted_and_no_more(store):
    objects = ["<Object><Key>k</Key></Object>"] * 1001
    assert status_of(put(store, "delete", f"<Delete>{''.join(objects[1:])}</Delete>")) == 200
    expect_malformed(store, "delete", f"<Delete>{''.join(objects)}</Delete>", "<Object>", "1,001", "1 to 1,000")
    expect_malformed(store, "delete", "<Delete/>", "<Object>", "0 elements", "1 to 1,000")


def test_an_empty_list_of_grants_is_accepted(store):
    document = "<AccessControlPolicy><Owner><ID>OWNER</ID></Owner><AccessControlList/></AccessControlPolicy>"
    assert status_of(put(store, "acl", document)) == 200
    assert b"<AccessControlList></AccessControlList>" in body_of(send(store, "GET", "photos", "/?acl"))


@pytest.mark.parametrize("body", [b"meow", b"<svg/>"])
def test_an_object_for_a_path_without_a_key_is_explained(store, body):
    assert outcome(send(store, "PUT", "photos", body=body)) == (400, "MalformedXML")
    assert "The path names no key" in store.exchanges[-1].explanation
    assert "%2F" in store.exchanges[-1].explanation


def test_a_wrong_element_of_a_new_bucket_is_explained_without_a_hint(store):
    body = b"<CreateBucketConfiguration><Other/></CreateBucketConfiguration>"
    assert outcome(send(store, "PUT", "films", body=body)) == (400, "MalformedXML")
    assert "names no key" not in store.exchanges[-1].explanation


@pytest.mark.parametrize(
    ("body", "place"), [(b"", "1, column 1"), (b"<a>\n\n</b>", "3, column 5"), (b"\0", "1, column 1")]
)
def test_an_explanation_states_where_a_document_is_not_xml(store, body, place):
    assert outcome(send(store, "PUT", "photos", "/?versioning", body=body)) == (400, "MalformedXML")
    assert store.exchanges[-1].explanation == f"the body is not well-formed XML (line {place})"
