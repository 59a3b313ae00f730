"""The Owner element of several documents."""

from __future__ import annotations

from fakestore.model.accounts import Account
from fakestore.model.shape import child, element


@element()
class Owner:
    """An account by its canonical id. A display name that a client sends is ignored."""

    id: str = child("ID")
    display_name: str | None = child("DisplayName", default=None)

    @classmethod
    def from_account(cls, account: Account, *, shows_name: bool = True) -> Owner:
        """Return the element for ``account``.

        Args:
            shows_name: Whether the element has a DisplayName.
        """
        return cls(id=account.id, display_name=account.display_name if shows_name else None)
