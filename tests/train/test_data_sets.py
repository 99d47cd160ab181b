"""One configuration of a data set is learned from: what holds several forms of the same rows, or rows that are for something else, is refused by name."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from questloom.agent.turns.renderer import Renderer
from questloom.pipeline.export.sft_rows import RenderedTrajectory, sft_row
from questloom.pipeline.format_registry import load_formats
from questloom.records.errors import InputError
from questloom.train.sft.data import REASONS, check_apart
from questloom.train.sft.data_sets import DialogueFile, dialogue_files, full_name
from questloom.train.sft.sources import check_sources
from tests.agent import tiny
from tests.pipeline.commands.hub_server import TOKEN, hub_environment, served
from tests.train.played import TOKENS, reopened
from tests.train.read import surveyed
from tests.train.sft_world import dialogue, dialogue_file, episodes_folder, trajectory

RENDERER = Renderer([], max_calls=3, special_tokens=TOKENS.special_tokens)
STORED = [
    trajectory(0, told=False, num_turns=2),
    trajectory(1, told=False, num_turns=3),
    trajectory(2, "sft/validation", told=False, num_turns=2),
]
SFT = {
    "train": "data/trajectories/train-*.parquet",
    "validation": "data/trajectories/validation-*.parquet",
}
RL = {"train": "data/rl/train-*.parquet"}
ODD = {"train": "data/trajectories/train-*.parquet", "rejected": "data/rl/train-*.parquet"}


def rendered(made) -> RenderedTrajectory:
    return RenderedTrajectory(
        made,
        RENDERER.messages(made.episode.question, made.episode.turns, reopened(made.episode)),
        RENDERER.version,
        "[]",
    )


def rows(row, split: str) -> list[dict]:
    return [row(rendered(made)) for made, _ in STORED if made.split == split]


def write(path: Path, found: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(found), path)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with its episodes, and its data set as it is exported: a card, questions, and trajectories in each trainer's form."""
    folder = episodes_folder(tmp_path_factory.mktemp("set") / "run", STORED)
    made = folder / "dataset"
    for split in ("train", "validation"):
        write(
            made / "data" / "trajectories" / f"{split}-00000-of-00001.parquet",
            rows(sft_row, f"sft/{split}"),
        )
        for name, form in load_formats(("sharegpt", "verl", "trl")).items():
            write(
                made / "formats" / name / f"trajectories_{split}" / "part-00000-000.parquet",
                rows(form.trajectory_row, f"sft/{split}"),
            )
        bare = {
            "conversations": [
                {"from": "human", "value": "<image>Who?"},
                {"from": "gpt", "value": "Varga"},
            ],
            "images": [{"bytes": tiny.picture(5)}],
            "system": "",
            "tools": "",
        }
        write(made / "formats" / "sharegpt" / f"rl_{split}" / "part-00000-000.parquet", [bare])
    write(
        made / "data" / "rl" / "train-00000-of-00001.parquet",
        [{"id": "q", "question": "Who?", "answer": "Varga"}],
    )
    configs = [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": [path]} for split, path in files.items()],
        }
        for name, files in (("rl", RL), ("sft", SFT), ("odd", ODD))
    ]
    (made / "README.md").write_text(f"---\n{yaml.safe_dump({'configs': configs})}---\n# A set\n")
    parts = [
        f"{use}_{split}" for use in ("rl", "trajectories") for split in ("train", "validation")
    ]
    (made / "formats" / "sharegpt" / "dataset_info.json").write_text(
        json.dumps({f"demo_{part}": {"file_name": part} for part in parts})
    )
    return folder


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("dataset", ["odd, rl, sft", "--data", "/run)"]),
        ("dataset/formats/sharegpt", ["demo_rl_train", "demo_trajectories_train"]),
        (
            "dataset/formats",
            [
                "in several folders",
                "sharegpt/rl_train",
                "trl/trajectories_train",
                "verl/trajectories_validation",
            ],
        ),
        (
            "dataset/formats/trl",
            ["in several folders", "trajectories_train, trajectories_validation"],
        ),
        ("dataset/data", ["in several folders", "rl, trajectories"]),
        ("dataset:sfd", ["no configuration 'sfd'", "It has: odd, rl, sft"]),
        ("dataset/formats/sharegpt:rl", ["no configuration 'rl'"]),
        ("dataset/data/rl:sft", ["names a configuration", "has no list of any"]),
    ],
)
def test_what_holds_several_things_is_refused_with_their_names_before_anything_is_read(
    run, source, names
):
    with pytest.raises(InputError) as caught:
        check_sources([str(run / source)])
    assert all(name in str(caught.value) for name in names), caught.value


