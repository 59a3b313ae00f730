"""boto3's transfers by the AWS Common Runtime, which has an HTTP client of its own that cannot be intercepted."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target, active, patching


def install(target: Target) -> None:
    """Let boto3 use its classic transfers, also with ``preferred_transfer_client="crt"``.

    boto3 has no such transfers without the package awscrt. If a test imports boto3 only after the store was entered,
    they are not replaced.
    """
    if "boto3" in sys.modules and "awscrt" in sys.modules:
        with patching:
            _replacement().put_in_place()


def uninstall(target: Target) -> None:
    """Put the transfers back after the last store."""
    if "boto3.s3.transfer" in sys.modules and "awscrt" in sys.modules:
        with patching:
            if not active:
                _replacement().remove()


@cache
def _replacement() -> Replacement:
    import boto3.s3.transfer  # imported with the first client for S3 otherwise

    return Replacement(boto3.s3.transfer, "create_crt_transfer_manager", _make_no_manager)


def _make_no_manager(original: Any) -> Any:
    def no_crt_transfer_manager(client: Any, config: Any) -> None:
        """Return None, as boto3 itself does if another process uses the Common Runtime."""

    return no_crt_transfer_manager
