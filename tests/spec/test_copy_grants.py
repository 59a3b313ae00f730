"""Grant headers (specification, section 4.2): who is named, and what each grant allows."""

from __future__ import annotations

import pytest

from tests.support.access import ALL_USERS, AUTHENTICATED_USERS
from tests.support.cases import each
from tests.support.state import state_of
from tests.support.wire import grants, outcome, send

statement = pytest.mark.statement
decision = pytest.mark.decision

HEADERS = ["read", "write", "read-acp", "write-acp", "full-control"]


@pytest.fixture(autouse=True)
def cat(store):
    """An object that all accounts may copy, in a bucket that they may write to, so that only grants decide."""
    store["photos"].acl = "public-read-write"
    return store["photos"].put("cat.jpg", b"meow", acl="public-read", metadata={"camera": "X100"})


def copy(store, *fields):
    return send(store, "PUT", "photos", "/copy", [("x-svc-copy-source", "/photos/cat.jpg"), *fields])


def acl_of_copy(store):
    """Read the ACL as the copy's owner, who always may."""
    return grants(send(store, "GET", "photos", "/copy?acl", account=store["photos"]["copy"].owner))


def allowed(store, account):
    """Return the rights that an account has on the copy."""
    attempts = {
        "READ": send(store, "GET", "photos", "/copy", account=account),
        "READ_ACP": send(store, "GET", "photos", "/copy?acl", account=account),
        "WRITE_ACP": send(store, "PUT", "photos", "/copy?acl", {"x-svc-acl": "private"}, account=account),
    }
    return {right for right, answer in attempts.items() if answer.status == 200}


@pytest.mark.parametrize(
    ("header", "permissions", "rights"),
    [
        pytest.param("read", ["READ"], {"READ"}, marks=statement("4.2-29")),
        pytest.param("read-acp", ["READ_ACP"], {"READ_ACP"}, marks=statement("4.2-31", "2.4-12")),
        pytest.param("write-acp", ["WRITE_ACP"], {"WRITE_ACP"}, marks=statement("4.2-32")),
        pytest.param(
            "full-control", ["FULL_CONTROL"], {"READ", "READ_ACP", "WRITE_ACP"}, marks=statement("4.2-33", "2.4-10")
        ),
    ],
)
@decision("grants-replace-the-acl")
def test_grant_header_grants_exactly_its_permission(store, alice, header, permissions, rights):
    assert copy(store, (f"x-svc-grant-{header}", f'id="{alice.id}"')).status == 200
    assert acl_of_copy(store) == [("CanonicalUser", "alice", permission) for permission in permissions]
    assert allowed(store, alice) == rights


@statement("4.2-30")
@decision("grant-write-on-an-object")
def test_grant_of_write_alone_leaves_the_copy_private(store, alice):
    assert copy(store, ("x-svc-grant-write", f'id="{alice.id}"')).status == 200
    assert acl_of_copy(store) == [("CanonicalUser", "default", "FULL_CONTROL")]
    assert allowed(store, alice) == set()
    assert send(store, "GET", "photos", "/copy").status == 200


@decision("grants-replace-the-acl")
def test_repeated_grant_is_stored_once(store, alice):
    copy(store, ("x-svc-grant-read", f'id="{alice.id}", emailAddress="alice@example.test", id="{alice.id}"'))
    assert acl_of_copy(store) == [("CanonicalUser", "alice", "READ")]


@pytest.mark.parametrize(
    ("grantee", "listed"),
    [
        pytest.param('emailAddress="alice@example.test"', ("CanonicalUser", "alice"), marks=statement("4.2-36")),
        pytest.param('emailAddress="Alice@Example.TEST"', ("CanonicalUser", "alice"), marks=statement("4.2-36")),
        pytest.param('id="{id}"', ("CanonicalUser", "alice"), marks=statement("4.2-37")),
        pytest.param("id={id}", ("CanonicalUser", "alice"), marks=decision("grant-without-quotes")),
        pytest.param('id="{id}" , id={id}', ("CanonicalUser", "alice"), marks=decision("grant-without-quotes")),
        pytest.param(f'uri="{ALL_USERS}"', ("Group", "AllUsers"), marks=statement("4.2-38")),
        pytest.param(f'uri="{AUTHENTICATED_USERS}"', ("Group", "AuthenticatedUsers"), marks=statement("4.2-38")),
    ],
)
def test_grantee_is_named_by_email_id_or_uri(store, alice, grantee, listed):
    copy(store, ("x-svc-grant-read", grantee.format(id=alice.id)))
    assert acl_of_copy(store) == [(*listed, "READ")]
    assert allowed(store, alice) == {"READ"}


@statement("4.2-35")
@pytest.mark.parametrize("comma", [",", " , ", None], ids=["comma", "blanks", "header sent twice"])
def test_list_of_grantees_holds_several(store, alice, comma):
    grantees = [f'id="{alice.id}"', f'uri="{ALL_USERS}"', 'emailAddress="alice@example.test"']
    values = grantees if comma is None else [comma.join(grantees)]
    copy(store, *(("x-svc-grant-read", value) for value in values), ("x-svc-grant-read-acp", grantees[0]))
    assert acl_of_copy(store) == [
        ("CanonicalUser", "alice", "READ"),
        ("Group", "AllUsers", "READ"),
        ("CanonicalUser", "alice", "READ_ACP"),
    ]


@statement("4.2-39")
@decision("errors-of-acl-headers")
@pytest.mark.usefixtures("alice")
def test_malformed_or_unknown_grantee_is_refused(store):
    before = state_of(store)
    for value in [
        "",
        "alice",
        "id=",
        'id="',
        'name="alice"',
        "name=alice",
        'displayName="alice"',
        "ID=1",
        'emailAddress="alice@example.test" id=1',
        'emailAddress="alice@example.test",',
        'emailAddress="alice@example.test',
        f"uri={ALL_USERS.replace('AllUsers', 'allusers')}",
        'id="x";uri="y"',
        ',id="x"',
        'id="' + "0" * 64 + '"',
        'uri="http://acs.amazonaws.com/groups/global/Nobody"',
        'uri=""',
    ]:
        for case in each(*HEADERS):
            with case as header:
                assert outcome(copy(store, (f"x-svc-grant-{header}", value))) == (400, "InvalidArgument")
        assert state_of(store) == before


@statement("4.2-36")
@decision("errors-of-acl-headers")
def test_email_address_of_no_or_of_several_accounts_is_refused(store, alice):
    alison = store.create_account("alison", email="ALICE@example.test")
    before = state_of(store)
    for header in HEADERS:
        for address, code in (("bob", "UnresolvableGrantByEmailAddress"), ("alice", "AmbiguousGrantByEmailAddress")):
            grant = (f"x-svc-grant-{header}", f'emailAddress="{address}@example.test"')
            assert outcome(copy(store, grant)) == (400, code)
        explanation = store.exchanges[-1].explanation
        assert all(name in explanation for name in ("alice@example.test", alice.id, alison.id))
        assert state_of(store) == before


@statement("4.2-40")
@decision("errors-of-acl-headers")
def test_canned_acl_together_with_a_grant_is_refused(store, alice):
    before = state_of(store)
    for header in HEADERS:
        for canned in ("private", "nonsense"):
            answer = copy(store, ("x-svc-acl", canned), (f"x-svc-grant-{header}", f'id="{alice.id}"'))
            assert outcome(answer) == (400, "InvalidRequest")
        assert state_of(store) == before
