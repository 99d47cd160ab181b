"""The measured diagnosis, rule by rule: each dimension with examples worked by hand, each finding with a case that shows it and one that does not."""

import asyncio
from collections.abc import Mapping

import pytest

from questloom.pipeline.evolve.findings import STAGES, WEIGHTS, Diagnosis, Finding
from questloom.pipeline.evolve.llm_diagnoser import _proved
from questloom.pipeline.evolve.measured import MeasuredDiagnoser
from questloom.pipeline.evolve.task_row import TaskRow
from questloom.records.form import Ask, Compute, Form, Reads
from questloom.records.synthesis import Certificate, Enhancement, Hop, Question
from tests.pipeline.evolve.asked import FORM, question
from tests.pipeline.evolve.made import row

DETAIL = Reads(var="x2", of="x0", property="P1")
COMPUTED = Compute(op="difference", args=("x1", "x1"), out="x2")
ENHANCED = Enhancement(degradation="blur", tool="sharpen", severity=0.5, original_image_id="")


class Found:
    """`Checks` that find what a test says."""

    def __init__(self, by_task: Mapping[str, tuple[str, str]]) -> None:
        self.by_task = by_task

    async def findings(self, asked: Question) -> list[Finding]:
        return (
            [Finding(asked.id, *self.by_task[asked.id], 5.0, "seen")]
            if asked.id in self.by_task
            else []
        )


def diagnosis(
    asked: list[Question],
    rows: list[TaskRow],
    *,
    broken: Mapping[str, tuple[str, str]] | None = None,
    tolerated: float = 0.35,
    mode: str = "rl",
) -> Diagnosis:
    made = MeasuredDiagnoser(Found(broken or {}), tolerated, mode)
    return asyncio.run(made.diagnose({q.id: q for q in asked}, rows))


def scored(
    asked: Question | None = None, broken: tuple[str, str] | None = None, **changes
) -> dict[str, float]:
    """The scores of one task, of which `changes` are known."""
    asked = asked or question()
    found = diagnosis(
        [asked], [row(asked.id, **changes)], broken={asked.id: broken} if broken else None
    )
    return {name: score.value for name, score in found.tasks[0].scores.items()}


def causes(asked: list[Question], rows: list[TaskRow], **rules) -> list[tuple[str, str]]:
    """(stage, cause) of each finding of the tasks."""
    return [
        (f.stage, f.cause) for task in diagnosis(asked, rows, **rules).tasks for f in task.findings
    ]


def certified(asked: Question | None = None, **counted) -> Question:
    return (asked or question()).replace(
        certificate=Certificate(**{"basis": "closed", "margin": -1, **counted})
    )


def with_form(*clauses) -> Question:
    return question(form=Form(clauses=(*FORM.clauses, *clauses), ask=Ask(var="x1", type="entity")))


# difficulty: what the policy solves half of the time is the best match, and both ends are worse


@pytest.mark.parametrize(("rate", "value"), [(0.5, 5.0), (0.25, 3.0), (0.75, 3.0)])
def test_a_task_matches_the_better_the_nearer_its_pass_rate_is_to_one_half(rate, value):
    assert scored(rate=rate)["difficulty_match"] == value, (
        "5 less 8 for each unit of distance: 5 - 8 * 0.25 = 3"
    )


def test_what_is_never_solved_or_nearly_always_matches_worse_than_what_is_solved_sometimes_and_what_is_broken_worst():
    match = {
        tag: scored(tag=tag, rate=rate)["difficulty_match"]
        for tag, rate in (
            ("recoverable", 0.0),
            ("too_easy", 1.0),
            ("too_hard", 0.0),
            ("fake_hard", 0.0),
        )
    }
    once = scored(rate=0.25)["difficulty_match"]
    assert once > match["recoverable"] > 0, (
        "solved when played on: less of a match than once in four tries, and a match all the same"
    )
    assert match["too_easy"] == match["too_hard"] < 0, "both are as far from what teaches"
    assert match["fake_hard"] == -5.0 < match["too_hard"]


@pytest.mark.parametrize(("rate", "value"), [(0.5, 5.0), (0.25, 3.5), (0.75, 3.5)])
def test_a_group_teaches_by_the_variance_of_its_rewards(rate, value):
    assert scored(rate=rate)["learning_utility"] == value, (
        "24 p (1 - p) - 1: of p = 1/4 it is 24 * 3/16 - 1 = 3.5"
    )


