"""The page about a store: what it shows, and what it leaves out."""

from __future__ import annotations

import hashlib
import http.client
import json
import shutil
import socket
import subprocess
import unittest
from pathlib import Path

import pytest
import requests
from freezegun import freeze_time
from lxml import html

from fakestore import FakeStore, UnexpectedRequest, fake_store, faults
from fakestore.http import Request

SECRET = "0123456789abcdef"


@pytest.fixture
def store(fakestore):
    fakestore.create_bucket("photos", versioning="enabled")
    return fakestore


def page_of(store, tmp_path):
    store.to_html(tmp_path / "store.html")
    return html.parse(tmp_path / "store.html").getroot()


def rows(page, table):
    """Return the texts of the cells of each row of a table."""
    return [
        [" ".join(cell.text_content().split()) for cell in row]
        for row in page.xpath(f"//table[@class={table!r}]/tbody/tr")
    ]


def test_each_version_names_the_exchange_that_created_it(store, tmp_path):
    url = store.url("photos", "cat.jpg")
    store.session().put(url, data=b"meow", headers={"Content-Type": "text/plain"})
    store["photos"].put("cat.jpg", b"purr", storage_class="REDUCED_REDUNDANCY", tags={"pet": "cat"})
    store.session().delete(url)
    page = page_of(store, tmp_path)
    versions = rows(page, "versions")
    assert [row[1] for row in versions] == [entry.version_id for entry in store["photos"].versions("cat.jpg")]
    assert [(row[0], row[2], row[3], row[6], row[7]) for row in versions] == [
        ("cat.jpg", "", "delete marker", "#2", ""),
        ("cat.jpg", "4", "binary/octet-streamREDUCED_REDUNDANCYtags pet=cat", "", "'purr'"),
        ("cat.jpg", "4", "text/plain", "#1", "'meow'"),
    ]
    (created,) = page.xpath("//tr[@id='exchange-1']//a/@href")
    assert page.xpath(f"string(//tr[@id={created[1:]!r}]/td[2])") == versions[2][1]
    (creator,) = page.xpath(f"//tr[@id={created[1:]!r}]//a/@href")
    assert creator == "#exchange-1"


def test_exchanges_show_sizes_changes_faults_and_explanations(store, tmp_path):
    url = store.url("photos", "cat.jpg")
    store.session().put(url, data=b"meow")
    version_id = store["photos"]["cat.jpg"].version_id
    store.session().delete(store.url("photos", "cat.jpg", versionId=version_id))
    store.fail("GET Object", faults.ConnectionReset())
    with pytest.raises(requests.ConnectionError):
        store.session().get(url)
    store.session(store.create_account("alice")).get(url)
    page = page_of(store, tmp_path)
    put, delete, reset, refused, explanation = rows(page, "exchanges")
    short_id = f"{version_id[:8]}..."
    assert put[0] == "#1"
    assert put[1].startswith("PUT Object (PutObject) photos/cat.jpgPUT http://photos.objects.test/cat.jpg")
    assert put[2:8] == ["200", f"created {short_id}", "4", "", "default", f"python-requests/{requests.__version__}"]
    assert put[8].endswith("MainThread")
    assert (delete[2], delete[3]) == ("204", f"removed {short_id}")
    assert reset[2] == "no answer ConnectionReset()"
    assert (refused[2], refused[6]) == ("403 AccessDenied", "alice")
    assert "alice may not" in explanation[1]


def test_exchanges_show_the_headers_and_the_bodies_of_both_messages(store, tmp_path):
    url = store.url("photos", "cat.jpg")
    store.session().put(url, data=b"meow")
    store.session().put(url, data=b"w" * 3000)
    store.session().get(url)
    store.session().get(store.url("photos", "dog.jpg"))
    page = page_of(store, tmp_path)
    requests_and_replies = [
        [each.text_content().splitlines() for each in details.xpath("pre")] for details in page.xpath("//details")
    ]
    (sent, stored), (_, _), (_, received), (_, refused) = requests_and_replies
    assert (sent[0], sent[-2:]) == (f"PUT {url}", ["", "meow"])
    assert (stored[0], f"x-svc-version-id: {store.exchanges[0].version_id}" in stored) == ("200", True)
    digest = f"(3,000 bytes, MD5 {hashlib.md5(b'w' * 3000).hexdigest()})"
    assert requests_and_replies[1][0][-1] == received[-1] == digest
    assert (refused[0], "<Code>NoSuchKey</Code>" in refused[-1]) == ("404", True)


def test_page_names_the_test_of_pytest(store, tmp_path, request, monkeypatch):
    assert page_of(store, tmp_path).xpath("string(//header/p/code)") == request.node.nodeid
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    assert page_of(store, tmp_path).xpath("//header/p/code") == []


