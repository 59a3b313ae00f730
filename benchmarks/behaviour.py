"""Puts the same questions to fakestore and to moto, through boto3: ``python -m benchmarks.behaviour``.

It writes ``BEHAVIOUR.md``. ``python -m docs.generate`` copies its table into the page about moto. It also checks what
``docs/how-to/migrate.md`` says about a test that uses both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from freezegun import freeze_time

from fakestore import fake_store

_RESULTS = Path(__file__).with_name("BEHAVIOUR.md")
_ONE_ATTEMPT = Config(retries={"total_max_attempts": 1})
_KEYS = {"aws_access_key_id": "AKIDEXAMPLE", "aws_secret_access_key": "example", "region_name": "us-east-1"}


def _refuses(request: Callable[..., object], **arguments: object) -> bool:
    try:
        request(**arguments)
    except (ClientError, BotoCoreError):
        return True
    return False


def a_wrong_secret_key(s3: Any) -> bool:
    """refuses a request that is signed with a wrong secret key"""
    other = boto3.client("s3", **_KEYS | {"aws_secret_access_key": "wrong"})
    return _refuses(other.put_object, Bucket="photos", Key="cat.jpg", Body=b"meow")


def a_wrong_digest(s3: Any) -> bool:
    """refuses a PUT with a wrong Content-MD5"""
    return _refuses(s3.put_object, Bucket="photos", Key="a", Body=b"meow", ContentMD5="AAAAAAAAAAAAAAAAAAAAAA==")


def a_deny_of_the_policy(s3: Any) -> bool:
    """refuses what the policy of the bucket denies"""
    statement = '{"Effect":"Deny","Principal":"*","Action":"s3:PutObject","Resource":"arn:aws:s3:::photos/*"}'
    s3.put_bucket_policy(Bucket="photos", Policy=f'{{"Version":"2012-10-17","Statement":[{statement}]}}')
    return _refuses(s3.put_object, Bucket="photos", Key="a", Body=b"meow")


def a_copy_whose_condition_fails(s3: Any) -> bool:
    """refuses a copy whose if-match condition fails"""
    s3.put_object(Bucket="photos", Key="a", Body=b"meow")
    return _refuses(s3.copy_object, Bucket="photos", Key="b", CopySource="photos/a", CopySourceIfMatch='"other"')


def versions_after_suspension(s3: Any) -> bool:
    """keeps the older versions of a bucket whose versioning is suspended"""
    s3.put_bucket_versioning(Bucket="photos", VersioningConfiguration={"Status": "Enabled"})
    version_id = s3.put_object(Bucket="photos", Key="a", Body=b"old")["VersionId"]
    s3.put_bucket_versioning(Bucket="photos", VersioningConfiguration={"Status": "Suspended"})
    s3.put_object(Bucket="photos", Key="a", Body=b"new")
    s3.put_object(Bucket="photos", Key="a", Body=b"newer")
    return not _refuses(s3.get_object, Bucket="photos", Key="a", VersionId=version_id)


def expiration_by_a_rule(s3: Any) -> bool:
    """removes an object when a lifecycle rule says so, after the clock has moved"""
    rule = {"ID": "a", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}}
    s3.put_bucket_lifecycle_configuration(Bucket="photos", LifecycleConfiguration={"Rules": [rule]})
    s3.put_object(Bucket="photos", Key="a", Body=b"meow")
    with freeze_time(datetime(2100, 1, 1)):
        return bool(s3.list_objects_v2(Bucket="photos")["KeyCount"] == 0)


_QUESTIONS = (
    a_wrong_secret_key,
    a_wrong_digest,
    a_deny_of_the_policy,
    a_copy_whose_condition_fails,
    versions_after_suspension,
    expiration_by_a_rule,
)


Contender = Callable[[], AbstractContextManager[Any]]


@contextmanager
def in_fakestore() -> Iterator[Any]:
    """Yield a client of boto3 whose requests fakestore answers."""
    with fake_store(dialect="s3", access_key_id="AKIDEXAMPLE", secret_key="example", signatures="verify"):
        yield boto3.client("s3", **_KEYS, config=_ONE_ATTEMPT)


@contextmanager
def in_moto() -> Iterator[Any]:
    """Yield a client of boto3 whose requests moto answers."""
    from moto import mock_aws  # installed by `make bench`

    with mock_aws():
        yield boto3.client("s3", **_KEYS, config=_ONE_ATTEMPT)


def answers(contender: Contender) -> dict[str, str]:
    """Return yes or no for each question."""
    return {question.__doc__ or "": _answer(question, contender) for question in _QUESTIONS}


def _answer(question: Callable[[Any], bool], contender: Contender) -> str:
    with contender() as s3:
        s3.create_bucket(Bucket="photos")
        return "yes" if question(s3) else "no"


def check_both_together() -> None:
    """Check that a store answers the requests for S3 and moto the others, in both orders.

    Raises:
        AssertionError: If another one answers.
    """
    from moto import mock_aws

    def moto() -> AbstractContextManager[Any]:
        return mock_aws(config={"core": {"mock_credentials": False, "passthrough": {"services": ["s3"]}}})

    def store() -> AbstractContextManager[Any]:
        return fake_store(dialect="s3", access_key_id="AKIDEXAMPLE", buckets=["photos"])

    for outer, inner in ((moto, store), (store, moto)):
        with outer() as first, inner() as second:
            boto3.client("s3", **_KEYS).put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
            boto3.client("sqs", **_KEYS).create_queue(QueueName="queue")
            entered = first if outer is store else second
            assert list(entered["photos"]) == ["cat.jpg"]


def main() -> None:
    """Ask both, and write the results."""
    ours, theirs = answers(in_fakestore), answers(in_moto)
    check_both_together()
    lines = [
        "# The behaviour of fakestore and of moto",
        "",
        "`make bench` writes this page. It sends the same requests to both with boto3. Both have their default",
        "settings, except that fakestore has the dialect `S3` and checks signatures.",
        "",
        f"| | fakestore | moto {version('moto')} |",
        "|---|---|---|",
        *(f"| {question} | {answer} | {theirs[question]} |" for question, answer in ours.items()),
        "",
    ]
    _RESULTS.write_text("\n".join(lines), encoding="utf-8")
    print(f"see {_RESULTS}")


if __name__ == "__main__":
    main()
