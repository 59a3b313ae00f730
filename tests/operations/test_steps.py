"""`python -m docs.generate.itinerary` lists what the framework calls for a request, in its order."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from linecache import getlines
from types import FrameType

import boto3
import pytest

from docs.generate.itinerary import main
from docs.generate.steps import Step, place_of, steps_of
from fakestore import Retention, fake_store
from fakestore.operations import TABLE
from fakestore.operations.framework import inputs, pipeline
from fakestore.operations.framework.access import authorize
from fakestore.operations.framework.body import read_body
from fakestore.service.service import Service
from fakestore.xml.document import parse as parse_document
from tests.access.test_matrix import ASKS, EXPECTED, World
from tests.support.cost import profile
from tests.support.wire import crc32_base64, etag_of

#: The files of nouns and of preconditions, and of what calls their functions.
NOUNS = re.compile(r".*/fakestore/operations/(\w+|framework/preconditions)\.py")
FRAMEWORK = re.compile(r".*/fakestore/(operations/framework|service)/\w+\.py")
ANSWER, PARSE = Service.answer.__code__, inputs.Inputs.parse.__func__.__code__
#: The functions that receive a listed class as an argument, and the name of the argument.
CLASSES = {PARSE: "cls", read_body.__code__: "body_type", parse_document.__code__: "shape"}
#: Other functions that must be listed, and one that need not be, because every authorization calls it.
ALSO = {each.__code__ for each in (authorize, read_body, parse_document, Service.note_changes)}
CONDITIONS = TABLE.condition_keys.values.__code__


def trace(action: Callable[[], object]) -> list[tuple[object, bool]]:
    """Return what the framework calls to answer a request, as keys of steps, and whether each must be a step."""
    calls, answering = [], False

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal answering
        if frame.f_code is ANSWER:
            answering = event == "call"
        if answering and event == "call":
            calls.extend(keys_of(frame))

    profile(action, note)
    return calls


def keys_of(frame: FrameType) -> Iterator[tuple[object, bool]]:
    code, caller = frame.f_code, frame.f_back.f_code
    if caller is inputs.read_header.__code__:  # it calls a parser for its own caller
        caller = frame.f_back.f_back.f_code
    if code is ANSWER or FRAMEWORK.fullmatch(caller.co_filename):
        is_hook = NOUNS.fullmatch(code.co_filename) and code.co_filename != caller.co_filename
        yield code, code in ALSO or bool(is_hook and code is not CONDITIONS and code.co_name != "<genexpr>")
    if code in CLASSES:
        received = frame.f_locals[CLASSES[code]]
        yield received, code is PARSE and bool(dataclasses.fields(received))


def flat(steps: Iterable[Step]) -> Iterator[tuple[Step, bool]]:
    """Yield the steps with their calls, and whether they are repeated after the body."""
    steps = tuple(steps)
    for step in steps:
        yield step, False
        yield from flat(step.calls)
        if step.function is pipeline.receive_body:
            repeated = [each for each in steps if each.function in pipeline.REPEATED_CHECKS]
            yield from ((each, True) for each, _ in flat(repeated))


def follow(name: str, calls: list[tuple[object, bool]]) -> tuple[list[str], set[str]]:
    """Return the calls that are not where the steps of an operation name them, and the steps that were not called."""
    (operation,) = (each for each in TABLE if each.name == name)
    steps = list(flat(steps_of(operation)))
    keys = [getattr(step.function, "__code__", step.function) for step, _ in steps]
    at, called, wrong = 0, set(), []
    for key, is_hook in calls:
        if key in keys[at:]:
            at = keys.index(key, at) + 1
            called.add(at - 1)
        elif is_hook or key in keys:
            wrong.append(f"{name}: {key}")
    others = [step for index, (step, repeats) in enumerate(steps) if index not in called and not repeats]
    return wrong, {step.function.__qualname__ for step in others if step.function is not None}


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
BYPASS, CHECKSUM = {"bypass-governance-retention": "true"}, {"checksum-crc32": crc32_base64(b"meow")}


@pytest.mark.parametrize(
    ("name", "key", "query", "headers", "body", "never"),
    [
        ("PUT Object", "cat.jpg", [], OF_NEW_OBJECT | CHECKSUM, b"meow", set()),
        ("DELETE Object", "locked.jpg", ["versionId"], BYPASS, b"", {"_refuse_directory_conditions"}),
        ("GET Object ACL", "locked.jpg", ["acl"], {}, b"ignored", set()),
        ("PUT Object Copy", "cat.jpg", [], OF_NEW_OBJECT | OF_COPY, b"", {"CopySource.<lambda>"}),
    ],
)
def test_a_request_with_all_headers_takes_all_steps(name, key, query, headers, body, never):
    with fake_store(dialect="s3", signatures="verify") as store:
        photos, session = store.create_bucket("photos", object_lock=True), store.session()
        retention = Retention("GOVERNANCE", datetime(2090, 1, 1, tzinfo=UTC))
        locked = photos.put("locked.jpg", b"meow", retention=retention)
        url = store.url("photos", key, **{each: locked.version_id if each == "versionId" else None for each in query})
        sent = {f"x-amz-{header}": text for header, text in (OF_GUARDS | headers).items()}
        calls = trace(lambda: session.request(name.split()[0], url, data=body, headers=sent))
        assert [store.exchanges[-1].operation, store.exchanges[-1].error_code] == [name, None], store.exchanges[-1]
    assert follow(name, calls) == ([], never)


def test_each_operation_calls_only_its_steps_in_their_order():
    """A request for every operation succeeds in a bucket whose policy allows it."""
    wrong, worlds = [], {empty: World(empty=empty) for empty in (False, True)}
    for row in EXPECTED:
        world, name = worlds[row == "DELETE Bucket"], row.partition(":")[0]
        world.arrange("allowed", "owner", ASKS[row].needs)
        wrong += follow(name, trace(lambda world=world, row=row: world.answer(row, "owner")))[0]
    assert not wrong


def test_operations_on_uploads_call_only_their_steps_in_their_order():
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
        assert not [each for name, send in calls.items() for each in follow(name, trace(send))[0]]


def test_each_place_is_a_definition():
    for step in {step for each in TABLE for step, _ in flat(steps_of(each)) if step.function is not None}:
        path, line = place_of(step.function).split(":")
        begun = getlines(path)[int(line) - 1 :]
        defined = next(each for each in begun if re.search(r"^ *(def|class) |\blambda\b", each))
        assert re.search(rf"\b{step.function.__name__.strip('<>')}\b", defined), step
        assert begun[0] == defined or begun[0].strip().startswith("@"), step


def test_an_unknown_operation_is_one_clear_error(capsys):
    with pytest.raises(SystemExit):
        main(["PUT Objct"])
    assert capsys.readouterr().err.splitlines()[-1].startswith("python -m docs.generate.itinerary: error: unknown")
