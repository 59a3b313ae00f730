"""The section of a store in the report of a failed test."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest

from fakestore import FakeStore, SparseContent

ROOT = Path(__file__).parents[2]

SHAPES = {
    "fixture": """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    put(fakestore)
    assert False
""",
    "with": """
def test_it():
    with fake_store(buckets=["photos"]) as store:
        put(store)
        assert False
""",
    "after": """
def test_it():
    with fake_store(buckets=["photos"]) as store:
        put(store)
    assert False
""",
    "TestCase": """
@fake_store(buckets=["photos"])
class Test(unittest.TestCase):
    def test_it(self):
        put(self.store)
        self.fail()
""",
    "module": """
@pytest.fixture(scope="module")
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store

def test_before(store): ...

def test_it(store):
    put(store)
    assert False
""",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_report_shows_exchanges_and_contents_once(run, shape):
    result = run(SHAPES[shape])
    result.stdout.fnmatch_lines(
        [
            "*- fakestore http://objects.test -*",
            "exchanges*:",
            "  PUT Object (PutObject) photos/cat.jpg -> 200 (as default), sent 4 bytes, created version null",
            "contents:",
            "  photos  (of default, versioning never)",
            "  └── cat.jpg  4 bytes  binary/octet-stream  *  'meow'",
        ],
        consecutive=True,
    )
    assert result.stdout.str().count("- fakestore http://objects.test -") == 1


def test_the_report_shows_each_store_of_the_test(run):
    result = run(
        """
def test_it():
    with fake_store(base_url="http://one.test"), fake_store(base_url="http://two.test"):
        assert False
"""
    )
    result.stdout.fnmatch_lines(["*- fakestore http://one.test -*", "*- fakestore http://two.test -*"])


def test_the_report_explains_refusals_and_shows_unhandled_requests(run):
    result = run(
        """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    alice = fakestore.create_account("alice")
    fakestore.session(alice).get(fakestore.url("photos", "cat.jpg"))
    for _ in range(3):
        swallow()
    assert False
"""
    )
    result.stdout.fnmatch_lines(
        [
            "  GET Object (GetObject) photos/cat.jpg -> 403 AccessDenied (as alice): *",
            "  unhandled request (3 times): GET http://elsewhere.test/: 'elsewhere.test' is not a host of this store.*",
            "contents:",
        ],
        consecutive=True,
    )


def test_an_error_on_leaving_has_a_report_too(run):
    result = run("def test_it(fakestore): swallow()")
    result.stdout.fnmatch_lines(
        ["*- fakestore http://objects.test -*", "exchanges:", "  none", "  unhandled request: *"]
    )


def test_report_shows_requests_that_were_not_intercepted(run):
    result = run(
        """
import http.client

def fetch(host):
    with pytest.raises(OSError):
        http.client.HTTPConnection(host).request("GET", "/cat.jpg")

@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    for _ in range(2):
        fetch("photos.objects.test")
    put(fakestore)
    fetch("objects.test")
    assert False
"""
    )
    result.stdout.fnmatch_lines(
        [
            "exchanges:",
            "  not intercepted (2 times): 'photos.objects.test' is a host of *'with store.serve() as url:'*",
            "  PUT Object *",
            "  not intercepted: 'objects.test' is a host of a fakestore*",
            "contents:",
        ],
        consecutive=True,
    )


def test_the_report_explains_a_client_without_credentials(run, monkeypatch):
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    result = run(
        """
import boto3

import os

for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
    os.environ.pop(name, None)
client = boto3.Session().client("s3", region_name="us-east-1")

@pytest.mark.fakestore(dialect="s3", buckets=["photos"])
@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("call", [client.list_objects_v2, client.generate_presigned_post])
def test_it(fakestore, wraps, call):
    try:
        call(Bucket="photos", **({} if call == client.list_objects_v2 else {"Key": "k"}))
    except Exception as error:
        if wraps:
            raise RuntimeError("no list") from error
        raise
