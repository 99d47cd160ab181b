"""The trainer's command, and when there is none."""

from pathlib import Path

import pytest

from questloom.files.opened import Opened
from questloom.files.parquet import read_records
from questloom.pipeline.evolve.loop import run_step
from questloom.pipeline.evolve.subset import questions_of
from questloom.pipeline.evolve.training import command, model_to_train, train
from questloom.records.errors import InputError, QuestloomError
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from tests.pipeline.evolve.made import a_loop, a_round
from tests.pipeline.evolve.made_run import Try, a_run, asked, played
from tests.pipeline.evolve.skilled import POLICY

GRPO = {"trainer": "grpo", "config": "grpo-tiny", "set": ["step.steps=2"]}


def test_the_command_of_grpo_takes_the_sound_tasks_the_store_and_the_newest_model(tmp_path):
    loop = a_loop(tmp_path, train=GRPO)
    first, second = a_round(loop, 1), a_round(loop, 2, model="/new")
    made = command(loop, first, Path("/o"), num_tasks=8)
    assert made[1:] == [
        "-m",
        "questloom.train.grpo",
        "--config",
        "grpo-tiny",
        "--questions",
        first.data.path,
        "--store",
        "/store",
        "--model",
        "skilled",
        "--out",
        "/o",
        "--set",
        f"seed={loop.seed_of('round 1')}",
        "--set",
        "step.steps=2",
        "--set",
        "step.questions=8",
    ], "a step takes no more tasks than there are"
    made = command(loop, second, Path("/o"), num_tasks=12)
    assert (
        made[made.index("--model") + 1] == "/new"
        and f"seed={loop.seed_of('round 2')}" in made
        and made[-1] == "step.steps=2"
    )


def test_what_learns_from_the_teacher_is_no_player_and_must_be_named(tmp_path):
    taught = {"mode": "sft", "train": {"trainer": "sft", "config": "tiny"}}
    loop = a_loop(tmp_path / "a", **taught)
    with pytest.raises(InputError, match=r"evolve\.train"):
        command(loop, a_round(loop, 1), Path("/o"), num_tasks=8)
    named = a_loop(tmp_path / "b", **{**taught, "train": {**taught["train"], "model": "/small"}})
    made = command(named, a_round(named, 1), Path("/o"), num_tasks=8)
    assert made[made.index("--model") + 1] == "/small", "though the oracle plays"


def test_sft_learns_from_the_data_and_a_launcher_stands_before_the_module(tmp_path):
    loop = a_loop(
        tmp_path,
        train={
            "trainer": "sft",
            "config": "tiny",
            "launcher": ["torchrun", "--nproc_per_node", "2"],
        },
    )
    at = a_round(loop, 1)
    made = command(loop, at, Path("/o"), num_tasks=8)
    assert (
        made[:5] == ["torchrun", "--nproc_per_node", "2", "-m", "questloom.train.sft"]
        and made[made.index("--data") + 1] == at.data.path
    )


@pytest.mark.parametrize("policy", [{"engine": "oracle"}, {**POLICY, "model": ""}])
def test_what_cannot_be_trained_is_refused(tmp_path, policy):
    loop = a_loop(tmp_path, train=GRPO, policy=policy)
    with pytest.raises(InputError, match=r"evolve\.train"):
        command(loop, a_round(loop, 1), Path("/o"), num_tasks=8)


def test_a_round_without_sound_tasks_trains_nothing_and_keeps_the_model(tmp_path):
    loop = a_loop(tmp_path, train=GRPO)
    at = a_round(loop, 1, model="/old", tags=("infra_failure",) * 6 + ("fake_hard",) * 2)
    train(loop, at, Opened())
    assert at.read("train") == {
        "command": [],
        "model": "/old",
        "tasks": 0,
        "why": "too few sound tasks",
    }


def test_a_step_whose_predecessor_has_not_ended_is_refused(tmp_path):
    with pytest.raises(InputError, match="the step forward has not ended there"):
        run_step(a_loop(tmp_path), 1, "verify", Opened())


def tagged(loop, *tags):
    return a_round(loop, 1, model="/old", tags=(*tags, *("fake_hard",) * (8 - len(tags))))


def trainer(tmp_path, *lines):
    """A launcher that does what a script says in place of the trainer; its last argument but the settings is what the loop gave."""
    script = tmp_path / "trainer.sh"
    script.write_text(
        "\n".join(
            [
                "#!/bin/sh",
                'while [ "$1" != --out ]; do shift; done',
                "OUT=$2",
                f"echo run >> {tmp_path}/runs",
                *lines,
            ]
        )
    )
    script.chmod(0o755)
    return [str(script)]


def runs(tmp_path):
    return (tmp_path / "runs").read_text().count("run") if (tmp_path / "runs").exists() else 0


def with_batch(loop, at):
    """The round's tasks as files, and what the policy played of them."""
    tasks = [asked(n) for n in range(8)]
    a_run(at.batch, loop.recipe, tasks[:4], tasks[4:])
    rows = [{**row, "id": q.id} for row, q in zip(at.read("verify")["tasks"], tasks, strict=True)]
    at.write("verify", {**at.read("verify"), "tasks": rows})
    return tasks


TRAINS = ('mkdir -p "$OUT/model"', 'echo {} > "$OUT/result.json"')


