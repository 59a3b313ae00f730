"""Signature version 2, with HMAC-SHA1: in a header, in the query and in a form."""
