"""The popularity prior answers what well-known entities' claims lead to, and nothing else."""

from dataclasses import replace

import pytest

from questloom.records.form import (
    Ask,
    ClaimClause,
    ClassClause,
    Compare,
    Compute,
    Form,
    Fuzzy,
    Image,
    Reads,
    SentenceClause,
)
from questloom.records.knowledge import Entity, Popularity, entity_value
from questloom.records.synthesis import Answer, Question
from questloom.records.table import Json
from questloom.transforms.certificate.compute import as_quantity
from questloom.transforms.filters.fame import Fame
from questloom.transforms.filters.popularity import KnownFacts, known_part, popularity_prior
from tests.small_facts import SmallFacts, claim, year

FIVE = Fame(figure="sitelinks", least=5)
WELL_KNOWN = {f"{x}wiki": "x" for x in ("en", "de", "fr", "es", "ca")}


def facts(*known):
    claims = [
        claim("light", "P84", "varga"),
        claim("light", "P31", "lighthouse"),
        claim("varga", "P19", "tolm"),
        claim("varga", "P569", year(1850)),
        claim("varga", "P570", year(1901)),
        claim("orlov", "P19", "brisk"),
        claim("pupil", "P1066", "varga"),
        claim("pupil", "P19", "ebb"),
    ]
    names = {c.subject for c in claims} | {c.value.entity for c in claims if c.value.entity}
    return SmallFacts(
        claims,
        {
            n: Entity(id=n, labels={"en": n}, sitelinks=WELL_KNOWN if n in known else {})
            for n in names
        },
    )


BINDING = {"x0": entity_value("light"), "x1": entity_value("varga"), "a": entity_value("tolm")}
BIRTHPLACE = (
    Image(var="x0"),
    ClaimClause(subject="x0", property="P84", object="x1"),
    ClaimClause(subject="x1", property="P19", object="a"),
)


def answered(store, clauses, *, sees_picture=True, binding=BINDING, ask=None, answer=None):
    answer = answer or Answer(value=binding["a"], text="tolm", type="entity")
    form = Form(clauses=tuple(clauses), ask=ask or Ask(var="a", type="entity"))
    question = Question(
        seed_id="s",
        seed_entity="light",
        method="paths",
        level="easy",
        domain="person",
        text="?",
        writer="graph",
        answer=answer,
        form=Json(form.to_json()),
    )
    verdict = popularity_prior(
        question, store, binding, name="no_tools", sees_picture=sees_picture, fame=FIVE
    )
    assert verdict.passed == (verdict.num_correct == 0)
    return verdict.num_correct == 1


def test_a_route_over_well_known_entities_is_answered():
    assert answered(facts("light", "varga"), BIRTHPLACE)


@pytest.mark.parametrize("known", [("light",), ("varga",), ()])
def test_a_route_with_an_unknown_hop_is_not(known):
    assert not answered(facts(*known), BIRTHPLACE)


def test_without_the_picture_its_entity_is_not_recognised():
    assert not answered(facts("light", "varga", "orlov"), BIRTHPLACE, sees_picture=False)


def test_a_description_that_alone_gives_the_answer_away_is_used_without_the_picture():
    clue = ClaimClause(subject="x1", property="P569", object=year(1850))
    assert answered(facts("varga"), (*BIRTHPLACE, clue), sees_picture=False)


def test_an_unknown_clause_does_not_hinder_a_known_route():
    pupil = ClaimClause(subject=entity_value("pupil"), property="P1066", object="x1")
    assert answered(
        facts("light", "varga"), (*BIRTHPLACE, pupil, ClassClause(var="x0", class_id="lighthouse"))
    )


def test_several_known_answers_are_no_answer():
    asked = (
        Image(var="x0"),
        ClaimClause(subject="x1", property="P19", object="a"),
        ClaimClause(subject="x1", property="P84", object="x0"),
    )
    assert not answered(facts("varga", "orlov"), asked, sees_picture=False)


def test_what_must_be_computed_is_computed_from_known_claims():
    clauses = (
        *BIRTHPLACE[:2],
        ClaimClause(subject="x1", property="P569", object="b"),
        ClaimClause(subject="x1", property="P570", object="c"),
        Compute(out="n", op="difference", args=("b", "c")),
    )
    binding = {**BINDING, "b": year(1850), "c": year(1901), "n": as_quantity(51)}
    answer = Answer(value=as_quantity(51), text="51", type="quantity")
    for known, right in ((("light", "varga"), True), (("light",), False)):
        assert (
            answered(
                facts(*known),
                clauses,
                binding=binding,
                ask=Ask(var="n", type="quantity"),
                answer=answer,
            )
            == right
        )


