"""A whole loop against a scripted endpoint: writers, votes, filters, teacher, judges, diagnoser, editor, reviewer and GRPO's judges are all asked."""

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from questloom.agent.play.player import Player, Task
from questloom.agent.setup import AGENT
from questloom.calls.ledger import cost_lines
from questloom.files.opened import Opened
from questloom.models.clip import Clip
from questloom.pipeline.evolve.loop import begin_loop, run_loop
from questloom.pipeline.evolve.loop_folder import LoopFolder
from questloom.pipeline.evolve.spending import spent_words
from questloom.pipeline.recipe import load_recipe
from questloom.prompts.roles import ROLES
from tests.agent.tools.little_store import little_store
from tests.pipeline.evolve.reader import Reader, roles, serving
from tests.pipeline.small_world import small_store
from tests.train import grpo_world as world

pytestmark = pytest.mark.slow

WORDS = (
    "what",
    "which",
    "year",
    "town",
    "person",
    "picture",
    "born",
    "opened",
    "of",
    "the",
    "was",
    "is",
)
NOT_OF_THE_LOOP = {"judge_report"}
"""Roles that no round asks: reports are judged in evaluation alone."""
OF_THE_LOOP = {*ROLES, AGENT} - NOT_OF_THE_LOOP
TOOLS = {**world.SETTINGS["play"]["tools"], "summaries": True}
"""Of teacher, policy and trainer; with summaries a page is read by a model."""


class Caller(world.Sayer):
    """Searches and searches."""

    async def step(self, conversation, *, max_new_tokens, begun=None):
        ids = world.TOKENS.policy(world.Turn(text=world.CALL)).ids
        return self.sample(
            ids,
            [-1.0] * len(ids),
            complete=True,
            num_prompt=sum(len(segment.ids) for segment in self.segments(conversation)),
        )


@pytest.fixture(scope="module")
def policy(tmp_path_factory) -> Path:
    """A tiny model that has learned to call a tool, whatever it is asked: without a call there is no search to judge."""
    folder, chance = tmp_path_factory.mktemp("policy"), random.Random(2)

    def rows(store, number: int):
        toolbox = world.ToolBox(
            world.LocalProvider(store, Clip.load("small")), settings=world.TOOLS
        )
        renderer = world.Renderer(
            toolbox.schemas(),
            max_calls=world.LIMITS.calls,
            handles=False,
            brief=True,
            special_tokens=world.TOKENS.special_tokens,
        )
        player = Player(Caller(), toolbox, world.LIMITS, renderer=renderer)

        async def played():
            asked = [
                " ".join(chance.choices(WORDS, k=chance.randint(5, 16))) + "?"
                for _ in range(number)
            ]
            tasks = [
                Task(task_id=f"t{n}", question=words, pictures=(world.tiny.picture(n),))
                for n, words in enumerate(asked)
            ]
            made = await asyncio.gather(*(player.rollout(task) for task in tasks))
            return [
                world.row_of_segments(
                    each.segments,
                    episode_id=each.episode.id,
                    tokens=world.PICTURES,
                    rope=world.ROPE,
                )
                for each in made
            ]

        return asyncio.run(played())

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world, "taught_rows", rows)
        world.taught_model(little_store(folder), max_tokens=700).save_pretrained(folder / "model")
    world.tiny.processor().save_pretrained(folder / "model")
    return folder / "model"


def recipe_of_all_roles(url: str, model: Path, grpo: Path):
    """A recipe whose loop asks every role: each of them is a model of its own name."""
    grpo.write_text(
        json.dumps(
            {
                **world.SETTINGS,
                "play": {**world.SETTINGS["play"], "tools": TOOLS},
                "reward": {"alpha": 0.8, "format": False},
                "step": {"steps": 1, "questions": 3, "rollouts": 2, "at_once": 8},
                "evaluation": {"every": 0},
            }
        )
    )
    sections = {
        "seed": 5,
        "writer": "llm",
        "models.endpoints": [{"name": "reader", "base_url": url}],
        "models.llm.votes": 1,
        "models.roles": {
            role: {"endpoint": "reader", "model": role} for role in sorted(OF_THE_LOOP)
        },
        "seeds": {
            "count": 45,
            "per_entity": 2,
            "rare_min_statements": 4,
            "anchor_min_in_degree": 1,
            "levels": {"easy": 1, "medium": 1},
            "methods": {"paths": 1, "injection": 1, "exploration": 1},
            "rules": {"rare": 1, "anchor": 1, "pictured": 1},
        },
        "draft": {
            "hops": {"easy": 1, "medium": 1},
            "rounds": {"easy": 2, "medium": 2},
            "text_facts": {"pages": 1, "samples": 1},
        },
        "certificate": {"max_guess": 0.5, "bases": ["margin", "votes"]},
        "pictures.min_side": 200,
        "filters": {
            "text_only": True,
            "no_tools": True,
            "image_search": True,
            "solvable": True,
            "visible_text": False,
            "text_search": False,
            "oracle": False,
        },
        "teach": {"engine": "openai", "tools": TOOLS, "limits": {"calls": 3}},
        "evolve": {
            "rounds": 2,
            "tasks": 4,
            "held_out": 0,
            "probes": 1,
            "diagnoser": "llm",
            "policy": {
                "engine": "transformers",
                "model": str(model),
                "device": "cpu",
                "tools": TOOLS,
                "limits": world.SETTINGS["play"]["limits"],
            },
            "train": {"trainer": "grpo", "config": str(grpo)},
        },
    }
    return load_recipe(
        "demo", tuple(f"{key}={json.dumps(value)}" for key, value in sections.items())
    )


