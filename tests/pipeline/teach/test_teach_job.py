"""The teacher's job: the same bytes however it is run, resume after a kill and a fault, budgets, what is refused, and the command."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from benchmarks.mock_endpoint import running
from questloom.agent.setup import engine_override_key
from questloom.files.opened import Opened
from questloom.files.parquet import read_records
from questloom.knowledge.licences import ALLOWED, may_be_given_on
from questloom.knowledge.store.store import Store
from questloom.pipeline.export import drop, export_dataset
from questloom.pipeline.export.attribution import read_ledger
from questloom.pipeline.export.episode_ledger import read_episode_ledger
from questloom.pipeline.plan.teach_forecast import forecast_line
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import run_synth
from questloom.pipeline.teach.play_job import PlayJob
from questloom.pipeline.teach.teach_end import finish_teach
from questloom.pipeline.teach.teach_job import recipe_for, run_teach
from questloom.pipeline.teach.teach_stages import licences
from questloom.records.errors import BudgetExceeded, InputError, ProviderFault
from questloom.records.outcomes import Rejection
from questloom.records.trajectories import EpisodeTimes, TaskResult, Trajectory
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder
from tests.agent import tiny
from tests.agent.small_provider import ScriptedEngine, answer
from tests.agent.tools.calling import WITHOUT_PYTHON
from tests.pipeline.export import finished_run as world
from tests.pipeline.export import taught as teacher
from tests.pipeline.small_world import LEAN, small_recipe
from tests.run_files import counts, read_stage, stage_names, taught
from tests.small_sandboxes import unconfined

ORACLE = ("teach.uses=[sft,rl]", "teach.rollouts=2")
SCRIPT = """
import sys
from questloom.pipeline.teach.teach_job import recipe_for
from questloom.pipeline.teach.teach_job import run_teach
from questloom.files.opened import Opened
if __name__ == "__main__":
    run_teach(recipe_for(sys.argv[1], overrides=sys.argv[4:]), run=sys.argv[1], store=sys.argv[2], opened=Opened(), workers=int(sys.argv[3]))
