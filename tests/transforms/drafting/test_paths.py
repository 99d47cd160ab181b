"""How a path becomes a draft: walks, canonical questions, the bridges described from the answer's side, and what each failure leaves on the trail."""

import asyncio

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image
from questloom.records.knowledge import Entity, entity_value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer, Hop
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.paths import MAX_CANONICAL, _undetermined, draft_by_path
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.writing.writer import Draft, Fact, Vote
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import LIGHTHOUSE, crowd
from tests.transforms.drafting.scripted import FAULT, NO, SEED, YES, Scripted, draft, step

SEEDED = SEED.replace(method="paths")
TOWNS = [
    c
    for i in range(60)
    for c in (claim(f"Q2{i:03}", "P19", f"Q3{i:03}"), claim(f"Q3{i:03}", "P31", "Q515"))
]
FACTS = SmallFacts([*crowd(), *TOWNS])
VOTED = CertificateRules(bases=("votes",))
CLUES = [Fact(entity_id="Q5", text=f"clue {n}") for n in range(4)]


def asked(_, hops: tuple[Hop, ...], nodes: tuple[Entity, ...]) -> list[Draft]:
    """Six drafts without a form over a walk, named by its length and their number."""
    return [
        draft(
            f"{len(hops)}-{n}",
            hops=hops,
            anchor=nodes[0].id,
            bindings={f"x{i}": n.id for i, n in enumerate(nodes)},
        )
        for n in range(6)
    ]


def made_by(
    hops: int = 1,
    facts: SmallFacts = FACTS,
    rules: dict | None = None,
    certificate: CertificateRules = VOTED,
    **replies,
) -> tuple[Draft | None, Scripted, Trail]:
    writer = Scripted(
        {
            "canonical_question": asked,
            "check_unique": [YES],
            "check_invariant": [YES],
            "check_picture": [YES],
            "describe": CLUES,
            "inject": lambda before, mention, clues, _: step(
                before, f"{before.text} by {mention.var} {clues[0].text[-1]}"
            ),
            **replies,
        }
    )
    trail = Trail()
    settings = DraftRules(**{"hops": {"easy": hops}, "reverse_share": 0.0, **(rules or {})})
    seed_entity = facts.entity("Q1007")
    return (
        asyncio.run(
            draft_by_path(
                SEEDED, seed_entity, facts, writer, Accept(facts, certificate), settings, 1, trail
            )
        ),
        writer,
        trail,
    )


def test_a_path_leads_over_as_many_hops_as_its_level_has():
    for hops, last in ((0, "Q1007"), (1, "Q2007"), (2, "Q3007")):
        made, _, trail = made_by(hops)
        assert made.text == f"{hops}-0" and made.bindings[f"x{hops}"] == last and not trail.reasons


def test_a_walk_that_gets_stuck_is_tried_as_often_as_the_recipe_says_and_told():
    made, _, trail = made_by(5, rules={"tries": 7})
    assert (
        made is None
        and trail.reasons == {Reason.NO_PATH.value: 7}
        and trail.examples[0]["what"] == "walk"
    )


def test_no_more_than_four_attributes_of_a_walk_are_tried_and_the_same_stops_are_asked_about_once():
    made, writer, trail = made_by(check_unique=[NO], rules={"tries": 5})
    assert made is None and writer.num("canonical_question") == 1  # one way leads on from there
    assert (
        trail.reasons == {Reason.NOT_UNIQUE.value: MAX_CANONICAL}
        and MAX_CANONICAL == 4
        and trail.examples[0]["what"] == "Q2007"
    )


def test_a_walk_of_which_nothing_can_be_asked_is_no_answer_and_a_bad_reply_ends_one_try():
    made, _, trail = made_by(canonical_question=[], rules={"tries": 1})
    assert (
        made is None
        and trail.reasons == {Reason.NO_ANSWER.value: 1}
        and trail.examples[0]["what"] == "Q2007"
    )
    assert made_by(canonical_question=FAULT, rules={"tries": 1})[2].reasons == {
        Reason.BAD_REPLY.value: 1,
        Reason.NO_ANSWER.value: 1,
    }


