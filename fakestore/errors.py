"""Errors: the service's errors, and the error for a request that the fake does not support.

An `ErrorCode` is a row of the error table, and an `ErrorResponse` is the exception that carries it. An
`UnsupportedRequest` is not an error of the service: the service could answer the request, but the fake cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from fakestore.messages import did_you_mean, some_of


class ErrorResponse(Exception):
    """The service answers with an error. An instance never changes.

    An error of the model has only a code, a message, an explanation and elements. The service adds the status.

    Example:
        >>> str(ErrorResponse.of("AccessDenied", explanation="the date is missing"))
        'AccessDenied: the date is missing'

    Args:
        error: The row of the error table. Its code is the attribute `code`.
        message: Replaces the message of the error table.
        explanation: The reason in plain words, for the author of a test. It is never sent. Defaults to the message.
        elements: Additional elements of the error document, in order.
        status: Replaces the status of the error table.
        service_headers: Headers of the dialect that the reply carries, without prefix.
        retry_after: The number of seconds after which the client should try again, if it should.
        allow: The methods that the resource allows, for the reply to a method that it does not allow.
    """

    def __init__(
        self,
        error: ErrorCode,
        message: str | None = None,
        *,
        explanation: str = "",
        elements: Mapping[str, str] | None = None,
        status: int | None = None,
        service_headers: Mapping[str, str] | None = None,
        retry_after: int | None = None,
        allow: str | None = None,
    ) -> None:
        self.code = error.code
        self.message = error.message if message is None else message
        self.explanation = explanation or self.message
        self.elements: Mapping[str, str] = elements or {}
        self.status = status
        self.service_headers: Mapping[str, str] = service_headers or {}
        self.retry_after = retry_after
        self.allow = allow
        super().__init__(f"{error.code}: {self.explanation}")

    @classmethod
    def of(cls, code: str, message: str | None = None, *, explanation: str = "") -> ErrorResponse:
        """Return the error with a code of the error table.

        Args:
            code: For example ``"AccessDenied"``. [Faults](faults.md) lists all codes.
            message: Replaces the message of the table.
            explanation: The reason in plain words, for the exchange. It is never sent.

        Raises:
            ValueError: If the code is unknown.
        """
        return cls(find_code(code), message, explanation=explanation)

    def replace(self, **changes: Any) -> ErrorResponse:
        """Return the same error with other arguments, such as another explanation."""
        names = ("explanation", "elements", "status", "service_headers", "retry_after", "allow")
        arguments = {name: getattr(self, name) for name in names} | changes
        return ErrorResponse(ErrorCode(self.code, self.message), **arguments)


class ErrorCode(NamedTuple):
    """The code of an error, with its usual message.

    Example:
        >>> str(NO_SUCH_KEY.error(explanation="bucket 'photos' has no object 'cat.jpg'", Key="cat.jpg"))
        "NoSuchKey: bucket 'photos' has no object 'cat.jpg'"
    """

    code: str
    message: str

    def error(
        self,
        message: str | None = None,
        *,
        explanation: str = "",
        service_headers: Mapping[str, str] | None = None,
        **elements: str,
    ) -> ErrorResponse:
        """Return an exception to raise; see :class:`ErrorResponse`.

        An underscore in the name of an element is sent as a hyphen.
        """
        sent = {name.replace("_", "-"): value for name, value in elements.items()}
        return ErrorResponse(self, message, explanation=explanation, service_headers=service_headers, elements=sent)


def invalid_argument(name: str, value: str, message: str | None = None, *, explanation: str = "") -> ErrorResponse:
    """Return an InvalidArgument error that names a header, a query parameter or an element, and the value received."""
    return INVALID_ARGUMENT.error(message, explanation=explanation, ArgumentName=name, ArgumentValue=value)


#: The error table, by code.
ERRORS: dict[str, ErrorCode] = {}

#: The HTTP status of each code in the error table. Only the service reads it.
STATUSES: dict[str, int] = {}


def find_code(code: str, advice: str = "") -> ErrorCode:
    """Return a row of the error table. For an unknown code, raise a ValueError that ends with `advice`."""
    if str(code).isdecimal():
        codes = [repr(each) for each, status in STATUSES.items() if str(status) == str(code)]
        expected = f"one of its codes: {some_of(codes)}" if codes else "a code such as 'SlowDown'"
        raise ValueError(f"invalid error code {code!r}: it is a status; expected {expected}.{advice}")
    if not isinstance(code, str) or code not in ERRORS:
        raise ValueError(f"unknown error code {code!r}.{did_you_mean(code, ERRORS, most=3)}{advice}")
    return ERRORS[code]


def _row(code: str, status: int, message: str) -> ErrorCode:
    STATUSES[code], ERRORS[code] = status, ErrorCode(code, message)
    return ERRORS[code]


MALFORMED = "The XML you provided was not well-formed or did not validate against our published schema"

ACCESS_CONTROL_LIST_NOT_SUPPORTED = _row("AccessControlListNotSupported", 400, "The bucket does not allow ACLs")
ACCESS_DENIED = _row("AccessDenied", 403, "Access Denied")
ACCESS_FORBIDDEN = _row("AccessForbidden", 403, "Access Forbidden")
AMBIGUOUS_GRANT = _row(
    "AmbiguousGrantByEmailAddress", 400, "The e-mail address you provided is associated with more than one account."
)
BAD_REQUEST = _row("BadRequest", 400, "Bad Request")
BAD_DIGEST = _row("BadDigest", 400, "The Content-MD5 you specified did not match what we received.")
BUCKET_ALREADY_EXISTS = _row(
    "BucketAlreadyExists", 409, "The requested bucket name is not available. Select a different name and try again."
)
BUCKET_ALREADY_OWNED = _row(
    "BucketAlreadyOwnedByYou", 409, "Your previous request to create the named bucket succeeded and you already own it."
)
BUCKET_NOT_EMPTY = _row("BucketNotEmpty", 409, "The bucket you tried to delete is not empty")
CONDITIONAL_REQUEST_CONFLICT = _row(
    "ConditionalRequestConflict",
    409,
    "The conditional request cannot succeed due to a conflicting operation against this resource.",
)
CROSS_LOCATION_LOGGING = _row(
    "CrossLocationLoggingProhibitted",
    403,
    "Cross-location logging not allowed. Buckets in one geographic location cannot log information to a bucket in"
    " another location.",
)
ENTITY_TOO_LARGE = _row("EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size")
ENTITY_TOO_SMALL = _row("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size")
EXPECTATION_FAILED = _row("ExpectationFailed", 417, "The expectation given in the Expect header could not be met.")
ILLEGAL_LOCATION = _row(
    "IllegalLocationConstraintException",
    400,
    "The unspecified location constraint is incompatible for the region specific endpoint this request was sent to.",
)
ILLEGAL_VERSIONING = _row(
    "IllegalVersioningConfigurationException", 400, "The Versioning configuration specified in the request is invalid."
)
INCOMPLETE_BODY = _row(
    "IncompleteBody", 400, "You did not provide the number of bytes specified by the Content-Length HTTP header."
)
INCORRECT_NUMBER_OF_FILES = _row(
    "IncorrectNumberOfFilesInPostRequest", 400, "POST requires exactly one file upload per request."
)
INTERNAL_ERROR = _row("InternalError", 500, "We encountered an internal error. Please try again.")
INVALID_ACCESS_KEY = _row("InvalidAccessKeyId", 403, "The access key id you provided does not exist in our records.")
INVALID_ARGUMENT = _row("InvalidArgument", 400, "Invalid Argument")
INVALID_BUCKET_ACL_WITH_BLOCK = _row(
    "InvalidBucketAclWithBlockPublicAccessError",
    400,
    "Bucket cannot have public ACLs set with BlockPublicAccess enabled",
)
INVALID_BUCKET_ACL_WITH_OWNERSHIP = _row(
    "InvalidBucketAclWithObjectOwnership",
    400,
    "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
)
INVALID_BUCKET_OWNER = _row(
    "InvalidBucketOwnerAWSAccountID",
    400,
    "The value of the expected bucket owner parameter must be an AWS Account ID...",
)
INVALID_BUCKET_NAME = _row("InvalidBucketName", 400, "The specified bucket is not valid.")
INVALID_BUCKET_STATE = _row("InvalidBucketState", 409, "The request is not valid with the current state of the bucket.")
INVALID_DIGEST = _row("InvalidDigest", 400, "The Content-MD5 you specified was invalid.")
INVALID_ENCRYPTION_ALGORITHM = _row(
    "InvalidEncryptionAlgorithmError",
    400,
    "The Encryption request you specified is not valid. Supported value: AES256.",
)
MISSING_REQUEST_BODY = _row("MissingRequestBodyError", 400, "Request Body is empty")
INVALID_OBJECT_STATE = _row("InvalidObjectState", 403, "The operation is not valid for the object's storage class")
INVALID_LOCATION = _row("InvalidLocationConstraint", 400, "The specified location-constraint is not valid")
INVALID_PART = _row(
    "InvalidPart",
    400,
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified"
    " entity tag may not match the part's entity tag.",
)
INVALID_PART_NUMBER = _row("InvalidPartNumber", 416, "The requested partnumber is not satisfiable")
INVALID_PART_ORDER = _row(
    "InvalidPartOrder", 400, "The list of parts was not in ascending order. Parts must be ordered by part number."
)
INVALID_POLICY_DOCUMENT = _row(
    "InvalidPolicyDocument", 400, "The content of the form does not meet the conditions specified in the policy."
)
INVALID_RANGE = _row("InvalidRange", 416, "The requested range is not satisfiable")
INVALID_REDIRECT_LOCATION = _row(
    "InvalidRedirectLocation",
    400,
    "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
)
INVALID_REQUEST = _row("InvalidRequest", 400, "Invalid Request")
INVALID_STORAGE_CLASS = _row("InvalidStorageClass", 400, "The storage class you specified is not valid")
INVALID_TARGET_BUCKET = _row(
    "InvalidTargetBucketForLogging", 400, "The target bucket for logging does not exist or is not owned by you"
)
INVALID_TAG = _row("InvalidTag", 400, "The tag provided was not a valid tag.")
INVALID_TOKEN = _row("InvalidToken", 400, "The provided token is malformed or otherwise invalid.")
INVALID_URI = _row("InvalidURI", 400, "Couldn't parse the specified URI.")
KEY_TOO_LONG = _row("KeyTooLongError", 400, "Your key is too long")
KMS_DISABLED = _row("KMS.DisabledException", 400, "The key is disabled.")
KMS_INVALID_STATE = _row("KMS.KMSInvalidStateException", 400, "The key is pending deletion.")
KMS_NOT_FOUND = _row("KMS.NotFoundException", 400, "The key does not exist.")
MALFORMED_ACL = _row("MalformedACLError", 400, MALFORMED)
MALFORMED_POLICY = _row("MalformedPolicy", 400, "Policies must be valid JSON and the first byte must be '{'")
MALFORMED_POST_REQUEST = _row(
    "MalformedPOSTRequest", 400, "The body of your POST request is not well-formed multipart/form-data."
)
MALFORMED_XML = _row("MalformedXML", 400, MALFORMED)
MAX_POST_PRE_DATA_LENGTH_EXCEEDED = _row(
    "MaxPostPreDataLengthExceededError", 400, "Your POST request fields preceding the upload file were too large."
)
METADATA_TOO_LARGE = _row("MetadataTooLarge", 400, "Your metadata headers exceed the maximum allowed metadata size")
METHOD_NOT_ALLOWED = _row("MethodNotAllowed", 405, "The specified method is not allowed against this resource.")
MISSING_CONTENT_LENGTH = _row("MissingContentLength", 411, "You must provide the Content-Length HTTP header.")
MISSING_SECURITY_HEADER = _row("MissingSecurityHeader", 400, "Your request was missing a required header")
NO_SUCH_BUCKET = _row("NoSuchBucket", 404, "The specified bucket does not exist")
NO_DEFAULT_ENCRYPTION = _row(
    "ServerSideEncryptionConfigurationNotFoundError", 404, "The server side encryption configuration was not found"
)
NO_SUCH_BUCKET_POLICY = _row("NoSuchBucketPolicy", 404, "The bucket policy does not exist")
NO_SUCH_CORS = _row("NoSuchCORSConfiguration", 404, "The CORS configuration does not exist")
NO_SUCH_KEY = _row("NoSuchKey", 404, "The specified key does not exist.")
NO_SUCH_LIFECYCLE = _row("NoSuchLifecycleConfiguration", 404, "The lifecycle configuration does not exist")
NO_SUCH_OBJECT_LOCK = _row(
    "NoSuchObjectLockConfiguration", 404, "The specified object does not have a ObjectLock configuration"
)
NO_SUCH_PUBLIC_ACCESS_BLOCK = _row(
    "NoSuchPublicAccessBlockConfiguration", 404, "The public access block configuration was not found"
)
NO_SUCH_TAG_SET = _row("NoSuchTagSet", 404, "The TagSet does not exist")
NO_SUCH_UPLOAD = _row(
    "NoSuchUpload",
    404,
    "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or"
    " completed.",
)
NO_SUCH_VERSION = _row("NoSuchVersion", 404, "The specified version does not exist.")
NO_SUCH_CONFIGURATION = _row("NoSuchConfiguration", 404, "The specified configuration does not exist.")
NO_SUCH_WEBSITE = _row("NoSuchWebsiteConfiguration", 404, "The specified bucket does not have a website configuration")
NO_REPLICATION = _row("ReplicationConfigurationNotFoundError", 404, "The replication configuration was not found")
OWNERSHIP_CONTROLS_NOT_FOUND = _row(
    "OwnershipControlsNotFoundError", 404, "The bucket ownership controls were not found"
)
OBJECT_LOCK_NOT_FOUND = _row(
    "ObjectLockConfigurationNotFoundError", 404, "Object Lock configuration does not exist for this bucket"
)
NOT_IMPLEMENTED = _row("NotImplemented", 501, "A header you provided implies functionality that is not implemented")
PERMANENT_REDIRECT = _row(
    "PermanentRedirect",
    301,
    "The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future"
    " requests to this endpoint.",
)
PRECONDITION_FAILED = _row("PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold")
HEADER_SECTION_TOO_LARGE = _row(
    "RequestHeaderSectionTooLarge", 400, "Your request header section exceeds the maximum allowed size"
)
REQUEST_TIME_TOO_SKEWED = _row(
    "RequestTimeTooSkewed", 403, "The difference between the request time and the server's time is too large."
)
RESTORE_IN_PROGRESS = _row("RestoreAlreadyInProgress", 409, "Object restore is already in progress")
SIGNATURE_DOES_NOT_MATCH = _row(
    "SignatureDoesNotMatch",
    403,
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
)
TOO_MANY_CONFIGURATIONS = _row(
    "TooManyConfigurations",
    400,
    "You are attempting to create a new configuration but have already reached the 1,000-configuration limit.",
)
UNEXPECTED_CONTENT = _row("UnexpectedContent", 400, "This request does not support content")
UNRESOLVABLE_GRANT = _row(
    "UnresolvableGrantByEmailAddress", 400, "The e-mail address you provided does not match any account on record."
)
AUTHORIZATION_HEADER_MALFORMED = _row("AuthorizationHeaderMalformed", 400, "The authorization header is malformed.")
AUTHORIZATION_QUERY_PARAMETERS = _row(
    "AuthorizationQueryParametersError",
    400,
    "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date,"
    " X-Amz-SignedHeaders, and X-Amz-Expires parameters.",
)
CONTENT_SHA256_MISMATCH = _row(
    "XAmzContentSHA256Mismatch", 400, "The provided 'x-amz-content-sha256' header does not match what was computed."
)
INVALID_CHUNK_SIZE = _row(
    "InvalidChunkSizeError", 403, "Only the last chunk is allowed to have a size less than 8192 bytes"
)
MALFORMED_TRAILER = _row(
    "MalformedTrailerError",
    400,
    "The request contained trailing data that was not well-formed or did not conform to our published schema.",
)

# The store answers with these errors only if a test plans them as faults.
_row("ServiceUnavailable", 503, "Service is unable to handle request.")
_row("SlowDown", 503, "Please reduce your request rate.")
_row(
    "RequestTimeout",
    400,
    "Your socket connection to the server was not read from or written to within the timeout period.",
)


class UnsupportedRequest(AssertionError):
    """The request asks for something that the fake does not support.

    It is raised at the line that sent the request. If the code under test catches it, it is raised again when the store
    is left, unless the test removes it from ``store.unhandled_requests``. The message names the unsupported feature and
    the alternative.
    """
