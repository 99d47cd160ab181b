"""`solvable` by the oracle: what real tool calls lead to is kept with a check in its certificate; what they do not is rejected with the step that failed."""

import asyncio
import dataclasses
from pathlib import Path

import pytest

from questloom.agent.play_settings import OracleSettings
from questloom.agent.tool_settings import ALL_TOOLS, ToolSettings
from questloom.agent.tools import ToolBox
from questloom.files.opened import Opened
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.pipeline.runners.runner_options import RunnerOptions
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import prepare
from questloom.pipeline.teach.play_job import PlayJob
from questloom.pipeline.teach.teach_stages import make_play
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.episodes.kept_play import FOLDER, drop_kept_plays
from questloom.transforms.filters.oracle_filter import CHECK, make_oracle_filter
from questloom.transforms.stages.run_folder import RunFolder
from tests.agent.tools.calling import WITHOUT_PYTHON
from tests.pipeline.small_world import kept_questions
from tests.small_sandboxes import unconfined


@pytest.fixture
def job(lean) -> Job:
    return lean


def played(job: Job, questions: list[Question]) -> list:
    play = make_oracle_filter(job)

    async def all_() -> list:
        return await asyncio.gather(*(play(q) for q in questions))

    return asyncio.run(all_())


def test_what_the_tools_lead_to_gets_a_check_and_a_changed_answer_is_rejected(job):
    questions = kept_questions(job)
    assert len(questions) >= 5
    made = played(job, questions)
    solved = [q for q in made if isinstance(q, Question)]
    assert len(solved) >= 3, [
        m.evidence for m in made if isinstance(m, Rejection)
    ]  # how many it solves: benchmarks.oracle
    for question in solved:
        check = next(c for c in question.certificate.checks if c.name == CHECK)
        verdict = next(
            v for v in question.verdicts if v.filter == "solvable" and v.solver == "oracle"
        )
        assert (
            check.passed
            and check.score >= 1
            and (verdict.num_correct, verdict.num_samples) == (1, 1)
        )
    assert max(c.score for q in solved for c in q.certificate.checks if c.name == CHECK) > 1, (
        "calls are counted, and not the answer"
    )
    wrong = [
        q.replace(answer=q.answer.replace(text="Nobody at all", aliases=(), type="entity"))
        for q in solved[:2]
    ]
    for refused in played(job, wrong):
        assert isinstance(refused, Rejection) and refused.reason == "not_solvable"
        assert refused.evidence["solver"] == "oracle" and refused.evidence["calls"] >= 1


def test_no_model_of_the_recipe_is_asked_and_outside_questions_pass_unplayed(job):
    outside = kept_questions(job)[0].replace(form=None)
    # A model that is nowhere would be refused as soon as it was opened.
    recipe = dataclasses.replace(
        job.recipe,
        teach=dataclasses.replace(job.recipe.teach, engine="transformers", model="nothing"),
    )
    (passed,) = played(dataclasses.replace(job, recipe=recipe), [outside])
    assert (passed.verdicts[-1].filter, passed.verdicts[-1].passed, passed.verdicts[-1].solver) == (
        "solvable",
        None,
        "not_run",
    )
    assert "no form" in passed.verdicts[-1].evidence["why"]


def with_tools(job: Job, *tools: str, opened: Opened | None = None) -> Job:
    return dataclasses.replace(
        job,
        opened=opened or job.opened,
        recipe=dataclasses.replace(
            job.recipe,
            filters=dataclasses.replace(
                job.recipe.filters, solvable=True, oracle=True, oracle_tools=tools
            ),
        ),
    )


def test_the_oracle_has_the_tools_that_the_filter_names_and_not_the_teachers(job):
    assert "image_search" in job.recipe.teach.tools.tools
    assert all(
        isinstance(m, Rejection) for m in played(with_tools(job, "crop"), kept_questions(job))
    )  # with the searches it solves some, as above


def test_without_a_sandbox_a_tool_that_runs_code_is_refused_before_work_starts_and_on_a_worker(
    job, tmp_path
):
    lacking = dataclasses.replace(
        with_tools(job, *ALL_TOOLS, opened=unconfined()), run=RunFolder(str(tmp_path / "run"))
    )
    for begin in (prepare, make_oracle_filter):
        with pytest.raises(InputError, match="python_interpreter"):
            begin(lacking)
    assert not (tmp_path / "run").exists()
    prepare(
        dataclasses.replace(
            with_tools(job, *WITHOUT_PYTHON, opened=unconfined()),
            run=RunFolder(str(tmp_path / "run")),
        )
    )
    prepare(lacking, RunnerOptions(kind=RunnerKind.FLINK))  # there the tiny job asks the workers


def teacher_of(job: Job, folder: Path) -> PlayJob:
    return PlayJob(
        run=job.run,
        store_path=job.store_path,
        recipe=job.recipe,
        opened=job.opened,
        out=EpisodeFolder(str(folder)),
        questions="",
    )


def taught(job: Job, folder: Path, questions: list[Question]) -> list:
    play = make_play(teacher_of(job, folder))

    async def all_() -> list:
        return [await play(q) for q in questions]

    return asyncio.run(all_())


def test_the_teacher_takes_up_what_the_filter_has_played_with_the_same_settings_and_picture(
    job, tmp_path, monkeypatch
):
    tools = job.recipe.filters.oracle_tools
    teach = dataclasses.replace(job.recipe.teach, tools=ToolSettings(tools=tools))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "pictures").symlink_to(job.run.at("pictures"))
    alike = dataclasses.replace(
        job,
        run=RunFolder(str(tmp_path / "run")),
        recipe=dataclasses.replace(job.recipe, teach=teach),
    )
    questions = kept_questions(job)[:3]
    anew = taught(alike, tmp_path / "anew", questions)
    played(alike, questions)
    kept = tmp_path / "run" / FOLDER
    assert len(list(kept.iterdir())) == 3
    played(alike, questions)  # a run that was killed plays again, and keeps the same
    assert len(list(kept.iterdir())) == 3
    other = taught(
        dataclasses.replace(
            alike,
            recipe=dataclasses.replace(
                alike.recipe, teach=dataclasses.replace(teach, oracle=OracleSettings(sighted=True))
            ),
        ),
        tmp_path / "other",
        questions[:1],
    )
    assert len(other) == 1 and (tmp_path / "other" / "journal").is_dir()
    monkeypatch.setattr(ToolBox, "call", lambda *args, **named: pytest.fail("played anew"))
    assert taught(alike, tmp_path / "taken", questions) == anew
    for part in ("pictures", "prompt.json"):
        assert (tmp_path / "taken" / part).exists()
    drop_kept_plays(alike.run)
    assert not kept.exists()
