"""The reference of a recipe's settings is generated, whole, and true."""

import json
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Le
from typer.testing import CliRunner

from questloom.pipeline.cli import app
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.settings_reference import PAGES, Setting, reference, settings
from questloom.train.settings.grpo_settings import GrpoSettings
from questloom.train.settings.training_settings import SftSettings
from tests.doctests import ROOT


@dataclass(frozen=True, kw_only=True)
class Inner:
    """Settings of a part."""

    rounds: Annotated[int, Ge(1), Le(9)] = 2
    """How often,
    at most."""
    mode: Literal["a", "b"]
    """Which."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """Settings."""

    part: Inner | None = None
    names: tuple[str, ...] = ("x",)
    """Of things."""
    limit: float | None = None
    other: Inner | None = None
    """Of another."""


def test_a_setting_has_its_key_default_limits_and_help():
    assert list(settings(Whole)) == [
        Setting("part.rounds", "2", "integer ≥ 1, ≤ 9", "How often, at most."),
        Setting("part.mode", "", "`a` or `b`", "Which."),
        Setting("names", '["x"]', "list of text", "Of things."),
        Setting("limit", "null", "number or none", ""),
        Setting("other", "null", "the keys of `part`", "Of another."),
    ]


def test_every_setting_says_what_it_is_for():
    assert [each.key for each in settings() if not each.help] == []


@pytest.mark.parametrize("kind", [SftSettings, GrpoSettings])
def test_every_setting_of_a_trainer_says_what_it_is_for(kind):
    assert [each.key for each in settings(kind) if not each.help] == []


@pytest.mark.parametrize("kind", [SftSettings, GrpoSettings])
def test_a_default_of_a_trainers_setting_is_its_owners(kind):
    """GRPO's learning rate is not that of the class which it shares with fine-tuning."""
    resolved, compared = kind().resolved(), 0
    for each in settings(kind):
        value = resolved
        for part in each.key.split("."):
            value = value[part] if isinstance(value, dict) else None
        if value is not None and each.default and "…" not in each.default:
            assert json.loads(each.default) == json.loads(json.dumps(value)), each.key
            compared += 1
    assert compared > 20


def test_the_command_prints_the_trainers_settings_that_begin_so():
    shown = CliRunner().invoke(app, ["settings", "optimiser.lr", "--of", "train"]).stdout
    assert "optimiser.lr = 1e-06" in shown and "recipe" not in shown


def test_the_command_says_which_trainers_line_it_prints():
    def lines(key):
        shown = CliRunner().invoke(app, ["settings", key, "--of", "train"]).stdout
        return [line for line in shown.splitlines() if not line.startswith("    ")]

    sft, grpo = "python -m questloom.train.sft", "python -m questloom.train.grpo"
    (of_sft, of_grpo) = lines("optimiser.lr")
    assert of_sft.startswith("optimiser.lr = 1e-05 ") and of_sft.endswith(f"({sft})")
    assert of_grpo.startswith("optimiser.lr = 1e-06 ") and of_grpo.endswith(f"({grpo})")
    assert lines("weights.attention")[0].endswith(f"({sft}, {grpo})")


@pytest.mark.parametrize("page", PAGES)
def test_a_committed_reference_is_what_the_command_prints(page):
    folder = "recipes" if page == "recipe" else page
    assert (ROOT / folder / "REFERENCE.md").read_text(encoding="utf-8") == reference(page), (
        f"run `questloom settings --of {page} > {folder}/REFERENCE.md`"
    )


def test_what_stands_in_the_reference_can_be_set_and_nothing_else_stands_in_a_recipe():
    def keys(value, prefix=""):
        for name, inner in value.items():
            yield prefix + name
            if isinstance(inner, dict):
                yield from keys(inner, f"{prefix}{name}.")

    told = {each.key for each in settings()}
    in_a_recipe = {*keys(recipe_of({}, "test").resolved())}
    missing = {
        key
        for key in in_a_recipe
        if not any(k == key or k.startswith(f"{key}.") or key.startswith(f"{k}.") for k in told)
    }
    assert missing == set()
    assert all(key in in_a_recipe for key in told if key.startswith(("draft.", "filters.", "run.")))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 0, "# Settings of a recipe"),
        (["draft.max_h"], 0, "draft.max_hub = 10000    integer ≥ 1"),
    ],
)
def test_the_command_prints_all_or_some(arguments, code, words):
    done = CliRunner().invoke(app, ["settings", *arguments])
    assert done.exit_code == code and words in done.output
