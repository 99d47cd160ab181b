"""What can be said vaguely of a thing: which clues, relations, names, rivals and dates, each with one that is refused."""

from dataclasses import replace
from random import Random

import pytest

from questloom.records.form import FUZZY_KINDS, Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.planning.fuzz import (
    _in_place,
    _is_sayable,
    _ranges,
    certify_fuzzed,
    fuzz,
    vaguer,
)
from tests.small_facts import claim, year
from tests.transforms.planning import coast
from tests.transforms.planning.novels import (
    CLAIMS,
    ONE,
    VILLAGE_CLUE,
    YEAR_CLUE,
    architect,
    ground,
    novel,
    novels,
    options,
    place,
    plan_of,
    set_in,
)


def test_no_range_is_told_of_a_year_before_christ():
    before = Value(kind="time", time="-0044-00-00T00:00:00Z", precision=9)
    assert list(_ranges(YEAR_CLUE, year(44))) and not list(_ranges(YEAR_CLUE, before))


def test_no_more_than_two_clues_of_a_question_are_vague():
    at = ground(fuzz=FUZZY_KINDS)
    plan = plan_of(at, ONE, YEAR_CLUE)
    (vague,) = fuzz(at, plan).certificate.fuzzed
    full = plan.replace(certificate=plan.certificate.replace(fuzzed=(vague, vague)))
    assert fuzz(at, full) == full
    for room in (1, 2):
        found = list(_in_place(at, plan, YEAR_CLUE, room, Random(1)))
        sizes = [len(told) for told in found]
        assert sizes == sorted(sizes) and set(sizes) == set(range(1, room + 1))
        assert all(len({v.property for v in told}) == len(told) for told in found)


def test_only_what_describes_a_thing_in_mid_chain_by_a_named_end_becomes_vague():
    at, plan = ground(), plan_of(ground(), ONE, VILLAGE_CLUE)
    opened = ClaimClause(subject="x0", property="P1619", object=year(1783))
    born = ClaimClause(subject="x1", property="P569", object=year(1771))
    assert vaguer(at, plan, opened) == [] and vaguer(at, plan, born), "the picture shows it"
    assert all(vaguer(at, plan, c) == [] for c in plan.logical_form.clauses if c != VILLAGE_CLUE)
    assert (
        vaguer(at, plan, replace(VILLAGE_CLUE, subject=entity_value(novel(ONE)), object="x2")) == []
    )


def test_what_a_question_says_of_a_thing_already_is_not_said_again_vaguely():
    at = ground()
    assert {v.property for v in vaguer(at, plan_of(at, ONE, YEAR_CLUE), YEAR_CLUE)} == {
        "P577",
        "P840",
    }
    both = plan_of(at, ONE, YEAR_CLUE, VILLAGE_CLUE)
    assert {v.property for v in vaguer(at, both, YEAR_CLUE)} == {"P577"}
    twice = both.replace(
        form=Form(
            clauses=(*both.logical_form.clauses, set_in(7)), ask=both.logical_form.ask
        ).to_json()
    )
    assert {v.property for v in vaguer(at, twice, VILLAGE_CLUE)} == set()


def test_of_a_thing_of_which_a_date_is_asked_no_other_date_is_told():
    at = ground(novels([*CLAIMS, claim(novel(ONE), "P1191", year(1818))]))
    plan = plan_of(at, ONE, VILLAGE_CLUE)
    assert "P1191" in {v.property for v in vaguer(at, plan, VILLAGE_CLUE)}
    dated = ClaimClause(subject="x2", property="P577", object="a")
    form = Form(clauses=(*plan.logical_form.clauses, dated), ask=Ask(var="a", type="date"))
    asked = plan.replace(form=form.to_json(), bindings={**plan.bindings, "a": year(1816).key()})
    assert "P1191" not in {v.property for v in vaguer(at, asked, VILLAGE_CLUE)}


def test_a_vague_clue_of_another_relation_and_a_counted_date_stand_on_some_page():
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    for silent, lost in ((novel(ONE), {"P840"}), (architect(ONE), set[str]())):
        facts = novels()
        del facts.facts.articles[silent]
        stated, unheard = (
            ground(facts),
            replace(ground(facts), certificate=CertificateRules(margin=1, stated=False)),
        )
        assert {v.property for v in vaguer(stated, plan, YEAR_CLUE)} == {"P577", "P840"} - lost
        assert {v.property for v in vaguer(unheard, plan, YEAR_CLUE)} == {"P577", "P840"}
        counts = [
            any(v.kind == "arithmetic" for v in vaguer(at, plan, YEAR_CLUE))
            for at in (stated, unheard)
        ]
        assert counts == [silent == novel(ONE), True]