@dataclass(frozen=True)
class Heard:
    """A loop, who was asked in it, and how often each request was sent: in the trainer's steps, and in all others."""

    loop: LoopFolder
    reader: Reader
    trainer: Counter[str]
    loops_own: Counter[str]


@pytest.fixture(scope="module")
def heard(policy, tmp_path_factory) -> Heard:
    """What an endpoint heard of a loop of two rounds."""
    reader, folder, before, trainer = (
        Reader(),
        tmp_path_factory.mktemp("loop"),
        Counter(),
        Counter(),
    )

    def say(line: str) -> None:
        """Told of each step before it begins."""
        nonlocal before
        if training:
            trainer.update(reader.sent - before)
        before = reader.sent.copy()
        training[:] = [line] if line.endswith("train") else []

    training: list[str] = []
    with serving(reader) as url, Opened() as opened:
        loop = begin_loop(
            str(folder / "loop"),
            recipe_of_all_roles(url, policy, folder / "grpo.yaml"),
            small_store(folder, articles=150),
        )
        run_loop(loop, opened, say=say)
    say("the end")
    return Heard(loop, reader, trainer, reader.sent - trainer)


def test_every_role_is_asked_in_a_loop(heard):
    assert heard.reader.failed == []
    assert set(heard.reader.asked) == OF_THE_LOOP == roles(), (
        "a new role is to be asked here, or to be named as one that no loop has"
    )


def test_no_request_is_sent_twice_whatever_the_round(heard):
    assert [key for key, num in heard.loops_own.items() if num > 1] == [] and len(
        heard.loops_own
    ) > 150


def test_what_two_rounds_ask_alike_is_paid_once(heard):
    """The second round words some of the seeds of the first again: its replies come from the cache, and its ledger shows them as no calls."""
    told = [spent_words(at) for at in heard.loop.rounds()]
    calls = [int(words.split(" ")[0].replace(",", "")) for words in told]
    assert all("draft" in words and "diagnose" in words for words in told) and sum(calls) == sum(
        heard.loops_own.values()
    )


def test_the_judges_of_grpo_are_asked_by_the_trainer(heard):
    for at in heard.loop.rounds():
        assert at.read("train")["command"], at.read("verify")["tags"]
        ledger = cost_lines(at.path / "train" / "calls.sqlite", by=("stage",))
        assert {line.group[0] for line in ledger} >= {"query"}, "the judge of searches"
        (figures,) = [
            line
            for line in map(
                json.loads, (at.path / "train" / "metrics.jsonl").read_text().splitlines()
            )
            if "reward" in line
        ]
        assert figures["query"] > 0, "its scores reach the rewards"


def test_what_the_models_said_is_in_the_rounds_files(heard):
    for at in heard.loop.rounds():
        diagnosis, update = at.read("diagnose"), at.read("update")
        assert (
            diagnosis["by"] == "diagnose"
            and diagnosis["blamed"] == "paths"
            and diagnosis["dimensions"]["difficulty_match"] == 1.0
        )
        assert [(e["path"], e["cause"]) for e in update["edits"]] == [
            ("draft.computation_share", "few_sources")
        ]
        assert [(e["path"], e["refused"], e["by"]) for e in update["refused"]] == [
            ("draft.detail_share", "rests on one case", "model")
        ]
        verified = at.read("verify")
        assert {row["teacher"] for row in verified["tasks"]} == {"solved"}
        # An untrained policy solves none; how many tasks there are is the planner's.
        assert verified["tags"]["too_hard"] == len(verified["tasks"]) >= 3
