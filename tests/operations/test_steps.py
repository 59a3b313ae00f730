"""The steps of `python -m docs.generate.itinerary` are those that requests take, with what they call."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Set
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import boto3
import pytest

from docs.generate.calls import Step, codes_of, place_of
from docs.generate.steps import steps_of
from fakestore import MfaDevice, Retention, fake_store
from fakestore.errors import ErrorCode
from fakestore.model.bucket import BucketRecord
from fakestore.operations import TABLE
from fakestore.operations.framework import inputs, pipeline, setting
from fakestore.operations.framework.body import ObjectContent
from fakestore.operations.framework.inputs import read_header
from fakestore.service.service import Service
from tests.access.test_matrix import ASKS, EXPECTED, World
from tests.support.cost import profile
from tests.support.documents import policy, statement
from tests.support.wire import crc32_base64, etag_of

UNTIL = datetime(2090, 1, 1, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
#: The files of nouns and of preconditions, and of what calls their functions.
NOUNS = re.compile(r".*/fakestore/operations/(\w+|framework/preconditions)\.py")
FRAMEWORK = re.compile(r".*/fakestore/(operations/framework|service)/\w+\.py")
#: The files whose functions are listed below the functions that call them.
LISTED = re.compile(rf"{NOUNS.pattern}|.*/fakestore/model/(bucket|multipart_upload|state)\.py")
#: The files of the functions of operations. Those of most settings are in the framework.
OPERATIONS = re.compile(r".*/fakestore/operations/(\w+|framework/setting)\.py")
#: How many levels of calls are listed below the functions that these functions and files of the framework call.
LEVELS = {each.__code__: 3 for each in (pipeline.check_inputs, pipeline.find_source, pipeline.apply)}
LEVELS_BY_FILE = {inputs.__file__: 1, setting.__file__: 3}
#: Functions of the framework that only some operations need.
OF_SOME_OPERATIONS = {each.__code__ for each in (ObjectContent.max_length, Service.note_changes)}


class Called(NamedTuple):
    """A function that was called.

    Args:
        owner: The class of which it is a method, or the class of its object.
        is_hook: Whether the framework called a function of a noun, or one for this operation.
        path: The listed functions that called one another, the last one included.
        levels: How many levels of calls are listed below the first of them.
    """

    code: CodeType
    owner: type
    is_hook: bool
    path: tuple[CodeType, ...]
    levels: int

    @property
    def is_nested(self) -> bool:
        """Whether the steps list it below another function. They do not list properties."""
        is_named = not self.code.co_name.startswith(("<", "__")) and not is_property(self.code, self.owner)
        return is_named and len(self.path) <= self.levels + 1

    def is_of(self, step: Step) -> bool:
        return self.owner is step.function or self.code is code_of(step)


def code_of(step: Step) -> CodeType | None:
    return getattr(getattr(step.function, "__func__", step.function), "__code__", None)


def trace(action: Callable[[], object]) -> list[Called]:
    """Return the functions that an action calls, in their order."""
    calls = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_back is not None and not returns_error(frame):
            owner = frame.f_locals.get("cls") or type(frame.f_locals.get("self"))
            calls.append(Called(frame.f_code, owner, is_hook(frame), *path_of(frame)))

    profile(action, note)
    return calls


def returns_error(frame: FrameType) -> bool:
    function = frame.f_globals.get(frame.f_code.co_name)
    return getattr(function, "__annotations__", {}).get("return") == "ErrorResponse"


def is_hook(frame: FrameType) -> bool:
    code, caller = frame.f_code, frame.f_back
    if caller.f_code is read_header.__code__:  # it calls a parser for its own caller
        caller = caller.f_back
    file, file_of_caller = code.co_filename, caller.f_code.co_filename
    if code in OF_SOME_OPERATIONS:
        return True
    if file == file_of_caller or (code.co_name != "<lambda>" and code.co_name.startswith("<")):
        return False
    if file_of_caller == setting.__file__:  # it also calls methods of records
        return is_listed(code) and not is_property(code, type(frame.f_locals.get("self")))
    return bool(NOUNS.fullmatch(file) and FRAMEWORK.fullmatch(file_of_caller))


def is_property(code: CodeType, owner: type) -> bool:
    return isinstance(getattr(owner, code.co_name, None), property)


def path_of(frame: FrameType) -> tuple[tuple[CodeType, ...], int]:
    path = []
    while True:
        code = frame.f_code
        if not path or not (code is read_header.__code__ or code.co_name.startswith("<")):
            if not LISTED.fullmatch(code.co_filename):
                return tuple(path), LEVELS.get(code, LEVELS_BY_FILE.get(code.co_filename, 0))
            path.insert(0, code)
        frame = frame.f_back


def flat(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from flat(step.calls)


def is_listed(code: CodeType | None) -> bool:
    return code is not None and bool(LISTED.fullmatch(code.co_filename))


def outer(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps without what listed functions call, of which a request needs only some."""
    for step in steps:
        yield step
        if not is_listed(code_of(step)):
            yield from outer(step.calls)


