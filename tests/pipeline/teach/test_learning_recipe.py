"""The recipe `learning` from world to trajectories: questions of one and two claims, solved by looking, text search and visits alone."""

from collections import Counter

from questloom.files.opened import Opened
from questloom.knowledge.world.write import write_world
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.synth.synth_job import run_synth
from questloom.pipeline.teach.teach_job import recipe_for, run_teach
from questloom.records.form import ClaimClause
from questloom.records.synthesis import Question
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.episode_folder import KEEP, TEACHER, EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder
from tests.run_files import read_stage


def test_the_oracle_solves_every_question_without_a_search_by_pictures(tmp_path):
    world, store, run = tmp_path / "world", str(tmp_path / "store"), str(tmp_path / "run")
    # Of fewer people it is not believed that each was born in one place.
    write_world(world, articles=200, seed=5, learning=True, workers=1)
    run_ingest(
        IngestOptions(
            store=store,
            articles=(str(world / "articles.xml.bz2"),),
            entities=(str(world / "entities.json.bz2"),),
            images=(str(world / "images"),),
            snapshot="2026-01-01",
            workers=1,
        )
    )
    recipe = load_recipe(
        "learning",
        (
            "seeds.count=30",
            "teach.oracle.mistakes=0.5",
            "teach.oracle.slips=0.25",
            "teach.uses=[sft, rl]",
        ),
    )
    with Opened() as opened:
        run_synth(recipe, store=store, out=run, opened=opened, workers=1)
        run_teach(recipe_for(run), run=run, store=store, opened=opened, workers=1)
    questions = list(read_stage(RunFolder(run), "split", "kept", Question))
    assert {len(q.bindings) for q in questions} == {2, 3} and len({q.split for q in questions}) >= 2
    asked = Counter(
        tuple(clause.property for clause in q.logical_form.of(ClaimClause)) for q in questions
    )
    assert (
        set(asked) == {("P84",), ("P84", "P1066"), ("P84", "P19")} and min(asked.values()) >= 3
    ), "what docs/learning.md measured is of these relations"
    folder = EpisodeFolder.of(RunFolder(run), TEACHER)
    kept = list(folder.read(folder.label(KEEP), "kept", Trajectory))
    assert {t.episode.task_id for t in kept} == {q.id for q in questions}
    assert {turn.call.name for t in kept for turn in t.episode.turns if turn.call} == {
        "text_search",
        "visit",
    }
    assert any(turn.thought.startswith("no, ") for t in kept for turn in t.episode.turns)
    slipped = [t for t in kept if t.statistics.num_slips]
    assert slipped and max(t.statistics.num_slips for t in slipped) == recipe.teach.max_slips
    for turns in (t.episode.turns for t in slipped):
        assert all(
            t.result.code == t.violation
            and t.result.text.startswith("Your turn was not understood.")
            for t in turns
            if t.violation
        )
        assert not turns[-1].violation, "it was got over"
    assert (
        folder.files.renderer().system_prompt
        == "Look, search, answer.\ntext_search(query)\nvisit(url, goal)"
    )