def test_page_without_pytest_names_the_decorated_test(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    names = []

    @fake_store()
    class Upload(unittest.TestCase):
        def test_photo(self):
            names.append((page_of(self.store, tmp_path).xpath("string(//header/p/code)"), self.id()))

    @fake_store()
    def test_upload(store):
        names.append((page_of(store, tmp_path).xpath("string(//header/p/code)"), "test_upload"))

    assert Upload("test_photo").run().wasSuccessful()
    test_upload()
    assert [name for name, _ in names] == [expected for _, expected in names]
    assert len(names) == 2


def test_page_begins_with_the_failures(store, tmp_path):
    session = store.session()
    session.put(store.url("photos", "ümlaut.jpg"), data=b"meow")
    for number in range(25):
        session.get(store.url("photos", f"{number}.jpg"))
    page = page_of(store, tmp_path)
    assert page.xpath("//main//h2/text()") == ["Failures", "Buckets", "Exchanges"]
    failures = page.xpath("//section[h2='Failures']//li")
    assert [each.text_content() for each in failures][:2] == [
        "5 earlier failures not shown here.",
        "#7 " + str(store.exchanges[6]),
    ]
    assert failures[-1].xpath("a/@href") == ["#exchange-26"]


def test_page_leaves_out_empty_sections(tmp_path):
    assert page_of(FakeStore(), tmp_path).xpath("//main//h2") == []
    assert page_of(FakeStore(buckets=["photos"]), tmp_path).xpath("//main//h2/text()") == ["Buckets"]


#: What a person does on the page, and which rows of the exchanges are shown then.
ACTIONS = {
    "type('ümlaut')": ["#1", "#3"],
    "type('%c3%bcmlaut')": ["#1", "#3"],
    "type('NoSuchKey')": ["#4"],
    "failures.click()": ["#3", "#4"],
    "failures.click(); type('ümlaut')": ["#3"],
    "failures.click(); document.querySelector(\"a[href='#exchange-1']\").click()": ["#1", "#2", "#3", "#4"],
    "type('nowhere')": [],
}
#: Writes the rows that each action shows into an element of its own, and puts the page back before the next action.
SCRIPT = """
function type(text) { filter.value = text; filter.dispatchEvent(new Event('input', {bubbles: true})); }
const seen = actions.map(act => {
    act();
    const rows = [...document.querySelectorAll('table.exchanges > tbody')].filter(each => !each.hidden);
    const section = [...document.querySelectorAll('section')].find(
        each => each.querySelector('h2')?.textContent === 'Exchanges');
    const result = [rows.map(each => each.rows[0].cells[0].textContent), section.hidden];
    if (failures.checked) failures.click();
    type('');
    return result;
});
const output = document.body.appendChild(document.createElement('pre'));
output.id = 'seen';
output.textContent = JSON.stringify(seen);
"""
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_filter_finds_decoded_keys_and_failures(store, tmp_path):
    session, umlaut = store.session(), store.url("photos", "ümlaut.jpg")
    session.put(umlaut, data=b"meow")
    session.put(store.url("photos", "dog.jpg"), data=b"wuff")
    session.get(store.url("photos", "ümlaut.jpg", versionId="null"))
    session.get(store.url("photos", "cat.jpg"))
    store.to_html(tmp_path / "store.html")
    text = (tmp_path / "store.html").read_text()
    actions = ", ".join(f"() => {{ {action} }}" for action in ACTIONS)
    script = f"<script>const actions = [{actions}]; {SCRIPT}</script></body>"
    (tmp_path / "acted.html").write_text(text.replace("</body>", script))
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command = [BROWSER, *options, "--dump-dom", (tmp_path / "acted.html").as_uri()]
    dump = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    seen = json.loads(html.fromstring(dump).get_element_by_id("seen").text)
    assert dict(zip(ACTIONS, seen, strict=True)) == {action: [shown, shown == []] for action, shown in ACTIONS.items()}


def test_the_page_shows_uploads_and_pending_faults(tmp_path):
    store = FakeStore(dialect="s3", buckets=["photos"])
    session = store.session()
    session.mount("https://", store.adapter())
    session.post(store.url("photos", "film.mp4", uploads=None)).raise_for_status()
    store.fail("GET Object", faults.ServiceError("SlowDown"))
    page = page_of(store, tmp_path)
    (upload,) = rows(page, "uploads")
    assert (upload[0], upload[3]) == ("film.mp4", "0 parts, 0 bytes")
    assert "SlowDown" in page.xpath("string(//h2[.='Pending faults']/following-sibling::ul)")


def test_the_page_shows_settings_and_each_unhandled_request_once(tmp_path):
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        store["photos"].public_access_block = None
        for _ in range(2):
            with pytest.raises(UnexpectedRequest):
                requests.get("http://elsewhere.test/")
        page = page_of(store, tmp_path)
        store.unhandled_requests.clear()
    assert "public access block of nothing" in page.xpath("string(//h3[.='photos']/following-sibling::p)")
    (unhandled,) = page.xpath("//h2[.='Unhandled requests']/following-sibling::ul/li")
    assert unhandled.text_content().endswith("(2 times)")


def test_page_shows_requests_that_were_not_intercepted(tmp_path):
    with fake_store(buckets=["photos"]) as store:
        with pytest.raises(socket.gaierror):
            http.client.HTTPConnection("photos.objects.test").request("GET", "/cat.jpg")
        page = page_of(store, tmp_path)
    (row,) = rows(page, "exchanges")
    assert "not intercepted: 'photos.objects.test' is a host of a fakestore" in " ".join(row)


def test_the_page_needs_no_network_and_hides_credentials(tmp_path):
    store = FakeStore(dialect="s3", buckets=["photos"])
    headers = {"x-amz-server-side-encryption-customer-key": SECRET, "Authorization": f"AWS AK:{SECRET}", "X-Own": "1"}
    store.handle(Request.to_url("GET", store.url("photos", "cat.jpg"), headers))
    store.handle(Request.to_url("GET", store.url("photos", "cat.jpg", **{"X-Amz-Signature": SECRET})))
    page = page_of(store, tmp_path)
    text = (tmp_path / "store.html").read_text()
    assert SECRET not in text
    assert store.default_account.secret_key not in text
    assert "X-Own: 1" in text
    assert page.xpath("//@src | //link | //@href[not(starts-with(., '#'))]") == []
    assert not any(word in text for word in ("@import", "url(", "fetch("))


def test_names_and_contents_cannot_write_into_the_page(store, tmp_path):
    key = "</td><script>alert(1)</script>\x00\x1b"
    store["photos"].put(key, b"<script>alert(2)</script>", content_type="<b>")
    page = page_of(store, tmp_path)
    assert [script.text.startswith("// Filters") for script in page.iter("script")] == [True]
    (version,) = rows(page, "versions")
    assert version[0] == "</td><script>alert(1)</script>\\x00\\x1b"


def test_control_characters_of_headers_and_error_codes_are_escaped(store, tmp_path):
    store.handle(Request.to_url("GET", store.url("photos"), {"X-Own\x1b": "1"}))
    store.fail(None, faults.ServiceError("Own\x1b", status=500))
    store.handle(Request.to_url("GET", store.url("photos")))
    refused, _, failed, _ = rows(page_of(store, tmp_path), "exchanges")
    assert "X-Own\\x1b: 1" in refused[1]
    assert failed[2].startswith("500 Own\\x1b")


def test_pytest_writes_a_page_for_each_store_of_a_failed_test(run, tmp_path):
    result = run(
        """
@pytest.mark.parametrize("path", ["a/b", "a:b", pytest.param("long", id="x" * 300)])
def test_failing(path):
    with fake_store(base_url="http://one.test", buckets=["photos"]) as store, fake_store(base_url="http://two.test"):
        put(store)
        assert False

def test_passing(fakestore): ...
""",
        f"--fakestore-html={tmp_path / 'pages'}",
    )
    written = sorted(str(path) for path in (tmp_path / "pages").iterdir())
    assert [path.partition(".py-test_failing-")[2][:3] for path in written] == [
        "a-b",
        "a-b",
        "a-b",
        "a-b",
        "xxx",
        "xxx",
    ]
    assert sorted(line[6:] for line in result.stdout.lines if line.startswith("page: ")) == written
    # The name of the second store's page ends with "-2.html" and sorts first.
    assert ["cat.jpg" in Path(path).read_text() for path in written] == [False, True] * 3


def test_page_that_cannot_be_written_does_not_end_the_run(run, tmp_path):
    (tmp_path / "file").touch()
    result = run("def test_failing(fakestore): assert False", f"--fakestore-html={tmp_path / 'file'}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["page: not written: *FileExistsError*"])


def test_page_shows_what_a_rule_did_in_order(store, tmp_path):
    store["photos"].expire(rule_id="old", days=1)
    session, url = store.session(), store.url("photos", "ümlaut.jpg")
    with freeze_time("2026-11-22 10:00:00") as clock:
        session.put(url, data=b"meow")
        clock.move_to("2026-11-25 12:00:00")
        session.get(url)
        page = page_of(store, tmp_path)
    groups = [" ".join(each.text_content().split()) for each in page.xpath("//table[@class='exchanges']/tbody")]
    assert [index for index, text in enumerate(groups) if "lifecycle rule 'old'" in text] == [1]
    assert "photos/ümlaut.jpg" in groups[1]
    assert "2026-11-24 00:00:00" in groups[1]
    (marker,) = page.xpath("//tr[contains(., 'delete marker')][@class='latest']")
    (link,) = marker.xpath(".//a[contains(@href, '#')]/@href")
    assert "lifecycle rule" in page.xpath(f"string(//*[@id={link[1:]!r}])")
