"""One round of recipe `ode` that a reader answered in earnest, from what was recorded: two explorations, the diagnosis, the edits and their review."""

import asyncio
import json
from collections import Counter

import pytest

from questloom.models.messages import Picture
from questloom.pipeline.evolve.edits import refusal
from questloom.pipeline.evolve.findings import Finding, as_json
from questloom.pipeline.evolve.llm_diagnoser import LlmDiagnoser
from questloom.pipeline.evolve.llm_editor import Editor
from questloom.pipeline.evolve.measured import MeasuredDiagnoser
from questloom.pipeline.evolve.task_row import row_from_json
from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.writer_choice import make_exploration
from questloom.records.form import Compute
from questloom.records.synthesis import ABILITIES, Question, Seed
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.filters.solver_filters import evidence_words
from questloom.transforms.pictures.shown import shown
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from tests.prompts.scripted import RECORDINGS, Scripted

RECIPE = load_recipe(
    "ode",
    (
        "seed=2",
        "draft.explore.graphs=1",
        "pictures.min_side=200",
        "models.llm.votes=1",
        *(f"seeds.abilities.{ability}=1" for ability in ABILITIES),
    ),
)
PLAYED = json.loads((RECORDINGS / "ode_round_tasks.json").read_text(encoding="utf-8"))
ROWS = [row_from_json(row, "ode_round_tasks.json") for row in PLAYED["rows"]]
TASKS = {question.id: question for question in map(Question.from_row, PLAYED["questions"])}
# The world's pages have changed since the round was played: what the explorations come to now was answered anew, and stands apart from its tasks.
QUESTIONS = {
    question.seed_id: question
    for question in (*TASKS.values(), *map(Question.from_row, PLAYED["replayed"]))
}


@pytest.fixture(scope="module")
def job(middling, tmp_path_factory) -> Job:
    return Job(RunFolder(str(tmp_path_factory.mktemp("recorded"))), middling, RECIPE)


@pytest.mark.parametrize(
    ("entity_id", "topic", "level", "ability"),
    [
        ("Q900010060", "business", "medium", "perception+search+reasoning"),
        ("Q900010117", "history", "easy", "perception+search"),
    ],
)
def test_an_exploration_comes_to_the_recorded_question(job, entity_id, topic, level, ability):
    seed = Seed(
        entity_id=entity_id,
        method="exploration",
        rule="pictured",
        level=level,
        domain="person",
        topic=topic,
        ability=ability,
    )
    recorded, client, trail = QUESTIONS[seed.id], Scripted.recorded("ode_round"), Trail()
    writer = LlmWriter(
        client,
        job.store,
        RECIPE.models.llm,
        max_answer_words=RECIPE.draft.max_answer_words,
        judge=Accept(facts=job.lookups, rules=RECIPE.certificate),
    )
    draft = asyncio.run(
        make_exploration(job, writer).draft(seed, job.store.entity(entity_id), trail)
    )
    assert draft is not None, trail.reasons
    assert (draft.text, draft.answer.text, draft.anchor) == (
        recorded.text,
        recorded.answer.text,
        recorded.anchor,
    )
    assert draft.form == recorded.logical_form and bool(draft.form.of(Compute)) == (
        "reasoning" in ability
    )
    asked = Counter(role for role, _ in client.prompts)
    assert (
        asked["propose_seed"] == asked["curate"] == asked["check_words"] == 1
        and asked["explore"] >= 1
    )
    assert asked["deepen"] == [step.role for step in draft.history].count("deepen"), (
        "what is long enough, or read off its own picture, is not deepened"
    )


class RoundChecks:
    """What the filters that the recipe has off found in the round: one of the tasks may be answered by an image search."""

    async def findings(self, question):
        return (
            [
                Finding(
                    question.id,
                    "filters",
                    "image_search",
                    5.0,
                    "a page that it finds has the words",
                )
            ]
            if "nickname" in question.text
            else []
        )


@pytest.fixture(scope="module")
def diagnosis(job):
    client = Scripted.recorded("ode_round")
    measured = MeasuredDiagnoser(RoundChecks(), RECIPE.evolve.tolerated, "rl")
    made = LlmDiagnoser(
        measured,
        client,
        "rl",
        evidence=lambda question: evidence_words(job, question),
        # The world has other pictures since the round was played; any of the thing will do.
        shown=lambda question: Picture(
            shown(job.store.image_bytes(job.store.images_of(question.anchor)[0].id)).data
        ),
    )
    return as_json(asyncio.run(made.diagnose(TASKS, ROWS)), mode="rl", least=3), client


def test_the_diagnoser_holds_the_missing_sources_responsible_and_keeps_what_was_measured(diagnosis):
    found, client = diagnosis
    assert found["blamed"] == "paths" and found["by"] == "scripted"
    (group,) = found["recurring"]
    assert (group["stage"], group["cause"], len(group["tasks"])) == ("paths", "few_sources", 3)
    assert len(group["whys"]) == 3 and all(group["whys"])
    causes = Counter(f["cause"] for task in found["tasks"] for f in task["findings"])
    assert causes == {"few_sources": 3, "unsolved": 1, "too_easy": 1, "image_search": 1}, (
        "nobody solved one task, which both say and which counts once"
    )
    prompts = {
        task.text: next(text for _, text in client.prompts if task.text in text)
        for task in TASKS.values()
    }
    tried = prompts[
        "How many years after 1800 is the year inscribed on the portrait of the woman shown?"
    ]
    assert (
        "3 of 4 times" in tried
        and "1. wrong, it answered 'Text': layout_parsing, crop, layout_parsing\n2. right: "
        in tried
    )
    lost = prompts[
        "Which family donated the painting that was made in the place shown in the picture?"
    ]
    assert "never, and no teacher solved it" in lost and "location of creation: Criantori" in lost


def test_one_of_three_proposed_edits_passes_the_reviewer(diagnosis):
    groups = diagnosis[0]["recurring"]
    editor = Editor(Scripted.recorded("ode_round"), RECIPE.evolve.min_cases, "round 1")
    edits = editor.proposed(RECIPE, groups, ROWS, (), RECIPE.evolve.max_edits)
    citable = {group["cause"]: group["tasks"] for group in groups}
    assert not [
        why
        for edit in edits
        if (why := refusal(edit, RECIPE, citable=citable, dead_ends=(), earlier=(), least=3))
    ]
    kept = [
        edit
        for edit, why in zip(edits, editor.reviewed(edits, groups, ROWS), strict=True)
        if not why
    ]
    assert [(e.path, e.before, e.after) for e in kept] == [
        ("seeds.abilities.perception+reasoning", 1.0, 0.5)
    ] and len(edits) == 3
    told = [text for _, text in editor.client.prompts]
    assert all("(1800 has nothing to do with the portrait;" in text for text in told), (
        "both see why the tasks were faulted"
    )
    assert "guidance.curate" in told[0] and "guidance.take_fact" not in told[0], (
        "only roles that an exploration asks"
    )
