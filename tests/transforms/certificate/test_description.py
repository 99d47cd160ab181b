"""How each variable is identified: how far it lies from what is asked, by which clauses, and after which other variables."""

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
)
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.certificate.description import descriptions, distances
from tests.small_facts import year

ASK = Ask(var="a", type="date")
HOPS = (
    Image(var="x0"),
    ClaimClause(subject="x0", property="P84", object="x1"),
    ClaimClause(subject="x2", property="P1066", object="x1"),
    ClaimClause(subject="x2", property="P569", object="a"),
)
BINDING = {
    "x0": entity_value("Q1"),
    "x1": entity_value("Q2"),
    "x2": entity_value("Q3"),
    "a": year(1800),
    "y": year(1700),
    "z": entity_value("Q4"),
    "h": Value(kind="quantity", number=30.0),
}


def parts(*clauses, ask: str = "a") -> dict[str, tuple[list[tuple], tuple[str, ...]]]:
    """By variable, in order: (role, property, key of the known end) of each part, and the variables that it rests on."""
    found = descriptions(Form(clauses=clauses, ask=Ask(var=ask, type="date")), BINDING)
    return {
        d.var: (
            [(p.role, p.property, p.value.key() if p.value else "") for p in d.parts],
            d.predecessors,
        )
        for d in found
    }


def test_variables_are_as_far_as_the_clauses_between_and_those_that_hang_on_nothing_are_absent():
    assert distances(Form(clauses=HOPS, ask=ASK)) == {"a": 0, "x2": 1, "x1": 2, "x0": 3}
    assert distances(Form(clauses=(*HOPS, ClassClause(var="loose", class_id="Q5")), ask=ASK)) == {
        "a": 0,
        "x2": 1,
        "x1": 2,
        "x0": 3,
    }


def test_a_path_is_described_from_the_picture_inward_each_stop_by_its_hop():
    assert parts(*HOPS) == {
        "x1": ([("of", "P84", "Q1")], ("x0",)),
        "x2": ([("has", "P1066", "Q2")], ("x1",)),
        "a": ([("of", "P569", "Q3")], ("x2",)),
    }
    assert list(parts(*HOPS)) == ["x1", "x2", "a"]


def test_classes_constants_and_sentences_are_parts_and_unknown_ends_are_none():
    text = {"article_id": "", "revision": 0, "section": 0, "start": 0, "end": 0}
    found = parts(
        *HOPS,
        ClassClause(var="x1", class_id="Q5"),
        ClaimClause(subject="x1", property="P27", object=entity_value("Q9")),
        ClaimClause(subject=entity_value("Q8"), property="P800", object="x1"),
        SentenceClause(subject="x1", object=entity_value("Q7"), **text),
        SentenceClause(subject="x0", object="x1", **text),
    )
    assert found["x1"] == (
        [
            ("of", "P84", "Q1"),
            ("kind", "", ""),
            ("has", "P27", "Q9"),
            ("of", "P800", "Q8"),
            ("sentence", "", "Q7"),
            ("sentence", "", "Q1"),
        ],
        ("x0",),
    )


def test_what_is_read_on_the_picture_is_given_and_what_is_computed_needs_no_description():
    read = parts(
        HOPS[0],
        Reads(var="y", of="x0", property="P1684"),
        ClaimClause(subject="x1", property="P571", object="y"),
        ClaimClause(subject="x1", property="P569", object="a"),
    )
    assert read == {
        "x1": ([("has", "P571", year(1700).key())], ("y",)),
        "a": ([("of", "P569", "Q2")], ("x1",)),
    }
    computed = parts(
        HOPS[0],
        ClaimClause(subject="x0", property="P571", object="y"),
        ClaimClause(subject="x0", property="P576", object="a"),
        Compute(out="n", op="difference", args=("y", "a")),
        ask="n",
    )
    assert set(computed) == {"y", "a"}


def test_a_literal_that_is_only_compared_is_a_range_of_its_thing_whichever_side_it_stands_on():
    tall, by = (
        ClaimClause(subject="x1", property="P2048", object="h"),
        ClaimClause(subject="x1", property="P84", object="x0"),
    )
    bound = Value(kind="quantity", number=20.0)
    asks = ClaimClause(subject="x1", property="P569", object="a")
    for left, right, is_left in (("h", bound, True), (bound, "h", False)):
        form = Form(
            clauses=(HOPS[0], by, tall, asks, Compare(left=left, op=">", right=right)), ask=ASK
        )
        x1, a = descriptions(form, BINDING)
        (ranged,) = [p for p in x1.parts if p.role == "range"]
        assert (ranged.property, ranged.value, ranged.op, ranged.own_side_left, x1.var, a.var) == (
            "P2048",
            bound,
            ">",
            is_left,
            "x1",
            "a",
        )


def test_a_literal_that_is_asked_computed_with_or_claimed_of_two_things_is_described_by_itself():
    tall, bound = (
        ClaimClause(subject="x0", property="P2048", object="h"),
        Compare(left="h", op=">", right=Value(kind="quantity", number=20.0)),
    )
    assert list(parts(HOPS[0], tall, bound, ask="h")) == ["h"]
    doubled = parts(HOPS[0], tall, bound, Compute(out="n", op="sum", args=("h", "h")), ask="n")
    assert list(doubled) == ["h"]
    shared = parts(
        HOPS[0],
        tall,
        ClaimClause(subject="x1", property="P2048", object="h"),
        bound,
        ClaimClause(subject="x1", property="P569", object="a"),
    )
    assert "h" in shared and shared["x1"][0][0] == ("has", "P2048", BINDING["h"].key())
    alone = parts(
        HOPS[0],
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x1", property="P2048", object="h"),
        ask="h",
    )
    assert list(alone) == ["x1", "h"]


def test_a_range_against_what_is_not_known_yet_is_no_part():
    other = ClaimClause(subject="x2", property="P2048", object="y")
    form = Form(
        clauses=(
            HOPS[0],
            ClaimClause(subject="x1", property="P84", object="x0"),
            ClaimClause(subject="x1", property="P2048", object="h"),
            ClaimClause(subject="x1", property="P40", object="x2"),
            other,
            Compare(left="h", op=">", right="y"),
            ClaimClause(subject="x1", property="P569", object="a"),
        ),
        ask=ASK,
    )
    x1 = next(d for d in descriptions(form, BINDING) if d.var == "x1")
    assert "range" not in {p.role for p in x1.parts}
