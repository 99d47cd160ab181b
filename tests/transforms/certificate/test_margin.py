"""Margins over a handful of lighthouses, each case the smallest that shows one rule."""

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Compare, Form, Image
from questloom.records.knowledge import Article, Entity, Section, Value, entity_value, value_of_key
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form, unclear_names
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.execute import answers
from questloom.transforms.certificate.margin import NO_RIVAL, is_too_near, margin_of
from questloom.transforms.certificate.part_status import status
from questloom.transforms.certificate.singled_out import is_singled_out
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import HUMAN, LIGHTHOUSE, crowd


def described(
    *clauses, intended: str = "Q1000", facts: SmallFacts, trust: Trust = Trust(), required: int = 2
):
    form = Form(clauses=clauses, ask=Ask(var="v", type="entity"))
    (description,) = descriptions(form, {"v": entity_value(intended)})
    return margin_of(Lookups(facts, trust), description, entity_value(intended), required)


def by_architect(architect: str = "Q2000"):
    return ClaimClause(subject="v", property="P84", object=entity_value(architect))


KIND = ClassClause(var="v", class_id=LIGHTHOUSE)


def test_a_rival_with_another_known_value_of_a_functional_property_is_out():
    assert described(KIND, by_architect(), facts=SmallFacts(crowd())).margin == NO_RIVAL


def test_a_rival_of_which_the_store_says_nothing_leaves_a_margin_of_one():
    facts = SmallFacts(
        [*crowd(), claim("Q1999", "P31", LIGHTHOUSE), claim("Q1999", "P571", year(1900))]
    )
    found = described(KIND, by_architect(), facts=facts)
    assert found.margin == 1
    assert found.nearest.entity_id == "Q1999" and found.nearest.gaps == ("P84=Q2000",)


def test_a_second_clause_that_contradicts_the_silent_rival_restores_the_margin():
    facts = SmallFacts(
        [*crowd(), claim("Q1999", "P31", LIGHTHOUSE), claim("Q1999", "P571", year(1900))]
    )
    opened = ClaimClause(subject="v", property="P571", object=year(1700))
    assert described(KIND, by_architect(), opened, facts=facts).margin >= 2


def test_a_twin_that_matches_everything_leaves_no_margin():
    facts = SmallFacts(
        [*crowd(), claim("Q1999", "P31", LIGHTHOUSE), claim("Q1999", "P84", "Q2000")]
    )
    assert described(KIND, by_architect(), facts=facts).margin == 0


def test_a_rival_is_too_near_where_nothing_contradicts_it_and_less_is_missing_than_is_required():
    facts = Lookups(SmallFacts([*crowd(), claim("Q1999", "P31", LIGHTHOUSE)]))
    form = Form(clauses=(KIND, by_architect()), ask=Ask(var="v", type="entity"))
    (description,) = descriptions(form, {"v": entity_value("Q1000")})
    assert is_too_near(facts, "Q1999", description.parts, 2), "one claim is missing"
    assert not is_too_near(facts, "Q1999", description.parts, 1)
    assert not is_too_near(facts, "Q1001", description.parts, 2), "another architect"


def test_a_thing_is_singled_out_with_the_margin_that_the_recipe_asks_for():
    form = Form(clauses=(KIND, by_architect()), ask=Ask(var="v", type="entity"))
    thing = entity_value("Q1000")
    (description,) = descriptions(form, {"v": thing})
    silent = SmallFacts([*crowd(), claim("Q1999", "P31", LIGHTHOUSE)])
    for trust, required, told in (
        (Trust(), 1, True),
        (Trust(), 2, False),
        (Trust(complete=True), 2, True),
    ):
        assert is_singled_out(Lookups(silent, trust), description, thing, required) is told
    twin = SmallFacts([*crowd(), claim("Q1999", "P31", LIGHTHOUSE), claim("Q1999", "P84", "Q2000")])
    assert not is_singled_out(Lookups(twin), description, thing, 1)


def test_what_a_hop_may_settle_is_left_to_the_whole_margin():
    facts = Lookups(SmallFacts([*crowd(), claim("Q2999", "P31", HUMAN)]))
    hop = ClaimClause(subject=entity_value("Q1999"), property="P84", object="v")
    form = Form(clauses=(hop,), ask=Ask(var="v", type="entity"))
    (description,) = descriptions(form, {"v": entity_value("Q2000")})
    assert status(facts, "Q2999", description.parts[0]) == "gap"
    assert not is_too_near(facts, "Q2999", description.parts, 2)


