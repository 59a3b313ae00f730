from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.documents.lifecycle import parse_lifecycle, render_lifecycle
from fakestore.model.errors import INVALID_ARGUMENT, INVALID_REQUEST, MALFORMED, MALFORMED_XML, ErrorCode, ErrorResponse
from fakestore.model.lifecycle import Lifecycle, Rule
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.dialect import DOCUMENT

DAYS = "<Expiration><Days>7</Days></Expiration>"
WEEK = f"<Filter/><Status>Enabled</Status>{DAYS}"


def body(*rules: str) -> bytes:
    written = "".join(f"<Rule>{rule}</Rule>" for rule in rules)
    return f"<LifecycleConfiguration>{written}</LifecycleConfiguration>".encode()


def rule(inner: str) -> Rule:
    """The one rule that is read, given all of it but its id and status."""
    (parsed,) = parse_lifecycle(body(f"<ID>r</ID><Status>Enabled</Status>{inner}")).rules
    return parsed


def refused(document: bytes) -> tuple[ErrorCode, str]:
    with pytest.raises(ErrorResponse) as refusal:
        parse_lifecycle(document)
    return refusal.value.error, refusal.value.message


def refused_rule(inner: str) -> tuple[ErrorCode, str]:
    return refused(body(f"<ID>r</ID><Status>Enabled</Status>{inner}"))


# -- reading


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (f"<Filter/>{DAYS}", Rule(id="r", days=7)),
        (f"<Filter><Prefix/></Filter>{DAYS}", Rule(id="r", days=7)),
        (f"<Prefix>logs/</Prefix>{DAYS}", Rule(id="r", prefix="logs/", days=7)),
        (f"<Filter><Prefix> l&amp;ö </Prefix></Filter>{DAYS}", Rule(id="r", prefix=" l&ö ", days=7)),
        (
            f"<Filter><ObjectSizeGreaterThan>20</ObjectSizeGreaterThan></Filter>{DAYS}",
            Rule(id="r", days=7, larger_than=20),
        ),
        (
            f"<Filter><ObjectSizeLessThan>10</ObjectSizeLessThan></Filter>{DAYS}",
            Rule(id="r", days=7, smaller_than=10),
        ),
        (
            "<Filter><And><Prefix>p</Prefix><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan>"
            f"<ObjectSizeLessThan>9</ObjectSizeLessThan></And></Filter>{DAYS}",
            Rule(id="r", prefix="p", days=7, larger_than=0, smaller_than=9),
        ),
        ("<Filter/><Expiration><Days> 2147483647\n</Days></Expiration>", Rule(id="r", days=2147483647)),
        (
            "<Filter/><Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>",
            Rule(id="r", expired_marker=True),
        ),
        (
            "<Filter/><NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays>"
            "<NewerNoncurrentVersions>100</NewerNoncurrentVersions></NoncurrentVersionExpiration>",
            Rule(id="r", noncurrent_days=3, newer_noncurrent_versions=100),
        ),
        (
            "<Filter/><NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays>"
            f"</NoncurrentVersionExpiration>{DAYS}",
            Rule(id="r", days=7, noncurrent_days=3),
        ),
    ],
)
def test_a_rule_is_read(inner: str, expected: Rule) -> None:
    assert rule(inner) == expected


@pytest.mark.parametrize(
    "written",
    [
        "2023-01-01",
        "2023-01-01T00:00",
        "2023-01-01T00:00:00Z",
        "2023-01-01T00:00:00.000Z",
        "2023-01-01T02:00:00+02:00",
        "\n2022-12-31T22:00:00-02:00\n",
    ],
)
def test_a_date_is_a_midnight_in_utc_however_written(written: str) -> None:
    expected = Rule(id="r", date=datetime(2023, 1, 1, tzinfo=UTC))
    assert rule(f"<Filter/><Expiration><Date>{written}</Date></Expiration>") == expected


def test_a_disabled_rule_is_read_as_such() -> None:
    parsed = parse_lifecycle(body(f"<ID>r</ID><Filter/><Status>Disabled</Status>{DAYS}"))
    assert parsed == Lifecycle((Rule(id="r", days=7, enabled=False),))


def test_the_namespace_of_clients_is_as_good_as_none() -> None:
    namespace = b' xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    document = body(f"<ID>r</ID>{WEEK}").replace(b">", namespace, 1)
    assert parse_lifecycle(document) == Lifecycle((Rule(id="r", days=7),))


