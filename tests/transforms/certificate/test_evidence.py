"""What a hop rests on: which claim, which sentence, whether a page names it, and how hops are put in order and counted."""

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image, SentenceClause
from questloom.records.knowledge import (
    Article,
    Detail,
    Entity,
    ImageAsset,
    InfoboxField,
    Link,
    Section,
    Value,
    entity_value,
)
from questloom.transforms.certificate.effective import (
    NARROW,
    chain,
    composed,
    effective_hops,
    leads,
)
from questloom.transforms.certificate.evidence import (
    claim_of,
    evidence,
    is_named,
    num_hops,
    unstated,
)
from questloom.transforms.certificate.stating import statement_of
from questloom.transforms.facts.readings import reading_value, readings, year_readings
from questloom.transforms.facts.said_class import find_descriptor_class
from tests.small_facts import SmallFacts, claim, year

DAY = Value(kind="time", time="+1832-05-04T00:00:00Z", precision=11)
HOP = ClaimClause(subject="x0", property="P571", object="a")
X0 = {"x0": entity_value("Q1")}


def page(entity_id: str, *texts: str, links: tuple[Link, ...] = (), **infobox: str) -> Article:
    return Article(
        wiki="enwiki",
        entity_id=entity_id,
        page_id=int(entity_id[1:]),
        revision=7,
        title=f"Page {entity_id}",
        links=links,
        sections=tuple(Section(title="", level=1, text=t) for t in texts),
        infobox=tuple(InfoboxField(name=k, text=v) for k, v in infobox.items()),
    )


def link(target: str, section: int = 0, start: int = 0, end: int = 4) -> Link:
    return Link(target=target, anchor="it", section=section, sentence_start=start, sentence_end=end)


def test_a_clause_rests_on_the_best_claim_with_its_very_value_else_on_one_that_matches():
    exact, wider = claim("Q1", "P571", DAY), claim("Q1", "P571", year(1832))
    facts = SmallFacts(
        [
            exact,
            wider,
            claim("Q1", "P571", year(1700), best=False),
            claim("Q1", "P571", Value(kind="somevalue")),
            claim("Q1", "P576", DAY),
        ]
    )
    assert (
        claim_of(facts, HOP, {**X0, "a": DAY}).id == exact.id
        and claim_of(facts, HOP, {**X0, "a": year(1832)}).id == wider.id
    )
    assert claim_of(SmallFacts([exact]), HOP, {**X0, "a": year(1832)}).id == exact.id
    assert (
        claim_of(facts, HOP, {**X0, "a": year(1700)}) is None
        and claim_of(facts, HOP, X0) is None
        and claim_of(facts, HOP, {"a": DAY}) is None
    )


NAMED = SmallFacts([], {"Q2": Entity(id="Q2", labels={"en": "Maren Holt"})}, {"Q2": page("Q2")})


@pytest.mark.parametrize(
    ("text", "value", "named"),
    [
        ("by Maren Holt", "Q2", True),
        ("by nobody", "Q2", False),
        ("of 1,250 tons", 1250.0, True),
        ("of 1250 tons", 1250.0, True),
        ("of 1,251 tons", 1250.0, False),
        ("of 5 tons", 5.0, True),
    ],
)
def test_a_page_names_a_claims_value_in_any_spelling(text, value, named):
    stated = claim(
        "Q1", "P84", value if isinstance(value, str) else Value(kind="quantity", number=value)
    )
    facts = SmallFacts(
        [stated], {"Q2": Entity(id="Q2", labels={"en": "Maren Holt"})}, {"Q1": page("Q1", text)}
    )
    assert is_named(facts, stated) == named


