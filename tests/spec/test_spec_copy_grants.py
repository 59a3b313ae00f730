"""Grant headers (specification, section 4.2): who is named, and what each grant lets them do."""

from __future__ import annotations

import pytest

from tests.spec.arrange import grants, holdings, refusal, wire

statement = pytest.mark.statement

ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
HEADERS = ["read", "write", "read-acp", "write-acp", "full-control"]


@pytest.fixture
def shared(store):
    """A bucket that everybody may write to and whose objects anybody may copy, so that grants alone decide."""
    store["photos"].acl = "public-read-write"
    store["photos"].put("cat.jpg", b"meow", acl="public-read")
    return store["photos"]


def copy(store, *fields, account=None):
    return wire(store, "PUT", "photos", "/copy", [("x-svc-copy-source", "/photos/cat.jpg"), *fields], account=account)


def acl_of_copy(store):
    """Read as the copy's owner, who always may."""
    owner = store["photos"]["copy"].owner
    return grants(store.session(owner).get(store.url("photos", "copy", acl=None)).content)


def allowed(store, account):
    """What an account may do with the copy."""
    session = store.session(account)
    url, acl_url = store.url("photos", "copy"), store.url("photos", "copy", acl=None)
    tried = {
        "READ": session.get(url),
        "READ_ACP": session.get(acl_url),
        "WRITE_ACP": session.put(acl_url, headers={"x-svc-acl": "private"}),
    }
    return {right for right, answer in tried.items() if answer.status_code == 200}


@pytest.mark.parametrize(
    ("header", "permission", "rights"),
    [
        pytest.param("read", "READ", {"READ"}, marks=statement("4.2-29")),
        pytest.param("read-acp", "READ_ACP", {"READ_ACP"}, marks=statement("4.2-31", "2.4-12")),
        pytest.param("write-acp", "WRITE_ACP", {"WRITE_ACP"}, marks=statement("4.2-32")),
        pytest.param(
            "full-control", "FULL_CONTROL", {"READ", "READ_ACP", "WRITE_ACP"}, marks=statement("4.2-33", "2.4-10")
        ),
    ],
)
def test_a_grant_header_grants_just_its_permission(store, shared, alice, header, permission, rights):
    answer = copy(store, (f"x-svc-grant-{header}", f'id="{alice.id}"'))
    assert answer.status == 200
    assert acl_of_copy(store) == [("CanonicalUser", "alice", permission)]
    assert allowed(store, alice) == rights


@statement("4.2-30")
def test_grant_write_makes_no_grant_on_an_object(store, shared, alice):
    assert copy(store, ("x-svc-grant-write", f'id="{alice.id}"')).status == 200
    assert acl_of_copy(store) == []
    assert allowed(store, alice) == set()


@statement("4.2-29")
def test_read_gives_content_and_metadata_by_get_and_head(store, alice):
    store["photos"].put("cat.jpg", b"meow", metadata={"camera": "X100"})
    copy(store, ("x-svc-grant-read", f'id="{alice.id}"'))
    session = store.session(alice)
    answers = [session.request(method, store.url("photos", "copy")) for method in ("GET", "HEAD")]
    assert [(each.content, each.headers["x-svc-meta-camera"]) for each in answers] == [(b"meow", "X100"), (b"", "X100")]


@statement("4.2-36")
@pytest.mark.parametrize("address", ["alice@example.test", "Alice@Example.TEST"])
def test_a_grantee_is_named_by_email_address(store, shared, alice, address):
    copy(store, ("x-svc-grant-read", f'emailAddress="{address}"'))
    assert acl_of_copy(store) == [("CanonicalUser", "alice", "READ")]


@statement("4.2-37")
def test_a_grantee_is_named_by_id(store, shared, alice):
    copy(store, ("x-svc-grant-read", f'id="{alice.id}"'))
    assert acl_of_copy(store) == [("CanonicalUser", "alice", "READ")]


@statement("4.2-38")
@pytest.mark.parametrize(("uri", "name"), [(ALL_USERS, "AllUsers"), (AUTHENTICATED_USERS, "AuthenticatedUsers")])
def test_a_grantee_is_named_by_uri(store, shared, alice, uri, name):
    copy(store, ("x-svc-grant-read", f'uri="{uri}"'))
    assert acl_of_copy(store) == [("Group", name, "READ")]
    assert allowed(store, alice) == {"READ"}


@statement("4.2-35")
@pytest.mark.parametrize("comma", [",", ", ", " , "])
def test_a_list_of_grantees_holds_several(store, shared, alice, comma):
    value = comma.join([f'id="{alice.id}"', f'uri="{ALL_USERS}"', 'emailAddress="alice@example.test"'])
    copy(store, ("x-svc-grant-read", value), ("x-svc-grant-read-acp", f'id="{alice.id}"'))
    assert acl_of_copy(store) == [
        ("CanonicalUser", "alice", "READ"),
        ("Group", "AllUsers", "READ"),
        ("CanonicalUser", "alice", "READ_ACP"),
    ]


@statement("4.2-35")
def test_a_grant_header_that_came_twice_is_one_list(store, shared, alice):
    copy(store, ("x-svc-grant-read", f'id="{alice.id}"'), ("x-svc-grant-read", f'uri="{ALL_USERS}"'))
    assert acl_of_copy(store) == [("CanonicalUser", "alice", "READ"), ("Group", "AllUsers", "READ")]


def test_grants_replace_the_whole_list_of_the_owner_too(store, shared, alice):
    copy(store, ("x-svc-grant-read", f'id="{alice.id}"'))
    assert allowed(store, store["photos"]["copy"].owner) == {"READ_ACP", "WRITE_ACP"}


@statement("4.2-39")
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize(
    "value",
    [
        "",
        "alice",
        "id=",
        'id="',
        'name="alice"',
        'ID="x"',
        'id="x";uri="y"',
        ',id="x"',
        'id="nobody"',
        'id="' + "0" * 64 + '"',
        'uri="http://acs.amazonaws.com/groups/global/Nobody"',
        'uri=""',
        "a" * 3000,
    ],
)
def test_a_grantee_of_another_form_or_of_nobody_is_refused(store, shared, header, value):
    before = holdings(store)
    assert refusal(copy(store, (f"x-svc-grant-{header}", value))) == (400, "InvalidArgument")
    assert holdings(store) == before


@statement("4.2-36")
@pytest.mark.parametrize("header", HEADERS)
def test_an_email_address_of_nobody_or_of_several_is_refused(store, shared, alice, header):
    store.create_account("alison", email="ALICE@example.test")
    before = holdings(store)
    assert refusal(copy(store, (f"x-svc-grant-{header}", 'emailAddress="bob@example.test"'))) == (
        400,
        "UnresolvableGrantByEmailAddress",
    )
    assert refusal(copy(store, (f"x-svc-grant-{header}", 'emailAddress="alice@example.test"'))) == (
        400,
        "AmbiguousGrantByEmailAddress",
    )
    assert holdings(store) == before


@statement("4.2-40")
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("canned", ["private", "public-read", "nonsense"])
def test_a_canned_acl_and_a_grant_together_are_refused(store, shared, alice, header, canned):
    before = holdings(store)
    answer = copy(store, ("x-svc-acl", canned), (f"x-svc-grant-{header}", f'id="{alice.id}"'))
    assert refusal(answer) == (400, "InvalidRequest")
    assert holdings(store) == before
