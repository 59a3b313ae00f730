"""The headers of Object Lock, without the prefix of the dialect: those of a new object, and of one that is read."""

MODE_HEADER = "object-lock-mode"
UNTIL_HEADER = "object-lock-retain-until-date"
LEGAL_HOLD_HEADER = "object-lock-legal-hold"
LOCK_HEADERS = (MODE_HEADER, UNTIL_HEADER, LEGAL_HOLD_HEADER)
