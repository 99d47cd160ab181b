"""Which properties have one value, with its uncertainty; and which value is the one of its class."""

import pytest

from questloom.records.knowledge import PropertyInfo, Qualifier, Value, entity_value
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.trust import Trust
from questloom.transforms.facts.values import best_values, is_functional, is_volatile
from tests.small_facts import SmallFacts, claim, year

DAY = Value(kind="time", time="+1732-02-22T00:00:00Z", precision=11)


def values(
    property: str, subjects: int, doubled: int, class_id: str = "Qc", start: int = 0
) -> list:
    """Claims of so many subjects, the first of which have two values."""
    return [
        claim(f"Q{class_id}{i}", p, v)
        for i in range(start, start + subjects)
        for p, v in [
            ("P31", class_id),
            (property, f"Qv{i}"),
            *([(property, f"Qw{i}")] if i < start + doubled else []),
        ]
    ]


@pytest.mark.parametrize(
    ("property", "subjects", "doubled", "functional"),
    [
        ("P84", 200, 0, True),
        ("P84", 200, 4, False),  # any property: 0.995
        ("P84", 20, 0, True),
        ("P84", 19, 0, False),  # too little evidence
        ("P19", 200, 3, True),
        ("P19", 200, 6, False),  # one value by its meaning: 0.98
        ("P19", 3, 0, True),  # believed beforehand
    ],
)
def test_a_property_is_functional_by_what_is_seen_and_what_was_believed(
    property, subjects, doubled, functional
):
    assert (
        is_functional(Lookups(SmallFacts(values(property, subjects, doubled))), property, ("Qc",))
        == functional
    )


def test_a_class_that_just_reaches_the_bar_is_functional_and_one_just_below_is_not():
    facts = SmallFacts(values("P84", 200, 2))
    everywhere = (202 - 200 + 1 * 0.05) / (200 + 1)
    reached = 1 / (1 + (202 - 200 + 20 * everywhere) / (200 + 20))
    assert is_functional(
        Lookups(facts, Trust(measured=reached)), "P84", ("Qc",)
    ) and not is_functional(Lookups(facts, Trust(measured=reached + 1e-9)), "P84", ("Qc",))


def test_a_small_class_is_drawn_towards_all_subjects():
    sound, mixed = values("P84", 400, 0), values("P84", 400, 40)
    few = values("P84", 5, 0, "Qd", 500)
    assert is_functional(Lookups(SmallFacts([*sound, *few])), "P84", ("Qd",))
    assert not is_functional(Lookups(SmallFacts([*mixed, *few])), "P84", ("Qd",))


def test_a_class_of_many_subjects_speaks_for_itself():
    claims = [*values("P84", 400, 200), *values("P84", 2000, 0, "Qd", 500)]
    assert is_functional(Lookups(SmallFacts(claims)), "P84", ("Qd",))
    assert not is_functional(Lookups(SmallFacts(claims)), "P84", ("Qd", "Qc"))


def test_the_constraints_of_a_property_lower_the_bar_but_not_for_exceptions_nor_where_values_are_told_apart():
    claims = values("P84", 200, 2)
    single = PropertyInfo(id="P84", single_value=True, exceptions=("Q7",))
    assert not is_functional(Lookups(SmallFacts(claims)), "P84", ("Qc",))
    assert is_functional(Lookups(SmallFacts(claims, properties={"P84": single})), "P84", ("Qc",))
    assert not is_functional(
        Lookups(SmallFacts(claims, properties={"P84": single})), "P84", ("Qc",), "Q7"
    )
    assert not is_functional(
        Lookups(SmallFacts(claims, properties={"P84": single.replace(separators=("P585",))})),
        "P84",
        ("Qc",),
    )
    assert is_functional(
        Lookups(
            SmallFacts(claims, properties={"P84": PropertyInfo(id="P84", single_best_value=True)})
        ),
        "P84",
        ("Qc",),
    )


