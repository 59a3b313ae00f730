"""Browser forms, as a program sends them."""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Iterable, Mapping

from urllib3 import encode_multipart_formdata

from fakestore import Account, FakeStore
from fakestore.http import Body, Reply
from tests.support.wire import send

BOUNDARY = "-boundary-"
FORM_TYPE = f"multipart/form-data; boundary={BOUNDARY}"
#: A file as a browser sends it: its name and its content.
CAT = ("cat.jpg", b"meow")

Fields = Mapping[str, str] | Iterable[tuple[str, str]]


def form_body(fields: Fields, file: tuple[str, bytes] | bytes | None = CAT, after: Fields = ()) -> bytes:
    """Return the body of a form.

    Args:
        fields: The fields in front of the file.
        file: The file; bytes are a file without a name, and None is no file.
        after: The fields after the file.
    """
    parts = list(fields.items() if isinstance(fields, Mapping) else fields)
    parts += [] if file is None else [("file", file)]
    parts += after.items() if isinstance(after, Mapping) else after
    return encode_multipart_formdata(parts, BOUNDARY)[0]


def policy(*conditions: object, minutes: int = 1) -> str:
    """Return the field with a policy for the bucket "photos", which expires in some minutes."""
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=minutes)
    return encode({"expiration": f"{moment:%Y-%m-%dT%H:%M:%SZ}", "conditions": [{"bucket": "photos"}, *conditions]})


def encode(document: object) -> str:
    """Return a JSON document, or its text or bytes, in base64."""
    text = document if isinstance(document, str | bytes) else json.dumps(document)
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def post_body(store: FakeStore, body: Body, *, account: Account | None = None, **options) -> Reply:
    """Send the body of a form to the bucket "photos", signed in a header unless the options say otherwise."""
    headers = {"Content-Type": FORM_TYPE} | options.pop("headers", {})
    return send(store, "POST", "photos", "/", headers, body, account=account, **options)


def post(
    store: FakeStore, fields: Fields, file: tuple[str, bytes] | bytes | None = CAT, after: Fields = (), **options
) -> Reply:
    """Send a form to the bucket "photos"."""
    return post_body(store, form_body(fields, file, after), **options)
