"""Accounts: who owns things, who asks, and by which names they are found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody with credentials. ``id`` is the canonical user ID: 64 hexadecimal digits."""

    id: str
    display_name: str
    email: str | None
    access_key_id: str
    secret_key: str = field(repr=False)

    def __str__(self) -> str:
        return self.display_name


class Accounts:
    """The accounts of one store, found by access key, canonical id or e-mail address."""

    def __init__(self) -> None:
        self._by_access_key: dict[str, Account] = {}
        self._by_id: dict[str, Account] = {}
        self._by_email: dict[str, list[Account]] = {}

    def create(
        self,
        name: str,
        *,
        email: str | None = None,
        access_key_id: str | None = None,
        secret_key: str | None = None,
    ) -> Account:
        """A new account. What is not given is derived from the name, so that a run repeats.

        Two accounts may share an e-mail address (a grant by it is then ambiguous), but neither name nor access key.

        Raises:
            ValueError: the name or the access key is empty, has a character that cannot stand in an
                Authorization header, or is taken.
            TypeError: what is given is no text.
        """
        optional = {"email": email, "access_key_id": access_key_id, "secret_key": secret_key}
        for what, given in {"name": name, **optional}.items():
            if not isinstance(given, str) and (given is not None or what not in optional):
                raise TypeError(f"an account's {what} is text, not {given!r}")
        if not name:
            raise ValueError("an account needs a name that is not empty")
        digest = hashlib.sha256(name.encode()).hexdigest()
        key = access_key_id if access_key_id is not None else f"AK{digest[:18].upper()}"
        if not key or not key.isascii() or not key.isprintable() or " " in key or ":" in key:
            raise ValueError(f"an access key is printable ASCII without blanks and colons, not {key!r}")
        if digest in self._by_id:
            raise ValueError(
                f"there is an account {name!r} already; accounts are {', '.join(repr(str(a)) for a in self)}"
            )
        if key in self._by_access_key:
            raise ValueError(f"access key {key!r} belongs to account {self._by_access_key[key].display_name!r}")
        secret = secret_key if secret_key is not None else hashlib.sha256(f"secret of {name}".encode()).hexdigest()[:40]
        account = Account(id=digest, display_name=name, email=email, access_key_id=key, secret_key=secret)
        self._by_access_key[key] = account
        self._by_id[account.id] = account
        if email is not None:
            self._by_email.setdefault(email.lower(), []).append(account)
        return account

    def by_access_key(self, access_key_id: str) -> Account | None:
        return self._by_access_key.get(access_key_id)

    def by_id(self, canonical_id: str) -> Account | None:
        return self._by_id.get(canonical_id)

    def by_email(self, email: str) -> list[Account]:
        """Every account with this address, whatever its case; grants by address need exactly one."""
        return self._by_email.get(email.lower(), [])

    def __contains__(self, account: Account) -> bool:
        return self._by_id.get(account.id) == account

    def __iter__(self) -> Iterator[Account]:
        """In order of creation."""
        return iter(tuple(self._by_id.values()))

    def copy(self) -> Accounts:
        """The same accounts, independent of later additions here."""
        other = Accounts()
        other._by_access_key = dict(self._by_access_key)
        other._by_id = dict(self._by_id)
        other._by_email = {email: list(accounts) for email, accounts in self._by_email.items()}
        return other
