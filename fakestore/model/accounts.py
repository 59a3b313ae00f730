"""Accounts: the owners of buckets and objects, and the requesters."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, Self

from fakestore.errors import INVALID_ACCESS_KEY, ErrorResponse
from fakestore.xml.declarations import child, element

#: The name of the account that every store has.
DEFAULT_ACCOUNT: Final = "default"


@dataclass(frozen=True, slots=True)
class Account:
    """An account with credentials. Its representation never shows the secret key.

    Attributes:
        id: The canonical user ID: 64 hexadecimal digits. By default, it is derived from the name.
        display_name: The name that the account was created with.
        email: The e-mail address; None if the account has none. Grants can name the account by it.
        access_key_id: The access key ID. The requests of the account contain it.
        secret_key: The secret key. The requests of the account are signed with it.
    """

    id: str
    display_name: str
    email: str | None
    access_key_id: str
    secret_key: str = field(repr=False)

    @property
    def number(self) -> str:
        """The account number: 123456789012 for the default account, as in moto, or 12 digits derived from the id.

        Policies and the header ``x-svc-expected-bucket-owner``, in boto3 ``ExpectedBucketOwner``, can contain it.
        """
        if self.display_name == DEFAULT_ACCOUNT:  # [account-numbers]
            return "123456789012"
        return f"{int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 10**12:012}"

    def __str__(self) -> str:
        return self.display_name


class Anonymous(Enum):
    """The type of :data:`ANONYMOUS`. It is an enumeration so that type checkers narrow ``requester is ANONYMOUS``."""

    ANONYMOUS = "anonymous"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return self.name


#: The form of a canonical user ID, except that of anonymous requesters.
CANONICAL_ID = re.compile("[0-9a-f]{64}")

#: The requester of a request without credentials.
ANONYMOUS: Final = Anonymous.ANONYMOUS

#: The account of anonymous requesters. The public service has the same id for it.
ANONYMOUS_ACCOUNT: Final = Account("65a011a29cdf8ec533ec3d1ccaae921c", "anonymous", None, "", "")

#: The sender of a request.
Requester = Account | Anonymous


def account_of(requester: Requester) -> Account:
    """Return the account of a requester."""
    return ANONYMOUS_ACCOUNT if requester is ANONYMOUS else requester


def _check_account(name: str, account_id: str, key: str, secret: str | None) -> None:
    if not name:
        raise ValueError("the name of an account must not be empty")
    if not CANONICAL_ID.fullmatch(account_id):
        raise ValueError(f"a canonical id must be 64 lower-case hexadecimal digits, not {account_id!r}")
    if not key or not key.isascii() or not key.isprintable() or " " in key or ":" in key:
        raise ValueError(f"an access key must be printable ASCII without blanks and colons, not {key!r}")
    if secret == "":
        raise ValueError("a secret key must not be empty")


def _no_key(access_key_id: str) -> None:
    return None


#: What else to do about an access key of unknown origin.
_UNKNOWN_KEY = (
    "or give the default account this key, with fake_store(access_key_id=..., secret_key=...), or accept every key"
    " without its signature, with fake_store(any_access_key=True, signatures='accept'). On the command line, use"
    " --access-key-id and --secret-key, or --any-access-key"
)


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """The secret of an access key that another mock has issued, such as moto's STS, or that an earlier client has."""

    secret_key: str = field(repr=False)
    #: Whether a session token belongs to it.
    has_token: bool = False


