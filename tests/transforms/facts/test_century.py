"""The century of a beginning: of which things it is told, how often a guess is right, and what the certificate says of it."""

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import ImageAsset, Value, entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form
from questloom.transforms.certificate.guess import WEIGHT, guess_of_kind
from questloom.transforms.facts.century import commonest_century, has_one_century
from questloom.transforms.facts.lookups import Lookups
from tests.small_facts import SmallFacts, claim, year

PAINTING = "Q3305213"
FORM = Form(
    clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P571", object="a")),
    ask=Ask(var="a", type="date", precision="century"),
)


def paintings(*dates: Value, centuries: int = 5) -> SmallFacts:
    """Q1 with these dates, among sixty paintings of so many centuries from the fifteenth on."""
    others = [
        c
        for i in range(60)
        for c in (
            claim(f"Q2{i:03}", "P31", PAINTING),
            claim(f"Q2{i:03}", "P571", year(1420 + 100 * (i % centuries) + i)),
        )
    ]
    return SmallFacts(
        [claim("Q1", "P31", PAINTING), *(claim("Q1", "P571", date) for date in dates), *others]
    )


def certified(facts: SmallFacts, date: Value):
    return certify_form(
        FORM,
        facts,
        {"x0": entity_value("Q1")},
        {"x0": "Q1", "a": date.key()},
        CertificateRules(stated=False),
    )


@pytest.mark.parametrize(
    ("dates", "told"),
    [
        ((year(1642),), True),
        ((year(1478), year(1485)), True),
        ((year(1510),), True),
        ((year(1490),), True),
        ((year(1503),), False),
        ((year(1795),), False),
        ((year(1900),), False),
        ((year(1490), year(1520)), False),
        ((), False),
        ((Value(kind="time", time="-0450-00-00T00:00:00Z", precision=9),), False),
        ((Value(kind="time", time="+1642-00-00T00:00:00Z", precision=8),), False),
    ],
)
def test_a_century_is_told_where_all_dates_lie_in_one_and_none_near_its_turn(dates, told):
    assert has_one_century(Lookups(paintings(*dates)), "Q1", "P571") is told


def test_of_a_relation_that_is_asked_more_exactly_no_century_is_told():
    facts = SmallFacts(
        [
            c
            for i in range(60)
            for c in (claim(f"Q1{i:03}", "P31", "Q5"), claim(f"Q1{i:03}", "P569", year(1720 + i)))
        ]
    )
    assert not has_one_century(Lookups(facts), "Q1003", "P569")


def test_where_things_of_the_kind_have_several_centuries_none_is_told():
    twice = [
        c
        for i in range(60)
        for c in (
            claim(f"Q2{i:03}", "P31", PAINTING),
            *(claim(f"Q2{i:03}", "P571", year(y)) for y in (1450, 1650)),
        )
    ]
    assert not has_one_century(
        Lookups(
            SmallFacts([claim("Q1", "P31", PAINTING), claim("Q1", "P571", year(1642)), *twice])
        ),
        "Q1",
        "P571",
    )


def test_the_commonest_century_counts_among_the_others_of_the_class():
    assert commonest_century(paintings(year(1642)), "Q1", "P571", WEIGHT) == pytest.approx(
        13 / 61, abs=0.03
    )
    assert commonest_century(paintings(year(1442), centuries=1), "Q1", "P571", WEIGHT) > 0.95
    assert commonest_century(paintings(year(1642)), "Q9", "P571", WEIGHT) == 1.0, (
        "nothing is known of its kind"
    )


def test_a_question_for_the_century_is_certified_and_one_of_its_years_is_not_the_answer():
    made = certified(paintings(year(1478), year(1485)), year(1478))
    assert not isinstance(made, Refusal) and made.margin > 1 and made.answers_without_picture == 5
    near = certified(paintings(year(1503)), year(1503))
    assert isinstance(near, Refusal) and near.reason is Reason.MARGIN_TOO_SMALL


def test_a_century_in_which_nearly_all_of_the_kind_lie_is_guessed():
    made = certified(paintings(year(1442), year(1442), centuries=2), year(1442))
    assert isinstance(made, Refusal) and made.reason is Reason.GUESSABLE


@pytest.mark.parametrize(("precision", "guessed"), [("century", True), ("year", False)])
def test_over_two_steps_the_pictured_things_of_the_kind_are_counted_by_what_is_asked(
    precision, guessed
):
    """Eight pictured people lie in cemeteries of one century and of eight years; other cemeteries are of other centuries."""
    people = [
        c
        for i in range(8)
        for c in (
            claim(f"Q3{i}", "P31", "Q5"),
            claim(f"Q3{i}", "P119", f"Q4{i}"),
            claim(f"Q4{i}", "P31", "Q39614"),
            claim(f"Q4{i}", "P571", year(1850 + i)),
        )
    ]
    others = [
        c
        for i in range(200)
        for c in (
            claim(f"Q5{i:03}", "P31", "Q39614"),
            claim(f"Q5{i:03}", "P571", year(1050 + 100 * (i % 10))),
        )
    ]
    pictures = {
        f"Q3{i}": (
            ImageAsset(
                id=f"i{i}", file=f"{i}.jpg", mime="image/jpeg", width=600, height=600, num_bytes=1
            ),
        )
        for i in range(8)
    }
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P119", object="x1"),
            ClaimClause(subject="x1", property="P571", object="a"),
        ),
        ask=Ask(var="a", type="date", precision=precision),
    )
    share = guess_of_kind(
        form,
        SmallFacts([*people, *others], images=pictures),
        {"x0": entity_value("Q30"), "x1": entity_value("Q40"), "a": year(1850)},
    )
    assert (share == 1.0) is guessed and (share > 0.4) is guessed