def test_groups_without_variance_teach_little_a_too_hard_one_more_than_a_too_easy_one_and_a_broken_one_nothing():
    told = {
        tag: scored(tag=tag, rate=rate)["learning_utility"]
        for tag, rate in (
            ("recoverable", 0.0),
            ("too_easy", 1.0),
            ("too_hard", 0.0),
            ("fake_hard", 0.0),
        )
    }
    assert (
        scored(rate=0.25)["learning_utility"]
        > told["recoverable"]
        > 0
        > told["too_hard"]
        > told["too_easy"]
        > told["fake_hard"]
        == -5.0
    )
    assert (
        told["recoverable"] - told["too_hard"] == 5.0 and told["too_hard"] - told["too_easy"] == 1.0
    )


# what the question rests on


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (certified(effective_hops=1), -1.0),
        (certified(effective_hops=3), 3.0),
        (certified(with_form(COMPUTED), effective_hops=1), 0.0),
        (certified(effective_hops=9), 5.0),
        (question().replace(hops=(Hop(source="a", target="b"),) * 2), 1.0),
        (certified(question().replace(hops=(Hop(source="a", target="b"),) * 2)), 1.0),
    ],
)
def test_complexity_is_two_points_a_hop_and_one_for_a_computation(asked, value):
    assert scored(asked)["information_complexity"] == value, (
        "2 * hops - 3 + computation; where nobody counted the hops that matter, all count"
    )


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (certified(answers_without_picture=1), -1.0),
        (certified(answers_without_picture=4), 2.0),
        (certified(answers_without_picture=70), 3.0),
        (certified(with_form(DETAIL), answers_without_picture=4), 4.0),
        (certified(question().replace(enhancement=ENHANCED), answers_without_picture=4), 4.0),
    ],
)
def test_the_picture_is_needed_the_more_the_more_answers_fit_without_it_and_where_it_must_be_looked_into(
    asked, value
):
    assert scored(asked)["visual_dependency"] == value, (
        "answers, five at most, less 2; 2 more for a detail or a repair"
    )


@pytest.mark.parametrize(
    ("broken", "value"),
    [
        (("pictures", "not_grounded"), -5.0),
        (("filters", "text_only"), -5.0),
        (("filters", "text_search"), 2.0),
    ],
)
def test_a_wrong_picture_and_words_that_do_without_one_need_none(broken, value):
    assert (
        scored(certified(answers_without_picture=4), broken, correct=0)["visual_dependency"]
        == value
    )


def test_a_question_that_nothing_was_executed_for_has_no_score_for_its_picture():
    assert "visual_dependency" not in scored() and "visual_dependency" not in scored(
        certified(basis="external")
    )


@pytest.mark.parametrize(
    ("chains", "value"), [([], 5.0), ([["a", "b"]], 5.0), ([["a", "b"], ["a"]], 1.0), ([[]], 1.0)]
)
def test_what_a_right_rollout_found_by_one_call_or_none_is_half_given_away(chains, value):
    assert scored(solved_chains=chains)["shortcut_leakage"] == value


def test_a_leak_that_a_filter_would_have_found_is_one_whatever_was_played():
    assert scored(broken=("filters", "text_search"))["shortcut_leakage"] == -5.0
    assert scored(broken=("pictures", "not_grounded"), correct=0)["shortcut_leakage"] == 5.0, (
        "a wrong picture gives nothing away"
    )


@pytest.mark.parametrize(
    ("counted", "value"),
    [
        ({"basis": "closed"}, 5.0),
        ({"basis": "margin", "margin": 1}, 3.0),
        ({"basis": "margin", "margin": 2}, 4.0),
        ({"basis": "margin", "margin": 9}, 5.0),
        ({"basis": "external"}, 0.0),
    ],
)
def test_an_answer_is_the_more_verifiable_the_more_proves_it(counted, value):
    assert scored(certified(**counted))["verifiability"] == value


def test_an_answer_without_a_certificate_is_neither_verifiable_nor_not_and_a_broken_tasks_is_not():
    assert scored()["verifiability"] == 0.0
    assert scored(certified(basis="closed"), tag="fake_hard")["verifiability"] == -5.0


# what the rollouts did