"""
    )
    result.assert_outcomes(failed=4)
    line = "  no request was sent: * means that the client had no access key, because *made before*"
    result.stdout.fnmatch_lines(["exchanges:", "  none", line] * 4)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (
            'boto3.client("s3", aws_access_key_id="x").list_buckets()',
            "PartialCredentialsError means *one of its two keys*",
        ),
        ('boto3.Session(profile_name="dev").client("s3")', "ProfileNotFound means *names empty settings files*"),
    ],
)
def test_the_report_says_why_a_client_could_not_be_made(run, call, reason):
    result = run(
        f"""
import boto3

@pytest.mark.fakestore(dialect="s3")
def test_it(fakestore):
    {call}
"""
    )
    result.stdout.fnmatch_lines(["exchanges:", "  none", f"  no request was sent: {reason}"])


NOT_AWAITED = "a coroutine may not have been awaited: see the warnings"
PATCHED = (
    "another mock may have answered it: for example a patch of BaseClient._make_api_call, botocore's Stubber, or a"
    " handler of the event before-send"
)


@pytest.mark.parametrize(
    "imported",
    [
        {"requests": [], "botocore": [PATCHED], "aiohttp": [NOT_AWAITED, PATCHED]},
        {"httpx": [NOT_AWAITED]},
    ],
)
def test_report_says_why_a_request_may_be_missing(pytester, plain_runs, imported):
    """Each test imports one more library."""
    tests = [f"def test_{name}(fakestore):\n    import {name}\n    fakestore['photos']" for name in imported]
    pytester.makepyfile("\n\n".join(tests))
    result = pytester.runpytest_subprocess("-p", "fakestore.pytest_plugin")
    _, *reports = str(result.stdout).split("exchanges:\n  none\n")
    reasons = [re.findall("if a request is missing, (.*)", report) for report in reports]
    assert reasons == list(imported.values())


def test_report_gives_no_other_reason_for_a_request_to_a_store_that_was_left(run):
    result = run(
        """
import boto3

@pytest.fixture
def s3():
    with fake_store(dialect="s3"):
        return boto3.client("s3")

def test_it(s3):
    s3.list_buckets()
"""
    )
    result.stdout.fnmatch_lines(["exchanges:", "  none", "contents:"], consecutive=True)


@pytest.mark.parametrize(("host", "is_named"), [("photos.objects.test", True), ("elsewhere.test", False)])
def test_report_says_that_a_mock_of_responses_may_have_answered(run, host, is_named):
    result = run(
        f"""
import responses

@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    with responses.RequestsMock() as mock:
        mock.put("http://{host}/cat.jpg")
        requests.put("http://{host}/cat.jpg", data=b"meow")
    fakestore["photos"]["cat.jpg"]
"""
    )
    result.assert_outcomes(failed=1)
    assert ("if a request is missing, a mock of responses may have answered it" in result.stdout.str()) is is_named


@pytest.mark.parametrize(
    ("host", "hint"),
    [
        ("storag.corp.example:8443", " Did you mean 'storage.corp.example:8443'?"),
        ("storage.corp.example", " Did you mean 'storage.corp.example:8443'?"),
        ("chat.corp.example", ""),
    ],
)
def test_report_names_the_host_that_a_mock_of_responses_refused(run, host, hint):
    result = run(
        f"""
import responses

@pytest.mark.fakestore(base_url="https://storage.corp.example:8443")
@responses.activate
def test_it(fakestore):
    try:
        requests.get("https://user:hush@{host}/cat.jpg?token=hush")
    except requests.ConnectionError as error:
        raise RuntimeError("no cat") from error
"""
    )
    line = f"  responses refused a request to '{host}', which is not a host of this store.{hint}"
    result.stdout.fnmatch_lines(["exchanges:", "  none", line, "contents:"], consecutive=True)


def test_report_explains_a_joined_key_that_a_mock_of_responses_refused(run):
    result = run(
        """
import responses

@pytest.mark.fakestore(buckets=["photos"])
@responses.activate
def test_it(fakestore):
    requests.get(fakestore.url("photos") + "cat.jpg")
"""
    )
    result.stdout.fnmatch_lines(["  responses refused a request to *: use store.url(bucket, key)."])


def test_report_counts_exchanges_without_their_events(run):
    result = run(
        """
