"""Actions of a bucket policy that are written with wildcards and name nothing that is modelled."""

from __future__ import annotations

import json

import pytest

from fakestore import UnsupportedRequest
from fakestore.documents.policy import parse_policy
from fakestore.model.accounts import Accounts
from fakestore.model.errors import MALFORMED_POLICY, ErrorResponse


def parse(action):
    statement = {"Effect": "Deny", "Principal": "*", "Action": action, "Resource": "arn:aws:s3:::photos/*"}
    return parse_policy(json.dumps({"Statement": statement}).encode(), "photos", Accounts())


@pytest.mark.parametrize("action", ["s3:PutObjectTagging", "s3:*Tagging", "s3:Replicate*", "S3:abort*", "s3:?bort*"])
def test_an_action_that_is_none_of_those_modelled_is_unsupported_with_and_without_wildcards(action):
    with pytest.raises(UnsupportedRequest, match="is none that is modelled"):
        parse(action)


@pytest.mark.parametrize("action", ["ec2:*", "s3", "s3:", "Tagging*", "s3:Put Object", "s3:[a]", "iam:?"])
def test_what_has_not_the_form_of_an_action_is_malformed(action):
    with pytest.raises(ErrorResponse) as refused:
        parse(action)
    assert refused.value.error is MALFORMED_POLICY
