"""What is computed of two observations, and what does not belong together."""

from dataclasses import replace

from questloom.records.knowledge import Entity
from questloom.transforms.drafting.exploration.reasoning import LONGEST, belong_together, reasonings
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.evidence import Link, Observation, Reasoning
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.drafting.exploration.made import BOTH, COAST, graph, metres

READ = Observation(node="Q1003", property="P1684", part="Q721747", value=year(1803), seen=True)
TWO = graph("Q1003", "Q2003", "Q4003", links=BOTH)


def found(graph_=TWO, facts=COAST) -> list[Reasoning]:
    return reasonings(graph_, Lookups(facts), 6)


def of(op: str, one: str, other: str, made: list[Reasoning]) -> list[Reasoning]:
    return [r for r in made if r.op == op and {r.first.node, r.second.node} == {one, other}]


def test_years_are_counted_between_a_thing_and_its_maker():
    assert {r.result.number for r in of("difference", "Q1003", "Q2003", found())} == {
        40.0,
        40.0 - 3 + 3,
    }
    assert {r.first.property for r in of("difference", "Q1003", "Q2003", found())} == {"P571"}


def test_no_years_are_counted_up_to_the_founding_of_a_town_nor_between_what_is_not_linked():
    assert not of("difference", "Q2003", "Q3003", found(graph("Q2003", "Q3003", links=BOTH)))
    assert not of("difference", "Q1003", "Q2004", found(graph("Q1003", "Q2004")))
    town = [Link(source="Q2003", target="Q3003", property="P19", reverse=False)]
    assert not belong_together(COAST, "Q2003", "Q3003", town) and not belong_together(
        COAST, "Q1003", "Q2003", []
    )


def test_a_year_on_the_picture_is_counted_from_a_date_of_the_thing_or_of_its_maker():
    seen = [r for r in found(replace(TWO, perceptions=(READ,))) if r.first.seen or r.second.seen]
    assert {(r.first.seen, r.second.node, r.result.number) for r in seen} == {
        (True, "Q1003", 100.0),
        (True, "Q2003", 140.0),
        (True, "Q2003", 60.0),
    }


def test_of_two_things_of_a_kind_with_one_architect_one_is_older_and_one_is_taller():
    made = found()
    assert {r.result.entity for r in of("earliest", "Q1003", "Q4003", made)} == {"Q1003"}
    assert {r.result.entity for r in of("largest", "Q1003", "Q4003", made)} == {"Q4003"}
    assert {
        r.result.number
        for r in of("difference", "Q1003", "Q4003", made)
        if r.first.property == "P2048"
    } == {4.5}


def test_things_of_two_kinds_or_far_apart_are_not_compared():
    assert not of("earliest", "Q1003", "Q2003", found())
    assert not of("largest", "Q1003", "Q1004", found(graph("Q1003", "Q1004")))


def test_nobody_is_asked_which_of_teacher_and_pupil_was_born_first():
    people = [
        c
        for i in range(60)
        for c in (claim(f"Qp{i}", "P31", "Q5"), claim(f"Qp{i}", "P569", year(1700 + i)))
    ]
    facts = SmallFacts(
        people,
        {f"Qp{i}": Entity(id=f"Qp{i}", labels={"en": str(i)}, domain="person") for i in range(60)},
    )
    taught, married = (
        graph("Qp1", "Qp2", links=[("Qp1", p, "Qp2", False)]) for p in ("P1066", "P26")
    )
    assert not [r for r in found(taught, facts) if r.op == "earliest"] and [
        r for r in found(married, facts) if r.op == "earliest"
    ]


def test_equal_years_and_years_too_far_apart_are_not_counted():
    same = replace(READ, value=year(1703))
    far = replace(READ, value=year(1703 + LONGEST + 1))
    for seen in (same, far):
        assert not [r for r in found(replace(graph("Q1003"), perceptions=(seen,))) if r.first.seen]


def test_a_ratio_that_would_have_to_be_rounded_is_not_asked():
    def towers(one: float, other: float) -> list[Reasoning]:
        claims = [
            c
            for i in range(60)
            for c in (
                claim(f"Qt{i}", "P31", "Q12518"),
                claim(f"Qt{i}", "P2048", metres({1: one, 2: other}.get(i, 9.0))),
            )
        ]
        linked = [claim("Qt1", "P176", "Qm"), claim("Qt2", "P176", "Qm")]
        facts = SmallFacts([*claims, *linked])
        return of(
            "ratio",
            "Qt1",
            "Qt2",
            found(
                graph(
                    "Qt1",
                    "Qm",
                    "Qt2",
                    links=[("Qt1", "P176", "Qm", False), ("Qm", "P176", "Qt2", True)],
                ),
                facts,
            ),
        )

    assert (
        [r.result.number for r in towers(20.0, 50.0)] == [2.5]
        and not towers(30.0, 50.0)
        and not towers(50.0, 51.0)
    )


def test_of_two_people_ages_or_deaths_are_compared_and_no_birth_with_a_death():
    people = [
        c
        for i in range(60)
        for c in (
            claim(f"Qp{i}", "P31", "Q5"),
            claim(f"Qp{i}", "P569", year(1700 + i)),
            claim(f"Qp{i}", "P570", year(1790 - i)),
        )
    ]
    facts = SmallFacts(
        people,
        {f"Qp{i}": Entity(id=f"Qp{i}", labels={"en": str(i)}, domain="person") for i in range(60)},
    )
    made = of(
        "difference",
        "Qp1",
        "Qp2",
        found(graph("Qp1", "Qp2", links=[("Qp1", "P1066", "Qp2", False)]), facts),
    )
    assert {(r.first.property, r.second.property) for r in made} == {
        ("P569", "P569"),
        ("P570", "P570"),
    }
