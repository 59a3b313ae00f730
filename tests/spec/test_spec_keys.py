"""Keys (specification, section 2.1): bytes that nobody normalises."""

from __future__ import annotations

from urllib.parse import quote, unquote_plus

import pytest
from lxml import etree

from tests.spec.arrange import holdings, put_fields, refusal, wire

statement = pytest.mark.statement

#: Keys that a careless server, proxy or client takes for one another.
KEYS = [
    "a/b",
    "a//b",
    "a%2Fb",
    "a%252Fb",
    "a b",
    "a+b",
    "a%20b",
    "a&b",
    "a=b",
    "a?b",
    "a#b",
    "a%",
    "%",
    "%zz",
    "a;b",
    "/a",
    "//a",
    "a",
    "A",
    "a/",
    "/",
    "//",
    ".",
    "..",
    "a/./b",
    "a/../b",
    "../a",
    "ключ",
    "猫",
    "🐈",
    "é",
    "e\u0301",
    "\u00a0",
    "a\tb",
    "a\nb",
    "\x7f",
    "~-_.!*'()",
    '"<>\\^`{|}',
    "acl",
    "versionId=null",
    "x" * 1024,
    "é" * 512,
]


def listed(store, session):
    """The keys that each of the three kinds of listing tells, percent-encoded on the way, for XML cannot hold all."""
    found = []
    for kind in ({}, {"list_type": 2}, {"versions": None}):
        answer = session.get(store.url("photos", encoding_type="url", **kind))
        found += [unquote_plus(each.text) for each in etree.fromstring(answer.content).iter("Key")]
    return found


@statement("2.1-01", "4-03")
@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_stored_read_listed_and_deleted_as_it_is(store, session, key):
    url = store.url("photos", key)
    assert session.put(url, data=b"meow").status_code == 200
    assert (session.get(url).content, store.exchanges[-1].key) == (b"meow", key)
    assert (list(store["photos"]), listed(store, session)) == ([key], [key] * 3)
    assert session.delete(url).status_code == 204
    assert (list(store["photos"]), listed(store, session)) == ([], [])


@statement("1-01", "2.1-01")
def test_keys_that_look_alike_are_different_objects(store, session):
    for number, key in enumerate(KEYS):
        session.put(store.url("photos", key), data=b"%d" % number)
    assert [session.get(store.url("photos", key)).content for key in KEYS] == [
        b"%d" % each for each in range(len(KEYS))
    ]
    assert len(store["photos"]) == len(KEYS)


@statement("2.1-01")
@pytest.mark.parametrize(
    "key", [key for key in KEYS if key not in (".", "..") and "/./" not in key and "../" not in key]
)
def test_a_key_is_decoded_once_however_much_of_it_is_encoded(store, key):
    every_byte = "/" + "".join(f"%{byte:02x}" for byte in key.encode())
    wire(store, "PUT", "photos", every_byte, put_fields(b"all of it"), b"all of it")
    assert list(store["photos"]) == [key]
    assert wire(store, "GET", "photos", "/" + quote(key, safe="")).body == b"all of it"


@statement("2.1-01")
@pytest.mark.parametrize(
    ("target", "key"),
    [("//a", "/a"), ("/a//b", "a//b"), ("/a/../b", "a/../b"), ("/a+b", "a+b"), ("/%61", "a"), ("/a%2fb", "a/b")],
)
def test_a_path_on_the_wire_is_never_normalised(store, target, key):
    wire(store, "PUT", "photos", target, put_fields())
    assert list(store["photos"]) == [key]


@statement("2.1-01")
@pytest.mark.parametrize("target", ["/%ff", "/a%c3", "/%ed%a0%80", "/%c0%af"])
@pytest.mark.parametrize("method", ["PUT", "DELETE", "GET"])
def test_a_path_that_is_no_utf_8_is_refused(store, method, target):
    before = holdings(store)
    assert refusal(wire(store, method, "photos", target, put_fields())) == (400, "InvalidURI")
    assert holdings(store) == before


@statement("7-01", "7-02", "7-03", "7-04")
@pytest.mark.parametrize("key", ["x" * 1025, "é" * 512 + "x", "🐈" * 257])
@pytest.mark.parametrize(
    ("method", "query", "fields"),
    [
        ("PUT", "", [("Content-Length", "0")]),
        ("PUT", "", [("x-svc-copy-source", "/photos/cat.jpg")]),
        ("DELETE", "", []),
        ("GET", "?acl", []),
    ],
    ids=["put", "copy", "delete", "acl"],
)
def test_a_key_of_more_than_1024_bytes_is_refused(store, method, query, fields, key):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    answer = wire(store, method, "photos", f"/{quote(key)}{query}", fields)
    assert refusal(answer) == (400, "KeyTooLongError")
    assert holdings(store) == before
