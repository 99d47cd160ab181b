"""A step's samples: everybody is taught or counted with a reason, AXPO's sources are chosen over all ranks, and figures add up."""

import dataclasses
import math

import pytest

from questloom.agent.judges.answer import Judgement
from questloom.agent.play.player import Played, Task
from questloom.records.episodes import EndReason, Episode, Outcome, ToolCall, ToolStatus
from questloom.train.credit.credit_rules import Axpo
from questloom.train.credit.rewards import UNKNOWN
from questloom.train.grpo.figures import (
    CareSettings,
    JudgesFailed,
    ProvidersFailed,
    check_step,
    count_sums,
    rollout_lines,
    step_metrics,
)
from questloom.train.grpo.step_samples import (
    PICTURE,
    CallTags,
    StepSamples,
    candidates,
    choose_sources,
    group_rollouts,
    make_step_samples,
)
from questloom.train.rollouts.actor import Continuation, JudgedRollout, UnplayedRollout
from questloom.train.rollouts.questions import StepQuestion
from questloom.train.rollouts.scored import RolloutRows, ScoredRollout, score_rollouts
from questloom.train.rows.row import RowError
from questloom.train.settings.grpo_settings import GrpoSettings, load_grpo_settings
from questloom.train.settings.training_settings import DataSettings
from tests.train.grpo_world import question
from tests.train.played import PICTURES, ROPE, TOKENS, episode, segments

ROWS = RolloutRows(PICTURES, ROPE, DataSettings(max_tokens=900))
OPEN, CLOSE = (
    TOKENS.tokenizer.convert_tokens_to_ids(tag) for tag in ("<tool_call>", "</tool_call>")
)
TAGS = CallTags(OPEN, CLOSE)
AXPO = dataclasses.replace(load_grpo_settings("grpo-tiny"), axpo=Axpo(continuations=2, budget=1.0))


def with_call(made: Episode) -> Episode:
    """Its first turn has the tags of a call, as one token each."""
    turn = made.turns[0]
    ids = (*turn.token_ids[:3], OPEN, *turn.token_ids[3:6], CLOSE, turn.token_ids[-1])
    first = turn.replace(
        token_ids=ids,
        logprobs=tuple(-0.5 for _ in ids),
        text=TOKENS.rendered(ids),
        call=ToolCall(name="text_search", arguments={"query": "x"}),
    )
    return made.replace(turns=(first, *made.turns[1:]))


def judged(
    number: int,
    rollout: int,
    outcome: str = "wrong",
    *,
    turns: int = 2,
    seed: int = 0,
    end: str = "answered",
    call: bool = True,
    query: float = UNKNOWN,
) -> JudgedRollout:
    """A rollout of a question; only its words, its end and the verdict are made up."""
    made, bank = episode(turns, seed=seed)
    made = (with_call(made) if call else made).replace(
        task_id=f"q{number}", rollout=rollout, end=end
    )
    asked = StepQuestion(number, question(number)[0])
    return JudgedRollout(
        asked,
        rollout,
        Task(task_id=f"q{number}", question="Who?"),
        Played(episode=made, bank=bank, segments=tuple(segments(made, bank))),
        Judgement(outcome=Outcome(outcome), by="rules"),
        query,
    )


def step(
    played: list[JudgedRollout | UnplayedRollout], settings: GrpoSettings, play_on=lambda again: []
) -> StepSamples:
    groups = group_rollouts(played, ROWS, settings, 7)
    return make_step_samples(
        groups,
        choose_sources(candidates(groups, settings, TAGS), settings, 0),
        settings,
        PICTURES,
        play_on,
    )