@pytest.mark.parametrize(
    ("solved", "played", "value"),
    [
        ([["a", "b"]], [["a"]], 0.0),
        ([], [["a", "a", "b", "b"]], 1.0),
        ([["a"], ["a", "b", "c"]], [], 0.0),
        ([["a"] * 8], [], 0.0),
        ([["a"] * 6], [], 0.0),
    ],
)
def test_capability_counts_tools_and_calls_of_right_rollouts_or_of_all_where_none_is_right(
    solved, played, value
):
    assert scored(solved_chains=solved, chains=played)["capability"] == value, (
        "2 a tool, 0.5 a call up to six, less 5"
    )


def test_where_nothing_was_played_there_is_no_capability():
    assert "capability" not in scored(chains=[])


@pytest.mark.parametrize(
    ("asked", "chain", "value"),
    [
        (question().replace(hops=(Hop(source="a", target="b"),) * 2), ["v"] * 2, 5.0),
        (question().replace(hops=(Hop(source="a", target="b"),) * 2), ["v"] * 4, 1.0),
        (question().replace(hops=(Hop(source="a", target="b"),) * 2), ["v"], 1.0),
        (question(), ["v"], 5.0),
        (question(), ["v"] * 2, 1.0),
        (with_form(DETAIL).replace(hops=(Hop(source="a", target="b"),)), ["v"] * 2, 5.0),
        (with_form(COMPUTED).replace(hops=(Hop(source="a", target="b"),)), ["v"] * 2, 5.0),
        (
            question().replace(hops=(Hop(source="a", target="b"),), enhancement=ENHANCED),
            ["v"] * 2,
            5.0,
        ),
        (question(), [], 1.0),
    ],
)
def test_steps_are_the_more_appropriate_the_nearer_the_calls_are_to_what_the_question_needs(
    asked, chain, value
):
    assert scored(asked, solved_chains=[chain])["step_appropriateness"] == value, (
        "5 less 4 for each doubling or halving; no call counts as half a call"
    )


def test_without_a_right_rollout_nothing_is_known_of_appropriate_steps():
    assert "step_appropriateness" not in scored()


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        ({"calls": 0.0}, -5.0),
        ({}, 5.0),
        ({"faults": 0.25}, 2.5),
        ({"unfit": 1, "correct": 2}, 2.5),
        ({"unfit": 2, "correct": 2, "faults": 0.25}, -2.5),
        ({"unfit": 0, "correct": 0}, 5.0),
    ],
)
def test_tools_are_used_well_where_calls_succeed_and_right_rollouts_keep_the_rules(changes, value):
    assert scored(**changes)["tool_usage_quality"] == value, (
        "5, less 10 times the share of failed calls, less 5 times that of right rollouts that broke a rule"
    )


def batch_of(chains: list[list[list[str]]], **rules) -> Diagnosis:
    asked = [question(f"q{n}") for n in range(len(chains))]
    return diagnosis(
        asked,
        [
            row(q.id, chains=mine, domain=f"d{n}")
            for n, (q, mine) in enumerate(zip(asked, chains, strict=True))
        ],
        **rules,
    )


@pytest.mark.parametrize(
    ("chains", "value"),
    [
        ([[["a"], ["b"]], [["c"], ["d"]]], 5.0),
        ([[["a"], ["a"]], [["b"], ["b"]]], 0.0),
        ([[["a"], ["a"]], [["a"], ["a"]]], -2.5),
        ([[["a", "b"], ["b", "a"]]], 5.0),
    ],
)
def test_diversity_is_the_share_of_distinct_chains_over_the_whole_batch(chains, value):
    assert batch_of(chains).batch["tool_pattern_diversity"].value == value, (
        "10 * distinct / all - 5: 1 of 4 chains is -2.5"
    )


def test_a_batch_in_which_nobody_called_a_tool_has_no_diversity():
    assert batch_of([[[], []]]).batch == {}


def test_rollouts_without_a_call_are_no_chain():
    assert batch_of([[[], ["a"]], [[], ["b"]]]).batch["tool_pattern_diversity"].value == 5.0


# findings


def test_a_rival_that_fits_and_a_judge_at_odds_are_the_filters_faults_and_the_rival_weighs_more():
    asked = question()
    rival = (
        diagnosis(
            [asked],
            [
                row(
                    asked.id,
                    "fake_hard",
                    cause="rival_fits",
                    rival={"said": "Ilse", "key": "Q5", "passed_by": "certify"},
                )
            ],
        )
        .tasks[0]
        .findings
    )
    odds = (
        diagnosis([asked], [row(asked.id, "fake_hard", cause="judge_contradicts")])
        .tasks[0]
        .findings
    )
    assert [(f.stage, f.cause) for f in (*rival, *odds)] == [
        ("filters", "rival_fits"),
        ("filters", "ambiguous_answer"),
    ]
    assert (
        rival[0].severity == 5.0 > odds[0].severity == 3.0
        and "'Ilse' fits too; passed by certify" in rival[0].why
    )
    assert causes([asked], [row(asked.id)]) == []


