"""How a question grows by injection: starts, rounds, ways a round, and the mention that becomes the picture; and what each failure leaves on the trail."""

import asyncio
from collections import Counter

import pytest

from questloom.records.knowledge import Entity
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.injection import (
    MAX_FINISHED,
    MAX_MENTIONS,
    MAX_STARTS,
    _new_var,
    draft_by_injection,
)
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.writing.writer import Draft, Fact, Mention
from tests.small_facts import SmallFacts
from tests.transforms.drafting.scripted import FAULT, NO, SEED, YES, Scripted, draft, step

SEEDED = Entity(id="Q1", labels={"en": "Ardwen"})
FACTS = [Fact(entity_id="Q5", text=f"fact {n}") for n in range(9)]
MENTIONS = [Mention(entity_id="Q5", surface=f"mention {n}") for n in range(9)]


def grown(
    rounds: int = 1, alternatives: int = 3, drafts: int = 40, **replies
) -> tuple[Draft | None, Scripted, Trail]:
    """A draft, with the writer and the trail; by default every role gives one thing that is accepted."""
    writer = Scripted(
        {
            "seed_question": [draft("start")],
            "pick_entity": MENTIONS[:1],
            "take_fact": FACTS[:1],
            "pick_image_entity": MENTIONS[:1],
            "inject": lambda before, mention, facts, _: step(
                before, f"{before.text}+{mention.surface[-1]}{facts[0].text[-1]}"
            ),
            "hide_entity": lambda before, mention, _: step(
                before,
                f"{before.text} in the picture {mention.surface[-1]}",
                "hide_entity",
                anchor="Q5",
            ),
            "check_unique": [YES],
            "check_invariant": [YES],
            "check_picture": [YES],
            **replies,
        }
    )
    trail, rules = (
        Trail(),
        DraftRules(rounds={"easy": rounds}, alternatives=alternatives, drafts=drafts),
    )
    made = asyncio.run(
        draft_by_injection(
            SEED,
            SEEDED,
            writer,
            Accept(SmallFacts([]), CertificateRules(bases=("votes",))),
            rules,
            trail,
        )
    )
    return made, writer, trail


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_a_question_grows_by_as_many_rounds_as_its_level_has_and_then_gets_its_picture(rounds):
    made, writer, trail = grown(rounds)
    assert (
        made.text == "start" + "+00" * rounds + " in the picture 0"
        and writer.num("inject") == rounds
        and not trail.reasons
    )


def test_a_start_without_a_form_is_voted_on_before_it_grows_and_the_next_one_taken():
    made, _, trail = grown(
        seed_question=[draft("bad"), draft("good")],
        check_unique=lambda asked, _: [NO if asked.text == "bad" else YES],
    )
    assert (
        made.text.startswith("good")
        and trail.reasons == {Reason.NOT_UNIQUE.value: 1}
        and trail.examples[0]["what"] == "bad"
    )


def test_no_more_starts_are_tried_than_four():
    _, _, trail = grown(seed_question=[draft(str(n)) for n in range(9)], check_unique=[NO])
    assert MAX_STARTS == 4 and trail.reasons == {Reason.NOT_UNIQUE.value: 4}


def test_no_start_at_all_is_no_answer_and_a_bad_reply_is_told_as_such_too():
    made, _, trail = grown(seed_question=[])
    assert (
        made is None
        and trail.reasons == {Reason.NO_ANSWER.value: 1}
        and trail.examples[0]["what"] == "Ardwen"
    )
    assert grown(seed_question=FAULT)[2].reasons == {
        Reason.BAD_REPLY.value: 1,
        Reason.NO_ANSWER.value: 1,
    }


def test_where_nothing_can_be_hidden_or_nothing_is_told_of_it_there_is_no_fact():
    made, _, trail = grown(pick_entity=[])
    assert (
        made is None
        and trail.reasons == {Reason.NO_FACT.value: 1}
        and trail.examples[0]["what"] == "start"
    )
    made, _, trail = grown(take_fact=[], pick_entity=MENTIONS)
    assert (
        made is None and trail.reasons == {Reason.NO_FACT.value: MAX_MENTIONS} and MAX_MENTIONS == 3
    )
    assert [e["what"] for e in trail.examples] == ["mention 0", "mention 1", "mention 2"]


