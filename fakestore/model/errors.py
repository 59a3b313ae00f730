"""The three kinds of no begin here: what the service refuses, and what the fake does not do.

An :class:`ErrorCode` is a row of the service's error table; calling it makes a fresh :class:`ErrorResponse` to raise.
:class:`UnsupportedRequest` is not an error of the service: it says that the fake does not model what was asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fakestore.model.history import DeleteMarker


class UnsupportedRequest(AssertionError):
    """The fake does not model what was asked, and does not guess.

    Raised where the request was sent, and again on leaving the store if the code under test swallowed it,
    unless it was taken off ``store.unhandled_requests``. The message names what was asked and what there is instead.
    """


class ErrorResponse(Exception):
    """The service answers with an error: a row of the table, its elements, and a sentence for the test's author."""

    def __init__(
        self,
        error: ErrorCode,
        *,
        message: str | None = None,
        explanation: str = "",
        marker: DeleteMarker | None = None,
        elements: dict[str, str] | None = None,
    ) -> None:
        self.error = error
        self.message = error.message if message is None else message
        self.explanation = explanation or self.message
        self.marker = marker
        self.elements = elements or {}
        #: After how many seconds the client is asked to come again, where it is.
        self.retry_after: int | None = None
        super().__init__(f"{error.code}: {self.explanation}")


class ErrorCode(NamedTuple):
    """One row of the error table; ``status`` is the one number of HTTP that the model holds."""

    code: str
    status: int
    message: str = ""

    def __call__(
        self,
        message: str | None = None,
        *,
        explanation: str = "",
        marker: DeleteMarker | None = None,
        **elements: str,
    ) -> ErrorResponse:
        """A fresh refusal. ``elements`` become further elements of the error document, in order;
        an underscore in a name stands for a hyphen.

        Args:
            message: said instead of the row's own message.
            explanation: plain words for the test's author; never sent.
            marker: the delete marker that was met, where one was.
        """
        return ErrorResponse(
            self,
            message=message,
            explanation=explanation,
            marker=marker,
            elements={name.replace("_", "-"): value for name, value in elements.items()},
        )


ERRORS: dict[str, ErrorCode] = {}


def _row(code: str, status: int, message: str) -> ErrorCode:
    row = ErrorCode(code, status, message)
    ERRORS[code] = row
    return row


MALFORMED = "The XML you provided was not well-formed or did not validate against our published schema"

