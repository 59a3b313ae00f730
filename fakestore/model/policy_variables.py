"""Policy variables: ``${aws:userid}`` stands for what a request says about a key of conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fakestore.model.patterns import escape

#: What a request says about the keys of conditions, by the name of the key. A key that the request does not have is
#: absent.
ConditionValues = Mapping[str, tuple[str, ...]]

#: A variable. It may have a default: ``${aws:PrincipalTag/team, 'nobody'}``.
VARIABLE = re.compile(r"\$\{(?P<key>[^{},]*)(?:, *'(?P<default>[^{}']*)')?\}")

#: What stands in the place of a key for a character that is not a wildcard.
CHARACTERS = ("*", "?", "$")


def variables_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the keys of the variables in texts."""
    found = (match["key"] for text in texts if "${" in text for match in VARIABLE.finditer(text))
    return frozenset(found).difference(CHARACTERS)


def fill_in(text: str, sent: ConditionValues) -> str | None:
    """Return a pattern with values in place of its variables, or None if the request has no value of one.

    Example:
        >>> fill_in("home/${aws:userid}/*", {"aws:userid": ("a*",)}), fill_in("${aws:username}", {})
        ('home/a${*}/*', None)
    """
    if "${" not in text:
        return text
    filled = {match[0]: _value(match, sent) for match in VARIABLE.finditer(text)}
    return None if None in filled.values() else VARIABLE.sub(lambda match: filled[match[0]] or "", text)


def _value(match: re.Match[str], sent: ConditionValues) -> str | None:
    key = match["key"]
    if key in CHARACTERS:
        return match[0]
    value = sent[key][0] if key in sent else match["default"]
    return None if value is None else escape(value)


def describe_values(keys: Iterable[str], sent: ConditionValues) -> str:
    """Return what a request says about keys, for example ``aws:userid is '1' and aws:username has no value``."""
    return " and ".join(
        f"{key} is {', '.join(map(repr, sent[key]))}" if sent.get(key) else f"{key} has no value" for key in keys
    )
