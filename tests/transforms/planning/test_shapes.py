"""What each shape grows on the coast, against what the coast's own numbering says there is."""

from dataclasses import replace
from random import Random

import pytest

from questloom.records.form import ClaimClause, ClassClause, Compute, Form, Image, Reads
from questloom.records.knowledge import ImageAsset
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.ground import Refusals
from questloom.transforms.planning.hiding import describe_thing
from questloom.transforms.planning.shapes.chain import Walk, extend, grow_chains
from questloom.transforms.planning.shapes.meet import grow_meets
from questloom.transforms.planning.shapes.tree import grow_trees, steps_to
from tests.small_facts import SmallFacts, claim
from tests.transforms.planning.coast import (
    LIGHTHOUSE,
    NOVEL,
    architect,
    coast,
    coast_claims,
    ground,
    lighthouse,
    novel,
    town,
)

AT = ground()


def grown(grow, start: str, size: int, at=AT, seed: int = 1) -> tuple[set[tuple], Refusals]:
    """What a shape grows, each as its steps from the picture with what they lead to and the answer's words; and what was refused."""
    refusals = Refusals()
    found = set()
    for form, bindings, answer in grow(at, start, size, Random(seed), refusals):
        assert form.of(Image) == (Image(var="x0"),) and form.ask.var in bindings
        found.add((*map(str, steps(form, bindings)), answer.text))
    return found, refusals


def steps(form: Form, bindings: dict[str, str]) -> list[str]:
    """The things on the walk, and what is asked of the last: "Q1003 P84 Q2003", against a claim with "<"."""
    said = []
    for c in form.of(ClaimClause):
        ends = [
            bindings.get(t, t) if isinstance(t, str) else t.entity for t in (c.subject, c.object)
        ]
        said.append(f"{ends[0]} {c.property} {ends[1]}")
    said += [f"read {c.property} of {bindings[c.of]}" for c in form.of(Reads)]
    return said + ["years" for _ in form.of(Compute)]


def named(thing: str) -> str:
    return AT.facts.entity(thing).label()


THERE = f"{lighthouse(3)} P84 {architect(3)}"


def test_chains_of_two_hops_are_all_that_the_architect_has():
    found, _ = grown(grow_chains, lighthouse(3), 2)
    born, died = (f"{architect(3)} {p} time:+{y}/9" for p, y in (("P569", 1633), ("P570", 1713)))
    built = f"{lighthouse(3)} P571 time:+1703/9"
    read = f"read P1684 of {lighthouse(3)}"
    assert found == {
        (THERE, f"{architect(3)} P1066 {architect(10)}", named(architect(10))),
        (THERE, f"{architect(3)} P19 {town(3)}", named(town(3))),
        (THERE, born, "1633"),
        (THERE, died, "1713"),
        (THERE, born, built, "years", "70"),
        (THERE, died, built, "years", "10"),
        (THERE, f"{architect(56)} P1066 {architect(3)}", named(architect(56))),
        (THERE, f"{novel(116)} P50 {architect(3)}", named(novel(116))),
        # The year in the picture leads to the lighthouse of that year, which has an architect and a picture of its own.
        (f"{lighthouse(5)} P571 time:+1705/9", f"{lighthouse(5)} P84 {architect(5)}", read, named(architect(5))),
        (f"{lighthouse(5)} P571 time:+1705/9", read, f"read P1684 of {lighthouse(5)}", "1707"),
    }  # fmt: skip


def test_one_hop_asks_what_the_thing_has_or_what_has_it():
    assert grown(grow_chains, lighthouse(3), 1)[0] == {
        (THERE, named(architect(3))),
        (f"{lighthouse(5)} P571 time:+1705/9", f"read P1684 of {lighthouse(3)}", named(lighthouse(5))),
    }  # fmt: skip
    answers = {walk[-1] for walk in grown(grow_chains, architect(3), 1)[0]}
    assert {"1633", "1713", named(architect(10)), named(architect(56))} < answers


@pytest.mark.parametrize("hops", [2, 3])
def test_only_the_end_of_a_reverse_step_is_asked_for_itself(hops):
    """Who a work is by is asked as the work's attribute."""
    forms = [f for f, _, _ in grow_chains(AT, lighthouse(3), hops, Random(1), Refusals())]
    things = [f for f in forms if f.ask.var[0] == "x"]
    assert things and all(any(c.subject == f.ask.var for c in f.of(ClaimClause)) for f in things)


