"""How a tree is looked for: which walks back are tried, how many of each, and which names are hidden in which order."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning import hiding
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.hiding import MAX_HIDINGS, Tree, Trying, describe_thing
from questloom.transforms.planning.lacking import CLAIMS, Lack
from questloom.transforms.planning.shapes import tree as tree_module
from questloom.transforms.planning.shapes.tree import _back, _walks_from_pictures, grow_trees, trees
from tests.small_facts import claim
from tests.transforms.planning.coast import (
    HUMAN,
    NOVEL,
    NUM,
    architect,
    coast,
    coast_claims,
    ground,
    lighthouse,
    novel,
    town,
)

AT = ground()


def ways_back(at: Ground, thing: str, steps: int) -> tuple[list[tuple], Refusals]:
    refusals = Refusals()
    return list(_back(at, thing, steps, frozenset({thing}), Random(1), refusals)), refusals


def test_ways_back_take_turns_over_their_last_step():
    found, _ = ways_back(AT, novel(3), 3)
    last = [walk[-1] for walk in found]
    assert max(Counter(last).values()) > 1
    assert len(set(last[:2])) == len(set(last)) == 2


def test_a_last_step_that_nothing_describes_is_refused_on_the_way_back():
    """Two novels by one author, set in one town, in one year: no clue tells which one a step from the author means."""
    twin = [claim("Q4900", c.property, c.value) for c in coast_claims() if c.subject == novel(3)]
    told, _ = ways_back(AT, novel(3), 3)
    assert {walk[-1][0] for walk in told} == {architect(10), town(4)}
    found, refusals = ways_back(ground(coast([*coast_claims(), *twin])), novel(3), 3)
    assert not found and refusals.reasons[Reason.NO_DESCRIPTION.value] == 2
    assert not refusals.lacks, "the twin has every claim that the novel has"


def test_a_last_step_is_refused_for_lack_of_the_claim_that_other_things_miss():
    """The author of another novel is not known, so that novel may be by the same author."""
    others = [c for c in coast_claims() if (c.property, c.value.entity) != ("P50", architect(3))]
    own = [claim("Q4900", "P31", NOVEL), claim("Q4900", "P50", architect(3))]
    found, refusals = ways_back(ground(coast([*others, *own]), margin=2), "Q4900", 2)
    assert not found and set(refusals.lacks) == {Lack(CLAIMS, NOVEL, "P50")}


def test_a_way_back_ends_at_a_thing_that_may_be_shown_and_at_no_other():
    """Of what leads to the novel in one step, its author and its town, none has a picture."""
    found, refusals = ways_back(AT, novel(3), 1)
    assert not found and not refusals.reasons
    found, _ = ways_back(AT, novel(3), 2)
    assert found and all(AT.is_pictured(walk[0][0]) for walk in found)
    alive = [c for c in coast_claims() if (c.subject, c.property) != (architect(3), "P570")]
    at = ground(coast(alive))
    for thing in (architect(3), architect(10)):
        at.facts.facts.images[thing] = at.facts.facts.images[lighthouse(3)]
    assert ways_back(at, architect(10), 0)[0] == [()]
    assert ways_back(at, architect(3), 0)[0] == [], "she may live"
    assert ways_back(replace(at, living_people=True), architect(3), 0)[0] == [()]


@pytest.mark.parametrize(("share", "reverse"), [(0.0, False), (1.0, True)])
def test_a_recipe_with_no_or_with_only_reverse_steps_gets_such_ways_back(share, reverse):
    things = (town(3), 2) if share == 0 else (novel(63), 1)
    at = ground(with_views(), reverse_share=share)
    found, _ = ways_back(at, *things)
    assert found and {edge.reverse for walk in found for _, edge in walk} == {reverse}


def with_views() -> Lookups:
    """The coast with a picture of every town."""
    facts = coast()
    for n in range(NUM):
        facts.facts.images[town(n)] = facts.facts.images[lighthouse(n)]
    return facts


def test_of_one_chain_of_things_at_most_four_ways_are_followed():
    """The teacher has two pupils and the pupil two novels, each told apart in several ways."""
    more = [
        claim(architect(20), "P1066", architect(10)),
        *(claim(architect(i), "P20", town(i + 1)) for i in range(NUM)),
        *(claim(architect(i), "P119", town(i + 2)) for i in range(NUM)),
        *(claim(novel(i), "P291", town(i + 5)) for i in range(2 * NUM)),
        claim("Q4900", "P31", NOVEL),
        claim("Q4900", "P840", town(9)),
        claim("Q4900", "P291", town(9)),
        claim("Q4900", "P50", architect(3)),
    ]
    at = ground(coast([*coast_claims(), *more]))
    walks = list(_walks_from_pictures(at, novel(116), 3, Random(1), Refusals()))
    found = Counter(walk.things for walk in walks)
    assert max(found.values()) == 4


def test_of_one_form_at_most_two_trees_are_grown():
    grown = islice(grow_trees(AT, novel(63), 3, Random(1), Refusals()), 200)
    found = Counter(
        (answer.text, *sorted(key for var, key in bindings.items() if var[0] in "xa"))
        for _, bindings, answer in grown
    )
    assert max(found.values()) == 2


def test_a_name_whose_description_would_be_idle_is_not_hidden():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object=entity_value(architect(3))),
        ),
        ask=Ask(var="x0", type="entity"),
    )
    tree = Tree(form, {"x0": lighthouse(3)}, frozenset())
    for needed, hidden in ((1, False), (2, True)):
        trying = Trying(AT, Refusals(), frozenset(), needed={architect(3): needed})
        assert trying._may_be_hidden(tree, architect(3)) is hidden
    trying = Trying(AT, Refusals(), frozenset())
    assert not any(trying._may_be_hidden(tree, architect(3)) for _ in range(2))
    assert trying.refusals.reasons == {Reason.DECORATION.value: 1}, "counted once"
    others = replace(form, ask=Ask(var="y", type="entity"), clauses=(*form.clauses, BY_TEACHER))
    trying = Trying(AT, Refusals(), frozenset())
    assert trying._may_be_hidden(replace(tree, form=others), architect(10))
    assert not trying.refusals.reasons


def test_idle_names_are_hidden_only_if_a_recipe_allows_it_and_no_tree_does_without(monkeypatch):
    def grown(*, idle: bool) -> list[set[str]]:
        at = replace(AT, draft=replace(AT.draft, idle_rounds=idle))
        found = trees(at, novel(63), 4, 3, Random(1), Refusals())
        return [set(tree.sides.values()) for tree, _ in found]

    assert grown(idle=True) == grown(idle=False) != []
    monkeypatch.setattr(hiding, "num_left_open", lambda *asked: 1)
    assert grown(idle=False) == []
    assert grown(idle=True)


def test_names_of_a_new_kind_are_hidden_first():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x2", property="P50", object=entity_value(architect(10))),
            ClaimClause(subject="x2", property="P840", object=entity_value(town(3))),
        ),
        ask=Ask(var="x2", type="entity"),
    )
    needed = {architect(10): 5, town(3): 2}
    for told, first in ((architect(3), town(3)), (town(4), architect(10)), ("", architect(10))):
        tree = Tree(form, {"x0": lighthouse(3), "x2": novel(63)}, frozenset(), {"y0": told})
        names = Trying(AT, Refusals(), frozenset(), needed=dict(needed)).names(tree)
        assert names[0] == first


BY_TEACHER = ClaimClause(subject="y", property="P50", object=entity_value(architect(10)))


def test_a_kind_of_living_things_is_not_described_as_if_it_were_a_species():
    assert describe_thing(AT, town(3))
    genus = [claim("Q4900", "P171", town(3))]
    assert describe_thing(ground(coast([*coast_claims(), *genus])), town(3)) == ()


def test_a_name_that_stays_is_not_hidden_after_another_one():
    """To hide the town and then the teacher is to hide the teacher and then the town: one of them is tried."""
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClassClause(var="x2", class_id=NOVEL),
            ClaimClause(subject="x2", property="P50", object=entity_value(architect(10))),
            ClaimClause(subject="x2", property="P840", object=entity_value(town(3))),
            ClassClause(var="x1", class_id=HUMAN),
        ),
        ask=Ask(var="x2", type="entity"),
    )
    bindings = {"x0": lighthouse(3), "x1": architect(3), "x2": novel(63)}
    trying = Trying(AT, Refusals(), frozenset(bindings.values()))
    trees = list(trying.hide(Tree(form, bindings, frozenset()), 2))
    hidden = Counter((frozenset(tree.sides.values()), frozenset(tree.said)) for tree in trees)
    assert trees and max(hidden.values()) == 1
    assert all(len(tree.sides) == 2 for tree in trees)


def test_no_more_descriptions_are_put_in_than_allowed():
    trying = Trying(AT, Refusals(), frozenset(), left=3)
    form = Form(
        clauses=(
            Image(var="x0"),
            ClassClause(var="x2", class_id=NOVEL),
            ClaimClause(subject="x2", property="P50", object=entity_value(architect(10))),
        ),
        ask=Ask(var="x2", type="entity"),
    )
    bindings = {"x0": lighthouse(3), "x2": novel(63)}
    trees = list(islice(trying.hide(Tree(form, bindings, frozenset()), 1), MAX_HIDINGS))
    assert len(trees) <= 3 and trying.left >= 0


def test_no_name_is_hidden_where_no_words_could_say_it():
    """Two claims about one town are said of a name, but not of a hidden thing."""
    both = (
        Image(var="x0"),
        ClaimClause(subject="x2", property="P50", object="y0"),
        ClaimClause(subject="y0", property="P19", object=entity_value(town(3))),
        ClaimClause(subject="y0", property="P20", object=entity_value(town(3))),
    )
    for clauses, num in ((both, 0), (both[:3], 1)):
        form = Form(clauses=clauses, ask=Ask(var="x2", type="entity"))
        tree = Tree(form, {"x0": lighthouse(3), "x2": novel(63)}, frozenset(), {"y0": "Q1"})
        trying = Trying(AT, Refusals(), frozenset(), needed={town(3): 2})
        assert bool(list(trying.hide(tree, 1))) is bool(num)
        assert bool(trying.refusals.reasons[Reason.NO_WORDING.value]) is not bool(num)


def test_no_tree_grows_from_a_walk_that_no_words_could_say(monkeypatch):
    refusals = Refusals()
    monkeypatch.setattr(tree_module, "unsayable", lambda claims: ("kinship by way of kin",))
    assert not list(grow_trees(AT, novel(63), 3, Random(1), refusals))
    assert refusals.reasons[Reason.NO_WORDING.value]
