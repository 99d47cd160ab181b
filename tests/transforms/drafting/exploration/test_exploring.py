"""From a seed to a certified question of its ability and level, and what drops it."""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from questloom.records.form import ClaimClause, Compute, Reads
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import PlannedSeed
from questloom.records.synthesis import Question
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form, given_by_picture
from questloom.transforms.drafting.accept import Accept, binding_of
from questloom.transforms.drafting.draft_rules import DraftRules, ExploreRules
from questloom.transforms.drafting.drafter import Drafter
from questloom.transforms.drafting.exploration.curating import Curator, num_claims
from questloom.transforms.drafting.exploration.deepening import deeper
from questloom.transforms.drafting.exploration.exploring import Exploration
from questloom.transforms.drafting.exploration.reasoning import reasonings
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.evidence import Observation, Reasoning
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.graph_writer import GraphWriter
from tests.small_facts import year
from tests.transforms.drafting.exploration.by_chance import ChanceExplorer
from tests.transforms.drafting.exploration.made import BOTH, COAST, graph, seed

RULES = DraftRules(explore=ExploreRules(graphs=3))
WRITER = GraphWriter(
    facts=Lookups(COAST), english=English(COAST, 1), recipe_seed=1, max_answer_words=6
)
ACCEPT = Accept(COAST, CertificateRules(max_guess=0.5))
AROUND = graph("Q1003", "Q2003", "Q3003", "Q4003", links=BOTH)


def exploration(
    shown=lambda e: e[:2] != "Q3", rules: DraftRules = RULES, explorer=None
) -> Exploration:
    return Exploration(
        facts=COAST,
        explorer=explorer or ChanceExplorer(1),
        composer=WRITER,
        writer=WRITER,
        accept=ACCEPT,
        rules=rules,
        shown=shown,
        recipe_seed=1,
    )


def drafted(made_seed, **changes):
    trail = Trail()
    entity = COAST.entity(made_seed.entity_id)
    return asyncio.run(exploration(**changes).draft(made_seed, entity, trail)), trail


def plans(ability: str, size: int = 2, of=AROUND):
    return Curator(Lookups(COAST), RULES).plans(of, ability, size, Random(1))


@pytest.mark.parametrize(
    ("ability", "level"),
    [
        ("perception", "medium"),
        ("perception+reasoning", "medium"),
        ("perception+search", "easy"),
        ("perception+search+reasoning", "medium"),
    ],
)
def test_a_seed_ends_in_a_certified_question_of_its_ability(ability, level):
    draft, trail = drafted(seed(ability, level))
    assert draft is not None, trail.outcome(Reason.NO_PLAN)
    given = given_by_picture(draft.form, binding_of(draft.bindings))
    assert not isinstance(
        certify_form(draft.form, COAST, given, draft.bindings, ACCEPT.rules), Refusal
    )
    assert bool(draft.form.of(ClaimClause)) == ("search" in ability) and bool(
        draft.form.of(Compute)
    ) == ("reasoning" in ability)
    assert "search" in ability or draft.form.of(Reads)
    assert (
        draft.text.endswith("?")
        and draft.anchor_phrase
        and draft.explored["nodes"][0][0] == "Q1003"
    )


class Asked(ChanceExplorer):
    """Writes down how many details it may choose."""

    async def perceive(self, seed, graph, found, most):
        NUMBERS.append(most)
        return await super().perceive(seed, graph, found, most)


NUMBERS: list[int] = []


@pytest.mark.parametrize(
    ("ability", "ratio", "numbers"),
    [("perception+search", 0.0, []), ("perception", 0.0, ["1"]), ("perception", 1.0, ["1"])],
)
def test_details_are_chosen_only_where_there_is_room_for_one(ability, ratio, numbers):
    NUMBERS.clear()
    drafted(
        seed(ability, "easy"),
        explorer=Asked(1),
        rules=replace(RULES, explore=replace(RULES.explore, graphs=1, perception_ratio=ratio)),
    )
    assert [str(n) for n in NUMBERS] == numbers, "a model is told the number as it is"


def test_a_question_that_needs_a_search_is_deepened_once_with_the_answer_fixed():
    draft, _ = drafted(seed("perception+search", "easy"))
    steps = [s for s in draft.history if s.role == "deepen"]
    assert len(steps) == 1 and steps[0].before != steps[0].after
    before = draft.earlier[[s.role for s in draft.history].index("deepen")]
    assert (
        before.answer == draft.answer
        and before.anchor != draft.anchor
        and num_claims(draft.form) > num_claims(before.form)
    )


def test_what_is_read_off_the_picture_keeps_its_picture():
    draft, _ = drafted(seed("perception"))
    assert not draft.history and draft.anchor == "Q1003"


