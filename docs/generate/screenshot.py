"""Photographs the page about a store: ``python -m docs.generate.screenshot``. It needs Chromium.

It is not a part of ``python -m docs.generate``, because pictures of two machines differ by their fonts.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
from freezegun import freeze_time

from fakestore import fake_store, faults

PICTURE = Path(__file__).parents[1] / "pictures" / "page-about-a-store.png"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
    "--window-size=1200,960",
)


@freeze_time("2026-11-21 10:00:00")
def write_example(path: Path) -> None:
    """Write the page about a store that two accounts used."""
    with fake_store(base_url="http://objects.test", buckets={"photos": "enabled"}) as store:
        bob = store.create_account("bob")
        cat, dog = store.url("photos", "cat.jpg"), store.url("photos", "dog.jpg")
        session = store.session()
        session.put(cat, data=b"kitten", headers={"Content-Type": "text/plain"})
        store.fail("PUT Object", faults.ServiceError("SlowDown", retry_after=2))
        session.put(cat, data=b"meow", headers={"Content-Type": "text/plain"})
        session.put(cat, data=b"meow", headers={"Content-Type": "text/plain"})
        requests.put(dog, data=b"wuff", auth=store.auth(bob))
        session.delete(cat)
        session.get(cat)
        store.to_html(path)


def photograph(page: Path, picture: Path) -> None:
    """Write a picture of a page.

    Raises:
        FileNotFoundError: If there is no Chromium on the path.
    """
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise FileNotFoundError(f"no browser was found; install one of {', '.join(_BROWSERS)}")
    with TemporaryDirectory() as profile:
        command = [browser, *_OPTIONS, f"--user-data-dir={profile}", f"--screenshot={picture}"]
        subprocess.run([*command, page.as_uri()], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        example = Path(folder, "store.html")
        write_example(example)
        photograph(example, PICTURE)
