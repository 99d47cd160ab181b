"""The steps of a plan, their order, and what singles an end out."""

from collections import Counter
from random import Random

import pytest

from questloom.records.form import ClaimClause, ClassClause
from questloom.records.knowledge import entity_value
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.planning import steps
from questloom.transforms.planning.steps import (
    _EndTest,
    clue_sets,
    describe_step_end,
    ids_in,
    in_words,
    is_stated,
    separating_class,
    shuffle_by_weight,
    shuffled_clues,
    steps_from,
)
from tests.small_facts import claim, year
from tests.transforms.planning.coast import (
    HUMAN,
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
NOVELS = ClassClause(var="self", class_id=NOVEL)


def edge(property: str, target: str, *, reverse: bool = False, weight: float = 1.0) -> Edge:
    return Edge(property=property, target=target, reverse=reverse, weight=weight)


def test_only_steps_that_a_page_states_are_taken_where_the_recipe_asks_for_that():
    silent = coast(silent=frozenset({architect(3)}))
    all_steps = {(e.property, e.target) for e in steps_from(silent, architect(3), 10_000, False)}
    stated = {(e.property, e.target) for e in steps_from(silent, architect(3), 10_000, True)}
    assert ("P19", town(3)) in all_steps - stated and ("P1066", architect(10)) in all_steps - stated
    assert ("P84", lighthouse(3)) in stated and ("P1066", architect(56)) in stated
    assert steps_from(silent, "Q999999", 10_000, True) == ()


def test_each_relation_comes_once_before_any_comes_again():
    many = [edge("P1066", f"Q{n}") for n in range(9)] + [edge("P84", "Q50"), edge("P19", "Q51")]
    order = shuffle_by_weight(many, 0.5, Random(3))
    assert {e.property for e in order[:3]} == {"P1066", "P84", "P19"} and len(order) == 11


def test_heavier_relations_tend_to_come_first():
    both = [edge("P84", "Q1", weight=0.9), edge("P19", "Q2", weight=0.1)]
    draw = Random(1)
    first = Counter(shuffle_by_weight(both, 0.5, draw)[0].property for _ in range(300))
    assert first["P84"] > 220


def test_the_share_of_steps_against_their_claims_decides_which_come_first():
    both = [edge("P84", "Q1"), edge("P19", "Q2", reverse=True)]

    def firsts(share: float, *, back: bool = False) -> Counter:
        draw = Random(1)
        found = (shuffle_by_weight(both, share, draw, back=back) for _ in range(200))
        return Counter(tuple(e.property for e in order) for order in found)

    assert set(firsts(0.0)) == {("P84",)} and set(firsts(1.0)) == {("P19",)}
    assert set(firsts(0.0, back=True)) == {("P19",)} and set(firsts(1.0, back=True)) == {("P84",)}
    assert firsts(0.9)["P19", "P84"] > 150 and firsts(0.9, back=True)["P84", "P19"] > 150


def test_the_class_tells_the_end_apart_where_a_property_has_several_values():
    more = [
        claim("Q700", "P31", "Q28575"),
        claim("Q701", "P31", "Q35657"),
        claim(town(3), "P131", "Q700"),
        claim(town(3), "P131", "Q701"),
    ]
    facts = coast([*coast_claims(), *more])
    assert separating_class(facts, town(3), "P131", "Q700", "v") == (
        ClassClause(var="v", class_id="Q28575"),
    )
    assert separating_class(facts, lighthouse(3), "P84", architect(3), "v") == ()


def test_clues_come_alone_then_in_pairs_of_two_relations():
    clues = [
        ClaimClause(subject="self", property=p, object=entity_value(f"Q{n}"))
        for n, p in enumerate(("P1", "P1", "P2"))
    ]
    one, same, other = clues
    assert list(clue_sets(clues, 2)) == [(), (one,), (same,), (other,), (one, other), (same, other)]
    assert list(clue_sets(clues, 1)) == [(), (one,), (same,), (other,)]
    many = [ClaimClause(subject="self", property=f"P{n}", object="x") for n in range(40)]
    assert len(list(clue_sets(many, 2))) == 1 + 2 * 24
    assert ids_in((one, other, ClassClause(var="self", class_id=HUMAN))) == {"Q0", "Q2"}


def test_the_end_of_a_step_is_told_by_its_class_or_by_clues_that_need_the_step():
    alone = describe_step_end(AT, architect(10), "P1066", architect(3))
    assert alone[0].clauses == (ClassClause(var="self", class_id=HUMAN),)
    assert alone[0].ends == frozenset()
    found = describe_step_end(AT, town(4), "P840", novel(3))
    assert [d.ends for d in found] == [{architect(10)}]
    assert found[0].clauses[0] == ClassClause(var="self", class_id=NOVEL)
    assert describe_step_end(AT, town(4), "P840", "Q999999") == ()


def refuse(*asked, **named):
    raise AssertionError("the store is asked again")


def test_a_clue_that_tells_the_end_without_the_step_spoils_its_pairs(monkeypatch):
    telling = _EndTest(AT.facts, town(4), "P840", novel(3), NOVELS, 1)
    opened = ClaimClause(subject="self", property="P577", object=year(1803))
    author = ClaimClause(subject="self", property="P50", object=entity_value(architect(10)))
    assert telling.singles_out((author,)) and not telling.singles_out((opened,))
    monkeypatch.setattr(steps, "num_fitting", refuse)
    assert not telling.singles_out((opened, author))


def test_a_rival_that_came_too_near_is_tried_first_on_other_clues(monkeypatch):
    telling = _EndTest(AT.facts, town(4), "P840", novel(3), NOVELS, 1)
    assert not telling.singles_out(()), "other novels are set there"
    monkeypatch.setattr(steps, "margin_of", refuse)
    assert not telling.singles_out(())
    author = ClaimClause(subject="self", property="P50", object=entity_value(architect(10)))
    with pytest.raises(AssertionError, match="asked again"):
        telling.singles_out((author,))


def test_the_clues_of_a_thing_that_some_page_states_are_kept_without_the_others():
    silent = coast(silent=frozenset({novel(3), architect(10)}))
    every = shuffled_clues(
        silent, silent.entity(novel(3)), frozenset(), frozenset(), False, 1, "here"
    )
    stated = shuffled_clues(
        silent, silent.entity(novel(3)), frozenset(), frozenset(), True, 1, "here"
    )
    assert len(every) == 3 and stated == [c for c in every if is_stated(silent, c, novel(3))]
    assert len(stated) < 3


def test_a_clue_is_stated_by_a_page_of_either_end():
    clue = ClaimClause(subject="self", property="P50", object=entity_value(architect(10)))
    assert is_stated(AT.facts, clue, novel(3)) and not is_stated(AT.facts, clue, novel(4))
    silent = coast(silent=frozenset({novel(3)}))
    assert not is_stated(silent, clue, novel(3))
    assert is_stated(silent, ClassClause(var="self", class_id=NOVEL), novel(3))


def test_a_descriptor_is_put_over_the_forms_variable():
    clue = ClaimClause(subject="self", property="P50", object=entity_value(architect(10)))
    assert in_words((ClassClause(var="self", class_id=NOVEL), clue), "x3") == (
        ClassClause(var="x3", class_id=NOVEL),
        ClaimClause(subject="x3", property="P50", object=entity_value(architect(10))),
    )