def test_what_is_often_dated_is_not_functional():
    dated = (Qualifier(property="P580", value=year(1990)),)
    claims = values("P19", 100, 0)
    few = [
        c.replace(qualifiers=dated) if c.property == "P19" and i < 15 else c
        for i, c in enumerate(claims)
    ]
    many = [
        c.replace(qualifiers=dated) if c.property == "P19" and i < 30 else c
        for i, c in enumerate(claims)
    ]
    assert is_functional(Lookups(SmallFacts(few[15:] + claims[:15])), "P19", ("Qc",))
    assert not is_functional(Lookups(SmallFacts(many)), "P19", ("Qc",))


def test_a_number_that_is_told_with_its_date_is_volatile_and_a_lasting_one_is_not():
    dated = (Qualifier(property="P585", value=year(2011)),)
    women, height = (
        Value(kind="quantity", number=812),
        Value(kind="quantity", number=31, unit="Q11573"),
    )
    claims = [
        claim("Q1", "P9999", women, qualifiers=dated),
        claim("Q2", "P9999", women),
        *(claim(f"Q3{n}", "P2048", height) for n in range(60)),
        claim("Q5", "P2048", height, qualifiers=dated),
        claim("Q6", "P26", "Q7", qualifiers=dated),
    ]
    facts = SmallFacts(claims)
    volatile = {c.subject for c in claims if is_volatile(facts, c)}
    assert volatile == {"Q1", "Q2", "Q5"}, (
        "its own date, or that of its property elsewhere; a marriage is no number"
    )
    assert is_volatile(facts, claim("Q8", "P1082", women)), "by the table, however it is told"


@pytest.mark.parametrize(("others", "volatile"), [(19, False), (18, True)])
def test_a_number_of_which_more_than_one_in_twenty_is_dated_is_volatile(others, volatile):
    women, dated = (
        Value(kind="quantity", number=812),
        (Qualifier(property="P585", value=year(2011)),),
    )
    claims = [
        claim("Q1", "P9999", women, qualifiers=dated),
        *(claim(f"Q2{n}", "P9999", women) for n in range(others)),
    ]
    assert is_volatile(SmallFacts(claims), claims[1]) == volatile


def test_a_year_beside_its_day_is_no_second_value():
    facts = SmallFacts(
        [
            claim("Q1", "P569", year(1732)),
            claim("Q1", "P569", DAY),
            claim("Q2", "P569", year(1731)),
            claim("Q2", "P569", DAY),
        ]
    )
    assert best_values(facts, "Q1", "P569") == (DAY,)
    assert len(best_values(facts, "Q2", "P569")) == 2


def counties() -> list:
    """Towns that lie in a county and in the state."""
    return [
        c
        for i in range(40)
        for c in (
            claim(f"Qt{i}", "P31", "Qtown"),
            claim(f"Qt{i}", "P131", f"Qc{i}"),
            claim(f"Qc{i}", "P31", "Qcounty"),
            claim(f"Qt{i}", "P131", "Qs"),
            claim("Qs", "P31", "Qstate"),
        )
    ]


def one(facts, subject="Qt3", class_id="Qcounty"):
    return single_value(Lookups(facts), subject, "P131", class_id)


def test_of_several_values_the_one_of_its_class_is_meant_where_others_have_one_such_too():
    assert one(SmallFacts(counties())) == entity_value("Qc3")
    assert one(SmallFacts(counties()), class_id="") is None
    assert one(SmallFacts(counties()[: 5 * 19])) is None, "too few towns to see it"


def test_two_values_of_the_class_or_one_without_a_class_leave_no_single_one():
    assert one(SmallFacts([*counties(), claim("Qt3", "P131", "Qc4")])) is None
    assert one(SmallFacts([*counties(), claim("Qt3", "P131", "Qunknown")])) is None
    assert one(SmallFacts([*counties(), claim("Qt3", "P131", Value(kind="somevalue"))])) is None
    assert (
        one(
            SmallFacts([*counties(), *(claim(f"Qt{i}", "P131", f"Qc{i + 1}") for i in range(9))]),
            "Qt20",
        )
        is None
    ), "others have two counties"