def test_a_seed_around_which_no_other_picture_may_be_shown_is_not_deepened_and_dropped():
    draft, trail = drafted(seed("perception+search", "easy"), shown=lambda e: e == "Q1003")
    assert draft is None and trail.reasons[Reason.NOT_DEEPENED] > 0


def test_a_question_with_fewer_claims_than_its_level_asks_for_is_dropped():
    rules = replace(RULES, explore=replace(RULES.explore, claims={"easy": 2}, graphs=1))
    made = exploration(rules=rules)
    shallow = plans("perception+search", 1)[0]
    assert num_claims(shallow.form) == 1
    trail = Trail()
    assert not made._certified(
        shallow, seed("perception+search", "easy"), trail
    ) and trail.reasons == {"off_level": 1}


def test_an_unreadable_seed_gives_no_question_from_its_picture_alone():
    draft, trail = drafted(seed("perception", entity_id="Q4003"))
    assert draft is None and trail.outcome(Reason.ERROR)[0] is Reason.NO_PLAN


def test_a_seed_that_the_explorer_refuses_costs_nothing_more():
    class Refuses(ChanceExplorer):
        async def propose_seed(self, seed, entity):
            return "nothing can be read on it"

    draft, trail = drafted(seed(), explorer=Refuses(1))
    assert (
        draft is None
        and trail.reasons == {"poor_seed": 1}
        and trail.examples[0]["evidence"] == {"why": "nothing can be read on it"}
    )


def test_the_drafter_tells_why_a_seed_was_dropped_and_keeps_the_evidence_graph_with_a_question():
    drafter = Drafter(
        facts=COAST,
        writer=WRITER,
        accept=ACCEPT,
        exploration=exploration(),
        rules=RULES,
        recipe_seed=1,
        language="en",
    )
    kept, dropped = (
        asyncio.run(drafter(PlannedSeed(seed=seed("perception")))),
        asyncio.run(drafter(PlannedSeed(seed=seed("perception", entity_id="Q4003")))),
    )
    assert isinstance(kept, Question) and kept.explored["perceptions"] == [
        ["Q1003", "P1684", "Q721747", "time:+1803/9"]
    ]
    assert Question.from_row(kept.to_row()) == kept
    assert isinstance(dropped, Rejection) and dropped.reason == "no_plan"


def test_the_first_picture_may_be_another_than_the_seeds():
    assert {p.anchor for p in plans("perception+search")} >= {"Q1003", "Q2003"}
    assert {
        p.anchor
        for p in plans(
            "perception+search", of=graph("Q1003", "Q2003", links=BOTH, unpictured=["Q1003"])
        )
    } == {"Q2003"}


def test_a_plan_has_the_claims_of_its_level_or_one_fewer_the_full_ones_first():
    sizes = [num_claims(p.form) for p in plans("perception+search", 3)]
    assert set(sizes) == {3, 2} and sizes == sorted(sizes, reverse=True)


def test_a_thing_that_wins_is_asked_for_what_the_other_has_not():
    one = next(
        r
        for r in reasonings(AROUND, Lookups(COAST), 6)
        if r.op == "earliest" and {r.first.node, r.second.node} == {"Q1003", "Q4003"}
    )
    found = plans("perception+search+reasoning", 5, replace(AROUND, reasonings=(one,)))
    assert found and all(
        p.bindings["w"] == "Q1003" and p.answer.text != "Name Q2003" for p in found
    )


def test_a_step_in_front_leads_from_another_pictured_thing_to_the_one_that_was_shown():
    plan = next(p for p in plans("perception+search", 1) if p.anchor == "Q2003")
    found = deeper(plan, AROUND, Lookups(COAST), RULES, lambda e: e[:2] != "Q3", 1, "s")
    assert {d.anchor for d in found} == {"Q1003", "Q4003"} and all(
        d.answer == plan.answer and d.hops[0].target == "x0" for d in found
    )
    assert not deeper(plan, AROUND, Lookups(COAST), RULES, lambda e: False, 1, "s")


def test_of_an_event_by_which_two_things_are_compared_the_place_is_not_asked():
    born = [
        Observation(node=n, property="P569", value=year(y))
        for n, y in (("Q2003", 1663), ("Q2004", 1664))
    ]
    died = [
        replace(o, property="P570", value=year(y)) for o, y in zip(born, (1743, 1744), strict=True)
    ]

    def asked(pair) -> set[str]:
        one = Reasoning(op="earliest", first=pair[0], second=pair[1], result=entity_value("Q2003"))
        way = graph("Q2003", "Q2004", links=[("Q2003", "P26", "Q2004", False)])
        draws = (
            Curator(Lookups(COAST), RULES).plans(
                replace(way, reasonings=(one,)), "perception+search+reasoning", 4, Random(n)
            )
            for n in range(9)
        )
        return {p.form.of(ClaimClause)[-1].property for found in draws for p in found}

    assert asked(born) == {"P570"} and asked(died) == {"P19", "P569"}
