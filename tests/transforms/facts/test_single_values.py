"""The one value of a class just on either side of its bar, and what is open without the picture."""

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Compute, Form, Image
from questloom.records.knowledge import (
    PropertyInfo,
    Qualifier,
    Value,
    entity_value,
)
from questloom.transforms.certificate.guess import (
    commonest_share,
    guess_of_kind,
    num_answers_without_picture,
)
from questloom.transforms.facts.completeness import nearly_complete, share_seen
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.trust import Trust
from questloom.transforms.facts.values import is_functional
from tests.small_facts import SmallFacts, claim, year


def towns(number: int, *more) -> SmallFacts:
    """Towns that each lie in a county and in the state."""
    return SmallFacts(
        [
            c
            for i in range(number)
            for c in (
                claim(f"Qt{i}", "P31", "Qtown"),
                claim(f"Qt{i}", "P131", f"Qc{i}"),
                claim(f"Qc{i}", "P31", "Qcounty"),
                claim(f"Qt{i}", "P131", "Qs"),
                claim("Qs", "P31", "Qstate"),
            )
        ]
        + list(more)
    )


def one(facts: SmallFacts, trust: Trust = Trust()):
    return single_value(Lookups(facts, trust), "Qt3", "P131", "Qcounty")


def test_twenty_members_show_that_there_is_one_of_the_class_and_one_exception_that_there_is_not():
    assert one(towns(20)) == entity_value("Qc3") and one(towns(19)) is None
    doubled = towns(40, claim("Qt7", "P131", "Qc8"))
    assert one(doubled) is None and one(doubled, Trust(measured=0.97)) == entity_value("Qc3")
    assert one(doubled, Trust(measured=1 / (1 + 1.05 / 41))) == entity_value("Qc3"), (
        "the bar itself is enough"
    )


def test_the_one_value_of_a_functional_property_needs_no_class_and_an_unknown_one_is_none():
    facts = SmallFacts(
        [
            *(
                claim(f"Q1{i:02}", p, v)
                for i in range(60)
                for p, v in (("P31", "Qa"), ("P84", f"Q2{i:02}"))
            ),
            claim("Q199", "P31", "Qa"),
            claim("Q199", "P84", Value(kind="novalue")),
        ]
    )
    assert single_value(Lookups(facts), "Q101", "P84") == entity_value("Q201")
    assert (
        single_value(Lookups(facts), "Q199", "P84") is None
        and single_value(Lookups(facts), "Q197", "P84") is None
    )


@pytest.mark.parametrize(
    ("single", "best", "separators", "functional"),
    [
        (True, False, (), True),
        (False, True, (), True),
        (False, False, (), False),
        (True, True, ("P585",), False),
    ],
)
def test_a_constraint_counts_without_any_subject_seen_unless_it_parts_values(
    single, best, separators, functional
):
    info = PropertyInfo(
        id="P84", single_value=single, single_best_value=best, separators=separators
    )
    facts = SmallFacts(
        [claim("Q1", "P31", "Qa"), claim("Q1", "P84", "Q2")], properties={"P84": info}
    )
    assert is_functional(Lookups(facts), "P84", ("Qa",)) == functional
    assert is_functional(Lookups(facts), "P84", ("Qunseen",)) == functional, (
        "a class without subjects is judged by all"
    )


@pytest.mark.parametrize(("dated", "functional"), [(3, True), (4, False)])
def test_a_property_of_which_more_than_one_in_twenty_is_dated_comes_and_goes(dated, functional):
    period = (Qualifier(property="P580", value=year(1990)),)
    claims = [
        c
        for i in range(60)
        for c in (
            claim(f"Q{i}", "P31", "Qa"),
            claim(f"Q{i}", "P84", f"Qv{i}", qualifiers=period if i < dated else ()),
        )
    ]
    assert is_functional(Lookups(SmallFacts(claims)), "P84", ("Qa",)) == functional


