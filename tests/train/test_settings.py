"""Settings: presets hold the published numbers, and what is misspelt or does not fit is refused with its place."""

import re

import pytest

from questloom.records.errors import InputError
from questloom.train.settings.settings_file import PRESETS, presets
from questloom.train.settings.training_settings import SftSettings, load_settings

PUBLISHED = [
    # preset, lr, schedule, warm-up, epochs, rows an update, tokens, pixels, vision and projector frozen
    ("vsearcher", 1e-5, "cosine", 0.1, 5, 16, 20_480, 262_144, True, True),
    ("opensearch_vl", 2e-5, "cosine", 0.1, 8, 256, 32_000, 262_144, False, False),
    ("ode", 2e-5, "cosine", 0.1, 2, 64, 65_536, 262_144, False, False),
]
OPEN_IN_ODE = {
    "max_pixels",
    "too_long",
    "freeze_vision",
    "freeze_projector",
    "precision",
    "schedule",
    "warm_up",
    "weight_decay",
    "max_grad_norm",
}


@pytest.mark.parametrize(
    (
        "name",
        "lr",
        "schedule",
        "warm_up",
        "epochs",
        "rows",
        "tokens",
        "pixels",
        "vision",
        "projector",
    ),
    PUBLISHED,
)
def test_a_preset_holds_the_published_numbers(
    name, lr, schedule, warm_up, epochs, rows, tokens, pixels, vision, projector
):
    found = load_settings(name)
    assert found.name == name
    assert (found.optimiser.lr, found.optimiser.schedule, found.optimiser.warm_up) == (
        lr,
        schedule,
        warm_up,
    )
    assert (found.batch.epochs, found.batch.rows, found.data.max_tokens, found.data.max_pixels) == (
        epochs,
        rows,
        tokens,
        pixels,
    )
    assert (found.weights.freeze_vision, found.weights.freeze_projector, found.weights.lora) == (
        vision,
        projector,
        None,
    )


def test_what_a_paper_leaves_open_is_marked_as_ours():
    marked = {
        m[1]
        for m in re.finditer(r"^ *(\w+):.*# ours", (PRESETS / "ode.yaml").read_text(), re.MULTILINE)
    }
    assert marked == OPEN_IN_ODE
    for name in ("vsearcher", "opensearch_vl"):
        assert {
            m[1]
            for m in re.finditer(
                r"^ *(\w+):.*# ours", (PRESETS / f"{name}.yaml").read_text(), re.MULTILINE
            )
        } == {"too_long", "weight_decay", "max_grad_norm"}


@pytest.mark.parametrize("name", presets(grpo=False))
def test_every_preset_loads_and_is_the_same_read_again(name):
    found = load_settings(name)
    assert found.resolved()["batch"]["rows"] > 0 and found.micro_tokens == found.data.max_tokens
    assert load_settings(str(PRESETS / f"{name}.yaml")) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("optimizer:\n  lr: 1", "key optimizer: is unknown. Did you mean optimiser?"),
        (
            "weights:\n  lora:\n    rnak: 3",
            r"key weights.lora.rnak: is unknown. Did you mean weights.lora.rank?",
        ),
        ("optimiser:\n  lr: fast", "key optimiser.lr: .*it is 'fast'"),
        ("optimiser:\n  lr: -1", "key optimiser.lr: .*greater than 0"),
        ("optimiser:\n  schedule: linaer", "key optimiser.schedule"),
        (
            "data:\n  max_tokens: 100\nbatch:\n  micro_tokens: 50",
            "key batch.micro_tokens: is 50, but a row may have 100 tokens",
        ),
        ("- a list", "is no mapping"),
        ("a: [", "cannot be read as YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_settings(str(path))


def test_an_unknown_name_tells_the_presets():
    with pytest.raises(InputError, match="ode, opensearch_vl, tiny, vsearcher"):
        load_settings("vsercher")


def test_settings_on_the_command_line_stand_in_place_of_the_files():
    found = load_settings(
        "tiny", ["optimiser.lr=2e-5", "weights.lora.rank=8", "parallel.kind=fsdp"]
    )
    assert (
        (found.optimiser.lr, found.parallel.kind) == (2e-5, "fsdp")
        and found.weights.lora is not None
        and found.weights.lora.rank == 8
    )
    for wrong, message in (
        ("optimiser.lr", "not of the form"),
        ("name.lr=1", "name holds no keys"),
        ("optimiser.rl=1", "optimiser.rl: is unknown"),
        ("name=[", "cannot be read as YAML"),
    ):
        with pytest.raises(InputError, match=message):
            load_settings("tiny", [wrong])


def test_what_makes_another_run_and_what_does_not():
    plain = SftSettings().identity()
    assert load_settings("tiny", ["batch.rows=9"]).identity() != load_settings("tiny").identity()
    assert (
        load_settings(
            "tiny", ["parallel.processes=2", "keep.checkpoint_every=1", "batch.micro_tokens=9000"]
        ).identity()
        == load_settings("tiny").identity()
    )
    assert (
        "batch.rows" in plain
        and "seed" in plain
        and not any(key.startswith(("parallel", "keep")) for key in plain)
    )