def test_a_relation_with_an_adjective_or_a_bare_noun_is_not_said_vaguely():
    """A Gothic church, a poet, a woman."""
    assert [_is_sayable(p) for p in ("P840", "P149", "P106", "P21")] == [True, False, False, False]


@pytest.mark.parametrize(
    ("words", "num", "told"),
    [(4, 5, True), (5, 5, False), (4, 4, False)],
)  # fmt: skip
def test_a_name_is_told_by_up_to_four_words_where_at_least_five_have_as_many(words, num, told):
    villages = [place(ONE + 2 * n) for n in range(num)]
    at = ground(
        novels(
            names={
                v: " ".join(["Yor", "Sel", "Am", "See", "Nord"][:words]) + "e" * n
                for n, v in enumerate(villages)
            }
        )
    )
    found = options(at, VILLAGE_CLUE, "meta-attribute")[1]
    assert any(v.number == words for v in found) is told
    assert any(v.initial == "Y" for v in found) is (num == 5)


@pytest.mark.parametrize(("others", "told"), [(0, True), (3, True), (4, False)])
def test_an_exclusion_rules_out_at_most_four_rivals_that_share_a_value(others, told):
    """The architect wrote more novels that came out in other years, all set in the rival's place."""
    more = [
        c
        for n in range(others)
        for c in (
            claim(f"Q5{n:03}", "P31", "Q8261"),
            claim(f"Q5{n:03}", "P50", architect(ONE)),
            claim(f"Q5{n:03}", "P577", year(1950 + n)),
            claim(f"Q5{n:03}", "P840", place(ONE + 1)),
        )
    ]
    at = ground(novels([*CLAIMS, *more]))
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    found = [v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "exclusion"]
    assert [v.object for v in found] == [entity_value(place(ONE + 1))] * told


def test_a_rivals_place_that_bears_another_things_title_is_not_excluded_by_its_name():
    at = ground(novels(names={place(ONE + 1): "Thing Q1000"}))
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    assert not [v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "exclusion"]


def test_a_vague_clue_that_leaves_no_more_things_than_the_exact_one_is_refused():
    """Every novel of that decade and century came out in one year."""
    claims = [
        c.replace(value=year(1816)) if c.property == "P577" and c.value.year < 1900 else c
        for c in CLAIMS
    ]
    at = ground(novels(claims))
    plan = plan_of(at, ONE, YEAR_CLUE)
    found = [v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "range"]
    assert found and all(certify_fuzzed(at, plan, YEAR_CLUE, (v,)) is None for v in found)


def test_years_are_counted_to_the_only_date_from_another_thing_and_for_two_people_between_births():
    two = [*CLAIMS, claim(novel(ONE), "P577", year(1818))]
    assert options(ground(novels(two)), YEAR_CLUE, "arithmetic")[1] == [], "which of two years?"
    own = [*CLAIMS, claim(novel(ONE), "P1191", year(1818))]
    assert [v.since for v in options(ground(novels(own)), YEAR_CLUE, "arithmetic")[1]] == ["P569"]
    at = coast.ground()
    things = {"x0": coast.lighthouse(3), "x1": coast.architect(3), "x2": coast.architect(10)}
    taught = ClaimClause(subject="x1", property="P1066", object="x2")
    born = ClaimClause(subject="x2", property="P569", object=year(1640))
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    clauses = (
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        taught,
        born,
    )
    people = plan.replace(
        form=Form(clauses=clauses, ask=Ask(var="x2", type="entity")).to_json(), bindings=things
    )
    counted = [v for v in vaguer(at, people, born) if v.kind == "arithmetic"]
    assert {(v.property, v.since) for v in counted} == {("P569", "P569"), ("P570", "P570")}


def test_years_are_not_counted_from_a_pictured_thing_of_which_only_a_sign_is_shown():
    at = coast.ground()
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    born = ClaimClause(subject="x1", property="P569", object=year(1633))
    things = {"x0": coast.lighthouse(3), "x1": coast.architect(3)}
    for sign, since in (("", {"P571"}), ("P41", set())):
        clauses = (
            Image(var="x0", sign=sign),
            ClaimClause(subject="x0", property="P84", object="x1"),
            born,
        )
        form = Form(clauses=clauses, ask=Ask(var="x1", type="entity"))
        shown = plan.replace(form=form.to_json(), bindings=things)
        assert {v.since for v in vaguer(at, shown, born) if v.kind == "arithmetic"} == since
