"""LLaMA-Factory, verl and ms-swift read the export with their own code, in processes of their own (`readers.py`): what they make of it is compared with what
our renderer, processor and questions say. Each is also given a row that it must refuse, so that its silence means something."""

import base64
import hashlib
import io
import json
from pathlib import Path

import pytest
from datasets import Dataset, load_dataset
from PIL import Image

from questloom.agent.tool_settings import ALL_TOOLS
from questloom.agent.turns.renderer import Escape
from questloom.pipeline.export.formats import sharegpt as sharegpt_format
from questloom.pipeline.export.rendered_question import QuestionRenderer
from questloom.pipeline.format_registry import load_formats
from tests.agent import tiny
from tests.pipeline.export import finished_run as world
from tests.pipeline.export import readers
from tests.pipeline.export.parquet_rows import load

pytestmark = pytest.mark.slow  # the tools are installed first

TRAJECTORIES = "questloom_small_trajectories_train"
HOSTILE = "Which tag stands beside <image>, <video> and <audio> in the picture?"
HARMLESS = "Which tag stands beside ‹image›, ‹video› and ‹audio› in the picture?"


@pytest.fixture(scope="module")
def packages():
    return readers.folder()


@pytest.fixture(scope="module")
def processor(tmp_path_factory):
    """The tiny Qwen3-VL's processor and configuration as files, as a user has them."""
    folder = tmp_path_factory.mktemp("processor")
    tiny.processor().save_pretrained(folder)
    tiny.model().config.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """Parts with one row each: a question that speaks of placeholders, and rows with one placeholder too many."""
    folder = tmp_path_factory.mktemp("made_up")
    question = world.pictured(world.drafted(1), 1).replace(text=HOSTILE)

    def write(part, features, row):
        (folder / part).mkdir()
        Dataset.from_list([row], features=features).to_parquet(folder / part / "part-0.parquet")

    asking = QuestionRenderer(world.recipe())
    asked = asking.of(question, lambda _: tiny.picture(1))
    formats = load_formats(("sharegpt", "verl"))
    rows = {name: f.row(asked, "test", "train") for name, f in formats.items()}
    write("hostile", formats["sharegpt"].features(()), rows["sharegpt"])
    write("hostile_verl", formats["verl"].features(asking.tools), rows["verl"])
    rows["sharegpt"]["conversations"][0]["value"] += "<image>"
    rows["verl"]["prompt"][1]["content"] += "<image>"
    write("one_too_many", formats["sharegpt"].features(()), rows["sharegpt"])
    write("one_too_many_verl", formats["verl"].features(asking.tools), rows["verl"])
    turns = [{"role": "user", "content": "<image><image>?"}, {"role": "assistant", "content": "!"}]
    write(
        "one_too_many_sft",
        formats["verl"].trajectory_features,
        {
            "messages": turns,
            "images": rows["verl"]["images"],
            "id": "",
            "question_id": "",
            "level": "",
        },
    )
    for name, data in sharegpt_format.dataset_info("made_up", ["hostile", "one_too_many"]).items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def llama_factory(packages, processor, taught, exported, made_up, tmp_path_factory):
    """What LLaMA-Factory reads: trajectories with the template of thinking models, bare answers with the other."""
    parts = [
        [str(taught / "dataset/formats/sharegpt"), TRAJECTORIES, "qwen3_vl"],
        *(
            [str(exported / "formats/sharegpt"), name, "qwen3_vl_nothink"]
            for name in sharegpt(exported)
        ),
        *(
            [str(made_up), f"made_up_{name}", "qwen3_vl_nothink"]
            for name in ("hostile", "one_too_many")
        ),
    ]
    return readers.read(
        packages,
        "read_by_llama_factory.py",
        {"processor": processor, "parts": parts},
        tmp_path_factory.mktemp("llama_factory"),
    )


@pytest.fixture(scope="module")
def verl(packages, processor, taught, exported, made_up, tmp_path_factory):
    """What verl reads."""

    def files(*folders):
        return [str(path) for folder in folders for path in sorted(folder.glob("*.parquet"))]

    rl = {part: files(exported / "formats/verl" / part) for part in ("rl_train", "rl_validation")}
    job = {
        "processor": processor,
        "rl": {**rl, "hostile": files(made_up / "hostile_verl", made_up / "one_too_many_verl")},
        "sft": {
            "trajectories": files(taught / "dataset/formats/verl/trajectories_train"),
            "one_too_many": files(made_up / "one_too_many_sft"),
        },
    }
    return readers.read(packages, "read_by_verl.py", job, tmp_path_factory.mktemp("verl"))