def test_the_objects_page_may_name_the_subject_and_a_literal_has_no_page():
    stated = claim("Q1", "P84", "Q2")
    entities = {"Q1": Entity(id="Q1", labels={"en": "Vess Tower"})}
    assert is_named(
        SmallFacts([stated], dict(entities), {"Q2": page("Q2", "She drew Vess Tower.")}), stated
    )
    assert not is_named(
        SmallFacts([stated], dict(entities), {"Q2": page("Q2", "She drew.")}), stated
    )
    assert not is_named(SmallFacts([claim("Q1", "P571", DAY)]), claim("Q1", "P571", DAY))
    form = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"), HOP),
        ask=Ask(var="a", type="date"),
    )
    facts = SmallFacts(
        [stated, claim("Q1", "P571", DAY)], dict(entities), {"Q1": page("Q1", "Of 1832.")}
    )
    assert [
        c.property for c in unstated(form, facts, {**X0, "x1": entity_value("Q2"), "a": DAY})
    ] == ["P84"]


TEXT = SentenceClause(
    subject="x1", object="x2", article_id="", revision=3, section=1, start=2, end=5, text="said"
)


def test_hops_lead_from_the_picture_to_what_is_asked_whichever_way_their_claims_point():
    form = Form(
        clauses=(
            ClaimClause(subject="x2", property="P569", object="a"),
            ClassClause(var="x1", class_id="Q5"),
            Image(var="x0"),
            ClaimClause(subject="x1", property="P84", object="x0"),
            ClaimClause(subject="x1", property="P27", object=entity_value("Q9")),
        ),
        ask=Ask(var="a", type="date"),
    )
    form = Form(
        clauses=(*form.clauses, ClaimClause(subject="x1", property="P40", object="x2")),
        ask=form.ask,
    )
    claims = [
        claim("Q2", "P84", "Q1"),
        claim("Q2", "P40", "Q3"),
        claim("Q3", "P569", DAY),
        claim("Q2", "P27", "Q9"),
    ]
    found = evidence(
        form,
        SmallFacts(claims),
        {**X0, "x1": entity_value("Q2"), "x2": entity_value("Q3"), "a": DAY},
    )
    assert [(h.source, h.target, h.property, h.reverse) for h in found] == [
        ("", "x1", "P27", True),
        ("x0", "x1", "P84", True),
        ("x1", "x2", "P40", False),
        ("x2", "a", "P569", False),
    ]
    assert all(h.stated == "no" and h.claim_id for h in found) and num_hops(form) == 3
    assert (
        evidence(
            form,
            SmallFacts(claims[:3]),
            {**X0, "x1": entity_value("Q2"), "x2": entity_value("Q3"), "a": DAY},
        )
        is None
    )


def test_a_claim_between_two_things_that_lie_equally_far_leads_from_its_subject():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P40", object="x1"),
            ClaimClause(subject="x0", property="P570", object="a"),
            ClaimClause(subject="x1", property="P569", object="a"),
        ),
        ask=Ask(var="a", type="date"),
    )
    claims = [claim("Q1", "P40", "Q2"), claim("Q1", "P570", DAY), claim("Q2", "P569", DAY)]
    found = evidence(form, SmallFacts(claims), {**X0, "x1": entity_value("Q2"), "a": DAY})
    assert ("x0", "x1", "P40", False) in [
        (h.source, h.target, h.property, h.reverse) for h in found
    ]


def test_a_sentence_is_a_hop_with_its_page():
    facts = SmallFacts(
        [],
        {"Q700": Entity(id="Q700", labels={"en": "Q700"})},
        {"Q2": page("Q2", "x", "It. By Q700.")},
    )
    fields = {"article_id": facts.article("Q2").id, "revision": facts.article("Q2").revision}
    fields |= {"start": 4, "end": 12, "text": "By Q700.", "target": "Q700", "votes": 1}
    told = SentenceClause(**(vars(TEXT) | fields))
    form = Form(clauses=(Image(var="x0"), told), ask=Ask(var="x2", type="entity"))
    binding = {"x1": entity_value("Q2"), "x2": entity_value("Q700")}
    (hop,) = evidence(form, facts, binding)
    assert (hop.source, hop.target, hop.evidence, hop.stated, hop.page) == (
        "x1",
        "x2",
        "By Q700.",
        "sentence",
        "Page Q2",
    )
    assert (hop.revision, hop.section, hop.start, hop.end) == (told.revision, 1, 4, 12)
    assert num_hops(form) == 1 and evidence(form, facts, {}) is None
    constant = Form(
        clauses=(SentenceClause(**(vars(told) | {"object": entity_value("Q700")})),),
        ask=Ask(var="x1", type="entity"),
    )
    assert evidence(constant, facts, binding)[0].target == "" and num_hops(constant) == 0


