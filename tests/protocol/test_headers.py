"""Header fields: how they are compared and joined, blanks around values, and what requests cannot send."""

from __future__ import annotations

from enum import Enum

import pytest
import requests

from fakestore.http import Headers
from tests.support.cases import each
from tests.support.wire import md5_base64, send

decision = pytest.mark.decision

#: UTF-8 whose first or last bytes look blank to `str.strip` if they are read as ISO-8859-1.
LOOKS_BLANK = ["voilà", "…", "Å", "\xa0x\xa0"]


class WithHeaders(requests.auth.AuthBase):
    """Adds headers after requests has checked those of the caller, as a signer does."""

    def __init__(self, store, headers):
        self.auth, self.headers = store.auth(), headers

    def __call__(self, prepared):
        prepared.headers.update(self.headers)
        return self.auth(prepared)


def put(store, headers):
    return store.session().put(store.url("photos", "cat"), data=b"meow", auth=WithHeaders(store, headers))


# -- as values


def test_headers_are_found_without_regard_to_case():
    headers = Headers([("Content-MD5", "x")])
    for name in ("Content-MD5", "content-md5"):
        assert (headers[name], headers.get(name), name in headers) == ("x", "x", True)
    with pytest.raises(KeyError):
        headers["B"]
    assert (headers.get("B"), headers.get("B", "2"), "B" in headers) == (None, "2", False)


def test_headers_join_the_values_of_a_name_sent_twice():
    headers = Headers([("A", " \t1 "), ("b", "2"), ("a", "  3")])
    assert list(headers.items()) == [("a", "1,3"), ("b", "2")]
    assert headers.fields == (("A", " \t1 "), ("b", "2"), ("a", "  3"))
    assert headers == {"B": "2", "a": "1,3"}
    assert headers != {"a": "1,3"}


@decision("invalid-headers")
def test_a_header_that_http_does_not_allow_is_refused(store):
    for name in ["a b", "a(b)", "x-svc-meta-{a}", "x-svc-meta-a/b", "a\x7f", "[a]", "a\tb"]:
        reply = put(store, {name: "1"})
        assert (reply.status_code, store.exchanges[-1].error_code) == (400, "BadRequest")
        assert repr(name.lower()) in store.exchanges[-1].explanation
    for value in ["a\0b", "a\x01", "\x1f", "a\x7fb"]:
        assert put(store, {"x-svc-meta-a": value}).status_code == 400
        assert "value of the header x-svc-meta-a has a control character" in store.exchanges[-1].explanation
    assert put(store, {"x-svc-meta-!#$%&'*+.^_`|~-": "1\t\x80"}).status_code == 200


# -- blanks


@decision("blanks-around-values")
@pytest.mark.parametrize("kind", [str, str.encode], ids=["text", "bytes"])
def test_blanks_around_a_value_do_not_belong_to_it(store, kind):
    values = {
        "x-svc-acl": "private",
        "x-svc-storage-class": "STANDARD",
        "Content-MD5": md5_base64(b"meow"),
        "Content-Length": "4",
        "Expires": "5",
        "Expect": "100-continue",
        "Host": "photos.objects.test",
        "If-None-Match": "*",
        "x-svc-meta-a": "1",
        "x-svc-meta-empty": "",
    }
    put(store, {name: kind(f"\t {value} \t") for name, value in values.items()})
    assert (store.exchanges[-1].status, store.exchanges[-1].error_code) == (200, None)
    assert store["photos"]["cat"].metadata == {"a": "1", "empty": ""}


@decision("blanks-around-values")
def test_bytes_that_look_blank_belong_to_the_value(store):
    for case in each(*LOOKS_BLANK):
        with case as value:
            put(store, {"x-svc-meta-a": value.encode()})
            text = value.encode().decode("latin-1")
            assert store["photos"]["cat"].metadata == {"a": text}
            assert store["photos"].put("copy", metadata={"a": f" \t{text}\t "}).metadata == {"a": text}


# -- what requests cannot send


@decision("requests-that-cannot-be-sent")
def test_name_beyond_ascii_is_not_sent(store):
    for name in ["x-svc-meta-é", "x-svc-meta-\N{KELVIN SIGN}"]:
        with pytest.raises(UnicodeEncodeError):
            store.session().put(store.url("photos", "cat"), data=b"meow", headers={name: "1"})
        assert list(store.exchanges) == []


@decision("requests-that-cannot-be-sent")
def test_value_beyond_latin_1_is_not_sent(store):
    with pytest.raises(UnicodeEncodeError):
        store.session().put(store.url("photos", "cat"), data=b"meow", headers={"x-svc-meta-a": "猫"})
    assert list(store.exchanges) == []


@decision("requests-that-cannot-be-sent")
def test_line_break_or_invalid_name_is_not_sent(store):
    for name, value in [
        ("x svc:a", "1"),
        ("a\r\nb", "1"),
        ("", "1"),
        ("a", "a\r\nb"),
        ("a", b"a\nb"),
        ("a", "é\rb"),
        ("a", "a\r\n b"),
    ]:
        with pytest.raises(ValueError, match="Invalid header"):
            put(store, {name: value})
        assert list(store.exchanges) == []


@decision("requests-that-cannot-be-sent")
def test_value_that_is_not_text_a_buffer_or_an_integer_is_not_sent(store):
    for value in (None, 2.5, ["red"]):
        with pytest.raises(TypeError, match=type(value).__name__):
            put(store, {"x-svc-meta-colour": value})
        assert list(store.exchanges) == []


@decision("requests-that-cannot-be-sent")
def test_method_that_is_not_a_token_is_not_sent(store):
    for case in each("GE T", "G\x7fT", "GÄT"):
        with case as method:
            with pytest.raises(ValueError, match="Method cannot contain non-token characters"):
                requests.request(method, store.url("photos", "cat"))
    assert (list(store.exchanges), list(store.unhandled_requests)) == ([], [])


def test_number_is_sent_as_its_digits(store):
    put(store, {"Expires": 5})
    assert store["photos"]["cat"].expires == 5


def test_member_of_a_text_enum_is_sent_as_its_value(store):
    class Colour(str, Enum):  # noqa: UP042  (str() of a StrEnum is its value)
        RED = "red"

    put(store, {"x-svc-meta-colour": Colour.RED})
    assert store["photos"]["cat"].metadata == {"colour": "red"}


def test_headers_of_a_prepared_request_may_be_a_dictionary(store):
    prepared = requests.Request("PUT", store.url("photos", "cat"), data=b"meow").prepare()
    prepared.headers = {"Content-Length": "4", "x-svc-meta-colour": "red"}
    store.session().send(store.auth()(prepared)).raise_for_status()
    assert store["photos"]["cat"].metadata == {"colour": "red"}


def test_buffer_is_sent_as_its_bytes(store):
    for case in each(b"red", bytearray(b"red"), memoryview(b"red")):
        with case as value:
            put(store, {"x-svc-meta-colour": value})
            assert store["photos"]["cat"].metadata == {"colour": "red"}


def test_expires_of_too_many_digits_explains_the_limit(store):
    send(store, "PUT", "photos", "/cat", {"Expires": "1" * 19})
    assert "Expires" in store.exchanges[-1].explanation
    assert "18" in store.exchanges[-1].explanation
