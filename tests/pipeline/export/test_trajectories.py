"""Trajectories in the data set: the configuration `sft`, the formats of other tools, and pictures that are dropped."""

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from datasets import get_dataset_config_names, load_dataset
from PIL import Image

from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.renderer import Renderer
from questloom.files.opened import Opened
from questloom.pipeline.export import drop, export_dataset
from questloom.pipeline.synth.job import Job
from questloom.pipeline.teach.teach_end import finish_teach
from questloom.pipeline.teach.teach_job import recipe_for
from questloom.records.trajectories import Trajectory
from questloom.transforms.stages.run_folder import RunFolder
from tests import run_files
from tests.pipeline.export import finished_run as world
from tests.pipeline.export import taught as teacher
from tests.pipeline.export.parquet_rows import load
from tests.pipeline.export.scan import found, shows, tree
from tests.run_files import counts, read_stage, stage_names


def numbers(rows) -> set[int]:
    """The questions of rows."""
    return {teacher.NUMBERS[r["question_id"]] for r in rows}


def kept(run: Path) -> dict[str, Trajectory]:
    return {t.id: t for t in read_stage(run_files.taught(run), "keep", "kept", Trajectory)}


def test_the_configuration_holds_the_kept_trajectories_as_messages_with_their_pictures(
    taught, tmp_path
):
    assert "sft" in get_dataset_config_names(str(taught / "dataset"))
    rows = load_dataset(str(taught / "dataset"), "sft", cache_dir=str(tmp_path))["train"]
    assert numbers(rows) == {3, 15}
    for row in rows:
        assert [m["role"] for m in row["messages"]] == [
            "system",
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
            "assistant",
        ]
        assert (
            sum(p["type"] == "image" for m in row["messages"] for p in m["content"])
            == len(row["images"])
            == len(row["image_sha256"])
        )
        assert all(isinstance(i, Image.Image) for i in row["images"])
        assert {s["function"]["name"] for s in json.loads(row["tools"])} == {
            "image_search",
            "crop",
            "flip",
        }
        assert row["pictures_made"] == 2 and row["made_pictures_used_again"] == 1
        assert json.loads(row["calls_by_tool"]) == {"crop": 1, "flip": 1, "image_search": 1}


def test_the_messages_are_word_for_word_what_the_policy_saw(taught, tmp_path):
    prompt = run_files.taught(taught).files.prompt
    renderer = Renderer(prompt["schemas"], max_calls=prompt["max_calls"])
    for row in load_dataset(str(taught / "dataset"), "sft", cache_dir=str(tmp_path))["train"]:
        trajectory, bank = kept(taught)[row["id"]], ImageBank()
        for image in trajectory.episode.images:
            data = (taught / "episodes" / "teacher" / "pictures" / image.sha256).read_bytes()
            bank.add(
                data,
                origin=image.origin,
                call=image.call,
                url=image.url,
                title=image.title,
                parent=image.parent,
                box=image.box,
            )
        assert bank.images == trajectory.episode.images
        for told, message in zip(
            row["messages"],
            renderer.messages(trajectory.episode.question, trajectory.episode.turns, bank),
            strict=True,
        ):
            assert told["role"] == message.role
            assert [p["text"] for p in told["content"]] == [
                p if isinstance(p, str) else None for p in message.parts
            ]


def test_supervised_and_reinforcement_learning_share_no_question(taught, tmp_path):
    ids = {
        r["question_id"]
        for r in load_dataset(str(taught / "dataset"), "sft", cache_dir=str(tmp_path))["train"]
    }
    rl = load_dataset(str(taught / "dataset"), "rl", cache_dir=str(tmp_path))
    assert ids and not ids & {r["id"] for split in rl.values() for r in split}


def test_a_task_says_how_often_the_teacher_solved_it(taught, tmp_path):
    rows = load_dataset(str(taught / "dataset"), "tasks", cache_dir=str(tmp_path))
    found_ = {
        teacher.NUMBERS[r["id"]]: (r["teacher_rollouts"], r["teacher_correct"])
        for split in rows.values()
        for r in split
    }
    assert found_[3] == (1, 1) and found_[9] == (1, 0) and found_[1] == (None, None)


