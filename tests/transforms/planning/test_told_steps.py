"""Steps that only a sentence states: how chains follow them, and what the certificate demands of them."""

import asyncio
from dataclasses import replace

import pytest

from questloom.records.form import Ask, ClassClause, Form, Image, SentenceClause
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason
from questloom.records.plan import Plan
from questloom.records.synthesis import Seed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form, given_by_picture
from questloom.transforms.certificate.effective import chain
from questloom.transforms.certificate.evidence import evidence
from questloom.transforms.certificate.execute import binding_of, extend
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.page_statements import (
    leads_to_target,
    linked_things,
    names_on_page,
    objects_of,
    rival_status,
)
from questloom.transforms.facts.trust import Trust
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.planner import plans_of
from questloom.transforms.planning.shapes.chain import Walk, tell_on
from questloom.transforms.writing.german.writer import GermanWriter
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.graph_writer import GraphWriter
from questloom.transforms.writing.llm.word_proof import proof_lines
from questloom.transforms.writing.writer import Draft
from tests.small_facts import claim
from tests.transforms.planning.coast import NUM, architect, coast_claims, ground, lighthouse, town
from tests.transforms.planning.told_coast import KEEPER, fact_of, name, told_coast

LIGHT, RESTORER = lighthouse(3), architect(20)
PAGES = {lighthouse(i): f"It was restored by {{{architect(i + 17)}}}." for i in range(NUM)}
ALL = CertificateRules(margin=1, bases=("closed", "margin", "votes"))


def at(pages=PAGES, *, rules=ALL, told=(LIGHT,), **more) -> Ground:
    """The coast with one fact of each thing in `told`."""
    facts = told_coast(pages, **more)
    facts_told = {thing: (fact_of(facts, thing),) for thing in told}
    made = ground(facts, hops={"easy": 1, "medium": 2, "hard": 3})
    return replace(made, certificate=rules, text_facts=facts_told)


def planned(where: Ground, level="easy", thing=LIGHT) -> tuple[list[Plan], Refusals]:
    seed = Seed(entity_id=thing, method="paths", rule="rare", level=level, domain="other")
    found = plans_of(where, seed)
    return [p for p in found.plans if p.logical_form.of(SentenceClause)], found.refusals


def only(where: Ground) -> Plan:
    return planned(where)[0][0]


def certified(where: Ground, plan: Plan, form: Form | None = None):
    form = form or plan.logical_form
    given = given_by_picture(form, binding_of(plan.bindings))
    return certify_form(form, where.facts, given, plan.bindings, where.certificate)


# Chains


def test_a_chain_follows_a_sentence_and_its_certificate_rests_on_votes():
    plan = only(at())
    (told,) = plan.logical_form.of(SentenceClause)
    assert (told.relation, told.target, told.votes) == ("was restored by", RESTORER, 3)
    assert plan.bindings["x1"] == RESTORER and plan.certificate.basis == "votes"
    assert {c.name: c.score for c in plan.certificate.checks}["text_votes"] == 3
    hop = next(h for h in plan.certificate.evidence if not h.property)
    assert (hop.source, hop.target, hop.stated) == ("x0", "x1", "sentence")
    assert hop.evidence == told.text and hop.page == name(at().facts, LIGHT)
    assert plan.route.moves[:2] == ("image_search x0", "visit x0")
    assert chain(plan.logical_form)[0] == ("", False) and plan.certificate.effective_hops == 2
    assert Form.from_json(plan.form) == plan.logical_form


def test_without_facts_or_without_the_basis_there_is_no_such_plan():
    assert planned(at(told=()))[0] == []
    plans, refusals = planned(at(rules=CertificateRules(margin=1)))
    assert plans == [] and refusals.reasons[Reason.WEAK_BASIS.value] > 0


