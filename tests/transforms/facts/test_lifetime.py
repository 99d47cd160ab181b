"""Dates of a life that the store's own claims do not allow."""

import pytest

from questloom.records.knowledge import Claim
from questloom.transforms.facts.lifetime import LONGEST, contradicted
from tests.small_facts import SmallFacts, claim, year

LIFE = [claim("Q1", "P569", year(1784)), claim("Q1", "P570", year(1850))]
WAR = [claim("Q1", "P607", "Q9"), claim("Q9", "P580", year(1846)), claim("Q9", "P582", year(1848))]


def of(*claims: Claim) -> bool:
    return contradicted(SmallFacts(list(claims)), "Q1")


def test_a_life_with_its_war_spouse_and_work_within_it_stands():
    assert not of(
        *LIFE,
        *WAR,
        claim("Q1", "P26", "Q2"),
        claim("Q2", "P569", year(1788)),
        claim("Q1", "P2031", year(1808)),
        claim("Q1", "P4602", year(1850)),
    )


@pytest.mark.parametrize(
    "more",
    [
        [claim("Q1", "P569", year(1849)), claim("Q1", "P570", year(1921)), *WAR],
        [claim("Q1", "P570", year(1840)), *WAR],
        [*LIFE, claim("Q1", "P2031", year(1700))],
        [*LIFE, claim("Q1", "P2031", year(1900))],
        [*LIFE, claim("Q1", "P4602", year(1849))],
        [*LIFE, claim("Q1", "P26", "Q2"), claim("Q2", "P570", year(1783))],
        [*LIFE, claim("Q1", "P184", "Q2"), claim("Q2", "P569", year(1856))],
    ],
    ids=[
        "a war before birth",
        "a war after death",
        "work before birth",
        "work begun after death",
        "a burial before death",
        "a spouse long dead",
        "a teacher not yet born",
    ],
)
def test_a_life_that_misses_what_it_was_part_of_is_contradicted(more):
    assert of(*more)


def test_nobody_dies_before_birth_or_outlives_everybody():
    assert of(claim("Q1", "P569", year(1850)), claim("Q1", "P570", year(1784)))
    assert of(claim("Q1", "P569", year(1784)), claim("Q1", "P570", year(1784 + LONGEST + 1)))
    assert not of(claim("Q1", "P569", year(1784)), claim("Q1", "P570", year(1784 + LONGEST)))


def test_what_is_not_known_contradicts_nothing():
    assert not of(claim("Q1", "P570", year(1850)), claim("Q1", "P607", "Q9")) and not of(*WAR)


@pytest.mark.parametrize(
    "more",
    [
        [claim("Q1", "P2031", year(1784))],
        [claim("Q1", "P2031", year(1850))],
        [claim("Q1", "P607", "Q9"), claim("Q9", "P580", year(1850))],
        [claim("Q1", "P607", "Q9"), claim("Q9", "P582", year(1784))],
        [claim("Q1", "P1066", "Q2"), claim("Q2", "P570", year(1784))],
    ],
    ids=[
        "work from birth",
        "work begun in the year of death",
        "a war in the last year",
        "a war in the first year",
        "a teacher dead in the first year",
    ],
)
def test_what_falls_into_the_first_or_the_last_year_of_a_life_is_within_it(more):
    assert not of(*LIFE, *more)


def test_a_child_may_die_in_the_year_of_its_birth():
    assert not of(claim("Q1", "P569", year(1784)), claim("Q1", "P570", year(1784)))