def test_two_relations_that_people_know_as_one_are_one_hop():
    """The capital of his country."""
    refusals = Refusals()
    start = Walk((lighthouse(3), architect(3), architect(5)), (("P84", False), ("P27", False)))
    assert not list(extend(AT, start, step("P36", town(6)), refusals))
    assert refusals.reasons == {Reason.COLLAPSES.value: 1}


def test_a_recipe_without_details_and_computations_gets_neither():
    plain, _ = grown(grow_chains, lighthouse(3), 2, ground(detail_share=0.0, computation_share=0.0))
    assert len(plain) == 6 and not any("years" in walk for walk in plain)
    details, _ = grown(grow_chains, lighthouse(3), 2, ground(computation_share=0.0))
    assert any("read" in part for walk in details for part in walk)
    assert not any("years" in walk for walk in details)
    computed, _ = grown(grow_chains, lighthouse(3), 2, ground(detail_share=0.0))
    assert sum("years" in walk for walk in computed) == 2


@pytest.mark.parametrize("hops", [1, 2, 3, 4])
def test_a_chain_has_as_many_hops_as_were_asked_for(hops):
    found = [
        form
        for form, _, _ in grow_chains(AT, lighthouse(3), hops, Random(1), Refusals())
        if not form.of(Compute)
    ]
    between = [[c for c in f.of(ClaimClause) if isinstance(c.object, str)] for f in found]
    looks = [len(f.later_reads) for f in found]
    assert found and all(len(c) + n == hops for c, n in zip(between, looks, strict=True))
    assert any(looks) == (hops > 1)


def test_a_step_against_its_claim_is_told_apart_by_a_clue_where_the_class_does_not():
    forms = list(grow_chains(AT, lighthouse(3), 3, Random(1), Refusals()))
    back = [f for f, b, _ in forms if b.get("x2") == town(3) and f.ask.var == "x3"]
    clues = [
        c for f in back for c in f.of(ClaimClause) if c.property == "P50" and c.subject == "x3"
    ]
    assert len(clues) == len(back) == 4 and all(
        ClassClause(var="x3", class_id=NOVEL) in f.clauses for f in back
    )
    alone = [f for f, b, _ in forms if b.get("x3") == lighthouse(10)]
    assert alone and all(len(f.of(ClaimClause)) == 3 for f in alone), "one lighthouse, no clue"


def test_along_claims_only_and_against_them_only():
    along, _ = grown(grow_chains, lighthouse(3), 3, ground(reverse_share=0.0))
    assert along and all(step.split()[0] < "Q4" for walk in along for step in walk[:2])
    assert not any(f"P1066 {architect(3)}" in step for walk in along for step in walk)
    against, _ = grown(grow_chains, architect(3), 2, ground(reverse_share=1.0))
    assert any(f"{novel(116)} P50 {architect(3)}" == walk[0] for walk in against)
    assert not any(
        walk[0] == f"{architect(3)} P1066 {architect(10)}" for walk in against if len(walk) > 2
    )


def test_no_chain_comes_back_to_a_thing():
    forms = [
        b
        for size in (2, 3, 4)
        for _, b, _ in grow_chains(AT, lighthouse(3), size, Random(1), Refusals())
    ]
    for bindings in forms:
        things = [v for k, v in bindings.items() if k[0] == "x"]
        assert len(set(things)) == len(things)


def test_two_branches_meet_in_the_one_novel_that_both_lead_to():
    found, _ = grown(grow_meets, lighthouse(3), 5)
    branches = {THERE, f"{architect(3)} P1066 {architect(10)}", f"{architect(3)} P19 {town(3)}"}
    last = {f"{novel(63)} P50 {architect(10)}", f"{novel(63)} P840 {town(3)}"}
    assert {(frozenset(walk[:-1]), walk[-1]) for walk in found} == {
        (frozenset(branches | last), named(novel(63)))
    }
    asked, _ = grown(grow_meets, lighthouse(3), 6)
    assert {walk[-1] for walk in asked} == {"1903", "882"}  # 882 years after the town's founding
    for size in (3, 4, 7):
        assert not grown(grow_meets, lighthouse(3), size)[0]


def test_nothing_meets_where_steps_go_along_claims_only():
    assert not grown(grow_meets, lighthouse(3), 5, ground(reverse_share=0.0))[0]


def test_a_branch_that_alone_leads_there_makes_no_meet():
    """Without the other novels of the teacher one branch is enough."""
    rest = [c for c in coast_claims() if c.subject not in (novel(3), novel(23), novel(43))]
    found, refusals = grown(grow_meets, lighthouse(3), 5, ground(coast(rest)))
    assert not found and refusals.reasons[Reason.NOT_UNIQUE.value]


