"""Browser forms: who signed the policy."""

from __future__ import annotations

import base64
from dataclasses import replace
from functools import cache

import pytest
from botocore.auth import HmacV1PostAuth, S3SigV4PostAuth
from botocore.awsrequest import AWSRequest
from freezegun import freeze_time
from hypothesis import given, settings
from hypothesis import strategies as st

from fakestore.model.errors import ErrorResponse
from fakestore.protocol.auth.form import FormSigner, authenticate_form

from .arrange import ACCEPT, CREDENTIALS, KEY, NOW, VERIFY, accounts, status_of

SIGNERS = {"v4": S3SigV4PostAuth(CREDENTIALS, "s3", "us-east-1"), "v2": HmacV1PostAuth(CREDENTIALS)}
of_every_form = pytest.mark.parametrize("version", SIGNERS)


@cache
def signed_fields(version: str) -> dict[str, str]:
    request = AWSRequest(method="POST", url="https://s3.amazonaws.com/photos")
    request.context["s3-presign-post-fields"] = {"key": "cat.jpg"}
    request.context["s3-presign-post-policy"] = {"expiration": "2026-11-21T13:00:00Z", "conditions": []}
    with freeze_time(NOW):
        SIGNERS[version].add_auth(request)
    return request.context["s3-presign-post-fields"]


def form(version: str) -> dict[str, str]:
    return dict(signed_fields(version))


def refused(fields: dict[str, str], rules=VERIFY) -> ErrorResponse:
    with pytest.raises(ErrorResponse) as caught:
        authenticate_form(fields, accounts(), rules)
    return caught.value


@of_every_form
def test_botocore_form_is_accepted_whatever_the_case_of_its_fields(version):
    fields = form(version)
    for sent in (fields, {name.upper(): value for name, value in fields.items()}):
        assert authenticate_form(sent, accounts(), VERIFY).access_key_id == KEY


@of_every_form
def test_altered_policy_is_refused_if_verified(version):
    fields = form(version)
    fields["policy"] = fields["policy"][:-4]
    error = refused(fields)
    assert error.error.code == "SignatureDoesNotMatch"
    assert error.elements["StringToSign"] == fields["policy"]
    assert "CanonicalRequest" not in error.elements
    assert authenticate_form(fields, accounts(), ACCEPT).access_key_id == KEY


@pytest.mark.parametrize(
    ("version", "removed", "missing"),
    [
        ("v2", ["signature"], "Signature"),
        ("v4", ["x-amz-signature"], "X-Amz-Signature"),
        ("v2", ["AWSAccessKeyId"], "AWSAccessKeyId"),
        ("v4", ["x-amz-algorithm", "x-amz-credential"], "X-Amz-Algorithm"),
        ("v4", ["policy"], "policy"),
    ],
)
def test_missing_field_is_the_recorded_error(version, removed, missing):
    fields = {name: value for name, value in form(version).items() if name not in removed}
    error = refused(fields)
    assert error.error.code == "InvalidArgument"
    assert error.message == (
        f"Bucket POST must contain a field named '{missing}'.  If it is specified, please check the order of the"
        " fields."
    )
    assert error.elements == {"ArgumentName": missing, "ArgumentValue": ""}


def test_policy_that_nothing_signs_is_refused():
    assert refused({"key": "a", "policy": "e30="}).error.code == "AccessDenied"


def test_form_without_policy_and_signature_is_anonymous():
    assert authenticate_form({"key": "a"}, accounts(), VERIFY) is None


def test_scope_of_a_form_is_checked():
    rules = replace(VERIFY, region="eu-west-1")
    assert "the region 'us-east-1' is wrong" in refused(form("v4"), rules).message


def test_form_of_the_store_is_accepted():
    signer = FormSigner(accounts().by_access_key(KEY), NOW, VERIFY)
    fields = signer.fields() | signer.sign(base64.b64encode(b"{}").decode())
    assert authenticate_form(fields, accounts(), VERIFY).access_key_id == KEY
    fields["x-amz-signature"] = "0" * 64
    assert refused(fields).error.code == "SignatureDoesNotMatch"


@settings(deadline=None)
@given(data=st.data(), version=st.sampled_from(list(SIGNERS)), rules=st.sampled_from([VERIFY, ACCEPT]))
def test_malformed_forms_raise_nothing_but_errors_of_the_service(data, version, rules):
    fields = form(version)
    for name in data.draw(st.sets(st.sampled_from(sorted(fields)), min_size=1)):
        fields[name] = data.draw(st.text(max_size=20))
    assert status_of(lambda: authenticate_form(fields, accounts(), rules)) in (200, 400, 403)
