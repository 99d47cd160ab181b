"""Where a question stands on the three axes, and the balanced choice of a round's tasks."""

from collections import Counter

import pytest

from questloom.pipeline.evolve.axes import axes_of, balanced, counts, profile_of
from questloom.records.form import Ask, Compare, Compute, Form, Image, SentenceClause
from tests.pipeline.evolve.asked import CLAIM, question

COMPARED = Compare(left="x1", op="<", right="x1")
SENTENCE = SentenceClause(
    subject="x0", object="x1", article_id="a", revision=1, section=0, start=0, end=1
)
COMPUTED = Compute(op="difference", args=("x1", "x1"), out="x2")


@pytest.mark.parametrize(
    ("clauses", "profile"),
    [
        ((), "perception"),
        ((CLAIM,), "perception+search"),
        ((SENTENCE,), "perception+search"),
        ((COMPUTED,), "perception+reasoning"),
        ((COMPARED,), "perception+reasoning"),
        ((CLAIM, COMPUTED), "perception+search+reasoning"),
        ((SENTENCE, COMPARED), "perception+search+reasoning"),
    ],
)
def test_the_abilities_that_a_question_asks_for_are_in_its_form(clauses, profile):
    form = Form(clauses=(Image(var="x0"), *clauses), ask=Ask(var="x1", type="entity"))
    assert profile_of(question(form=form)) == profile


def test_a_question_without_a_form_needs_a_search_as_far_as_is_known():
    assert profile_of(question(form=None)) == "perception+search"


def test_a_question_stands_at_its_topic_or_where_it_has_none_at_its_kind_of_thing():
    assert axes_of(question(domain="arts")) == {
        "domain": "arts",
        "profile": "perception+search",
        "level": "easy",
    }
    assert axes_of(question(domain="arts").replace(topic="history"))["domain"] == "history"


def test_a_round_counts_its_tasks_by_axis_and_by_cell():
    tasks = [question("a"), question("b"), question("c", level="hard", domain="life")]
    assert counts(tasks) == {
        "domain": {"arts": 2, "life": 1},
        "profile": {"perception+search": 3},
        "level": {"easy": 2, "hard": 1},
        "cell": {"arts / perception+search / easy": 2, "life / perception+search / hard": 1},
    }


def chosen(tasks, num: int, **levels: float) -> Counter:
    return Counter(q.level for q in balanced(tasks, num, levels=levels, seed=1))


def test_levels_are_taken_in_proportion_to_their_weights():
    tasks = [question(f"{level}{n}", level) for level in ("easy", "hard") for n in range(12)]
    assert chosen(tasks, 8, easy=1.0, hard=1.0) == {"easy": 4, "hard": 4}
    found = chosen(tasks, 12, easy=1.0, hard=2.0)
    assert found["hard"] == 8, "two hard ones for each easy one"


def test_a_level_without_a_weight_comes_last():
    tasks = [question(f"{level}{n}", level) for level in ("easy", "hard") for n in range(3)]
    assert chosen(tasks, 4, easy=0.3) == {"easy": 3, "hard": 1}


def test_domains_and_levels_weigh_alike_in_the_choice():
    tasks = [
        question(f"{level}{domain}{n}", level, domain=domain)
        for level in ("easy", "hard")
        for domain in ("arts", "life")
        for n in range(9)
    ]
    found = balanced(tasks, 8, levels={"easy": 1.0, "hard": 1.0}, seed=1)
    assert Counter(q.domain for q in found) == {"arts": 4, "life": 4} and Counter(
        q.level for q in found
    ) == {"easy": 4, "hard": 4}


def test_among_equals_the_seed_draws():
    tasks = [question(f"q{n}") for n in range(20)]
    one, other = (
        {q.id for q in balanced(tasks, 5, levels={"easy": 1.0}, seed=seed)} for seed in (1, 2)
    )
    assert one != other and len(one) == 5


def test_of_fewer_questions_than_are_asked_for_all_become_tasks():
    assert (
        len(balanced([question("a"), question("b")], 9, levels={}, seed=1)) == 2
        and balanced([], 9, levels={}, seed=1) == []
    )


def test_a_domain_that_was_taken_counts_as_one_and_a_level_by_its_weight():
    tasks = [question(f"a{n}", "easy", domain="arts") for n in range(30)] + [
        question("x", "easy", domain="life"),
        question("y", "hard", domain="arts"),
    ]
    first, second = balanced(tasks, 2, levels={"easy": 1.5, "hard": 1.5}, seed=1)
    assert first.seed_id.startswith("a") and second.seed_id == "x", (
        "the level again costs 1 / 1.5, the domain again 1"
    )
    first, second = balanced(tasks, 2, levels={"easy": 0.5, "hard": 0.5}, seed=1)
    assert first.seed_id.startswith("a") and second.seed_id == "y", "the level again costs 1 / 0.5"
