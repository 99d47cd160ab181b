"""Where a recipe names a model for a filter, the model decides: the job's own stages ask a real endpoint, show it what it may see, and go by what it says."""

import dataclasses
import inspect
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from questloom.calls.event_loop import submit
from questloom.calls.ledger import cost_lines
from questloom.files.opened import Opened
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import run_synth
from questloom.pipeline.synth.synth_stages import synth_stages
from questloom.records.outcomes import Pending, Rejection
from questloom.records.synthesis import Question
from tests.pipeline.role_endpoint import answering
from tests.pipeline.small_world import LEAN, SETTINGS, kept_questions
from tests.run_files import read_stage, stage_names

SOLVERS = {
    "text_only": ("answer_text_only", "answered_without_picture"),
    "no_tools": ("answer_direct", "answered_without_tools"),
    "image_search": ("answer_with_search", "image_search_shortcut"),
    "solvable": ("answer_with_search", "not_solvable"),
}
DROPS_THE_RIGHT = [name for name in SOLVERS if name != "solvable"]


@pytest.fixture
def finished(lean) -> Job:
    return lean


@pytest.fixture
def questions(finished) -> list[Question]:
    found = kept_questions(finished)
    assert len(found) > 3
    return found


def solved(answer: str | None) -> Callable[[str], dict]:
    return lambda text: {"reasoning": "as it is", "answer": answer}


@contextmanager
def asking(
    finished: Job, folder: Path, stage: str, replies: dict[str, Callable[[str], Any]], **models: Any
):
    """(the stage's function with these roles' models and none else, the endpoint)."""
    filters = {
        **LEAN,
        **({stage: True} if stage in SOLVERS else {}),
        "samples": models.pop("samples", 1),
    }
    folder.mkdir(exist_ok=True)
    with answering(replies) as endpoint, Opened() as opened:
        recipe = recipe_of(
            {
                **SETTINGS,
                "filters": filters,
                "models": endpoint.models(*replies, **models),
                "run": {"shards": 2, "calls": str(folder / "calls.sqlite")},
            },
            "test",
        )
        job = dataclasses.replace(finished, recipe=recipe, opened=opened)
        made = next(s for s in synth_stages(job) if s.name == stage).make(job)

        def run(question: Question) -> Question | Rejection | Pending:
            async def ask() -> Any:
                said = made(question)
                return await said if inspect.isawaitable(said) else said

            return submit(ask()).result()

        yield run, endpoint


@pytest.mark.parametrize("stage", DROPS_THE_RIGHT)
def test_what_the_model_answers_with_less_than_all_is_dropped_and_what_it_does_not_is_kept(
    finished, questions, tmp_path, stage
):
    role, reason = SOLVERS[stage]
    question = questions[0]
    with asking(finished, tmp_path, stage, {role: solved(question.answer.text)}) as (run, endpoint):
        dropped = run(question)
    assert isinstance(dropped, Rejection) and (
        dropped.reason,
        dropped.evidence["solver"],
        dropped.evidence["num_correct"],
    ) == (reason, f"model-of-{role}", 1)
    assert endpoint.roles == {role}
    with asking(finished, tmp_path / "again", stage, {role: solved("Zzyzxq")}) as (run, endpoint):
        kept = run(question)
    assert isinstance(kept, Question)
    verdict = kept.verdicts[-1]
    assert (verdict.filter, verdict.passed, verdict.solver, verdict.evidence["wrong"]) == (
        stage,
        True,
        f"model-of-{role}",
        [["Zzyzxq", 1]],
    )


def test_what_the_model_does_not_solve_with_all_the_evidence_is_dropped_and_what_it_solves_is_kept(
    finished, questions, tmp_path
):
    question = questions[0]
    with asking(
        finished, tmp_path, "solvable", {"answer_with_search": solved(question.answer.text)}
    ) as (run, endpoint):
        kept = run(question)
    assert isinstance(kept, Question) and (kept.verdicts[-1].filter, kept.verdicts[-1].solver) == (
        "solvable",
        "model-of-answer_with_search",
    )
    assert finished.store.label(question.anchor) in endpoint.asked[0][1], (
        "the evidence says what the picture shows"
    )
    with asking(finished, tmp_path / "again", "solvable", {"answer_with_search": solved(None)}) as (
        run,
        endpoint,
    ):
        dropped = run(question)
    assert isinstance(dropped, Rejection) and (dropped.reason, dropped.evidence["solver"]) == (
        "not_solvable",
        "model-of-answer_with_search",
    )


@pytest.mark.parametrize(
    ("stage", "pictures", "pages"),
    [
        ("text_only", 0, False),
        ("no_tools", 1, False),
        ("image_search", 1, True),
        ("solvable", 0, False),
    ],
)
def test_each_solver_is_shown_the_question_and_what_its_filter_grants_and_no_more(
    finished, questions, tmp_path, stage, pictures, pages
):
    question, role = questions[0], SOLVERS[stage][0]
    with asking(finished, tmp_path, stage, {role: solved(None)}, samples=2) as (run, endpoint):
        run(question)
    assert len(endpoint.asked) == 2, "as many samples as the recipe asks for"
    for _, text, num_pictures in endpoint.asked:
        assert (
            question.text in text
            and num_pictures == pictures
            and (finished.store.article(question.anchor).title in text)
            == (pages or stage == "solvable")
        )


