"""MFA Delete: the device that must confirm that a version is deleted for good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MfaDevice:
    """An authentication device: its serial number, and the code it displays or a callable that tells it.

    A callable is asked at most once for a request, and only where one names this device: for codes that rotate.
    """

    serial: str
    code: str | Callable[[], str]

    def displays(self, serial: str, code: str) -> bool:
        """Whether this is the device named, and it displays the code now."""
        return serial == self.serial and code == (self.code if isinstance(self.code, str) else self.code())
