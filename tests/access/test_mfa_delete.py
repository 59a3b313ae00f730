"""MFA Delete: a version is deleted for good only with a code from the bucket's device."""

from __future__ import annotations

import pytest
import requests

from fakestore import MfaDevice, UnsupportedRequest

DEVICE = MfaDevice("20899872", "301749")
RIGHT = "20899872 301749"
WRONG = {
    "another code": "20899872 301740",
    "a code of another length": "20899872 30174",
    "another serial number": "20899873 301749",
    "the right two the wrong way round": "301749 20899872",
}
MALFORMED = {
    "empty": "",
    "one word": "20899872",
    "two blanks": "20899872  301749",
    "a tab": "20899872\t301749",
    "three words": "20899872 301749 1",
}


@pytest.fixture
def fakestore_options():
    return {"base_url": "https://objects.test"}


@pytest.fixture
def photos(fakestore):
    bucket = fakestore.create_bucket("photos")
    bucket.set_versioning("enabled", mfa_device=DEVICE)
    return bucket


@pytest.fixture
def cat(photos):
    return photos.put("cat.jpg", b"meow")


def delete_version(fakestore, version, mfa=None, *, account=None, scheme="https"):
    """Ask for the version to be deleted, and return status and error code of the answer."""
    url = fakestore.url("photos", version.key, versionId=version.version_id).replace("https", scheme, 1)
    fakestore.session(account).delete(url, headers={} if mfa is None else {"x-svc-mfa": mfa})
    return fakestore.exchanges[-1].status, fakestore.exchanges[-1].error_code


def test_the_right_code_over_https_deletes_the_version(fakestore, photos, cat):
    assert delete_version(fakestore, cat, RIGHT) == (204, None)
    assert photos.versions() == []


def test_the_right_code_deletes_a_delete_marker(fakestore, photos, cat):
    marker = photos.delete("cat.jpg")
    assert delete_version(fakestore, marker, RIGHT) == (204, None)
    assert photos.versions() == [cat]


def test_without_a_code_the_version_stays(fakestore, photos, cat):
    assert delete_version(fakestore, cat) == (403, "AccessDenied")
    assert photos.versions() == [cat]
    assert fakestore.exchanges[-1].explanation == "bucket 'photos' asks for its MFA device, and x-svc-mfa was not sent"


@pytest.mark.parametrize("mfa", WRONG.values(), ids=WRONG)
def test_with_a_wrong_code_or_serial_number_the_version_stays(fakestore, photos, cat, mfa):
    assert delete_version(fakestore, cat, mfa) == (403, "AccessDenied")
    assert photos.versions() == [cat]
    assert fakestore.exchanges[-1].explanation == (
        f"x-svc-mfa is {mfa!r}; the device of bucket 'photos' is '20899872', and its code or serial number is another"
    )


@pytest.mark.parametrize("mfa", MALFORMED.values(), ids=MALFORMED)
def test_with_a_malformed_header_the_version_stays(fakestore, photos, cat, mfa):
    assert delete_version(fakestore, cat, mfa) == (400, "InvalidArgument")
    assert photos.versions() == [cat]
    assert fakestore.exchanges[-1].explanation == f"x-svc-mfa is {mfa!r}, not a serial number, one space and a code"


def test_the_right_code_over_http_leaves_the_version(fakestore, photos, cat):
    assert delete_version(fakestore, cat, RIGHT, scheme="http") == (403, "AccessDenied")
    assert photos.versions() == [cat]
    assert fakestore.exchanges[-1].explanation == "x-svc-mfa was sent over http; it must use https"


