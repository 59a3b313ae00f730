"""The LifecycleConfiguration document: what is put, what is read back, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from fakestore import FakeStore
from tests.support.cases import each
from tests.support.wire import body_of, elements, outcome, send, status_of

PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'
DAYS = "<Expiration><Days>7</Days></Expiration>"
WEEK = f"<Filter/><Status>Enabled</Status>{DAYS}"
NEVER = "<Expiration><ExpiredObjectDeleteMarker>false</ExpiredObjectDeleteMarker></Expiration>"
ABORT = "<AbortIncompleteMultipartUpload><DaysAfterInitiation>{}</DaysAfterInitiation></AbortIncompleteMultipartUpload>"
TAG = "<Tag><Key>keep</Key><Value>no</Value></Tag>"
TWO_SIZES = (
    "<ObjectSizeGreaterThan>{}</ObjectSizeGreaterThan><ObjectSizeLessThan>{}</ObjectSizeLessThan>"  # of a Filter's And
)
#: Texts that are not whole numbers in decimal digits, or have too many of them.
NOT_NUMBERS = ["", " x ", "+1", "1.5", "1e3", "0x7", "1_0", "٧", "7" * 400, "0" * 5000 + "7"]


def configuration(*rules):
    return f"<LifecycleConfiguration>{''.join(f'<Rule>{rule}</Rule>' for rule in rules)}</LifecycleConfiguration>"


def with_filter(filter, actions=DAYS):
    return f"<ID>r</ID>{filter}<Status>Enabled</Status>{actions}"


def with_action(actions):
    return with_filter("<Filter></Filter>", actions)


def noncurrent(days, newer=None):
    newer = "" if newer is None else f"<NewerNoncurrentVersions>{newer}</NewerNoncurrentVersions>"
    return f"<NoncurrentVersionExpiration><NoncurrentDays>{days}</NoncurrentDays>{newer}</NoncurrentVersionExpiration>"


def put(store, *rules):
    return send(store, "PUT", "photos", "/?lifecycle", body=configuration(*rules).encode())


def read_back(store, *rules):
    """Return the rules that a GET shows after a PUT of `rules`."""
    assert status_of(put(store, *rules)) == 200, store.exchanges[-1].explanation
    body = body_of(send(store, "GET", "photos", "/?lifecycle")).decode()
    written = body.removeprefix(f"{PROLOG}<LifecycleConfiguration>").removesuffix("</LifecycleConfiguration>")
    return written.removeprefix("<Rule>").removesuffix("</Rule>").split("</Rule><Rule>")


def ids(rules):
    return [rule.removeprefix("<ID>").partition("</ID>")[0] for rule in rules]


@pytest.mark.decision("prefix-of-a-rule", "expired-marker-false")
def test_a_rule_is_read_back_as_it_was_put(store):
    for case in each(
        with_filter("<Prefix></Prefix>"),
        with_filter("<Prefix>logs/</Prefix>"),
        with_filter("<Filter></Filter>"),
        with_filter("<Filter><Prefix></Prefix></Filter>"),
        with_filter("<Filter><Prefix> l&amp;ö </Prefix></Filter>"),
        with_filter("<Filter><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan></Filter>"),
        with_filter("<Filter><ObjectSizeLessThan>9223372036854775807</ObjectSizeLessThan></Filter>"),
        with_filter(f"<Filter><And>{TWO_SIZES.format(1, 3)}</And></Filter>"),
        with_filter(f"<Filter><And><Prefix>p</Prefix>{TWO_SIZES.format(0, 9)}</And></Filter>"),
        with_filter("<Filter></Filter>").replace("Enabled", "Disabled"),
        with_action("<Expiration><Days>2147483647</Days></Expiration>"),
        with_action("<Expiration><Date>0023-01-01T00:00:00.000Z</Date></Expiration>"),
        with_action("<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"),
        with_action(NEVER + noncurrent(3)),
        with_action(noncurrent(2147483647, 100)),
        with_action(DAYS + noncurrent(3)),
        with_action(ABORT.format(5)),
        with_filter(f"<Filter>{TAG}</Filter>"),
        with_filter(f"<Filter><And><Prefix>k</Prefix>{TAG}</And></Filter>"),
    ):
        with case as rule:
            assert read_back(store, rule) == [rule]


def test_other_forms_of_a_rule_are_read_back_in_one_form(store):
    for case in each(
        (with_action("<Expiration><Days> 07\n</Days></Expiration>"), with_action(DAYS)),
        *[
            (
                with_action(f"<Expiration><Date>{date}</Date></Expiration>"),
                with_action("<Expiration><Date>2023-01-01T00:00:00.000Z</Date></Expiration>"),
            )
            for date in ("2023-01-01", "2023-01-01T00:00", "2023-01-01T02:00:00+02:00", "\n2022-12-31T22:00:00-02:00\n")
        ],
    ):
        with case as (sent, shown):
            assert read_back(store, sent) == [shown]


words = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=9)
actions = st.one_of(
    st.fixed_dictionaries({"days": st.integers(1, 2**31 - 1)}),
    st.fixed_dictionaries({"date": st.dates().map(lambda date: datetime(*date.timetuple()[:3], tzinfo=UTC))}),
    st.fixed_dictionaries({"noncurrent_days": st.integers(1, 2**31 - 1)}, optional={"days": st.integers(1, 9)}),
)


@given(st.lists(st.tuples(words, words, actions), min_size=1, max_size=4, unique_by=lambda rule: rule[0]))
def test_rules_added_in_python_are_read_back_over_http(rules):
    store = FakeStore(buckets=["photos"])
    for rule_id, prefix, action in rules:
        store["photos"].expire(rule_id=f"r{rule_id}", prefix=prefix, **action)
    shown = body_of(send(store, "GET", "photos", "/?lifecycle"))
    again = shown.decode().removeprefix(PROLOG).encode()
    assert status_of(send(store, "PUT", "photos", "/?lifecycle", body=again)) == 200
    assert body_of(send(store, "GET", "photos", "/?lifecycle")) == shown
    read = [(rule.findtext("ID"), rule.findtext("Filter/Prefix")) for rule in etree.fromstring(shown)]
    assert read == [(f"r{rule_id}", prefix) for rule_id, prefix, _ in rules]


# -- ids


def test_a_rule_without_id_gets_the_same_one_each_time(store):
    first = ids(read_back(store, WEEK))
    assert first == ids(read_back(FakeStore(buckets=["photos"]), f"<ID/>{WEEK}"))
    assert first != [""]


def test_equal_rules_without_ids_get_different_ones(store):
    assert len(set(ids(read_back(store, WEEK, WEEK, WEEK)))) == 3


def test_a_new_id_differs_from_one_that_was_put_back(store):
    (derived,) = ids(read_back(store, WEEK))
    first, second = ids(read_back(store, WEEK, f"<ID>{derived}</ID>{WEEK}"))
    assert (first != derived, second) == (True, derived)


def test_an_id_has_255_characters_at_most(store):
    assert ids(read_back(store, f"<ID>{'ö' * 255}</ID>{WEEK}")) == ["ö" * 255]
    reply = put(store, f"<ID>{'i' * 256}</ID>{WEEK}")
    assert elements(reply)["Message"] == "ID length should not exceed allowed limit of 255"


def test_an_id_twice_is_an_invalid_argument(store):
    reply = put(store, f"<ID>r</ID>{WEEK}", f"<ID>r</ID>{WEEK}")
    assert outcome(reply) == (400, "InvalidArgument")
    assert elements(reply)["ArgumentValue"] == "r"


# -- errors


def test_a_rule_of_another_shape_is_malformed(store):
    for case in each(
        (f"<Status>Enabled</Status>{DAYS}", ["<Rule>", "neither", "<Filter>", "<Prefix>"]),
        (with_filter("<Filter/><Prefix/>"), ["<Rule>", "both", "<Filter>", "<Prefix>"]),
        (with_filter(f"<Filter>{TWO_SIZES.format(1, 2)}</Filter>"), ["<Filter>", "<And>"]),
        (with_filter(f"<Filter><Prefix/>{TAG}</Filter>"), ["<Filter>", "<And>"]),
        (with_filter(f"<Filter>{TAG}{TAG}</Filter>"), ["<Filter>", "<Tag>"]),
        (with_filter("<Filter><And/><Prefix>p</Prefix></Filter>"), ["<And>", "two predicates"]),
        (with_filter(f"<Filter><And>{TAG}</And></Filter>"), ["<And>", "two predicates"]),
        (with_filter("<Filter><And><Prefix>p</Prefix></And></Filter>"), ["<And>", "two predicates"]),
        (with_action("<Expiration/>"), ["<Expiration>", "<Days>", "<Date>", "<ExpiredObjectDeleteMarker>"]),
        (with_action(DAYS.replace("</E", "<Date>2023-01-01</Date></E")), ["<Expiration>", "<Days>", "<Date>"]),
        (with_action(NEVER.replace("false", "no")), ["<ExpiredObjectDeleteMarker>", "'no'", "true or false"]),
        (with_action("<NoncurrentVersionExpiration/>"), ["<NoncurrentVersionExpiration>", "<NoncurrentDays>"]),
        *[
            (with_action(f"<Expiration><Date>{date}</Date></Expiration>"), ["<Date>", repr(date), "a date"])
            for date in ("", "soon", "2023-02-29", "20230101", "2023-W01-1", "10000-01-01", "0001-01-01T00:00:00+14:00")
        ],
    ):
        with case as (rule, words):
            assert outcome(put(store, rule)) == (400, "MalformedXML")
            explanation = store.exchanges[-1].explanation
            assert [word for word in words if word not in explanation] == [], explanation


def test_a_configuration_has_1_to_1000_rules(store):
    assert len(read_back(store, *[WEEK] * 1000)) == 1000
    for count in (0, 1001):
        assert outcome(put(store, *[WEEK] * count)) == (400, "MalformedXML")
        assert f"{count:,} elements <Rule>" in store.exchanges[-1].explanation


def test_a_number_out_of_bounds_is_an_invalid_argument(store):
    for tag, where, rule, out_of_bounds in [
        ("Days", "Expiration action", with_action("<Expiration><Days>{}</Days></Expiration>"), ["0", "-1", 2**31]),
        ("NoncurrentDays", "NoncurrentVersionExpiration action", with_action(noncurrent("{}")), ["0", "-1", 2**31]),
        (
            "NewerNoncurrentVersions",
            "NoncurrentVersionExpiration action",
            with_action(noncurrent(1, "{}")),
            ["0", "-1", 101],
        ),
        ("DaysAfterInitiation", "AbortIncompleteMultipartUpload action", with_action(ABORT), ["0", "-1", 2**31]),
        (
            "ObjectSizeGreaterThan",
            "Filter",
            with_filter("<Filter><ObjectSizeGreaterThan>{}</ObjectSizeGreaterThan></Filter>"),
            ["-1", 2**63],
        ),
        (
            "ObjectSizeLessThan",
            "Filter",
            with_filter("<Filter><ObjectSizeLessThan>{}</ObjectSizeLessThan></Filter>"),
            ["0", 2**63],
        ),
    ]:
        kind = "non-negative" if tag == "ObjectSizeGreaterThan" else "positive"
        for case in each(*out_of_bounds, *NOT_NUMBERS):
            with case as number:
                reply = put(store, rule.format(number))
                assert outcome(reply) == (400, "InvalidArgument")
                sent = elements(reply)
                assert sent["Message"] == f"'{tag}' for {where} must be a {kind} integer"
                assert (sent["ArgumentName"], sent["ArgumentValue"]) == (tag, str(number).strip())
                assert f"<{tag}> in <" in store.exchanges[-1].explanation


def test_a_date_that_is_not_midnight_is_an_invalid_argument(store):
    for case in each("2023-01-01T02:02", "2023-01-01T00:00:00+01:00", "2023-01-01T00:00:00.001Z"):
        with case as date:
            reply = put(store, with_action(f"<Expiration><Date>{date}</Date></Expiration>"))
            sent = elements(reply)
            assert (outcome(reply), sent["Message"]) == ((400, "InvalidArgument"), "'Date' must be at midnight GMT")
            assert (sent["ArgumentName"], sent["ArgumentValue"]) == ("Date", date)


def test_a_rule_without_effect_is_an_invalid_request(store):
    for case in each(
        (with_action(""), "At least one action needs to be specified in a rule"),
        (with_action(NEVER), "At least one action needs to be specified in a rule"),
        (with_filter(f"<Filter><And>{TAG}{TAG}</And></Filter>"), "Duplicate Tag Keys are not allowed."),
        (
            with_filter(f"<Filter><And>{TWO_SIZES.format(9, 9)}</And></Filter>"),
            "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'",
        ),
    ):
        with case as (rule, message):
            reply = put(store, rule)
            assert (outcome(reply), elements(reply)["Message"]) == ((400, "InvalidRequest"), message)


@pytest.mark.decision("tags-and-lifecycle")
def test_a_rule_with_tags_acts_neither_on_markers_nor_on_uploads(store):
    markers = "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"
    for filter in (TAG, f"<And><Prefix>k</Prefix>{TAG}</And>"):
        for actions in (markers, ABORT.format(1)):
            rule = with_filter(f"<Filter>{filter}</Filter>", actions)
            assert outcome(put(store, rule)) == (400, "InvalidRequest")


def test_an_empty_filter_is_for_every_key(store):
    photos = store["photos"]
    for key in ("a/cat.jpg", "dog.jpg"):
        photos.put(key, last_modified=datetime(2020, 1, 1, tzinfo=UTC))
    put(store, WEEK)
    assert list(photos) == []
