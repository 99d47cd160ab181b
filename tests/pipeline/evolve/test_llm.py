"""The llm half over scripted replies: what the model adds to the measured diagnosis, proposes and refuses; and what is sent back to it."""

import asyncio

import pytest

from questloom.files.opened import Opened
from questloom.models.messages import Picture
from questloom.models.structured import BadReply
from questloom.pipeline.evolve.findings import WEIGHTS, Diagnosis, Finding, Score, TaskDiagnosis
from questloom.pipeline.evolve.llm_diagnoser import LlmDiagnoser, _proved
from questloom.pipeline.evolve.llm_editor import Editor, open_editor
from questloom.pipeline.evolve.loop_folder import RoundFolder
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.job import Job
from questloom.records.synthesis import Certificate
from tests.pipeline.evolve.asked import question
from tests.pipeline.evolve.made import IDS, a_loop, a_round, row
from tests.prompts.scripted import Scripted

RECIPE = recipe_of({"name": "made"}, "test")
GROUPS = [
    {
        "stage": "writer",
        "cause": "too_easy",
        "weight": 12.0,
        "tasks": list(IDS[:4]),
        "whys": ["one search"] * 4,
    }
]
ASKED = [d for d in WEIGHTS["rl"] if d != "tool_pattern_diversity"]


class Measured:
    async def diagnose(self, questions, rows):
        return Diagnosis(
            by="measured",
            batch={},
            tasks=tuple(
                TaskDiagnosis(
                    task=r.id,
                    scores={"capability": Score(1.0, "measured")},
                    findings=(Finding(r.id, "filters", "text_search", 5.0, "seen"),),
                )
                for r in rows
            ),
        )


def said(**changes):
    return {
        "scores": [{"dimension": d, "why": "so", "score": 3} for d in ASKED],
        "faults": [],
        **changes,
    }


def diagnosed(*replies, **changes):
    asked = question()
    client = Scripted([("diagnose", "", reply) for reply in replies])
    made = LlmDiagnoser(
        Measured(),
        client,
        "rl",
        evidence=lambda question: ["Ardwen Light — architect: Ilse Varga"],
        shown=lambda question: Picture(b""),
    )
    return asyncio.run(made.diagnose({asked.id: asked}, [row(asked.id, **changes)])), client


def test_the_models_scores_stand_beside_what_was_measured_and_its_findings_beside_the_exact_ones():
    faults = [
        {"why": "w", "cause": "text_search", "stage": "writer", "severity": 1},
        {"why": "w", "cause": "few_sources", "stage": "paths", "severity": 2},
    ]
    found, _ = diagnosed(said(faults=faults))
    task = found.tasks[0]
    assert found.by == "scripted" and task.scores["capability"] == Score(3.0, "so")
    assert [(f.stage, f.cause, f.severity) for f in task.findings] == [
        ("filters", "text_search", 5.0),
        ("paths", "few_sources", 2.0),
    ]


def test_a_reply_that_leaves_a_dimension_out_is_sent_back_once():
    found, client = diagnosed(said(scores=said()["scores"][1:]), said())
    assert len(client.prompts) == 2 and found.tasks[0].scores["information_complexity"].value == 3.0
    with pytest.raises(BadReply):
        diagnosed(said(scores=said()["scores"][1:]), said(scores=said()["scores"][1:]))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"tag": "too_easy", "correct": 4},
            "4 of 4 times with the right answer: more often than a task should be.",
        ),
        ({"tag": "recoverable"}, "never, but sometimes where a failed rollout was played on"),
        ({"tag": "too_hard", "teacher": "solved"}, "never, though the teacher solved it"),
        (
            {"tag": "fake_hard", "cause": "unsolved", "teacher": "failed"},
            "never, and no teacher solved it",
        ),
        (
            {
                "tag": "fake_hard",
                "cause": "rival_fits",
                "rival": {"said": "Ilse", "key": "Q5", "passed_by": "certify"},
            },
            "it is broken, since 'Ilse' fits too",
        ),
        (
            {"tag": "fake_hard", "cause": "judge_contradicts"},
            "called the same words right and wrong",
        ),
        ({"tag": "fake_hard", "cause": "judge_failed"}, "could not be judged"),
        (
            {"chain_outcomes": ["wrong_answer_given"], "chain_answers": ["Ilse"]},
            "1. wrong, it answered 'Ilse': visit",
        ),
        (
            {"chain_outcomes": ["correct"], "chain_answers": ["that"], "chains": [[]]},
            "1. right: no call",
        ),
    ],
)
def test_the_diagnoser_is_told_in_words_how_the_task_was_played(changes, words):
    _, client = diagnosed(said(), **changes)
    assert words in client.prompts[0][1] and "architect: Ilse Varga" in client.prompts[0][1]


