"""Which steps and drafts are accepted: by the margin where there is a form, by votes where there is none, and never against a reader's word."""

import asyncio

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image
from questloom.records.knowledge import Article, InfoboxField, Section, Value, entity_value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.certificate.guess import guess_of_kind
from questloom.transforms.drafting.accept import Accept, binding_of
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from questloom.transforms.writing.writer import Draft
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import LIGHTHOUSE, crowd
from tests.transforms.drafting.scripted import ANSWER, FAULT, NO, SEED, YES, Scripted, draft, step

FACTS = SmallFacts(crowd())
VOTED = CertificateRules(bases=("votes",), stated=False)
BORN = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x1", property="P569", object="a"),
    ),
    ask=Ask(var="a", type="date", precision="year"),
)
BINDINGS = {"x0": "Q1000", "x1": "Q2000", "a": year(1660).key()}
FORMED = Draft(
    text="When was its architect born?",
    answer=Answer(value=year(1660), text="1660", type="date"),
    form=BORN,
    bindings=BINDINGS,
    anchor="Q1000",
)


def accept(rules: CertificateRules = VOTED, facts: SmallFacts = FACTS) -> Accept:
    return Accept(facts, rules)


def voted(
    before: Draft | None, after: Draft, rules: CertificateRules = VOTED, **replies
) -> tuple[Draft | Refusal, Scripted]:
    writer = Scripted(
        {"check_unique": [YES], "check_invariant": [YES], "check_picture": [YES], **replies}
    )
    return asyncio.run(accept(rules).voted(before, after, writer, SEED)), writer


def test_votes_count_only_where_the_recipe_accepts_that_basis():
    refused, writer = voted(None, draft(), CertificateRules())
    assert (
        refused == Refusal(reason=Reason.WEAK_BASIS, evidence={"basis": "votes"})
        and not writer.calls
    )


def test_a_first_draft_is_voted_on_for_one_answer_alone_and_a_step_for_the_same_answer_too():
    first, writer = voted(None, draft())
    assert [r for r, _ in writer.calls] == ["check_unique"] and [
        v["check"] for v in first.votes
    ] == ["unique"]
    after, writer = voted(draft(), step(draft(), "And who?"))
    assert [r for r, _ in writer.calls] == ["check_unique", "check_invariant"]
    assert after.votes == tuple(
        {"check": c, "step": 1, "holds": True, "why": "so", "rival": ""}
        for c in ("unique", "invariant")
    )


def test_the_need_of_the_picture_is_voted_on_when_the_picture_comes_and_not_again():
    shown = draft(anchor="Q1")
    assert [r for r, _ in voted(None, shown)[1].calls] == ["check_unique", "check_picture"]
    assert [r for r, _ in voted(draft(), shown)[1].calls] == [
        "check_unique",
        "check_invariant",
        "check_picture",
    ]
    assert [r for r, _ in voted(shown, shown)[1].calls] == ["check_unique", "check_invariant"]


@pytest.mark.parametrize(
    ("role", "reason"),
    [
        ("check_unique", Reason.NOT_UNIQUE),
        ("check_invariant", Reason.ANSWER_CHANGED),
        ("check_picture", Reason.PICTURE_NOT_NEEDED),
    ],
)
def test_one_vote_against_or_no_vote_at_all_refuses(role, reason):
    refused, _ = voted(draft(), draft(anchor="Q1"), **{role: [YES, NO]})
    assert refused == Refusal(
        reason=reason,
        evidence={"votes": 2, "against": 1, "question": "Who?", "other": ["Q8"], "why": ["not so"]},
    )
    assert voted(draft(), draft(anchor="Q1"), **{role: []})[0].reason == reason
    assert voted(draft(), draft(anchor="Q1"), **{role: FAULT})[0] == Refusal(
        reason=Reason.BAD_REPLY, evidence={"role": "r"}
    )


