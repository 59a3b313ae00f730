"""The header, or the field of a form, with the tags of a new object."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fakestore.documents.tagging import parse_form_tagging, tag_pairs
from fakestore.model.errors import ErrorResponse, invalid_argument
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.tagging import OBJECT_TAGS, TAG_KEY_LENGTH, TAG_VALUE_LENGTH, is_tag_text
from fakestore.operations.core.context import RequestContext

#: The header, without the prefix of the dialect.
TAGGING_HEADER = "tagging"


def parse_new_tags(context: RequestContext) -> FrozenMapping | None:
    """Return the tags that a header states, or a document in the field of a form, or None.

    Raises:
        ErrorResponse: As :func:`parse_tagging_header`; MalformedXML.
    """
    if context.form is None:
        return parse_tagging_header(context)
    text = context.form.fields.get(TAGGING_HEADER)
    return None if text is None else OBJECT_TAGS.check(tag_pairs(parse_form_tagging(text)))


def parse_tagging_header(context: RequestContext) -> FrozenMapping | None:
    """Return the tags that the header states, or None. A key without ``=`` has an empty value. [tagging-header]

    Raises:
        ErrorResponse: InvalidArgument, if the header is not an encoded query, or a key is repeated; the errors of
            :meth:`TagRules.check`.
    """
    text = context.service_headers.get(TAGGING_HEADER)
    if text is None:
        return None
    try:
        pairs = parse_qsl(text.encode("ascii").decode(), keep_blank_values=True, errors="strict")
    except ValueError:
        raise _invalid(context, text, "it is not percent-encoded UTF-8") from None
    if len(dict(pairs)) < len(pairs):
        raise _invalid(context, text, "a key is repeated")
    for key, value in pairs:
        if not (is_tag_text(key, 1, TAG_KEY_LENGTH) and is_tag_text(value, 0, TAG_VALUE_LENGTH)):
            raise _invalid(context, text, f"{key!r} = {value!r} is not a valid tag")
    return OBJECT_TAGS.check(pairs)


def _invalid(context: RequestContext, text: str, problem: str) -> ErrorResponse:
    header = context.dialect.header(TAGGING_HEADER)
    return invalid_argument(
        header,
        text,
        f"The header '{header}' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name"
        " duplicates.",
        explanation=f"{header} is {text!r}: {problem}",
    )