def test_what_is_read_close_up_or_stands_in_an_article_is_not_known_by_heart():
    spoken = SentenceClause(
        subject="x1", object="a", article_id="A", revision=1, section=0, start=0, end=9
    )
    assert not answered(facts("light", "varga"), (*BIRTHPLACE[:2], spoken))
    assert not answered(
        facts("light", "varga"), (*BIRTHPLACE[:1], Reads(var="a", of="x0", property="P1684"))
    )


def test_on_a_question_without_a_form_the_prior_is_not_run_and_says_why():
    question = Question(
        seed_id="s",
        seed_entity="light",
        method="paths",
        level="easy",
        domain="person",
        text="?",
        writer="llm",
        answer=Answer(value=entity_value("tolm"), text="tolm", type="entity"),
    )
    verdict = popularity_prior(
        question, facts("light"), {}, name="text_only", sees_picture=False, fame=FIVE
    )
    assert (verdict.passed, verdict.solver) == (None, "not_run") and "no form" in verdict.evidence[
        "why"
    ]


def views(**stated):
    """The same facts where page views are stated, of the things named alone."""
    store = facts()
    return SmallFacts(
        [c for n in ("light", "varga", "orlov", "pupil") for c in store.claims(n)],
        {
            n: Entity(id=n, popularity=Popularity(page_views=stated[n]) if n in stated else None)
            for n in ("light", "varga", "tolm", "orlov", "brisk", "pupil", "ebb")
        },
    )


@pytest.mark.parametrize(
    ("stated", "passed"),
    [
        ({"light": 900, "varga": 900}, False),
        ({"light": 900, "varga": 3}, True),
        ({"light": 3, "varga": 3}, True),
        ({"light": 900}, None),
        ({"varga": 900}, None),
        ({}, None),
        ({"light": 3}, True),
        ({"varga": 3}, True),
    ],
)
def test_where_nothing_is_stated_of_a_thing_and_it_would_make_a_difference_the_prior_is_not_run(
    stated, passed
):
    form = Form(clauses=BIRTHPLACE, ask=Ask(var="a", type="entity"))
    question = Question(
        seed_id="s",
        seed_entity="light",
        method="paths",
        level="easy",
        domain="person",
        text="?",
        writer="graph",
        answer=Answer(value=BINDING["a"], text="tolm", type="entity"),
        form=Json(form.to_json()),
    )
    verdict = popularity_prior(
        question,
        views(**stated),
        BINDING,
        name="no_tools",
        sees_picture=True,
        fame=Fame(figure="page_views", least=500),
    )
    assert verdict.passed is passed and verdict.solver == (
        "not_run" if passed is None else "popularity_prior"
    )
    if passed is None:
        assert "no page views are stated of" in verdict.evidence["why"] and all(
            n not in verdict.evidence["why"].split() for n in stated
        )
    else:
        assert verdict.evidence["min_page_views"] == 500


def outcome(store, clauses, *, sees_picture=True, binding=BINDING, ask=None) -> str:
    form = Form(clauses=tuple(clauses), ask=ask or Ask(var="a", type="entity"))
    question = Question(
        seed_id="s",
        seed_entity="light",
        method="paths",
        level="easy",
        domain="person",
        text="?",
        writer="graph",
        answer=Answer(value=entity_value("ebb"), text="ebb", type="entity"),
        form=Json(form.to_json()),
    )
    verdict = popularity_prior(
        question, store, binding, name="no_tools", sees_picture=sees_picture, fame=FIVE
    )
    assert (
        verdict.filter,
        verdict.num_samples,
        verdict.evidence["min_sitelinks"],
        verdict.evidence["sees_picture"],
    ) == ("no_tools", 1, 5, sees_picture)
    return verdict.evidence["outcome"] if verdict.passed else "right"