FORK = SmallFacts(
    [
        *crowd(),
        *(
            c
            for i in range(60)
            for c in (claim(f"Q1{i:03}", "P176", f"Q4{i:03}"), claim(f"Q4{i:03}", "P31", "Q515"))
        ),
    ]
)
"""From each lighthouse two ways lead on."""


def test_as_many_walks_as_are_ranked_are_asked_about_before_the_first_draft_is_tried():
    one = made_by(facts=FORK, rules={"tries": 8, "ranked": 1})[1]
    assert one.num("canonical_question") == 1
    two = made_by(facts=FORK, rules={"tries": 8, "ranked": 8})[1]
    assert two.num("canonical_question") == 2
    assert made_by(facts=FORK, check_unique=[NO], rules={"tries": 8, "ranked": 3})[2].reasons == {
        Reason.NOT_UNIQUE.value: 8
    }


def test_the_seeds_of_a_thing_take_turns_and_each_goes_on_from_its_own():
    def of(
        index: int, votes: Vote = YES, take_turns: bool = True, **replies
    ) -> tuple[Draft | None, Trail]:
        trail = Trail()
        writer = Scripted(
            {
                "canonical_question": asked,
                "check_unique": [votes],
                "check_invariant": [YES],
                "check_picture": [YES],
                **replies,
            }
        )
        rules = DraftRules(hops={"easy": 0}, tries=8, ranked=8, take_turns=take_turns)
        return asyncio.run(
            draft_by_path(
                SEEDED.replace(index=index),
                FACTS.entity("Q1007"),
                FACTS,
                writer,
                Accept(FACTS, VOTED),
                rules,
                1,
                trail,
            )
        ), trail

    assert [of(i)[0].text for i in range(MAX_CANONICAL + 1)] == ["0-0", "0-1", "0-2", "0-3", "0-0"]
    assert [of(i, take_turns=False)[0].text for i in range(3)] == ["0-0"] * 3
    picky = lambda draft, _: [YES if draft.text == "0-1" else NO]  # noqa: E731
    assert of(3, check_unique=picky)[0].text == "0-1"
    assert of(2, NO)[1].reasons == {Reason.NOT_UNIQUE.value: MAX_CANONICAL}


def test_without_a_form_bridges_are_described_where_the_recipe_rewrites_them_all_from_the_answers_side():
    assert made_by(2)[1].num("describe") == 0
    made, writer, _ = made_by(2, rules={"rewrite_bridges": True})
    assert [mention.var for r, (_, mention, *_) in writer.calls if r == "describe"] == ["x2", "x1"]
    assert made.text == "2-0 by x2 0 by x1 0"


def test_a_clue_that_fails_or_is_refused_gives_way_to_the_next_and_a_bridge_that_needs_none_may_stay_without():
    broken = {"clue 0": FAULT, "clue 1": step(draft(), "Is it Q99?")}
    made, _, trail = made_by(
        rules={"rewrite_bridges": True},
        inject=lambda before, mention, clues, _: (
            broken.get(clues[0].text) or step(before, clues[0].text)
        ),
    )
    assert made.text == "clue 2" and trail.reasons == {
        Reason.BAD_REPLY.value: 1,
        Reason.LEAK.value: 1,
    }
    made, writer, trail = made_by(1, rules={"rewrite_bridges": True, "drafts": 2}, inject=FAULT)
    assert made.text == "1-0" and writer.num("inject") == 2
    assert trail.reasons == {Reason.BAD_REPLY.value: 2, Reason.NO_DESCRIPTION.value: 1}
    assert made_by(1, rules={"rewrite_bridges": True}, describe=[])[2].reasons == {
        Reason.NO_DESCRIPTION.value: 1
    }


SILENT = SmallFacts([*crowd(), claim("Q1999", "P31", LIGHTHOUSE)])
BACK = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x1", property="P84", object="x0"),
        ClassClause(var="x1", class_id=LIGHTHOUSE),
        ClaimClause(subject="x1", property="P571", object="a"),
    ),
    ask=Ask(var="a", type="date"),
)


