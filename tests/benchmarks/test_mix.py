"""What a run is made of, counted: levels, hops, kinds of work, relations, repeated words."""

from benchmarks.mix import lines, ways
from questloom.records.form import Ask, ClaimClause, Form, Image, Reads
from questloom.records.knowledge import entity_value
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate, Question
from questloom.records.table import Json


def question(number: int, level: str, property: str, *more, text: str = "", width: int = 1):
    form = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x0", property=property, object="a"), *more),
        ask=Ask(var="a", type="entity"),
    )
    return Question(
        seed_id=f"s{number}",
        seed_entity="Q1",
        method="paths",
        level=level,
        domain="other",
        text=text or f"Which {number}?",
        writer="graph",
        answer=Answer(value=entity_value("Q2"), text="x", type="entity"),
        form=Json(form.to_json()),
        certificate=Certificate(basis="margin", margin=2, effective_hops=2),
        route=Route(calls=number, depth=1, pages=1, looks=1, treewidth=width),
    )


def test_each_line_counts_what_it_says():
    reads = Reads(var="r", of="x0", property="P1684", part="Q3")
    made = lines(
        [
            question(3, "easy", "P84", text="Who?"),
            question(5, "easy", "P1451", text="Who?", width=2),
            question(6, "hard", "P84", reads),
            question(6, "hard", "P84", Reads(var="s", of="a", property="P1684"), text="What?"),
        ]
    )
    for said in (
        "kept: 4",
        "level easy: 2 (50.0%)",
        "effective hops 2: 4 (100.0%)",
        "work detail: 1 (25.0%)",
        "work mid-chain picture: 1 (25.0%)",
        "reads a detail: 2 (50.0%)",
        "reads a later picture: 1 (25.0%)",
        "computes: 0 (0.0%)",
        "meets (treewidth 2 or more): 1 (25.0%)",
        "pass or ask a curiosity: 1 (25.0%)",
        "words that another question has: 1 (25.0%)",
        "damaged pictures: 0 (0.0%)",
        "route, easy: median 4 calls",
    ):
        assert said in made, (said, made)
    assert made[-4].startswith("relations: 2, the commonest on P84 75.0%")


def test_a_way_of_saying_a_relation_is_counted_once_a_question():
    said = ways(
        [
            question(
                3, "easy", "P84", text="Who is the architect of what this architect designed?"
            ),
            question(4, "easy", "P84", text="Who designed it?"),
            question(5, "easy", "P88", text="Who had this castle built?"),
            question(6, "easy", "P88", text="Who ordered it?"),
        ]
    )
    assert said == {("P84", "architect"): 1, ("P84", "designed"): 1, ("P88", "had … built"): 1}
