"""What is advised where the scheme of Authorization is another: only what works."""

from __future__ import annotations

import pytest
import requests

from fakestore import fake_store
from fakestore.protocol.unsupported import scheme_sentence

VERSION_4 = "Credential=AK/20261121/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=abc"


def advised(authorization, **options):
    """Status and explanation of a request with this Authorization."""
    with fake_store(buckets=["photos"], **options) as store:
        answer = requests.get(store.url("photos"), headers={"Authorization": authorization})
        return answer.status_code, store.exchanges[-1].explanation


@pytest.mark.parametrize(
    ("scheme", "credentials"),
    [
        ("AWS4-HMAC-SHA256", VERSION_4),
        ("Basic", "QUs6c2VjcmV0"),
        ("Bearer", "eyJhbGciOi"),
        ("Digest", 'username="a:b", realm="c"'),
        ("AWS", ""),
        ("", "AK:signature"),
        ("AWS", " AK:signature"),
    ],
)
def test_no_option_is_advised_for_a_header_of_another_form(scheme, credentials):
    assert scheme_sentence(f"{scheme} {credentials}", "SVC") == (
        f"the Authorization scheme is {scheme!r}, where this store expects 'SVC'; no option makes it expect yours, for"
        " what follows it is not the <access key>:<signature> of the older form, the only one that is modelled. Sign"
        " with auth=store.auth() or store.session(), or, where the application has a signer of that form, name its"
        " scheme with auth_scheme="
    )


@pytest.mark.parametrize("authorization", [f"AWS4-HMAC-SHA256 {VERSION_4}", "Basic QUs6c2VjcmV0", "Bearer token"])
def test_a_header_of_another_form_is_refused_as_any_other_scheme(authorization):
    assert advised(authorization) == (403, scheme_sentence(authorization, "SVC"))


def test_the_option_that_is_advised_works():
    assert advised("ACME AK:signature")[1].endswith("fake_store(auth_scheme='ACME') makes it expect yours")
    assert advised("ACME AK:signature", auth_scheme="ACME", access_key_id="AK", max_clock_skew=None)[1] == (
        "neither Date nor x-svc-date was sent; auth=store.auth() dates a request and signs it"
    )
