"""The credentials of signature version 4: an access key, a scope, the names of the signed headers and a signature."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from fakestore.messages import counted
from fakestore.model.errors import AUTHORIZATION_QUERY_PARAMETERS, ErrorCode, ErrorResponse
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.auth.encoding import is_other_version_4
from fakestore.protocol.auth.errors import OWN_SCHEME
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.signing_key import SERVICE, TERMINAL, SigningScope
from fakestore.protocol.auth.v4.timestamps import parse_timestamp

ALGORITHM = "AWS4-HMAC-SHA256"


class Credentials(NamedTuple):
    """The credentials in a request.

    Args:
        access_key_id: The access key.
        scope: The scope that the signature is for.
        signed_headers: The names of the signed headers, in lower case.
        signature: The signature.
    """

    access_key_id: str
    scope: SigningScope
    signed_headers: frozenset[str]
    signature: str


class ErrorWording(NamedTuple):
    """How the errors of one scheme are worded.

    Args:
        row: The row of the error table.
        beginning: The text in front of what is wrong with the credential.
    """

    row: ErrorCode
    beginning: str

    def error(self, text: str, *, explanation: str = "", **elements: str) -> ErrorResponse:
        """Return the error for a credential with a message that ends in `text`."""
        return ErrorResponse(self.row, f"{self.beginning}{text}", explanation=explanation, elements=elements)


def query_error_wording(rules: AuthRules) -> ErrorWording:
    """Return how errors about the parameter ``X-Amz-Credential`` are worded."""
    return ErrorWording(
        AUTHORIZATION_QUERY_PARAMETERS, f"Error parsing the {rules.parameter('Credential')} parameter; "
    )


def parse_credential(text: str, wording: ErrorWording) -> tuple[str, SigningScope]:
    """Return the access key and the scope of ``<access key>/YYYYMMDD/REGION/SERVICE/aws4_request``.

    Raises:
        ErrorResponse: If the text does not have this form.
    """
    parts = text.rsplit("/", 4)
    if len(parts) != 5 or not parts[0]:
        reason = f"the credential has {counted(len(parts), 'part')}"
        if len(parts) == 5:
            reason = "the access key in the credential is empty"
        raise wording.error(
            'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
            explanation=f"{reason}; expected five parts separated by slashes: access key, date, region, service and"
            " aws4_request",
        )
    return parts[0], SigningScope(*parts[1:])


def parse_date(text: str, name: str) -> datetime:
    """Return the moment of the parameter ``X-Amz-Date``, or of the field of a form.

    Raises:
        ErrorResponse: AuthorizationQueryParametersError.
    """
    moment = parse_timestamp(text)
    if moment is None:
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            f"{name} must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"", explanation=f"{name} is {text!r}"
        )
    return moment


def check_algorithm(text: str, name: str) -> None:
    """Check the parameter ``X-Amz-Algorithm``, or the field of a form.

    Raises:
        ErrorResponse: AuthorizationQueryParametersError.
        UnsupportedRequest: If it is the algorithm of another service.
    """
    if is_other_version_4(text):
        raise UnsupportedRequest(f"{name} is {text!r}, but this store expects {ALGORITHM!r}; {OWN_SCHEME}")
    if text != ALGORITHM:
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            f'{name} only supports "{ALGORITHM}"', explanation=f"{name} is {text!r}"
        )


def parse_signed_headers(text: str) -> frozenset[str]:
    """Return the names in a list such as ``host;x-amz-date``."""
    return frozenset(text.lower().split(";"))


def check_scope(scope: SigningScope, timestamp: str, wording: ErrorWording, rules: AuthRules) -> None:
    """Check the scope of a signature against the request's date and the store's region.

    Raises:
        ErrorResponse: If one of its parts is wrong.
    """
    expected = SigningScope(timestamp[:8], rules.region or scope.region)
    if scope == expected:
        return
    explanation = f"the scope of the signature is '{scope}', but this request of {timestamp} needs '{expected}'"
    if parse_timestamp(f"{scope.date}T000000Z") is None:
        raise wording.error(
            f'incorrect date format "{scope.date}". This date in the credential must be in the format "yyyyMMdd".',
            explanation=explanation,
        )
    if scope.date != expected.date:
        raise wording.error(
            f'Invalid credential date "{scope.date}". This date is not the same as {rules.parameter("Date")}:'
            f' "{expected.date}".',
            explanation=explanation,
        )
    if scope.region != expected.region:
        raise wording.error(
            f"the region '{scope.region}' is wrong; expecting '{expected.region}'",
            explanation=f"{explanation}; configure the client with the region {expected.region!r}",
            Region=expected.region,
        )
    if scope.service != SERVICE:
        raise wording.error(
            f'incorrect service "{scope.service}". This endpoint belongs to "{SERVICE}".', explanation=explanation
        )
    raise wording.error(
        f'incorrect terminal "{scope.terminal}". This endpoint uses "{TERMINAL}".', explanation=explanation
    )
