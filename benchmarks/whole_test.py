"""The time of a whole test with boto3: enter, make a client, create a bucket, 5 PUT, 5 GET and a listing."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from unittest import mock

import boto3
from botocore.awsrequest import AWSHTTPSConnectionPool
from moto import mock_aws

from benchmarks.boto3_side_by_side import ALONE, FAKESTORE, MOTO, canned_connection
from benchmarks.contenders import BODY, BUCKET
from benchmarks.figure import Figure
from benchmarks.timing import by_turns
from fakestore import FakeStore, fake_store

#: How the application makes its client, and the least ratio of moto to fakestore.
SESSIONS: dict[str, tuple[Callable[[], Any], float | None]] = {
    "boto3.client": (lambda: boto3.client("s3"), 4),
    "boto3.Session().client": (lambda: boto3.Session().client("s3"), None),
}
_OBJECTS = 5
_SECONDS_TO_MILLISECONDS = 1000
_ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench", "AWS_DEFAULT_REGION": "us-east-1"}

#: Milliseconds by the way in which the application makes its client, and by contender.
Times = dict[str, dict[str, float]]


def measure(rounds: int, progress: Callable[[str], None]) -> Times:
    """Let each contender run the test with each kind of session."""
    times: Times = {}
    for name, (make_client, _) in SESSIONS.items():
        progress(f"whole test: {name}")
        seconds = by_turns(_tests(make_client), rounds=rounds, batch=3)
        times[name] = {contender: value * _SECONDS_TO_MILLISECONDS for contender, value in seconds.items()}
    return times


def figures(times: Times) -> list[Figure]:
    """Return the comparison with moto, and how much of the time is boto3's own."""
    return [
        figure
        for name, by_contender in times.items()
        for figure in (
            Figure(
                topic="A whole test",
                name=f"{name}: moto to fakestore",
                value=by_contender[MOTO] / by_contender[FAKESTORE],
                unit="times",
                least=SESSIONS[name][1],
            ),
            Figure(
                topic="A whole test",
                name=f"{name}: share of boto3 and urllib3 in the time of fakestore",
                value=by_contender[ALONE] / by_contender[FAKESTORE] * 100,
                unit="%",
            ),
        )
    ]


def _tests(make_client: Callable[[], Any]) -> dict[str, Callable[[], None]]:
    def application() -> None:
        s3 = make_client()
        s3.create_bucket(Bucket=BUCKET)
        for number in range(_OBJECTS):
            s3.put_object(Bucket=BUCKET, Key=f"key-{number}", Body=BODY)
        for number in range(_OBJECTS):
            s3.get_object(Bucket=BUCKET, Key=f"key-{number}")["Body"].read()
        s3.list_objects_v2(Bucket=BUCKET)
        s3.close()

    def alone() -> None:
        """Run the application with connections that answer at once, and the session that a store would set."""
        with (
            mock.patch.object(AWSHTTPSConnectionPool, "ConnectionCls", connection),
            mock.patch.dict(os.environ, _ENVIRONMENT),
            mock.patch.object(boto3, "DEFAULT_SESSION", session),
        ):
            application()

    with fake_store(dialect="s3") as store:
        session = boto3.DEFAULT_SESSION
        store.adapter()  # so that clients of this session are not refused after the store was left
        application()
        connection = canned_connection(FakeStore(dialect="s3", any_access_key=True))
        assert len(store.exchanges) == 2 * _OBJECTS + 2
    contenders: dict[str, Callable[[], Any]] = {FAKESTORE: lambda: fake_store(dialect="s3"), MOTO: mock_aws}
    tests = {name: _inside(enter, application) for name, enter in contenders.items()}
    return {**tests, ALONE: alone}


def _inside(enter: Callable[[], Any], application: Callable[[], None]) -> Callable[[], None]:
    def test() -> None:
        with enter():
            application()

    return test