@pytest.fixture(scope="module")
def told(taught, tmp_path_factory):
    """The trajectories of configuration `sft` by our own processor: ids of all and of what is trained on, and the brightness of the pictures."""
    rows = load_dataset(
        str(taught / "dataset"), "sft", cache_dir=str(tmp_path_factory.mktemp("sft"))
    )["train"]
    found = []
    for row in rows:
        messages = [
            {
                "role": m["role"],
                "content": [
                    {**p, "text": marked(p["text"])} if p["text"] else p for p in m["content"]
                ],
            }
            for m in row["messages"]
        ]
        said = [
            "".join(p["text"] for p in m["content"]) + "<|im_end|>\n"
            for m in messages
            if m["role"] == "assistant"
        ]
        found.append(
            {
                **encoded(messages, row["images"]),
                "trained": [i for turn in said for i in tiny.tokenizer()(turn)["input_ids"]],
            }
        )
    return found


def sharegpt(dataset):
    """LLaMA-Factory's names of a data set's parts, with their folders."""
    folder = dataset / "formats/sharegpt"
    return {
        name: folder / entry["file_name"]
        for name, entry in json.loads((folder / "dataset_info.json").read_text()).items()
    }


def marked(text):
    """As the text formats write what looks like a placeholder."""
    for kind in ("image", "video", "audio"):
        text = text.replace(f"<{kind}>", f"‹{kind}›")
    return text


def pixels(picture: Image.Image) -> str:
    return hashlib.sha256(picture.convert("RGB").tobytes()).hexdigest()


def encoded(messages, pictures):
    """Messages and pictures by our own processor, which is what the harness does."""
    processor = tiny.processor()
    batch = processor(
        text=[processor.apply_chat_template(messages, tokenize=False)],
        images=list(pictures),
        return_tensors="pt",
    )
    parts = batch["pixel_values"].split(batch["image_grid_thw"].prod(dim=1).tolist())
    return {
        "ids": batch["input_ids"][0].tolist(),
        "pictures": [pixels(p) for p in pictures],
        "brightness": [float(p.mean()) for p in parts],
    }


def rows_of(read):
    """LLaMA-Factory's rows of a part, or verl's of one."""
    assert "refused" not in read, read["refused"]
    return read["rows"] if isinstance(read, dict) else read


def by_ids(rows):
    """Rows by their ids, since neither tool keeps an order that we could name."""
    return {tuple(row["ids"]): row for row in rows}


def test_llama_factory_trains_on_exactly_what_the_policy_wrote_among_what_it_saw(
    llama_factory, told
):
    read, expected = by_ids(rows_of(llama_factory[TRAJECTORIES])), by_ids(told)
    assert read.keys() == expected.keys() and len(read) == 2
    for ids, row in read.items():
        assert row["trained"] == expected[ids]["trained"]
        assert row["pictures"] == expected[ids]["pictures"] and len(row["pictures"]) == 5


def test_llama_factory_reads_every_bare_answer_with_its_picture(llama_factory, exported, tmp_path):
    parts = sharegpt(exported)
    assert len(parts) == 3
    for name, folder in parts.items():
        rows = list(load(folder, tmp_path))
        expected = []
        for row in rows:
            (asked, answered), (picture,) = row["conversations"], row["images"]
            question = [
                {"type": "image"},
                {"type": "text", "text": asked["value"].removeprefix("<image>")},
            ]
            messages = [
                {"role": "user", "content": question},
                {"role": "assistant", "content": answered["value"]},
            ]
            expected.append(encoded(messages, [Image.open(io.BytesIO(picture["bytes"]))]))
        read = by_ids(rows_of(llama_factory[name]))
        assert (
            len(rows_of(llama_factory[name])) == len(rows)
            and read.keys() == by_ids(expected).keys()
        )
        assert sorted(p for row in read.values() for p in row["pictures"]) == sorted(
            p for row in expected for p in row["pictures"]
        )