@pytest.mark.parametrize("stage", SOLVERS)
def test_a_wrong_answer_that_fits_the_question_too_is_mined_as_a_rival(
    finished, questions, tmp_path, stage
):
    """The right answer is exchanged for another thing's, so that what really fits is the solver's wrong answer."""
    question, exchanged = [q for q in questions if q.answer.value.kind == "entity"][:2]
    other = exchanged.answer
    said = iter([question.answer.text, other.text])
    asked = question.replace(answer=other)
    role = SOLVERS[stage][0]
    reply = {
        role: lambda text: {
            "reasoning": "r",
            "answer": next(said) if stage == "solvable" else question.answer.text,
        }
    }
    with asking(finished, tmp_path, stage, reply, samples=2 if stage == "solvable" else 1) as (
        run,
        _,
    ):
        dropped = run(asked)
    assert isinstance(dropped, Rejection)
    assert (dropped.reason, dropped.evidence) == (
        "rival_fits",
        {"said": question.answer.text, "rival": question.answer.value.key()},
    )


@pytest.mark.parametrize("stage", [*SOLVERS, "pictures"])
def test_a_model_whose_reply_is_of_no_use_drops_the_question_under_the_filters_name(
    finished, questions, tmp_path, stage
):
    role = SOLVERS[stage][0] if stage in SOLVERS else "image_too_simple"
    asked = questions[0] if stage in SOLVERS else _drafted(finished)
    with asking(finished, tmp_path, stage, {role: lambda text: {"unexpected": "x" * 2_000}}) as (
        run,
        _,
    ):
        dropped = run(asked)
    assert isinstance(dropped, Rejection)
    assert (dropped.reason, dropped.evidence["solver"]) == (
        "bad_reply",
        stage if stage in SOLVERS else "too_simple",
    )
    assert 0 < len(dropped.evidence["message"]) <= 500


def _drafted(finished: Job) -> Question:
    """A question that got a picture, as it was before."""
    kept = {question.id for question in kept_questions(finished)}
    return next(q for q in read_stage(finished.run, "draft", "kept", Question) if q.id in kept)


@pytest.mark.parametrize(
    ("named", "judged"), [({"judge": True}, True), ({}, True), ({"without": True}, False)]
)
def test_a_model_that_is_named_for_judging_answers_judges_those_that_no_rule_accepts(
    finished, questions, tmp_path, named, judged
):
    question, without = questions[0], named.pop("without", False)
    replies = {
        "answer_text_only": solved("the same in other words"),
        "judge_answer": lambda text: {"given": "the same", "why": "w", "correct": True},
    }
    if without:
        del replies["judge_answer"]
    with asking(finished, tmp_path, "text_only", replies, **named) as (run, endpoint):
        outcome = run(question)
    assert (
        isinstance(outcome, Rejection if judged else Question)
        and ("judge_answer" in endpoint.roles) == judged
    )


def test_a_picture_that_the_model_calls_too_simple_is_dropped(finished, tmp_path):
    drafted = _drafted(finished)
    with asking(
        finished,
        tmp_path,
        "pictures",
        {"image_too_simple": lambda text: {"shows": "a sign", "kind": "logo", "too_simple": True}},
    ) as (run, endpoint):
        dropped = run(drafted)
    assert isinstance(dropped, Rejection) and (dropped.reason, dropped.evidence) == (
        "picture_too_simple",
        {"kind": "logo", "shows": "a sign"},
    )
    assert [(role, pictures) for role, _, pictures in endpoint.asked] == [("image_too_simple", 1)]
    plain = {"shows": "a tower", "kind": "drawing", "too_simple": False}
    with asking(
        finished, tmp_path / "again", "pictures", {"image_too_simple": lambda text: plain}
    ) as (run, _):
        kept = run(drafted)
    assert isinstance(kept, Question) and (kept.verdicts[-1].filter, kept.verdicts[-1].solver) == (
        "too_simple",
        "model-of-image_too_simple",
    )


def test_a_whole_run_asks_every_solver_about_every_question_that_comes_so_far(small, tmp_path):
    replies = {
        "image_too_simple": lambda text: {
            "shows": "a thing",
            "kind": "drawing",
            "too_simple": False,
        },
        "answer_text_only": solved(None),
        "answer_direct": solved("Zzyzxq"),
        "answer_with_search": solved(None),
        "judge_answer": lambda text: {"given": "Zzyzxq", "why": "w", "correct": False},
    }
    with answering(replies) as endpoint, Opened() as opened:
        recipe = recipe_of(
            {
                **SETTINGS,
                "seeds": {"count": 80, "rare_min_statements": 4, "anchor_min_in_degree": 1},
                "models": endpoint.models(*replies),
                "filters": {"text_search": False, "visible_text": False},
            },
            "test",
        )
        funnel = run_synth(recipe, store=small, out=str(tmp_path / "run"), opened=opened)
    assert endpoint.roles == set(replies)
    came = {stage: funnel.by_stage[stage].num_in for stage in SOLVERS}
    assert came["solvable"] > 0 and funnel.by_stage["solvable"].num_kept == 0, (
        "a solver that never knows solves nothing"
    )
    assert {
        r.reason for r in read_stage(str(tmp_path / "run"), "solvable", "rejected", Rejection)
    } == {"not_solvable"}
    booked = {
        line.group[0]: line.num_calls
        for line in cost_lines(tmp_path / "run" / "calls.sqlite", by=("stage",))
    }
    certified = read_stage(str(tmp_path / "run"), "certify", "kept", Question)
    assert booked["pictures"] == len({q.image_id for q in certified}) and "draft" not in booked
    assert all(booked[stage] >= number for stage, number in came.items()), (
        "as many calls as questions; those of the judge come on top"
    )
    assert stage_names(str(tmp_path / "run"))[-1] == "split"
