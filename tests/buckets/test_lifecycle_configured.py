"""Lifecycle rules as a configuration: put, got and deleted over HTTP."""

from __future__ import annotations

import pytest
import requests
from lxml import etree

from fakestore import UnsupportedRequest


def rule(inner):
    return f"<Rule><ID>r</ID><Filter><Prefix/></Filter><Status>Enabled</Status>{inner}</Rule>"


DAYS_3 = rule("<Expiration><Days>3</Days></Expiration>")


def put_lifecycle(store, rule, account=None):
    document = f"<LifecycleConfiguration>{rule}</LifecycleConfiguration>".encode()
    return requests.put(store.url("photos", lifecycle=None), data=document, auth=store.auth(account))


def code(reply):
    return reply.status_code, etree.fromstring(reply.content).findtext("Code") if reply.content else None


def test_a_configuration_that_was_put_is_got(store):
    put_lifecycle(store, DAYS_3)
    reply = requests.get(store.url("photos", lifecycle=None), auth=store.auth())
    (got,) = etree.fromstring(reply.content)
    assert [got.findtext(name) for name in ("ID", "Status", "Filter/Prefix", "Expiration/Days")] == [
        "r",
        "Enabled",
        "",
        "3",
    ]


def test_rules_of_python_are_got_too(store, photos):
    photos.expire(rule_id="a", prefix="x/", days=1)
    photos.expire(rule_id="b", days=2)
    reply = requests.get(store.url("photos", lifecycle=None), auth=store.auth())
    assert [each.findtext("ID") for each in etree.fromstring(reply.content)] == ["a", "b"]


def test_a_put_takes_the_place_of_all_rules(store, photos):
    photos.expire(rule_id="a", days=1)
    put_lifecycle(store, DAYS_3)
    reply = requests.get(store.url("photos", lifecycle=None), auth=store.auth())
    assert [each.findtext("ID") for each in etree.fromstring(reply.content)] == ["r"]


def test_where_none_was_put_none_is_got(store):
    reply = requests.get(store.url("photos", lifecycle=None), auth=store.auth())
    assert code(reply) == (404, "NoSuchLifecycleConfiguration")


def test_none_is_deleted_as_well(store):
    assert requests.delete(store.url("photos", lifecycle=None), auth=store.auth()).status_code == 204


def test_a_malformed_configuration_leaves_the_old_one(store):
    put_lifecycle(store, DAYS_3)
    assert code(put_lifecycle(store, rule(""))) == (400, "InvalidRequest")
    reply = requests.get(store.url("photos", lifecycle=None), auth=store.auth())
    assert [each.findtext("ID") for each in etree.fromstring(reply.content)] == ["r"]


def test_a_stranger_configures_nothing(store):
    assert code(put_lifecycle(store, DAYS_3, account=store.create_account("bob"))) == (403, "AccessDenied")


def test_what_is_not_modelled_raises_and_leaves_the_old_one(store):
    put_lifecycle(store, DAYS_3)
    with pytest.raises(UnsupportedRequest, match="<Transition> in <Rule> is not supported"):
        put_lifecycle(store, rule("<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>"))
    store.unhandled_requests.clear()
    reply = requests.get(store.url("photos", lifecycle=None), auth=store.auth())
    assert [each.findtext("ID") for each in etree.fromstring(reply.content)] == ["r"]