def test_what_does_not_hang_on_the_answer_is_no_hop():
    form = Form(
        clauses=(HOP, ClaimClause(subject="y", property="P84", object="z")),
        ask=Ask(var="a", type="date"),
    )
    assert num_hops(form) == 1


def test_a_chain_ends_where_no_claim_leads_on_towards_what_is_asked():
    broken = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object=entity_value("Q2")),
            TEXT,
        ),
        ask=Ask(var="x2", type="entity"),
    )
    assert chain(broken) == ()
    around = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P31", object="side"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject="x2", property="P40", object="x1"),
        ),
        ask=Ask(var="x2", type="entity"),
    )
    assert chain(around) == (("P84", False), ("P40", True))


def test_a_triple_counts_by_pairs_from_the_picture_on():
    assert (
        composed((("P22", False), ("P26", False), ("P19", False))) == 2
        and composed(()) == 0
        and composed((("P22", False),)) == 1
    )
    assert (
        composed((("P84", True), ("P17", False), ("P36", False))) == 2
        and composed((("P26", False), ("P17", True))) == 2
    )


def test_a_chain_of_two_steps_to_the_thing_before_the_asked_date_is_shorter_by_one_and_more_are_not_looked_for():
    clauses = [
        Image(var="x0"),
        *(
            ClaimClause(subject=f"x{i}", property=p, object=f"x{i + 1}")
            for i, p in enumerate(("P84", "P19", "P112", "P569"))
        ),
    ]
    form = Form(clauses=tuple(clauses), ask=Ask(var="x4", type="date"))
    binding = {f"x{i}": entity_value(f"Q{i}") for i in range(4)} | {"x4": DAY}
    claims = [
        claim("Q0", "P84", "Q1"),
        claim("Q1", "P19", "Q2"),
        claim("Q2", "P112", "Q3"),
        claim("Q3", "P569", DAY),
    ]
    assert effective_hops(form, form, SmallFacts(claims), binding) == 4
    assert (
        effective_hops(
            form,
            form,
            SmallFacts([*claims, claim("Q0", "P88", "Q7"), claim("Q7", "P22", "Q3")]),
            binding,
        )
        == 3
    )
    assert effective_hops(form, form, SmallFacts([*claims, claim("Q0", "P88", "Q3")]), binding) == 2
    part = Form(clauses=form.clauses[1:3], ask=form.ask)
    assert effective_hops(form, part, SmallFacts(claims), binding) == num_hops(part) == 0


def test_as_many_things_as_are_narrow_may_lie_on_a_shorter_chain():
    def fan(number: int) -> SmallFacts:
        return SmallFacts(
            [
                *(claim("Q1", "P47", f"Q2{i:02}") for i in range(number)),
                *(claim(f"Q2{i:02}", "P36", "Q9") for i in range(number)),
            ]
        )

    assert (
        leads(fan(NARROW), "Q1", "Q9", 2)
        and not leads(fan(NARROW + 1), "Q1", "Q9", 2)
        and NARROW == 20
    )
    gone = SmallFacts(
        [claim("Q1", "P47", "Q9", best=False), claim("Q1", "P21", "Q9"), claim("Q9", "P279", "Q1")]
    )
    assert not leads(gone, "Q1", "Q9", 1)


