"""A plan in words without a model, or why there are none; what is asked last of the pictured thing itself."""

import asyncio
from random import Random

import pytest

from questloom.records.form import Ask, ClaimClause, Clause, Form, Image, SentenceClause
from questloom.records.knowledge import Entity, Value
from questloom.records.outcomes import Reason
from questloom.records.plan import Plan
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate
from questloom.records.table import Json
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.finish import ask_attributes
from questloom.transforms.planning.ground import Ground
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.graph_writer import (
    GraphWriter,
    ask_for,
    belong_together,
)
from questloom.transforms.writing.writer import Wording
from tests.small_facts import SmallFacts, claim, year

PICTURED: tuple[Clause, ...] = (Image(var="x0"),)


def asked_of(facts: SmallFacts, thing: str) -> list[tuple[Form, dict[str, str], Answer]]:
    """What is asked of a pictured thing itself, no step away."""
    at = Ground(Lookups(facts), DraftRules(), CertificateRules(stated=False), 1)
    return list(ask_attributes(at, PICTURED, {"x0": thing}, "x0", Random(1)))


def worded(facts: SmallFacts, asked: tuple[Form, dict[str, str], Answer]) -> Wording | Refusal:
    form, bindings, answer = asked
    plan = Plan(
        form=Json(form.to_json()),
        bindings=bindings,
        answer=answer,
        shape="chain",
        certificate=Certificate(basis="margin", margin=2),
        route=Route(calls=1, depth=1, pages=1, looks=1),
    )
    return asyncio.run(GraphWriter(English(facts, 1)).word(plan, "seed"))


def test_a_way_without_a_step_asks_the_pictured_thing_itself():
    facts = SmallFacts(
        [
            c
            for i in range(60)
            for c in (claim(f"Q1{i:03}", "P31", "Q5"), claim(f"Q1{i:03}", "P570", year(1700 + i)))
        ]
    )
    (asked,) = asked_of(facts, "Q1003")
    assert asked[1] == {"x0": "Q1003", "a": year(1703).key()}
    made = worded(facts, asked)
    assert isinstance(made, Wording) and made.anchor_phrase in made.text


def paintings() -> SmallFacts:
    return SmallFacts(
        [
            c
            for i in range(60)
            for c in (
                claim(f"Q1{i:03}", "P31", "Q3305213"),
                claim(f"Q1{i:03}", "P571", year(1610 + i)),
                claim(f"Q1{i:03}", "P170", f"Q2{i:03}"),
                claim(f"Q2{i:03}", "P31", "Q5"),
            )
        ]
    )


def test_the_century_is_asked_after_all_else():
    facts = paintings()
    painter, century = asked_of(facts, "Q1003")
    assert painter[1]["a"] == "Q2003"
    form, bindings, answer = century
    assert (answer.text, form.ask.precision, bindings["a"]) == (
        "17th century",
        "century",
        year(1613).key(),
    )
    made = worded(facts, century)
    assert isinstance(made, Wording) and made.text.startswith("In which century was ")


def test_what_is_asked_for_has_the_answers_type_unit_and_precision():
    height = Value(kind="quantity", number=7.0, unit="Q11573")
    tall = Answer(text="7 metres", type="quantity", value=height, unit="Q11573")
    assert ask_for("a", tall) == Ask(var="a", type="quantity", unit="Q11573")
    made = Answer(text="17th century", type="date", value=year(1613), precision="century")
    assert ask_for("b", made) == Ask(var="b", type="date", precision="century")


def test_a_plan_that_no_words_fit_is_refused_with_its_form():
    form = Form(
        clauses=(
            *PICTURED,
            ClaimClause(subject="x1", property="P170", object="x0"),
            ClaimClause(subject="x1", property="P571", object="a"),
        ),
        ask=Ask(var="a", type="date"),
    )
    bindings = {"x0": "Q2003", "x1": "Q1003", "a": year(1613).key()}
    asked = form, bindings, Answer(text="1613", type="date", value=year(1613))
    facts = paintings()
    assert isinstance(worded(facts, asked), Wording)
    of_no_kind = SmallFacts(
        [c for e in facts.entities for c in facts.claims(e) if c.value.entity != "Q3305213"]
    )
    made = worded(of_no_kind, asked)
    assert isinstance(made, Refusal), made
    assert made.reason is Reason.NO_WORDING and made.evidence == {"form": form.to_json()}


def test_a_relation_that_a_page_tells_has_no_phrase():
    form, bindings, answer = asked_of(paintings(), "Q1003")[0]
    sentence = {"subject": "x0", "object": "a", "article_id": "1", "revision": 1, "section": 0}
    told = SentenceClause(**sentence, start=0, end=9, relation="was restored by")
    form = Form(clauses=(*form.clauses, told), ask=form.ask)
    made = worded(paintings(), (form, bindings, answer))
    assert isinstance(made, Refusal) and made.reason is Reason.NO_PHRASE
    assert made.evidence == {"relation": "was restored by"}


def test_the_same_plan_of_a_seed_gets_the_same_words():
    facts = paintings()
    (first, *_) = asked_of(facts, "Q1003")
    assert worded(facts, first) == worded(facts, first)


@pytest.mark.parametrize(
    ("domains", "link", "together"),
    [
        (("person", "person"), "P22", True),
        (("person", "person"), "", False),
        (("work", "person"), "P170", True),
        (("work", "person"), "P138", False),
        (("location", "location"), "P131", False),
        (("location", "person"), "P112", False),
    ],
)
def test_dates_are_compared_of_things_of_a_kind_or_of_a_maker_and_never_of_places(
    domains, link, together
):
    one, other = (Entity(id=f"Q{n}", domain=domain) for n, domain in enumerate(domains))
    assert belong_together(one, other, link) is belong_together(other, one, link) is together


def test_wording_a_plan_costs_time_only_so_that_a_thousand_are_tried():
    assert GraphWriter(English(paintings(), 1)).most_plans == 1_000


def test_the_words_know_the_years_sexes_and_names_of_the_things(monkeypatch):
    found = []
    monkeypatch.setattr(
        "questloom.transforms.writing.graph.english.verbalise",
        lambda form, **more: found.append(more),
    )
    facts = SmallFacts([*(c for e in paintings().entities for c in paintings().claims(e)), claim("Q2003", "P21", "Q6581072")])  # fmt: skip
    bindings = {"x0": "Q1003", "x1": "Q2003", "a": year(1613).key()}
    for clauses in (PICTURED, ()):
        English(facts, 7).question(
            Form(clauses=clauses, ask=Ask(var="a", type="date")), bindings, "i"
        )
    for more, names in zip(found, ({}, {"": ""}), strict=True):
        assert more["years"] == {"a": 1613} and more["names"] == names
        assert more["genders"] == {"x0": "", "x1": "she", "a": ""} and more["seen"] == ""
        assert more["classes"] == {"x0": "Q3305213", "x1": "Q5"} and more["recipe_seed"] == 7