def rl_rows(run: Path, tmp_path: Path) -> dict[int, tuple[int | None, int | None]]:
    """The teacher's columns of the configuration `rl`, by the questions' numbers."""
    rows = load_dataset(str(run / "dataset"), "rl", cache_dir=str(tmp_path / "rl"))
    return {
        teacher.NUMBERS[r["id"]]: (r["teacher_rollouts"], r["teacher_correct"])
        for split in rows.values()
        for r in split
    }


def test_a_teacher_that_plays_after_the_data_set_was_made_says_in_rl_how_often_it_solved_each(
    made, tmp_path
):
    run = teacher.copy_of(made, tmp_path)
    export_dataset(Job(RunFolder(str(run)), str(made / "store"), teacher.settings()))
    before = (run / "dataset" / "README.md").read_text()
    assert "Nor are there the columns\n`teacher_rollouts` and `teacher_correct`" in before
    assert not any(
        "teacher_rollouts" in pq.read_schema(file).names
        for file in (run / "dataset").rglob("*.parquet")
    )
    uses = recipe_for(str(run), overrides=["teach.uses=[sft,rl]"]).teach.uses  # as the card says

    def once_in_two(conversation):
        return (
            "no tags"
            if teacher.NUMBERS[conversation.task_id] == 1 and conversation.rollout
            else teacher.solver(conversation)
        )

    with Opened() as opened:
        summary, _ = teacher.teach(run, made / "store", once_in_two, uses=uses, rollouts=2)
        finish_teach(str(run), store=str(made / "store"), summary=summary, opened=opened)
    found = rl_rows(run, tmp_path)
    assert found.pop(1) == (2, 1) and found and set(found.values()) == {(2, 2)}
    text = (run / "dataset" / "README.md").read_text()
    assert f"Of the {len(found) + 1} questions in `rl` the teacher played {len(found) + 1}:" in text
    assert "It was told to play" not in text


def test_where_the_teacher_played_none_of_rl_the_card_says_so_and_how_it_plays_them(
    taught, tmp_path
):
    found = rl_rows(taught, tmp_path)
    text = (taught / "dataset" / "README.md").read_text()
    assert set(found.values()) == {(None, None)}
    assert (
        f"Of the {len(found)} questions in `rl` the teacher played 0:" in text
        and "--set 'teach.uses=[sft,rl]'" in text
    )


def test_why_the_others_were_not_kept_stands_among_the_rejected(taught, tmp_path):
    rows = load_dataset(str(taught / "dataset"), "rejected", cache_dir=str(tmp_path))["rejected"]
    assert {(r["stage"], r["reason"]) for r in rows if r["stage"].startswith("teach")} == {
        ("teach-answer", "wrong_answer_given"),
        ("teach-answer", "format"),
        ("teach-solved", "not_solved"),
    }


def test_a_trajectory_that_got_over_a_broken_turn_stays_in_the_run_and_is_given_to_no_other_trainer(
    made, tmp_path
):
    rules = {"limits": {"on_violation": "observe"}, "max_slips": 1}
    run = teacher.copy_of(made, tmp_path)
    summary, _ = teacher.teach(run, made / "store", **rules)
    export_dataset(Job(RunFolder(str(run)), str(made / "store"), teacher.settings(**rules)))
    broken = {
        teacher.NUMBERS[t.question_id]: [
            n for n, turn in enumerate(t.episode.turns) if turn.violation
        ]
        for t in kept(run).values()
    }
    assert broken == {3: [], 15: [], 21: [1]} and summary.numbers.kept.sums["num_slips"] == 1
    data = [p for p in (run / "dataset").rglob("*") if p.is_file() and "trajectories" in str(p)]
    assert data and not any(
        b"no tags at all" in p.read_bytes() for p in data if p.suffix == ".jsonl"
    )
    assert numbers(
        load_dataset(str(run / "dataset"), "sft", cache_dir=str(tmp_path / "c"))["train"]
    ) == {3, 15}
    (left,) = [
        r
        for r in load_dataset(str(run / "dataset"), "rejected", cache_dir=str(tmp_path / "c"))[
            "rejected"
        ]
        if r["stage"] == "teach-export"
    ]
    assert left["reason"] == "format" and json.loads(left["evidence"])["broken"] == [
        {"rule": "format", "turn": 1, "evidence": "no_thought"}
    ]