def edited(reply, *more):
    client = Scripted([("propose_edits", "too_easy", reply), *more])
    return Editor(client, 3, "round 1").proposed(
        RECIPE, GROUPS, [row(i) for i in IDS], (), 4
    ), client


def test_a_proposal_cites_the_tasks_of_its_fault():
    made, client = edited(
        {
            "edits": [
                {
                    "why": "w",
                    "number": 1,
                    "path": "draft.detail_share",
                    "action": "set",
                    "value": "0.45",
                },
                {
                    "why": "w",
                    "number": 1,
                    "path": "models.llm.guidance.word_plan",
                    "action": "append",
                    "value": "Be subtle.",
                },
            ]
        }
    )
    assert [(e.path, e.before, e.after, e.tasks) for e in made] == [
        ("draft.detail_share", 0.2, 0.45, IDS[:4]),
        ("models.llm.guidance.word_plan", "", "Be subtle.", IDS[:4]),
    ]
    assert (
        "What of task0? (one search)" in client.prompts[0][1]
        and "draft.detail_share = 0.2 (0 to 1, step 0.25)" in client.prompts[0][1]
    )


@pytest.mark.parametrize("bad", [{"path": "run.shards"}, {"number": 2}])
def test_a_field_or_fault_that_is_not_listed_is_sent_back(bad):
    edit = {"why": "w", "number": 1, "path": "draft.detail_share", "action": "set", "value": "0.45"}
    made, client = edited({"edits": [{**edit, **bad}]}, ("propose_edits", "", {"edits": [edit]}))
    assert len(client.prompts) == 2 and [e.path for e in made] == ["draft.detail_share"]


def test_the_reviewer_says_why_it_refuses():
    made, _ = edited(
        {
            "edits": [
                {
                    "why": "w",
                    "number": 1,
                    "path": "draft.detail_share",
                    "action": "set",
                    "value": "0.45",
                }
            ]
        }
    )
    client = Scripted(
        [
            (
                "review_edits",
                "draft.detail_share 0.2 -> 0.45",
                {"verdicts": [{"number": 1, "why": "rests on one case", "accept": False}]},
            )
        ]
    )
    assert Editor(client, 3, "round 1").reviewed(made, GROUPS, [row(i) for i in IDS]) == [
        "rests on one case"
    ]


EDIT = {"why": "w", "number": 1, "path": "draft.detail_share", "action": "set", "value": "0.45"}


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        (
            "Be kind. Be fair.",
            {"action": "replace", "value": "Be kind. => Be brief."},
            "Be brief. Be fair.",
        ),
        (
            "Be kind. Be kind.",
            {"action": "replace", "value": "Be kind. => Be brief."},
            "Be brief. Be kind.",
        ),
        ("Be kind.", {"action": "rewrite", "value": "Be brief."}, "Be brief."),
        ("Be kind.", {"action": "append", "value": "Be brief."}, "Be kind.\nBe brief."),
    ],
)
def test_a_text_is_appended_to_rewritten_or_replaced_in_its_first_place(before, change, after):
    told = recipe_of(
        {"name": "made", "models": {"llm": {"guidance": {"word_plan": before}}}}, "test"
    )
    client = Scripted(
        [
            (
                "propose_edits",
                "",
                {"edits": [{**EDIT, "path": "models.llm.guidance.word_plan", **change}]},
            )
        ]
    )
    (made,) = Editor(client, 3, "round 1").proposed(told, GROUPS, [row(i) for i in IDS], (), 4)
    assert (made.before, made.after, made.action) == (before, after, change["action"])


@pytest.mark.parametrize("value", ["Be kind. -> Be brief.", "Be cruel. => Be brief."])
def test_words_that_do_not_stand_in_the_text_are_sent_back(value):
    told = recipe_of(
        {"name": "made", "models": {"llm": {"guidance": {"word_plan": "Be kind."}}}}, "test"
    )
    bad = {**EDIT, "path": "models.llm.guidance.word_plan", "action": "replace", "value": value}
    client = Scripted(
        [
            ("propose_edits", "", {"edits": [bad]}),
            ("propose_edits", "do not stand in the text", {"edits": []}),
        ]
    )
    assert Editor(client, 3, "round 1").proposed(told, GROUPS, [row(i) for i in IDS], (), 4) == []