def test_other_values_of_a_property_with_many_values_contradict_nothing():
    many = [claim(f"Q1{i:03}", "P166", f"Q3{j:03}") for i in range(60) for j in range(3 + i % 2)]
    facts = SmallFacts([*crowd(), *many])
    awarded = ClaimClause(subject="v", property="P166", object=entity_value("Q3003"))
    assert described(KIND, awarded, intended="Q1001", facts=facts).margin < 2


def test_an_unknown_value_is_a_gap_and_a_known_absence_a_contradiction():
    base = [*crowd(), claim("Q1999", "P31", LIGHTHOUSE)]
    unknown = SmallFacts([*base, claim("Q1999", "P84", Value(kind="somevalue"))])
    absent = SmallFacts([*base, claim("Q1999", "P84", Value(kind="novalue"))])
    assert described(KIND, by_architect(), facts=unknown).margin == 1
    assert described(KIND, by_architect(), facts=absent).margin >= 2


def test_a_coarser_date_neither_fits_nor_contradicts():
    decade = Value(kind="time", time="+1700-00-00T00:00:00Z", precision=8)
    facts = SmallFacts(
        [*crowd(), claim("Q1999", "P31", LIGHTHOUSE), claim("Q1999", "P571", decade)]
    )
    opened = ClaimClause(subject="v", property="P571", object=year(1700))
    assert described(KIND, opened, facts=facts).margin == 0


@pytest.mark.parametrize(
    ("clue", "known"),
    [
        ("+1700/9", "+1700-05-04/11"),
        ("+1700/9", "+1700-05/10"),
        ("+1700-05-04/11", "+1700/9"),
        ("+1700-05/10", "+170/8"),
    ],
)
def test_a_rival_whose_date_is_told_more_or_less_exactly_than_the_clue_counts(clue, known):
    facts = SmallFacts(
        [
            *crowd(),
            claim("Q1999", "P31", LIGHTHOUSE),
            claim("Q1999", "P571", value_of_key(f"time:{known}")),
        ]
    )
    opened = ClaimClause(subject="v", property="P571", object=value_of_key(f"time:{clue}"))
    assert described(opened, facts=facts).margin == 0


def test_a_rival_of_another_year_does_not_count_however_exact_its_date():
    facts = SmallFacts(
        [
            *crowd(),
            claim("Q1999", "P31", LIGHTHOUSE),
            claim("Q1999", "P571", value_of_key("time:+1900-05-04/11")),
        ]
    )
    assert (
        described(ClaimClause(subject="v", property="P571", object=year(1700)), facts=facts).margin
        > 0
    )


def test_a_year_finds_every_thing_whose_day_lies_in_it():
    facts = SmallFacts(
        [
            claim("Q1", "P571", value_of_key("time:+1700-05-04/11")),
            claim("Q2", "P571", year(1700)),
            claim("Q3", "P571", year(1701)),
        ]
    )
    form = Form(
        clauses=(ClaimClause(subject="v", property="P571", object=year(1700)),),
        ask=Ask(var="v", type="entity"),
    )
    assert {v.entity for v in answers(form, facts, {})} == {"Q1", "Q2"}


def test_in_a_complete_world_silence_contradicts():
    facts = SmallFacts([*crowd(), claim("Q1999", "P31", LIGHTHOUSE)])
    assert (
        described(KIND, by_architect(), facts=facts, trust=Trust(complete=True)).margin == NO_RIVAL
    )


def test_an_article_that_names_the_missing_value_closes_the_gap():
    claims = [*crowd(), claim("Q1999", "P31", LIGHTHOUSE)]
    article = Article(
        wiki="enwiki",
        title="Old Light",
        page_id=1,
        revision=1,
        sections=(Section(title="", level=1, text="Maren Holt drew it."),),
    )
    facts = SmallFacts(
        claims,
        entities={"Q2000": Entity(id="Q2000", labels={"en": "Maren Holt"})},
        articles={"Q1999": article},
    )
    assert described(KIND, by_architect(), facts=facts).margin == 0