ACCESS_DENIED = _row("AccessDenied", 403, "Access Denied")
AMBIGUOUS_GRANT = _row(
    "AmbiguousGrantByEmailAddress",
    400,
    "The e-mail address you provided is associated with more than one account.",
)
BAD_DIGEST = _row("BadDigest", 400, "The Content-MD5 you specified did not match what we received.")
BUCKET_ALREADY_EXISTS = _row(
    "BucketAlreadyExists",
    409,
    "The requested bucket name is not available. Select a different name and try again.",
)
BUCKET_ALREADY_OWNED = _row(
    "BucketAlreadyOwnedByYou",
    409,
    "Your previous request to create the named bucket succeeded and you already own it.",
)
BUCKET_NOT_EMPTY = _row("BucketNotEmpty", 409, "The bucket you tried to delete is not empty")
ENTITY_TOO_LARGE = _row("EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size")
EXPECTATION_FAILED = _row("ExpectationFailed", 417, "The expectation given in the Expect header could not be met.")
ILLEGAL_VERSIONING = _row(
    "IllegalVersioningConfigurationException",
    400,
    "The Versioning configuration specified in the request is invalid.",
)
INCOMPLETE_BODY = _row(
    "IncompleteBody",
    400,
    "You did not provide the number of bytes specified by the Content-Length HTTP header.",
)
INTERNAL_ERROR = _row("InternalError", 500, "We encountered an internal error. Please try again.")
INVALID_ACCESS_KEY = _row("InvalidAccessKeyId", 403, "The access key id you provided does not exist in our records.")
INVALID_ARGUMENT = _row("InvalidArgument", 400, "Invalid Argument")
INVALID_BUCKET_NAME = _row("InvalidBucketName", 400, "The specified bucket is not valid.")
INVALID_DIGEST = _row("InvalidDigest", 400, "The Content-MD5 you specified was invalid.")
INVALID_LOCATION = _row("InvalidLocationConstraint", 400, "The specified location-constraint is not valid")
INVALID_POLICY_DOCUMENT = _row(
    "InvalidPolicyDocument",
    400,
    "The content of the form does not meet the conditions specified in the policy.",
)
INVALID_RANGE = _row("InvalidRange", 416, "The requested range is not satisfiable")
INVALID_REQUEST = _row("InvalidRequest", 400, "Invalid Request")
INVALID_STORAGE_CLASS = _row("InvalidStorageClass", 400, "The storage class you specified is not valid")
INVALID_URI = _row("InvalidURI", 400, "Couldn't parse the specified URI.")
KEY_TOO_LONG = _row("KeyTooLongError", 400, "Your key is too long")
MALFORMED_ACL = _row("MalformedACLError", 400, MALFORMED)
MALFORMED_POLICY = _row("MalformedPolicy", 400, "Policies must be valid JSON and the first byte must be '{'")
MALFORMED_XML = _row("MalformedXML", 400, MALFORMED)
METADATA_TOO_LARGE = _row("MetadataTooLarge", 400, "Your metadata headers exceed the maximum allowed metadata size")
METHOD_NOT_ALLOWED = _row("MethodNotAllowed", 405, "The specified method is not allowed against this resource.")
MISSING_CONTENT_LENGTH = _row("MissingContentLength", 411, "You must provide the Content-Length HTTP header.")
MISSING_SECURITY_HEADER = _row("MissingSecurityHeader", 400, "Your request was missing a required header")
NO_SUCH_BUCKET = _row("NoSuchBucket", 404, "The specified bucket does not exist")
NO_SUCH_BUCKET_POLICY = _row("NoSuchBucketPolicy", 404, "The bucket policy does not exist")
NO_SUCH_KEY = _row("NoSuchKey", 404, "The specified key does not exist.")
NO_SUCH_LIFECYCLE = _row("NoSuchLifecycleConfiguration", 404, "The lifecycle configuration does not exist")
NO_SUCH_VERSION = _row("NoSuchVersion", 404, "The specified version does not exist.")
NOT_IMPLEMENTED = _row("NotImplemented", 501, "A header you provided implies functionality that is not implemented")
PRECONDITION_FAILED = _row("PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold")
HEADER_SECTION_TOO_LARGE = _row(
    "RequestHeaderSectionTooLarge", 400, "Your request header section exceeds the maximum allowed size"
)
REQUEST_TIME_TOO_SKEWED = _row(
    "RequestTimeTooSkewed", 403, "The difference between the request time and the server's time is too large."
)
SERVICE_UNAVAILABLE = _row("ServiceUnavailable", 503, "Service is unable to handle request.")
SIGNATURE_DOES_NOT_MATCH = _row(
    "SignatureDoesNotMatch",
    403,
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
)
SLOW_DOWN = _row("SlowDown", 503, "Please reduce your request rate.")
REQUEST_TIMEOUT = _row(
    "RequestTimeout",
    400,
    "Your socket connection to the server was not read from or written to within the timeout period.",
)
UNEXPECTED_CONTENT = _row("UnexpectedContent", 400, "This request does not support content")
UNRESOLVABLE_GRANT = _row(
    "UnresolvableGrantByEmailAddress",
    400,
    "The e-mail address you provided does not match any account on record.",
)
AUTHORIZATION_HEADER_MALFORMED = _row("AuthorizationHeaderMalformed", 400, "The authorization header is malformed.")
AUTHORIZATION_QUERY_PARAMETERS = _row(
    "AuthorizationQueryParametersError",
    400,
    "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date,"
    " X-Amz-SignedHeaders, and X-Amz-Expires parameters.",
)
CONTENT_SHA256_MISMATCH = _row(
    "XAmzContentSHA256Mismatch",
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
)
INVALID_CHUNK_SIZE = _row(
    "InvalidChunkSizeError", 403, "Only the last chunk is allowed to have a size less than 8192 bytes"
)
MALFORMED_TRAILER = _row(
    "MalformedTrailerError",
    400,
    "The request contained trailing data that was not well-formed or did not conform to our published schema.",
)
