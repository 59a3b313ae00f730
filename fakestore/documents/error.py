"""The Error document."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fakestore.documents.xml import PROLOG, escape
from fakestore.model.errors import METHOD_NOT_ALLOWED, ErrorResponse

#: The characters that XML 1.0 cannot write, not even as references.
_UNWRITABLE = "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]"
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def render_error(
    error: ErrorResponse,
    resource: str | None,
    ids: tuple[str, str],
    *,
    method: str | None = None,
    leading_blanks: int = 0,
) -> bytes:
    """Return the Error document, which is well-formed whatever the request contained. [characters-invalid-in-xml]

    The other documents are shapes. This one is not, because every error has elements of its own.

    Args:
        error: The error; its ``elements`` follow the code and the message.
        resource: The path of the resource, with the bucket's name in front; None if errors of the dialect have none.
        ids: The request id and the id-2 of the reply.
        method: The method of the request, which a MethodNotAllowed repeats.
        leading_blanks: The number of blanks between the XML declaration and the document.
    """
    elements: Mapping[str, str] = error.elements
    if error.error is METHOD_NOT_ALLOWED and method is not None:
        elements = {"Method": method, "ResourceType": "DeleteMarker"}
    texts = {"Code": error.error.code, "Message": error.message, **elements}
    if resource is not None:
        texts["Resource"] = resource
    texts |= {"RequestId": ids[0], "HostId": ids[1]}
    written = "".join(
        f"<{name}>{escape(re.sub(_UNWRITABLE, _REPLACEMENT, value))}</{name}>" for name, value in texts.items()
    )
    return f"{PROLOG}{' ' * leading_blanks}<Error>{written}</Error>".encode()