def test_a_number_is_not_replaced_in_part():
    _, client = edited(
        {"edits": [{**EDIT, "action": "replace", "value": "0 => 1"}]},
        ("propose_edits", "do not stand in the text", {"edits": []}),
    )
    assert len(client.prompts) == 2


@pytest.mark.parametrize(
    ("value", "after"),
    [("0.45", 0.45), ("true", True), ("optional", "optional"), ('"optional"', "optional")],
)
def test_a_value_is_read_as_json_or_else_as_a_word(value, after):
    made, _ = edited({"edits": [{**EDIT, "value": value}]})
    assert made[0].after == after and type(made[0].after) is type(after)


@pytest.mark.parametrize("number", [0, -1, 3])
def test_only_a_fault_of_the_list_can_be_cited(number):
    two = [
        *GROUPS,
        {
            "stage": "paths",
            "cause": "few_sources",
            "weight": 3.0,
            "tasks": list(IDS[4:7]),
            "whys": ["w"] * 3,
        },
    ]
    client = Scripted(
        [
            ("propose_edits", "", {"edits": [{**EDIT, "number": number}]}),
            ("propose_edits", f"there is no fault {number}", {"edits": [{**EDIT, "number": 2}]}),
        ]
    )
    (made,) = Editor(client, 3, "round 1").proposed(RECIPE, two, [row(i) for i in IDS], (), 4)
    assert (made.stage, made.cause, made.tasks) == ("paths", "few_sources", IDS[4:7])


def test_the_editor_is_shown_faults_with_six_tasks_each_fields_with_their_bounds_dead_ends_and_how_many_edits_it_may_make():
    told = [{**GROUPS[0], "tasks": list(IDS), "whys": [f"why {n}" for n in range(8)]}]
    client = Scripted([("propose_edits", "", {"edits": []})])
    Editor(client, 3, "round 1").proposed(RECIPE, told, [row(i) for i in IDS], {"b", "a"}, 4)
    text = client.prompts[0][1]
    assert (
        "1. writer / too_easy: 8 tasks, weight 12" in text
        and "(why 5)" in text
        and "(why 6)" not in text
    )
    assert (
        "filters.text_search = true (true | false)" in text
        and 'grounding.mode = "required" (none | optional)' in text
    )
    assert (
        'models.llm.guidance.word_plan = "" (text of at most 600 characters)' in text
        and "certificate.margin = 2 (1 to 4, step 1)" in text
    )
    assert "a\nb" in text and "at most 4 changes" in text
    none = Scripted([("propose_edits", "(none)", {"edits": []})])
    Editor(none, 3, "round 1").proposed(RECIPE, told, [row(i) for i in IDS], (), 4)


def reviewed(*verdicts, num: int = 2):
    made, _ = edited({"edits": [EDIT] * num})
    client = Scripted([("review_edits", "", {"verdicts": list(said)}) for said in verdicts])
    return Editor(client, 3, "round 1").reviewed(made, GROUPS, [row(i) for i in IDS]), client


NO, YES = {"why": "rests on one case", "accept": False}, {"why": "fits", "accept": True}


def test_each_edit_has_the_verdict_of_its_number_in_whatever_order_they_come():
    assert reviewed([{"number": 2, **NO}, {"number": 1, **YES}])[0] == ["", "rests on one case"]
    assert reviewed([{"number": 2, **YES}, {"number": 1, "why": "", "accept": False}])[0] == [
        "refused",
        "",
    ]


@pytest.mark.parametrize("missing", [1, 2])
def test_an_edit_without_a_verdict_is_asked_for_again(missing):
    found, client = reviewed(
        [{"number": 3 - missing, **YES}], [{"number": 1, **YES}, {"number": 2, **NO}]
    )
    assert found == ["", "rests on one case"] and f"no verdict on {missing}" in client.prompts[1][1]


def test_the_reviewer_is_shown_the_faults_the_edits_and_how_many_tasks_an_edit_must_rest_on():
    _, client = reviewed([{"number": 1, **YES}, {"number": 2, **YES}])
    text = client.prompts[0][1]
    assert (
        "What of task0? (one search)" in text
        and "2. set draft.detail_share 0.2 -> 0.45, for writer / too_easy: w" in text
        and "at least 3 tasks" in text
    )


