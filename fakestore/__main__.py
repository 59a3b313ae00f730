"""The command line: ``python -m fakestore serve`` serves a store for programs in any language.

It ends with status 0 on SIGINT (Ctrl+C) and SIGTERM.
"""

from __future__ import annotations

import signal
import sys

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C during the import below ends without a traceback

from fakestore.command import main

if __name__ == "__main__":
    sys.exit(main())