def test_every_picture_of_a_trajectory_has_its_attribution(taught, tmp_path):
    known = {
        r["image_sha256"]: r
        for r in load_dataset(str(taught / "dataset"), "attribution", cache_dir=str(tmp_path))[
            "pictures"
        ]
    }
    for row in load_dataset(str(taught / "dataset"), "sft", cache_dir=str(tmp_path))["train"]:
        assert set(row["image_sha256"]) <= known.keys()
        assert (
            known[row["image_sha256"][-1]]["changes"] == "made by the tool flip"
            and known[row["image_sha256"][-1]]["licence"] in world.LICENCES
        )


def test_llama_factory_finds_as_many_pictures_as_marks_and_turns_in_alternation(taught, tmp_path):
    folder = taught / "dataset/formats/sharegpt"
    info = json.loads((folder / "dataset_info.json").read_text())
    entry = info["questloom_small_trajectories_train"]
    assert "questloom_small_sft_train" not in info  # no bare answers beside trajectories
    for row in load(folder / entry["file_name"], tmp_path):
        turns, tags = row[entry["columns"]["messages"]], entry["tags"]
        assert [t[tags["role_tag"]] for t in turns] == [tags["user_tag"], tags["assistant_tag"]] * 4
        text = "".join(t[tags["content_tag"]] for t in turns) + row["system"]
        assert text.count("<image>") == len(row["images"]) and "<video>" not in text
        assert "‹image›" in text or "15" not in turns[-1]["value"]


def test_verl_splits_the_text_at_the_marks(taught, tmp_path):
    for row in load(taught / "dataset/formats/verl/trajectories_train", tmp_path):
        assert row["messages"][0]["role"] == "system" and row["messages"][-1]["role"] == "assistant"
        segments = [
            s
            for m in row["messages"]
            for s in re.split("(<image>|<video>)", m["content"])
            if s in ("<image>", "<video>")
        ]
        assert segments == ["<image>"] * len(row["images"])


def test_trl_reads_it_by_its_own_collator(taught, tmp_path):
    pytest.importorskip("trl", reason="the extra dev brings it")
    from trl.data_utils import is_conversational
    from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling

    from tests.agent import tiny

    rows = list(load(taught / "dataset/formats/trl/trajectories_train", tmp_path))
    assert all(is_conversational(row) for row in rows)
    processor = tiny.processor()
    processor.tokenizer.padding_side = "right"
    batch = DataCollatorForVisionLanguageModeling(processor)(rows)
    merged = processor.image_processor.merge_size**2
    assert (
        int((batch["input_ids"] == processor.image_token_id).sum())
        == int(batch["image_grid_thw"].prod(dim=1).sum()) // merged
    )
    assert batch["image_grid_thw"].shape[0] == sum(len(row["images"]) for row in rows)
    text = processor.tokenizer.decode(batch["input_ids"][0])
    assert rows[0]["messages"][2]["content"][0]["text"] in text and "<tool_response>" in text


def test_the_same_trajectories_give_the_same_data_set(taught, made, tmp_path):
    shutil.copytree(taught, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "dataset")
    export_dataset(Job(RunFolder(str(tmp_path / "run")), str(made / "store"), teacher.settings()))
    assert tree(tmp_path / "run" / "dataset") == tree(taught / "dataset")


def test_the_card_tells_of_the_teacher(taught):
    card = (taught / "dataset" / "README.md").read_text()
    assert (
        "2 teacher trajectories" in card
        and "| crop | 2 |" in card
        and "wrong answer given 1" in card
    )


def _pictures_of(run: Path, number: int) -> list[bytes]:
    """Files of everything that the trajectory of a question shows."""
    (trajectory,) = [t for t in kept(run).values() if teacher.NUMBERS[t.question_id] == number]
    return [
        (run / "episodes" / "teacher" / "pictures" / i.sha256).read_bytes()
        for i in trajectory.episode.images
    ]