def test_a_class_above_the_wanted_one_is_a_gap():
    claims = [
        *crowd(),
        claim(LIGHTHOUSE, "P279", "Q41176"),
        claim("Q1999", "P31", "Q41176"),
        claim("Q1999", "P84", "Q2000"),
    ]
    assert described(KIND, by_architect(), facts=SmallFacts(claims)).margin == 1


def test_a_range_is_contradicted_by_a_value_outside_it():
    facts = SmallFacts(crowd())
    clauses = (
        KIND,
        ClaimClause(subject="v", property="P571", object="y"),
        Compare(left="y", op="<", right=year(1701)),
    )
    binding = {"v": entity_value("Q1000"), "y": year(1700)}
    (description,) = [
        d
        for d in descriptions(Form(clauses=clauses, ask=Ask(var="v", type="entity")), binding)
        if d.var == "v"
    ]
    (early,) = [p for p in description.parts if p.role == "range"]
    assert [status(Lookups(facts), e, early) for e in ("Q1000", "Q1001", "Q2000")] == [
        "match",
        "contradicted",
        "gap",
    ]


# A whole certificate: the year in which the architect of the lighthouse in the picture was born.

BORN = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x1", property="P569", object="a"),
    ),
    ask=Ask(var="a", type="date", precision="year"),
)
BINDINGS = {"x0": "Q1000", "x1": "Q2000", "a": year(1660).key()}


def certified(facts: SmallFacts, form: Form = BORN, bindings: dict = BINDINGS, **rules):
    return certify_form(
        form,
        facts,
        {"x0": entity_value("Q1000")},
        bindings,
        CertificateRules(**{"stated": False, **rules}),
    )


def test_a_path_of_functional_hops_is_certified_with_its_evidence_and_needs_its_picture():
    made = certified(SmallFacts(crowd()))
    assert not isinstance(made, Refusal), made
    assert made.margin == NO_RIVAL and made.basis == "margin"
    assert [(h.source, h.property, h.target) for h in made.evidence] == [
        ("x0", "P84", "x1"),
        ("x1", "P569", "a"),
    ]
    assert made.nominal_hops == made.effective_hops == 2
    assert made.answers_without_picture >= 2


def page(entity_id: str, text: str) -> dict[str, Article]:
    return {
        entity_id: Article(
            wiki="enwiki",
            entity_id=entity_id,
            page_id=1,
            revision=1,
            title=entity_id,
            sections=(Section(title="", level=1, text=text),),
        )
    }


@pytest.mark.parametrize(
    ("pages", "missing"),
    [
        ({}, ["P84", "P569"]),
        (page("Q1000", "Drawn by Q2000."), ["P569"]),
        (page("Q2000", "Q2000, born in 1660, drew Q1000."), []),
        ({**page("Q1000", "Drawn by Q2000."), **page("Q2000", "Born in 16601.")}, ["P569"]),
    ],
)
def test_what_no_page_states_nobody_can_look_up(pages, missing):
    claims = crowd()
    made = certified(SmallFacts(claims, articles=pages), stated=True)
    if missing:
        wanted = {c.id for c in claims if c.subject in ("Q1000", "Q2000") and c.property in missing}
        assert made.reason == "not_stated" and set(made.evidence["claims"]) == wanted
    else:
        assert not isinstance(made, Refusal), made


def test_a_second_architect_makes_the_hop_ambiguous():
    refusal = certified(SmallFacts([*crowd(), claim("Q1000", "P84", "Q2001")]))
    assert refusal.reason in ("not_unique", "margin_too_small")


def test_a_form_whose_answer_does_not_depend_on_the_picture_is_refused():
    claims = [c for c in crowd() if c.property != "P569"] + [
        claim(f"Q2{i:03}", "P569", year(1660)) for i in range(60)
    ]
    assert certified(SmallFacts(claims)).reason == "picture_not_needed"


def test_a_node_that_its_own_clues_single_out_is_a_decoration():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x1", property="P84", object="x0"),
            ClassClause(var="x1", class_id=LIGHTHOUSE),
            ClaimClause(subject="x1", property="P571", object=year(1703)),
            ClaimClause(subject="x1", property="P2048", object="a"),
        ),
        ask=Ask(var="a", type="quantity"),
    )
    heights = [
        claim(f"Q1{i:03}", "P2048", Value(kind="quantity", number=20.0 + i, unit="Q11573"))
        for i in range(60)
    ]
    refusal = certify_form(
        form,
        SmallFacts([*crowd(), *heights]),
        {"x0": entity_value("Q2003")},
        {"x0": "Q2003", "x1": "Q1003", "a": "quantity:23:Q11573"},
        CertificateRules(stated=False),
    )
    assert refusal.reason == "decoration"


