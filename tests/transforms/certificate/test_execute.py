"""A form as a query: each kind of clause, what a comparison can tell, and where it is too much to enumerate."""

import pytest

from questloom.records.form import (
    Ask,
    ClaimClause,
    ClassClause,
    Compare,
    Compute,
    Form,
    Image,
    Reads,
    SentenceClause,
    variables,
)
from questloom.records.knowledge import Detail, ImageAsset, Value, entity_value
from questloom.transforms.certificate.execute import (
    TooLarge,
    answers,
    coarsen_to_ask,
    cost,
    extend,
    holds,
    matching_subjects,
    solutions,
)
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import HUMAN, LIGHTHOUSE, crowd


def day(text: str) -> Value:
    return Value(kind="time", time=f"+{text}T00:00:00Z", precision=11)


def number(value: float, unit: str = "") -> Value:
    return Value(kind="quantity", number=value, unit=unit)


def about(value: float, more_or_less: float) -> Value:
    return Value(
        kind="quantity", number=value, lower=value - more_or_less, upper=value + more_or_less
    )


def period(year: str, precision: int) -> Value:
    return Value(kind="time", time=f"{year}-00-00T00:00:00Z", precision=precision)


CENTURY, JULIAN = (
    period("+1900", 7),
    Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786"),
)
MONTH, DECADE = (
    Value(kind="time", time="+1832-05-00T00:00:00Z", precision=10),
    Value(kind="time", time="+1830-00-00T00:00:00Z", precision=8),
)


@pytest.mark.parametrize(
    ("left", "op", "right", "found"),
    [
        (year(1831), "<", year(1832), True),
        (year(1832), "<", year(1831), False),
        (year(1832), ">", year(1831), True),
        (year(1831), ">", year(1832), False),
        (day("1832-05-04"), "<", year(1832), False),
        (day("1832-05-04"), ">", year(1832), False),
        (year(1832), "<", day("1832-05-04"), None),
        (day("1832-05-04"), "<", day("1832-05-05"), True),
        (day("1832-05-05"), "<", day("1832-05-04"), False),
        (day("1832-05-05"), ">", day("1832-05-04"), True),
        (day("1832-05-04"), ">", day("1832-05-04"), False),
        (MONTH, "<", day("1832-05-04"), None),
        (day("1832-05-04"), ">", MONTH, None),
        (DECADE, "<", year(1832), None),
        (year(1832), "<", DECADE, None),
        (day("1832-05-04"), "=", year(1832), True),
        (year(1833), "=", year(1832), False),
        (number(1), "<", number(2), True),
        (number(2), "<", number(2), False),
        (number(3), ">", number(2), True),
        (number(2), ">", number(2), False),
        (number(2), "=", number(2), True),
        (number(1), "=", number(2), False),
        (number(1, "Qm"), "<", number(2, "Qkm"), None),
        (entity_value("Q1"), "=", entity_value("Q1"), True),
        (entity_value("Q1"), "=", entity_value("Q2"), False),
        (entity_value("Q1"), "<", entity_value("Q2"), None),
        (number(1), "<", year(1832), None),
        (CENTURY, "<", year(1901), True),
        (CENTURY, "<", year(1900), None),
        (CENTURY, ">", year(1800), True),
        (CENTURY, ">", year(1801), None),
        (year(1901), ">", CENTURY, True),
        (CENTURY, "=", year(1900), True),
        (CENTURY, "=", year(1800), False),
        (DECADE, "<", CENTURY, None),
        (period("-0100", 7), "<", year(1), True),
        (period("-0044", 9), "<", period("-0043", 9), True),
        (period("-0044", 9), ">", period("-0043", 9), False),
        (JULIAN, "=", day("1643-01-04"), True),
        (JULIAN, "=", day("1642-12-25"), False),
        (JULIAN, ">", day("1643-01-03"), True),
        (JULIAN, "<", day("1643-01-04"), False),
        (JULIAN, "<", year(1644), True),
        (JULIAN, ">", year(1641), True),
        (JULIAN, "<", year(1643), None),
        (JULIAN, ">", year(1642), None),
        (about(35, 2), "<", number(38), True),
        (about(35, 2), "<", number(37), None),
        (about(35, 2), ">", about(31, 1), True),
        (number(35), "<", about(35, 2), None),
        (about(35, 2), "=", number(35), True),
    ],
)
def test_a_comparison_holds_does_not_or_cannot_be_made(left, op, right, found):
    assert holds(op, left, right) is found


FACTS = SmallFacts(crowd(5))


def work(clause, binding) -> float:
    return cost(clause, variables(clause), binding, FACTS)