def test_a_chain_has_one_such_step_at_most():
    pages = PAGES | {architect(i): f"He was hired by {{{architect(i + 30)}}}." for i in range(NUM)}
    where = at(pages, told=(LIGHT, RESTORER))
    refusals = Refusals()
    (first,) = tell_on(where, Walk((LIGHT,)), refusals)
    assert first.things == (LIGHT, RESTORER) and first.steps == (("", False),)
    assert tell_on(where, first, refusals) == []
    assert tell_on(where, Walk((LIGHT, RESTORER)), refusals) != []
    for plan in planned(where, "hard")[0]:
        assert len(plan.logical_form.of(SentenceClause)) == 1


def test_a_step_back_to_a_thing_of_the_chain_or_of_its_words_is_not_taken():
    where = at()
    assert tell_on(where, Walk((RESTORER, LIGHT)), Refusals()) == []
    assert tell_on(where, Walk((LIGHT,), said=frozenset({RESTORER})), Refusals()) == []


def test_a_step_collapses_if_fewer_claims_lead_to_its_end():
    pages = PAGES | {architect(3): f"He was hired by {{{KEEPER}}}."}
    walk, refusals = Walk((LIGHT, architect(3)), steps=(("P84", False),)), Refusals()
    assert len(tell_on(at(pages, told=(architect(3),)), walk, refusals)) == 1
    claims = [*coast_claims(), claim(LIGHT, "P127", KEEPER)]
    near = at(pages, told=(architect(3),), claims=claims)
    assert tell_on(near, walk, refusals) == [] and refusals.reasons[Reason.COLLAPSES.value] == 1


# The certificate


@pytest.mark.parametrize(
    "changes",
    [
        {"votes": 0},
        {"text": "It was restored by nobody."},
        {"text": ""},
        {"start": 1},
        {"revision": 2},
        {"article_id": "another"},
        {"section": 9},
        {"section": -1},
        {"target": KEEPER},
        {"target": ""},
    ],
)
def test_a_sentence_that_does_not_stand_on_the_page_is_no_evidence(changes):
    where = at()
    plan = only(where)
    form = plan.logical_form
    (told,) = form.of(SentenceClause)
    clauses = tuple(replace(c, **changes) if c is told else c for c in form.clauses)
    made = certified(where, plan, Form(clauses=clauses, ask=form.ask))
    assert isinstance(made, Refusal) and made.reason in (Reason.NO_EVIDENCE, Reason.NOT_UNIQUE)
    assert not isinstance(certified(where, plan), Refusal)
    binding = binding_of(plan.bindings)
    assert evidence(Form(clauses=clauses, ask=form.ask), where.facts, binding) is None


def test_the_sentence_must_name_its_object():
    where = at()
    plan = only(where)
    (told,) = plan.logical_form.of(SentenceClause)
    wrong = replace(told, target=KEEPER)
    form = Form(clauses=(Image(var="x0"), wrong), ask=Ask(var="x1", type="entity"))
    binding = {"x0": entity_value(LIGHT), "x1": entity_value(KEEPER)}
    assert evidence(form, where.facts, binding) is None
    right = Form(clauses=(Image(var="x0"), told), ask=form.ask)
    assert evidence(right, where.facts, binding | {"x1": entity_value(RESTORER)}) is not None
    assert evidence(right, where.facts, binding) is None
    assert evidence(right, where.facts, {"x0": entity_value(LIGHT)}) is None


def test_another_thing_of_the_kind_in_the_sentence_is_a_rival():
    pages = PAGES | {LIGHT: f"It was restored by {{{RESTORER}}} for {{{KEEPER}}}."}
    plans, refusals = planned(at(pages))
    assert plans == [] and refusals.reasons[Reason.MARGIN_TOO_SMALL.value] > 0
    place = PAGES | {LIGHT: f"It was restored by {{{RESTORER}}} for {{{town(9)}}}."}
    assert planned(at(place))[0]


def test_another_thing_of_the_kind_on_the_page_is_a_gap():
    strict = replace(ALL, margin=2)
    assert planned(at(rules=strict))[0] == []  # the page names its architect
    silent = at(rules=strict, silent=frozenset({LIGHT}))
    rules = replace(strict, stated=False)
    assert planned(replace(silent, certificate=rules))[0]


