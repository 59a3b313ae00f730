"""The RequestPaymentConfiguration document."""

from __future__ import annotations

from fakestore.model.request_payment import Payer
from fakestore.model.shape import child, document


@document("RequestPaymentConfiguration")
class RequestPaymentConfiguration:
    """The payer of the requests to the bucket."""

    payer: Payer = child("Payer")