"""


def tree(run: Path) -> dict[str, str]:
    """Digest of every file of the teacher that must not depend on how it was run."""
    files = [
        p
        for folder in ("stages", "pictures")
        for p in sorted((run / "episodes" / "teacher" / folder).rglob("*"))
        if p.is_file()
    ]
    files += [
        run / "episodes" / "teacher" / "teach.json",
        run / "episodes" / "teacher" / "prompt.json",
    ]
    return {str(p.relative_to(run)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture(scope="module")
def asked(small, tmp_path_factory) -> Path:
    """A run over the small world, without episodes."""
    out = tmp_path_factory.mktemp("asked") / "run"
    recipe = small_recipe(
        filters=LEAN,
        enhancement={"share": 0.2},
        seeds={"count": 40, "rare_min_statements": 4, "anchor_min_in_degree": 1},
    )
    run_synth(recipe, store=small, out=str(out), opened=Opened())
    return out


@pytest.fixture(scope="module")
def whole(asked, small) -> Path:
    """The same played by the oracle in one process."""
    out = asked.parent / "whole"
    shutil.copytree(asked, out)
    run_teach(recipe_for(str(out), overrides=ORACLE), run=str(out), store=small, opened=Opened())
    return out


def start(run: Path, store: str, workers: int) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(run), store, str(workers), *ORACLE],
        cwd=Path(__file__).parents[3],
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )


def test_the_oracle_plays_every_task_and_every_rollout_has_one_outcome(whole):
    out = taught(whole)
    facts = json.loads((whole / "episodes" / "teacher" / "teach.json").read_text())
    assert facts["whole"] and facts["played"] == 2 * facts["tasks"] > 0 and facts["errors"] == 0
    played = {t.id for t in read_stage(out, "play", "kept", Trajectory)}
    kept = {t.id for t in read_stage(out, "keep", "kept", Trajectory)}
    lost = [
        r.item_id
        for name in ("answer", "process", "keep")
        for r in read_stage(out, name, "rejected", Rejection)
    ]
    assert (
        sorted(kept | set(lost)) == sorted(played) and len(kept) + len(lost) == len(played) and kept
    )
    for name in stage_names(out):
        for count in counts(out, name):
            assert count.num_in == count.num_kept + count.num_rejected + count.num_pending


def test_no_journal_is_left_and_times_stand_beside(whole):
    assert not (whole / "episodes" / "teacher" / "journal").exists()
    times = [
        t for shard in range(2) for t in read_records(taught(whole).times(shard), EpisodeTimes)
    ]
    assert {t.episode_id for t in times} == {
        t.id for t in read_stage(taught(whole), "play", "kept", Trajectory)
    }
    assert all(t.seconds > 0 for t in times)


@pytest.mark.slow
def test_two_processes_give_the_same_bytes_as_one(asked, whole, small, tmp_path):
    shutil.copytree(asked, tmp_path / "run")
    assert start(tmp_path / "run", small, 2).wait() == 0
    assert tree(tmp_path / "run") == tree(whole)


@pytest.mark.slow
def test_killed_while_playing_and_resumed_it_gives_the_same_bytes(asked, whole, small, tmp_path):
    shutil.copytree(asked, tmp_path / "run")
    process = start(tmp_path / "run", small, 1)
    began = time.monotonic()
    while process.poll() is None and time.monotonic() - began < 120:
        if any((tmp_path / "run" / "episodes" / "teacher").glob("journal/*/*/journal.jsonl")):
            break
        time.sleep(0.02)
    time.sleep(0.3)
    was_under_way = process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert was_under_way
    assert start(tmp_path / "run", small, 1).wait() == 0
    assert tree(tmp_path / "run") == tree(whole)


def test_a_second_run_plays_nothing(whole, small):
    before = tree(whole)
    run_teach(
        recipe_for(str(whole), overrides=ORACLE), run=str(whole), store=small, opened=Opened()
    )
    assert tree(whole) == before


def test_the_questions_of_the_run_do_not_change(asked, whole, small):
    recipe = recipe_for(str(whole), overrides=ORACLE)
    assert (
        recipe.fingerprint
        == recipe_for(str(asked)).fingerprint
        == json.loads((asked / "recipe.json").read_text())["fingerprint"]
    )


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (("seeds.count=3",), "is nothing that the teacher may set"),
        (("run.shards=3",), "is nothing that the teacher may set"),
        (("teach.rolouts=3",), "Did you mean teach.rollouts"),
        (("teach.limits.cals=3",), "Did you mean teach.limits.calls"),
        (("teach.engine=parrot",), "teach.engine"),
        (("teach.rollouts=0",), "teach.rollouts"),
    ],
)
def test_settings_that_the_teacher_does_not_have_are_refused(asked, overrides, said):
    with pytest.raises(InputError, match=said):
        recipe_for(str(asked), overrides=overrides)


@pytest.mark.parametrize(
    ("teach", "said"),
    [
        ({"engine": "openai"}, "role 'agent'"),
        ({"engine": "transformers"}, "teach.model"),
        ({"engine": "server", "model": "m"}, "teach.server"),
        ({"reference": "nowhere.json"}, "teach.reference"),
        ({"rollouts": 3, "uses": ["sft", "rl"]}, "played with other settings"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_written(whole, small, teach, said):
    before = tree(whole)
    recipe = recipe_of(
        {
            **recipe_for(str(whole)).resolved(),
            "teach": {"tools": {"tools": WITHOUT_PYTHON}, **teach},
        },
        "test",
    )
    with pytest.raises(InputError, match=said):
        run_teach(recipe, run=str(whole), store=small, opened=Opened())
    assert tree(whole) == before


def test_a_tool_that_cannot_be_had_here_is_refused_before_anything_is_written(asked, small):
    recipe = recipe_of({**recipe_for(str(asked)).resolved(), "teach": {}}, "test")
    with pytest.raises(InputError, match="python_interpreter: cannot be had on this machine"):
        run_teach(recipe, run=str(asked), store=small, opened=unconfined())
    assert not (asked / "episodes").exists()


def test_another_store_is_refused(made, whole):
    with pytest.raises(InputError, match="not the store"):
        run_teach(
            recipe_for(str(whole), overrides=ORACLE),
            run=str(whole),
            store=str(made / "store"),
            opened=Opened(),
        )


@pytest.mark.parametrize(
    ("fault", "cause", "code"),
    [(ProviderFault("teacher", "503"), "provider", 1), (BudgetExceeded("money"), "budget", 3)],
)
def test_what_a_fault_or_the_budget_stops_waits_and_only_that_is_played_by_the_next_run(
    made, tmp_path, fault, cause, code
):
    run = teacher.copy_of(made, tmp_path)

    def say(conversation):
        stops = teacher.NUMBERS[conversation.task_id] == 3 and conversation.turn == 2
        return fault if stops else teacher.solver(conversation)

    summary, _ = teacher.teach(run, made / "store", say)
    assert (
        summary.funnel.pending_causes == {cause: 1}
        and summary.exit_code == code
        and not taught(run).is_whole()
    )
    assert list((run / "episodes" / "teacher" / "journal").glob("*/*"))
    summary, engine = teacher.teach(run, made / "store")
    assert (
        summary.exit_code == 0
        and engine.num_steps == 2
        and not (run / "episodes" / "teacher" / "journal").exists()
    )
    assert summary.funnel.by_stage["keep"].num_out == 2


def test_a_bug_of_ours_is_a_rejection_with_its_traceback_and_the_job_says_so(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    summary, _ = teacher.teach(run, made / "store", lambda c: ZeroDivisionError("ours"))
    assert (
        summary.exit_code == 1
        and summary.funnel.num_errors == 4
        and not summary.funnel.pending_causes
    )
    (first, *_) = read_stage(taught(run), "play", "rejected", Rejection)
    assert "ZeroDivisionError" in first.evidence["traceback"]


def test_a_second_policy_plays_into_a_folder_of_its_own_and_its_episodes_reach_no_data_set(
    made, tmp_path
):
    run = teacher.copy_of(made, tmp_path)
    teacher.teach(run, made / "store")
    before = tree(run)
    export_dataset(Job(RunFolder(str(run)), str(made / "store"), teacher.settings()))
    data = {p: p.read_bytes() for p in (run / "dataset").rglob("*") if p.is_file()}
    with Opened() as opened:
        opened.put(engine_override_key("oracle"), ScriptedEngine(lambda c: answer("nobody")))
        other = run_teach(
            teacher.settings(rollouts=3),
            run=str(run),
            store=str(made / "store"),
            opened=opened,
            policy="step-100",
        )
        ended = finish_teach(str(run), store=str(made / "store"), summary=other, opened=opened)
    assert not ended.dataset and "No trajectory was kept.\n" in ended.as_text()
    shown = f"load_run({str(run)!r}).episodes('step-100')"
    assert ended.as_text().endswith(
        f"The report shows only the policy `teacher`; read these episodes with questloom.{shown}."
    )
    assert (
        other.out == str(run / "episodes" / "step-100")
        and other.funnel.by_stage["play"].num_out == 12
    )
    assert tree(run) == before, "the teacher's episodes are untouched"
    assert data and {p: p.read_bytes() for p in (run / "dataset").rglob("*") if p.is_file()} == data
    assert RunFolder(str(run)).policies() == ["step-100", "teacher"]


def test_where_the_teacher_keeps_nothing_the_report_says_why(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    summary, _ = teacher.teach(run, made / "store", lambda c: answer("nobody"))
    with Opened() as opened:
        ended = finish_teach(str(run), store=str(made / "store"), summary=summary, opened=opened)
    assert "No trajectory was kept; the report says why." in ended.as_text() and not ended.note
    assert "wrong answer given" in Path(ended.report).read_text(encoding="utf-8")


def test_a_picture_that_only_another_policy_found_can_be_dropped_by_its_name(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    teacher.teach(run, made / "store", lambda c: answer("nobody"))
    with Opened() as opened:
        opened.put(engine_override_key("oracle"), ScriptedEngine(teacher.solver))
        all_found = teacher.settings(
            tools={"tools": ["image_search", "crop", "flip"], "max_new_pictures": 13}
        )
        other = run_teach(
            all_found, run=str(run), store=str(made / "store"), opened=opened, policy="student"
        )
        finish_teach(str(run), store=str(made / "store"), summary=other, opened=opened)
    out = EpisodeFolder.of(RunFolder(str(run)), "student")
    shown = {a.image_id: a for shard in range(2) for a in read_episode_ledger(out, shard).values()}
    own = {
        a.source_sha256
        for shard in range(2)
        for a in read_ledger(RunFolder(str(run)), shard).values()
    }
    picture = next(a for a in shown.values() if a.source_sha256 not in own)
    assert drop(RunFolder(str(run)), [picture.file]).not_found == ()
    assert not out.files.picture(picture.image_id).exists()
    assert not any(
        i.sha256 == picture.image_id
        for t in read_stage(out, "play", "kept", Trajectory)
        for i in t.episode.images
    )


@pytest.mark.parametrize("name", ["", "../elsewhere", "a b", "/tmp/x", "--x", "é", "x" * 65])
def test_a_policy_whose_name_is_no_folder_is_refused(made, tmp_path, name):
    with pytest.raises(InputError, match="--policy"):
        run_teach(
            teacher.settings(),
            run=str(made / "run"),
            store=str(made / "store"),
            opened=Opened(),
            policy=name,
        )


def test_judging_anew_plays_nothing_again(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    first, _ = teacher.teach(run, made / "store", rollouts=2)
    assert first.funnel.by_stage["keep"].num_out == 2
    assert {r.reason for r in read_stage(taught(run), "keep", "rejected", Rejection)} == {
        "near_duplicate"
    }
    second, engine = teacher.teach(run, made / "store", rollouts=2, max_unfounded=1.0, keep=1)
    assert engine.num_steps == 0 and second.funnel.by_stage["keep"].num_out == 2


def test_tools_show_no_picture_of_the_store_that_may_not_be_given_on(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    summary, _ = teacher.teach(
        run,
        made / "store",
        tools={"tools": ["image_search", "crop", "flip"], "max_new_pictures": 13},
    )
    assert summary.funnel.by_stage["keep"].num_out == 2
    images = {i.id: i for i in Store.open(str(made / "store")).scan_images()}
    shown = [
        images[source]
        for t in read_stage(taught(run), "play", "kept", Trajectory)
        for source in t.source_ids
        if source
    ]
    assert len({i.id for i in shown}) > 4 and all(may_be_given_on(i, ALLOWED) for i in shown)
    assert any(not may_be_given_on(i, ALLOWED) for i in images.values())


def test_an_episode_that_shows_a_picture_of_another_licence_is_not_kept(made, tmp_path):
    """Whatever brought it: here the episodes were played by a process whose tools showed everything."""
    run = teacher.copy_of(made, tmp_path)
    recipe, store = teacher.settings(engine="oracle"), str(made / "store")
    job = PlayJob(
        run=RunFolder(str(run)),
        store_path=store,
        recipe=recipe,
        opened=Opened(),
        out=EpisodeFolder.of(RunFolder(str(run))),
        questions="",
    )
    known = {i.file: i.id for i in Store.open(store).scan_images()}
    assert (
        licences(job)(known[world.file_name(0)])
        and not licences(job)(known[world.UNLICENSED])
        and not licences(job)("no such picture")
    )


def test_the_distance_from_a_reference_is_told(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    reference = tmp_path / "reference.json"
    reference.write_text('{"tools": {"image_search": 5, "crop": 5, "flip": 5}, "calls": {"30": 4}}')
    summary, _ = teacher.teach(run, made / "store", reference=str(reference))
    assert (
        summary.numbers.distances == {"tools": 0.0, "calls": 1.0}
        and "1.000 from the reference" in summary.as_text()
    )


def test_solved_tasks_say_how_often(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    teacher.teach(run, made / "store", uses=["rl"])
    found = list(read_stage(taught(run), "solved", "kept", TaskResult))
    assert found and all(
        isinstance(t, TaskResult) and t.split.startswith("rl/") and t.num_correct == 1
        for t in found
    )


def test_help_teaches(monkeypatch):
    from typer.testing import CliRunner

    from questloom.pipeline.cli import app

    monkeypatch.setenv("COLUMNS", "200")
    said = " ".join(CliRunner().invoke(app, ["teach", "--help"]).stdout.split())
    for words in (
        "--rollouts",
        "RUN/episodes/POLICY",
        "oracle",
        "models.budget_money",
        "reference",
    ):
        assert words in said


def endpoint_recipe(url: str, **models):
    """A teacher behind an endpoint that searches twice and answers."""
    endpoint = {
        "name": "mock",
        "base_url": url,
        "prices": {"agent:2": {"tokens_in": 1.0, "tokens_out": 1.0}},
    }
    return recipe_of(
        {
            "name": "small",
            "seed": 3,
            "run": {"shards": 2},
            "teach": {"engine": "openai", "rollouts": 2, "tools": {"tools": ["text_search"]}},
            "models": {
                "endpoints": [endpoint],
                "roles": {"agent": {"endpoint": "mock", "model": "agent:2"}},
                **models,
            },
        },
        "test",
    )


def sent(url: str) -> int:
    """Requests that the endpoint has had."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as stats:
        return json.load(stats)["num_requests"]