@pytest.mark.parametrize("count", [12, 25])
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore, count):
    fakestore["photos"].on_event(lambda event: None)
    for number in range(count):
        put(fakestore, f"{number:02}")
    assert False
"""
    )
    lines = result.stdout.str().splitlines()
    assert "exchanges:" in lines
    assert "last exchanges (5 older exchanges not shown):" in lines
    assert sum(" photos/" in line and "PutObject" in line for line in lines) == 32


def test_the_report_shows_the_last_exchanges_and_the_first_lines(run):
    result = run(
        """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    for number in range(100):
        put(fakestore, f"{number:02}")
    assert False
"""
    )
    result.stdout.fnmatch_lines(
        [
            "last exchanges (80 older exchanges not shown):",
            "  PUT Object (PutObject) photos/80 -> 200 (as default), sent 4 bytes, created version null",
        ],
        consecutive=True,
    )
    result.stdout.fnmatch_lines(["  ├── 38*", "  ... and 61 more lines; see store.describe()"], consecutive=True)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("fakestore.travel(days=5)\n    fakestore.travel(days=-2)", "3 days, 0:00:00 ahead"),
        ("fakestore.travel(days=-3)", "3 days, 0:00:00 back"),
        ("with fake_store() as store:\n        store.travel(days=3)", "3 days, 0:00:00 ahead"),
        ("with freeze_time('2030-01-01'):\n        fakestore.travel(days=3)", None),
        ("fakestore.travel(days=3)\n    fakestore.reset()", None),
    ],
)
def test_the_report_says_how_far_the_clock_was_moved(run, body, shown):
    result = run(f"from freezegun import freeze_time\ndef test_it(fakestore):\n    {body}\n    assert False")
    if shown is None:
        result.stdout.no_fnmatch_line("*moved by store.travel()*")
    else:
        result.stdout.fnmatch_lines([f"  clock: moved by store.travel(), {shown}"])


def test_the_report_does_not_say_that_the_clock_was_moved_in_an_earlier_test(run):
    result = run(
        """
@pytest.fixture(scope="module")
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store

def test_travel(store):
    store.travel(days=3)
    store.close()

def test_it(store):
    store.session().get(store.url("photos"))
    assert False
"""
    )
    result.stdout.fnmatch_lines(["*GET Bucket (ListObjects) photos -> 200*"])
    result.stdout.no_fnmatch_line("*moved by store.travel()*")


def test_the_report_shows_pending_faults(run):
    result = run(
        """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    fakestore.fail("PUT Object", faults.ServiceError("SlowDown"))
    fakestore.fail("PUT Object", faults.ServiceError("SlowDown"), key="dog.jpg", times=2)
    fakestore.fail("PUT Object", faults.ConnectionReset(), after=1, times=None)
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"), times=2)
    fakestore.fail("HEAD Object", faults.ServiceError("SlowDown"), times=None)
    put(fakestore)
    put(fakestore)
    for method in ("GET", "HEAD"):
        fakestore.session().request(method, fakestore.url("photos", "cat.jpg"))
    assert False
"""
    )
    assert [line for line in result.stdout.lines if line.startswith("  pending")] == [
        "  pending: fail('PUT Object', ServiceError('SlowDown'), key='dog.jpg', times=2):"
        " no request has key 'dog.jpg'; known: 'cat.jpg'",
        "  pending: fail('PUT Object', ConnectionReset(), times=None, after=1):"
        " 1 request matched, but after=1 let it pass",
        "  pending: fail('GET Object', ServiceError('SlowDown'), times=2): fired 1 of 2 times",
        "  pending: fail('HEAD Object', ServiceError('SlowDown'), times=None): fired 1 time",
    ]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (
            "put(store)",
            [
                "exchanges of this test:",
                "  PUT Object (PutObject) photos/cat.jpg -> 200 (as default), sent 4 bytes, created version null",
            ],
        ),
        ("pass", ["exchanges of this test:", "  none"]),
        (
            "store.reset(); put(store)",
            [
                "exchanges:",
                "  PUT Object (PutObject) photos/cat.jpg -> 200 (as default), sent 4 bytes, created version null",
            ],
        ),
    ],
)
def test_of_a_wider_store_the_report_shows_what_the_test_did(run, body, lines):
    result = run(
        f"""