@pytest.mark.parametrize("mfa", [RIGHT, *WRONG.values(), *MALFORMED.values()])
@pytest.mark.parametrize(
    ("method", "key", "query"),
    [
        ("PUT", "dog.jpg", {}),
        ("GET", "cat.jpg", {}),
        ("HEAD", "cat.jpg", {}),
        ("DELETE", "cat.jpg", {}),
        ("GET", "", {}),
        ("GET", "cat.jpg", {"acl": None}),
        ("GET", "", {"versioning": None}),
    ],
)
@pytest.mark.usefixtures("cat")
def test_the_header_over_http_is_refused_on_any_operation(fakestore, photos, method, key, query, mfa):
    before = photos.versions()
    url = fakestore.url("photos", key, **query).replace("https", "http", 1)
    response = fakestore.session().request(method, url, headers={"x-svc-mfa": mfa})
    assert (response.status_code, photos.versions()) == (403, before)


def test_over_https_the_header_means_nothing_where_no_version_is_deleted(fakestore, cat):
    headers = {"x-svc-mfa": "nonsense"}
    assert fakestore.session().get(fakestore.url("photos", "cat.jpg"), headers=headers).content == b"meow"


@pytest.mark.parametrize("mfa", [None, *WRONG.values(), *MALFORMED.values()])
def test_a_simple_delete_asks_for_no_code(fakestore, photos, cat, mfa):
    headers = {} if mfa is None else {"x-svc-mfa": mfa}
    response = fakestore.session().delete(fakestore.url("photos", "cat.jpg"), headers=headers)
    assert (response.status_code, photos.versions()[1:]) == (204, [cat])


def test_a_bucket_without_mfa_delete_asks_for_no_code(fakestore):
    fakestore.create_bucket("films", versioning="enabled")
    film = fakestore["films"].put("film.avi", b"")
    url = fakestore.url("films", "film.avi", versionId=film.version_id)
    assert fakestore.session().delete(url).status_code == 204


def test_suspending_versioning_leaves_mfa_delete_on(fakestore, photos, cat):
    photos.set_versioning("suspended")
    assert delete_version(fakestore, cat) == (403, "AccessDenied")


def test_the_null_version_asks_for_a_code_as_well(fakestore, photos):
    photos.set_versioning("suspended")
    null = photos.put("dog.jpg", b"wuff")
    assert delete_version(fakestore, null) == (403, "AccessDenied")
    assert delete_version(fakestore, null, RIGHT) == (204, None)


def test_a_version_that_is_gone_asks_for_a_code_as_well(fakestore, photos, cat):
    photos.delete_version("cat.jpg", cat.version_id)
    assert delete_version(fakestore, cat) == (403, "AccessDenied")
    assert delete_version(fakestore, cat, RIGHT) == (204, None)


def test_a_code_makes_nobody_the_owner_of_the_bucket(fakestore, photos):
    bob = fakestore.create_account("bob")
    photos.acl = "public-read-write"
    photos.allow(bob, "s3:*")
    his = photos.put("cat.jpg", b"meow", account=bob)
    assert delete_version(fakestore, his, RIGHT, account=bob) == (403, "AccessDenied")
    assert photos.versions() == [his]


def test_a_code_does_not_beat_a_deny(fakestore, photos, cat):
    photos.deny(fakestore.default_account, "s3:DeleteObjectVersion")
    assert delete_version(fakestore, cat, RIGHT) == (403, "AccessDenied")


def test_lifecycle_rules_need_no_code(fakestore, photos):
    photos.set_versioning("suspended")
    photos.put("cat.jpg", b"meow")
    photos.expire(rule_id="soon", days=1)
    fakestore.travel(days=3)
    assert "cat.jpg" not in photos


# Rotating codes


def test_a_callable_tells_the_code_of_the_moment(fakestore, photos):
    codes = iter(["111111", "222222", "333333"])
    photos.set_versioning("enabled", mfa_device=MfaDevice("1", lambda: next(codes)))
    first, second, third = (photos.put(key, b"") for key in "abc")
    assert [
        delete_version(fakestore, first, "1 111111"),
        delete_version(fakestore, second, "1 111111"),
        delete_version(fakestore, third, "1 333333"),
    ] == [(204, None), (403, "AccessDenied"), (204, None)]
    assert photos.versions() == [second]


