"""What a store lacks is named for each place of a form: the end of a step, a thing in mid-chain, a hidden name, a meeting thing."""

from random import Random

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Seed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form
from questloom.transforms.planning import lacking
from questloom.transforms.planning.ground import Refusals
from questloom.transforms.planning.hiding import Tree, Trying
from questloom.transforms.planning.lacking import (
    CLAIMS,
    MEMBERS,
    STEPS,
    VALUES,
    Lack,
    lack_behind,
    lack_to_describe,
    lacks_at,
    lacks_to_meet,
    lacks_to_reach,
)
from questloom.transforms.planning.shapes.chain import grow_chains
from questloom.transforms.planning.shapes.cluster import grow_clusters
from questloom.transforms.planning.shapes.meet import grow_meets
from questloom.transforms.planning.shapes.tree import grow_trees
from tests.small_facts import claim, year
from tests.transforms.planning.coast import (
    HUMAN,
    NOVEL,
    TOWN,
    architect,
    coast,
    coast_claims,
    ground,
    lighthouse,
    novel,
    town,
)


def lacked(grow, start, size: int, *in_part: str):
    """What is lacking after all forms of a shape were grown over a coast with classes in part."""
    refusals = Refusals()
    list(grow(ground(coast(in_part=frozenset(in_part))), start, size, Random(1), refusals))
    return refusals.lacks


def test_a_step_from_a_thing_in_mid_chain_counts_once_for_each_claim_that_it_could_follow():
    facts = coast(in_part=frozenset({NOVEL}))
    into = [c for c in facts.claims_into(architect(10), limit=99) if c.property == "P50"]
    assert len(into) == 4
    assert lacks_at(facts, architect(10)) == (Lack(MEMBERS, NOVEL),) * 4
    assert lacks_at(coast(), architect(10)) == ()
    assert Lack(STEPS, TOWN) in lacks_at(coast(), town(3))


def test_a_claim_to_a_thing_that_the_store_does_not_hold_names_its_class_and_property():
    away = claim(architect(3), "P20", "Q999999")
    facts = coast([*coast_claims(), away])
    assert lacks_at(facts, architect(3)) == ()
    del facts.facts.entities["Q999999"]
    assert lacks_at(facts, architect(3)) == (Lack(VALUES, HUMAN, "P20"),)
    refusals = Refusals()
    list(grow_chains(ground(facts), lighthouse(3), 3, Random(1), refusals))
    assert refusals.lacks[Lack(VALUES, HUMAN, "P20")] > 0


@pytest.mark.parametrize(
    ("grow", "start", "size", "kind"),
    [
        (grow_chains, lighthouse(3), 3, NOVEL),
        (grow_chains, lighthouse(3), 3, HUMAN),
        (grow_trees, novel(3), 2, NOVEL),
        (grow_trees, novel(3), 3, HUMAN),
        (grow_meets, lighthouse(3), 4, NOVEL),
    ],
    ids=["chain end", "chain middle", "tree end", "tree middle", "meet"],
)
def test_each_shape_names_the_class_that_shuts_its_steps(grow, start, size, kind):
    assert lacked(grow, start, size, kind)[Lack(MEMBERS, kind)] > 0
    assert Lack(MEMBERS, kind) not in lacked(grow, start, size)


def test_an_exploration_names_the_class_that_shuts_its_steps():
    seed = Seed(
        entity_id=lighthouse(3),
        method="exploration",
        rule="pictured",
        level="medium",
        domain="other",
        ability="perception+search+reasoning",
    )
    assert lacked(grow_clusters, seed, 3, NOVEL)[Lack(MEMBERS, NOVEL)] > 0


def test_a_thing_in_mid_chain_is_reached_by_as_many_steps_as_it_has_claims_for():
    facts = coast(in_part=frozenset({HUMAN}))
    # From the teacher a step could lead back to the architect; from a birthplace no step leads back.
    assert {c.property for c in facts.claims(architect(3)) if c.value.entity} == {
        "P31",
        "P1066",
        "P19",
    }
    assert lacks_to_reach(facts, architect(3)) == (Lack(MEMBERS, HUMAN),)
    assert (
        lacks_to_reach(coast(in_part=frozenset({NOVEL})), novel(3)) == (Lack(MEMBERS, NOVEL),) * 2
    )
    assert lacks_to_reach(coast(), architect(3)) == ()
    assert lacks_to_reach(facts, "Q999999") == ()


