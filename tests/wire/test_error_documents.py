"""The Error document: whatever a request had in it, it can be read."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from lxml import etree

from fakestore import FakeStore, faults
from fakestore.documents.error import error_document, error_reply
from fakestore.http import Headers, Request
from fakestore.model.errors import ERRORS, INVALID_ARGUMENT, METHOD_NOT_ALLOWED
from fakestore.model.object_version import DeleteMarker
from fakestore.protocol.dialect import DOCUMENT
from tests.facts import replay

IDS = ("0123456789ABCDEF", "id-2")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
CONTROLS = [chr(code) for code in range(0x20)]
WRITABLE = "\t\n\r"
OTHERS = ["\x7f", "\x85", "\ud800", "\udbff", "\udc00", "\udfff", "\ufffe", "\uffff", "\ufffd", "\U0001f408"]
SURROGATES = [chr(code) for code in range(0xD800, 0xE000)]
#: Those that XML 1.0 has no way to write.
UNWRITABLE = {*CONTROLS, *SURROGATES, "\ufffe", "\uffff"} - set(WRITABLE)


def read(document: bytes) -> dict[str, str]:
    """The elements of an Error document, by a parser that forgives nothing."""
    elements = {node.tag: node.text or "" for node in ElementTree.fromstring(document)}
    assert elements == {node.tag: node.text or "" for node in etree.fromstring(document)}
    return elements


@pytest.mark.parametrize("character", CONTROLS + OTHERS, ids=ascii)
def test_what_xml_cannot_carry_is_replaced_and_all_else_is_told_as_it_was(character):
    text = f"a{character}b"
    refusal = INVALID_ARGUMENT.error(text, ArgumentValue=text)
    told = f"a{REPLACEMENT}b" if character in UNWRITABLE else text
    assert read(error_document(refusal, text, IDS)) == {
        "Code": "InvalidArgument",
        "Message": told,
        "ArgumentValue": told,
        "Resource": told,
        "RequestId": IDS[0],
        "HostId": IDS[1],
    }


def test_every_surrogate_is_replaced():
    refusal = INVALID_ARGUMENT.error(ArgumentValue="".join(SURROGATES))
    assert read(error_document(refusal, "/", IDS))["ArgumentValue"] == REPLACEMENT * 2048


@pytest.mark.parametrize("character", CONTROLS, ids=ascii)
def test_a_control_character_in_a_version_id_gets_an_error_that_can_be_read(character):
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())
        answer = session.get(f"{store.url('photos', 'cat.jpg')}?versionId=%{ord(character):02x}")
    assert read(answer.content)["ArgumentValue"] == (REPLACEMENT if character in UNWRITABLE else character)


@pytest.mark.parametrize("character", CONTROLS, ids=ascii)
def test_a_control_character_in_a_key_gets_an_error_that_can_be_read(character):
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())
        answer = session.get(store.url("photos", f"a{character}b"))
    elements = read(answer.content)
    assert (elements["Code"], elements["Resource"]) == ("NoSuchKey", f"/photos/a%{ord(character):02X}b")


@pytest.mark.parametrize("target", ["/\ud800", "/cat?versionId=\udfff", "/\x00\x1f"], ids=ascii)
def test_a_target_that_no_client_should_send_gets_an_error_that_can_be_read(target):
    store = FakeStore(buckets=["photos"], max_clock_skew=None)
    sent = {"Authorization": f"SVC {store.default_account.access_key_id}:s", "Date": "Sat, 21 Nov 2026 12:00:00 GMT"}
    request = Request("GET", "http", "photos.objects.test", target, Headers(sent.items()))
    assert read(bytes(store._service.handle(request).body))["Code"] in ("InvalidURI", "NoSuchKey", "InvalidArgument")


def test_a_refusal_is_answered_twice_alike_and_stays_as_it_was():
    account = FakeStore().default_account
    marker = DeleteMarker(key="k", version_id="id", last_modified=None, owner=account)
    refusal = METHOD_NOT_ALLOWED.error(marker=marker)
    first = error_reply(refusal, "/photos/k", IDS, DOCUMENT, "GET")
    second = error_reply(refusal, "/photos/k", IDS, DOCUMENT, "GET")
    assert (first.body, refusal.elements) == (second.body, {})


#: The messages that no fact of ``tests/facts`` holds.
MESSAGES = {
    "AccessDenied": "Access Denied",
    "AmbiguousGrantByEmailAddress": "The e-mail address you provided is associated with more than one account.",
    "BucketAlreadyExists": "The requested bucket name is not available. Select a different name and try again.",
    "BucketAlreadyOwnedByYou": "Your previous request to create the named bucket succeeded and you already own it.",
    "EntityTooLarge": "Your proposed upload exceeds the maximum allowed size",
    "ExpectationFailed": "The expectation given in the Expect header could not be met.",
    "IllegalVersioningConfigurationException": "The Versioning configuration specified in the request is invalid.",
    "IncompleteBody": "You did not provide the number of bytes specified by the Content-Length HTTP header.",
    "InternalError": "We encountered an internal error. Please try again.",
    "InvalidAccessKeyId": "The access key id you provided does not exist in our records.",
    "InvalidArgument": "Invalid Argument",
    "InvalidBucketName": "The specified bucket is not valid.",
    "InvalidPolicyDocument": "The content of the form does not meet the conditions specified in the policy.",
    "InvalidRequest": "Invalid Request",
    "InvalidURI": "Couldn't parse the specified URI.",
    "KeyTooLongError": "Your key is too long",
    "MetadataTooLarge": "Your metadata headers exceed the maximum allowed metadata size",
    "MissingContentLength": "You must provide the Content-Length HTTP header.",
    "RequestHeaderSectionTooLarge": "Your request header section exceeds the maximum allowed size",
    "RequestTimeTooSkewed": "The difference between the request time and the server's time is too large.",
    "RequestTimeout": "Your socket connection to the server was not read from or written to within the timeout period.",
    "ServiceUnavailable": "Service is unable to handle request.",
    "SignatureDoesNotMatch": "The request signature we calculated does not match the signature you provided."
    " Check your key and signing method.",
    "SlowDown": "Please reduce your request rate.",
    "UnresolvableGrantByEmailAddress": "The e-mail address you provided does not match any account on record.",
}


@pytest.mark.parametrize("code", MESSAGES)
def test_an_error_has_the_message_of_its_code(code):
    store = FakeStore()
    store.fail(None, faults.ServiceError(code))
    with store.session() as session:
        session.mount("http://", store.adapter())
        elements = read(session.get(store.base_url).content)
    assert (elements["Code"], elements["Message"]) == (code, MESSAGES[code])


def test_every_other_message_is_a_recorded_one():
    answers = [fact["answer"] for topic in replay.topics() for fact in replay.load(topic)]
    recorded = {tuple(answer["error"][:2]) for answer in answers if "error" in answer}
    assert {code for code, row in ERRORS.items() if (code, row.message) not in recorded} == set(MESSAGES)
