"""The header, or the field of a form, with the tags of a new object."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fakestore.documents.shape import parse
from fakestore.documents.xml import parse_xml
from fakestore.model.errors import MALFORMED_XML, ErrorResponse, invalid_argument
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.tagging import (
    NO_TAGS,
    OBJECT_TAGS,
    TAG_KEY_LENGTH,
    TAG_VALUE_LENGTH,
    RequestedTagging,
    is_tag_text,
    tag_pairs,
)
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.fields import Sent, read_header

#: The header, without the prefix of the dialect.
TAGGING_HEADER = "tagging"


def parse_new_tags(context: RequestContext) -> FrozenMapping:
    """Return the tags that a header states, or a document in the field of a form.

    Raises:
        ErrorResponse: As :func:`parse_tagging_header`; MalformedXML.
    """
    if context.fields is None:
        tags: FrozenMapping = read_header(context, TAGGING_HEADER, parse_tagging_header, NO_TAGS)
        return tags
    text = context.fields.get(TAGGING_HEADER)
    if text is None:
        return NO_TAGS
    body, namespace = text.encode(), context.dialect.xml_namespace
    if parse_xml(body, MALFORMED_XML, namespace).tag != "Tagging":
        return NO_TAGS  # as recorded
    return OBJECT_TAGS.check(tag_pairs(parse(RequestedTagging, body, namespace).tags))


def parse_tagging_header(sent: Sent) -> FrozenMapping:
    """Return the tags that the header states. A key without ``=`` has an empty value. [tagging-header]

    Raises:
        ErrorResponse: InvalidArgument, if the header is not an encoded query, or a key is repeated; the errors of
            :meth:`TagRules.check`.
    """
    try:
        pairs = parse_qsl(sent.text.encode("ascii").decode(), keep_blank_values=True, errors="strict")
    except ValueError:
        raise _invalid(sent, "it is not percent-encoded UTF-8") from None
    if len(dict(pairs)) < len(pairs):
        raise _invalid(sent, "a key is repeated")
    for key, content in pairs:
        if not (is_tag_text(key, 1, TAG_KEY_LENGTH) and is_tag_text(content, 0, TAG_VALUE_LENGTH)):
            raise _invalid(sent, f"{key!r} = {content!r} is not a valid tag")
    return OBJECT_TAGS.check(pairs)


def _invalid(sent: Sent, problem: str) -> ErrorResponse:
    return invalid_argument(
        sent.name,
        sent.text,
        f"The header '{sent.name}' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name"
        " duplicates.",
        explanation=f"{sent.name} is {sent.text!r}: {problem}",
    )