def test_a_rewriting_that_fails_or_is_refused_gives_way_to_the_next_fact():
    broken = {"fact 0": FAULT, "fact 1": step(draft("start"), "Is it Q99?")}

    def inject(before, mention, facts, _):
        return broken.get(facts[0].text) or step(before, f"by {facts[0].text}")

    made, _, trail = grown(take_fact=FACTS, inject=inject)
    assert made.text == "by fact 2 in the picture 0"
    assert trail.reasons == {Reason.BAD_REPLY.value: 1, Reason.LEAK.value: 1} and [
        e["what"] for e in trail.examples
    ] == ["fact 0", "fact 1"]


def test_no_more_facts_are_tried_than_the_recipe_says():
    _, writer, _ = grown(take_fact=FACTS, drafts=2, inject=FAULT)
    assert writer.num("inject") == 2


def test_of_what_is_accepted_only_so_many_ways_go_on():
    _, writer, _ = grown(take_fact=FACTS, alternatives=2, check_picture=[NO])
    assert writer.num("inject") == writer.num("pick_image_entity") == 2
    _, writer, _ = grown(take_fact=FACTS, pick_entity=MENTIONS, alternatives=3, check_picture=[NO])
    assert writer.num("pick_image_entity") == 3


def test_a_second_round_that_fails_gives_the_first_another_way():
    made, _, _ = grown(
        2,
        take_fact=FACTS[:2],
        pick_entity=lambda before, *_: [] if before.text == "start+00" else MENTIONS[:1],
    )
    assert made.text == "start+01+00 in the picture 0"


def test_no_more_grown_drafts_are_tried_with_a_picture_than_eight():
    made, writer, _ = grown(
        seed_question=[draft(str(n)) for n in range(4)], take_fact=FACTS, check_picture=[NO]
    )
    assert made is None and writer.num("pick_image_entity") == MAX_FINISHED == 8


def test_a_mention_that_cannot_be_shown_gives_way_to_the_next_and_none_is_no_picture():
    made, _, trail = grown(
        pick_image_entity=MENTIONS[:2],
        hide_entity=lambda before, mention, _: (
            FAULT if mention is MENTIONS[0] else step(before, "shown", "hide_entity", anchor="Q5")
        ),
    )
    assert (
        made.text == "shown"
        and trail.reasons == {Reason.BAD_REPLY.value: 1}
        and trail.examples[0]["what"] == "mention 0"
    )
    made, _, trail = grown(pick_image_entity=[])
    assert (
        made is None
        and trail.reasons == {Reason.NO_PICTURE.value: 1}
        and trail.examples[0]["what"] == "Ardwen"
    )
    made, _, trail = grown(pick_image_entity=MENTIONS[:2], check_picture=[NO])
    assert made is None and Counter({Reason.PICTURE_NOT_NEEDED.value: 2}) == trail.reasons


def test_the_new_variable_is_the_one_that_the_mention_became():
    before, mention = draft(bindings={"x0": "Q1", "x1": "Q5"}), Mention(entity_id="Q5", surface="s")
    assert (
        _new_var(before, draft(bindings={**before.bindings, "x2": "Q7", "x3": "Q5"}), mention)
        == "x3"
    )
    assert (
        _new_var(before, draft(bindings=before.bindings), mention)
        == ""
        == _new_var(before, draft(bindings={**before.bindings, "x2": "Q7"}), mention)
    )


@pytest.mark.parametrize(("rounds", "told"), [(1, [True]), (3, [False, False, True])])
def test_the_writer_is_told_which_description_is_the_last_and_of_the_question_whether_its_first_is(
    rounds, told
):
    _, writer, _ = grown(rounds)
    assert [asked[3] for role, asked in writer.calls if role == "take_fact"] == told
    assert [asked[2] for role, asked in writer.calls if role == "seed_question"] == [rounds == 1]
