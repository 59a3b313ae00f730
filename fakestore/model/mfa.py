"""MFA Delete: the device. A request must carry its code to remove a version permanently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


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