@pytest.mark.parametrize("asked", ["a header without code", "another serial number", "no header"])
def test_a_callable_is_not_asked_for_what_cannot_be_right(fakestore, photos, asked):
    calls = []
    photos.set_versioning("enabled", mfa_device=MfaDevice("1", lambda: calls.append(asked) or "2"))
    mfa = {"a header without code": "1", "another serial number": "9 2", "no header": None}[asked]
    delete_version(fakestore, photos.put("cat.jpg"), mfa)
    assert calls == []


# Many at once


def delete_many(fakestore, *named, mfa=None, quiet=False):
    objects = "".join(
        f"<Object><Key>{each}</Key></Object>"
        if isinstance(each, str)
        else f"<Object><Key>{each.key}</Key><VersionId>{each.version_id}</VersionId></Object>"
        for each in named
    )
    headers = {} if mfa is None else {"x-svc-mfa": mfa}
    body = f"<Delete>{objects}{'<Quiet>true</Quiet>' if quiet else ''}</Delete>".encode()
    return fakestore.session().post(fakestore.url("photos", delete=None), data=body, headers=headers)


def test_one_code_confirms_all_the_versions_of_one_request(fakestore, photos):
    codes = iter(["1", "2", "3"])
    photos.set_versioning("enabled", mfa_device=MfaDevice("9", lambda: next(codes)))
    versions = [photos.put(key, b"") for key in "abc"]
    assert "<Error>" not in delete_many(fakestore, *versions, mfa="9 1").text
    assert photos.versions() == []


@pytest.mark.parametrize("mfa", [None, *WRONG.values(), *MALFORMED.values()])
def test_without_the_right_code_nothing_at_all_is_deleted(fakestore, photos, cat, mfa):
    dog = photos.put("dog.jpg", b"wuff")
    response = delete_many(fakestore, "dog.jpg", cat, mfa=mfa)
    assert response.status_code == (400 if mfa in MALFORMED.values() else 403)
    assert photos.versions() == [cat, dog]


def test_many_simple_deletions_ask_for_no_code(fakestore, photos, cat):
    assert delete_many(fakestore, "cat.jpg").status_code == 200
    assert photos.versions()[1:] == [cat]


@pytest.mark.parametrize("mfa", WRONG.values())
def test_many_simple_deletions_with_a_wrong_code_are_refused(fakestore, photos, cat, mfa):
    assert delete_many(fakestore, "cat.jpg", mfa=mfa).status_code == 403
    assert photos.versions() == [cat]


# Switching it over HTTP


@pytest.fixture
def switched_off(photos, fakestore):
    """The bucket with its device, MFA Delete being off."""
    put_versioning(fakestore, "Enabled", "Disabled", RIGHT).raise_for_status()
    return photos


def put_versioning(fakestore, status, mfa_delete=None, mfa=None, *, account=None) -> requests.Response:
    element = "" if mfa_delete is None else f"<MfaDelete>{mfa_delete}</MfaDelete>"
    body = f"<VersioningConfiguration><Status>{status}</Status>{element}</VersioningConfiguration>".encode()
    headers = {} if mfa is None else {"x-svc-mfa": mfa}
    url = fakestore.url("photos", versioning=None)
    return fakestore.session(account).put(url, data=body, headers=headers)


def configuration(fakestore) -> str:
    text = fakestore.session().get(fakestore.url("photos", versioning=None)).text
    return text.partition("<VersioningConfiguration>")[2].removesuffix("</VersioningConfiguration>")


ON = "<Status>Enabled</Status><MfaDelete>Enabled</MfaDelete>"
OFF = "<Status>Enabled</Status><MfaDelete>Disabled</MfaDelete>"


