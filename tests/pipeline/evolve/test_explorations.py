"""Two rounds of recipe `ode` without a model: planned clusters through every step of a round, and edits of what explorations go by."""

from pathlib import Path

import pytest

from questloom.pipeline.evolve.evolvable import fields_of
from questloom.pipeline.evolve.loop import begin_loop, run_loop
from questloom.pipeline.evolve.subset import questions_of
from questloom.pipeline.recipe import load_recipe, recipe_of
from tests.agent.tools.calling import WITHOUT_PYTHON
from tests.pipeline.evolve.skilled import POLICY, with_policy

pytestmark = pytest.mark.slow


def test_a_loop_of_explorations_goes_two_rounds_and_asks_for_more_where_all_is_too_easy(
    small, tmp_path
):
    recipe = load_recipe(
        "ode",
        (
            "writer=graph",
            "seeds.count=40",
            "seeds.levels={easy: 1, medium: 1, hard: 1}",
            "filters.visible_text=false",
            "grounding.mode=none",
            "pictures.min_side=200",
            "certificate.max_guess=0.5",
            "run.shards=2",
            "teach.engine=oracle",
            f"teach.tools.tools=[{', '.join(WITHOUT_PYTHON)}]",
            "evolve.rounds=2",
            "evolve.tasks=4",
            "evolve.held_out=0",
            f"evolve.policy={POLICY}",
        ),
    )
    loop = begin_loop(str(tmp_path / "loop"), recipe, small)
    with with_policy(loop.path, small, claim=1.0, detail=1.0, compute=1.0) as opened:
        report = run_loop(loop, opened)
    first, second = loop.rounds()
    edited = set()
    for at in (first, second):
        tasks, tags, left = questions_of(at.batch), at.read("verify")["tags"], at.read("update")
        assert len(tasks) >= 3 and all(q.method == "exploration" for q in tasks)
        assert tags["too_easy"] >= len(tasks) - 1 and not tags["infra_failure"], (
            "the oracle, all skill, fails at one long question at most"
        )
        made = fields_of(recipe_of(left["next"], "next"))
        assert all(made[edit["path"]].value == edit["after"] for edit in left["edits"])
        edited |= {edit["path"] for edit in left["edits"]}
    assert not {q.id for q in questions_of(first.batch)} & {
        q.id for q in questions_of(second.batch)
    }
    assert "seeds.levels.easy" in edited and edited <= set(fields_of(recipe))
    assert "seeds.levels.easy" in Path(report).read_text(encoding="utf-8")
