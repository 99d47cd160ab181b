"""The llm half over scripted replies: what the model adds to the measured diagnosis, proposes and refuses; and what is sent back to it."""
import asyncio

import pytest

from models.messages import Picture
from models.structured import BadReply
from pipeline.evolve.findings import WEIGHTS, Diagnosis, Finding, Score, TaskDiagnosis
from pipeline.evolve.llm_diagnoser import LlmDiagnoser
from pipeline.evolve.llm_editor import Editor
from pipeline.recipe import recipe_of
from tests.pipeline.evolve.asked import question
from tests.pipeline.evolve.made import IDS, row
from tests.prompts.scripted import Scripted

RECIPE = recipe_of({"name": "made"}, "test")
GROUPS = [{"stage": "writer", "cause": "too_easy", "weight": 12.0, "tasks": list(IDS[:4]), "whys": ["one search"] * 4}]
ASKED = [d for d in WEIGHTS["rl"] if d != "tool_pattern_diversity"]


class Measured:
    async def diagnose(self, questions, rows):
        return Diagnosis(by="measured", batch={}, tasks=tuple(
            TaskDiagnosis(task=r["id"], scores={"capability": Score(1.0, "measured")}, findings=(Finding(r["id"], "filters", "text_search", 5.0, "seen"),))
            for r in rows))


def said(**changes):
    return {"scores": [{"dimension": d, "why": "so", "score": 3} for d in ASKED], "faults": [], **changes}


def diagnosed(*replies, **changes):
    asked = question()
    client = Scripted([("diagnose", "", reply) for reply in replies])
    made = LlmDiagnoser(Measured(), client, "rl", evidence=lambda question: ["Ardwen Light — architect: Ilse Varga"], shown=lambda question: Picture(b""))
    return asyncio.run(made.diagnose({asked.id: asked}, [row(asked.id, **changes)])), client


def test_the_models_scores_stand_beside_what_was_measured_and_its_findings_beside_the_exact_ones():
    faults = [{"why": "w", "cause": "text_search", "stage": "writer", "severity": 1}, {"why": "w", "cause": "few_sources", "stage": "paths", "severity": 2}]
    found, _ = diagnosed(said(faults=faults))
    task = found.tasks[0]
    assert found.by == "scripted" and task.scores["capability"] == Score(3.0, "so")
    assert [(f.stage, f.cause, f.severity) for f in task.findings] == [("filters", "text_search", 5.0), ("paths", "few_sources", 2.0)]


def test_a_reply_that_leaves_a_dimension_out_is_sent_back_once():
    found, client = diagnosed(said(scores=said()["scores"][1:]), said())
    assert len(client.prompts) == 2 and found.tasks[0].scores["information_complexity"].value == 3.0
    with pytest.raises(BadReply):
        diagnosed(said(scores=said()["scores"][1:]), said(scores=said()["scores"][1:]))


@pytest.mark.parametrize(("changes", "words"), [
    ({"tag": "too_easy", "correct": 4}, "4 of 4 times with the right answer: more often than a task should be."),
    ({"tag": "recoverable"}, "never, but sometimes where a failed rollout was played on"),
    ({"tag": "too_hard", "teacher": "solved"}, "never, though the teacher solved it"),
    ({"tag": "fake_hard", "cause": "unsolved", "teacher": "failed"}, "never, and no teacher solved it"),
    ({"tag": "fake_hard", "cause": "rival_fits", "rival": {"said": "Ilse"}}, "it is broken, since 'Ilse' fits too"),
    ({"tag": "fake_hard", "cause": "judge_contradicts"}, "called the same words right and wrong"),
    ({"tag": "fake_hard", "cause": "judge_failed"}, "could not be judged"),
    ({"chain_outcomes": ["wrong_answer_given"], "chain_answers": ["Ilse"]}, "1. wrong, it answered 'Ilse': visit"),
    ({"chain_outcomes": ["correct"], "chain_answers": ["that"], "chains": [[]]}, "1. right: no call"),
])
def test_the_diagnoser_is_told_in_words_how_the_task_was_played(changes, words):
    _, client = diagnosed(said(), **changes)
    assert words in client.prompts[0][1] and "architect: Ilse Varga" in client.prompts[0][1]


def edited(reply, *more):
    client = Scripted([("propose_edits", "too_easy", reply), *more])
    return Editor(client, 3, "round 1").proposed(RECIPE, GROUPS, [row(i) for i in IDS], (), 4), client


def test_a_proposal_cites_the_tasks_of_its_fault():
    made, client = edited({"edits": [{"why": "w", "number": 1, "path": "draft.detail_share", "action": "set", "value": "0.45"},
                                     {"why": "w", "number": 1, "path": "models.llm.guidance.inject", "action": "append", "value": "Be subtle."}]})
    assert [(e.path, e.before, e.after, e.tasks) for e in made] == [("draft.detail_share", 0.2, 0.45, IDS[:4]),
                                                                    ("models.llm.guidance.inject", "", "Be subtle.", IDS[:4])]
    assert "What of task0? (one search)" in client.prompts[0][1] and "draft.detail_share = 0.2 (0 to 1, step 0.25)" in client.prompts[0][1]


@pytest.mark.parametrize("bad", [{"path": "run.shards"}, {"number": 2}])
def test_a_field_or_fault_that_is_not_listed_is_sent_back(bad):
    edit = {"why": "w", "number": 1, "path": "draft.detail_share", "action": "set", "value": "0.45"}
    made, client = edited({"edits": [{**edit, **bad}]}, ("propose_edits", "", {"edits": [edit]}))
    assert len(client.prompts) == 2 and [e.path for e in made] == ["draft.detail_share"]


def test_the_reviewer_says_why_it_refuses():
    made, _ = edited({"edits": [{"why": "w", "number": 1, "path": "draft.detail_share", "action": "set", "value": "0.45"}]})
    client = Scripted([("review_edits", "draft.detail_share 0.2 -> 0.45", {"verdicts": [{"number": 1, "why": "rests on one case", "accept": False}]})])
    assert Editor(client, 3, "round 1").reviewed(made, GROUPS, [row(i) for i in IDS]) == ["rests on one case"]
