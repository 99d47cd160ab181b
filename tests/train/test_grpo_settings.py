"""Settings of GRPO: presets hold the published numbers and mark what a paper leaves open; what does not fit is refused with its place."""

import re

import pytest
import yaml

from questloom.pipeline.recipe import load_recipe
from questloom.records.errors import InputError
from questloom.train.settings.grpo_settings import GrpoSettings, load_grpo_settings
from questloom.train.settings.settings_file import PRESETS, presets
from questloom.train.settings.training_settings import load_settings

PUBLISHED = [
    # preset, lr, questions, rollouts, questions an update, temperature, top-p, clip low and high, KL, statistic, calls, tokens
    ("vsearcher", 2e-6, 32, 8, 0, 0.6, 0.9, 0.2, 0.2, 0.0, "sample", 30, 2_048 + 28_672),
    (
        "opensearch_vl",
        1e-6,
        256,
        8,
        64,
        0.7,
        1.0,
        0.2,
        0.28,
        0.001,
        "population",
        50,
        4_096 + 70_000,
    ),
    ("ode", 2e-6, 96, 6, 0, 1.0, 1.0, 0.2, 0.28, 0.0, "leave_one_out", 50, 65_536),
    ("axpo", 1e-6, 32, 8, 0, 1.0, 1.0, 0.2, 0.4, 0.001, "population", 2, 32_768),
]
OURS = {  # what stands in a preset and in no paper
    "vsearcher": {
        "clip_low",
        "clip_high",
        "statistic",
        "steps",
        "mini_questions",
        "turn_tokens",
        "normaliser",
        "kl_ratio",
    },
    "opensearch_vl": {"seconds", "max_pixels"},
    "ode": {
        "clip_low",
        "temperature",
        "top_p",
        "steps",
        "mini_questions",
        "calls",
        "turn_tokens",
        "tokens",
        "on_violation",
        "treatment",
        "normaliser",
        "max_tokens",
        "max_pixels",
    },
    "axpo": {
        "lr",
        "questions",
        "steps",
        "mini_questions",
        "top_p",
        "turn_tokens",
        "tokens",
        "on_violation",
        "normaliser",
        "max_tokens",
        "max_pixels",
    },
}
OURS_EVERYWHERE = {
    "engine",
    "too_long",
    "freeze_vision",
    "freeze_projector",
    "schedule",
    "warm_up",
    "weight_decay",
    "max_grad_norm",
    "every",
}


@pytest.mark.parametrize(
    (
        "name",
        "lr",
        "questions",
        "rollouts",
        "mini",
        "temperature",
        "top_p",
        "low",
        "high",
        "kl",
        "statistic",
        "calls",
        "tokens",
    ),
    PUBLISHED,
)
def test_a_preset_holds_the_published_numbers(
    name, lr, questions, rollouts, mini, temperature, top_p, low, high, kl, statistic, calls, tokens
):
    found = load_grpo_settings(f"grpo-{name}")
    assert found.name == f"grpo-{name}"
    assert (
        found.optimiser.lr,
        found.step.questions,
        found.step.rollouts,
        found.step.mini_questions,
    ) == (lr, questions, rollouts, mini)
    assert (
        found.play.temperature,
        found.play.top_p,
        found.play.limits.calls,
        found.play.limits.tokens,
    ) == (temperature, top_p, calls, tokens)
    assert (
        found.objective.clip_low,
        found.objective.clip_high,
        found.objective.kl,
        found.statistic,
    ) == (low, high, kl, statistic)
    assert not (found.objective.kl and found.objective.kl_ratio), "the papers' KL has no ratio"
    assert (found.axpo is not None) == (name == "axpo")


def test_presets_have_their_papers_rules():
    vsearcher, opensearch, axpo = (
        load_grpo_settings(f"grpo-{name}") for name in ("vsearcher", "opensearch_vl", "axpo")
    )
    assert (
        vsearcher.fatal.overlong,
        vsearcher.fatal.provider,
        vsearcher.reward.alpha,
        vsearcher.reward.format,
    ) == ("out_of_loss", "out_of_loss", 1.0, False)
    assert (
        opensearch.fatal.treatment,
        opensearch.fatal.faults,
        opensearch.reward.alpha,
        opensearch.step.updates,
    ) == ("fatal_mask+clamp", 3, 0.8, 4)
    assert axpo.axpo is not None and (
        axpo.axpo.continuations,
        axpo.axpo.budget,
        axpo.evaluation.calls,
        axpo.evaluation.rollouts,
    ) == (4, 0.25, 4, 4)