def test_everybody_is_taught_or_left_out_for_a_reason_that_is_counted():
    settings = load_grpo_settings("grpo-tiny", ["data.max_tokens=900", "step.micro_tokens=900"])
    played: list[JudgedRollout | UnplayedRollout] = [
        judged(0, 0, "correct"),
        judged(0, 1),
        judged(0, 2, "judge_failed"),
        judged(0, 3, end="provider"),
        judged(0, 4, turns=3),
        *(judged(1, n) for n in range(5)),
        *(UnplayedRollout(StepQuestion(2, question(2)[0]), n, "no picture") for n in range(5)),
    ]
    too_long = dataclasses.replace(ROWS, data=DataSettings(max_tokens=150, too_long="leave_out"))
    made = step(played, settings)
    assert (
        made.left_out == {"unknown_reward": 1, "provider": 1, "no_variance": 5, PICTURE: 5}
        and len(made.samples) == 3
        and made.rollouts == 15
    )
    assert [each.reward for each in made.samples] == [1.0, 0.0, 0.0] and made.samples[
        0
    ].sample.advantage > 0 > made.samples[1].sample.advantage
    assert all(each.sample.row.policy_version == 7 for each in made.samples)
    total = count_sums(made, settings.fatal)
    check_step(total, CareSettings(max_lost=0.5), 0)
    assert (
        step_metrics(total)["accuracy"] == pytest.approx(1 / 15)
        and step_metrics(total)["left_out/provider"] == 1
        and step_metrics(total)["all_wrong"] == 0.5
    )
    assert sum(line["advantage"] is not None for line in rollout_lines(made)) == 3
    groups = group_rollouts(played, too_long, settings, 7)
    short = make_step_samples(groups, [], settings, PICTURES, lambda again: [])
    assert short.left_out["too_long"] >= 2 and len(short.samples) + short.left_out.total() == 15
    assert groups[0].rollouts[1].rollout.reward == 0.0, (
        "a row that is too long leaves the loss, not the statistics"
    )


def test_a_step_counts_those_that_teach_nothing_and_says_how_many_only_the_kl_term_pulls_at():
    played: list[JudgedRollout | UnplayedRollout] = [
        judged(0, 0, "correct"),
        judged(0, 1),
        judged(0, 2, "judge_failed"),
        judged(0, 3, end="provider"),
        *(judged(1, n) for n in range(4)),
        *(UnplayedRollout(StepQuestion(2, question(2)[0]), n, "no picture") for n in range(4)),
    ]
    without, beside = (
        load_grpo_settings("grpo-tiny", ["data.max_tokens=900", *more])
        for more in ((), ("objective.kl=0.1",))
    )
    made = step(played, without)
    assert [number for number, _ in made.share.counted] == [0, 1, 1, 1, 1], (
        "a provider's fault and a question that nobody played are not counted"
    )
    assert {each.weight for _, each in made.share.counted} == {1.0} and all(
        each.tokens for _, each in made.share.counted
    )
    made = step(played, beside)
    total = count_sums(made, beside.fatal)
    check_step(total, CareSettings(max_lost=0.5), 0)
    assert (
        not made.share.counted
        and made.left_out == {"provider": 1, PICTURE: 4}
        and len(made.samples) == 7
    )
    assert (
        step_metrics(total)["kl_only/no_variance"],
        step_metrics(total)["kl_only/unknown_reward"],
    ) == (4, 1)
    refilled = step(
        played,
        load_grpo_settings(
            "grpo-tiny", ["data.max_tokens=900", "objective.kl=0.1", "step.refills=1"]
        ),
    )
    assert (
        refilled.left_out["no_variance"] == 4
        and not refilled.share.counted
        and len(refilled.samples) == 3
    )


def test_a_fatal_rollout_of_a_group_without_variance_is_not_counted_as_clamped():
    settings = load_grpo_settings(
        "grpo-tiny",
        ["data.max_tokens=900", "objective.kl=0.1", "fatal.faults=1", "fatal.fatal_index=last"],
    )

    def with_fault(number: int, rollout: int, outcome: str = "wrong") -> JudgedRollout:
        made = judged(number, rollout, outcome, turns=3)
        turns = made.played.episode.turns
        changed = made.played.episode.replace(
            turns=(
                turns[0],
                turns[1].replace(result=turns[1].result.replace(status=ToolStatus.MODEL_FAULT)),
                turns[2],
            )
        )
        return dataclasses.replace(made, played=dataclasses.replace(made.played, episode=changed))

    same = step([with_fault(0, n) for n in range(4)], settings)
    assert len(same.samples) == 4 and step_metrics(count_sums(same, settings.fatal))["clamped"] == 0
    other = step([judged(0, 0, "correct"), with_fault(0, 1)], settings)
    assert step_metrics(count_sums(other, settings.fatal))["clamped"] == 0.5


def test_a_reward_that_is_no_number_is_unknown_and_not_nought():
    settings = load_grpo_settings("grpo-tiny", ["reward.alpha=0.8"])
    played = [
        judged(0, 0, "correct", query=0.5),
        judged(0, 1, "correct", query=math.inf),
        judged(0, 2, "correct"),
        judged(0, 3, "judge_failed", query=1.0),
    ]
    made = score_rollouts(played, ROWS, reward=settings.reward, fatal=settings.fatal, version=0)
    assert made[0].rollout.reward == pytest.approx(0.9) and all(
        math.isnan(each.rollout.reward) for each in made[1:]
    )


