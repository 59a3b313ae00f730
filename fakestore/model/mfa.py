"""MFA Delete: the device that must confirm that a version is deleted for good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MfaDevice:
    """An authentication device: its serial number, and the code it displays or a callable that tells it.

    A callable is asked at most once for a request, and only where one names this device: for codes that rotate. The
    store is locked meanwhile, so it must not wait for another thread's request.

    Raises:
        ValueError: a serial number or a code that is empty, or has blanks or a character beyond ASCII.
        TypeError: a serial number that is no text, or a code that is neither text nor callable.
    """

    serial: str
    code: str | Callable[[], str]

    def __post_init__(self) -> None:
        if not isinstance(self.serial, str) or not (isinstance(self.code, str) or callable(self.code)):
            raise TypeError(
                f"a device's serial number is text, and its code is text or a callable that gives it;"
                f" not {self.serial!r} and {self.code!r}"
            )
        for text in (self.serial, self.code):
            if isinstance(text, str) and not (text.isascii() and text.isprintable() and text and " " not in text):
                raise ValueError(f"a serial number or code is printable ASCII without blanks, not {text!r}")

    def displays(self, serial: str, code: str) -> bool:
        """Whether this is the device named, and it displays the code now.

        Raises:
            TypeError: the callable gave no text.
        """
        if serial != self.serial:
            return False
        displayed: object = self.code if isinstance(self.code, str) else self.code()
        if not isinstance(displayed, str):
            raise TypeError(f"a device's code is text, and that of {self.serial!r} is {displayed!r}")
        return code == displayed
