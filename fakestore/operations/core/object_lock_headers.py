"""The names of the headers about the lock of one version, without the prefix of the dialect."""

MODE_HEADER = "object-lock-mode"
UNTIL_HEADER = "object-lock-retain-until-date"
LEGAL_HOLD_HEADER = "object-lock-legal-hold"
LOCK_HEADERS = (MODE_HEADER, UNTIL_HEADER, LEGAL_HOLD_HEADER)