def test_two_hundred_named_things_tell_how_much_is_held():
    assert (
        share_seen(SmallFacts([], references=(100, 200))) == 0.5
        and share_seen(SmallFacts([], references=(100, 199))) is None
    )
    assert nearly_complete(
        Lookups(SmallFacts([], references=(180, 200)), Trust(completeness=0.9)), "Q5"
    )
    assert not nearly_complete(
        Lookups(SmallFacts([], references=(180, 200)), Trust(completeness=0.91)), "Q5"
    )


def test_of_three_compared_a_guess_is_right_once_in_three_and_of_what_is_computed_otherwise_nothing_is_known():
    def of(op: str, out: str = "a") -> float:
        clauses = (
            Image(var="x0"),
            Compute(out=out, op=op, args=("x0", "x1", "x2"), keys=("b", "c", "d")),
        )
        return guess_of_kind(
            Form(clauses=clauses, ask=Ask(var="a", type="entity")), SmallFacts([]), {}
        )

    assert [of(op) for op in ("earliest", "latest", "largest", "smallest")] == [
        pytest.approx(1 / 3)
    ] * 4 and of("sum") == 0.0 == of("earliest", "other")


def test_the_commonest_value_is_counted_among_the_others_and_weighed_with_ten_of_all():
    claims = [
        *(
            c
            for i in range(11)
            for c in (
                claim(f"Q1{i:02}", "P31", "Qa"),
                claim(f"Q1{i:02}", "P37", "Qen" if i < 6 else f"Qo{i}"),
            )
        ),
        *(
            c
            for i in range(90)
            for c in (claim(f"Q2{i:02}", "P31", "Qb"), claim(f"Q2{i:02}", "P37", f"Qp{i}"))
        ),
    ]
    everywhere = (6 - 1) / (101 - 1)
    assert commonest_share(SmallFacts(claims), "P37", "Q100") == pytest.approx(
        (5 + 10 * everywhere) / (10 + 10)
    )
    assert commonest_share(SmallFacts(claims), "P37", "Q999") == pytest.approx(everywhere), (
        "a thing of no class is judged by all"
    )
    assert commonest_share(SmallFacts([claim("Q1", "P37", "Qen")]), "P37", "Q1") == 0.0, (
        "it is the only one"
    )


def test_the_answers_that_the_words_leave_open_are_those_of_the_pictures_class():
    lights = [
        c
        for i in range(3)
        for c in (claim(f"Q1{i}", "P31", "Qlight"), claim(f"Q1{i}", "P571", year(1800 + i)))
    ]
    others = [
        c
        for i in range(30)
        for c in (claim(f"Q2{i}", "P31", "Qother"), claim(f"Q2{i}", "P571", year(1900 + i)))
    ]
    form = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P571", object="a")),
        ask=Ask(var="a", type="date"),
    )
    facts = SmallFacts([*lights, *others])
    assert num_answers_without_picture(form, facts, {"x0": entity_value("Q11")}) == 3
    assert num_answers_without_picture(form, facts, {"x0": entity_value("Q21")}) == 5
    assert num_answers_without_picture(form, facts, {"x0": entity_value("Qnew")}) == 5, (
        "of no class: too many to count"
    )


def test_a_class_that_is_said_of_another_thing_leaves_the_pictures_own_to_be_heard():
    built = [
        c
        for n, kind in enumerate(["Qlight"] * 3 + ["Qother"] * 9)
        for c in (
            claim(f"Q1{n}", "P31", kind),
            claim(f"Q1{n}", "P84", f"Q2{n}"),
            claim(f"Q2{n}", "P31", "Q5"),
            claim(f"Q2{n}", "P569", year(1800 + n)),
        )
    ]
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClassClause(var="x1", class_id="Q5"),
            ClaimClause(subject="x1", property="P569", object="a"),
        ),
        ask=Ask(var="a", type="date"),
    )
    binding = {"x0": entity_value("Q10"), "x1": entity_value("Q20")}
    assert num_answers_without_picture(form, SmallFacts(built), binding) == 3
    said = Form(clauses=(*form.clauses, ClassClause(var="x0", class_id="Qother")), ask=form.ask)
    assert num_answers_without_picture(said, SmallFacts(built), binding) == 5, (
        "the words' class of the picture counts before the store's"
    )
