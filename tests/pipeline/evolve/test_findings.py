"""What a diagnosis is made of: the published weights, the weighted mean of a task, what recurs and who is blamed."""

import typing

import pytest

from questloom.pipeline.evolve.evolvable import fields_of
from questloom.pipeline.evolve.findings import (
    STAGES,
    WEIGHTS,
    WITHOUT_POLICY,
    Diagnosis,
    Finding,
    Score,
    TaskDiagnosis,
    as_json,
    blamed,
    bounded,
    overall,
    recurring,
)
from questloom.pipeline.recipe import load_recipe
from questloom.prompts.replies import FaultFound


def test_the_weights_are_the_published_ones():
    assert WEIGHTS == {
        "sft": {
            "information_complexity": 1.0,
            "visual_dependency": 1.2,
            "shortcut_leakage": 1.5,
            "verifiability": 1.0,
            "step_appropriateness": 1.2,
            "tool_usage_quality": 1.5,
            "tool_pattern_diversity": 3.0,
        },
        "rl": {
            "information_complexity": 1.0,
            "visual_dependency": 1.2,
            "shortcut_leakage": 1.2,
            "verifiability": 1.0,
            "capability": 1.0,
            "difficulty_match": 2.0,
            "learning_utility": 1.6,
        },
    }
    assert sum(WEIGHTS["rl"].values()) == pytest.approx(9.0) and sum(
        WEIGHTS["sft"].values()
    ) == pytest.approx(10.4)
    assert max(WEIGHTS["rl"], key=WEIGHTS["rl"].__getitem__) == "difficulty_match"
    assert max(WEIGHTS["sft"], key=WEIGHTS["sft"].__getitem__) == "tool_pattern_diversity"


@pytest.mark.parametrize(("complexity", "match", "mean"), [(4, 3, 3.82), (5, -3, 2.60)])
def test_the_papers_worked_scores_have_the_papers_mean(complexity, match, mean):
    """Of two rounds, section 3.2: a task that matched, and one that had become too hard."""
    told = {
        "information_complexity": complexity,
        "visual_dependency": 5,
        "shortcut_leakage": 3,
        "verifiability": 5,
        "capability": 5,
        "difficulty_match": match,
        "learning_utility": 3,
    }
    assert round(overall(told, {}, WEIGHTS["rl"]), 2) == mean


def test_the_mean_is_over_the_dimensions_that_a_task_or_its_batch_has():
    weights = {"a": 1.0, "b": 3.0, "c": 5.0}
    assert overall({"a": 1.0, "elsewhere": 9.0}, {"b": 5.0}, weights) == 4.0, "(1 * 1 + 3 * 5) / 4"
    assert overall({"a": 1.0}, {"a": 5.0}, weights) == 1.0, (
        "a task's own score stands before its batch's"
    )
    assert overall({}, {}, weights) == 0.0


def test_scores_lie_between_minus_five_and_five():
    assert [bounded(value) for value in (-7.0, -5.0, 1.234, 1.236, 5.0, 7.0)] == [
        -5.0,
        -5.0,
        1.23,
        1.24,
        5.0,
        5.0,
    ]


def found(task: str, cause: str, severity: float, stage: str = "filters") -> Finding:
    return Finding(task, stage, cause, severity, f"{cause} of {task}")


def test_what_recurs_is_weighed_once_a_task_by_its_worst_finding_and_the_heaviest_comes_first():
    light = [found(f"t{n}", "light", 1.0) for n in (3, 1, 2)]
    heavy = [
        found("t1", "heavy", 2.0),
        found("t1", "heavy", 4.0),
        found("t1", "heavy", 3.0),
        found("t2", "heavy", 0.5),
        found("t3", "heavy", 0.005),
    ]
    assert recurring([*light, *heavy], least=3) == [
        ("filters", "heavy", 4.5, ["t1", "t2", "t3"]),
        ("filters", "light", 3.0, ["t1", "t2", "t3"]),
    ]
    assert recurring([*light, *heavy], least=4) == []


