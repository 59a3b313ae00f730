"""The WebsiteConfiguration document."""

from __future__ import annotations

from fakestore.errors import INVALID_REQUEST, ErrorResponse, invalid_argument
from fakestore.xml.declarations import child, children, document, element, integer

#: The maximum number of rules of a website.
MOST_RULES = 50

_PROTOCOLS = {name: name for name in ("http", "https")}


def _invalid_protocol(tag: str, text: str, explanation: str) -> ErrorResponse:
    return INVALID_REQUEST.error(
        "Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.",
        explanation=explanation,
    )


@element()
class IndexDocument:
    """The end of the key of the object that a request for a directory gets."""

    suffix: str = child("Suffix")

    def validate(self) -> None:
        """Refuse an empty suffix, and a suffix with a slash."""
        if not self.suffix or "/" in self.suffix:
            raise invalid_argument("IndexDocument", self.suffix, "The IndexDocument Suffix is not well formed")


@element()
class ErrorDocument:
    """The key of the page for errors."""

    key: str = child("Key")


@element()
class RedirectAllRequestsTo:
    """The host to which every request is redirected."""

    host: str = child("HostName")
    protocol: str | None = child("Protocol", default=None, choices=_PROTOCOLS, invalid=_invalid_protocol)


@element()
class Condition:
    """When a rule applies."""

    error_code: int | None = child(
        "HttpErrorCodeReturnedEquals", default=None, kind=integer(400, 599), invalid=INVALID_REQUEST
    )
    key_prefix: str | None = child("KeyPrefixEquals", default=None)

    def validate(self) -> None:
        """Refuse an empty condition."""
        if self.error_code is None and self.key_prefix is None:
            raise INVALID_REQUEST.error(
                "Condition cannot be empty. To redirect all requests without a condition, the condition element"
                " shouldn't be present."
            )


@element()
class Redirect:
    """Where a rule redirects."""

    host: str | None = child("HostName", default=None)
    redirect_code: int | None = child("HttpRedirectCode", default=None, kind=integer(301, 399), invalid=INVALID_REQUEST)
    protocol: str | None = child("Protocol", default=None, choices=_PROTOCOLS, invalid=_invalid_protocol)
    key_prefix: str | None = child("ReplaceKeyPrefixWith", default=None)
    key: str | None = child("ReplaceKeyWith", default=None)

    def validate(self) -> None:
        """Refuse a new key beside a new prefix."""
        if self.key_prefix is not None and self.key is not None:
            raise INVALID_REQUEST.error("You can only define ReplaceKeyPrefix or ReplaceKey but not both.")


@element()
class RoutingRule:
    """A rule of redirection."""

    condition: Condition | None = child("Condition", default=None)
    redirect: Redirect = child("Redirect")


@document("WebsiteConfiguration")
class WebsiteConfiguration:
    """How a bucket is served as a website."""

    error_document: ErrorDocument | None = child("ErrorDocument", default=None)
    index_document: IndexDocument | None = child("IndexDocument", default=None)
    redirect_all: RedirectAllRequestsTo | None = child("RedirectAllRequestsTo", default=None)
    rules: tuple[RoutingRule, ...] = children(
        "RoutingRule", inside="RoutingRules", default=(), least=1, most=MOST_RULES
    )

    def validate(self) -> None:
        """Refuse a website without a page and without a redirection, and a redirection beside anything else."""
        others = (self.error_document, self.index_document, self.rules or None)
        if self.redirect_all is not None and others != (None, None, None):
            raise invalid_argument(
                "RedirectAllRequestsTo",
                "not null",
                "RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.",
            )
        if self.redirect_all is None and self.index_document is None:
            raise invalid_argument(
                "IndexDocument",
                "null",
                "A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty",
            )