def test_votes_are_added_to_those_that_a_draft_has():
    earlier = ({"check": "unique", "step": 0, "holds": True, "why": "", "rival": ""},)
    assert len(voted(None, draft(votes=earlier))[0].votes) == 2


def stepped(
    before: Draft,
    after: Draft,
    var: str,
    rules: CertificateRules = VOTED,
    facts: SmallFacts = FACTS,
    **replies,
):
    writer = Scripted({"check_unique": [YES], "check_invariant": [YES], **replies})
    return asyncio.run(accept(rules, facts).step(before, after, var, writer, SEED)), writer


def test_a_step_without_a_form_or_a_new_variable_is_for_votes_and_one_with_both_for_the_margin():
    assert [r for r, _ in stepped(draft(), step(draft(), "And?"), "x1")[1].calls] == [
        "check_unique",
        "check_invariant",
    ]
    assert [r for r, _ in stepped(FORMED, FORMED, "")[1].calls] == [
        "check_unique",
        "check_invariant",
    ]
    accepted, writer = stepped(FORMED, FORMED, "x1", CertificateRules())
    assert accepted is FORMED and [r for r, _ in writer.calls] == ["check_words"]


def test_a_step_whose_words_name_the_answer_or_a_node_is_refused_before_anybody_votes():
    refused, writer = stepped(draft(), draft("Is it Q99?"), "")
    assert refused.reason == Reason.LEAK and not writer.calls


def test_a_description_below_the_margin_is_refused_and_at_it_accepted():
    silent = SmallFacts([*crowd(), claim("Q1999", "P31", LIGHTHOUSE)])
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x1", property="P84", object="x0"),
            ClassClause(var="x1", class_id=LIGHTHOUSE),
        ),
        ask=Ask(var="x1", type="entity"),
    )
    bindings = {"x0": "Q2000", "x1": "Q1000"}
    assert (
        accept(facts=silent, rules=CertificateRules(margin=1)).described(form, bindings, "x1")
        is None
    )
    assert (
        accept(facts=silent, rules=CertificateRules(margin=2))
        .described(form, bindings, "x1")
        .reason
        == Reason.MARGIN_TOO_SMALL
    )
    assert (
        accept(
            facts=Lookups(silent, Trust(complete=True)), rules=CertificateRules(margin=2)
        ).described(form, bindings, "x1")
        is None
    )
    assert accept().described(form, bindings, "x7") == Refusal(
        reason=Reason.NO_DESCRIPTION, evidence={"var": "x7"}
    )


def named(*clauses) -> Refusal | None:
    """The verdict on a description of x1 (a lighthouse) by given clauses, without a node before it."""
    form = Form(
        clauses=(ClassClause(var="x1", class_id=LIGHTHOUSE), *clauses),
        ask=Ask(var="x1", type="entity"),
    )
    return accept(CertificateRules(margin=1)).described(form, {"x1": "Q1000"}, "x1")


def test_of_the_things_that_a_description_names_one_must_be_needed():
    by, told = (
        (ClaimClause(subject="x1", property="P84", object=entity_value("Q2000"))),
        ClaimClause(subject="x1", property="P571", object=year(1700)),
    )
    assert named(by) is None
    assert named(by, told) == Refusal(
        reason=Reason.DECORATION, evidence={"var": "x1", "ends": ["Q2000"]}
    )
    several = SmallFacts(
        [
            *crowd(),
            claim("Q1000", "P131", "Q77"),
            claim("Q1001", "P131", "Q77"),
            claim("Q1002", "P84", "Q2000"),
        ]
    )
    form = Form(
        clauses=(
            ClassClause(var="x1", class_id=LIGHTHOUSE),
            by,
            ClaimClause(subject="x1", property="P131", object=entity_value("Q77")),
        ),
        ask=Ask(var="x1", type="entity"),
    )
    assert (
        accept(CertificateRules(margin=1), several).described(form, {"x1": "Q1000"}, "x1") is None
    )