def test_work_is_a_test_before_a_look_up_before_an_enumeration_and_infinite_where_nothing_is_known():
    hop, back = (
        ClaimClause(subject="x", property="P84", object="y"),
        ClaimClause(subject="x", property="P571", object=year(1700)),
    )
    x, y = {"x": entity_value("Q1000")}, {"y": entity_value("Q2000")}
    assert (
        work(hop, {**x, **y}) == 0
        and work(hop, x) == 1
        and work(hop, y) == 2
        and work(hop, {}) == float("inf")
    )
    assert work(back, {}) == 2 and work(back, x) == 0
    assert (
        work(ClassClause(var="x", class_id=LIGHTHOUSE), {}) == 6
        and work(ClassClause(var="x", class_id=LIGHTHOUSE), x) == 0
    )
    assert work(Reads(var="r", of="x", property="P1"), x) == 1 and work(
        Reads(var="r", of="x", property="P1"), {}
    ) == float("inf")
    text = SentenceClause(
        subject="x", object="y", article_id="", revision=0, section=0, start=0, end=0
    )
    assert work(text, x) == 1 and work(text, y) == float("inf") and work(text, {**x, **y}) == 0
    compare, total = (
        Compare(left="x", op="<", right="y"),
        Compute(out="n", op="sum", args=("x", "y")),
    )
    assert work(compare, {**x, **y}) == 0 and work(compare, x) == float("inf")
    assert (
        work(total, {**x, **y}) == 0
        and work(total, x) == float("inf")
        and work(total, {**x, "n": number(1)}) == float("inf")
    )


def extended(
    clause, limit: int = 100, facts: SmallFacts = FACTS, **binding: Value
) -> list[dict[str, str]]:
    return [
        {v: value.key() for v, value in found.items()}
        for found in extend(clause, binding, facts, limit)
    ]


def test_a_claim_gives_its_value_its_subjects_or_stands():
    hop = ClaimClause(subject="x", property="P84", object="y")
    assert extended(hop, x=entity_value("Q1000")) == [{"x": "Q1000", "y": "Q2000"}]
    assert extended(hop, y=entity_value("Q2000")) == [{"y": "Q2000", "x": "Q1000"}]
    assert extended(hop, x=entity_value("Q1000"), y=entity_value("Q2000")) == [
        {"x": "Q1000", "y": "Q2000"}
    ]
    assert extended(hop, x=entity_value("Q1000"), y=entity_value("Q2001")) == []


def test_a_claim_that_holds_twice_is_one_solution_and_unknown_values_are_none():
    unknown = SmallFacts(
        [
            claim("Q1", "P84", Value(kind="somevalue")),
            claim("Q1", "P84", Value(kind="novalue")),
            claim("Q1", "P84", "Q2"),
        ]
    )
    assert extended(
        ClaimClause(subject="x", property="P84", object="y"), facts=unknown, x=entity_value("Q1")
    ) == [{"x": "Q1", "y": "Q2"}]
    twice = SmallFacts(
        [claim("Q1", "P571", day("1832-05-04")), claim("Q1", "P571", day("1832-05-05"))]
    )
    assert (
        len(
            extended(
                ClaimClause(subject="x", property="P571", object=year(1832)),
                facts=twice,
                x=entity_value("Q1"),
            )
        )
        == 1
    )


def test_a_class_gives_its_members_or_is_tested():
    kind = ClassClause(var="x", class_id=LIGHTHOUSE)
    assert (
        len(extended(kind)) == 5
        and extended(kind, x=entity_value("Q1000")) == [{"x": "Q1000"}]
        and extended(kind, x=entity_value("Q2000")) == []
    )


def test_what_is_beyond_the_limit_is_not_enumerated():
    assert len(extended(ClassClause(var="x", class_id=LIGHTHOUSE), limit=5)) == 5
    with pytest.raises(TooLarge):
        extended(ClassClause(var="x", class_id=LIGHTHOUSE), limit=4)
    human = entity_value(HUMAN)
    assert len(matching_subjects(FACTS, "P31", human, 5)) == 5
    with pytest.raises(TooLarge):
        matching_subjects(FACTS, "P31", human, 4)


def test_a_comparison_that_cannot_be_made_does_not_hold_and_a_computed_value_must_be_the_known_one():
    assert extended(Compare(left="x", op="<", right=number(2)), x=number(1)) and not extended(
        Compare(left="x", op="<", right=number(2)), x=year(1)
    )
    total = Compute(out="n", op="sum", args=("x", number(2)))
    assert extended(total, x=number(1)) == [{"x": number(1).key(), "n": number(3).key()}]
    assert (
        extended(total, x=number(1), n=number(3))
        and not extended(total, x=number(1), n=number(4))
        and not extended(total, x=entity_value("Q1"))
    )


def test_a_detail_gives_its_readings_or_is_tested():
    plaque = Detail(property="P1684", part="Qp", value=Value(kind="string", text="ANNO 1832"))
    asset = ImageAsset(
        id="i",
        file="i.jpg",
        mime="image/jpeg",
        width=9,
        height=9,
        num_bytes=1,
        licence="CC0",
        details=(plaque,),
    )
    facts = SmallFacts(crowd(1), images={"Q1000": (asset,)})
    reads = Reads(var="r", of="x", property="P1684", part="Qp")
    x = entity_value("Q1000")
    assert (
        extended(reads, facts=facts, x=x)
        == [{"x": "Q1000", "r": year(1832).key()}]
        == extended(reads, facts=facts, x=x, r=year(1832))
    )
    assert (
        extended(reads, facts=facts, x=x, r=year(1833))
        == []
        == extended(Reads(var="r", of="x", property="P1684"), facts=facts, x=x)
    )


