"""Entity tags in conditions: lists of tags, weak tags, and ``*``."""

from __future__ import annotations


def parse_entity_tags(header: str) -> list[str]:
    """Return the members of a list of entity tags as they were sent, without the blanks around them."""
    return [tag.strip(" \t") for tag in header.split(",")]


def matches_entity_tag(header: str, entity_tag: str, *, weakly: bool = False) -> bool:
    """Return whether a condition's header names `entity_tag`.

    The service accepts tags without quotation marks.

    Args:
        header: A list of entity tags, or ``*``, which matches every tag.
        entity_tag: The tag of the object; it is strong.
        weakly: Whether ``W/"tag"`` matches ``"tag"`` (RFC 9110, section 8.8.3.2).
    """
    expected = entity_tag.strip('"')
    tags = parse_entity_tags(header)
    if weakly:
        tags = [tag.removeprefix("W/") for tag in tags]
    return any(tag == "*" or tag.strip('"') == expected for tag in tags)
