"""Header fields as they leave `requests`: the blanks around a value, bytes that only look blank, and names."""

from __future__ import annotations

import hashlib
from base64 import b64encode

import pytest
import requests
from fakestore.http.messages import Headers

from fakestore import FakeStore, Limits, fake_store

#: UTF-8 whose last or first bytes are, read as ISO-8859-1, blanks to ``str.strip``: A0, 85, and 1C of the controls.
LOOKS_BLANK = ["voilà", "…", "à", "Å", "\x85", "\xa0x\xa0", "\x1cx\x1c"]


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


class Adds(requests.auth.AuthBase):
    """Adds headers behind the back of what `requests` checks, as a signer does."""

    def __init__(self, store, headers):
        self._auth, self._headers = store.auth(), headers

    def __call__(self, prepared):
        prepared.headers.update(self._headers)
        return self._auth(prepared)


def put(store, headers, **given):
    return store.session().put(store.url("photos", "cat"), data=b"meow", headers=headers, **given)


@pytest.mark.parametrize("value", LOOKS_BLANK)
def test_bytes_that_look_blank_are_part_of_user_metadata(fakestore, value):
    put(fakestore, {"x-svc-meta-a": value.encode()})
    assert fakestore["photos"]["cat"].metadata == {"a": value.encode().decode("latin-1")}


@pytest.mark.parametrize("value", LOOKS_BLANK)
def test_python_keeps_what_looks_blank_as_http_does(fakestore, value):
    text = value.encode().decode("latin-1")
    assert fakestore["photos"].put("cat", metadata={"a": text}).metadata == {"a": text}


@pytest.mark.parametrize("value", [" \tx y\t ", "x y ", "\tx y", "x y"])
def test_python_strips_blanks_and_tabs_around_user_metadata(fakestore, value):
    assert fakestore["photos"].put("cat", metadata={"a": value}).metadata == {"a": "x y"}


@pytest.mark.parametrize("kind", [str, str.encode], ids=["text", "bytes"])
@pytest.mark.parametrize("before", ["", " ", "\t "])
@pytest.mark.parametrize("behind", ["", " ", " \t"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-svc-acl", "private"),
        ("x-svc-storage-class", "STANDARD"),
        ("Content-MD5", b64encode(hashlib.md5(b"meow").digest()).decode()),
        ("Content-Length", "4"),
        ("Expires", "5"),
        ("Expect", "100-continue"),
        ("Host", "photos.objects.test"),
        ("If-None-Match", "*"),
        ("x-svc-meta-a", "1"),
    ],
)
def test_blanks_around_a_value_are_no_part_of_it(fakestore, name, value, before, behind, kind):
    put(fakestore, {}, auth=Adds(fakestore, {name: kind(before + value + behind)}))
    assert (fakestore.exchanges[-1].status, fakestore.exchanges[-1].error_code) == (200, None)


@pytest.mark.parametrize("value", [" ", "\t", ""])
def test_a_value_of_blanks_alone_is_empty(fakestore, value):
    put(fakestore, {}, auth=Adds(fakestore, {"x-svc-meta-a": value}))
    assert fakestore["photos"]["cat"].metadata == {"a": ""}


def test_blanks_around_a_value_count_to_the_header_section_as_they_were_sent():
    fields = [("Host", "x"), ("a", " \t1 "), ("A", "  2"), ("b", "")]
    assert Headers(fields).size == sum(len(f"{name}: {value}\r\n") for name, value in fields)
    assert list(Headers(fields).items()) == [("host", "x"), ("a", "1,2"), ("b", "")]


@pytest.mark.parametrize("name", ["x-svc-meta-é", "x-svc-meta-\N{KELVIN SIGN}", "X-Plain-日"])
def test_a_name_beyond_ascii_is_not_sent(fakestore, name):
    with pytest.raises(UnicodeEncodeError, match="'ascii' codec can't encode character"):
        put(fakestore, {name: "1"})
    assert (list(fakestore["photos"]), list(fakestore.exchanges)) == ([], [])


@pytest.mark.parametrize("name", ["x svc:a", "a\r\nb", ""])
def test_a_name_that_no_line_can_begin_with_is_not_sent(fakestore, name):
    with pytest.raises(ValueError, match=r"^Invalid header name b'"):
        put(fakestore, {}, auth=Adds(fakestore, {name: "1"}))


@pytest.mark.parametrize("value", ["a\r\nb", b"a\nb", "é\rb"])
def test_a_value_with_a_line_break_is_not_sent(fakestore, value):
    with pytest.raises(ValueError, match=r"^Invalid header value b'"):
        put(fakestore, {}, auth=Adds(fakestore, {"x-svc-meta-a": value}))


def test_a_number_is_sent_as_its_digits(fakestore):
    put(fakestore, {}, auth=Adds(fakestore, {"Expires": 5}))
    assert fakestore["photos"]["cat"].expires == 5


@pytest.mark.parametrize(
    "value", [("é" * 1000).encode(), "é" * 1000, ("é" * 1023 + "a").encode(), "é" * 1023 + "a", "a" * 2047, b"a" * 2048]
)
def test_python_and_http_count_user_metadata_alike(value):
    def by_http():
        put(store, {"x-svc-meta-a": value})
        return store.exchanges[-1].error_code is None

    def by_python():
        text = value if isinstance(value, str) else value.decode("latin-1")
        try:
            store["photos"].put("other", metadata={"a": text})
        except ValueError:
            return False
        return True

    with fake_store(buckets=["photos"]) as store:
        assert by_python() == by_http()


def test_what_was_read_can_be_put_again():
    with fake_store(buckets=["photos"]) as store:
        put(store, {"x-svc-meta-a": ("é" * 1000).encode()})
        metadata = store["photos"]["cat"].metadata
        assert store["photos"].put("copy", metadata=metadata).metadata == metadata


def test_blanks_around_user_metadata_do_not_count_to_its_limit():
    store = FakeStore(buckets=["photos"], limits=Limits(metadata=2))
    assert store["photos"].put("cat", metadata={"a": "  1  "}).metadata == {"a": "1"}


@pytest.mark.parametrize("value", ["007", "0", "00", "999999999999999999"])
def test_expires_comes_back_as_it_was_sent(fakestore, value):
    put(fakestore, {"Expires": value})
    read = fakestore.session().get(fakestore.url("photos", "cat"))
    assert (read.headers["Expires"], fakestore["photos"]["cat"].expires) == (value, int(value))


def test_expires_comes_back_from_a_copy_as_it_was_sent(fakestore):
    put(fakestore, {"Expires": "007"})
    fakestore.session().put(fakestore.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/cat"})
    assert fakestore.session().get(fakestore.url("photos", "copy")).headers["Expires"] == "007"


def test_a_number_of_too_many_digits_is_called_that(fakestore):
    put(fakestore, {"Expires": "1" * 19})
    assert (fakestore.exchanges[-1].status, fakestore.exchanges[-1].explanation) == (
        400,
        "Expires is '1111111111111111111'; it is an integer of at most 18 digits, the number of milliseconds before"
        " expiration",
    )
