"""The payer of the requests to a bucket."""

from __future__ import annotations

from fakestore.xml.declarations import child, document


@document("RequestPaymentConfiguration")
class RequestPayment:
    """The account that pays. If the requester pays, accounts other than the owner must agree in every request."""

    requester_pays: bool = child("Payer", choices={"BucketOwner": False, "Requester": True})
