"""The versioning states of a bucket, and MFA Delete: removing a version needs the code of a device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from fakestore.errors import ILLEGAL_VERSIONING
from fakestore.model.object_version import NULL, VersionId
from fakestore.xml.declarations import child, document


class Versioning(StrEnum):
    """The versioning of a bucket. A bucket that was enabled once can be suspended, but never returns to NEVER.

    Each member is equal to its value, a text such as ``"enabled"``.

    Example:
        >>> from fakestore import FakeStore, Versioning
        >>> FakeStore(buckets=["photos"])["photos"].versioning == "never" == Versioning.NEVER
        True
    """

    NEVER = "never"
    ENABLED = "enabled"
    SUSPENDED = "suspended"

    def next_id(self, issue: Callable[[], VersionId]) -> VersionId:
        """Return the id for the next entry: a new id while versioning is enabled, otherwise ``null``."""
        return issue() if self is Versioning.ENABLED else NULL  # rule: next-version-id


@document("VersioningConfiguration")
class VersioningConfiguration:
    """The versioning of a bucket, as a document states it.

    ``status`` is ``None`` for a bucket that was never versioned; only a reply can have this value. ``mfa_delete`` is
    ``None`` if the bucket has no device, or if a request does not mention it.
    """

    status: Versioning | None = child(
        "Status", default=None, choices={"Enabled": Versioning.ENABLED, "Suspended": Versioning.SUSPENDED}
    )
    mfa_delete: bool | None = child("MfaDelete", default=None, choices={"Enabled": True, "Disabled": False})

    def validate(self) -> None:
        """Refuse a request without a Status."""
        if self.status is None:
            raise ILLEGAL_VERSIONING.error(
                "The Versioning element must be specified",
                explanation="<VersioningConfiguration> has no <Status>; this element is required",
            )


@dataclass(frozen=True, slots=True)
class MfaDevice:
    """A device that displays the code for requests under MFA Delete.

    A request sends the serial number, a space and the code in the header ``x-svc-mfa``, over https. In the dialect
    ``S3``, it is ``x-amz-mfa``. [mfa-delete]

    Example:
        >>> MfaDevice("20899872", "301749").displays("20899872", "301749")
        True

    Args:
        serial: The serial number.
        code: The code that the device displays. If it changes, pass a function that returns the current code. The
            function is called at most once for each request, and only if the request names this device. The store is
            locked during the call, so the function must not wait for a request of another thread.

    Raises:
        ValueError: If the serial number or the code is empty, or has blanks or characters that are not ASCII.
        TypeError: If the code is neither text nor callable.
    """

    serial: str
    code: str | Callable[[], str] = field(repr=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.code, str) or callable(self.code)):
            raise TypeError(f"the code of a device must be text or a function that returns it, not {self.code!r}")
        for text in (self.serial, self.code):
            if isinstance(text, str) and not (text.isascii() and text.isprintable() and text and " " not in text):
                raise ValueError(f"a serial number or code must be printable ASCII without blanks, not {text!r}")

    def displays(self, serial: str, code: str) -> bool:
        """Return whether this device has the serial number and displays the code now.

        Raises:
            TypeError: If the function for the code does not return text.
        """
        if serial != self.serial:
            return False
        displayed: object = self.code if isinstance(self.code, str) else self.code()
        if not isinstance(displayed, str):
            raise TypeError(f"the code of device {self.serial!r} must be text, not {displayed!r}")
        return code == displayed
