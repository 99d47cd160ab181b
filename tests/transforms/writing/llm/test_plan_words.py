"""A plan in the request: what a step shows, what is asked, and the bounds of both."""

import pytest
from pydantic import TypeAdapter, ValidationError

from questloom.records.form import ClaimClause, ClassClause, Compute, Form, Fuzzy
from questloom.records.knowledge import Article, Section, entity_value
from questloom.records.table import Json
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.plan_words import request_values
from tests.small_facts import claim
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
    assert first.endswith(
        " — architect: Ivo Mersk (Ivo Mersk designed Saint Ovid's Cathedral) [architect, design, built]"
    )
    shown = f"{said}{'l' * 300}"[:200]
    assert second.endswith(f' [student of] ("{shown} […]")')


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


def test_a_claim_that_the_store_lacks_or_that_is_quoted_already_shows_no_sentence():
    founded = ClaimClause(subject="x0", property="P571", object="a")
    store = told_store("Ivo Mersk was a student of Oda Lind.")
    store._of["Q1"].append(claim("Q1", "P571", teacher_plan().answer.value))
    section = Section(title="", level=1, text="The cathedral was founded on 1 February 1790.")
    store.articles["Q1"] = store.articles["Q2"].replace(entity_id="Q1", sections=(section,))
    lacking = ClaimClause(subject="x1", property="P119", object="x2")
    *_, shown, unknown = steps(store, teacher_plan(founded, lacking))
    assert shown.count("The cathedral was founded") == 1
    assert unknown.startswith("5. Ivo Mersk — place of burial: Oda Lind [") and unknown[-1] == "]"


def test_the_asked_thing_is_called_by_its_own_class_and_a_named_subject_is_asked_of():
    plan = town_plan()
    form = plan.logical_form
    town = ClassClause(var="x0", class_id="Q15")
    lies_in = ClaimClause(subject="a", property="P131", object="x0")
    cathedral = ClassClause(var="a", class_id="Q10")
    which = Form(clauses=(form.clauses[0], town, cathedral, lies_in), ask=form.ask)
    drawn = ClaimClause(subject=entity_value("Q7"), property="P84", object="a")
    named = Form(clauses=(*form.clauses[:3], drawn), ask=form.ask)
    bound = {"x0": "Q4", "x1": "Q1", "a": "Q2"}
    asked = [
        request_values(
            hostile_store(), plan.replace(form=Json(f.to_json()), bindings=bound), "en", 110
        )
        for f in (which, named)
    ]
    assert asked[0]["asked"] == "which cathedral it is" and asked[0]["example"] == ""
    assert asked[1]["example"] == "Who designed Brisk Light?"


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
    assert (LlmRules().plans, LlmRules().votes) == (2, 1)
    assert [getattr(rules.validate_python({setting: n}), setting) for n in (1, 10)] == [1, 10]
    for num in (0, 11):
        with pytest.raises(ValidationError):
            rules.validate_python({setting: num})
