"""Where a recipe names a model for a judge of the teacher's episodes, it judges what the rules leave to it: the job's own stages ask a real endpoint."""

import dataclasses
import inspect
import shutil
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from questloom.calls.event_loop import submit
from questloom.files.opened import Opened
from questloom.pipeline.synth.job import Job
from questloom.pipeline.teach.play_job import PlayJob
from questloom.pipeline.teach.teach_job import recipe_for, run_teach
from questloom.pipeline.teach.teach_stages import teach_stages
from questloom.records.outcomes import Pending, Rejection
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.role_endpoint import answering
from tests.run_files import read_stage, taught

SAID, WHY = "the one that the old song is about", "step 2 follows from nothing"


@pytest.fixture(scope="module")
def asked(lean, tmp_path_factory) -> Job:
    """The run in a folder of its own, for episodes are written into it."""
    run = tmp_path_factory.mktemp("judged") / "run"
    shutil.copytree(lean.run.path, run)
    return dataclasses.replace(lean, run=RunFolder(str(run)))


@pytest.fixture(scope="module")
def played(asked) -> list[Trajectory]:
    """What the oracle's episodes are after both judges' rules."""
    run = asked.run.path
    run_teach(
        recipe_for(run, overrides=("teach.uses=[sft,rl]",)),
        run=run,
        store=asked.store_path,
        opened=Opened(),
    )
    found = list(read_stage(taught(Path(run)), "process", "kept", Trajectory))
    assert found
    return found


@contextmanager
def judging(
    asked: Job,
    folder: Path,
    stage: str,
    replies: dict[str, Callable[[str], Any]],
    *roles: str,
    judge: bool = False,
):
    """(the stage's function with models in these roles, the endpoint)."""
    with answering(replies) as endpoint, Opened() as opened:
        models = endpoint.models(*roles, judge=judge)
        recipe = recipe_for(
            asked.run.path,
            overrides=(
                f"models.endpoints={models['endpoints']}",
                f"models.roles={models['roles']}",
                f"models.judge={judge}",
                f"run.calls={folder / 'calls.sqlite'}",
            ),
        )
        job = PlayJob(
            run=asked.run,
            store_path=asked.store_path,
            recipe=recipe,
            opened=opened,
            out=EpisodeFolder.of(asked.run),
            questions="",
        )
        made = next(s for s in teach_stages(job) if s.name == stage).make(job)

        def run(trajectory: Trajectory) -> Trajectory | Rejection | Pending:
            async def ask() -> Any:
                said = made(trajectory)
                return await said if inspect.isawaitable(said) else said

            return submit(ask()).result()

        yield run, endpoint


def in_other_words(trajectory: Trajectory) -> Trajectory:
    """The episode with an answer that no rule can call right or wrong by its words."""
    return trajectory.replace(
        episode=trajectory.episode.replace(answer=SAID), verdict=None, process=None
    )


@pytest.mark.parametrize("correct", [True, False])
def test_an_answer_that_no_rule_accepts_is_judged_by_the_model(asked, played, tmp_path, correct):
    replies = {"judge_answer": lambda text: {"given": SAID, "why": WHY, "correct": correct}}
    with judging(asked, tmp_path, "answer", replies, "judge_answer") as (run, endpoint):
        outcome = run(in_other_words(played[0]))
    assert [role for role, _, _ in endpoint.asked] == ["judge_answer"] and played[
        0
    ].answer.text in endpoint.asked[0][1]
    if correct:
        assert isinstance(outcome, Trajectory)
        assert (outcome.verdict.outcome, outcome.verdict.by, outcome.verdict.why) == (
            "correct",
            "model-of-judge_answer",
            WHY,
        )
    else:
        assert isinstance(outcome, Rejection)
        assert (outcome.reason, outcome.evidence["by"], outcome.evidence["why"]) == (
            "wrong_answer_given",
            "model-of-judge_answer",
            WHY,
        )


def test_an_answer_that_the_rules_accept_costs_no_call_and_without_a_model_the_rules_decide_alone(
    asked, played, tmp_path
):
    with judging(asked, tmp_path, "answer", {}, "judge_answer") as (run, endpoint):
        kept = run(played[0].replace(verdict=None))
    assert (
        isinstance(kept, Trajectory)
        and endpoint.asked == []
        and kept.verdict.by != "model-of-judge_answer"
    )
    with judging(asked, tmp_path, "answer", {}) as (run, endpoint):
        assert isinstance(run(in_other_words(played[0])), Rejection) and endpoint.asked == []


@pytest.mark.parametrize("judge", [True, False])
def test_the_default_model_judges_only_where_the_recipe_lets_models_judge(
    asked, played, tmp_path, judge
):
    with judging(
        asked,
        tmp_path,
        "answer",
        {"default": lambda text: {"given": SAID, "why": WHY, "correct": True}},
        "default",
        judge=judge,
    ) as (run, endpoint):
        outcome = run(in_other_words(played[0]))
    assert isinstance(outcome, Trajectory if judge else Rejection) and bool(endpoint.asked) == judge


@pytest.mark.parametrize("low", [None, "tool_use", "consistency", "progression", "evidence"])
def test_a_process_that_the_rules_pass_is_scored_by_the_model_and_falls_with_one_low_score(
    asked, played, tmp_path, low
):
    scores = {"tool_use": 0.9, "consistency": 0.8, "progression": 0.7, "evidence": 0.6}
    replies = {"judge_process": lambda text: {"why": WHY, **scores, **({low: 0.2} if low else {})}}
    with judging(asked, tmp_path, "process", replies, "judge_process") as (run, endpoint):
        outcome = run(played[0].replace(process=None))
    assert [role for role, _, _ in endpoint.asked] == ["judge_process"]
    if low is None:
        assert isinstance(outcome, Trajectory) and (
            outcome.process.by,
            outcome.process.scores,
            outcome.process.why,
        ) == ("model-of-judge_process", scores, WHY)
    else:
        assert (
            isinstance(outcome, Rejection)
            and outcome.reason == "process"
            and outcome.evidence["by"] == "model-of-judge_process"
        )
        assert [broken["rule"] for broken in outcome.evidence["broken"]] == [
            "model"
        ] and low in outcome.evidence["broken"][0]["evidence"]


def test_a_whole_job_asks_both_judges_and_keeps_what_they_pass(asked, played, tmp_path):
    replies = {
        "judge_process": lambda text: {
            "why": WHY,
            "tool_use": 0.1,
            "consistency": 0.9,
            "progression": 0.9,
            "evidence": 0.9,
        }
    }
    with answering(replies) as endpoint, Opened() as opened:
        models = endpoint.models("judge_process")
        recipe = recipe_for(
            asked.run.path,
            overrides=(
                f"models.endpoints={models['endpoints']}",
                f"models.roles={models['roles']}",
                f"run.calls={tmp_path / 'calls.sqlite'}",
            ),
        )
        summary = run_teach(
            recipe, run=asked.run.path, store=asked.store_path, opened=opened, policy="judged"
        )
    out = EpisodeFolder.of(asked.run, "judged")
    fallen = list(read_stage(out, "process", "rejected", Rejection))
    assert (
        len([r for r in fallen if r.evidence["by"] == "model-of-judge_process"])
        == len(endpoint.asked)
        > 0
    )
    assert list(read_stage(out, "process", "kept", Trajectory)) == [] and summary.exit_code == 0
