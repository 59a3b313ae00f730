"""What no test noticed when it was changed, or what no test ran."""

import base64
import hashlib
import io
import threading

import pytest
import requests
from lxml import etree

from fakestore import FakeStore, Limits, SparseContent, UnsupportedRequest, faults
from fakestore.model.errors import ERRORS
from fakestore.model.lifecycle import Rule
from fakestore.model.policy import ACTIONS
from fakestore.operations.core.registry import _BY_ROUTE, operation


def test_the_actions_of_policies_are_those_that_operations_ask_for():
    rows = _BY_ROUTE.values()
    asked = {access.action for row in rows for access in (row.access, row.version_access) if access is not None}
    assert {action.lower() for action in asked} == {action.lower() for action in ACTIONS}


def test_a_route_or_a_name_that_is_taken_is_refused():
    row = _BY_ROUTE["PUT object"]
    taken = "stands in the registry already"
    with pytest.raises(ValueError, match=taken):
        operation("Another", route="PUT object", access=row.access)
    with pytest.raises(ValueError, match=taken):
        operation("PUT Object", route="PUT another", access=row.access)


@pytest.mark.parametrize("name", ["object_size", "copy_size", "metadata", "header_section"])
def test_a_limit_is_not_negative(name):
    assert getattr(Limits(**{name: 0}), name) == 0
    with pytest.raises(ValueError, match=f"limit {name} must be 0 or more bytes, not -1"):
        Limits(**{name: -1})


def test_sparse_content_is_not_of_negative_size():
    with pytest.raises(ValueError, match="0 or more bytes, not -1"):
        SparseContent(-1)


@pytest.mark.parametrize("size", [0, 1, 1024 * 1024, 1024 * 1024 + 1])
def test_sparse_content_is_zeros_however_it_is_read(size):
    content = SparseContent(size)
    assert (len(content), bytes(content), b"".join(content)) == (size, bytes(size), bytes(size))


def test_an_account_is_in_the_store_that_made_it_alone():
    store, other = FakeStore(), FakeStore()
    anna = store.create_account("anna")
    accounts = [each._service.state.accounts for each in (store, other)]
    assert [anna in each for each in accounts] == [True, False]


def test_a_body_that_gives_text_is_sent_as_utf8():
    store = FakeStore(buckets=["photos"])

    class Text:
        """Reads as a file opened for text does."""

        def __init__(self):
            self.pieces = ["ü", "b", ""]

        def __len__(self):
            return 3

        def read(self, size=-1):
            return self.pieces.pop(0)

        def __iter__(self):
            return iter(["ü", "b"])

    with store.session() as session:
        session.mount("http://", store.adapter())
        reply = session.put(store.url("photos", "k"), data=Text())
    assert (reply.status_code, store["photos"]["k"].content) == (200, "üb".encode())
    assert isinstance(reply, requests.Response)


@pytest.mark.parametrize(("digits", "status"), [("2147483647", 200), ("2147483648", 400), ("0" * 11, 400)])
def test_a_page_size_has_ten_digits_and_an_upper_bound(digits, status):
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())
        assert session.get(store.url("photos", max_keys=digits)).status_code == status


#: The codes of the service's errors, by status.
STATUSES = {
    400: [
        "AmbiguousGrantByEmailAddress",
        "BadDigest",
        "EntityTooLarge",
        "IllegalVersioningConfigurationException",
        "IncompleteBody",
        "InvalidArgument",
        "InvalidBucketName",
        "InvalidDigest",
        "InvalidLocationConstraint",
        "InvalidPolicyDocument",
        "InvalidRequest",
        "InvalidStorageClass",
        "InvalidURI",
        "KeyTooLongError",
        "MalformedACLError",
        "MalformedPolicy",
        "MalformedXML",
        "MetadataTooLarge",
        "MissingSecurityHeader",
        "RequestHeaderSectionTooLarge",
        "RequestTimeout",
        "UnexpectedContent",
        "UnresolvableGrantByEmailAddress",
    ],
    403: ["AccessDenied", "InvalidAccessKeyId", "RequestTimeTooSkewed", "SignatureDoesNotMatch"],
    404: ["NoSuchBucket", "NoSuchBucketPolicy", "NoSuchKey", "NoSuchLifecycleConfiguration", "NoSuchVersion"],
    405: ["MethodNotAllowed"],
    409: ["BucketAlreadyExists", "BucketAlreadyOwnedByYou", "BucketNotEmpty"],
    411: ["MissingContentLength"],
    412: ["PreconditionFailed"],
    416: ["InvalidRange"],
    417: ["ExpectationFailed"],
    500: ["InternalError"],
    501: ["NotImplemented"],
    503: ["ServiceUnavailable", "SlowDown"],
}


def test_the_table_of_errors_has_these_codes_with_these_statuses():
    table = {status: sorted(code for code, row in ERRORS.items() if row.status == status) for status in STATUSES}
    assert (table, sum(map(len, table.values()))) == (STATUSES, len(ERRORS))