def test_the_figure_of_searches_says_who_told_it():
    settings = load_grpo_settings("grpo-tiny", ["reward.alpha=0.8"])
    total = count_sums(
        step([judged(0, 0, "correct", query=1.0), judged(0, 1, query=0.5)], settings),
        settings.fatal,
    )
    assert (
        step_metrics(total, "some-model")["query"]
        == step_metrics(total, "measured")["query_measured"]
        == 0.75
    )
    assert "query" not in step_metrics(total, "measured") and "query_measured" not in step_metrics(
        total, "some-model"
    )


def test_a_wrong_answer_is_not_right_though_its_searches_are_rewarded():
    settings = load_grpo_settings("grpo-tiny", ["reward.alpha=0.8"])
    figures = step_metrics(
        count_sums(
            step([judged(0, 0, "correct", query=1.0), judged(0, 1, query=1.0)], settings),
            settings.fatal,
        )
    )
    assert (figures["accuracy"], figures["reward"]) == (0.5, pytest.approx(0.6))


def test_a_rollout_without_a_reward_or_without_a_row_is_no_source():
    settings = dataclasses.replace(
        load_grpo_settings("grpo-tiny", ["reward.alpha=0.8"]), axpo=AXPO.axpo
    )
    played: list[JudgedRollout | UnplayedRollout] = [
        judged(0, 0),
        judged(0, 1, query=0.5),
        judged(0, 2, query=0.5, turns=6),
    ]
    assert [
        [each.rollout for each in some]
        for some in candidates(group_rollouts(played, ROWS, settings, 7), settings, TAGS)
    ] == [[1, 2]]
    short = dataclasses.replace(ROWS, data=DataSettings(max_tokens=400, too_long="leave_out"))
    groups = group_rollouts(played, short, settings, 7)
    assert (
        groups[0].rollouts[2].rollout.unusable == "too_long"
        and not groups[0].rollouts[1].rollout.unusable
    )
    assert [[each.rollout for each in some] for some in candidates(groups, settings, TAGS)] == [[1]]


def test_a_tool_that_times_out_is_not_held_against_the_policy():
    settings = load_grpo_settings("grpo-tiny", ["reward.format=true"])
    late = judged(0, 0, "correct")
    turn = late.played.episode.turns[0]
    assert turn.result is not None
    made = []
    for status in (ToolStatus.LIMIT, ToolStatus.PROVIDER_FAULT, ToolStatus.MODEL_FAULT):
        changed = late.played.episode.replace(
            turns=(
                turn.replace(result=turn.result.replace(status=status)),
                *late.played.episode.turns[1:],
            )
        )
        each = dataclasses.replace(late, played=dataclasses.replace(late.played, episode=changed))
        made += score_rollouts(
            [each], ROWS, reward=settings.reward, fatal=settings.fatal, version=0
        )
    assert [each.rollout.reward for each in made] == [1.0, 1.0, 0.5]


def test_a_step_that_is_mostly_lost_is_refused():
    settings = load_grpo_settings("grpo-tiny")
    lost = count_sums(
        step([judged(0, n, end="provider") for n in range(3)] + [judged(0, 3)], settings),
        settings.fatal,
    )
    with pytest.raises(ProvidersFailed, match="3 of 4 rollouts ended by a provider's fault"):
        check_step(lost, CareSettings(), 4)
    unjudged = count_sums(
        step([judged(0, n, "judge_failed") for n in range(3)] + [judged(0, 3)], settings),
        settings.fatal,
    )
    with pytest.raises(
        JudgesFailed, match="step 4: the answers of 3 of 4 rollouts were not judged"
    ):
        check_step(unjudged, CareSettings(), 4)
    check_step(lost, CareSettings(max_lost=0.8), 4)
    with pytest.raises(AssertionError, match="neither taught nor left out"):
        check_step({**lost, "taught": 1}, CareSettings(max_lost=1.0), 4)


def continuation(source: JudgedRollout, begun: int, rollout: int, outcome: str) -> JudgedRollout:
    """Another end of a source's first turn, which begins as it does."""
    made = source.played.episode
    ids = (
        *made.turns[0].token_ids[:begun],
        *TOKENS.tokenizer(f"other {rollout}")["input_ids"],
        TOKENS.end_id,
    )
    last = made.turns[0].replace(
        token_ids=ids, logprobs=tuple(-0.3 for _ in ids), result=None, answer="x"
    )
    other = made.replace(turns=(last,), rollout=100 + 10 * source.rollout + rollout)
    played = dataclasses.replace(
        source.played, episode=other, segments=tuple(segments(other, source.played.bank))
    )
    return dataclasses.replace(
        source,
        rollout=rollout,
        played=played,
        verdict=Judgement(outcome=Outcome(outcome), by="rules"),
    )


