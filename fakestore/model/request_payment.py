"""The payer of the requests to a bucket."""

from __future__ import annotations

from enum import StrEnum

from fakestore.xml.declarations import child, document


class Payer(StrEnum):
    """The account that pays. If the requester pays, accounts other than the owner must agree in every request."""

    BUCKET_OWNER = "BucketOwner"
    REQUESTER = "Requester"


@document("RequestPaymentConfiguration")
class RequestPayment:
    payer: Payer = child("Payer")
