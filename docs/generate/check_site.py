"""Checks the built site: it needs no network, its links lead somewhere, and its search finds what users mean.

Chromium opens the pages with the network off, and node runs the script of the search, if they are installed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

#: What a user searches, and the beginnings of the paths of pages that may be the first result.
SEARCHES = {
    **dict.fromkeys(
        ("credentials", "put_object", "async", "403", "retry"), ("how-to/", "reference/", "troubleshooting")
    ),
    **dict.fromkeys(("presigned", "presigned url", "generate_presigned_post"), ("how-to/presigned",)),
    **dict.fromkeys(("event", "lambda", "trigger", "notification", "sqs"), ("how-to/events",)),
    **dict.fromkeys(("moto", "differs from moto"), ("how-to/migrate",)),
    **dict.fromkeys(("pandas", "s3fs", "polars"), ("how-to/clients",)),
    **dict.fromkeys(("boto3", "region"), ("how-to/boto3",)),
    **dict.fromkeys(("travel", "time", "lifecycle"), ("how-to/time-and-lifecycle",)),
    **dict.fromkeys(("versions", "delete marker"), ("how-to/versions",)),
    **dict.fromkeys(("public", "permissions"), ("how-to/accounts-and-access",)),
    "multipart": ("how-to/large-objects",),
    "failing upload": ("how-to/faults-and-retries", "how-to/large-objects"),
    "aws command": ("how-to/the-command-line",),
    "processes": ("how-to/processes",),
}
#: How many characters of a result a screen shows.
_SCREEN = 1500
_FROM_NETWORK = re.compile(r"""<(?:script|img|link|iframe)[^>]+(?:src|href)=["']?https?:[^>]*>""")
_LINK = re.compile(r"""<a [^>]*?href=["']([^"']+)["']""")
_ANCHOR = re.compile(r"""\bid=["']([^"']+)["']""")
_CANONICAL = re.compile(r"""<link[^>]+rel=["']?canonical""")


def main() -> None:
    """Check the site in the folder of the argument, and exit with the failures."""
    site = Path(sys.argv[1]).resolve()
    failures = files_with_network(site) + broken_links(site)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("Chromium is not installed: the pages were not opened")
    else:
        failures += requests_to_network(chromium, site)
    if shutil.which("node") is None:
        print("node is not installed: the search was not tried")
    else:
        failures += wrong_results(site)
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


def broken_links(site: Path) -> list[str]:
    """Return a line for each link to a page, a heading or a file of the repository that does not exist."""
    pages = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html") if page.name != "404.html"}
    anchors = {page: set(_ANCHOR.findall(text)) for page, text in pages.items()}
    failures = set()
    for page, text in pages.items():
        for link in _LINK.findall(text):
            address, _, heading = unquote(unescape(link)).partition("#")
            if address.startswith("https://"):
                _, in_repository, path = address.partition("/blob/main/")
                exists = not in_repository or Path(path).exists()
            else:
                target = (page.parent / address).resolve() if address else page
                exists = target.exists() and (not heading or heading in anchors.get(target, {heading}))
            if not exists:
                failures.add(f"{page.relative_to(site)}: {link} does not exist")
    return sorted(failures)


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


def wrong_results(site: Path) -> list[str]:
    """Return a line for each search whose first result is not a page for users, or that shows more than a screen."""
    script = Path(__file__).with_name("search.js")
    output = subprocess.run(["node", script, site, *SEARCHES], check=True, capture_output=True, text=True).stdout
    failures = []
    for (words, expected), results in zip(SEARCHES.items(), json.loads(output), strict=True):
        path = results[0]["location"] if results else "nothing"
        print(f"{words}: {path}")
        if not path.startswith(expected):
            failures.append(f"a search for {words!r} finds {path} first")
        shown = {each["location"]: re.sub("<[^>]+>", "", each["text"]) for each in results if "<mark>" in each["text"]}
        failures += [f"{words!r} at {place} is too long" for place, text in shown.items() if len(text) > _SCREEN]
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
