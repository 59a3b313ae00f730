"""The versioning states of a bucket, the ids of versions and uploads, and the device of MFA Delete."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from fakestore.errors import ILLEGAL_VERSIONING
from fakestore.xml.declarations import child, document

#: The id of the null version, which is written while versioning is not enabled. A key has at most one entry with it.
NULL = "null"


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

    def next_id(self, issue: Callable[[], str]) -> str:
        """Return the id for the next entry: a new id while versioning is enabled, otherwise ``null``."""
        return issue() if self is Versioning.ENABLED else NULL


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


class VersionIds:
    """Issues the version ids and upload ids of one store, and recognises them.

    Both kinds are numbered together, and no id is valid as both.

    An id has 32 characters of ``[A-Za-z0-9._]``. The last eight are a checksum of the others, so an id can be
    recognised without a list of the issued ids. An id contains its place in the sequence, so a listing can continue
    after a removed version.

    The same ``seed`` and ``origin`` give the same ids in every run. Stores with different origins, which are their base
    URLs, do not accept each other's ids.
    """

    def __init__(self, seed: int = 0, origin: str = "") -> None:
        self._versions = _Code(b"version ids of seed %d at %s" % (seed, origin.encode()))
        self._uploads = _Code(b"upload ids of seed %d at %s" % (seed, origin.encode()))
        self.issued_count = 0

    def restart(self) -> None:
        self.issued_count = 0

    def skip_to(self, issued_count: int) -> None:
        """Skip the first ``issued_count`` ids, so that they are not issued again."""
        self.issued_count = max(self.issued_count, issued_count)

    def issue(self) -> str:
        self.issued_count += 1
        return self._versions.encode(self.issued_count)

    def issue_upload_id(self) -> str:
        self.issued_count += 1
        return self._uploads.encode(self.issued_count)

    def is_issued(self, version_id: str) -> bool:
        """Return whether an id has the form and checksum of this store's ids. This is always true for ``null``."""
        return version_id == NULL or self._versions.recognises(version_id)

    def is_issued_upload_id(self, upload_id: str) -> bool:
        """Return whether an id has the form and checksum of this store's upload ids."""
        return self._uploads.recognises(upload_id)

    def sequence_number(self, version_id: str) -> int:
        """Return the place of an issued version id in the sequence, from 1. The id ``null`` has none."""
        return self._versions.decode(version_id)

    def upload_number(self, upload_id: str) -> int:
        """Return the place of an issued upload id in the sequence, from 1."""
        return self._uploads.decode(upload_id)

    def sign(self, text: str) -> bytes:
        """Return a 6-byte signature of ``text``, to recognise tokens that this store issued."""
        return self._versions.hash(b"check over " + text.encode(), 6)


class _Code:
    """Turns numbers into ids of one kind, and back."""

    def __init__(self, source: bytes) -> None:
        self._secret = hashlib.blake2b(source, digest_size=32).digest()

    def encode(self, number: int) -> str:
        salt = self.hash(b"%d" % number, 12)
        body = base64.b64encode(salt + self._mask(salt, number), b"._").decode()
        return body + self._checksum(body)

    def recognises(self, text: str) -> bool:
        return len(text) == 32 and text.isascii() and self._checksum(text[:24]) == text[24:]

    def decode(self, text: str) -> int:
        raw = base64.b64decode(text[:24], b"._")
        return int.from_bytes(self._mask(raw[:12], int.from_bytes(raw[12:], "big")), "big")

    def _mask(self, salt: bytes, number: int) -> bytes:
        return (number ^ int.from_bytes(self.hash(salt, 6), "big")).to_bytes(6, "big")

    def _checksum(self, body: str) -> str:
        return base64.b64encode(self.hash(b"check of " + body.encode(), 6), b"._").decode()

    def hash(self, source: bytes, size: int) -> bytes:
        return hashlib.blake2b(source, digest_size=size, key=self._secret).digest()
