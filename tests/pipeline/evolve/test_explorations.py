"""Two rounds of recipe `ode` without a model: evidence graphs through every step of a round, and edits of what explorations go by."""
from pathlib import Path

import pytest

from pipeline.evolve.evolvable import fields_of
from pipeline.evolve.loop import begin_loop, run_loop
from pipeline.evolve.subset import questions_of
from pipeline.recipe import load_recipe
from tests.agent.tools.calling import WITHOUT_PYTHON
from tests.pipeline.evolve.skilled import POLICY, with_policy
from tests.pipeline.small_world import small_store

pytestmark = pytest.mark.slow


def test_a_loop_of_explorations_goes_two_rounds_and_asks_for_more_where_all_is_too_easy(tmp_path):
    store = small_store(tmp_path, articles=300)
    recipe = load_recipe("ode", ("writer=graph", "seeds.count=24", "seeds.levels={easy: 1, medium: 1, hard: 1}", "draft.explore.graphs=1",
                                 "draft.explore.plans=8", "filters.visible_text=false", "grounding.mode=none", "pictures.min_side=200",
                                 "certificate.max_guess=0.5", "run.shards=2", "teach.engine=oracle", f"teach.tools.tools=[{', '.join(WITHOUT_PYTHON)}]",
                                 "evolve.rounds=2", "evolve.tasks=6", "evolve.held_out=0", f"evolve.policy={POLICY}"))
    loop = begin_loop(str(tmp_path / "loop"), recipe, store)
    with with_policy(loop.path, store, claim=1.0, detail=1.0, compute=1.0) as opened:
        report = run_loop(loop, opened)
    first, second = loop.rounds()
    for at in (first, second):
        tasks = questions_of(at.batch)
        assert len(tasks) >= 4 and all(q.method == "exploration" and q.explored["nodes"] for q in tasks)
        tags = at.read("verify")["tags"]  # the oracle, all skill, still stops at the wrong page of some long questions
        assert tags["too_easy"] >= 0.6 * len(tasks) and not tags["infra_failure"] and at.read("diagnose")["blamed"] == "writer"
    assert not {q.id for q in questions_of(first.batch)} & {q.id for q in questions_of(second.batch)}
    edits = {edit["path"]: edit["after"] for edit in first.read("update")["edits"]}
    assert edits and set(edits) <= set(fields_of(recipe)) and "seeds.levels.easy" in edits
    assert {path: fields_of(second.recipe)[path].value for path in edits} == edits
    assert "seeds.levels.easy" in Path(report).read_text(encoding="utf-8")