@pytest.mark.parametrize(
    "source",
    [
        "dataset:sft",
        "dataset/data/trajectories",
        "dataset/formats/sharegpt:demo_trajectories_train",
        "dataset/formats/sharegpt/trajectories_train",
        "dataset/formats/trl/trajectories_train",
        "dataset/formats/verl/trajectories_train",
    ],
)
def test_one_configuration_is_the_runs_own_trajectories_in_whichever_form(run, tmp_path, source):
    """The same ids, loss mask and pixels as of the stored episodes, split by split; questions that are kept for other things are not among them."""
    own, _ = surveyed(tmp_path, [run])
    found, _ = surveyed(tmp_path, [run / source])
    assert [each.digest for each in found.of("train")] == [
        each.digest for each in own.of("train")
    ] and len(own.of("train")) == 2
    both = source in ("dataset:sft", "dataset/data/trajectories")
    assert [each.digest for each in found.of("validation")] == [
        each.digest for each in own.of("validation")
    ] * both and not found.left_out


def test_rows_of_a_split_for_something_else_and_rows_that_are_no_dialogue_are_left_out_and_told(
    run, tmp_path
):
    survey, _ = surveyed(tmp_path, [run / "dataset:odd"])
    assert survey.left_out == {"foreign_split": 1} and len(survey.used) == 2
    first = "train-00000-of-00001.parquet, row 1"
    assert survey.reasons() == [
        f"1 left out (foreign_split): {REASONS['foreign_split']}; the first: {first} is of the split rejected"
    ]
    survey, _ = surveyed(tmp_path, [run / "dataset:rl"])
    assert survey.left_out == {"dialogue": 1} and not survey.used
    assert survey.reasons()[0].endswith(
        f"the first: {first} has nothing in conversations or messages; it has id, question, answer"
    )


def test_the_same_rows_from_two_sources_are_refused_with_both(run, tmp_path):
    survey, documents = surveyed(tmp_path, [run, run / "dataset:sft"])
    with pytest.raises(InputError, match=r"run and .*dataset:sft: hold 2 rows twice \(for example"):
        check_apart(survey, documents)
    apart, documents = surveyed(tmp_path, [run])
    check_apart(apart, documents)


def test_rows_that_are_trained_and_measured_on_are_refused(tmp_path):
    dialogue_file(tmp_path, [dialogue(0), dialogue(1), dialogue(1)], "train.json")
    dialogue_file(tmp_path, [dialogue(2), dialogue(1)], "held_out.json")
    survey, documents = surveyed(tmp_path, [tmp_path / "train.json"], [tmp_path / "held_out.json"])
    with pytest.raises(
        InputError,
        match=r"train.json and .*held_out.json: hold 1 rows for training and for validation \(for example train.json, row 2 is",
    ):
        check_apart(survey, documents)
    (tmp_path / "README.md").write_text(
        "---\nconfigs: [{config_name: a, data_files: [{split: train, path: train.json}, "
        "{split: validation, path: held_out.json}]}]\n---\n"
    )
    survey, documents = surveyed(tmp_path, [tmp_path])
    with pytest.raises(InputError, match="hold 1 rows for training and for validation"):
        check_apart(survey, documents)
    twice, documents = surveyed(tmp_path, [tmp_path / "train.json"])
    check_apart(twice, documents)
    assert len(twice.used) == 3, "a row that a file has twice is taken twice"


def test_a_sources_full_name_is_the_same_wherever_the_command_is_started(tmp_path, monkeypatch):
    (tmp_path / "a" / "set").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a")
    assert (
        full_name("set:sft") == full_name("../a/set:sft") == f"{tmp_path}/a/set:sft"
        and full_name("set") == f"{tmp_path}/a/set"
    )
    assert (
        full_name("hf://lab/small:sft") == full_name("lab/small:sft") == "lab/small:sft"
        and full_name("s3://bucket/run") == "s3://bucket/run"
    )