# -- ids


def test_a_rule_without_id_gets_the_same_one_each_time() -> None:
    assert parse_lifecycle(body(WEEK)) == parse_lifecycle(body(WEEK.replace("<Filter/>", "<ID/><Filter/>")))


def test_equal_rules_without_ids_get_different_ones() -> None:
    first, second = parse_lifecycle(body(WEEK, WEEK)).rules
    assert first.id != second.id


def test_a_derived_id_evades_one_that_was_put_back() -> None:
    (derived,) = parse_lifecycle(body(WEEK)).rules
    first, second = parse_lifecycle(body(WEEK, f"<ID>{derived.id}</ID>{WEEK}")).rules
    assert (first.id != derived.id, second.id) == (True, derived.id)


def test_an_id_of_255_characters_is_the_longest() -> None:
    (parsed,) = parse_lifecycle(body(f"<ID>{'ö' * 255}</ID>{WEEK}")).rules
    assert parsed == Rule(id="ö" * 255, days=7)


def test_a_longer_id_is_an_invalid_argument() -> None:
    assert refused(body(f"<ID>{'i' * 256}</ID>{WEEK}")) == (
        INVALID_ARGUMENT,
        "ID length should not exceed allowed limit of 255",
    )


def test_an_id_twice_is_an_invalid_argument() -> None:
    assert refused(body(f"<ID>r</ID>{WEEK}", f"<ID>r</ID>{WEEK}")) == (
        INVALID_ARGUMENT,
        "Rule ID must be unique. Found same ID for one or more rules",
    )


# -- refusals


@pytest.mark.parametrize(
    "inner",
    [
        DAYS,  # lifecycle-006
        "<Filter/><NoncurrentVersionExpiration/>",  # lifecycle-007
        f"<Filter><And><Prefix>p</Prefix></And><Prefix>p</Prefix></Filter>{DAYS}",  # lifecycle-008
        f"<Filter><Prefix/><ObjectSizeGreaterThan>1</ObjectSizeGreaterThan></Filter>{DAYS}",  # lifecycle-009
        "<Filter/><Expiration><Days>1</Days><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker>"
        "</Expiration>",  # lifecycle-012
        "<Filter/><Expiration><Days>1</Days><Date>2023-01-01</Date></Expiration>",
        "<Filter/><Expiration/>",
        "<Filter/><Expiration><ExpiredObjectDeleteMarker>yes</ExpiredObjectDeleteMarker></Expiration>",
        "<Filter/><NoncurrentVersionExpiration><NewerNoncurrentVersions>1</NewerNoncurrentVersions>"
        "</NoncurrentVersionExpiration>",
        f"<Filter/><Prefix/>{DAYS}",
        f"<Filter/><Filter/>{DAYS}",
        f"<Filter><And/></Filter>{DAYS}",
        f"<Filter><And><Prefix>p</Prefix></And></Filter>{DAYS}",
        f"<Filter>p</Filter>{DAYS}",
        f"<Filter/>{DAYS}{DAYS}",
        f"<Filter/><Colour/>{DAYS}",
    ],
)
def test_a_rule_of_another_shape_is_malformed(inner: str) -> None:
    assert refused_rule(inner) == (MALFORMED_XML, MALFORMED)


@pytest.mark.parametrize("status", ["", "<Status/>", "<Status>enabled</Status>"])
def test_a_status_is_enabled_or_disabled_and_nothing_else(status: str) -> None:
    assert refused(body(f"<Filter/>{status}{DAYS}")) == (MALFORMED_XML, MALFORMED)


@pytest.mark.parametrize("count", [0, 1001])
def test_a_configuration_has_1_to_1000_rules(count: int) -> None:
    assert refused(body(*[WEEK] * count)) == (MALFORMED_XML, MALFORMED)


def test_a_thousand_rules_are_read() -> None:
    assert len(parse_lifecycle(body(*[WEEK] * 1000)).rules) == 1000


@pytest.mark.parametrize("document", [b"", b"<Lifecycle/>", b"<LifecycleConfiguration>", b"\xff"])
def test_another_document_is_malformed(document: bytes) -> None:
    assert refused(document) == (MALFORMED_XML, MALFORMED)