@pytest.fixture(scope="module")
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store
        store.unhandled_requests.clear()

def test_before(store):
    put(store, "before")
    swallow()

def test_it(store):
    {body}
    assert False
""",
        "-p",
        "no:randomly",
    )
    result.stdout.fnmatch_lines(["*- fakestore http*", *lines, "contents:"], consecutive=True)


def test_the_report_leaves_out_a_store_that_the_test_did_not_use(run):
    result = run(
        """
@pytest.fixture(scope="module")
def unused():
    with fake_store(base_url="http://unused.test") as store:
        yield store

def test_before(unused): ...

def test_it(fakestore):
    assert False
""",
        "-p",
        "no:randomly",
    )
    result.stdout.fnmatch_lines(["*- fakestore http://objects.test -*"])
    result.stdout.no_fnmatch_line("*- fakestore http://unused.test -*")


def test_the_report_names_threads_if_there_are_several(run):
    result = run(
        """
from threading import Thread

@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    put(fakestore)
    thread = Thread(target=put, args=(fakestore, "other"), name="uploader")
    thread.start()
    thread.join()
    assert False
"""
    )
    result.stdout.fnmatch_lines(
        [
            "  [[]MainThread] PUT Object (PutObject) photos/cat.jpg *",
            "  [[]uploader] PUT Object (PutObject) photos/other *",
        ],
        consecutive=True,
    )


@pytest.mark.parametrize(
    ("content", "preview"),
    [
        (b"a line\nand another", r"  'a line\nand another'"),
        ("é".encode() * 30, f"  '{'é' * 20}'..."),
        (b"x" + "é".encode() * 30, f"  'x{'é' * 19}'..."),
        (b"\xff\xd8\xff", ""),
        (b"\x00", ""),
        (b"", ""),
        (SparseContent(50), ""),
    ],
)
def test_the_tree_shows_the_beginning_of_a_text(content, preview):
    store = FakeStore(buckets=["photos"])
    store["photos"].put("cat.jpg", content, last_modified=datetime(2030, 1, 1))
    assert store.describe().partition("2030-01-01 00:00:00")[2] == preview


def test_no_report_without_a_failure_or_a_store(run):
    result = run(
        """
@fake_store(buckets=["photos"])
def test_passing(store):
    put(store)

def test_without_store():
    assert False
""",
        "-rA",
        "-v",
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line("*- fakestore http*")


def test_stored_content_in_an_assert_shows_a_difference(run):
    result = run(
        """
@fake_store(buckets=["photos"])
def test_it(store):
    put(store)
    assert store["photos"]["cat.jpg"].content == b"purr"
"""
    )
    result.stdout.fnmatch_lines(["E*b'meow' == b'purr'", "E*At index 0 diff: b'm' != b'p'"])


def test_the_failing_example_is_explained_by_its_report(pytester, plain_runs):
    pytester.copy_example(str(ROOT / "examples" / "failing_test" / "test_mistake.py"))
    result = pytester.runpytest("-p", "fakestore.pytest_plugin")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "exchanges:",
            "  PUT Object (PutObject) documents/letter.txt -> 200 (as default), sent 8 bytes, created ????????...",
            "  PUT Object (PutObject) documents/letter.txt -> 403 AccessDenied (as editor): *on bucket 'documents'*",
            "  GET Object (GetObject) documents/letter.txt?versionId=null -> 404 NoSuchVersion *'letter.txt'*",
            "contents:",
            "  documents  (of default, versioning enabled)",
            "  └── letter.txt",
            "      └── *  8 bytes  binary/octet-stream  *  (latest)",
        ],
        consecutive=True,
    )


def test_report_shows_what_a_rule_removed_and_nobody_looked_at(run):
    result = run(
        """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    fakestore["photos"].expire(rule_id="old", days=1)
    put(fakestore)
    fakestore.travel(days=3)
    assert False
"""
    )
    result.stdout.fnmatch_lines(
        ["exchanges:", "  PUT *cat.jpg -> 200*", "  lifecycle rule 'old', due *: photos/cat.jpg, removed version null"],
        consecutive=True,
    )


def test_report_has_one_line_for_what_a_rule_did_to_many_keys(run):
    result = run(
        """
