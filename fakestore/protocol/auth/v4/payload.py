"""How the body of a request that is signed with version 4 is decoded and checked."""

from __future__ import annotations

from fakestore.model.errors import invalid_argument
from fakestore.protocol.auth.aws_chunked import CHUNKED_PAYLOADS, ChunkSigner, chunked_payload
from fakestore.protocol.auth.errors import SignatureComparison
from fakestore.protocol.auth.payload import UNSIGNED, HashedPayload, Payload, is_sha256, unsigned_payload
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.signing_key import signing_key
from fakestore.protocol.auth.v4.signed_request import SignedRequest


def signed_payload(signed: SignedRequest, comparison: SignatureComparison | None, rules: AuthRules) -> Payload:
    """Return how the body of a signed request is decoded and checked.

    Args:
        signed: The request.
        comparison: Its signature, which was checked; None if signatures are not verified.
        rules: The rules of the store.

    Raises:
        ErrorResponse: InvalidArgument, if the hash of the body is malformed; MissingContentLength, if a chunked body
            does not declare the size of its content; XAmzContentSHA256Mismatch, if the request has no body, and the
            hash is that of a body.
    """
    request, payload_hash = signed.request, signed.payload_hash
    if payload_hash in CHUNKED_PAYLOADS:
        signer = None
        if comparison is not None:
            account = comparison.account
            key = signing_key(account.secret_key, signed.scope)
            signer = ChunkSigner(account, key, signed.timestamp, str(signed.scope), comparison.received)
        return chunked_payload(request, rules, payload_hash, signer)
    if payload_hash == UNSIGNED:
        return unsigned_payload(request, rules)
    name = rules.header("content-sha256")
    if not is_sha256(payload_hash):
        raise invalid_argument(
            name,
            payload_hash,
            f"{name} must be {UNSIGNED}, {', '.join(sorted(CHUNKED_PAYLOADS))} or a valid sha256 value.",
            explanation=f"{name} is {payload_hash!r}",
        )
    if comparison is None:
        return unsigned_payload(request, rules)
    return HashedPayload.of(request, payload_hash, name, comparison)
