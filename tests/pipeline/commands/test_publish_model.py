"""A trained model with its card: to a folder and to a Hub on loopback."""

import json
from pathlib import Path

import pytest
import yaml

from questloom.eval.items import Mark
from questloom.eval.scores import scores_of
from questloom.pipeline.commands.publish import publish_model
from questloom.records.errors import InputError
from questloom.records.trajectories import AnswerVerdict
from tests.pipeline.commands.hub_server import TOKEN, publish_to, served


def training(folder: Path, model: Path | str, kind: str) -> Path:
    """The --out of a finished training, as `questloom.train.sft` and `questloom.train.grpo` leave it."""
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "config.json").write_text("{}")
    (folder / "model" / "model.safetensors").write_bytes(b"weights of " + kind.encode())
    data = (
        {"data": [str(folder.parent / "run")]}
        if kind == "sft"
        else {"questions": str(folder.parent / "run")}
    )
    (folder / "settings.json").write_text(
        json.dumps(
            {
                "run": {"name": f"{kind}-tiny", "seed": 7, "model": str(model), **data},
                "settings": {"name": kind, "place": str(folder)},
            }
        )
    )
    lines = [
        {"update": 0, "held_out/pass_rate": 0.25},
        {"update": 1, "reward": 0.4, "query_measured": 0.5, "play_seconds": 1800.0},
        {"update": 2, "held_out/pass_rate": 0.75, "reward": 0.9, "update_seconds": 1800.0},
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    more = {"steps": 2} if kind == "grpo" else {}
    (folder / "result.json").write_text(
        json.dumps(
            {
                "updates": 2,
                "ranks": 8,
                "machine": "Some GPU",
                "parameters": 926_272,
                "trained": 926_272,
                **more,
            }
        )
    )
    (folder / "curves.png").write_bytes(b"picture")
    return folder


@pytest.fixture
def out(tmp_path):
    run = tmp_path / "lab" / "run"
    run.mkdir(parents=True)
    (run / "recipe.json").write_text(
        json.dumps({"recipe": {"name": "learning"}, "fingerprint": "0123456789abcdef0123"})
    )
    sft = training(tmp_path / "lab" / "sft", "org/base-8B", "sft")
    return training(tmp_path / "lab" / "grpo", sft / "model", "grpo")


def test_the_card_tells_base_data_settings_seeds_hardware_hours_and_figures_of_every_stage(
    out, tmp_path
):
    publish_model(out, str(tmp_path / "model"))
    card = (tmp_path / "model" / "README.md").read_text()
    front = yaml.safe_load(card.split("---")[1])
    assert front["base_model"] == "org/base-8B" and front["library_name"] == "transformers"
    assert (
        "| SFT (sft-tiny) | recipe learning, fingerprint 0123456789abcdef | 2 | 7 | 8 × Some GPU | 1.00 |"
        in card
    )
    assert (
        "| GRPO (grpo-tiny) | recipe learning, fingerprint 0123456789abcdef | 2 | 7 | 8 × Some GPU | 1.00 |"
        in card
    )
    assert (
        card.index("### SFT") < card.index("### GRPO")
        and "| right on held-out questions | 0.250 | 0.750 |" in card
    )
    assert "| r_query, measured from the rollouts in place of a judge | 0.500 | 0.500 |" in card, (
        "a stand-in is named where its figures are"
    )
    assert "None were given" in card and "926,272 parameters" in card
    assert (tmp_path / "model" / "model.safetensors").read_bytes() == b"weights of grpo" and (
        tmp_path / "model" / "curves.png"
    ).is_file()
    assert sorted(p.name for p in (tmp_path / "model" / "training").iterdir()) == [
        "1-sft",
        "2-grpo",
    ]


def test_no_place_of_this_machine_is_published(out, tmp_path):
    publish_model(out, str(tmp_path / "model"))
    assert not [
        path
        for path in (tmp_path / "model").rglob("*")
        if path.is_file() and str(tmp_path).encode() in path.read_bytes()
    ]


def test_scores_stand_in_the_card_with_their_intervals(out, tmp_path):
    mark = Mark(
        episode_id="e",
        item_id="a",
        rollout=0,
        end="answered",
        strict=AnswerVerdict(outcome="correct", by="rules"),
        lenient=AnswerVerdict(outcome="correct", by="rules"),
        num_turns=1,
        tokens_in=1200,
    )
    benchmark = {
        "name": "learning",
        "title": "Learning",
        "subset": "",
        "partial": False,
        "note": "",
    }
    found = {
        "benchmark": benchmark,
        "policy": "after GRPO",
        "mode": "agent",
        "contamination": None,
        **scores_of(["a", "b"], [mark], rollouts=1, seed=0),
    }
    (tmp_path / "results/learning/p/agent").mkdir(parents=True)
    (tmp_path / "results/learning/p/agent/scores.json").write_text(json.dumps(found))
    publish_model(out, str(tmp_path / "model"), scores=str(tmp_path / "results"))
    card = (tmp_path / "model" / "README.md").read_text()
    assert (
        "after GRPO" in card
        and "strict pass@1" in card
        and "95 % intervals" in card
        and "None were given" not in card
    )


@pytest.mark.parametrize(
    ("gone", "word"),
    [
        ("settings.json", "no settings.json"),
        ("result.json", "no result.json"),
        ("model/config.json", "is no model"),
    ],
)
def test_an_unfinished_training_is_refused(out, tmp_path, gone, word):
    (out / gone).unlink()
    with pytest.raises(InputError, match=word):
        publish_model(out, str(tmp_path / "model"))
    assert not (tmp_path / "model").exists()


def test_scores_that_are_not_there_and_a_folder_that_holds_something_else_are_refused(
    out, tmp_path
):
    with pytest.raises(InputError, match="holds no scores"):
        publish_model(out, str(tmp_path / "model"), scores=str(tmp_path))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="no model of ours"):
        publish_model(out, str(tmp_path / "mine"))
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_the_hub_gets_the_model_and_nothing_is_sent_twice(out, tmp_path):
    with served(large=(".safetensors",)) as hub:
        for sent in (1, 0):
            hub.calls.clear()
            done = publish_to(hub, tmp_path, TOKEN, "--model", str(out), "--private")
            assert done.returncode == 0, done.stderr
            assert hub.calls.count("PUT") == sent
        assert (
            hub.files["model.safetensors"] == b"weights of grpo"
            and "data/old.parquet" not in hub.files
        )
        assert (
            hub.created[0]["visibility"] == "private"
            and hub.created[0].get("type", "model") == "model"
        )


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--run", "a", "--model", "b"],
        ["--model", "b", "--drop", "c"],
        ["--run", "a", "--scores", "s"],
    ],
)
def test_a_run_or_a_model_is_named_and_not_both(options, tmp_path):
    with served() as hub:
        done = publish_to(hub, tmp_path, TOKEN, *options)
    assert done.returncode == 2 and "Name one of the two" in done.stderr and not hub.calls