def test_of_equal_weight_comes_first_what_stands_first_in_the_alphabet():
    both = [
        found(task, cause, 1.0, stage)
        for task in ("t1", "t2")
        for stage, cause in (("writer", "a"), ("paths", "c"), ("paths", "b"))
    ]
    assert [(stage, cause) for stage, cause, _, _ in recurring(both, least=2)] == [
        ("paths", "b"),
        ("paths", "c"),
        ("writer", "a"),
    ]


def test_the_stage_is_blamed_on_which_all_that_recurs_weighs_most():
    two = [
        found(f"t{n}", cause, 2.0, "paths")
        for n in range(3)
        for cause in ("few_sources", "one_chain")
    ]
    one = [found(f"t{n}", "too_easy", 3.0, "writer") for n in range(3)]
    once = [found("t1", "rival_fits", 500.0)]
    assert blamed([*two, *one, *once], least=3) == "paths", (
        "6 and 6 against 9; what shows once does not count"
    )
    assert blamed(once, least=3) == ""


def test_the_file_of_a_diagnosis_has_means_by_dimension_the_score_and_why_what_recurs_does():
    tasks = (
        TaskDiagnosis(
            task="t1",
            scores={"capability": Score(1.0, "w"), "difficulty_match": Score(4.0, "w")},
            findings=(found("t1", "leak", 2.0),),
        ),
        TaskDiagnosis(
            task="t2", scores={"capability": Score(2.0, "w")}, findings=(found("t2", "leak", 2.0),)
        ),
    )
    made = as_json(
        Diagnosis(
            by="measured",
            tasks=tasks,
            batch={"tool_pattern_diversity": Score(-1.0, "w")},
            findings=(found("t1", "one", 1.0, "seeds"),),
        ),
        mode="rl",
        least=2,
    )
    assert made["dimensions"] == {
        "capability": 1.5,
        "difficulty_match": 4.0,
        "tool_pattern_diversity": -1.0,
    }
    assert [t["overall"] for t in made["tasks"]] == [3.0, 2.0], "(1 * 1 + 2 * 4) / 3, and 2"
    assert (
        made["score"] == 2.5
        and made["blamed"] == "filters"
        and made["batch_findings"][0]["cause"] == "one"
    )
    assert made["recurring"] == [
        {
            "stage": "filters",
            "cause": "leak",
            "weight": 4.0,
            "tasks": ["t1", "t2"],
            "whys": ["leak of t1", "leak of t2"],
        }
    ]


def test_thirds_are_written_with_three_digits():
    tasks = tuple(
        TaskDiagnosis(
            task=f"t{n}",
            scores={"capability": Score(float(n == 0), "w"), "difficulty_match": Score(0.0, "w")},
        )
        for n in range(3)
    )
    made = as_json(Diagnosis(by="measured", tasks=tasks, batch={}), mode="rl", least=2)
    assert (made["dimensions"]["capability"], made["tasks"][0]["overall"], made["score"]) == (
        0.333,
        0.333,
        0.111,
    )


def test_a_round_whose_tasks_a_provider_spoiled_has_no_score():
    made = as_json(Diagnosis(by="measured", tasks=(), batch={}), mode="rl", least=3)
    assert made["score"] is None and made["dimensions"] == {} and made["blamed"] == ""


def test_what_a_model_may_blame_and_what_a_setting_names_are_our_stages():
    assert typing.get_args(FaultFound.model_fields["stage"].annotation) == STAGES
    assert {
        field.rules.stage
        for name in ("demo", "ode", "vsearcher", "opensearch_vl")
        for field in fields_of(load_recipe(name)).values()
    } <= set(STAGES)


def test_what_does_not_depend_on_the_policy_is_what_the_question_alone_shows():
    assert set(WITHOUT_POLICY) == set(WEIGHTS["sft"]) & set(WEIGHTS["rl"])