def test_a_description_that_does_not_need_the_node_before_it_is_a_decoration():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x1", property="P84", object="x0"),
            ClassClause(var="x1", class_id=LIGHTHOUSE),
            ClaimClause(subject="x1", property="P571", object=year(1700)),
        ),
        ask=Ask(var="x1", type="entity"),
    )
    assert accept().described(form, {"x0": "Q2000", "x1": "Q1000"}, "x1") == Refusal(
        reason=Reason.DECORATION, evidence={"var": "x1", "ends": ["x0"]}
    )


def test_what_is_answered_by_the_commonest_of_its_kind_is_refused_above_the_recipes_share():
    sexed = SmallFacts(
        [*crowd(), *(claim(f"Q2{i:03}", "P27", "Q30" if i < 48 else "Q31") for i in range(60))]
    )
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject="x1", property="P27", object="a"),
        ),
        ask=Ask(var="a", type="entity"),
    )
    asked = Draft(
        text="?",
        answer=ANSWER,
        form=form,
        bindings={"x0": "Q1000", "x1": "Q2000", "a": "Q30"},
        anchor="Q1000",
    )
    refused = accept(CertificateRules(max_guess=0.4), sexed).guessed(asked)
    assert refused.reason == Reason.GUESSABLE and 0.7 < refused.evidence["share"] < 0.9
    assert (
        accept(CertificateRules(max_guess=0.9), sexed).guessed(asked) is None
        and accept().guessed(draft()) is None
    )


def finished(made: Draft, rules: CertificateRules, **replies):
    writer = Scripted(
        {"check_unique": [YES], "check_invariant": [YES], "check_picture": [YES], **replies}
    )
    return asyncio.run(accept(rules).finished(made, writer, SEED)), writer


PROVED = CertificateRules(stated=False)


def test_a_finished_draft_with_a_form_is_certified_then_worded_then_read_back():
    made, writer = finished(FORMED, PROVED)
    assert made.text == "When was its architect born? (worded)" and [
        r for r, _ in writer.calls
    ] == ["word", "check_words"]
    refused, writer = finished(FORMED, CertificateRules(stated=True))
    assert refused.reason == Reason.NOT_STATED and not writer.calls


def test_a_finished_form_for_which_there_are_no_words_is_refused():
    assert finished(FORMED, PROVED, word=lambda *_: None)[0] == Refusal(
        reason=Reason.NO_WORDING, evidence={"form": BORN.to_json()}
    )


def test_finished_words_that_name_a_node_are_refused():
    assert (
        finished(
            FORMED,
            PROVED,
            word=lambda made, _: Draft(**{**vars(made), "text": "When was Q2000 born?"}),
        )[0].reason
        == Reason.LEAK
    )


def test_words_are_read_back_where_a_model_wrote_them_and_one_reader_against_them_refuses():
    made, writer = finished(FORMED, PROVED, check_words=[YES, YES])
    assert (
        [v["check"] for v in made.votes] == ["words", "words"]
        and made.votes[0]["holds"]
        and writer.calls[-1][1][2] == 0
    )
    refused, _ = finished(FORMED, PROVED, check_words=[YES, NO])
    assert refused.reason == Reason.WORDS_DIFFER
    assert {k: v for k, v in refused.evidence.items() if k != "question"} == {
        "votes": 2,
        "against": 1,
        "other": ["Q8"],
        "why": ["not so"],
    }
    assert finished(FORMED, PROVED, check_words=lambda *_: [])[0].reason == Reason.WORDS_DIFFER
    assert finished(FORMED, PROVED, check_words=FAULT)[0].reason == Reason.BAD_REPLY


