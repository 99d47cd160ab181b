"""Episodes as numbers: outcomes, what was said, the provider's faults, chains, and a judge at odds with itself."""

import pytest

from questloom.pipeline.evolve.rollouts import Played, read_rollouts, rollout_of
from questloom.records.episodes import Turn
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.evolve.made import recipe
from tests.pipeline.evolve.made_run import Try, a_run, asked, episode_of, played

WRONG = "wrong_answer_given"


@pytest.fixture
def found(tmp_path) -> dict[str, Played]:
    one, other = asked(1), asked(2)
    run = a_run(RunFolder(str(tmp_path / "run")), recipe(), [one, other])
    return read_rollouts(
        played(
            run,
            "policy",
            (
                one,
                [
                    Try("a"),
                    Try("b", WRONG, ("text_search", "visit!provider_fault")),
                    Try("", "judge_failed", ()),
                    Try("a", process="guessed"),
                ],
            ),
            (other, [Try("c", WRONG, ("visit!model_fault",))]),
        )
    )


def test_rollouts_are_read_by_question_in_their_order_with_what_the_judges_said(found):
    mine = found[asked(1).id]
    assert set(found) == {asked(1).id, asked(2).id} and [r.number for r in mine.rollouts] == [
        0,
        1,
        2,
        3,
    ] == [e.rollout for e in mine.episodes]
    assert [(r.said, r.outcome, r.process) for r in mine.rollouts] == [
        ("a", "correct", ""),
        ("b", WRONG, ""),
        ("", "judge_failed", ""),
        ("a", "correct", "guessed"),
    ]
    assert [r.solved for r in mine.rollouts] == [True, False, False, True]


def test_a_chain_is_the_tools_called_in_their_order(found):
    assert [r.chain for r in found[asked(1).id].rollouts] == [
        ("visit",),
        ("text_search", "visit"),
        (),
        ("visit",),
    ]
    assert found[asked(1).id].rollouts[1].statistics.num_calls == 2


def test_a_call_that_was_never_run_is_no_link_of_the_chain():
    episode = episode_of(asked(1), 0, Try(chain=("visit",)))
    cut = episode.replace(
        turns=(*episode.turns[:1], episode.turns[0].replace(result=None), Turn(text="?"))
    )
    assert rollout_of(cut, "correct").chain == ("visit",)


@pytest.mark.parametrize(
    ("chain", "outcome", "faults", "blamed"),
    [
        (("visit!provider_fault", "visit!provider_fault"), WRONG, 2, True),
        (("visit!model_fault",), WRONG, 0, False),
        ((), WRONG, 0, False),
        (("visit!provider_fault",), "correct", 1, False),
        (("visit!provider_fault",), WRONG, 1, True),
    ],
)
def test_a_failure_is_the_providers_where_one_of_its_faults_answered_a_call(
    chain, outcome, faults, blamed
):
    made = rollout_of(episode_of(asked(1), 0, Try(chain=chain)), outcome)
    assert (made.provider_faults, made.by_provider) == (faults, blamed)


def test_what_no_judge_could_judge_is_neither_right_nor_wrong(found):
    mine = found[asked(1).id]
    assert len(mine.judged) == 3 and mine.num_correct == 2


@pytest.mark.parametrize(
    ("tries", "odds"),
    [
        ([("The Tower", "correct"), ("the tower", WRONG)], True),
        ([("a", "correct"), ("b", WRONG)], False),
        ([("a", WRONG), ("a", WRONG)], False),
        ([("", "correct"), ("", WRONG)], False),
        ([("a", "correct"), ("a", "judge_failed")], False),
    ],
)
def test_a_judge_that_calls_the_same_words_right_and_wrong_is_at_odds_with_itself(tries, odds):
    made = tuple(
        rollout_of(episode_of(asked(1), n, Try(said)), outcome)
        for n, (said, outcome) in enumerate(tries)
    )
    assert Played(made).contradicted is odds


def test_a_task_that_was_not_played_has_no_rollouts():
    assert (Played().judged, Played().num_correct, Played().contradicted) == ((), 0, False)
