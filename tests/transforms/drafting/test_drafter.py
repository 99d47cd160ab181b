"""The draft stage: a question with all that its draft has, or the commonest reason why there is none."""

import asyncio
from dataclasses import replace

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import Plan, PlannedSeed, Preference
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate, Question
from questloom.records.table import Json
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.drafter import Drafter
from questloom.transforms.stages.stage import reject
from questloom.transforms.writing.writer import Draft, Mention
from tests.small_facts import SmallFacts
from tests.transforms.certificate.lighthouses import crowd
from tests.transforms.drafting.scripted import FAULT, NO, SEED, YES, Scripted, draft

FACTS = SmallFacts(crowd())
VOTED = CertificateRules(bases=("votes",))


def drafted(
    method: str = "paths",
    certificate: CertificateRules = VOTED,
    rules: dict | None = None,
    **replies,
) -> Question | Rejection:
    writer = Scripted(
        {
            "check_unique": [YES],
            "check_picture": [YES],
            "check_invariant": [YES],
            "canonical_question": lambda _, hops, nodes: [
                draft("Who then?", hops=hops, anchor=nodes[0].id, anchor_phrase="the tower")
            ],
            **replies,
        }
    )
    settings = DraftRules(
        **{
            "hops": {"easy": 1},
            "rounds": {"easy": 0},
            "reverse_share": 0.0,
            "tries": 2,
            **(rules or {}),
        }
    )
    stage = _drafter(writer, certificate, settings)
    return asyncio.run(stage(PlannedSeed(seed=SEED.replace(method=method))))


def _drafter(writer: Scripted, certificate: CertificateRules, rules: DraftRules) -> Drafter:
    return Drafter(
        facts=FACTS,
        writer=writer,
        accept=Accept(FACTS, certificate),
        exploration=None,
        rules=rules,
        recipe_seed=1,
        language="en",
    )


def test_a_seed_of_paths_walks_and_one_of_injection_starts_from_a_question():
    made = drafted()
    assert (made.text, made.anchor, made.anchor_phrase, made.writer, made.seed_id, made.method) == (
        "Who then?",
        "Q1000",
        "the tower",
        "scripted",
        SEED.replace(method="paths").id,
        "paths",
    )
    assert (
        [h.property for h in made.hops] == ["P84"]
        and made.interest == 0.0
        and [v["check"] for v in made.votes] == ["unique", "picture"]
    )
    assert drafted("injection").reason == Reason.NO_ANSWER.value


def test_a_seed_without_a_draft_is_dropped_for_the_commonest_reason():
    assert drafted(rules={"hops": {"easy": 5}}).reason == Reason.NO_PATH.value
    refused = drafted(check_unique=[NO])
    assert refused.reason == Reason.NOT_UNIQUE.value and refused.evidence["tried"] == {
        Reason.NOT_UNIQUE.value: 1
    }
    assert drafted(canonical_question=FAULT).reason == Reason.BAD_REPLY.value


def test_a_question_of_more_words_than_the_recipe_allows_is_dropped():
    def of(words: int):
        return drafted(
            rules={"max_words": 10},
            canonical_question=lambda _, hops, nodes: [
                draft("word " * words, hops=hops, anchor=nodes[0].id)
            ],
        )

    assert isinstance(of(10), Question)
    refused = of(11)
    assert refused.reason == Reason.NO_DESCRIPTION.value and refused.evidence == {
        "words": 11,
        "most": 10,
    }


FORM = Form(
    clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="a")),
    ask=Ask(var="a", type="entity"),
)


def test_interest_is_told_and_refuses_nothing():
    asks = Draft(
        text="Who drew this?",
        answer=Answer(value=entity_value("Q2000"), text="its builder", type="entity"),
        form=FORM,
        bindings={"x0": "Q1000", "a": "Q2000"},
        anchor="Q1000",
    )
    made = drafted(
        "injection",
        CertificateRules(stated=False),
        seed_question=[asks],
        pick_image_entity=[Mention(entity_id="Q1000", surface="it")],
        hide_entity=lambda before, *_: before,
    )
    assert made.interest > 1


def _plan(asked: str) -> Plan:
    return Plan(
        form=Json(FORM.to_json()),
        bindings={"x0": "Q1000", "a": asked},
        answer=Answer(value=entity_value(asked), text=asked, type="entity"),
        shape="chain",
        certificate=Certificate(basis="margin", margin=2),
        route=Route(calls=2, depth=2, pages=1, looks=1),
    )


def test_the_plans_of_a_seed_are_put_into_words_in_the_order_that_was_chosen():
    tried = []

    def word(before, *_):
        tried.append(before.answer.text)
        return None if before.answer.text == "Q2001" else replace(before, text="Who built it?")

    planned = PlannedSeed(seed=SEED, plans=tuple(map(_plan, ("Q2000", "Q2001", "Q2002"))))
    drafter = _drafter(Scripted({"word": word}), VOTED, DraftRules())
    made = asyncio.run(drafter(planned, Preference(item_id=SEED.id, order=(1, 2, 0))))
    assert tried == ["Q2001", "Q2002"] and made.answer.text == "Q2002"
    assert (made.anchor, made.logical_form) == ("Q1000", FORM)
    tried.clear()
    none = asyncio.run(drafter(planned, Preference(item_id=SEED.id, order=(1,))))
    assert none.reason == Reason.NO_WORDING.value and tried == ["Q2001"]


def test_a_seed_whose_words_a_filter_rejects_asks_its_next_plan():
    def no_search_finds(question):
        hit = question.answer.text == "Q2001"
        return reject(question, Reason.TEXT_SEARCH_SHORTCUT, {"rank": 0}) if hit else question

    planned = PlannedSeed(seed=SEED, plans=tuple(map(_plan, ("Q2000", "Q2001"))))
    writer = Scripted({"word": lambda before, *_: replace(before, text="Who built it?")})
    drafter = replace(_drafter(writer, VOTED, DraftRules()), word_filters=(no_search_finds,))
    made = asyncio.run(drafter(planned, Preference(item_id=SEED.id, order=(1, 0))))
    assert made.answer.text == "Q2000"
    none = asyncio.run(drafter(planned, Preference(item_id=SEED.id, order=(1,))))
    assert none.reason == Reason.TEXT_SEARCH_SHORTCUT.value


def test_a_seed_whose_words_are_too_many_asks_its_next_plan():
    def word(before, *_):
        return replace(before, text="word " * (30 if before.answer.text == "Q2001" else 3))

    planned = PlannedSeed(seed=SEED, plans=tuple(map(_plan, ("Q2000", "Q2001"))))
    drafter = _drafter(Scripted({"word": word}), VOTED, DraftRules(max_words=10))
    made = asyncio.run(drafter(planned, Preference(item_id=SEED.id, order=(1, 0))))
    assert made.answer.text == "Q2000"


def test_a_seed_whose_plans_all_belong_to_others_is_a_duplicate():
    planned = PlannedSeed(seed=SEED, plans=(_plan("Q2000"),))
    drafter = _drafter(Scripted({}), VOTED, DraftRules())
    dropped = asyncio.run(drafter(planned, Preference(item_id=SEED.id, order=())))
    assert dropped.reason == Reason.NEAR_DUPLICATE.value