def test_a_second_thing_at_the_meeting_makes_no_meet():
    twin = [
        claim("Q4900", "P31", NOVEL),
        claim("Q4900", "P840", town(3)),
        claim("Q4900", "P50", architect(10)),
    ]
    found, refusals = grown(grow_meets, lighthouse(3), 5, ground(coast([*coast_claims(), *twin])))
    assert not found and refusals.reasons[Reason.NOT_UNIQUE.value]


def test_a_thing_at_the_meeting_that_may_fit_too_counts_as_far_as_the_recipe_asks():
    """Nobody knows who wrote another novel that is set in the town."""
    found, refusals = grown(grow_meets, lighthouse(3), 5)
    assert len(found) == 1 and not refusals.reasons, "nothing else is tried"
    other = [claim("Q4900", "P31", NOVEL), claim("Q4900", "P840", town(3))]
    for margin, meets in ((1, True), (2, False)):
        at = ground(coast([*coast_claims(), *other]), margin=margin)
        assert bool(grown(grow_meets, lighthouse(3), 5, at)[0]) is meets


def test_a_tree_of_one_round_hides_the_asked_thing_behind_the_picture():
    found, _ = grown(grow_trees, architect(3), 1)
    assert {walk[0] for walk in found} == {THERE}
    assert {walk[-1] for walk in found} == {
        "1633", "1713", "70", "10", named(town(3)), named(architect(10)),
    }  # fmt: skip


@pytest.mark.parametrize("rounds", [2, 3, 4])
def test_each_round_of_a_tree_hides_one_thing_more(rounds):
    forms = list(grow_trees(AT, novel(3), rounds, Random(1), Refusals()))
    assert forms
    for form, bindings, _ in forms:
        hidden = [v for v in bindings if v[0] in "xy" and v != "x0"]
        assert len(hidden) == rounds and bindings["x0"][:2] == "Q1"
        asked = next(c.subject for c in form.of(ClaimClause) if c.object in ("a", form.ask.var))
        assert bindings[asked] == novel(3)
        values = [
            t.entity
            for c in form.of(ClaimClause)
            for t in (c.subject, c.object)
            if not isinstance(t, str)
        ]
        assert not set(values) & set(bindings.values()), "what is hidden is not named"
    walks = {tuple(v for v in b if v[0] == "x") for _, b, _ in forms}
    assert max(map(len, walks)) == min(rounds, 3) + 1, "the longest walk comes first"


def test_a_name_is_hidden_by_what_points_at_it_alone():
    town_of = [d for d in describe_thing(AT, town(3))]
    assert len(town_of) == 3
    for found in town_of:
        kind, clue = found.clauses
        assert isinstance(kind, ClassClause) and clue.property == "P840" and clue.object == "self"
        assert found.ends == {clue.subject.entity}
    (by_two,) = describe_thing(AT, novel(3))
    assert by_two.ends == {architect(10), town(4)}
    assert describe_thing(AT, "Q999999") == ()


def test_steps_to_a_thing_are_the_steps_from_its_neighbours():
    assert {
        (e.property, e.target, e.reverse) for e in steps_to(AT.facts, novel(3), 10_000, True)
    } == {
        ("P50", architect(10), False),
        ("P840", town(4), False),
    }
    assert {
        (e.property, e.target, e.reverse) for e in steps_to(AT.facts, architect(3), 10_000, True)
    } == {
        ("P84", lighthouse(3), True),
        ("P1066", architect(10), False),
        ("P1066", architect(56), True),
        ("P50", novel(116), True),
    }


def test_a_thing_with_too_few_pictures_is_none_to_begin_with():
    assert grown(grow_trees, architect(3), 1)[0]
    assert not grown(grow_trees, architect(3), 1, replace(AT, min_views=2))[0]
    assert grown(grow_trees, architect(3), 1, replace(AT, min_views=1))[0]