@pytest.mark.parametrize("name", sorted(OURS))
def test_what_a_paper_leaves_open_is_marked_as_ours(name):
    text = (PRESETS / f"grpo-{name}.yaml").read_text()
    assert {m[1] for m in re.finditer(r"^ *(\w+):.*# ours", text, re.MULTILINE)} == OURS[
        name
    ] | OURS_EVERYWHERE


@pytest.mark.parametrize("name", presets(grpo=True))
def test_a_policy_has_the_tools_of_the_runs_teacher_in_every_preset(name):
    """All of their settings: which there are, and what their results show."""
    taught = {
        "tools": ["image_search", "text_search", "visit"],
        "handles": False,
        "max_new_pictures": 5,
        "results": 3,
        "links": 7,
    }
    found = load_grpo_settings(f"{name}", (), taught).play.tools
    assert (found.tools, found.handles, found.max_new_pictures, found.results, found.links) == (
        tuple(taught["tools"]),
        False,
        5,
        3,
        7,
    )
    changed = load_grpo_settings(name, ["play.tools.tools=[visit]"], taught).play.tools
    assert (changed.tools, changed.handles, changed.links) == (("visit",), False, 7), (
        "what is named stands in its place, and nothing else"
    )


def test_published_tools_stand_in_the_recipe_that_teaches_them_and_a_preset_says_so():
    """VSearcher 3 without handles, OpenSearch-VL 7; the words beside a preset are those of the recipe."""
    for name, number, handles in (("vsearcher", 3, False), ("opensearch_vl", 7, True)):
        taught = load_recipe(name).teach.tools
        assert (len(taught.tools), taught.handles) == (number, handles)
        said = (PRESETS / f"grpo-{name}.yaml").read_text()
        shown = yaml.safe_load(re.search(r"  #   (\{tools: .*\})", said)[1])
        assert {key: getattr(taught, key) for key in shown} == {
            **shown,
            "tools": tuple(shown["tools"]),
        }
    for name in OURS:
        assert (
            "under which the run was taught (ours). Published"
            in (PRESETS / f"grpo-{name}.yaml").read_text()
        )


@pytest.mark.parametrize("name", presets(grpo=True))
def test_every_preset_loads_and_is_the_same_read_again(name):
    found = load_grpo_settings(name)
    assert (
        load_grpo_settings(str(PRESETS / f"{name}.yaml")) == found
        and found.resolved()["play"]["engine"] == "transformers"
    )


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["step.question=3"], "key step.question: is unknown. Did you mean step.questions?"),
        (["play.engine=oracle"], "key play.engine"),
        (["play.temperature=0"], "key play.temperature: .*greater than 0"),
        (["step.rollouts=1"], "key step.rollouts: .*greater than 1"),
        (["step.micro_tokens=50"], "key step.micro_tokens: is 50, but a row may have 1100 tokens"),
        (["play.model=x"], "key play.model: is set"),
        (["play.engine=server"], "key play.server: is missing"),
        (
            [
                "play.engine=server",
                "play.server={name: r, url: http://127.0.0.1:1, model: m, dialect: vllm}",
            ],
            "key play.server.dialect: is vllm",
        ),
        (["weights.lora={rank: 4, dropout: 0.1}"], "key weights.lora.dropout: is not 0"),
        (["axpo.trigger=no_tool"], "rollouts without a tool call have no prefix"),
        (
            ["models={roles: {judge_query: {endpoint: e, model: m}}}"],
            r"key models.roles.judge_query: is no role .* judge_retrieval",
        ),
    ],
)
def test_wrong_settings_are_refused_with_their_place(overrides, message):
    with pytest.raises(InputError, match=message):
        load_grpo_settings("grpo-tiny", overrides)


def test_presets_of_one_trainer_are_no_settings_of_the_other():
    with pytest.raises(InputError, match="is unknown"):
        load_grpo_settings("vsearcher")
    with pytest.raises(InputError, match="is unknown"):
        load_settings("grpo-vsearcher")
    with pytest.raises(
        InputError,
        match="grpo-axpo, grpo-learning, grpo-ode, grpo-opensearch_vl, grpo-tiny, grpo-vsearcher",
    ):
        load_grpo_settings("tiny-grpo")


def test_what_makes_another_run_and_what_does_not():
    plain = load_grpo_settings("grpo-tiny").identity()
    same = load_grpo_settings(
        "grpo-tiny",
        [
            "step.micro_tokens=9000",
            "step.at_once=3",
            "play.device=cpu",
            "keep.checkpoint_every=1",
            "care.max_lost=1.0",
            "parallel.processes=2",
        ],
    ).identity()
    assert (
        same == plain
        and load_grpo_settings("grpo-tiny", ["play.temperature=0.9"]).identity() != plain
    )
    assert "step.questions" in GrpoSettings().identity()