def test_an_endpoint_that_teaches_stops_at_the_budget_goes_on_when_it_is_raised_and_is_paid_once_a_turn(
    made, tmp_path
):
    run = teacher.copy_of(made, tmp_path)

    def played(**models):
        return run_teach(
            endpoint_recipe(url, **models), run=str(run), store=str(made / "store"), opened=Opened()
        )

    with running() as url:
        first = played(budget_calls=9)
        assert (
            first.exit_code == 3
            and set(first.funnel.pending_causes) == {"budget"}
            and sent(url) == 9
        )
        second = played(budget_calls=1_000)
        assert not second.funnel.pending_causes and second.funnel.by_stage["play"].num_out == 8
        turns = sum(
            len(t.episode.turns) for t in read_stage(taught(run), "play", "kept", Trajectory)
        )
        assert turns == 24 == sent(url) == sum(line["num_calls"] for line in second.cost)
        assert played().funnel.counts == second.funnel.counts and sent(url) == 24


def test_the_forecast_tells_calls_tokens_and_money_of_an_endpoint(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    line = forecast_line(endpoint_recipe("http://127.0.0.1:9/v1", budget_money=5.0), str(run))
    assert (
        line.startswith("forecast: 8 episodes, 50 (24–120) calls")
        and "the budget is 5" in line
        and "unknown" not in line
    )
    assert forecast_line(teacher.settings(), str(run)) == ""


def test_a_model_on_this_machine_plays_and_its_token_ids_are_kept(made, tmp_path):
    run = teacher.copy_of(made, tmp_path)
    tiny.model().save_pretrained(tmp_path / "model")
    tiny.processor().save_pretrained(tmp_path / "model")
    recipe = recipe_of(
        {
            "name": "small",
            "seed": 3,
            "run": {"shards": 2},
            "teach": {
                "engine": "transformers",
                "model": str(tmp_path / "model"),
                "device": "cpu",
                "limits": {"turn_tokens": 8},
                "tools": {"tools": ["text_search"]},
            },
        },
        "test",
    )
    made_ = run_teach(recipe, run=str(run), store=str(made / "store"), opened=Opened(), workers=2)
    played = list(read_stage(taught(run), "play", "kept", Trajectory))
    assert len(played) == 4 and made_.funnel.num_errors == 0
    assert all(
        t.episode.model == "model"
        and len(t.episode.turns[0].token_ids) == len(t.episode.turns[0].logprobs) == 8
        for t in played
    )
