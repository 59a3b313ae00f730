"""How the body of a request is decoded that its signature does not cover."""

from __future__ import annotations

from fakestore.http import Request
from fakestore.http.content_encoding import is_aws_chunked
from fakestore.protocol.auth.payload import PLAIN, UNSIGNED, HashedPayload, Payload
from fakestore.protocol.auth.rules import AuthRules


def unsigned_payload(request: Request, rules: AuthRules, *, checks_hash: bool = False) -> Payload:
    """Return how the body is read if the request is anonymous or its signature does not cover the body.

    Args:
        request: The request.
        rules: The rules of the store.
        checks_hash: Whether the body must have the SHA-256 that a header states. [content-sha256-values]

    Raises:
        ErrorResponse: MissingContentLength, if a chunked body does not declare the size of its content.
        UnsupportedRequest: As :meth:`HashedPayload.of`.
    """
    if not rules.aws_chunked:
        return PLAIN
    # Imported here, because the default dialect does not need it.
    from fakestore.protocol.auth.aws_chunked import CHUNKED_PAYLOADS, chunked_payload

    name = rules.header("content-sha256")
    declared = request.headers.get(name, UNSIGNED)
    if declared in CHUNKED_PAYLOADS or is_aws_chunked(request.headers.get("content-encoding", "")):
        return chunked_payload(request, rules, declared, None)
    if declared == UNSIGNED or not checks_hash:
        return PLAIN
    return HashedPayload.of(request, declared, name)
