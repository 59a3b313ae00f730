"""What carries requests to a store: the only place that knows `requests` and `responses`."""