def test_one_reader_confirms_a_step_and_words_that_leak_are_not_even_read_for_votes():
    accepted, writer = stepped(FORMED, FORMED, "x1", PROVED, check_words=[YES])
    assert len(accepted.votes) == 1 and writer.calls[-1][1][2] == 1
    leaking = Draft(**{**vars(FORMED), "text": "When was Q2000 born?"})
    assert stepped(leaking, leaking, "x1", PROVED, check_words=[YES])[0].reason == Reason.LEAK


def test_a_finished_draft_without_a_form_is_voted_on_against_the_draft_whose_mention_became_the_picture():
    before = draft("Who drew Q1?")
    hidden = step(before, "Who drew this?", role="hide_entity", anchor="Q1")
    made, writer = finished(hidden, VOTED, check_words=[YES])
    assert [r for r, _ in writer.calls] == [
        "check_unique",
        "check_invariant",
        "check_picture",
        "check_words",
    ]
    assert next(asked for r, asked in writer.calls if r == "check_invariant")[0].text == before.text
    assert [v["check"] for v in made.votes] == ["unique", "invariant", "picture", "words"]
    other = step(before, "Who drew this?", role="inject", anchor="Q1")
    assert [r for r, _ in finished(other, VOTED)[1].calls] == [
        "check_unique",
        "check_picture",
        "check_words",
    ]
    assert finished(step(before, "Is it Q99?", role="hide_entity"), VOTED)[0].reason == Reason.LEAK
    assert finished(hidden, VOTED, check_unique=[NO])[0].reason == Reason.NOT_UNIQUE


def test_bindings_are_entities_or_values_by_their_keys():
    assert binding_of({"x": "Q1", "n": "quantity:3:"}) == {
        "x": entity_value("Q1"),
        "n": Value(kind="quantity", number=3.0),
    }


def test_a_step_that_no_page_states_is_hopeless_where_the_recipe_asks_for_pages():
    assert (
        accept(CertificateRules()).hopeless(BORN, BINDINGS).reason == Reason.NOT_STATED
        and accept(PROVED).hopeless(BORN, BINDINGS) is None
    )


def test_a_form_that_hangs_apart_or_asks_for_one_relation_in_two_steps_is_hopeless_whatever_pages_state():
    loose = Form(clauses=(*BORN.clauses, ClassClause(var="z", class_id=LIGHTHOUSE)), ask=BORN.ask)
    assert accept(PROVED).hopeless(loose, {**BINDINGS, "z": "Q1001"}).reason == Reason.NOT_CONNECTED
    mother = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P22", object="x1"),
            ClaimClause(subject="x1", property="P26", object="a"),
        ),
        ask=Ask(var="a", type="entity"),
    )
    assert (
        accept(PROVED).hopeless(mother, {"x0": "Q2001", "x1": "Q2002", "a": "Q2003"}).reason
        == Reason.COLLAPSES
    )


def test_a_form_that_does_not_need_its_picture_is_hopeless():
    all_in_one_year = SmallFacts(
        [
            *(c for c in crowd() if c.property != "P569"),
            *(claim(f"Q2{i:03}", "P569", year(1660)) for i in range(60)),
        ]
    )
    assert (
        accept(PROVED, all_in_one_year).hopeless(BORN, BINDINGS).reason == Reason.PICTURE_NOT_NEEDED
    )


def test_a_description_is_refused_for_the_first_rival_that_is_too_near_and_no_nearer_one_is_looked_for():
    near = SmallFacts(
        [
            *crowd(),
            claim("Q1998", "P31", LIGHTHOUSE),
            claim("Q1999", "P31", LIGHTHOUSE),
            claim("Q1999", "P84", "Q2000"),
        ]
    )
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x1", property="P84", object="x0"),
            ClassClause(var="x1", class_id=LIGHTHOUSE),
        ),
        ask=Ask(var="x1", type="entity"),
    )
    refused = accept(CertificateRules(), near).described(form, {"x0": "Q2000", "x1": "Q1000"}, "x1")
    assert refused.reason == Reason.MARGIN_TOO_SMALL and (
        refused.evidence["margin"],
        refused.evidence["rival"]["entity_id"],
    ) == (1, "Q1998")