def test_a_task_that_nobody_solves_is_the_filters_fault_unless_something_else_explains_it():
    asked = question()
    assert causes([asked], [row(asked.id, "fake_hard")]) == [("filters", "unsolved")]
    assert diagnosis([asked], [row(asked.id, "fake_hard")]).tasks[0].findings[0].severity == 4.0
    assert causes(
        [asked], [row(asked.id, "fake_hard")], broken={asked.id: ("pictures", "not_grounded")}
    ) == [("pictures", "not_grounded")]
    assert causes([asked], [row(asked.id, "fake_hard", cause="judge_failed")]) == []


def tasks_of(tags: list[str]) -> tuple[list[Question], list[TaskRow]]:
    asked = [question(f"q{n}") for n in range(len(tags))]
    return asked, [
        row(q.id, tag, domain=f"d{n}") for n, (q, tag) in enumerate(zip(asked, tags, strict=True))
    ]


@pytest.mark.parametrize("tag", ["too_easy", "too_hard"])
def test_difficulty_is_the_writers_fault_from_more_tasks_than_are_tolerated(tag):
    for num, found in ((2, 0), (3, 3)):
        asked, rows = tasks_of([tag] * num + ["good_match"] * (4 - num))
        assert causes(asked, rows, tolerated=0.5) == [("writer", tag)] * found, (
            "2 of 4 are no more than half"
        )
    asked, rows = tasks_of([tag] * 3 + ["good_match"])
    assert {
        f.severity for task in diagnosis(asked, rows, tolerated=0.5).tasks for f in task.findings
    } == {3.0}


def test_what_a_leak_explains_counts_for_no_difficulty():
    asked, rows = tasks_of(["too_easy"] * 3 + ["good_match"])
    leaky = {q.id: ("filters", "text_search") for q in asked[:1]}
    assert causes(asked, rows, tolerated=0.5, broken=leaky) == [("filters", "text_search")], (
        "2 of 4 are left"
    )
    assert causes(asked, rows, tolerated=0.25, broken=leaky) == [
        ("filters", "text_search"),
        *[("writer", "too_easy")] * 2,
    ]


def test_a_picture_that_seems_wrong_is_not_where_a_rollout_solved_the_task():
    asked = question()
    wrong = {asked.id: ("pictures", "not_grounded")}
    assert causes([asked], [row(asked.id, correct=1)], broken=wrong) == []
    assert causes([asked], [row(asked.id, correct=0)], broken=wrong) == [
        ("pictures", "not_grounded")
    ]
    assert causes(
        [asked], [row(asked.id, correct=1)], broken={asked.id: ("filters", "text_search")}
    ) == [("filters", "text_search")], "a leak stays one"


@pytest.mark.parametrize(
    ("asked", "tag", "short"),
    [
        (certified(effective_hops=1), "too_easy", True),
        (certified(effective_hops=2), "too_easy", False),
        (certified(effective_hops=0), "too_easy", True),
        (certified(effective_hops=1), "too_hard", False),
        (certified(), "too_easy", False),
        (question(), "too_easy", False),
        (certified(with_form(DETAIL), effective_hops=1), "too_easy", False),
        (certified(with_form(COMPUTED), effective_hops=1), "too_easy", False),
    ],
)
def test_one_claim_from_picture_to_answer_is_the_paths_fault_where_it_is_too_easy(
    asked, tag, short
):
    found = diagnosis([asked], [row(asked.id, tag)], tolerated=0.0).tasks[0].findings
    assert (
        ("paths", "few_sources", 1.5) in {(f.stage, f.cause, f.severity) for f in found}
        if short
        else "few_sources" not in {f.cause for f in found}
    )


def test_one_claim_is_no_fault_while_so_much_of_it_is_tolerated_or_where_a_leak_explains_it():
    asked = certified(effective_hops=1)
    assert causes([asked], [row(asked.id, "too_easy")], tolerated=1.0) == []
    assert causes(
        [asked],
        [row(asked.id, "too_easy")],
        tolerated=0.0,
        broken={asked.id: ("filters", "text_search")},
    ) == [("filters", "text_search")]