def test_a_branch_may_end_on_the_way_of_the_other():
    """Which novel by the architect is set in her birthplace?"""
    own = [
        c
        for thing, place in (("Q4900", 3), ("Q4901", 4))
        for c in (
            claim(thing, "P31", NOVEL),
            claim(thing, "P840", town(place)),
            claim(thing, "P50", architect(3)),
        )
    ]
    at = ground(coast([*coast_claims(), *own]))
    found = [
        (form, bindings)
        for form, bindings, _ in grow_meets(at, lighthouse(3), 4, Random(1), Refusals())
    ]
    assert len(found) == 1
    form, bindings = found[0]
    assert bindings == {"x0": lighthouse(3), "x1": architect(3), "x2": town(3), "x3": "Q4900"}
    assert {(c.subject, c.property, c.object) for c in form.of(ClaimClause)} == {
        ("x0", "P84", "x1"),
        ("x1", "P19", "x2"),
        ("x3", "P50", "x1"),
        ("x3", "P840", "x2"),
    }


def test_two_steps_that_readers_know_as_one_and_a_thing_that_is_a_class_are_no_way_on():
    refusals = Refusals()
    start = Walk((lighthouse(3), architect(3)), (("P84", False),))
    assert list(extend(AT, start, step("P19", town(3)), refusals))
    assert not list(extend(AT, start, step("P19", lighthouse(3)), refusals)), "comes back"
    assert not list(extend(AT, start, step("P19", LIGHTHOUSE), refusals)), "its class"
    said = replace(start, said=frozenset({town(3)}))
    assert not list(extend(AT, said, step("P19", town(3)), refusals)), "is named"
    family = replace(start, steps=(("P22", False),))
    assert not list(extend(AT, family, step("P25", town(3)), refusals))
    assert not refusals.reasons
    (on,) = extend(AT, start, step("P19", town(3)), refusals)
    assert on.things == (*start.things, town(3)) and on.steps == (("P84", False), ("P19", False))
    assert on.last == "x2" and on.bindings["x2"] == town(3)
    nobody = step("P1066", "Q999999", reverse=True)
    assert not list(extend(AT, start, nobody, refusals))
    assert refusals.reasons == {Reason.NO_DESCRIPTION.value: 1}


def test_where_a_shorter_way_leads_a_forward_step_collapses():
    """The architect lived in the lighthouse's town: to go there over her birthplace is the long way round."""
    claims = [*coast_claims(), *(claim(lighthouse(i), "P131", town(i)) for i in range(60))]
    refusals = Refusals()
    walk = Walk((lighthouse(3), architect(3), town(3)), (("P84", False), ("P19", False)))
    at = ground(coast(claims))
    assert not list(extend(at, walk, step("P17", "Q4999"), refusals))
    assert refusals.reasons == {Reason.COLLAPSES.value: 1}


def step(property: str, target: str, reverse: bool = False) -> Edge:
    return Edge(property=property, target=target, reverse=reverse, weight=1.0)


def test_a_clue_that_no_page_states_hides_nothing_where_pages_must_state_it():
    writers = frozenset(thing(i) for i in range(120) for thing in (novel, architect))
    silent = ground(coast(silent=writers))
    assert describe_thing(silent, town(3)) == ()
    unheard = replace(silent, certificate=CertificateRules(margin=1, stated=False))
    assert len(describe_thing(unheard, town(3))) == 3


def test_a_name_that_nothing_tells_is_counted_as_refused():
    _, refusals = grown(grow_trees, novel(3), 4)
    assert set(refusals.reasons) == {Reason.NO_DESCRIPTION.value}
    assert not grown(grow_trees, novel(3), 3)[1].reasons


def test_no_step_leads_forward_from_where_a_shorter_way_leads_too():
    """The lighthouse is named after the town in which its architect was born."""
    things = lighthouse(3), architect(3), town(3)
    walk = Walk(things, (("P84", False), ("P19", False)))
    onward = Edge(property="P138", target=architect(20), reverse=False, weight=1.0)
    refusals = Refusals()
    assert list(extend(AT, walk, onward, refusals)) and not refusals.reasons
    short = ground(coast([*coast_claims(), claim(lighthouse(3), "P138", town(3))]))
    assert not list(extend(short, walk, onward, refusals))
    assert refusals.reasons == {Reason.COLLAPSES.value: 1}


@pytest.mark.parametrize(
    ("second", "is_other"), [("ffffffff00000000", True), ("0" * 15 + "1", False)]
)
def test_a_picture_that_looks_like_another_is_no_further_view(second, is_other):
    shown = tuple(
        ImageAsset(
            id=seen, file=f"{seen}.jpg", mime="image/jpeg", width=9, height=9, num_bytes=9
        ).replace(perceptual_hash=seen)
        for seen in ("0" * 16, second)
    )
    at = replace(AT, facts=Lookups(SmallFacts([], images={"Q1": shown})), min_views=2)
    assert at.is_pictured("Q1") == is_other
