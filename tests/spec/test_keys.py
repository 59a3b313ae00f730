"""Keys (specification, section 2.1): any text of at most 1,024 bytes, which is never normalised."""

from __future__ import annotations

from itertools import product
from urllib.parse import quote, unquote_plus

import pytest

from tests.support.cases import each
from tests.support.state import state_of
from tests.support.wire import outcome, send, texts

statement = pytest.mark.statement
decision = pytest.mark.decision

#: Keys that a careless server, proxy or client confuses with each other.
KEYS = [
    *("a/b", "a//b", "a%2Fb", "a%252Fb", "a b", "a+b", "a%20b", "a&b", "a=b", "a?b", "a#b", "a%", "%zz", "a;b"),
    *("/a", "//a", "a", "A", "a/", "/", "//", ".", "..", "a/./b", "a/../b", "../a"),
    *("ключ", "猫", "🐈", "é", "e\u0301", "\u00a0", "a\tb", "a\nb", "\x7f", "~-_.!*'()", '"<>\\^`{|}'),
    *("acl", "versionId=null", "x" * 1024, "é" * 512),
]
LISTINGS = ["/?encoding-type=url", "/?list-type=2&encoding-type=url", "/?versions&encoding-type=url"]


@statement("1-01", "1-03", "2.1-01", "3-04", "4-03", "4.1-01")
@decision("object-keys")
def test_keys_that_look_alike_are_different_objects(store, session):
    for number, key in enumerate(KEYS):
        assert session.put(store.url("photos", key), data=b"%d" % number).status_code == 200
        assert store.exchanges[-1].key == key
    assert sorted(store["photos"]) == sorted(KEYS)
    for case in each(*LISTINGS):
        with case as listing:
            answer = send(store, "GET", "photos", listing)
            listed = [*texts(answer, "Contents/Key"), *texts(answer, "Version/Key")]
            assert sorted(map(unquote_plus, listed)) == sorted(KEYS)
    for number, key in enumerate(KEYS):
        assert session.get(store.url("photos", key)).content == b"%d" % number
        assert session.delete(store.url("photos", key)).status_code == 204
        assert len(store["photos"]) == len(KEYS) - number - 1


@statement("2.1-01")
@decision("object-keys")
@pytest.mark.parametrize(
    ("target", "key"),
    [
        ("//a", "/a"),
        ("/a//b", "a//b"),
        ("/a/../b", "a/../b"),
        ("/a+b", "a+b"),
        ("/%61%2fb", "a/b"),
        ("/a%252Fb", "a%2Fb"),
        ("/" + "".join(f"%{byte:02x}" for byte in "100% 猫?#".encode()), "100% 猫?#"),
    ],
)
def test_path_is_decoded_once_and_never_normalised(store, target, key):
    send(store, "PUT", "photos", target, body=b"meow")
    assert list(store["photos"]) == [key]
    assert send(store, "GET", "photos", "/" + quote(key, safe="")).body == b"meow"


@statement("2.1-01")
@decision("object-keys")
def test_path_that_is_not_utf_8_is_refused(store):
    for method in ["PUT", "DELETE", "GET"]:
        for target in ["/%ff", "/a%c3", "/%ed%a0%80", "/%c0%af"]:
            assert outcome(send(store, method, "photos", target)) == (400, "InvalidURI")
            assert list(store["photos"]) == []


@statement("7-01", "7-02", "7-03", "7-04")
@decision("object-keys")
def test_key_of_more_than_1024_bytes_is_refused(store):
    store["photos"].put("cat.jpg", b"meow")
    before = state_of(store)
    for case in each(
        *product(
            [
                ("PUT", "", {}),
                ("PUT", "", {"x-svc-copy-source": "/photos/cat.jpg"}),
                ("DELETE", "", {}),
                ("GET", "?acl", {}),
            ],
            ("x" * 1025, "é" * 512 + "x", "🐈" * 257),
        )
    ):
        with case as ((method, query, headers), key):
            assert outcome(send(store, method, "photos", f"/{quote(key)}{query}", headers)) == (400, "KeyTooLongError")
            assert send(store, "HEAD", "photos", f"/{quote(key)}").status == 400
    assert state_of(store) == before
