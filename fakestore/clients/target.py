"""A store as a client library reaches it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakestore.service.service import Service


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A service, and how its clients behave.

    Args:
        service: Answers the requests.
        allow_network: Whether requests to other hosts may reach the network.
        sleep: The function that waits; ``time.sleep`` unless given.
    """

    service: Service
    allow_network: bool = False
    sleep: Callable[[float], object] | None = None

    def wait(self, seconds: float) -> None:
        """Wait, by the function that the test's author chose."""
        (self.sleep or time.sleep)(seconds)

    def __deepcopy__(self, memo: Any) -> Target:
        """Return the target itself: the copy of a session talks to the same store."""
        return self