def test_the_picture_is_needed_only_if_pages_of_its_kind_link_to_other_things():
    plans, refusals = planned(at({LIGHT: PAGES[LIGHT]}))
    assert plans == [] and refusals.reasons[Reason.PICTURE_NOT_NEEDED.value] > 0


# What a sentence says of other things


TOLD = SentenceClause(
    subject="x0",
    object="x1",
    article_id=at().facts.article(LIGHT).id,
    revision=1,
    section=1,
    start=0,
    end=9,
    text=f"It was restored by {name(at().facts, RESTORER)}.",
    relation="was restored by",
    target=RESTORER,
    votes=3,
)


def test_the_read_page_gives_the_object_and_an_unread_page_each_of_its_links():
    facts = at().facts
    assert objects_of(facts, TOLD, LIGHT) == (RESTORER,)
    assert objects_of(facts, TOLD, lighthouse(4)) == (architect(21),)
    assert objects_of(facts, TOLD, "Q999999") == () == linked_things(facts, "Q999999")
    assert objects_of(facts, replace(TOLD, target=""), LIGHT) == ()

    def ends(**binding: str) -> list[str]:
        values = {v: entity_value(e) for v, e in binding.items()}
        return [found["x1"].entity for found in extend(TOLD, values, facts, 100)]

    assert ends(x0=LIGHT) == [RESTORER] == ends(x0=LIGHT, x1=RESTORER)
    assert ends(x0=LIGHT, x1=KEEPER) == [] and ends(x0=lighthouse(4)) == [architect(21)]


def test_a_rival_matches_in_the_sentence_is_a_gap_on_the_page_and_is_out_elsewhere():
    where = at(PAGES | {LIGHT: f"{PAGES[LIGHT]} It was painted by {{{KEEPER}}}."})
    facts, known = where.facts, entity_value(LIGHT)
    (told,) = only(where).logical_form.of(SentenceClause)
    status = {r: rival_status(facts, r, told, known) for r in (RESTORER, KEEPER, architect(9))}
    assert status == {RESTORER: "match", KEEPER: "gap", architect(9): "contradicted"}
    assert rival_status(facts, architect(3), told, known) == "gap"  # named without a link
    assert not names_on_page(facts, "Q999999", KEEPER) and not names_on_page(facts, LIGHT, "Q9")
    backwards = entity_value(RESTORER)
    assert rival_status(facts, lighthouse(9), told, backwards) == "gap"
    assert leads_to_target(told, known) and not leads_to_target(told, backwards)
    assert not leads_to_target(replace(told, target=""), known)
    assert not leads_to_target(ClassClause(var="x1", class_id="Q5"), known)


def test_claims_that_are_complete_say_nothing_of_sentences():
    where = at()
    complete = Lookups(where.facts.facts, Trust(complete=True))
    made = certified(replace(where, facts=complete), only(where))
    assert not isinstance(made, Refusal) and made.basis == "votes"


# Words


def test_the_writers_without_a_model_have_no_phrase_and_say_so():
    where, plan = at(), only(at())
    for writer in (GraphWriter(English(where.facts, 1, "en")), GermanWriter(where.facts)):
        refused = asyncio.run(writer.word(plan, "seed"))
        assert refused.reason is Reason.NO_PHRASE
        assert refused.evidence == {"relation": "was restored by"}


def test_words_must_have_the_telling_word_of_the_relation():
    where, plan = at(), only(at())
    line = next(n for n in proof_lines(where.facts.facts, Draft.of(plan), "en") if n.relation)
    light, restorer = (name(where.facts, e) for e in (LIGHT, RESTORER))
    assert line.words.startswith(f"{light} — was restored by: {restorer} (the page: ")
    assert line.is_stated(where.facts.facts, "Who restored it, and when was she born?")
    assert not line.is_stated(where.facts.facts, "Who repaired it, and when was she born?")