def formed(text: str = "When was it opened?", last: str = "Q1000", asks: str = "a") -> Draft:
    """A draft over a reverse hop: of the lighthouse that the pictured architect drew one other may be a rival."""
    return Draft(
        text=text,
        answer=Answer(value=year(1700), text="1700", type="date"),
        form=Form(clauses=BACK.clauses, ask=Ask(var=asks, type="date")),
        bindings={"x0": "Q2000", "x1": last, "a": year(1700).key()},
        anchor="Q2000",
        hops=(Hop(source="x0", target="x1", property="P84", reverse=True),),
    )


def test_a_stop_needs_a_description_where_its_hop_leaves_less_than_the_margin():
    for facts, margin, needed in ((SILENT, 2, ["x1"]), (SILENT, 1, []), (FACTS, 2, [])):
        assert _undetermined(formed(), Accept(facts, CertificateRules(margin=margin))) == needed
    assert (
        _undetermined(formed(asks="x1"), Accept(SILENT, CertificateRules())) == []
    )  # what is asked is described by no clue
    assert _undetermined(draft(), Accept(SILENT, CertificateRules())) == []


def test_stops_that_need_a_description_come_from_the_answers_side():
    painted = [
        c
        for i in range(60)
        for c in (claim(f"Q6{i:03}", "P31", "Q3305213"), claim(f"Q6{i:03}", "P180", f"Q1{i:03}"))
    ]
    facts = SmallFacts(
        [*crowd(), *painted, claim("Q1999", "P31", LIGHTHOUSE), claim("Q6999", "P31", "Q3305213")]
    )
    form = Form(
        clauses=(
            *BACK.clauses[:3],
            ClaimClause(subject="x2", property="P180", object="x1"),
            ClassClause(var="x2", class_id="Q3305213"),
            ClaimClause(subject="x2", property="P571", object="a"),
        ),
        ask=BACK.ask,
    )
    made = Draft(
        text="?",
        answer=formed().answer,
        form=form,
        bindings={"x0": "Q2000", "x1": "Q1000", "x2": "Q6000", "a": year(1700).key()},
        anchor="Q2000",
    )
    assert _undetermined(made, Accept(facts, CertificateRules())) == ["x2", "x1"]


def test_a_walk_whose_needed_bridge_cannot_be_described_is_given_up_for_all_its_attributes():
    made, writer, trail = made_by(
        facts=SILENT,
        rules={"tries": 1},
        certificate=CertificateRules(),
        describe=[],
        canonical_question=[formed(), formed("Another?")],
    )
    assert (
        made is None
        and writer.num("describe") == 1
        and trail.reasons == {Reason.NO_DESCRIPTION.value: 1}
        and trail.examples[0]["what"] == "Q1000"
    )


def test_what_the_commonest_value_answers_is_not_described_at_all():
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
    guessable = Draft(
        text="?",
        answer=Answer(value=entity_value("Q30"), text="Q30", type="entity"),
        form=form,
        anchor="Q1000",
        bindings={"x0": "Q1000", "x1": "Q2000", "a": "Q30"},
        hops=(Hop(source="x0", target="x1", property="P84"),),
    )
    made, writer, trail = made_by(
        facts=sexed,
        rules={"tries": 1},
        certificate=CertificateRules(stated=False),
        canonical_question=[guessable],
    )
    assert (
        made is None
        and not writer.num("word")
        and trail.reasons == {Reason.GUESSABLE.value: 1}
        and trail.examples[0]["what"] == "Q2000"
    )


def test_an_answer_is_obfuscated_as_often_as_the_recipe_says_and_stays_where_that_fails():
    assert (
        made_by(obfuscate_answer=lambda before, _: step(before, "whose year?"))[1].num(
            "obfuscate_answer"
        )
        == 0
    )
    made, writer, _ = made_by(
        rules={"obfuscate_share": 1.0},
        obfuscate_answer=lambda before, _: step(before, "whose year?"),
    )
    assert made.text == "whose year?" and writer.num("obfuscate_answer") == 1
    assert made_by(rules={"obfuscate_share": 1.0}, obfuscate_answer=FAULT)[0].text == "1-0"


def test_a_draft_that_is_refused_at_the_end_gives_way_to_the_next():
    made, _, trail = made_by(check_unique=lambda made, _: [YES if made.text.endswith("-2") else NO])
    assert (
        made.text == "1-2"
        and trail.reasons == {Reason.NOT_UNIQUE.value: 2}
        and trail.examples[0]["what"] == "Q2007"
    )
