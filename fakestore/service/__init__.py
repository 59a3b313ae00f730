"""The steps of a request, the journal of exchanges and the fault plan."""