def test_a_folders_files_are_of_the_splits_that_all_of_their_names_say(tmp_path):
    for name in ("train-00000-of-00001.parquet", "validation.jsonl", "test.json"):
        (tmp_path / name).write_text("")
    found = dialogue_files(str(tmp_path), "train")
    assert [file.path.name for file in found] == [
        "test.json",
        "train-00000-of-00001.parquet",
        "validation.jsonl",
    ]
    assert [file.split for file in found] == ["test", "train", "validation"]
    with pytest.raises(InputError, match="holds rows for training, and says itself"):
        check_sources([], [str(tmp_path)])
    (tmp_path / "trainer_notes.json").write_text("[]")
    with pytest.raises(InputError, match=r"files that name their split \(test.json, train-00000"):
        dialogue_files(str(tmp_path), "train")


def test_a_folder_whose_files_name_no_split_is_taken_as_it_was_asked_for(tmp_path):
    for name in ("a.json", "b.parquet", "notes.txt", ".cache.json"):
        (tmp_path / name).write_text("")
    for split in ("train", "validation"):
        assert dialogue_files(str(tmp_path), split) == [
            DialogueFile(tmp_path / name, split) for name in ("a.json", "b.parquet")
        ]
    (tmp_path / "README.md").write_text("# No front matter\n")
    assert len(dialogue_files(str(tmp_path), "train")) == 2


def test_a_card_that_cannot_be_read_and_a_list_that_names_nothing_are_told(tmp_path):
    (tmp_path / "README.md").write_text("---\nconfigs: [{config_name: a}]\n---\n")
    with pytest.raises(InputError, match=r"README.md: has configurations that cannot be read"):
        dialogue_files(str(tmp_path), "train")
    (tmp_path / "README.md").unlink()
    (tmp_path / "dataset_info.json").write_text(json.dumps({"a": {"hf_hub_url": "x/y"}}))
    with pytest.raises(
        InputError, match=r"names a, of which dataset_info\.json names no file that is here"
    ):
        dialogue_files(str(tmp_path), "train")


def test_a_single_configuration_needs_no_name(tmp_path):
    (tmp_path / "x.json").write_text("[]")
    (tmp_path / "README.md").write_text(
        "---\nconfigs:\n- config_name: default\n  data_files: x.json\n---\n"
    )
    assert dialogue_files(str(tmp_path), "train") == [DialogueFile(tmp_path / "x.json", "train")]


FILES_OF = """
import sys
from questloom.records.errors import InputError
from questloom.train.sft.data_sets import dialogue_files
from questloom.train.sft.sources import check_sources
try:
    check_sources(sys.argv[1:])
    print([(file.path.name, file.split, file.path.read_bytes()) for file in dialogue_files(sys.argv[1], "train")])
except InputError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_data_set_of_the_hub_is_fetched_by_its_name_and_obeys_the_same_rules(run, tmp_path):
    with served() as hub:
        hub.files.clear()
        hub.files |= {
            str(path.relative_to(run / "dataset")): path.read_bytes()
            for path in (run / "dataset").rglob("*")
            if path.is_file()
        }
        environment = hub_environment(hub, tmp_path, TOKEN)

        def asked(source: str) -> str:
            return subprocess.run(
                [sys.executable, "-c", FILES_OF, source],
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
            ).stdout

        home = run / "dataset" / "data" / "trajectories"
        want = [
            (
                f"{split}-00000-of-00001.parquet",
                split,
                (home / f"{split}-00000-of-00001.parquet").read_bytes(),
            )
            for split in ("train", "validation")
        ]
        assert asked("lab/small:sft") == f"{want}\n" == asked("hf://lab/small:sft")
        assert "lab/small: is a data set of several configurations" in asked(
            "lab/small"
        ) and "--data lab/small:sft" in asked("lab/small")
    assert "does not exist here, and cannot be had from the Hub" in asked("lab/other:sft"), (
        "the server has gone"
    )