@pytest.fixture(scope="module")
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store

def test_before(store):
    store["photos"].expire(rule_id="old", days=1)
    store["photos"].put("before")
    store.travel(days=3)
    assert list(store["photos"]) == []

def test_it(store):
    for number in range(30):
        store["photos"].put(f"{number:02}.jpg")
    store.travel(days=3)
    assert False
""",
        "-p",
        "no:randomly",
    )
    result.stdout.fnmatch_lines(
        [
            "exchanges of this test:",
            "  lifecycle rule 'old', due *: p*/00.jpg, removed version null; and 29 more: '01.jpg', *'08.jpg' and more",
            "  clock: *",
        ],
        consecutive=True,
    )


def test_failure_report_of_a_test_calls_no_handler(run):
    run(
        """
@fake_store(buckets=["photos"])
def test_it(store):
    store["photos"].on_event(lambda event: print("the handler was called"))
    store["photos"].put("cat.jpg")
    store.travel(days=3)
    store["photos"].expire(rule_id="old", days=1)
    assert False
"""
    ).stdout.no_fnmatch_line("the handler was called")


def test_report_shows_which_event_went_where(run):
    result = run(
        """
import boto3

QUEUE = "arn:aws:sqs:us-east-1:111111111111:uploads"

@fake_store(dialect="s3", buckets=["photos"])
def test_it(store):
    client = boto3.client("s3")
    store["photos"].on_event(lambda event, context: None)
    queue = {"QueueArn": QUEUE, "Events": ["s3:ObjectRemoved:*"]}
    client.put_bucket_notification_configuration(
        Bucket="photos", NotificationConfiguration={"QueueConfigurations": [queue]}
    )
    for key in "12":
        store["photos"].put(key)
    client.delete_objects(Bucket="photos", Delete={"Objects": [{"Key": "1"}, {"Key": "2"}]})
    store["photos"].put("3", notify=True)
    assert False
"""
    )
    line = (
        "    ObjectRemoved:Delete photos/1 -> <lambda>: delivered, arn:*:uploads: not delivered: nobody answers;"
        " and 1 more: '2'"
    )
    advice = (
        "  nobody answers: give the ARN a handler in store.destinations, or enter a mock of its service, such as moto"
    )
    arranged = "  Bucket.put: ObjectCreated:Put photos/3 -> <lambda>: delivered"
    result.stdout.fnmatch_lines(
        ["  DeleteObjects (POST Bucket delete) *", line, arranged, advice, "contents:"], consecutive=True
    )


def test_report_says_where_a_handler_raised_and_why_others_got_no_event(run):
    result = run(
        """
import json

def broken(event):
    json.loads("meow")

async def impatient(event):
    raise ValueError

@fake_store(buckets=["photos", "films"])
def test_it(store):
    photos = store["photos"]
    photos.on_event(broken, prefix="in/")
    photos.on_event(impatient, prefix="in/")
    photos.on_event(print, events=["s3:ObjectRemoved:*"], suffix="g")
    photos.on_event(repr, prefix="in/", suffix="*.png")
    store["films"].on_event(print)
    photos.put("in/cat.jpg", notify=True)
    photos.put("cat.gif", notify=True)
    assert False
"""
    )
    event = "ObjectCreated:Put in/cat.jpg does not match"
    result.stdout.fnmatch_lines(
        [
            "  Bucket.put: ObjectCreated:Put photos/in/cat.jpg -> broken: raised JSONDecodeError(*",
            '      *test_*.py:* in broken: json.loads("meow")',
            "      *decoder.py:* in raw_decode: raise JSONDecodeError(*",
            "      *test_*.py:* in impatient: raise ValueError",
            f"  handler print of photos got no event: {event} events=['s3:ObjectRemoved:*']".replace("[", "[[]"),
            f"  handler repr of photos got no event: {event} suffix='[*].png', in which '[*]' is not a wildcard",
            "  handler print of films got no event: the bucket had none; *notify=True",
            "contents:",
        ],
        consecutive=True,
    )