def paths_in(steps: Iterable[Step], above: tuple[CodeType, ...] = ()) -> Iterator[tuple[CodeType, ...]]:
    for step in steps:
        path = (*above, code_of(step)) if is_listed(code_of(step)) else ()
        yield path
        yield from paths_in(step.calls, path)


def steps_by_name(name: str) -> list[Step]:
    (operation,) = (each for each in TABLE if each.name == name)
    return list(steps_of(operation))


def find_missing(name: str, called: list[Called]) -> list[str]:
    """Return the hooks, and the calls of listed functions, that the steps of the operation do not name."""
    steps = steps_by_name(name)
    codes, paths = {code_of(step) for step in flat(steps)}, set(paths_in(steps)) - {()}
    hooks = {(each.code,) for each in called if each.is_hook and each.code not in codes}
    nested = {each.path for each in called if each.is_nested and each.path[:-1] in paths}
    return [f"{name}: {' '.join(code.co_name for code in path)}" for path in hooks | nested - paths]


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
        never={"_refuse_directory_conditions"},
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
    assert not find_missing(name, calls)
    never, at = set(), 0
    for step in (step for step in outer(steps_by_name(name)) if step.function is not None):
        found = [place for place in range(at, len(calls)) if calls[place].is_of(step)]
        if found:
            at = found[0] + 1
        else:
            never.add(step.name)
    assert never == sent.never
    steps, at = list(flat(steps_by_name(name))), 0
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
        notes = {step.note for step in flat(steps_by_name(name))}
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


def test_a_step_has_the_codes_of_the_errors_that_it_raises(monkeypatch):
    """The innermost step that runs when an error is made has its code."""
    raised, make_error = [], ErrorCode.error

    def note(code, *arguments, **elements):
        raised.append((code.code, [each.frame.f_code for each in inspect.stack(0)]))
        return make_error(code, *arguments, **elements)

    monkeypatch.setattr(ErrorCode, "error", note)
    with fake_store(dialect="s3", buckets={"photos": "enabled"}) as store:
        session, photos, locked = store.session(), store["photos"], store.create_bucket("locked", object_lock=True)
        cat, dog = photos.put("cat.jpg", b"meow"), locked.put("dog.jpg", b"wuff", legal_hold=True)
        photos.enable_mfa_delete(MfaDevice("serial", lambda: "123456"))
        cat_url, cat_version = store.url("photos", "cat.jpg"), store.url("photos", "cat.jpg", versionId=cat.version_id)
        dog_version = store.url("locked", "dog.jpg", versionId=dog.version_id)
        store.create_bucket("birds", owner=store.create_account("bob"))
        photos.delete("fish.jpg")
        of_marker = {"x-amz-copy-source": "photos/fish.jpg"}
        sent = [
            ("PUT", store.url("birds", "cat.jpg"), {}, "authorize", ["AccessDenied", "MethodNotAllowed"]),
            ("DELETE", cat_version, {}, "check_mfa", ["AccessDenied", "InvalidArgument"]),
            ("DELETE", dog_version, {}, "check_is_unlocked", ["AccessDenied"]),
            ("DELETE", cat_url, {"x-amz-if-match-size": "4"}, "_refuse_directory_conditions", ["NotImplemented"]),
            ("PUT", cat_url, {"x-amz-object-lock-legal-hold": "ON"}, "check_has_object_lock", ["InvalidRequest"]),
            ("PUT", cat_url, {"if-match": "*"}, "WriteConditions.check_parsed", ["NotImplemented"]),
            ("PUT", cat_url, {"if-none-match": "*"}, "WriteConditions.check_state", ["PreconditionFailed"]),
            ("PUT", cat_url, of_marker, "_get_source_version", ["InvalidRequest", "NoSuchKey"]),
        ]
        for method, url, headers, name, codes in sent:
            session.request(method, url, headers=headers)
            code, stack = raised[-1]
            assert store.exchanges[-1].error_code == code
            steps = {code_of(step): step for step in flat(steps_by_name(store.exchanges[-1].operation))}
            step = next(steps[each] for each in stack if each in steps)
            assert (step.name, codes_of(step.function)) == (name, codes)
            assert code in codes
