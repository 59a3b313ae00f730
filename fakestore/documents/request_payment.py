"""The RequestPaymentConfiguration document."""

from __future__ import annotations

from fakestore.documents.shape import child, document
from fakestore.model.request_payment import Payer


@document("RequestPaymentConfiguration")
class RequestPaymentConfiguration:
    """The payer of the requests to the bucket."""

    payer: Payer = child("Payer")