@pytest.mark.parametrize(("diagnoser", "edits"), [("llm", True), ("measured", False)])
def test_a_model_edits_where_a_model_diagnoses(tmp_path, monkeypatch, diagnoser, edits):
    loop = a_loop(tmp_path, diagnoser=diagnoser, min_cases=5)
    at = a_round(loop, 2, made=loop.recipe, parent=1)
    client = Scripted([])
    monkeypatch.setattr(RoundFolder, "as_run", property(lambda self: self.recipe))
    monkeypatch.setattr(Job, "client", lambda self, stage: client)
    assert open_editor(loop, at, Opened()) == (Editor(client, 5, "round 2") if edits else None)


def test_a_fault_that_was_measured_is_not_said_twice_and_one_that_the_model_says_twice_counts_once():
    faults = [
        {"why": "a", "cause": "few_sources", "stage": "paths", "severity": 1},
        {"why": "b", "cause": "few_sources", "stage": "paths", "severity": 4},
        {"why": "c", "cause": "text_search", "stage": "filters", "severity": 1},
    ]
    found, _ = diagnosed(said(faults=faults))
    assert [(f.cause, f.severity) for f in found.tasks[0].findings] == [
        ("text_search", 5.0),
        ("few_sources", 4.0),
    ]


def test_a_dimension_that_no_model_was_asked_for_keeps_what_was_measured():
    found, _ = diagnosed(said(scores=[{"dimension": d, "why": "so", "score": -2} for d in ASKED]))
    assert {score.value for score in found.tasks[0].scores.values()} == {-2.0} and set(
        found.tasks[0].scores
    ) == set(ASKED)


def test_a_model_is_not_asked_for_what_only_a_batch_has():
    client = Scripted(
        [
            (
                "diagnose",
                "step_appropriateness",
                {
                    "scores": [
                        {"dimension": d, "why": "so", "score": 1}
                        for d in WEIGHTS["sft"]
                        if d != "tool_pattern_diversity"
                    ],
                    "faults": [],
                },
            )
        ]
    )
    asked = question()
    made = LlmDiagnoser(
        Measured(), client, "sft", evidence=lambda question: [], shown=lambda question: Picture(b"")
    )
    assert (
        asyncio.run(made.diagnose({asked.id: asked}, [row(asked.id)]))
        .tasks[0]
        .scores["step_appropriateness"]
        .value
        == 1.0
    )


@pytest.mark.parametrize(
    ("changes", "words", "not_words"),
    [
        (
            {"chain_outcomes": ["wrong_answer_given"], "chain_answers": [""]},
            "1. wrong answer given: visit",
            "it answered",
        ),
        (
            {"chain_outcomes": ["no_answer_given"], "chain_answers": ["x"]},
            "1. no answer given: visit",
            "it answered",
        ),
        ({"tag": "too_hard", "teacher": "solved"}, "though the teacher solved it", "no teacher"),
        (
            {"tag": "fake_hard", "cause": "unsolved", "teacher": "failed"},
            "and no teacher solved it",
            "though",
        ),
        (
            {
                "chains": [["a", "b"], ["c"]],
                "chain_outcomes": ["correct"] * 2,
                "chain_answers": ["x"] * 2,
            },
            "1. right: a, b\n2. right: c",
            "wrong",
        ),
        ({"tag": "good_match"}, "sometimes, as it should be", "more often"),
    ],
)
def test_the_diagnoser_is_told_no_more_than_happened(changes, words, not_words):
    _, client = diagnosed(said(), **changes)
    told = client.prompts[0][1].split("It was played")[1].split("Score from")[0]
    assert words in told and not_words not in told


@pytest.mark.parametrize(
    ("counted", "words"),
    [
        (None, "That no other answer fits was not proved."),
        ({"basis": "external"}, "That no other answer fits was not proved."),
        (
            {"basis": "closed", "effective_hops": 2},
            "which the store has. The words lead over 2 claims to the answer.",
        ),
        (
            {"basis": "margin", "effective_hops": 3, "answers_without_picture": 7},
            "3 claims to the answer; without the picture 7 answers or more would fit.",
        ),
    ],
)
def test_the_diagnoser_is_told_what_proves_that_there_is_one_answer(counted, words):
    assert _proved(
        question().replace(certificate=Certificate(margin=-1, **counted) if counted else None)
    ).endswith(words)
