"""A plan in the request: what a step shows, what is asked, and the bounds of both."""

import pytest
from pydantic import TypeAdapter, ValidationError

from questloom.records.form import Compute, Form, Fuzzy
from questloom.records.knowledge import Article, Section, entity_value
from questloom.records.table import Json
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.plan_words import request_values
from tests.transforms.writing.llm.hostile_store import hostile_store, teacher_plan, town_plan


def told_store(said: str):
    """A store with a page about the architect."""
    store = hostile_store()
    section = Section(title="", level=1, text=said)
    store.articles["Q2"] = Article(
        wiki="enwiki", title="Ivo Mersk", page_id=2, revision=1, entity_id="Q2", sections=(section,)
    )
    return store


def steps(store, plan) -> list[str]:
    return request_values(store, plan, "en", 110)["steps"].splitlines()[1:-1]


def test_a_step_has_three_hints_at_most_and_two_hundred_characters_of_its_sentence():
    said = "Ivo Mersk was a student of Oda Lind, whose school was called "
    first, second, _ = steps(told_store(f"{said}{'l' * 300}."), teacher_plan())
    assert first == "1. Saint Ovid's Cathedral — architect: Ivo Mersk [architect, design, built]"
    shown = f"{said}{'l' * 300}"[:200]
    assert second == f'2. Ivo Mersk — student of: Oda Lind [student of] ("{shown} […]")'


def test_the_step_of_a_vague_clue_shows_no_sentence():
    born = Fuzzy(kind="category", subject="x1", property="P19", object=entity_value("Q15"))
    told = steps(told_store("Ivo Mersk was born in the town of Tolm."), teacher_plan(born))
    assert (
        told[-1]
        == "4. Ivo Mersk — place of birth: some town, not named [place of birth, born, birth]"
    )


def test_a_computed_answer_is_asked_by_its_computation_and_has_no_example():
    plan = teacher_plan()
    form = plan.logical_form
    years = Compute(out="n", op="difference", args=("a", "a"))
    computed = Form(
        clauses=(*form.clauses, years), ask=form.ask.__class__(var="n", type="quantity")
    )
    bindings = {**plan.bindings, "n": plan.bindings["a"]}
    plan = plan.replace(form=Json(computed.to_json()), bindings=bindings)
    asked = request_values(hostile_store(), plan, "en", 110)
    assert asked["asked"].startswith('what is computed: "1 February 1790 is the difference of ')
    assert asked["example"] == ""


def test_an_example_is_asked_for_the_named_thing_but_for_no_century():
    plan = teacher_plan()
    century = plan.replace(answer=plan.answer.replace(text="18th century", precision="century"))
    examples = [
        request_values(hostile_store(), p, "en", 110)["example"]
        for p in (plan, century, town_plan())
    ]
    assert examples == [
        "On what date was Oda Lind born?",
        "",
        "Who designed Saint Ovid's Cathedral?",
    ]


@pytest.mark.parametrize("setting", ["plans", "votes"])
def test_a_recipe_may_ask_for_one_to_ten_plans_and_votes(setting):
    rules = TypeAdapter(LlmRules)
    assert [getattr(rules.validate_python({setting: n}), setting) for n in (1, 10)] == [1, 10]
    for num in (0, 11):
        with pytest.raises(ValidationError):
            rules.validate_python({setting: num})
