"""Clients of boto3 that several requests or stores share. To make one takes longer than most requests."""

from __future__ import annotations

from functools import cache, lru_cache

import boto3
from botocore.client import BaseClient

#: The options of the stores that `client_with_keys` can use.
KEYS = {"access_key_id": "AKIDEXAMPLE", "secret_key": "secret"}


def client(service: str = "s3") -> BaseClient:
    """Return a client of the store that was entered last."""
    return _client(boto3.DEFAULT_SESSION, service)


@lru_cache(maxsize=8)
def _client(session: boto3.Session, service: str) -> BaseClient:
    return session.client(service)


@cache
def client_with_keys() -> BaseClient:
    """Return the client of all stores with `KEYS`. It has no config."""
    return boto3.client(
        "s3",
        region_name="us-east-1",
        aws_access_key_id=KEYS["access_key_id"],
        aws_secret_access_key=KEYS["secret_key"],
    )