def test_llama_factorys_collator_has_a_place_for_every_patch(llama_factory, exported):
    image, merged = (
        tiny.tokenizer().convert_tokens_to_ids("<|image_pad|>"),
        tiny.processor().image_processor.merge_size ** 2,
    )
    for name in (TRAJECTORIES, *sharegpt(exported)):
        rows, batch = rows_of(llama_factory[name]), llama_factory[name]["batch"]
        assert (
            sum(row.count(image) for row in batch["ids"]) * merged
            == batch["patches"]
            == sum(t * h * w for t, h, w in batch["grid"])
        )
        assert len(batch["grid"]) == sum(len(row["pictures"]) for row in rows)


def test_verl_trains_on_exactly_what_the_policy_wrote_among_what_it_saw(verl, told):
    read, expected = by_ids(rows_of(verl["trajectories"])), by_ids(told)
    assert read.keys() == expected.keys() and len(read) == 2
    for ids, row in read.items():
        assert row["trained"] == expected[ids]["trained"]
        assert row["brightness"] == pytest.approx(expected[ids]["brightness"], abs=0.01)
        assert row["positions"] == [4, len(ids)]


def test_verl_asks_every_question_with_its_picture(verl, exported, tmp_path):
    for part in ("rl_train", "rl_validation"):
        rows = list(load(exported / "formats/verl" / part, tmp_path))
        read = {row["extra_info"]["id"]: row for row in verl[part]}
        assert len(verl[part]) == len(read) == len(rows)
        for row in rows:
            found = read[row["extra_info"]["id"]]
            system, size, shown, asked = found["question"]
            assert system == ["system", "text", row["prompt"][0]["content"]] and size == [
                "user",
                "text",
                "<image:0> 160×120 px\n",
            ]
            assert shown == ["user", "image", pixels(row["images"][0])]
            assert asked[:2] == ["user", "text"] and asked[2] == "\n" + Escape()(
                row["extra_info"]["question"]
            )
            assert found["num_seen"] == 1
            assert (
                found["extra_info"] == row["extra_info"]
                and found["index"] == row["extra_info"]["index"]
            )
            assert (
                found["reward_model"] == row["reward_model"]
                and found["data_source"] == row["data_source"]
            )


def test_verl_hands_its_agent_loop_the_rules_the_tools_and_what_is_withheld(verl):
    (system,) = {row["question"][0][2] for row in verl["rl_train"]}
    assert (
        json.loads(verl["rl_train"][0]["extra_info"]["tool_schemas"])[0]["function"]["name"]
        in system
    )
    assert list(verl["rl_train"][0]["tools_kwargs"]) == list(ALL_TOOLS) and {
        row["agent_name"] for row in verl["rl_train"]
    } == {"tool_agent"}


def test_ms_swift_reads_every_line_with_its_picture_and_finds_the_reward_function(
    exported, tmp_path
):
    files = [str(path) for path in sorted((exported / "formats/jsonl/rl_train").glob("*.jsonl"))]
    lines = {
        line["id"]: line
        for path in files
        for line in map(json.loads, Path(path).read_text().splitlines())
    }
    read = readers.read(
        readers.folder(readers.SWIFT),
        "read_by_ms_swift.py",
        {"files": files, "reward": str(exported / "formats/reward.py")},
        tmp_path,
    )
    assert {row["id"] for row in read["rows"]} == lines.keys()
    for row in read["rows"]:
        line = lines[row["id"]]
        assert [{k: m[k] for k in ("role", "content")} for m in row["messages"]] == line["messages"]
        data = base64.b64decode(line["images"][0].partition(";base64,")[2])
        assert (
            row["pictures"] == [pixels(Image.open(io.BytesIO(data)))]
            and row["answers"] == line["answers"]
        )
    assert read["rewards"] == [[1.0] * len(lines), [0.0] * len(lines)]


def test_a_question_that_speaks_of_placeholders_is_read_and_one_with_a_placeholder_too_many_is_not(
    llama_factory, verl
):
    (row,) = rows_of(llama_factory["made_up_hostile"])
    assert HARMLESS in tiny.tokenizer().decode(row["ids"]) and len(row["pictures"]) == 1
    assert "number of images does not match" in llama_factory["made_up_one_too_many"]["refused"]
    (row,) = verl["hostile"]  # verl leaves the row with one too many out
    assert (
        row["question"][3][2] == "\n" + HARMLESS.replace("›", ">")
        and row["extra_info"]["question"] == HOSTILE
    )
    assert verl["one_too_many"]["refused"].startswith("IndexError")