def test_the_commonest_answer_is_refused_only_above_the_recipes_share_and_told_to_three_places():
    third = SmallFacts(
        [
            *crowd(),
            *(claim(f"Q2{i:03}", "P27", "Q30" if i < 23 else f"Q4{i:03}") for i in range(60)),
        ]
    )
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject="x1", property="P27", object="a"),
        ),
        ask=Ask(var="a", type="entity"),
    )
    asked = Draft(
        text="?",
        answer=ANSWER,
        form=form,
        bindings={"x0": "Q1000", "x1": "Q2000", "a": "Q30"},
        anchor="Q1000",
    )
    share = guess_of_kind(form, third, binding_of(asked.bindings))
    assert accept(CertificateRules(max_guess=share), third).guessed(asked) is None
    refused = accept(CertificateRules(max_guess=share - 1e-9), third).guessed(asked)
    assert refused.evidence == {"share": round(share, 3)} and refused.evidence["share"] != round(
        share, 4
    )


REVERSE = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x1", property="P84", object="x0"),
        ClassClause(var="x1", class_id=LIGHTHOUSE),
        ClaimClause(subject="x1", property="P571", object="a"),
    ),
    ask=Ask(var="a", type="date"),
)
BACK = {"x0": "Q2000", "x1": "Q1000", "a": year(1700).key()}


def test_in_a_closed_world_a_description_needs_a_margin_of_one_whatever_the_recipes_is():
    rules, closed = CertificateRules(margin=4), Trust(complete=True)
    unknown = SmallFacts(
        [
            *crowd(),
            claim("Q1999", "P31", LIGHTHOUSE),
            claim("Q1999", "P84", Value(kind="somevalue")),
        ]
    )
    assert accept(rules, Lookups(unknown, closed)).described(REVERSE, BACK, "x1") is None
    twin = SmallFacts([*crowd(), claim("Q1999", "P31", LIGHTHOUSE), claim("Q1999", "P84", "Q2000")])
    assert (
        accept(rules, Lookups(twin, closed)).described(REVERSE, BACK, "x1").evidence["margin"] == 0
    )


def test_a_variable_is_idle_where_it_does_without_the_node_before_it_and_others_are_not_asked_about():
    told = ClaimClause(subject="x1", property="P571", object=year(1700))
    alone = Form(clauses=(*REVERSE.clauses, told), ask=REVERSE.ask)
    assert accept().idle(alone, BACK, "x1") == Refusal(
        reason=Reason.DECORATION, evidence={"var": "x1", "ends": ["x0"]}
    )
    assert (
        accept().idle(REVERSE, BACK, "x1") is None
        and accept().idle(alone, BACK, "a") is None
        and accept().idle(alone, BACK, "x7") is None
    )


def test_an_answer_may_stand_on_the_pictured_things_page_unless_the_recipe_says_otherwise():
    page = Article(
        wiki="enwiki",
        title="Q1000",
        page_id=1,
        revision=1,
        entity_id="Q1000",
        sections=(Section(title="", level=1, text="Old."),),
        infobox=(InfoboxField(name="architect's birth", text="1660"),),
    )
    facts = SmallFacts(crowd(), articles={"Q1000": page})
    writer = Scripted({})
    assert isinstance(asyncio.run(Accept(facts, PROVED).finished(FORMED, writer, SEED)), Draft)
    refused = asyncio.run(Accept(facts, PROVED, own_page=False).finished(FORMED, writer, SEED))
    assert refused == Refusal(
        reason=Reason.IMAGE_SEARCH_SHORTCUT, evidence={"title": "Q1000", "found": "1660"}
    )
    assert isinstance(
        asyncio.run(Accept(FACTS, PROVED, own_page=False).finished(FORMED, writer, SEED)), Draft
    ), "there is no page to stand on"
