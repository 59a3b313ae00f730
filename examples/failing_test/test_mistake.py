"""A test that fails on purpose, to show its report: ``pytest examples/failing_test/test_mistake.py``.

The application below keeps drafts of a document and reads the first one. It makes two mistakes: it ignores the status
of the responses, so a refused draft is lost silently; and it assumes that the first version is the null version.
"""

from __future__ import annotations

import requests

from fakestore import FakeStore, fake_store


class Drafts:
    """The application. It keeps every draft as a version of one object."""

    def __init__(self, session: requests.Session, url: str) -> None:
        self._session = session
        self._url = url

    def save(self, text: str) -> None:
        self._session.put(self._url, data=text.encode())

    def first(self) -> str:
        return self._session.get(self._url, params={"versionId": "null"}).text


@fake_store(buckets={"documents": "enabled"})
def test_first_draft_is_returned(store: FakeStore) -> None:
    editor = store.create_account("editor")
    author_drafts = Drafts(store.session(), store.url("documents", "letter.txt"))
    editor_drafts = Drafts(store.session(editor), store.url("documents", "letter.txt"))
    author_drafts.save("Dear Sir")
    editor_drafts.save("Dear Madam")
    assert author_drafts.first() == "Dear Sir"