def test_sound_tasks_are_trained_on_whatever_their_difficulty_and_the_model_is_handed_on(tmp_path):
    loop = a_loop(tmp_path, train={**GRPO, "launcher": trainer(tmp_path, *TRAINS)})
    at = tagged(loop, "too_easy", "good_match", "recoverable", "too_hard", "infra_failure")
    tasks = with_batch(loop, at)
    train(loop, at, Opened())
    left = at.read("train")
    assert (left["tasks"], left["model"], left["why"]) == (4, str(at.path / "train" / "model"), "")
    assert (
        questions_of(at.data) == tasks[:4]
        and left["command"] == command(loop, at, at.path / "train", num_tasks=4)
        and runs(tmp_path) == 1
    )
    assert not (at.data.at("episodes")).exists(), "GRPO plays for itself"


@pytest.mark.parametrize(("sound", "trained"), [(3, True), (2, False), (0, False)])
def test_fewer_than_three_sound_tasks_are_not_trained_on(tmp_path, sound, trained):
    loop = a_loop(tmp_path, train={**GRPO, "launcher": trainer(tmp_path, *TRAINS)})
    at = tagged(loop, *("good_match",) * sound)
    with_batch(loop, at)
    train(loop, at, Opened())
    assert runs(tmp_path) == trained and at.read("train")["why"] == (
        "" if trained else "too few sound tasks"
    )


def test_a_recipe_without_a_trainer_keeps_the_model_and_says_so(tmp_path):
    loop = a_loop(tmp_path)
    at = a_round(loop, 1, model="/old")
    train(loop, at, Opened())
    assert at.read("train") == {
        "command": [],
        "model": "/old",
        "tasks": 8,
        "why": "the recipe names no trainer",
    }


def test_a_trainer_that_fails_ends_no_round_and_the_same_command_goes_on(tmp_path):
    loop = a_loop(tmp_path, train={**GRPO, "launcher": trainer(tmp_path, "exit 3")})
    at = tagged(loop, *("good_match",) * 4)
    with_batch(loop, at)
    with pytest.raises(
        QuestloomError,
        match="ended with exit code 3; the same command goes on from its last checkpoint",
    ):
        train(loop, at, Opened())
    assert not at.done("train")


@pytest.mark.parametrize(
    ("stands", "again"),
    [(("model", "result.json"), 0), (("model",), 1), (("result.json",), 1), ((), 1)],
)
def test_a_training_that_has_ended_is_not_run_again_and_one_that_was_killed_is(
    tmp_path, stands, again
):
    loop = a_loop(tmp_path, train={**GRPO, "launcher": trainer(tmp_path, *TRAINS)})
    at = tagged(loop, *("good_match",) * 4)
    with_batch(loop, at)
    (at.path / "train").mkdir()
    for name in stands:
        (at.path / "train" / name).mkdir() if name == "model" else (
            at.path / "train" / name
        ).touch()
    train(loop, at, Opened())
    assert runs(tmp_path) == again and at.read("train")["model"] == str(at.path / "train" / "model")


def test_what_the_policy_has_open_is_closed_before_the_trainer_starts(tmp_path):
    loop = a_loop(
        tmp_path,
        train={
            **GRPO,
            "launcher": trainer(tmp_path, f"test -e {tmp_path}/closed || exit 9", *TRAINS),
        },
    )
    at = tagged(loop, *("good_match",) * 4)
    with_batch(loop, at)
    opened = Opened()
    opened.once("model", object, lambda model: (tmp_path / "closed").touch())
    train(loop, at, opened)
    assert at.done("train")


def test_in_mode_sft_the_teachers_kept_episodes_of_the_sound_tasks_go_with_them(tmp_path):
    taught = {
        "trainer": "sft",
        "config": "tiny",
        "model": "/small",
        "launcher": trainer(tmp_path, *TRAINS),
    }
    loop = a_loop(tmp_path, mode="sft", train=taught)
    at = tagged(loop, *("good_match",) * 4)
    tasks = with_batch(loop, at)
    out = played(
        at.batch,
        "teacher",
        (tasks[0], [Try("x"), Try("y", "wrong_answer_given")]),
        (tasks[1], [Try("x", process="guessed")]),
        (tasks[5], [Try("x")]),
    )
    for _ in range(2):
        train(loop, at, Opened())
        (at.path / "train.json").unlink()
    given = EpisodeFolder.of(at.data)
    kept = [
        t
        for shard in given.shards(given.label("keep"), "kept")
        for t in read_records(shard, Trajectory)
    ]
    assert [(t.question_id, t.episode.answer) for t in kept] == [(tasks[0].id, "x")], (
        "right, in a good way, and of a sound task"
    )
    assert given.at("prompt.json").read_bytes() == out.at("prompt.json").read_bytes()
    assert given.at("pictures", f"{tasks[0].image_id}.jpg").read_bytes() == at.batch.read_picture(
        tasks[0].image_id
    )


@pytest.mark.parametrize(("num", "asked_for"), [(31, "step.questions=31"), (32, ""), (40, "")])
def test_a_step_takes_no_more_tasks_than_there_are(tmp_path, num, asked_for):
    loop = a_loop(tmp_path, train={"trainer": "grpo", "config": "grpo-vsearcher"})
    made = command(loop, a_round(loop, 1), Path("/o"), num_tasks=num)
    assert [part for part in made if part.startswith("step.questions")] == (
        [asked_for] if asked_for else []
    )


@pytest.mark.parametrize(
    ("newest", "named", "policy", "model"),
    [
        ("/new", "/named", "/mine", "/new"),
        ("", "/named", "/mine", "/named"),
        ("", "", "/mine", "/mine"),
    ],
)
def test_what_is_trained_is_the_newest_model_then_the_one_named_then_the_policys(
    tmp_path, newest, named, policy, model
):
    loop = a_loop(tmp_path, train={**GRPO, "model": named}, policy={**POLICY, "model": policy})
    assert model_to_train(loop.recipe, newest) == model
