"""What requests to services of this kind may carry that the fake does not model, and what there is instead."""

from __future__ import annotations

import re
from functools import lru_cache

from fakestore.http.messages import Headers
from fakestore.protocol.dialect import Dialect

#: Header prefixes of the services of this family. Under another dialect such a header would mean nothing, and what
#: it asks for would be dropped in silence. [foreign-headers]
FAMILY_PREFIXES = ("x-amz-", "x-bce-", "x-cos-", "x-goog-", "x-kss-", "x-obs-", "x-oss-", "x-svc-", "x-tos-")

FORM_POST = (
    "a POST to a bucket without a subresource is a browser's form upload, which is not modelled;"
    " PUT Object stores an object, and POST Bucket delete, at ?delete, deletes many"
)
_MULTIPART = (
    "multipart upload, which is not modelled; PUT Object takes an object whole, up to Limits.object_size (5 TiB),"
    " and fakestore.SparseContent stands for large content"
)
_PRESIGNED = (
    "a presigned URL, which is not modelled; sign in the Authorization header instead, with auth=store.auth(),"
    " store.session() or the application's own signer"
)
_SIGNATURE_4 = (
    "a signature of version 4, which is not modelled; this store speaks the older form,"
    " Authorization: <scheme> <access key>:<signature>"
)
_FEATURE_OF_PARAMETER = {
    "uploads": _MULTIPART,
    "uploadid": _MULTIPART,
    "partnumber": _MULTIPART,
    "signature": _PRESIGNED,
    "expires": _PRESIGNED,
}
_FEATURE_OF_HEADER = {"content-sha256": _SIGNATURE_4, "decoded-content-length": _SIGNATURE_4}
#: ``AWSAccessKeyId`` and its like, and the parameters of signatures of version 4 under any prefix.
_PRESIGNED_PARAMETER = re.compile(
    r"[a-z]*accesskeyid|googleaccessid"
    r"|x-[a-z]+-(algorithm|credential|date|expires|signature|signedheaders|security-token)"
)


def feature_of_parameter(name: str) -> str | None:
    """The feature that a query parameter belongs to, and what there is instead; ``None`` where none is known."""
    lower = name.lower()
    if _PRESIGNED_PARAMETER.fullmatch(lower):
        return _PRESIGNED
    return _FEATURE_OF_PARAMETER.get(lower)


def feature_of_header(bare: str) -> str | None:
    """As :func:`feature_of_parameter`, of one of the dialect's headers, named without prefix."""
    return _FEATURE_OF_HEADER.get(bare)


@lru_cache(maxsize=16)
def foreign_prefixes(own: str) -> tuple[str, ...]:
    """The header prefixes of the family's other services, where ``own`` is the dialect's."""
    return tuple(each for each in FAMILY_PREFIXES if not each.startswith(own) and not own.startswith(each))


def foreign_headers_sentence(names: list[str], headers: Headers, dialect: Dialect) -> str:
    """What to say of headers of another service's prefix; ``names`` are theirs, at least one."""
    prefix = next(each for each in FAMILY_PREFIXES if names[0].startswith(each))
    sentence = (
        f"the header{'s' if len(names) > 1 else ''} {', '.join(map(repr, names))} would mean nothing to this store,"
        f" whose headers begin with {dialect.header_prefix!r};"
        f' fake_store(dialect=Dialect(header_prefix="{prefix}")) makes it speak {prefix!r}'
    )
    authorization = headers.get("authorization")
    if authorization is None or authorization.partition(" ")[0] == dialect.auth_scheme:
        return sentence
    return f"{sentence}. And {scheme_sentence(authorization, dialect.auth_scheme)}"


def scheme_sentence(authorization: str, ours: str) -> str:
    """What to say of an Authorization header whose scheme is not ``ours``."""
    scheme, _, credentials = authorization.partition(" ")
    said = f"the Authorization scheme is {scheme!r}, where this store expects {ours!r};"
    if scheme and read_credentials(credentials) is not None:
        return f"{said} fake_store(auth_scheme={scheme!r}) makes it expect yours"
    return (
        f"{said} no option makes it expect yours, for what follows it is not the <access key>:<signature> of the older"
        " form, the only one that is modelled. Sign with auth=store.auth() or store.session(), or, where the"
        " application has a signer of that form, name its scheme with auth_scheme="
    )


def read_credentials(text: str) -> tuple[str, str] | None:
    """Access key and signature of ``<access key>:<signature>``, non-empty and without blanks; else ``None``."""
    access_key_id, _, signature = text.partition(":")
    if not access_key_id or not signature or len(text.split()) != 1 or text != text.strip():
        return None
    return access_key_id, signature