def test_a_writer_who_meant_another_answer_is_refused():
    assert (
        certified(SmallFacts(crowd()), bindings={**BINDINGS, "a": year(1661).key()}).reason
        == "no_evidence"
    )


def test_clauses_that_hang_on_nothing_are_refused():
    loose = Form(clauses=(*BORN.clauses, ClassClause(var="z", class_id=HUMAN)), ask=BORN.ask)
    assert certified(SmallFacts(crowd()), form=loose).reason == "not_connected"


@pytest.mark.parametrize("margin", [1, 2, 3])
def test_the_recipe_sets_the_margin(margin):
    facts = SmallFacts(
        [*crowd(), claim("Q1999", "P31", LIGHTHOUSE), claim("Q1999", "P571", year(1900))]
    )
    accepted = described(KIND, by_architect(), facts=facts, required=margin).margin >= margin
    assert accepted == (margin == 1)


def test_a_namesakes_work_fits_the_words_as_well():
    named = {q: Entity(id=q, labels={"en": "Ivo Mersk"}) for q in ("Q2000", "Q2001")}
    facts = SmallFacts(crowd(), entities=named)
    found = described(KIND, by_architect(), facts=facts)
    assert (found.margin, found.nearest.entity_id) == (0, "Q1001")


def test_what_is_on_an_island_is_in_the_islands_sea():
    wreck, sea, island = "Q852190", "Q91", "Q92"
    claims = [
        ("Q1", "P31", wreck),
        ("Q1", "P276", sea),
        ("Q2", "P31", wreck),
        ("Q2", "P276", island),
        (island, "P706", sea),
    ]
    facts = SmallFacts([claim(*c) for c in claims])
    found = described(
        ClassClause(var="v", class_id=wreck),
        ClaimClause(subject="v", property="P276", object=entity_value(sea)),
        intended="Q1",
        facts=facts,
    )
    assert (found.margin, found.nearest.entity_id) == (0, "Q2")


def test_a_name_that_is_no_articles_plain_title_may_mean_another():
    designed = ClaimClause(subject=entity_value("Q1000"), property="P84", object="y")
    form = Form(clauses=(Image(var="x"), designed), ask=Ask(var="y", type="entity"))
    titled = Article(wiki="enwiki", page_id=1, revision=1, title="Q1000", entity_id="Q1000")
    assert unclear_names(form, SmallFacts(crowd(), articles={"Q1000": titled})) == ()
    assert unclear_names(
        form, SmallFacts(crowd(), articles={"Q1000": titled.replace(title="Q1000 (lighthouse)")})
    ) == ("Q1000",)
    assert unclear_names(form, SmallFacts(crowd())) == ("Q1000",)


def test_a_hop_to_the_one_county_of_a_town_leaves_no_other_county_a_gap_though_a_town_lies_in_two_things():
    towns = [
        c
        for i in range(60)
        for c in (
            claim(f"Q3{i:03}", "P31", "Q515"),
            claim(f"Q3{i:03}", "P131", f"Q4{i:03}"),
            claim(f"Q4{i:03}", "P31", "Q28575"),
            claim(f"Q3{i:03}", "P131", "Q9"),
        )
    ]
    facts = SmallFacts([*towns, claim("Q9", "P31", "Q35657")])
    form = Form(
        clauses=(
            ClaimClause(subject="x", property="P131", object="v"),
            ClassClause(var="v", class_id="Q28575"),
        ),
        ask=Ask(var="v", type="entity"),
    )
    binding = {"x": entity_value("Q3001"), "v": entity_value("Q4001")}
    (description,) = [d for d in descriptions(form, binding) if d.var == "v"]
    assert margin_of(Lookups(facts), description, entity_value("Q4001")).margin == NO_RIVAL
    two = SmallFacts([*towns, claim("Q9", "P31", "Q35657"), claim("Q3001", "P131", "Q4002")])
    assert margin_of(Lookups(two), description, entity_value("Q4001")).margin == 0
