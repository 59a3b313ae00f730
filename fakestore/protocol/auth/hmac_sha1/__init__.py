"""The authentication of 2006, with HMAC-SHA1: in a header, in the query and in a form."""