def test_each_code_of_the_table_can_be_asked_for_as_a_fault():
    assert [faults.ServiceError(code).code for code in ERRORS] == list(ERRORS)


def test_behind_a_common_prefix_that_ends_in_a_letter_the_next_key_is_shown():
    store = FakeStore(buckets=["photos"])
    for key in ("aX1", "aX2", "aY", "b"):
        store["photos"].put(key)
    with store.session() as session:
        session.mount("http://", store.adapter())
        listed = session.get(store.url("photos", delimiter="X")).text
    assert (listed.count("<Key>aY</Key>"), listed.count("<Key>b</Key>"), listed.count("<Prefix>aX</Prefix>")) == (
        1,
        1,
        1,
    )


@pytest.mark.parametrize("around", ["X{}", "{}X", '"X{}"'])
def test_an_entity_tag_with_a_letter_too_many_does_not_match(around):
    store = FakeStore(buckets=["photos"])
    etag = store["photos"].put("k", b"x").etag.strip('"')
    with store.session() as session:
        session.mount("http://", store.adapter())
        assert session.get(store.url("photos", "k"), headers={"If-Match": around.format(etag)}).status_code == 412


def test_a_grant_to_the_log_writer_is_taken_and_gives_no_account_anything():
    store = FakeStore(buckets=["photos"])
    anna = store.create_account("anna")
    uri = "http://acs.amazonaws.com/groups/s3/LogDelivery"
    adapter = store.adapter()
    with store.session() as own, store.session(anna) as hers:
        own.mount("http://", adapter)
        hers.mount("http://", adapter)
        granted = own.put(store.url("photos", acl=None), headers={"x-svc-grant-write": f'uri="{uri}"'})
        refused = hers.put(store.url("photos", "k"), data=b"x")
    assert (granted.status_code, refused.status_code) == (200, 403)


@pytest.mark.parametrize(("sent", "status"), [(bytes(10), 200), (bytes(11), 400)])
def test_the_md5_of_small_sparse_content_is_checked(sent, status):
    store = FakeStore(buckets=["photos"])
    headers = {"Content-MD5": base64.b64encode(hashlib.md5(sent).digest()).decode(), "Content-Length": "10"}
    with store.session() as session:
        session.mount("http://", store.adapter())
        assert session.put(store.url("photos", "k"), data=SparseContent(10), headers=headers).status_code == status


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_if_range_is_not_modelled_and_so_not_ignored(method):
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())
        with pytest.raises(UnsupportedRequest, match="'if-range' is not modelled"):
            session.request(method, store.url("photos", "k"), headers={"If-Range": '"x"'})


def test_others_are_answered_while_a_body_is_still_on_its_way():
    store = FakeStore(buckets=["photos"])
    store["photos"].put("there", b"x")
    answered = threading.Event()

    class Slow:
        def __len__(self):
            return 1

        def __iter__(self):
            asking.start()
            assert answered.wait(30), "nobody else was answered meanwhile"
            yield b"y"

    def ask():
        with store.session() as session:
            session.mount("http://", store.adapter())
            if session.get(store.url("photos", "there")).content == b"x":
                answered.set()

    asking = threading.Thread(target=ask)
    with store.session() as session:
        session.mount("http://", store.adapter())
        reply = session.put(store.url("photos", "k"), data=Slow())
    asking.join()
    assert (reply.status_code, store["photos"]["k"].content) == (200, b"y")


@pytest.mark.parametrize(
    "query", [{}, {"list_type": 2}, {"versions": None}, {"max_keys": 1}, {"delimiter": "k"}, {"delimiter": "-"}]
)
def test_a_listing_has_no_text_between_its_elements(query):
    store = FakeStore(buckets=["photos"])
    for key in ("a", "k1", "k2", "l-1", "m-1"):
        store["photos"].put(key)
    with store.session() as session:
        session.mount("http://", store.adapter())
        listed = etree.fromstring(session.get(store.url("photos", **query)).content)
    stray = [node.tag for node in listed.iter() if (len(node) and node.text) or node.tail]
    assert (listed.text, stray) == (None, [])


@pytest.mark.parametrize("name", ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"])
def test_a_condition_on_a_delete_is_not_modelled_and_so_not_ignored(name):
    store = FakeStore(buckets=["photos"])
    store["photos"].put("k")
    with store.session() as session:
        session.mount("http://", store.adapter())
        with pytest.raises(UnsupportedRequest, match=f"'{name.lower()}' is not modelled"):
            session.delete(store.url("photos", "k"), headers={name: "*"})
    assert "k" in store["photos"]


@pytest.mark.parametrize(
    ("bucket", "key", "there", "elsewhere"),
    [("photos", "k", "PUT Object Copy", "HEAD Bucket"), ("photos", "", "HEAD Bucket", "PUT Object Copy")],
)
def test_an_unknown_method_is_told_what_there_is_for_the_same_thing(bucket, key, there, elsewhere):
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())
        with pytest.raises(UnsupportedRequest) as caught:
            session.patch(store.url(bucket, key))
    assert (there in str(caught.value), elsewhere in str(caught.value)) == (True, False)


