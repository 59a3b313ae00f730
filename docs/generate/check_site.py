"""Checks the built site: no page loads something from the network, and the search finds what a user means.

If Chromium is installed, it opens the pages with the network off. Otherwise only the files are read.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

#: What a user searches, and the beginnings of the paths of pages that may be the first result.
SEARCHES = {
    "travel": ("how-to/", "reference/"),
    "delete marker": ("how-to/", "reference/"),
    "credentials": ("how-to/", "reference/"),
    "put_object": ("how-to/", "reference/"),
    "boto3": ("how-to/boto3",),
    "pandas": ("how-to/clients",),
    "aws command": ("how-to/the-command-line",),
    "failing upload": ("how-to/faults-and-retries", "how-to/large-objects"),
    "versions": ("how-to/versions",),
    "time": ("how-to/time-and-lifecycle",),
    "permissions": ("how-to/accounts-and-access",),
    "processes": ("how-to/processes",),
    "differs from moto": ("how-to/migrate",),
    **dict.fromkeys(("event", "lambda", "trigger", "notification", "SQS"), ("how-to/events",)),
}
_FROM_NETWORK = re.compile(r"""<(?:script|img|link|iframe)[^>]+(?:src|href)=["']?https?:[^>]*>""")
_CANONICAL = re.compile(r"""<link[^>]+rel=["']?canonical""")
_FIRST_RESULT = re.compile(r'<a href="([^"]+)" class="md-search-result__link"')


def main() -> None:
    """Check the site in the folder of the argument, and exit with the failures."""
    site = Path(sys.argv[1]).resolve()
    failures = files_with_network(site)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("Chromium is not installed: only the files were checked")
    else:
        failures += requests_to_network(chromium, site)
        failures += wrong_results(chromium, site)
    if failures:
        sys.exit("\n".join(failures))


def files_with_network(site: Path) -> list[str]:
    """Return a line for each page whose HTML names a file in the network."""
    return [
        f"{page.relative_to(site)}: {found}"
        for page in site.rglob("*.html")
        for found in _FROM_NETWORK.findall(page.read_text(encoding="utf-8"))
        if not _CANONICAL.match(found)
    ]


def requests_to_network(chromium: str, site: Path) -> list[str]:
    """Open all pages, and return a line for each of their requests to the network."""
    with TemporaryDirectory() as folder:
        frames = "".join(f'<iframe src="{page.as_uri()}"></iframe>' for page in sorted(site.rglob("*.html")))
        page, log = Path(folder, "all.html"), Path(folder, "log.json")
        page.write_text(f"<!doctype html>{frames}", encoding="utf-8")
        _open(chromium, page.as_uri(), f"--log-net-log={log}")
        events = json.loads(log.read_text(encoding="utf-8"))["events"]
    requests = [event.get("params", {}) for event in events]
    of_pages = [each["url"] for each in requests if str(each.get("initiator")).startswith("file:")]
    return [f"requested: {url}" for url in sorted(set(of_pages)) if not url.startswith("file:")]


def wrong_results(chromium: str, site: Path) -> list[str]:
    """Return a line for each search whose first result is not a page for users."""
    failures = []
    for words, expected in SEARCHES.items():
        shown = _open(chromium, f"{(site / 'index.html').as_uri()}?q={words.replace(' ', '%20')}")
        first = _FIRST_RESULT.search(shown)
        path = first[1].removeprefix(f"{site.as_uri()}/") if first else "nothing"
        print(f"{words}: {path.partition('?')[0]}")
        if not path.startswith(expected):
            failures.append(f"a search for {words!r} finds {path} first")
    return failures


def _open(chromium: str, url: str, *options: str) -> str:
    """Return the document of a page after its scripts have run."""
    with TemporaryDirectory() as profile:
        command = [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--allow-file-access-from-files",
            f"--user-data-dir={profile}",
            "--virtual-time-budget=20000",
            *options,
            "--dump-dom",
            url,
        ]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
