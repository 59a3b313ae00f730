"""User metadata in the dialect S3: text of any script arrives, and what is sent is always a header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore import FakeStore
from fakestore.http import Request
from tests.support.access import open_bucket
from tests.support.cases import each
from tests.support.wire import outcome

HEADER = "x-amz-meta-text"


class Metadata:
    """Puts metadata on an object of a store, and reads it with GET."""

    def __init__(self):
        self.store = FakeStore(dialect="s3", buckets=["photos"])
        open_bucket(self.store)
        self.bucket = self.store["photos"]
        self.url = self.store.url("photos", "cat.jpg")

    def get(self):
        return self.store.handle(Request.to_url("GET", self.url)).headers[HEADER]

    def put_and_get(self, value):
        """Return the metadata as Python sees it and as GET sends it."""
        self.bucket.acl = "public-read-write"
        headers = {HEADER: value, "content-length": "0"}
        assert self.store.handle(Request.to_url("PUT", self.url, headers=headers)).status == 200
        return self.bucket["cat.jpg"].metadata["text"], self.get()


@given(st.text(st.characters(codec="utf-8")))
def test_a_client_that_decodes_it_reads_back_any_text(text):
    metadata = Metadata()
    metadata.bucket.put("cat.jpg", metadata={"text": text}, acl="public-read")
    sent = metadata.get()
    assert sent.isascii()
    assert sent.replace("\t", "").isprintable()
    if sent != text.strip(" \t"):
        assert metadata.put_and_get(sent)[0] == text.strip(" \t")


@given(
    st.sampled_from(["utf-8", "UTF-8", "utf-7", "idna", "zlib", "undefined", "iso-8859-1"]),
    st.sampled_from("BbQqX"),
    st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f")),
)
def test_malformed_encoded_word_is_no_error(charset, encoding, text):
    stored, sent = Metadata().put_and_get(f"=?{charset}?{encoding}?{text}?=")
    assert sent.isascii()
    assert stored == stored.encode().decode()


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("=?utf-8?q?a_b?=", "a b"),
        ("=?UTF-8?Q?a?= =?UTF-8?Q?b?=", "ab"),
        ("plain =?UTF-8?B?w6k=?= text", "plain é text"),
        ("=?utf-7?Q?a?=", "=?utf-7?Q?a?="),
        ("café".encode().decode("latin-1"), "café"),
    ],
)
def test_encoded_words_are_decoded(sent, stored):
    assert Metadata().put_and_get(sent)[0] == stored


def test_header_that_a_url_asks_for_is_a_valid_header(s3):
    s3.put("/cat.jpg")
    for case in each("text/plain\r\nX-Evil: 1", "a\tb", "\x7f"):
        with case as value:
            assert outcome(s3.send("GET", "/cat.jpg", response_content_type=value)) == (400, "InvalidArgument")
    assert s3.send("GET", "/cat.jpg?versionId=null", response_content_type="é").headers["Content-Type"] == "é"