HOSTILE = ["", "0", "-1", "+1", "1.5", "1e3", "seven", "0x7", "1_0", "٧", "7" * 400, "0" * 5000 + "7"]


@pytest.mark.parametrize("number", [*HOSTILE, "2147483648"])
def test_days_that_are_no_positive_number_are_an_invalid_argument(number: str) -> None:
    assert refused_rule(f"<Filter/><Expiration><Days>{number}</Days></Expiration>") == (
        INVALID_ARGUMENT,
        "'Days' for Expiration action must be a positive integer",
    )


@pytest.mark.parametrize("number", [*HOSTILE, "2147483648"])
def test_noncurrent_days_that_are_no_positive_number_are_an_invalid_argument(number: str) -> None:
    inner = f"<NoncurrentDays>{number}</NoncurrentDays>"
    assert refused_rule(f"<Filter/><NoncurrentVersionExpiration>{inner}</NoncurrentVersionExpiration>") == (
        INVALID_ARGUMENT,
        "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
    )


@pytest.mark.parametrize("number", [*HOSTILE, "101"])
def test_a_rule_keeps_1_to_100_noncurrent_versions(number: str) -> None:
    newer = f"<NewerNoncurrentVersions>{number}</NewerNoncurrentVersions>"
    inner = f"<NoncurrentDays>1</NoncurrentDays>{newer}"
    assert refused_rule(f"<Filter/><NoncurrentVersionExpiration>{inner}</NoncurrentVersionExpiration>") == (
        INVALID_ARGUMENT,
        "'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be a positive integer",
    )


@pytest.mark.parametrize(
    ("element", "number", "kind"),
    [
        ("ObjectSizeGreaterThan", "-1", "non-negative"),
        ("ObjectSizeGreaterThan", "9223372036854775808", "non-negative"),
        ("ObjectSizeGreaterThan", "9" * 400, "non-negative"),
        ("ObjectSizeLessThan", "0", "positive"),
        ("ObjectSizeLessThan", "9" * 400, "positive"),
    ],
)
def test_a_size_out_of_bounds_is_an_invalid_argument(element: str, number: str, kind: str) -> None:
    assert refused_rule(f"<Filter><{element}>{number}</{element}></Filter>{DAYS}") == (
        INVALID_ARGUMENT,
        f"'{element}' for Filter must be a {kind} integer",
    )


def test_sizes_that_leave_nothing_between_them_are_an_invalid_request() -> None:
    both = "<ObjectSizeGreaterThan>9</ObjectSizeGreaterThan><ObjectSizeLessThan>9</ObjectSizeLessThan>"
    assert refused_rule(f"<Filter><And>{both}</And></Filter>{DAYS}") == (
        INVALID_REQUEST,
        "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'",
    )


@pytest.mark.parametrize("date", ["2023-01-01T02:02", "2023-01-01T00:00:00+01:00", "2023-01-01T00:00:00.001Z"])
def test_a_date_that_is_no_midnight_is_an_invalid_argument(date: str) -> None:  # lifecycle-010
    with pytest.raises(ErrorResponse) as refusal:
        rule(f"<Filter/><Expiration><Date>{date}</Date></Expiration>")
    assert (refusal.value.error, refusal.value.message, refusal.value.elements) == (
        INVALID_ARGUMENT,
        "'Date' must be at midnight GMT",
        {"ArgumentName": "Date", "ArgumentValue": date},
    )


@pytest.mark.parametrize(
    "date",
    [
        "",
        "soon",
        "2023-13-01",
        "2023-02-29",
        "20230101",
        "2023-W01-1",
        "10000-01-01",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_a_date_outside_of_the_calendar_is_malformed(date: str) -> None:
    inner = f"<Filter/><Expiration><Date>{date}</Date></Expiration>"
    assert refused_rule(inner) == (MALFORMED_XML, MALFORMED)


@pytest.mark.parametrize(
    "inner",
    [
        "<Filter/>",
        "<Filter/><Expiration><ExpiredObjectDeleteMarker>false</ExpiredObjectDeleteMarker></Expiration>",
    ],
)
def test_a_rule_that_does_nothing_is_an_invalid_request(inner: str) -> None:
    assert refused_rule(inner) == (INVALID_REQUEST, "At least one action needs to be specified in a rule")


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        (f"<Filter/><{element}/>", f"<{element}> in <Rule> is not modelled; there is ID, Prefix, Filter, Status,")
        for element in ("Transition", "NoncurrentVersionTransition", "AbortIncompleteMultipartUpload")
    ]
    + [
        ("<Filter><Tag><Key>k</Key></Tag></Filter>", "<Tag> in <Filter> is not modelled; there is Prefix, "),
        ("<Filter><And><Prefix>p</Prefix><Tag/></And></Filter>", "<Tag> in <And> is not modelled; there is Prefix, "),
    ],
)
def test_what_is_not_modelled_says_so_and_what_there_is(inner: str, message: str) -> None:
    with pytest.raises(UnsupportedRequest) as unsupported:
        rule(inner + DAYS)
    assert str(unsupported.value).startswith(message)


