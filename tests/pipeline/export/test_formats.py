"""The shapes that the tools document: LLaMA-Factory's data/README.md, verl's examples/data_preprocess/geo3k.py and
verl/utils/dataset/rl_dataset.py, TRL's dataset_formats page ("Vision datasets"), ms-swift's page on data sets of one's own."""

import base64
import io
import json
import re

from datasets import load_dataset
from PIL import Image

from questloom.agent.tool_settings import ALL_TOOLS
from questloom.pipeline.export.rendered_question import QuestionRenderer
from questloom.pipeline.recipe import recipe_of
from tests.agent import tiny
from tests.pipeline.export import finished_run as world
from tests.pipeline.export.parquet_rows import load


def test_sharegpt_is_what_llama_factory_reads(exported, tmp_path):
    folder = exported / "formats" / "sharegpt"
    info = json.loads((folder / "dataset_info.json").read_text())
    assert set(info) == {
        f"questloom_small_{part}" for part in ("rl_train", "rl_validation", "sft_train")
    }
    for entry in info.values():
        assert entry["formatting"] == "sharegpt"
        assert (folder / entry["file_name"]).is_dir()
        columns, tags = entry["columns"], entry["tags"]
        for row in load(folder / entry["file_name"], tmp_path):
            assert set(row) == set(columns.values())
            turns = row[columns["messages"]]
            assert [t[tags["role_tag"]] for t in turns] == [tags["user_tag"], tags["assistant_tag"]]
            # As many <image> in the text as there are pictures, or LLaMA-Factory refuses the row.
            assert (
                sum(t[tags["content_tag"]].count("<image>") for t in turns)
                == len(row[columns["images"]])
                == 1
            )
            # As bytes: what is opened here, LLaMA-Factory would compress again.
            assert Image.open(io.BytesIO(row[columns["images"]][0]["bytes"])).size == (160, 120)


def test_verl_reads_prompt_pictures_and_ground_truth(exported, tmp_path):
    rows = {r["extra_info"]["id"]: r for r in load(exported / "formats/verl/rl_train", tmp_path)}
    assert len(rows) == 10
    row = rows[world.drafted(1).id]
    assert set(row) == {
        "data_source",
        "prompt",
        "images",
        "ability",
        "agent_name",
        "reward_model",
        "extra_info",
    }
    assert (
        row["reward_model"] == {"style": "rule", "ground_truth": "Answer 1"}
        and row["agent_name"] == "tool_agent"
    )
    assert row["extra_info"]["split"] == "train"
    assert row["extra_info"]["answers"] == ["Answer 1", "A1"]
    assert isinstance(row["extra_info"]["index"], int)
    assert len({r["extra_info"]["index"] for r in rows.values()}) == len(rows)
    # verl splits the text at <image> and puts the pictures there, in order.
    system, asked = row["prompt"]
    assert (
        system["role"] == "system"
        and '"text_search"' in system["content"]
        and "<image>" not in system["content"]
    )
    segments = [s for s in re.split("(<image>)", asked["content"]) if s]
    assert segments == [
        "<image:0> 160×120 px\n",
        "<image>",
        "\nWho drew tower number 1 of the town in the picture?",
    ]
    assert [type(i).__mro__[1:] and i.size for i in row["images"]] == [(160, 120)]


def test_verls_tools_are_told_what_the_question_withholds(exported, tmp_path):
    info = load(exported / "formats/verl/rl_train", tmp_path)[0]["extra_info"]
    named = [schema["function"]["name"] for schema in json.loads(info["tool_schemas"])]
    assert info["need_tools_kwargs"] and list(info["tools_kwargs"]) == named == list(ALL_TOOLS)
    assert info["tools_kwargs"]["visit"] == {
        "create_kwargs": {"task_id": info["id"], "withheld_pictures": []}
    }


def test_the_tasks_own_picture_is_withheld_where_the_recipe_says_so():
    question = world.pictured(world.drafted(1), 1)
    for withholds in (True, False):
        recipe = recipe_of({"name": "small", "pictures": {"withhold_own": withholds}}, "test")
        assert QuestionRenderer(recipe).of(
            question, lambda _: world.shown_picture(1).data
        ).withheld == ((question.source_image_id,) if withholds else ())


def test_trl_gets_a_conversational_vision_prompt(exported, tmp_path):
    rows = {r["id"]: r for r in load(exported / "formats/trl/rl_validation", tmp_path)}
    row = rows[world.drafted(5).id]
    assert [m["role"] for m in row["prompt"]] == ["system", "user"]
    content = row["prompt"][1]["content"]
    assert [part["type"] for part in content] == ["text", "image", "text"]
    assert content[2]["text"].strip() == "Who drew tower number 5 of the town in the picture?"
    assert len(row["images"]) == 1 and isinstance(row["images"][0], Image.Image)
    assert row["solution"] == "Answer 5" and row["answer_unit"] == "metres"


def test_a_json_line_is_the_same_prompt_with_its_picture_inside(exported, tmp_path):
    verl = {r["extra_info"]["id"]: r for r in load(exported / "formats/verl/rl_train", tmp_path)}
    lines = [
        json.loads(line)
        for path in sorted((exported / "formats/jsonl/rl_train").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    assert {line["id"] for line in lines} == set(verl)
    for line in lines:
        row = verl[line["id"]]
        kind, _, data = line["images"][0].partition(";base64,")
        assert line["messages"] == row["prompt"] and kind == "data:image/jpeg"
        assert (
            Image.open(io.BytesIO(base64.b64decode(data))).tobytes() == row["images"][0].tobytes()
        )
        assert (
            line["solution"] == line["ground_truth"] == row["reward_model"]["ground_truth"]
            and line["question"] == row["extra_info"]["question"]
        )


def test_rows_for_reinforcement_learning_begin_with_the_very_tokens_of_the_trajectories(
    taught, tmp_path
):
    """Whoever trained on `sft` knows the prompt of `rl`: system message, tools, handle and size are the same, in every format."""
    folder, tokens = taught / "dataset", tiny.tokenizer()

    def opening(messages):
        system, (size, picture, question) = (
            [p["text"] for p in m["content"]] for m in messages[:2]
        )
        assert size and picture is None and question[0] == "\n"
        return tokens("".join(system))["input_ids"], tokens(size)["input_ids"]

    played = load_dataset(str(folder), "sft", cache_dir=str(tmp_path))["train"]
    rows = load(folder / "formats/trl/rl_train", tmp_path)
    assert {json.dumps(opening(r["messages"])) for r in played} == {
        json.dumps(opening(r["prompt"])) for r in rows
    }
    assert {r["tools"] for r in played} == {r["tool_schemas"] for r in rows}


def test_the_prompt_names_nothing_but_the_question(exported, tmp_path):
    for tool in ("verl", "trl"):
        for row in load(exported / "formats" / tool / "rl_train", tmp_path):
            assert "Answer" not in json.dumps(row["prompt"][1])


def test_no_format_holds_the_benchmark(exported, tmp_path):
    benchmark = {
        world.drafted(n).text
        for n in range(world.NUM_QUESTIONS)
        if world.split_of(n) == "benchmark"
    }
    lines = [path.read_text() for path in (exported / "formats").rglob("*.jsonl")]
    assert (
        len(benchmark)
        and len(lines)
        and not any(text in line for text in benchmark for line in lines)
    )
    for folder in {path.parent for path in (exported / "formats").rglob("*.parquet")}:
        for row in load(folder, tmp_path):
            assert not any(
                text in json.dumps({k: v for k, v in row.items() if k != "images"})
                for text in benchmark
            )
