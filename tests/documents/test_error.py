"""The Error document: it is well-formed whatever the request contained."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from lxml import etree

from tests.support.cases import each
from tests.support.wire import body_of, send

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
CONTROLS = [chr(code) for code in range(0x20)]
WRITABLE = "\t\n\r"


def read(reply):
    """Return the elements of an Error document, as two strict parsers read them."""
    elements = {node.tag: node.text or "" for node in ElementTree.fromstring(body_of(reply))}
    assert elements == {node.tag: node.text or "" for node in etree.fromstring(body_of(reply))}
    return elements


@pytest.mark.decision("characters-invalid-in-xml")
def test_characters_that_xml_cannot_write_are_replaced(store):
    others = "\x7f\x85\xa0\ufffd\ufffe\uffff\U0001f408"
    text = "".join([*CONTROLS, *others])
    expected = "".join(REPLACEMENT if each in {*CONTROLS, "\ufffe", "\uffff"} - {*WRITABLE} else each for each in text)
    quoted = "".join(f"%{byte:02X}" for byte in text.encode())
    elements = read(send(store, "GET", "photos", f"/cat?versionId={quoted}"))
    assert (elements["Code"], elements["ArgumentValue"]) == ("InvalidArgument", expected)


def test_a_strange_target_gets_an_error_that_can_be_read(store):
    for case in each("/\ud800", "/cat?versionId=\udfff", "/\x00\x1f", "/%00%1F%EF%BF%BE"):
        with case as target:
            elements = read(send(store, "GET", "photos", target))
            assert elements["Code"] in ("InvalidURI", "NoSuchKey", "InvalidArgument")


def test_the_resource_is_the_path_as_it_was_sent(store):
    assert read(send(store, "GET", "photos", "/a%00b%20%C3%A9"))["Resource"] == "/photos/a%00b%20%C3%A9"


def test_an_error_names_the_ids_of_its_reply(store):
    reply = send(store, "GET", "photos", "/missing")
    elements = read(reply)
    assert (elements["RequestId"], elements["HostId"]) == (
        reply.headers["x-svc-request-id"],
        reply.headers["x-svc-id-2"],
    )


def test_a_marker_by_its_id_is_not_a_resource_to_get(store):
    photos = store["photos"]
    photos.versioning = "enabled"
    marker = photos.delete("k")
    elements = read(send(store, "GET", "photos", f"/k?versionId={marker.version_id}"))
    assert (elements["Method"], elements["ResourceType"]) == ("GET", "DeleteMarker")
