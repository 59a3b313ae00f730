"""Hostile browser forms: with hostile values in their fields, damaged, or crafted."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.support.forms import BOUNDARY, FORM_TYPE, encode, form_body
from tests.trust.hostility import any_text, damaged_documents, hostile_values

MIB = 1024 * 1024
FIELDS = [
    *("key", "acl", "tagging", "policy", "redirect", "success_action_redirect", "success_action_status", "file"),
    *("Content-Type", "Content-MD5", "Expires", "Cache-Control", "x-svc-meta-colour", "x-svc-storage-class"),
    *("x-svc-server-side-encryption", "x-svc-checksum-crc32", "x-svc-website-redirect-location", "AWSAccessKeyId"),
    *("signature", "x-amz-signature", "x-amz-credential", "x-amz-date", "x-amz-algorithm", "x-ignore-a"),
]
FORM_TYPES = [
    *("text/html", "multipart/mixed", "multipart/form-data", "multipart/form-data; boundary=", FORM_TYPE * 2),
    *("multipart/form-data; boundary=" + "x" * 10_000, "multipart/form-data" + "; a=b" * 5000),
    *('multipart/form-data; boundary=""', 'multipart/form-data; boundary="\\"', "multipart/form-data; boundary=\u20ac"),
]
POLICIES = [
    b'{"expiration": "2100-01-01T00:00:00Z", "conditions": [{"bucket": "photos"}, ["starts-with", "$key", ""]]}',
    b'{"expiration": "2100-01-01T00:00:00Z", "conditions": [["content-length-range", 1, 9], {"acl": "private"}]}',
]


@st.composite
def hostile_forms(draw):
    """Draw the Content-Type and the body of a form: hostile values in its fields, and damage to the whole."""
    names = st.sampled_from(FIELDS) | any_text
    fields = [("key", "k"), *draw(st.lists(st.tuples(names, hostile_values), max_size=4))]
    if draw(st.booleans()):
        document = draw(damaged_documents(POLICIES, [b'"', b"{", b"[1]", b"\\"]))
        fields.append(("policy", encode(document)))
    sent = [(name, value.encode("utf-8", "surrogatepass")) for name, value in fields]
    body = form_body([(name.encode(errors="replace").decode(), value) for name, value in sent], ("c.jpg", b"meow"))
    edge = b"--" + BOUNDARY.encode()
    pieces = [b"\r\n", edge, edge + b"--", b"\r\n" + edge + b"\r\n", b": ", b'name="file"', b"\xff", b"\n", b"\0"]
    rarely = st.sampled_from([False] * 9 + [True])
    content_type = draw(st.sampled_from(FORM_TYPES)) if draw(rarely) else FORM_TYPE
    return content_type, draw(damaged_documents([body], pieces)) if draw(rarely) or draw(rarely) else body


def framed(part):
    """Return a form with a part of its own in front, and with a key."""
    fields = {} if b'name="key"' in part else {"key": "k"}
    return b"--" + BOUNDARY.encode() + b"\r\n" + part + b"\r\n" + form_body(fields)


NESTED = (
    b'Content-Disposition: form-data; name="key"\r\nContent-Type: multipart/mixed; boundary=inner\r\n\r\n'
    b'--inner\r\nContent-Disposition: file; filename="a"\r\n\r\nx\r\n--inner--'
)
HEAD = b'Content-Disposition: form-data; name="key"\r\n'
ALMOST = f"\r\n--{BOUNDARY[:-1]}".encode()


def crafted_forms():
    """Return crafted forms by name, with the status of the answer; it is None if they are unsupported."""
    return {
        "10,000 fields": (form_body([("key", "k"), *((f"field-{number}", "x") for number in range(10_000))]), 400),
        "10,000 empty fields of no name": (form_body([("key", "k"), *(("", "") for _ in range(10_000))]), None),
        "10,000 fields after the file": (form_body({"key": "k"}, after=[(f"f{n}", "x") for n in range(10_000)]), 204),
        "a field of 10 MiB": (form_body({"key": "k", "submit": "x" * 10 * MIB}), 400),
        "a field name of 1 MiB": (form_body({"key": "k", "x" * MIB: ""}), 400),
        "10,000 headers of a part": (framed(HEAD + b"A: b\r\n" * 10_000 + b"\r\nk"), 400),
        "a header that never ends": (framed(b"Content-Disposition: form-data; name=" + b"x" * MIB), 400),
        "a part without a name": (framed(b"Content-Disposition: form-data\r\n\r\nk"), 204),
        "a part without headers": (framed(b"\r\nk"), 400),
        "a nested form": (framed(NESTED), 204),
        "the boundary inside of the file": (form_body({"key": "k"}, ("f", f"\r\n--{BOUNDARY}x".encode())), 400),
        "nearly a boundary, 100,000 times": (form_body({"key": "k"}, ("f", ALMOST * 100_000)), 204),
        "a preamble of 10 MiB": (b"x" * 10 * MIB + b"\r\n" + form_body({"key": "k"}), 204),
        "an epilogue of 10 MiB": (form_body({"key": "k"}) + b"x" * 10 * MIB, 204),
        "no end": (form_body({"key": "k"})[:-20], 400),
        "only zero bytes": (b"\0" * MIB, 400),
        "a part in base64": (framed(HEAD + b"Content-Transfer-Encoding: base64\r\n\r\naw=="), None),
        "a policy of many conditions": (form_body({"key": "k", "policy": encode([["eq", "$key", "k"]] * 900)}), 400),
    }