def detail(text: str, part: str = "Qp", property: str = "P1684") -> Detail:
    return Detail(property=property, part=part, value=Value(kind="string", text=text))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ANNO 1832", 1832),
        ("1832 1832", 1832),
        ("1832 1833", None),
        ("999", None),
        ("1000", 1000),
        ("2029", 2029),
        ("2030", None),
        ("18321", None),
        ("", None),
    ],
)
def test_an_inscription_that_holds_one_year_is_that_year(text, number):
    assert reading_value(detail(text)) == (year(number) if number else detail(text).value)
    assert (
        reading_value(Detail(property="P1114", value=Value(kind="quantity", number=1832.0))).kind
        == "quantity"
    )
    assert reading_value(
        Detail(property="P1684", value=Value(kind="monolingual", text=text))
    ).kind == ("time" if number else "monolingual")


def shown(*details: tuple[Detail, ...]) -> SmallFacts:
    images = tuple(
        ImageAsset(
            id=str(n), file="x", mime="image/jpeg", width=1, height=1, num_bytes=1, details=found
        )
        for n, found in enumerate(details)
    )
    return SmallFacts([], images={"Q1": images})


def test_readings_are_those_of_one_kind_over_all_pictures_and_a_year_that_two_tell_otherwise_is_none():
    facts = shown(
        (detail("1832"), detail("1700", "Qdoor")), (detail("1832"), detail("x", "Qp", "P1"))
    )
    assert (
        readings(facts, "Q1", "P1684", "Qp") == (year(1832),)
        and readings(facts, "Q1", "P1684", "Qother") == ()
    )
    assert [(d.part, d.value) for d in year_readings(facts, "Q1")] == [
        ("Qdoor", year(1700)),
        ("Qp", year(1832)),
    ]
    assert (
        year_readings(shown((detail("1832"),), (detail("1833"),)), "Q1")
        == []
        == year_readings(shown((detail("old"),)), "Q1")
    )


def test_the_common_noun_is_looked_for_three_classes_above_and_only_where_the_class_is_more_than_a_word():
    def said(steps: int, label: str = "walled market town") -> str:
        above = [claim(f"Qc{i}", "P279", f"Qc{i + 1}") for i in range(steps - 1)]
        return find_descriptor_class(
            SmallFacts(
                [claim("Qx", "P31", "Qc0"), *above, claim(f"Qc{steps - 1}", "P279", "Q515")],
                {"Qc0": Entity(id="Qc0", labels={"en": label})},
            ),
            "Qx",
        )

    assert (said(3), said(4), said(1, "burgh")) == ("Q515", "Qc0", "Qc0")


DESIGNED = claim("Q1", "P84", "Q2")


def told(article: Article, **more: Article):
    entities = {"Q2": Entity(id="Q2", labels={"en": "Maren Holt"})}
    return statement_of(
        SmallFacts([DESIGNED], entities, {"Q1": article, "Q2": page("Q2"), **more}), DESIGNED
    )


def test_a_sentence_that_links_the_other_end_by_another_word_says_it_too_in_its_own_section():
    text = "It was designed by her. Tall."
    assert told(page("Q1", text, links=(link("Page Q2"),))).text == "It was designed by her."
    assert (
        told(page("Q1", text, links=(link("Page Q2", 1),))) is None
        and told(page("Q1", text, links=(link("Page Q9"),))) is None
    )
    assert told(page("Q1", text, links=(link("Page Q2", 0, 24),))) is None
    assert told(page("Q1", "Old.", text, links=(link("Page Q2", 1),))).section == 1


def test_the_infobox_says_it_where_no_sentence_does_and_only_under_the_relations_name():
    assert (
        told(page("Q1", "Old.", architect="Maren Holt")).kind,
        told(page("Q1", "Old.", owner="Maren Holt")),
    ) == ("infobox", None)
    assert (
        told(page("Q1", "It was designed by Maren Holt.", architect="Maren Holt")).kind
        == "sentence"
        and told(page("Q1", "Old.", architect="Else")) is None
    )