def test_the_verdict_says_how_far_the_prior_came():
    asked = (
        Image(var="x0"),
        ClaimClause(subject="x1", property="P19", object="a"),
        ClaimClause(subject="x1", property="P84", object="x0"),
    )
    assert outcome(facts("light", "varga"), BIRTHPLACE) == "answered", (
        "another answer than the right one"
    )
    assert outcome(facts(), BIRTHPLACE) == "answer_unknown"
    assert outcome(facts("varga"), BIRTHPLACE, sees_picture=False) == "no_route"
    assert outcome(
        facts("light", "varga", "orlov"),
        (*asked[:2], ClassClause(var="x1", class_id="lighthouse")),
        sees_picture=False,
    ) in ("no_route", "several")
    two = SmallFacts(
        [claim("light", "P19", "tolm"), claim("light", "P19", "brisk")],
        {n: Entity(id=n, sitelinks=WELL_KNOWN) for n in ("light", "tolm", "brisk")},
    )
    assert (
        outcome(two, (Image(var="x0"), ClaimClause(subject="x0", property="P19", object="a")))
        == "several"
    )
    none = SmallFacts(
        [claim("light", "P20", "tolm")],
        {n: Entity(id=n, sitelinks=WELL_KNOWN) for n in ("light", "tolm")},
    )
    assert (
        outcome(none, (Image(var="x0"), ClaimClause(subject="x0", property="P19", object="a")))
        == "no_route"
    )


def test_an_entity_is_known_from_so_many_sitelinks_on():
    store = facts("light")
    assert KnownFacts(store, FIVE).known("light") and not KnownFacts(store, FIVE).known("nobody")
    assert not KnownFacts(store, Fame(figure="sitelinks", least=6)).known("light")


def test_the_prior_sees_of_the_unknown_neither_entities_nor_claims_nor_members():
    known = KnownFacts(facts("light", "varga"), FIVE)
    assert (
        known.entity("light")
        and known.entity("orlov") is None
        and known.claims("orlov") == ()
        and known.claims("varga")
    )
    assert (
        known.subjects("P19", "tolm") == ("varga",)
        and known.subjects("P19", "brisk") == ()
        and known.num_subjects("P19", "brisk") == 1
    )
    assert (
        known.members("lighthouse") == ("light",)
        and KnownFacts(facts(), FIVE).members("lighthouse") == ()
        and known.num_members("lighthouse") == 1
    )
    assert (
        known.claims_into("tolm") == () == known.images_of("light")
        and known.article("light") is None
        and known.entity_of_title("light") is None
    )


def test_of_a_form_what_is_known_and_hangs_on_what_is_asked_is_used():
    known = KnownFacts(facts("light", "varga"), FIVE)
    told, unknown = (
        ClaimClause(subject="x1", property="P569", object="b"),
        ClaimClause(subject="x2", property="P1066", object="x1"),
    )
    binding = {
        **BINDING,
        "b": year(1850),
        "c": year(1901),
        "n": as_quantity(51),
        "x2": entity_value("pupil"),
    }
    loose = ClaimClause(subject=entity_value("light"), property="P84", object="other")

    def part(*clauses, ask: str = "a"):
        found = known_part(
            Form(clauses=(*BIRTHPLACE, *clauses), ask=Ask(var=ask, type="entity")),
            {**binding, "other": entity_value("varga")},
            known,
        )
        return found and [c for c in found.clauses if c not in BIRTHPLACE]

    assert part(told, unknown, loose) == [told] and part(unknown, ask="x2") is None
    before, after = (Compare(left="b", op=op, right=year(1900)) for op in "<>")
    assert part(told, before) == [told, before] and part(after) == []
    vague = Fuzzy(kind="exclusion", subject="x1", property="P19", object=entity_value("light"))
    assert part(told, vague) == [told, vague]
    assert part(told, replace(vague, kind="arithmetic", object="x2", since="P569")) == [told]
    count = Compute(out="n", op="difference", args=("b", "c"))
    assert (
        part(told, count, ask="n") is None
        and part(told, ClaimClause(subject="x1", property="P570", object="c"), count, ask="n")[-1]
        == count
    )


def test_what_is_compared_or_computed_of_nothing_but_known_values_is_known():
    known, varga = KnownFacts(facts("varga"), FIVE), entity_value("varga")
    told = (
        ClaimClause(subject=varga, property="P569", object="b"),
        ClaimClause(subject=varga, property="P570", object="c"),
    )
    binding = {"b": year(1850), "c": year(1901), "n": as_quantity(51)}
    before = Compare(left="b", op="<", right="c")
    assert known_part(
        Form(clauses=(*told, before), ask=Ask(var="b", type="date")), binding, known
    ).clauses == (*told, before)
    count = Compute(out="n", op="difference", args=("b", "c"))
    assert known_part(
        Form(clauses=(*told, count), ask=Ask(var="n", type="quantity")), binding, known
    ).clauses == (*told, count)
    assert (
        known_part(
            Form(clauses=(told[0], count), ask=Ask(var="n", type="quantity")), binding, known
        )
        is None
    )
