"""Clients of stores of both dialects, and of one of S3."""

from tests.support.client import client, s3  # noqa: F401  (fixtures)
