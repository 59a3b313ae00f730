"""The text that is signed with HMAC-SHA1, and its signature."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence

from fakestore.model.accounts import Account
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.encoding import wire_bytes
from fakestore.protocol.auth.errors import SignatureComparison

#: The query parameters that are signed with the resource.
SIGNED_PARAMETERS = frozenset(
    [
        "accelerate",
        "acl",
        "analytics",
        "cors",
        "defaultObjectAcl",
        "delete",
        "inventory",
        "lifecycle",
        "location",
        "logging",
        "metrics",
        "notification",
        "object-lock",
        "partNumber",
        "policy",
        "replication",
        "requestPayment",
        "restore",
        "select",
        "select-type",
        "storageClass",
        "tagging",
        "torrent",
        "uploadId",
        "uploads",
        "versionId",
        "versioning",
        "versions",
        "website",
        "response-cache-control",
        "response-content-disposition",
        "response-content-encoding",
        "response-content-language",
        "response-content-type",
        "response-expires",
    ]
)


def string_to_sign(method: str, headers: Mapping[str, str], date: str, address: Address, prefix: str) -> bytes:
    """Return method, Content-MD5, Content-Type, date, the headers with `prefix` and the resource, a line each.

    The resource has the subresources in it. Header text is ISO-8859-1, the resource is UTF-8.

    Args:
        method: The method.
        headers: The headers by lower-case name.
        date: The text of the line for the date.
        address: What the request names.
        prefix: The prefix of the headers that are signed.
    """
    lines = [method, headers.get("content-md5", ""), headers.get("content-type", ""), date]
    lines += [f"{name}:{value}" for name, value in sorted(headers.items()) if name.startswith(prefix)]
    subresources = [
        f"{name}={value}" if value else name
        for name, value in sorted(address.query.items())
        if name in SIGNED_PARAMETERS
    ]
    resource = address.resource + ("?" + "&".join(subresources) if subresources else "")
    return b"\n".join([*map(wire_bytes, lines), resource.encode("utf-8", "surrogatepass")])


def signable_addresses(address: Address) -> tuple[Address, ...]:
    """Return the addresses whose resource a signature may cover: as it was sent, and as botocore signs it.

    If the path is only a bucket, such as ``/photos``, botocore signs ``/photos/`` [signature].
    """
    if address.scope != "bucket" or address.resource.endswith("/"):
        return (address,)
    return (address, address._replace(resource=f"{address.resource}/"))


def sign_text(text: bytes, secret_key: str) -> str:
    """Return the base64 of the HMAC-SHA1 of a text."""
    return base64.b64encode(hmac.digest(secret_key.encode("utf-8", "surrogatepass"), text, hashlib.sha1)).decode()


def compare_texts(account: Account, received: str, texts: Sequence[bytes]) -> SignatureComparison:
    """Compare a signature with those of some texts. If none of them was signed, return the comparison with the first.

    Args:
        account: The account that the access key belongs to.
        received: The signature in the request.
        texts: The texts that the account may have signed.
    """
    comparisons = [SignatureComparison(account, received, sign_text(text, account.secret_key), text) for text in texts]
    return next((each for each in comparisons if each.is_right), comparisons[0])
