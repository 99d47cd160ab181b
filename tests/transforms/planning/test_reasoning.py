"""What is computed of two observations, and what does not belong together."""

from collections.abc import Sequence
from dataclasses import replace

from questloom.records.knowledge import Entity
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.reasoning import (
    Observation,
    Reasoning,
    alike,
    observations,
    reason_over,
)
from questloom.transforms.writing.graph.graph_writer import belong_together
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.planning.observed import COAST, metres

READ = Observation(node="Q1003", property="P1684", part="Q721747", value=year(1803), seen=True)


def found(
    one: str,
    other: str,
    *links: str,
    facts: SmallFacts = COAST,
    seen: Sequence[Observation] | None = None,
) -> list[Reasoning]:
    """What follows from what is said of two things that these relations link; `seen` stands for what is said of the first."""
    at, ends = Lookups(facts), (facts.entity(one), facts.entity(other))
    return list(
        reason_over(
            at,
            observations(at, one, 6) if seen is None else seen,
            observations(at, other, 6),
            counts=any(belong_together(*ends, link) for link in links),
            compares=alike(at, one, other),
            links=frozenset(links),
        )
    )


def of(op: str, made: list[Reasoning]) -> list[Reasoning]:
    return [r for r in made if r.op == op]


def test_years_are_counted_between_a_thing_and_its_maker():
    made = of("difference", found("Q1003", "Q2003", "P84"))
    assert {(r.first.property, r.second.property, r.result.number) for r in made} == {
        ("P571", "P569", 40.0),
        ("P571", "P570", 40.0),
    }


def test_no_years_are_counted_up_to_the_founding_of_a_town_nor_between_what_is_not_linked():
    assert not found("Q2003", "Q3003", "P19") and not found("Q1003", "Q2003")
    person, town, lighthouse = (COAST.entity(e) for e in ("Q2003", "Q3003", "Q1003"))
    assert not belong_together(person, town, "P19")
    assert not belong_together(lighthouse, person, "")
    assert belong_together(lighthouse, person, "P84")
    assert not belong_together(lighthouse, person, "P138"), "its namesake is no maker"
    assert belong_together(lighthouse, COAST.entity("Q4003"), "P138"), "both of one kind"


def test_a_year_on_the_picture_is_counted_from_a_date_of_what_belongs_to_the_thing():
    made = found("Q1003", "Q2003", "P84", seen=[READ])
    assert {(r.op, r.first, r.second.property, r.result.number) for r in made} == {
        ("difference", READ, "P569", 140.0),
        ("difference", READ, "P570", 60.0),
    }


def test_of_two_things_of_a_kind_one_is_older_and_one_is_taller():
    made = found("Q1003", "Q4003")
    assert {r.result.entity for r in of("earliest", made)} == {"Q1003"}
    assert {r.result.entity for r in of("latest", made)} == {"Q4003"}
    assert {r.result.entity for r in of("largest", made)} == {"Q4003"}
    assert {r.result.entity for r in of("smallest", made)} == {"Q1003"}
    assert {(r.first.property, r.result.number) for r in of("difference", made)} == {("P2048", 4.5)}


def test_things_of_two_kinds_are_not_compared():
    assert {r.op for r in found("Q1003", "Q2003", "P84")} == {"difference"}
    at = Lookups(COAST)
    assert alike(at, "Q1003", "Q4003") and not alike(at, "Q1003", "Q2003")


def test_what_is_seen_is_not_compared_with_what_is_said():
    seen = replace(READ, property="P571")
    assert not found("Q1003", "Q4003", seen=[seen])
    assert found("Q1003", "Q4003", seen=[replace(seen, seen=False)])


def people() -> SmallFacts:
    """Sixty people Qp0 to Qp59 with years of birth and death."""
    return SmallFacts(
        [
            c
            for i in range(60)
            for c in (
                claim(f"Qp{i}", "P31", "Q5"),
                claim(f"Qp{i}", "P569", year(1700 + i)),
                claim(f"Qp{i}", "P570", year(1790 - i)),
            )
        ],
        {f"Qp{i}": Entity(id=f"Qp{i}", labels={"en": str(i)}, domain="person") for i in range(60)},
    )


def test_nobody_is_asked_which_of_teacher_and_pupil_was_born_first():
    assert not of("earliest", found("Qp1", "Qp2", "P1066", facts=people()))
    assert of("earliest", found("Qp1", "Qp2", "P26", facts=people()))


def test_equal_years_and_years_too_far_apart_are_not_counted():
    def counted(seen: int) -> set[float]:
        made = found("Q1003", "Q2003", "P84", seen=[replace(READ, value=year(seen))])
        return {r.result.number for r in made}

    assert counted(1663) == {80.0} and counted(1743) == {80.0}, "the other date is the same year"
    assert counted(1663 + 400) == {400.0, 320.0}
    assert counted(1663 + 401) == {321.0}


def test_a_ratio_that_would_have_to_be_rounded_is_not_asked():
    def ratios(one: float, other: float) -> list[float]:
        return [r.result.number for r in of("ratio", found_of(one, other))]

    def found_of(one: float, other: float) -> list[Reasoning]:
        heights = {1: one, 2: other}
        facts = SmallFacts(
            [
                c
                for i in range(60)
                for c in (
                    claim(f"Qt{i}", "P31", "Q12518"),
                    claim(f"Qt{i}", "P2048", metres(heights.get(i, 9.0))),
                )
            ],
            {f"Qt{i}": Entity(id=f"Qt{i}", labels={"en": str(i)}) for i in range(60)},
        )
        return found("Qt1", "Qt2", facts=facts)

    assert not found_of(20.0, 20.0), "both are as tall"
    assert ratios(20.0, 50.0) == [2.5] and ratios(20.0, 30.0) == [1.5]
    assert not ratios(30.0, 50.0) and not ratios(50.0, 51.0) and not ratios(50.0, 70.0)


def test_a_date_that_no_page_states_is_observed_only_where_none_must():
    unwritten = Lookups(
        SmallFacts([c for e in COAST.entities for c in COAST.claims(e)], dict(COAST.entities))
    )
    assert {o.property for o in observations(unwritten, "Q1003", 6)} == {"P571", "P2048"}
    assert observations(unwritten, "Q1003", 6, stated=True) == []


def test_of_two_readings_no_years_are_counted_but_from_a_portrait_to_any_date_of_a_person():
    other = replace(READ, node="Q4003", value=year(1850))

    def counted(one: Observation, two: Sequence[Observation], facts: SmallFacts) -> set[str]:
        links = frozenset[str]()
        made = reason_over(Lookups(facts), [one], two, counts=True, compares=False, links=links)
        return {r.second.property for r in made}

    assert not counted(READ, [other], COAST)
    crowd = people()
    assert counted(replace(READ, node="Qp1"), observations(Lookups(crowd), "Qp2", 6), crowd) == {
        "P569",
        "P570",
    }


def test_of_two_people_ages_or_deaths_are_compared_and_no_birth_with_a_death():
    made = of("difference", found("Qp1", "Qp2", "P1066", facts=people()))
    assert {(r.first.property, r.second.property) for r in made} == {
        ("P569", "P569"),
        ("P570", "P570"),
    }