def test_where_every_rollout_with_a_tool_is_wrong_some_are_played_on_and_their_beginnings_credited():
    asked: list[Continuation] = []

    def play_on(again: list[Continuation]) -> list[tuple[ScoredRollout, ...]]:
        asked.extend(again)
        return [
            tuple(
                score_rollouts(
                    [
                        continuation(each.source, each.begun, n, "correct" if n else "wrong")
                        for n in each.rollouts
                    ],
                    ROWS,
                    reward=AXPO.reward,
                    fatal=AXPO.fatal,
                    version=7,
                )
            )
            for each in again
        ]

    played = [judged(0, n, "correct" if n == 3 else "wrong", seed=n, call=n < 2) for n in range(4)]
    made = step(
        [*played, *(judged(1, n, "correct" if n else "wrong") for n in range(2))], AXPO, play_on
    )
    assert [(each.source.asked.number, each.turn, each.begun, each.rollouts) for each in asked] == [
        (0, 0, 4, (0, 1)),
        (0, 0, 4, (0, 1)),
    ]
    assert (
        made.continuations == 4
        and made.rollouts == 6
        and len(made.samples) + made.left_out.total() == 10
    )
    source = next(
        each for each in made.samples if each.sample.row.episode_id == played[0].played.episode.id
    )
    assert int(source.sample.row.loss_mask.sum()) == 4 and source.sample.advantage > 0, (
        "only what leads to the call, and up, since one of both was right"
    )
    total = count_sums(made, AXPO.fatal)
    assert (total["sources"], total["recovered"], total["right"], total["played"]) == (
        2,
        2,
        2,
        6,
    ), "continuations count in no pass rate"
    check_step(total, CareSettings(), 0)


def test_a_continuation_that_begins_otherwise_ends_the_run():
    def play_on(again: list[Continuation]) -> list[tuple[ScoredRollout, ...]]:
        return [
            tuple(
                score_rollouts(
                    [continuation(each.source, each.begun - 1, n, "wrong") for n in each.rollouts],
                    ROWS,
                    reward=AXPO.reward,
                    fatal=AXPO.fatal,
                    version=7,
                )
            )
            for each in again
        ]

    with pytest.raises(RowError, match="leaves its source"):
        step([judged(0, n) for n in range(2)], AXPO, play_on)


def test_ranks_choose_the_same_sources_whoever_has_them():
    groups = group_rollouts(
        [judged(number, n, seed=number) for number in range(4) for n in range(2)], ROWS, AXPO, 0
    )
    every = candidates(groups, AXPO, TAGS)
    apart = [*candidates(groups[1::2], AXPO, TAGS), *candidates(groups[::2], AXPO, TAGS)]
    assert choose_sources(every, AXPO, 3) == choose_sources(apart, AXPO, 3) and len(every) == 4
    assert (
        candidates(
            group_rollouts(
                [judged(0, 0, end=EndReason.PROVIDER), judged(0, 1, "judge_failed")], ROWS, AXPO, 0
            ),
            AXPO,
            TAGS,
        )
        == []
    )


def test_a_rollout_that_is_lost_from_its_first_step_on_has_no_reward_whatever_it_answers():
    settings = load_grpo_settings("grpo-tiny")
    right = judged(0, 0, "correct", turns=4)
    turns = [
        turn.replace(result=turn.result.replace(status=ToolStatus.MODEL_FAULT))
        if turn.result
        else turn
        for turn in right.played.episode.turns
    ]
    lost = dataclasses.replace(
        right,
        played=dataclasses.replace(
            right.played, episode=right.played.episode.replace(turns=tuple(turns))
        ),
    )
    made = score_rollouts(
        [right, lost], ROWS, reward=settings.reward, fatal=settings.fatal, version=0
    )
    assert [(each.rollout.fatal, each.rollout.reward) for each in made] == [(None, 1.0), (0, 0.0)]
    vanilla = dataclasses.replace(settings.fatal, treatment="vanilla")
    assert (
        score_rollouts([lost], ROWS, reward=settings.reward, fatal=vanilla, version=0)[
            0
        ].rollout.reward
        == 1.0
    )