@pytest.mark.parametrize("kind", ["the task's own", "found by a tool"])
def test_a_dropped_picture_is_nowhere_in_run_trajectories_and_data_set(taught, tmp_path, kind):
    shutil.copytree(taught, tmp_path / "run")
    run = tmp_path / "run"
    (trajectory,) = [t for t in kept(run).values() if teacher.NUMBERS[t.question_id] == 3]
    source = trajectory.source_image_id if kind == "the task's own" else trajectory.source_ids[1]
    (number,) = [
        n for n in range(world.NUM_PICTURES) if world.sha256_hex(world.source_bytes(n)) == source
    ]
    name = world.file_name(number)
    gone = {
        t.id
        for t in read_stage(run_files.taught(run), "play", "kept", Trajectory)
        if source in (*t.source_ids, t.source_image_id)
    }
    assert trajectory.id in gone
    drop(RunFolder(str(run)), [name])
    left = {t.id for t in read_stage(run_files.taught(run), "play", "kept", Trajectory)}
    assert not left & gone and (left or kind != "the task's own")
    needles = [
        name.encode(),
        name.replace(" ", "_").encode(),
        source.encode(),
        world.shown_picture(number).id.encode(),
    ]
    assert found(run, needles) == [] and shows(run, world.source_bytes(number)) == []
    for stage in stage_names(run_files.taught(run)):
        for count in counts(run_files.taught(run), stage):
            assert count.num_in == count.num_kept + count.num_rejected + count.num_pending


def test_dropping_twice_changes_nothing_and_the_teacher_has_nothing_left_to_do(
    taught, made, tmp_path, monkeypatch
):
    shutil.copytree(taught, tmp_path / "run")
    drop(RunFolder(str(tmp_path / "run")), [world.file_name(3)])
    once = tree(tmp_path / "run")
    drop(RunFolder(str(tmp_path / "run")), [world.file_name(3)])
    assert tree(tmp_path / "run") == once
    _, engine = teacher.teach(tmp_path / "run", made / "store")
    assert engine.num_steps == 0


@pytest.mark.parametrize("survives", [0, 2, 7, 11])
def test_a_drop_that_dies_among_the_trajectories_is_finished_by_the_next(
    taught, tmp_path, monkeypatch, survives
):
    from questloom.pipeline.export import purge_episodes

    for name in ("whole", "torn"):
        shutil.copytree(taught, tmp_path / name)
    drop(RunFolder(str(tmp_path / "whole")), [world.file_name(3)])
    real, left = purge_episodes.rewrite, [survives]

    def dies(*args):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        real(*args)

    monkeypatch.setattr(purge_episodes, "rewrite", dies)
    with pytest.raises(KeyboardInterrupt):
        drop(RunFolder(str(tmp_path / "torn")), [world.file_name(3)])
    monkeypatch.setattr(purge_episodes, "rewrite", real)
    drop(RunFolder(str(tmp_path / "torn")), [world.file_name(3)])
    assert tree(tmp_path / "torn") == tree(tmp_path / "whole")


def test_a_task_that_the_oracle_cannot_solve_is_no_task_to_be_trained_on(
    made, tmp_path, monkeypatch
):
    run = teacher.copy_of(made, tmp_path)
    teacher.teach(
        run,
        made / "store",
        lambda c: "no tags" if teacher.NUMBERS[c.task_id] == 1 else teacher.solver(c),
        uses=["sft", "rl"],
    )
    export_dataset(Job(RunFolder(str(run)), str(made / "store"), teacher.settings()))
    rl = load_dataset(str(run / "dataset"), "rl", cache_dir=str(tmp_path / "rl"))
    tasks = load_dataset(str(run / "dataset"), "tasks", cache_dir=str(tmp_path / "tasks"))
    in_rl, everywhere = (
        {teacher.NUMBERS[r["id"]] for split in rows.values() for r in split} for rows in (rl, tasks)
    )
    assert 1 in everywhere and 1 not in in_rl and 2 in in_rl
    assert numbers(
        load_dataset(str(run / "dataset"), "sft", cache_dir=str(tmp_path / "sft"))["train"]
    ) == {3, 15}
    assert (
        "1 that the oracle played and never solved" in (run / "dataset" / "README.md").read_text()
    )