@pytest.mark.parametrize("quiet", ["true", "false"])
def test_the_answer_to_a_delete_of_many_has_no_text_between_its_elements(quiet):
    store = FakeStore(buckets=["photos"])
    named = "".join(f"<Object><Key>{key}</Key></Object>" for key in ("a", "b", "k" * 1025, "l" * 1025))
    document = f"<Delete><Quiet>{quiet}</Quiet>{named}</Delete>".encode()
    with store.session() as session:
        session.mount("http://", store.adapter())
        answered = etree.fromstring(session.post(store.url("photos", delete=None), data=document).content)
    stray = [node.tag for node in answered.iter() if (len(node) and node.text) or node.tail]
    assert (answered.text, stray, len(answered)) == (None, [], 2 if quiet == "true" else 4)


@pytest.mark.parametrize(
    ("key", "query"),
    [("", {}), ("", {"lifecycle": None}), ("", {"policy": None}), ("k", {}), ("k", {"versionId": "null"})],
)
def test_no_delete_takes_a_body(key, query):
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())
        session.delete(store.url("photos", key, **query), data=b"body")
    assert (store.exchanges[-1].status, store.exchanges[-1].error_code) == (400, "UnexpectedContent")


def test_the_operations_that_read_a_body_run_without_the_lock():
    assert {row.name for row in _BY_ROUTE.values() if row.takes_body} == {
        "POST Bucket delete",
        "PUT Bucket",
        "PUT Bucket ACL",
        "PUT Bucket lifecycle",
        "PUT Bucket policy",
        "PUT Bucket versioning",
        "PUT Object",
        "PUT Object ACL",
    }


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"max_keys": -1}, ("maxKeys", "-1", "Argument maxKeys must be an integer between 0 and 2147483647")),
        ({"encoding_type": "no"}, ("encoding-type", "no", "Invalid Encoding Method specified in Request")),
    ],
)
def test_a_listing_repeats_what_it_was_asked_wrongly(query, told):
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())
        error = etree.fromstring(session.get(store.url("photos", **query)).content)
    assert tuple(error.findtext(name) for name in ("ArgumentName", "ArgumentValue", "Message")) == told


@pytest.mark.parametrize(
    ("query", "name"),
    [({}, "ListBucketResult"), ({"list_type": 2}, "ListBucketResult"), ({"versions": None}, "ListVersionsResult")],
)
def test_a_listing_has_its_name(query, name):
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())
        assert etree.fromstring(session.get(store.url("photos", **query)).content).tag == name


@pytest.mark.parametrize(
    ("versioning", "message"),
    [
        ("never", "The bucket you tried to delete is not empty"),
        ("enabled", "The bucket you tried to delete is not empty. You must delete all versions in the bucket."),
    ],
)
def test_a_bucket_that_is_not_empty_is_told_so_as_its_versioning_asks(versioning, message):
    store = FakeStore(buckets={"photos": versioning})
    store["photos"].put("k")
    with store.session() as session:
        session.mount("http://", store.adapter())
        error = etree.fromstring(session.delete(store.url("photos")).content)
    assert error.findtext("Message") == message


def test_an_object_tells_all_that_was_stored_with_it():
    store = FakeStore(buckets=["photos"])
    stored = {
        "metadata": {"colour": "red"},
        "content_type": "text/plain",
        "cache_control": "no-store",
        "content_disposition": "inline",
        "content_encoding": "gzip",
        "content_language": "de",
        "expires": 5,
    }
    version = store["photos"].put("k", b"meow", **stored)
    assert {name: getattr(version, name) for name in stored} == stored


def test_the_bounds_of_a_lifecycle_rule_are_in_it():
    most = 2**31 - 1
    assert Rule(id="r" * 255, days=most, noncurrent_days=most, newer_noncurrent_versions=100).days == most
    assert Rule(id="r", days=1, noncurrent_days=1, newer_noncurrent_versions=1).days == 1
    assert Rule(id="r", days=1, larger_than=0, smaller_than=2**63 - 1).larger_than == 0
    assert Rule(id="r", days=1, smaller_than=1).smaller_than == 1


@pytest.mark.parametrize(("bucket", "status"), [("nowhere", 404), ("photos", 403)])
def test_a_client_that_is_refused_has_sent_its_file_all_the_same(bucket, status):
    store = FakeStore(buckets=["photos"])
    anna = store.create_account("anna")
    file = io.BytesIO(bytes(200_000))
    with store.session(anna) as session:
        session.mount("http://", store.adapter())
        assert session.put(store.url(bucket, "k"), data=file).status_code == status
    assert file.tell() == 200_000


def test_an_answer_that_takes_as_long_as_the_client_waits_comes_too_late():
    store = FakeStore(buckets=["photos"])
    store.fail("PUT Object", faults.Latency(0.01))
    with store.session() as session:
        session.mount("http://", store.adapter())
        with pytest.raises(requests.ReadTimeout):
            session.put(store.url("photos", "k"), data=b"x", timeout=0.01)
