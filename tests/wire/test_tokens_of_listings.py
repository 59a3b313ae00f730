"""A continuation token that no listing gave."""

from __future__ import annotations

import pytest

from tests.spec.arrange import elements, wire


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.mark.parametrize("token", ["secret", "Zm9v", ""])
def test_what_answers_a_wrong_token_names_the_argument_and_does_not_repeat_its_value(fakestore, token):
    answer = wire(fakestore, "GET", "photos", f"/?list-type=2&continuation-token={token}")
    assert elements(answer.body) == {
        "Code": "InvalidArgument",
        "Message": "The continuation token provided is incorrect",
        "ArgumentName": "continuation-token",
        "Resource": "/photos/",
        "RequestId": answer.headers["x-svc-request-id"],
        "HostId": answer.headers["x-svc-id-2"],
    }
