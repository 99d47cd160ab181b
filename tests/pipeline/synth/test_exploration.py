"""Explorations through all stages over a small world: seeds by schedule, certified questions, rejections with reasons."""

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.evolve.axes import balanced, profile_of
from questloom.pipeline.evolve.evolvable import fields_of
from questloom.pipeline.evolve.remedies import HARDER, at_random, proposed
from questloom.pipeline.recipe import load_recipe, recipe_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import ABILITIES, Seed
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.evolve.made import row
from tests.pipeline.small_world import LEAN, kept_questions, small_recipe
from tests.run_files import read_stage

SEEDS = {
    "count": 40,
    "methods": {"exploration": 1},
    "rules": {"pictured": 1},
    "levels": {"easy": 1, "medium": 1, "hard": 1, "expert": 1},
    "per_entity": 2,
}


@pytest.fixture(scope="module")
def job(small, tmp_path_factory) -> Job:
    recipe = small_recipe(seeds=SEEDS, filters=LEAN)
    out = tmp_path_factory.mktemp("explored") / "run"
    run_synth(recipe, store=small, out=str(out), opened=Opened())
    return Job(RunFolder(str(out)), small, recipe)


def test_kept_questions_are_certified_and_ask_for_the_ability_of_their_seed(job):
    seeds = {s.id: s for s in read_stage(job.run, "seeds", "kept", Seed)}
    assert len({s.ability for s in seeds.values()}) >= 3 and {s.method for s in seeds.values()} == {
        "exploration"
    }
    questions = kept_questions(job)
    assert len(questions) >= 5
    for question in questions:
        assert (
            question.certificate.passed and profile_of(question) == seeds[question.seed_id].ability
        ), question.text
        assert question.seed_entity in question.bindings.values()


def test_dropped_seeds_say_at_which_stage_and_why(job):
    rejected = list(read_stage(job.run, "draft", "rejected", Rejection))
    assert len(kept_questions(job)) + len(rejected) <= SEEDS["count"] and all(
        r.stage == "draft" and r.reason != "error" for r in rejected
    )


def test_a_batch_of_the_loop_is_spread_over_the_abilities(job):
    chosen = balanced(kept_questions(job), 6, levels=job.recipe.seeds.levels, seed=1)
    assert len({profile_of(q) for q in chosen}) >= min(
        3, len({profile_of(q) for q in kept_questions(job)})
    )


def test_the_loop_may_edit_what_explorations_go_by_and_only_where_there_are_any():
    recipe = load_recipe("ode")
    fields = fields_of(recipe)
    assert {
        "draft.explore.claims.hard",
        "seeds.levels.expert",
        *(f"seeds.abilities.{a}" for a in ABILITIES),
    } <= set(fields)
    assert not any(
        path.startswith(("draft.explore.", "seeds.abilities."))
        for path in fields_of(load_recipe("demo"))
    )
    assert not {
        "draft.detail_share",
        "draft.computation_share",
        "draft.hops.easy",
        "draft.rounds.easy",
    } & set(fields), "no exploration goes by them"
    groups = [{"stage": "writer", "cause": "too_easy", "tasks": ["a", "b", "c"]}]
    rows = [row(task, "too_easy", profile="perception") for task in "abc"]
    made = proposed(recipe, groups, rows, dead_ends=(), most=20, tools=("crop",))
    assert made and {edit.path for edit in made} <= {path for path, _ in HARDER} & set(fields)
    made = proposed(
        recipe,
        [{**groups[0], "stage": "paths", "cause": "one_chain"}],
        rows,
        dead_ends=(),
        most=20,
        tools=("crop",),
    )
    assert [edit.path for edit in made] == ["seeds.abilities.perception+search+reasoning"]
    assert at_random(recipe, seed=1, number=1, most=4)


def test_a_level_whose_length_explorations_do_not_know_is_refused():
    with pytest.raises(InputError, match=r"draft\.explore\.claims"):
        recipe_of(
            {
                "seeds": {"methods": {"exploration": 1}, "levels": {"easy": 1}},
                "draft": {"explore": {"claims": {"hard": 4}}},
            },
            "test",
        )
