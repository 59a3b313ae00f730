"""Uploads readings over a bad connection to a busy service, and keeps those that could not be sent."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import requests

#: Seconds to wait for a connection, and for an answer.
TIMEOUTS = (3, 10)
#: Answers after which the same request may succeed.
BUSY = {requests.codes.internal_server_error, requests.codes.service_unavailable}


class SensorLog:
    """The log of one sensor. Each reading is stored once, under its own name.

    Args:
        session: A session that signs its requests.
        bucket_url: The URL of the bucket.
        spool: The directory for readings that could not be sent.
        attempts: How many times a reading is sent at most.
        wait: The function that waits for some seconds.
    """

    def __init__(
        self,
        session: requests.Session,
        bucket_url: str,
        spool: Path,
        *,
        attempts: int = 4,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._session = session
        self._bucket_url = bucket_url.rstrip("/")
        self._spool = spool
        self._attempts = attempts
        self._wait = wait

    def record(self, name: str, reading: bytes) -> bool:
        """Upload a reading, or keep it in the spool. Return whether it was uploaded.

        Raises:
            requests.HTTPError: If the service refuses the reading for a reason that does not pass by waiting.
        """
        if self._upload(name, reading):
            return True
        (self._spool / name).write_bytes(reading)
        return False

    def send_spooled(self) -> list[str]:
        """Upload the readings of the spool in the order of their names, and return the names of those that were sent.

        It ends at the first reading that cannot be sent.
        """
        sent = []
        for path in sorted(self._spool.iterdir()):
            if not self._upload(path.name, path.read_bytes()):
                break
            path.unlink()
            sent.append(path.name)
        return sent

    def _upload(self, name: str, reading: bytes) -> bool:
        delay = 0.0
        for attempt in range(self._attempts):
            if attempt:
                self._wait(delay)
            delay = 2.0**attempt
            try:
                response = self._put(name, reading)
            except (requests.ConnectionError, requests.Timeout):
                continue
            if response.status_code == requests.codes.precondition_failed:
                return True  # an earlier attempt succeeded, and its answer was lost
            if response.status_code not in BUSY:
                response.raise_for_status()
                return True
            delay = float(response.headers.get("Retry-After", delay))
        return False

    def _put(self, name: str, reading: bytes) -> requests.Response:
        digest = hashlib.md5(reading, usedforsecurity=False).digest()
        headers = {"Content-MD5": base64.b64encode(digest).decode(), "If-None-Match": "*"}
        return self._session.put(f"{self._bucket_url}/{name}", data=reading, headers=headers, timeout=TIMEOUTS)
