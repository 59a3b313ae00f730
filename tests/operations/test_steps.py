"""The steps of `python -m docs.generate.itinerary` are those that requests take, with what they call."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Set
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import boto3
import pytest

from docs.generate.steps import Step, place_of, steps_of
from fakestore import Retention, fake_store
from fakestore.model.bucket import BucketRecord
from fakestore.model.multipart_upload import UploadIndex
from fakestore.model.state import State
from fakestore.operations import TABLE
from fakestore.operations.framework import pipeline
from fakestore.operations.framework.body import ObjectContent
from fakestore.operations.framework.inputs import read_header
from fakestore.service.service import Service
from tests.access.test_matrix import ASKS, EXPECTED, World
from tests.support.documents import policy, statement
from tests.support.wire import crc32_base64, etag_of

UNTIL = datetime(2090, 1, 1, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
#: The files of nouns and of preconditions, and of what calls their functions.
NOUNS = re.compile(r".*/fakestore/operations/(\w+|framework/preconditions)\.py")
FRAMEWORK = re.compile(r".*/fakestore/(operations/framework|service)/\w+\.py")
#: The files of the functions of operations. Those of most settings are in the framework.
OPERATIONS = re.compile(r".*/fakestore/operations/(\w+|framework/setting)\.py")
METHODS_OF_RECORDS = {
    each.__code__
    for record in (BucketRecord, UploadIndex, State)
    for name, each in vars(record).items()
    if not name.startswith("_") and callable(each)
}
#: Functions of the framework that only some operations need.
OF_SOME_OPERATIONS = {each.__code__ for each in (ObjectContent.max_length, Service.note_changes)}


class Called(NamedTuple):
    """A function that was called.

    Args:
        owner: The class of which it is a method, or the class of its object.
        is_hook: Whether the framework called a function of a noun, or one for this operation, or an operation a method
            of a record.
    """

    code: CodeType
    owner: type
    is_hook: bool

    def is_of(self, step: Step) -> bool:
        return self.owner is step.function or self.code is code_of(step)


def code_of(step: Step) -> CodeType | None:
    return getattr(getattr(step.function, "__func__", step.function), "__code__", None)


def trace(action: Callable[[], object]) -> list[Called]:
    """Return the functions that an action calls, in their order."""
    calls = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_back is not None:
            owner = frame.f_locals.get("cls") or type(frame.f_locals.get("self"))
            calls.append(Called(frame.f_code, owner, is_hook(frame)))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls


def is_hook(frame: FrameType) -> bool:
    code, caller = frame.f_code, frame.f_back
    if caller.f_code is read_header.__code__:  # it calls a parser for its own caller
        caller = caller.f_back
    file, file_of_caller = code.co_filename, caller.f_code.co_filename
    if code in METHODS_OF_RECORDS:
        return is_applied(frame) and bool(OPERATIONS.fullmatch(file_of_caller))
    if code in OF_SOME_OPERATIONS:
        return True
    if file == file_of_caller or (code.co_name != "<lambda>" and code.co_name.startswith("<")):
        return False
    return bool(NOUNS.fullmatch(file) and FRAMEWORK.fullmatch(file_of_caller))


def is_applied(frame: FrameType | None) -> bool:
    """Return whether the function of an operation runs."""
    while frame is not None and frame.f_code is not pipeline.apply.__code__:
        frame = frame.f_back
    return frame is not None


def flat(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from flat(step.calls)


def steps_by_name(name: str) -> Iterator[Step]:
    (operation,) = (each for each in TABLE if each.name == name)
    return flat(steps_of(operation))


def find_missing(name: str, called: list[Called]) -> list[str]:
    """Return the hooks that were called, and that the steps of the operation do not name."""
    codes = {code_of(step) for step in steps_by_name(name)}
    return sorted({f"{name}: {each.code}" for each in called if each.is_hook and each.code not in codes})


def test_each_place_is_a_definition():
    wrong = []
    for each in TABLE:
        for step in flat(steps_of(each)):
            if step.function is not None:
                path, line = place_of(step.function).split(":")
                text = (ROOT / path).read_text(encoding="utf-8").splitlines()[int(line) - 1]
                last = step.name.rpartition(".")[2]
                if not re.search("lambda" if last == "<lambda>" else rf"^ *(def|class) {last}\b", text):
                    wrong.append(f"{each.name}: {step.name} {path}:{line} {text}")
    assert not wrong


#: Headers without their prefix that every request for an object may have.
OF_GUARDS = {"mfa": "serial 123456", "expected-bucket-owner": "123456789012", "request-payer": "requester"}
OF_NEW_OBJECT = {
    "acl": "bucket-owner-full-control",
    "storage-class": "STANDARD_IA",
    "server-side-encryption": "AES256",
    "tagging": "colour=grey",
    "website-redirect-location": "/dog.jpg",
    "object-lock-mode": "GOVERNANCE",
    "object-lock-retain-until-date": "2090-01-01T00:00:00Z",
    "object-lock-legal-hold": "OFF",
}
OF_COPY = {
    "copy-source": "photos/locked.jpg",
    "copy-source-if-none-match": "another",
    "metadata-directive": "REPLACE",
    "tagging-directive": "REPLACE",
    "checksum-algorithm": "SHA256",
    "source-expected-bucket-owner": "123456789012",
}


class Sent(NamedTuple):
    """A request that has everything that an operation reads.

    Args:
        never: What another request for the operation calls.
    """

    method: str
    headers: dict[str, str]
    key: str = "cat.jpg"
    query: tuple[str, ...] = ()
    body: bytes = b""
    never: Set[str] = frozenset()


SENT = {
    "PUT Object": Sent("PUT", {**OF_NEW_OBJECT, "checksum-crc32": crc32_base64(b"meow")}, body=b"meow"),
    "DELETE Object": Sent(
        "DELETE",
        {"bypass-governance-retention": "true"},
        "locked.jpg",
        ("versionId",),
        never={
            "_refuse_directory_conditions",
            "BucketRecord.delete",
            "BucketRecord.describe_missing",
            "BucketRecord.latest_entry",
        },
    ),
    "GET Object ACL": Sent("GET", {}, "locked.jpg", ("acl", "versionId"), body=b"ignored"),
    "PUT Object Copy": Sent("PUT", OF_NEW_OBJECT | OF_COPY, never={"CopySource.<lambda>"}),
}


@pytest.mark.parametrize("name", SENT)
def test_a_request_takes_the_steps_in_their_order(name):
    sent = SENT[name]
    with fake_store(dialect="s3", signatures="verify") as store:
        photos = store.create_bucket("photos", object_lock=True)
        locked = photos.put("locked.jpg", b"meow", retention=Retention("GOVERNANCE", UNTIL))
        session, allow = store.session(), statement("Allow", store.default_account, "s3:GetObject", "photos/*")
        session.put(store.url("photos", policy=None), policy(allow)).raise_for_status()
        query = {each: locked.version_id if each == "versionId" else None for each in sent.query}
        headers = {f"x-amz-{header}": text for header, text in (OF_GUARDS | sent.headers).items()}
        url = store.url("photos", sent.key, **query)
        calls = trace(lambda: session.request(sent.method, url, data=sent.body, headers=headers))
        assert [store.exchanges[-1].operation, store.exchanges[-1].error_code] == [name, None], store.exchanges[-1]
    steps = [step for step in steps_by_name(name) if step.function is not None]
    never, at = set(), 0
    for step in steps:
        found = [place for place in range(at, len(calls)) if calls[place].is_of(step)]
        if found:
            at = found[0] + 1
        else:
            never.add(step.name)
    assert never == sent.never
    at = 0
    for hook in (each for each in calls if each.is_hook):
        found = [place for place in range(at, len(steps)) if hook.is_of(steps[place])]
        assert found, hook
        at = found[0]


def test_nothing_that_an_operation_calls_or_sets_is_missing(monkeypatch):
    """A request for every operation succeeds in a bucket whose policy allows it."""
    missing, assigned = [], []

    def assign(bucket, name, value):
        if OPERATIONS.fullmatch(inspect.currentframe().f_back.f_code.co_filename):
            assigned.append(f"sets bucket.{name}")
        object.__setattr__(bucket, name, value)

    monkeypatch.setattr(BucketRecord, "__setattr__", assign)
    worlds = {empty: World(empty=empty) for empty in (False, True)}
    for row in EXPECTED:
        world, name = worlds[row == "DELETE Bucket"], row.partition(":")[0]
        world.arrange("allowed", "owner", ASKS[row].needs)
        assigned.clear()
        missing += find_missing(name, trace(lambda world=world, row=row: world.answer(row, "owner")))
        notes = {step.note for step in steps_by_name(name)}
        missing += [f"{name}: {each}" for each in assigned if each not in notes]
    assert not missing


def test_nothing_that_an_operation_on_uploads_calls_is_missing():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        store["photos"].put("cat.jpg", b"meow")
        client = boto3.client("s3")
        begun = [client.create_multipart_upload(Bucket="photos", Key=key) for key in ("dog.jpg", "bird.jpg")]
        upload, ended = ({name: reply[name] for name in ("Bucket", "Key", "UploadId")} for reply in begun)
        parts = {"Parts": [{"PartNumber": 1, "ETag": etag_of(b"meow")}]}
        calls = {
            "Initiate Multipart Upload": lambda: client.create_multipart_upload(Bucket="photos", Key="fish.jpg"),
            "Upload Part": lambda: client.upload_part(**upload, PartNumber=1, Body=b"wuff"),
            "Upload Part Copy": lambda: client.upload_part_copy(**upload, PartNumber=1, CopySource="photos/cat.jpg"),
            "List Parts": lambda: client.list_parts(**upload),
            "List Multipart Uploads": lambda: client.list_multipart_uploads(Bucket="photos"),
            "Complete Multipart Upload": lambda: client.complete_multipart_upload(**upload, MultipartUpload=parts),
            "Abort Multipart Upload": lambda: client.abort_multipart_upload(**ended),
        }
        missing = [each for name, send in calls.items() for each in find_missing(name, trace(send))]
    assert not missing
