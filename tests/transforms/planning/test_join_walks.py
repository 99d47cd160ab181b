"""Two walks from one picture over one set of variables."""

from dataclasses import replace

from questloom.records.form import ClaimClause, ClassClause, Image
from questloom.records.knowledge import entity_value
from questloom.transforms.planning.shapes.chain import Walk
from questloom.transforms.planning.shapes.meet import join_walks

SHOWN = Image(var="x0")
FIRST = ClaimClause(subject="x0", property="P84", object="x1")
TO_TEACHER = Walk(
    ("Q1", "Q2", "Q3"),
    (("P84", False), ("P1066", False)),
    (SHOWN, FIRST, ClaimClause(subject="x1", property="P1066", object="x2")),
)
TO_CHURCH = Walk(
    ("Q1", "Q2", "Q4"),
    (("P84", False), ("P84", True)),
    (
        SHOWN,
        FIRST,
        ClaimClause(subject="x2", property="P84", object="x1"),
        ClassClause(var="x2", class_id="Q9"),
        ClaimClause(subject="x2", property="P131", object=entity_value("Q5")),
    ),
    frozenset({"Q5"}),
)


def test_what_two_ways_share_is_taken_once_and_the_second_end_gets_a_variable_of_its_own():
    joined, end = join_walks(TO_TEACHER, TO_CHURCH)
    assert end == "x3" and joined.things == ("Q1", "Q2", "Q3", "Q4")
    assert joined.clauses == (
        *TO_TEACHER.clauses,
        ClaimClause(subject="x3", property="P84", object="x1"),
        ClassClause(var="x3", class_id="Q9"),
        ClaimClause(subject="x3", property="P131", object=entity_value("Q5")),
    )
    assert joined.said == {"Q5"}


def test_two_ways_that_part_at_the_picture_share_nothing_else_even_in_one_thing_by_two_relations():
    owner = ClaimClause(subject="x0", property="P127", object="x1")
    to_owner = Walk(("Q1", "Q6"), (("P127", False),), (SHOWN, owner))
    joined, end = join_walks(TO_TEACHER, to_owner)
    assert end == "x3" and joined.things == ("Q1", "Q2", "Q3", "Q6")
    assert joined.clauses == (*TO_TEACHER.clauses, replace(owner, object="x3"))
    twice = replace(TO_CHURCH, steps=(("P127", False), ("P84", True)))
    assert join_walks(TO_TEACHER, twice) is None, "they meet before their ends"


def test_a_way_joined_with_its_own_beginning_stays_as_it_is():
    start = Walk(("Q1",))
    assert join_walks(start, TO_CHURCH) == (
        Walk(TO_CHURCH.things, (), TO_CHURCH.clauses, TO_CHURCH.said),
        "x2",
    )
    joined, end = join_walks(TO_CHURCH, start)
    assert end == "x0" and joined.clauses == TO_CHURCH.clauses


def test_ways_that_end_in_one_thing_or_name_what_the_other_hides_are_not_joined():
    assert join_walks(TO_TEACHER, TO_TEACHER) is None
    other = Walk(
        ("Q1", "Q3"),
        (("P50", False),),
        (SHOWN, ClaimClause(subject="x0", property="P50", object="x1")),
    )
    assert join_walks(TO_TEACHER, other) is None
    hidden = Walk(
        ("Q1", "Q5"),
        (("P50", False),),
        (SHOWN, ClaimClause(subject="x0", property="P50", object="x1")),
    )
    assert join_walks(TO_CHURCH, hidden) is None