def test_a_name_that_a_tree_cannot_hide_names_its_class():
    facts = coast(in_part=frozenset({TOWN}))
    assert lack_to_describe(facts, town(3)) == (Lack(MEMBERS, TOWN),)
    assert lack_to_describe(coast(), town(3)) == lack_to_describe(facts, "Q999999") == ()
    silent = frozenset(thing(i) for i in range(120) for thing in (novel, architect))
    set_there = ClaimClause(subject="x0", property="P840", object=entity_value(town(3)))
    form = Form(clauses=(Image(var="x0"), set_there), ask=Ask(var="x0", type="entity"))
    for in_part in (frozenset({TOWN}), frozenset[str]()):
        refusals = Refusals()
        trying = Trying(ground(coast(silent=silent, in_part=in_part)), refusals, frozenset())
        assert not list(trying.hide(Tree(form, {"x0": novel(2)}, frozenset()), 1))
        assert dict(refusals.lacks) == {Lack(MEMBERS, kind): 1 for kind in in_part}


@pytest.mark.parametrize(("most", "found"), [(6, 0), (7, 4)])
def test_no_class_is_lacking_at_a_hub_because_no_way_goes_on_from_it(monkeypatch, most, found):
    """To the architect lead four novels, a lighthouse and a pupil."""
    monkeypatch.setattr(lacking, "MAX_REVERSE", most)
    facts = coast(in_part=frozenset({NOVEL}))
    assert lacks_at(facts, architect(10)) == (Lack(MEMBERS, NOVEL),) * found


def test_only_what_two_branches_reach_is_lacking_for_a_meet():
    own = [
        claim("Q4900", "P31", NOVEL),
        claim("Q4900", "P840", town(3)),
        claim("Q4900", "P50", architect(3)),
    ]
    facts = coast([*coast_claims(), *own], in_part=frozenset({NOVEL}))
    assert lacks_to_meet(facts, (architect(3), town(3))) == (Lack(MEMBERS, NOVEL),)
    assert lacks_to_meet(facts, (architect(3),)) == lacks_to_meet(facts, (town(3),)) == ()
    assert lacks_to_meet(coast([*coast_claims(), *own]), (architect(3), town(3))) == ()
    together = coast(
        [*coast_claims(), *own[:1], *(claim("Q4900", "P50", architect(n)) for n in (3, 4))],
        in_part=frozenset({NOVEL}),
    )
    assert Lack(MEMBERS, NOVEL) not in lacks_to_meet(together, (architect(3), architect(4))), (
        "both wrote it"
    )
    both = coast(
        [*coast_claims(), *own, claim("Q4900", "P58", architect(3))], in_part=frozenset({NOVEL})
    )
    assert lacks_to_meet(both, (architect(3),)) == (), "two relations to one end"


def test_a_refusal_without_a_rival_that_lacks_a_claim_names_nothing():
    def lack(reason: Reason, **evidence) -> tuple[Lack, ...]:
        return lack_behind(coast(), Refusal(reason=reason, evidence=evidence))

    rival = {"entity_id": novel(3), "gaps": ["P840=Q3001"]}
    assert lack(Reason.MARGIN_TOO_SMALL, rival=rival) == (Lack(CLAIMS, NOVEL, "P840"),)
    assert lack(Reason.MARGIN_TOO_SMALL, rival={**rival, "gaps": ["no link"]}) == ()
    assert lack(Reason.MARGIN_TOO_SMALL, rival={**rival, "entity_id": "Q999999"}) == ()
    assert lack(Reason.MARGIN_TOO_SMALL, rival=None) == lack(Reason.NOT_UNIQUE) == ()


def test_a_form_names_every_class_that_it_needs_whole():
    """The pupil of the lighthouse's architect, and the novel by this pupil: both are told among their class."""
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject="x2", property="P1066", object="x1"),
            ClassClause(var="x2", class_id=HUMAN),
            ClaimClause(subject="x3", property="P50", object="x2"),
            ClassClause(var="x3", class_id=NOVEL),
            ClaimClause(subject="x3", property="P840", object=entity_value(town(1))),
            ClaimClause(subject="x3", property="P577", object="a"),
        ),
        ask=Ask(var="a", type="date", precision="year"),
    )
    start, pupil, book = 7, 0, "Q4900"
    own = [
        claim(book, "P31", NOVEL),
        claim(book, "P840", town(1)),
        claim(book, "P50", architect(pupil)),
        claim(book, "P577", year(1901)),
    ]
    bindings = {
        "x0": lighthouse(start),
        "x1": architect(start),
        "x2": architect(pupil),
        "x3": book,
        "a": year(1901).key(),
    }

    def refused(*in_part: str):
        facts = coast([*coast_claims(), *own], in_part=frozenset(in_part))
        anchor = {"x0": entity_value(lighthouse(start))}
        rules = CertificateRules(margin=1, stated=False)
        found = certify_form(form, facts, anchor, bindings, rules)
        return lack_behind(facts, found) if isinstance(found, Refusal) else None

    assert refused(NOVEL) == (Lack(MEMBERS, NOVEL),)
    assert set(refused(NOVEL, HUMAN)) == {Lack(MEMBERS, NOVEL), Lack(MEMBERS, HUMAN)}