class Accounts:
    """The accounts of one store. They are looked up by access key, canonical ID or e-mail address.

    Args:
        origin: The base URL of the store. Default credentials depend on it, so the credentials of one store are not
            valid in another.
    """

    def __init__(self, origin: str = "") -> None:
        self._origin = origin
        self._by_id: dict[str, Account] = {}
        self._by_key: dict[str, Account] = {}
        #: The account that every unknown access key belongs to; None if unknown access keys are refused.
        self.owner_of_unknown_keys: Account | None = None
        #: The account that the keys of other mocks belong to, unless another account has the key.
        self.owner_of_issued_keys: Account | None = None
        #: Returns a key that another mock has issued, by access key.
        self.find_issued_key: Callable[[str], IssuedKey | None] = _no_key
        #: Whether environment variables have the keys of the default account while the store is entered.
        self.has_variables = False
        #: Returns where an unknown access key comes from, and what to do, or None.
        self.explain_unknown_key: Callable[[str], str | None] = _no_key

    def create(
        self,
        name: str,
        *,
        id: str | None = None,
        email: str | None = None,
        access_key_id: str | None = None,
        secret_key: str | None = None,
    ) -> Account:
        """Create an account. Names, ids and access keys are unique.

        Example:
            >>> Accounts().create("alice", access_key_id="ALICE", secret_key="secret")  # doctest: +ELLIPSIS
            Account(id='2bd806c9...', display_name='alice', email=None, access_key_id='ALICE')

        Args:
            id: The canonical user ID: 64 hexadecimal digits. Derived from the name by default.
            email: An e-mail address. If two accounts have the same address, a grant by this address is ambiguous.
            access_key_id: Printable ASCII without blanks and colons. Derived from the name and the origin by default.
            secret_key: Derived from the name and the origin by default.

        Raises:
            ValueError: If the name or the secret key is empty, the id or access key is invalid, or another account has
                the name, id or access key.
        """
        account_id = hashlib.sha256(name.encode()).hexdigest() if id is None else id
        key = access_key_id if access_key_id is not None else f"AK{self._derive('access key', name)[:18].upper()}"
        _check_account(name, account_id, key, secret_key)
        self._check_unique(name, id, account_id, key)
        secret = self._derive("secret key", name)[:40] if secret_key is None else secret_key
        self._by_id[account_id] = self._by_key[key] = account = Account(account_id, name, email, key, secret)
        return account

    def _check_unique(self, name: str, requested_id: str | None, account_id: str, key: str) -> None:
        if requested_id is not None and requested_id in self._by_id:
            raise ValueError(
                f"the canonical id {requested_id!r} already belongs to account {str(self._by_id[requested_id])!r}"
            )
        if account_id in self._by_id or any(each.display_name == name for each in self):
            raise ValueError(
                f"account {name!r} already exists; existing accounts: {', '.join(repr(str(each)) for each in self)}"
            )
        if key in self._by_key:
            raise ValueError(f"access key {key!r} already belongs to account {str(self._by_key[key])!r}")

    def _derive(self, purpose: str, name: str) -> str:
        return hashlib.sha256(f"{purpose} of {name} at {self._origin}".encode()).hexdigest()

    def by_access_key(self, access_key_id: str) -> Account | None:
        account = self._by_key.get(access_key_id)
        if account is None and self.find_issued_key(access_key_id) is not None:
            account = self.owner_of_issued_keys
        return account or self.owner_of_unknown_keys

    def with_key(self, account: Account, access_key_id: str) -> Account:
        """Return an account with the secret key that belongs to an access key."""
        key = None if access_key_id in self._by_key else self.find_issued_key(access_key_id)
        return account if key is None else replace(account, access_key_id=access_key_id, secret_key=key.secret_key)

    def find(self, access_key_id: str, key_element: str) -> Account:
        """Return the account with this access key.

        Args:
            key_element: The name of the element in which an error repeats the access key.

        Raises:
            ErrorResponse: InvalidAccessKeyId, if no account has it.
        """
        account = self.by_access_key(access_key_id)
        if account is None:
            known = ", ".join(f"{each.access_key_id} ({each})" for each in self)
            way = "let the code take its keys from the environment" if self.has_variables else "use auth=store.auth()"
            raise ErrorResponse(
                INVALID_ACCESS_KEY,
                explanation=f"no account has the access key {access_key_id!r}; access keys: {known}."
                f" {self.explain_unknown_key(access_key_id) or f'Either {way}, {_UNKNOWN_KEY}'}",
                elements={key_element: access_key_id},
            )
        return account

    def by_id(self, canonical_id: str) -> Account | None:
        """Return the account with this canonical ID, or None. The id of anonymous requesters is always known."""
        return ANONYMOUS_ACCOUNT if canonical_id == ANONYMOUS_ACCOUNT.id else self._by_id.get(canonical_id)

    def by_number(self, number: str) -> Account | None:
        return next((account for account in self if account.number == number), None)

    def by_email(self, email: str) -> list[Account]:
        """Return every account with this e-mail address. Case is ignored."""
        return [account for account in self if account.email is not None and account.email.lower() == email.lower()]

    def __contains__(self, account: Account) -> bool:
        """Return whether this store has exactly this account, with the same credentials."""
        return self._by_id.get(account.id) == account

    def __iter__(self) -> Iterator[Account]:
        """Yield the accounts in the order in which they were created."""
        return iter(tuple(self._by_id.values()))

    def copy(self) -> Accounts:
        other = copy(self)
        other._by_id, other._by_key = dict(self._by_id), dict(self._by_key)
        return other


@element()
class Owner:
    """An account by its canonical id. A display name that a client sends is ignored."""

    id: str = child("ID")
    display_name: str | None = child("DisplayName", default=None)

    @classmethod
    def of(cls, account: Account, *, shows_name: bool = True) -> Self:
        return cls(id=account.id, display_name=account.display_name if shows_name else None)