def test_a_sentence_of_no_page_leads_nowhere_and_a_picture_says_nothing():
    """What a page says is tried in tests/transforms/planning/test_told_steps.py."""
    text = SentenceClause(
        subject="x", object="y", article_id="", revision=0, section=0, start=0, end=0
    )
    assert extended(text, x=entity_value("Q1")) == []
    assert extended(text, x=entity_value("Q1"), y=entity_value("Q2")) == []
    assert extended(Image(var="x")) == [{}]


OPENED = Form(
    clauses=(
        Image(var="x"),
        ClaimClause(subject="y", property="P84", object="x"),
        ClaimClause(subject="y", property="P571", object="a"),
    ),
    ask=Ask(var="a", type="date", precision="year"),
)


def test_answers_are_distinct_as_asked_and_counted_up_to_the_most():
    claims = [
        claim("Q1", "P84", "Q9"),
        claim("Q1", "P571", day("1832-05-04")),
        claim("Q2", "P84", "Q9"),
        claim("Q2", "P571", day("1832-06-04")),
        claim("Q3", "P84", "Q9"),
        claim("Q3", "P571", year(1840)),
        claim("Q4", "P84", "Q9"),
        claim("Q4", "P571", year(1850)),
        claim("Q5", "P84", "Q9"),
        claim("Q5", "P571", year(1860)),
    ]
    given = {"x": entity_value("Q9")}
    assert [v.year for v in answers(OPENED, SmallFacts(claims), given)] == [1832, 1840, 1850]
    assert (
        len(answers(OPENED, SmallFacts(claims), given, most=1)) == 1
        and len(answers(OPENED, SmallFacts(claims), given, most=9)) == 4
    )
    assert len(list(solutions(OPENED, SmallFacts(claims), given))) == 5


OF_A_KIND, BUILT = (
    ClassClause(var="x", class_id=LIGHTHOUSE),
    ClaimClause(subject="x", property="P84", object="y"),
)
TAUGHT = ClaimClause(subject="y", property="P69", object="a")
BEFORE = (
    ClaimClause(subject="x", property="P571", object="o"),
    ClaimClause(subject="y", property="P569", object="b"),
    Compare(left="b", op=">", right="o"),
)


@pytest.mark.parametrize(
    ("clauses", "given", "num", "found"),
    [
        ((OF_A_KIND, BUILT, TAUGHT), {}, 40, ["Q40", "Q41"]),
        ((OF_A_KIND, TAUGHT), {"a": "Q41"}, 800, ["Q41"]),
        ((OF_A_KIND, BUILT, TAUGHT, *BEFORE), {}, 1, ["Q41"]),
        ((BUILT, TAUGHT, *BEFORE), {"a": "Q41"}, 1, ["Q41"]),
        ((BUILT, TAUGHT, *BEFORE), {"a": "Q40"}, 0, []),
    ],
    ids=["shared", "apart", "one other fits", "one of many fits", "none fits"],
)
def test_an_answer_is_found_once_and_is_found_although_others_with_its_value_do_not_fit(
    clauses, given, num, found
):
    """The last lighthouse alone is older than its architect, who went to the second school."""
    claims = [c for c in crowd(40) if (c.subject, c.property) != ("Q1039", "P571")]
    claims += [claim(f"Q2{i:03}", "P69", f"Q4{i % 2}") for i in range(40)]
    facts = SmallFacts([*claims, claim("Q1039", "P571", year(1690))])
    form = Form(clauses=clauses, ask=Ask(var="a", type="entity"))
    known = {var: entity_value(key) for var, key in given.items()}
    assert len(list(solutions(form, facts, known))) == num
    assert sorted(b["a"].entity for b in solutions(form, facts, known, asked="a")) == found


def test_a_form_without_a_known_end_cannot_be_executed():
    with pytest.raises(TooLarge):
        list(solutions(OPENED, SmallFacts(crowd(3)), {}))


def test_a_date_is_given_at_the_precision_that_is_asked():
    by_year = Ask(var="a", type="date", precision="year")
    assert (
        coarsen_to_ask(day("1832-05-04"), by_year) == year(1832) == coarsen_to_ask(MONTH, by_year)
    )
    assert coarsen_to_ask(day("1832-05-04"), Ask(var="a", type="date", precision="day")) == day(
        "1832-05-04"
    )
    assert coarsen_to_ask(DECADE, by_year) == DECADE and coarsen_to_ask(
        number(3), Ask(var="a", type="quantity")
    ) == number(3)
