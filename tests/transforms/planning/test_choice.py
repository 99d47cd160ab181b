"""The choice over all seeds: nothing is on too many questions where a seed has another plan, and nothing is lost."""

import json
import random
from dataclasses import replace

import pytest

from questloom.prompts.phrases import property_use
from questloom.records.form import Ask, ClaimClause, Compute, Form, Image
from questloom.records.knowledge import Value
from questloom.records.plan import COMPUTATION, DETAIL, LATER_PICTURE, MID_CHAIN, PLAIN, Plan
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate
from questloom.records.table import Json
from questloom.transforms.planning.choice import (
    CURIOUS,
    NO_RELATION,
    Offer,
    Shares,
    as_offer,
    order_plans,
)

SHARES = Shares(relation=0.1, thing=0.05, detail=0.1, computation=0.1)


def offer(asked: str, *, things: tuple = (), work: str = PLAIN, calls: int = 3, interest=0.0):
    return Offer((asked,), things, asked, work, calls, interest)


def chosen(seeds, shares: Shares = SHARES) -> dict[str, Offer]:
    """The first plan of each seed."""
    found = order_plans(seeds, shares)
    return {seed: plans[found[seed][0]] for seed, _, plans in seeds if plans}


def test_a_seed_gives_way_where_it_has_another_relation():
    either = [(f"s{n}", f"{n:02}", (offer("P84"), offer("P50"))) for n in range(10)]
    counts = [o.asked for o in chosen(either).values()]
    assert 3 <= counts.count("P84") <= 7
    alone = [(f"t{n}", f"{n:02}", (offer("P84"),)) for n in range(10)]
    found = chosen([*either, *alone])
    assert [found[f"s{n}"].asked for n in range(10)].count("P50") > counts.count("P50")


def test_a_relation_of_more_weight_may_be_on_more_questions():
    assert SHARES.of_relation("P84") == 0.1 * property_use("P84").weight
    assert SHARES.of_relation("P2046") < SHARES.of_relation("P84")


def test_a_thing_that_is_on_many_questions_is_avoided():
    seeds = [
        (f"s{n}", f"{n:02}", (offer("P84", things=("Q1",)), offer("P84", things=(f"Q{n + 2}",))))
        for n in range(6)
    ]
    assert sum("Q1" in o.things for o in chosen(seeds).values()) <= 2


@pytest.mark.parametrize("work", [DETAIL, COMPUTATION])
def test_each_kind_of_work_gets_its_share_and_no_more(work):
    seeds = [
        (f"s{n}", f"{n:03}", (offer(f"P{n}"), offer(f"R{n}", work=work, calls=9)))
        for n in range(100)
    ]
    with_work = sum(o.work == work for o in chosen(seeds).values())
    assert 5 <= with_work <= 15
    none = Shares(relation=0.1, thing=0.05, detail=0.0, computation=0.0)
    assert all(o.work == PLAIN for o in chosen(seeds, none).values())


def test_among_equals_the_dearest_route_comes_first_then_the_most_interesting_answer():
    plans = (offer("P84", calls=3), offer("P84", calls=5), offer("P84", calls=5, interest=4.0))
    assert order_plans([("s", "0", plans)], SHARES) == {"s": (2, 1, 0)}


def test_within_the_shares_the_dearest_route_comes_first_even_if_a_part_is_used_more():
    """Fifty seeds with other relations leave room for a second question about the architect."""
    others = [(f"a{n:02}", "0", (offer(f"P{n}"),)) for n in range(50)]
    used, choice = ("b", "0", (offer("P84"),)), (offer("P84", calls=6), offer("P50", calls=3))
    assert chosen([*others, used, ("c", "1", choice)])["c"].calls == 6
    # Ahead of its share: two seeds in three ask for the architect, so the cheap plan comes first.
    few = [("a", "0", (offer("P1"),)), used, ("c", "1", choice)]
    assert chosen(few)["c"].calls == 3


@pytest.mark.parametrize(("before", "calls"), [(3, 6), (2, 3)])
def test_a_thing_is_within_its_share_if_no_more_than_that_share_of_the_seeds_so_far_have_it(
    before, calls
):
    """Half of the questions may be about a thing; with this seed it would be the second of four or of three."""
    half = Shares(relation=1, thing=0.5, detail=0, computation=0)
    others = [(f"a{n}", "0", (offer("P84", things=(f"Q{n + 1}",)),)) for n in range(before)]
    both = (offer("P84", things=("Q1",), calls=6), offer("P84", things=("Q9",), calls=3))
    assert chosen([*others, ("b", "1", both)], half)["b"].calls == calls