@pytest.mark.usefixtures("photos")
def test_the_configuration_says_that_mfa_delete_is_on(fakestore):
    assert configuration(fakestore) == ON


def test_a_bucket_without_device_does_not_speak_of_mfa_delete(fakestore):
    fakestore.create_bucket("photos", versioning="suspended")
    assert configuration(fakestore) == "<Status>Suspended</Status>"


@pytest.mark.usefixtures("switched_off")
def test_the_right_code_switches_it_off_and_on(fakestore):
    off = configuration(fakestore)
    assert put_versioning(fakestore, "Enabled", "Enabled", RIGHT).status_code == 200
    assert (off, configuration(fakestore)) == (OFF, ON)


def test_switched_off_it_asks_for_no_code(fakestore, switched_off):
    assert delete_version(fakestore, switched_off.put("cat.jpg")) == (204, None)


@pytest.mark.parametrize("mfa", [None, *WRONG.values()])
@pytest.mark.usefixtures("photos")
def test_it_is_not_switched_off_without_the_right_code(fakestore, mfa):
    assert put_versioning(fakestore, "Suspended", "Disabled", mfa).status_code == 403
    assert configuration(fakestore) == ON


@pytest.mark.parametrize("mfa", [None, *WRONG.values()])
@pytest.mark.usefixtures("switched_off")
def test_it_is_not_switched_on_without_the_right_code(fakestore, mfa):
    assert put_versioning(fakestore, "Enabled", "Enabled", mfa).status_code == 403
    assert configuration(fakestore) == OFF


@pytest.mark.parametrize("mfa_delete", [None, "Enabled"])
@pytest.mark.usefixtures("photos")
def test_while_it_is_on_versioning_is_not_suspended_without_a_code(fakestore, mfa_delete):
    answers = [put_versioning(fakestore, "Suspended", mfa_delete, mfa).status_code for mfa in (None, RIGHT)]
    assert (answers, configuration(fakestore)) == ([403, 200], ON.replace("Enabled", "Suspended", 1))


@pytest.mark.usefixtures("switched_off")
def test_while_it_is_off_versioning_asks_for_no_code(fakestore):
    assert put_versioning(fakestore, "Suspended").status_code == 200


def test_to_say_that_it_stays_off_needs_no_device(fakestore):
    fakestore.create_bucket("photos")
    assert put_versioning(fakestore, "Enabled", "Disabled").status_code == 200
    assert configuration(fakestore) == "<Status>Enabled</Status>"


def test_to_switch_it_on_without_a_device_is_not_modelled_and_told_how_to_give_one(fakestore):
    fakestore.create_bucket("photos")
    with pytest.raises(UnsupportedRequest, match=r"store\['photos'\]\.set_versioning\('enabled', mfa_device="):
        put_versioning(fakestore, "Enabled", "Enabled", RIGHT)
    fakestore.unhandled_requests.clear()
    assert configuration(fakestore) == ""


@pytest.mark.parametrize("mfa_delete", ["enabled", "", "true"])
@pytest.mark.usefixtures("photos")
def test_an_mfa_delete_that_is_neither_enabled_nor_disabled_is_malformed(fakestore, mfa_delete):
    assert put_versioning(fakestore, "Enabled", mfa_delete, RIGHT).status_code == 400
    assert configuration(fakestore) == ON


def test_nobody_but_the_owner_switches_it_whatever_the_policy_allows(fakestore, photos):
    bob = fakestore.create_account("bob")
    photos.allow(bob, "s3:*")
    assert put_versioning(fakestore, "Enabled", "Disabled", RIGHT, account=bob).status_code == 403
    assert fakestore.exchanges[-1].explanation == "MFA Delete of bucket 'photos' is for default alone to switch"
    assert configuration(fakestore) == ON


# In Python


def test_what_the_test_itself_deletes_needs_no_code(photos, cat):
    photos.delete_version("cat.jpg", cat.version_id)
    assert photos.versions() == []
