"""The VersioningConfiguration document, both ways."""

from __future__ import annotations

from fakestore.documents.xml import document, parse, root, text, texts
from fakestore.model.errors import ILLEGAL_VERSIONING, MALFORMED_XML
from fakestore.model.versioning import Versioning
from fakestore.protocol.dialect import Dialect

_STATUS = {"Enabled": Versioning.ENABLED, "Suspended": Versioning.SUSPENDED}
_MFA_DELETE = {"Enabled": True, "Disabled": False}


def render_versioning(versioning: Versioning, mfa_delete: bool | None, dialect: Dialect) -> bytes:
    """The document; ``mfa_delete`` is ``None`` where the bucket has no device."""
    status = [text("Status", name) for name, value in _STATUS.items() if value is versioning]
    mfa = [text("MfaDelete", name) for name, value in _MFA_DELETE.items() if value is mfa_delete]
    return document(root("VersioningConfiguration", *status, *mfa, dialect=dialect))


def parse_versioning(body: bytes) -> tuple[Versioning, bool | None]:
    """The status that is asked for, and MFA Delete where the document speaks of it.

    Raises:
        ErrorResponse: MalformedXML; IllegalVersioningConfigurationException where there is no Status.
    """
    configuration = texts(parse(body, "VersioningConfiguration"), "Status", "MfaDelete")
    if "Status" not in configuration:
        raise ILLEGAL_VERSIONING.error(
            "The Versioning element must be specified", explanation="the document has no Status element"
        )
    status = configuration["Status"]
    if status not in _STATUS:
        raise MALFORMED_XML.error(explanation=f"the Status is {status!r}; there are {', '.join(_STATUS)}")
    if "MfaDelete" not in configuration:
        return _STATUS[status], None
    mfa_delete = configuration["MfaDelete"]
    if mfa_delete not in _MFA_DELETE:
        raise MALFORMED_XML.error(explanation=f"MfaDelete is {mfa_delete!r}; there are {', '.join(_MFA_DELETE)}")
    return _STATUS[status], _MFA_DELETE[mfa_delete]