# -- writing


def test_a_lifecycle_is_rendered_whole() -> None:
    rendered = render_lifecycle(
        Lifecycle(
            (
                Rule(id="a&b", prefix="logs/", days=7, noncurrent_days=3, newer_noncurrent_versions=2),
                Rule(id="old", enabled=False, date=datetime(23, 1, 1, tzinfo=UTC), larger_than=0),
                Rule(id="clean", expired_marker=True),
                Rule(id="sizes", prefix="p", days=1, larger_than=1, smaller_than=9),
            )
        ),
        DOCUMENT,
    )
    assert rendered.decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        "<LifecycleConfiguration>"
        "<Rule><ID>a&amp;b</ID><Filter><Prefix>logs/</Prefix></Filter><Status>Enabled</Status>"
        "<Expiration><Days>7</Days></Expiration><NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays>"
        "<NewerNoncurrentVersions>2</NewerNoncurrentVersions></NoncurrentVersionExpiration></Rule>"
        "<Rule><ID>old</ID><Filter><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan></Filter>"
        "<Status>Disabled</Status><Expiration><Date>0023-01-01T00:00:00.000Z</Date></Expiration></Rule>"
        "<Rule><ID>clean</ID><Filter><Prefix></Prefix></Filter><Status>Enabled</Status>"
        "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration></Rule>"
        "<Rule><ID>sizes</ID><Filter><And><Prefix>p</Prefix><ObjectSizeGreaterThan>1</ObjectSizeGreaterThan>"
        "<ObjectSizeLessThan>9</ObjectSizeLessThan></And></Filter><Status>Enabled</Status>"
        "<Expiration><Days>1</Days></Expiration></Rule>"
        "</LifecycleConfiguration>"
    )


words = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=9)
ends = st.one_of(
    st.fixed_dictionaries({"days": st.integers(1, 2**31 - 1)}),
    st.fixed_dictionaries({"date": st.dates().map(lambda date: datetime(*date.timetuple()[:3], tzinfo=UTC))}),
    st.just({"expired_marker": True}),
    st.fixed_dictionaries(
        {"noncurrent_days": st.integers(1, 2**31 - 1)},
        optional={"newer_noncurrent_versions": st.integers(1, 100), "days": st.just(1)},
    ),
)
sizes = st.sampled_from([{}, {"larger_than": 0}, {"smaller_than": 2**63 - 1}, {"larger_than": 1, "smaller_than": 3}])
rules = st.builds(
    lambda id, prefix, enabled, end, size: Rule(id=f"r{id}", prefix=prefix, enabled=enabled, **end, **size),
    words,
    words,
    st.booleans(),
    ends,
    sizes,
)


@given(st.lists(rules, min_size=1, max_size=4, unique_by=lambda rule: rule.id).map(tuple).map(Lifecycle))
def test_what_is_rendered_is_read_back_the_same(lifecycle: Lifecycle) -> None:
    assert parse_lifecycle(render_lifecycle(lifecycle, DOCUMENT)) == lifecycle


def test_an_expired_marker_that_is_to_stay_is_written_back() -> None:
    stays = "<Expiration><ExpiredObjectDeleteMarker>false</ExpiredObjectDeleteMarker></Expiration>"
    noncurrent = "<NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays></NoncurrentVersionExpiration>"
    given = body(f"<ID>r</ID><Filter></Filter><Status>Enabled</Status>{stays}{noncurrent}")
    assert render_lifecycle(parse_lifecycle(given), DOCUMENT).endswith(given)