def test_a_batch_played_by_one_chain_says_so_of_the_tasks_that_show_it_in_the_mode_that_counts_diversity():
    chains = [[["a"]] * 4] * 3 + [[["b"]]]
    found = batch_of(chains, mode="sft")
    assert found.batch["tool_pattern_diversity"].value < -3.0
    assert [(f.stage, f.cause, f.why, f.severity) for f in found.findings] == [
        ("paths", "one_chain", "a", 1.0)
    ] * 3
    assert batch_of(chains, mode="rl").findings == (), (
        "reinforcement learning has no such dimension"
    )
    assert batch_of([[["a"]] * 4, [["b"]]], mode="sft").findings == (), (
        "2 of 5 chains are distinct: -1"
    )
    assert batch_of([[["a"], ["a"], ["a"], ["b"], ["a"]]] * 2, mode="sft").findings == (), (
        "2 of 10: -3 is the bound, and is let through"
    )


@pytest.mark.parametrize(
    ("domains", "found"), [(["arts"] * 3 + ["life"] * 2, 0), (["arts"] * 4 + ["life"], 4)]
)
def test_more_than_six_tenths_of_one_domain_are_the_seeds_fault(domains, found):
    asked = [question(f"q{n}") for n in range(len(domains))]
    rows = [row(q.id, domain=domain) for q, domain in zip(asked, domains, strict=True)]
    told = diagnosis(asked, rows).findings
    assert [(f.stage, f.cause, f.why, f.severity) for f in told] == [
        ("seeds", "one_domain", "arts", 1.0)
    ] * found
    assert {f.task for f in told} == {q.id for q in asked[:found]}


def test_a_round_without_a_task_has_an_empty_diagnosis():
    found = diagnosis([], [])
    assert (found.tasks, found.batch, found.findings) == ((), {}, ())


def test_every_stage_that_a_finding_names_is_one_of_ours():
    asked, rows = tasks_of(["too_easy", "too_hard", "fake_hard"])
    found = diagnosis(
        asked, rows, tolerated=0.0, mode="sft", broken={asked[0].id: ("filters", "text_search")}
    )
    assert {f.stage for f in found.all_findings} <= set(STAGES)


def test_every_dimension_is_measured_but_those_of_the_other_mode():
    assert set(scored(certified(answers_without_picture=4), solved_chains=[["a"]])) | {
        "tool_pattern_diversity"
    } == {*WEIGHTS["sft"], *WEIGHTS["rl"]}


@pytest.mark.parametrize(
    ("counted", "words"),
    [
        ({"basis": "external"}, False),
        ({"basis": "closed", "effective_hops": 2, "answers_without_picture": 4}, True),
    ],
)
def test_what_nobody_counted_is_not_told_to_the_llm_diagnoser(counted, words):
    assert ("over 2 claims" in _proved(certified(**counted))) is words and (
        "4 answers or more" in _proved(certified(**counted))
    ) is words


@pytest.mark.parametrize(
    ("asked", "changes", "dimension", "why"),
    [
        (
            certified(with_form(COMPUTED), effective_hops=2),
            {},
            "information_complexity",
            "2 effective hops, a computation",
        ),
        (certified(effective_hops=2), {}, "information_complexity", "2 effective hops"),
        (
            certified(with_form(DETAIL), answers_without_picture=4),
            {},
            "visual_dependency",
            "4 answers without the picture, a detail or a repair",
        ),
        (
            certified(answers_without_picture=4),
            {},
            "visual_dependency",
            "4 answers without the picture",
        ),
        (question(), {}, "shortcut_leakage", "nothing gives it away"),
        (
            question(),
            {"solved_chains": [["a"] * 3, ["a", "b"]]},
            "shortcut_leakage",
            "the shortest right rollout made 2 calls",
        ),
        (question(), {"tag": "fake_hard"}, "verifiability", "unsolved"),
        (certified(basis="closed"), {}, "verifiability", "basis closed"),
        (question(), {"calls": 0.0}, "tool_usage_quality", "no call"),
        (
            question(),
            {"faults": 0.25, "unfit": 1, "correct": 2},
            "tool_usage_quality",
            "25% of the calls failed, 50% of the right rollouts broke a rule",
        ),
    ],
)
def test_each_score_says_what_it_rests_on(asked, changes, dimension, why):
    found = diagnosis([asked], [row(asked.id, **changes)])
    assert found.tasks[0].scores[dimension].why == why
