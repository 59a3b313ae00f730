"""boto3's transfers by the AWS Common Runtime, which has an HTTP client of its own that cannot be intercepted."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from fakestore.clients.imports import forget, when_imported
from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target, active, patching

#: The module of the transfers. boto3 imports it with the first client for S3.
_TRANSFERS = "boto3.s3.transfer"


def install(target: Target) -> None:
    """Let boto3 use its classic transfers, also with ``preferred_transfer_client="crt"``."""
    with patching:
        when_imported(_TRANSFERS, _put_in_place)


def uninstall(target: Target) -> None:
    """Put the transfers back after the last store."""
    with patching:
        if not active:
            forget(_TRANSFERS)
            if _has_crt():
                _replacement().remove()


def _put_in_place() -> None:
    if _has_crt():
        _replacement().put_in_place()


def _has_crt() -> bool:
    """Whether boto3 has such transfers, which need the package awscrt."""
    return hasattr(sys.modules.get(_TRANSFERS), "create_crt_transfer_manager")


@cache
def _replacement() -> Replacement:
    return Replacement(sys.modules[_TRANSFERS], "create_crt_transfer_manager", _make_no_manager)


def _make_no_manager(original: Any) -> Any:
    def no_crt_transfer_manager(client: Any, config: Any) -> None:
        """Return None, as boto3 itself does if another process uses the Common Runtime."""

    return no_crt_transfer_manager