def test_every_plan_stays_in_reserve_and_a_seed_without_any_has_an_empty_order():
    plans = tuple(offer(f"P{n}") for n in range(4))
    found = order_plans([("s", "0", plans), ("none", "1", ())], SHARES)
    assert sorted(found["s"]) == [0, 1, 2, 3] and found["none"] == ()


def test_what_would_be_one_question_belongs_to_one_seed():
    same = (offer("P84", calls=9), replace(offer("P84"), same="Q1: Q2"))
    twins = [(f"s{n}", f"{n}", (replace(same[0], same="Q1: Q3"), same[1])) for n in range(3)]
    found = order_plans(twins, SHARES)
    assert found == {"s0": (0,), "s1": (1,), "s2": ()}
    unlike = [
        (s, r, tuple(replace(o, same=f"{s}{o.same}") for o in plans)) for s, r, plans in twins
    ]
    assert all(sorted(order) == [0, 1] for order in order_plans(unlike, SHARES).values())


def test_the_order_of_the_seeds_does_not_matter():
    draw = random.Random(3)
    seeds = [
        (f"s{n}", f"{draw.random()}", tuple(offer(f"P{draw.randrange(5)}") for _ in range(3)))
        for n in range(30)
    ]
    shuffled = seeds[:]
    draw.shuffle(shuffled)
    assert order_plans(seeds, SHARES) == order_plans(shuffled, SHARES)


def test_the_shares_of_work_relations_and_what_is_asked():
    works = (DETAIL, MID_CHAIN, LATER_PICTURE, COMPUTATION, PLAIN)
    assert [round(SHARES.of_work(w), 6) for w in works] == [0.07, 0.08, 0.05, 0.1, 0.7]
    assert Shares(relation=1, thing=1, detail=0.6, computation=0.6).of_work(PLAIN) == 0
    free = Shares(relation=1, thing=1, detail=0, computation=0)
    assert free.of_relation("P84") == free.of_question("P84") == free.of_question(NO_RELATION) == 1
    assert SHARES.of_question("P84") == SHARES.of_relation("P84") / 2
    assert SHARES.of_question(NO_RELATION) == 1, "the share of its work limits it"
    assert SHARES.of_relation("P1451") >= 0.1 * CURIOUS


def test_a_form_that_was_asked_gives_way_to_another():
    """Readers take two questions in the same words for one, whatever their pictures."""
    forms = [replace(offer("P84"), form=text) for text in ("twice", "once")]
    seeds = [(f"s{n}", f"{n}", tuple(forms)) for n in range(2)]
    assert {order[0] for order in order_plans(seeds, SHARES).values()} == {0, 1}
    free = Shares(relation=1, thing=1, detail=0, computation=0)
    assert {order[0] for order in order_plans(seeds, free).values()} == {0}


def test_a_plan_is_offered_by_what_it_needs_and_asks():
    claim = ClaimClause(subject="x0", property="P84", object="x1")
    dated = ClaimClause(subject="x1", property="P569", object="a")
    form = Form(clauses=(Image(var="x0"), claim, dated), ask=Ask(var="a", type="date"))
    plan = Plan(
        form=Json(form.to_json()),
        bindings={"x1": "Q2", "x0": "Q1", "a": "time:+1700/9"},
        answer=Answer(text="1700", value=Value(kind="string", text="1700"), type="date"),
        shape="chain",
        certificate=Certificate(basis="closed", margin=1),
        route=Route(calls=3, depth=3, pages=1, looks=1),
        interest=2.5,
    )
    same = "string::1700: Q1 Q2 time:+1700/9"
    assert as_offer(plan) == Offer(("P569", "P84"), ("Q1", "Q2"), "P569", PLAIN, 3, 2.5, "", same)
    span = Form(
        clauses=(*form.clauses, Compute(out="n", op="difference", args=("a", "a"))),
        ask=Ask(var="n", type="quantity"),
    )
    computed = as_offer(plan.replace(form=Json(span.to_json())))
    assert computed.asked == NO_RELATION
    assert computed.form == json.dumps(span.to_json(), sort_keys=True)
    assert computed.same == "Q1 Q2", "only one question computes with these things"
