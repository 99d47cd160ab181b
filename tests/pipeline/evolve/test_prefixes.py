"""Where failed rollouts are played on from: the least sure first call, with the bank rebuilt from stored pictures."""

import asyncio
from math import log

import pytest

from questloom.agent.play.player import Begin, Player, Task
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.renderer import Renderer
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.pipeline.evolve.prefixes import OPEN, bank_of, least_sure, prefix_of
from questloom.records.episodes import Episode
from tests.agent import tiny
from tests.agent.small_provider import ScriptedTokens, answer, look, toolbox

TOKENS = TokenRenderer(tiny.processor(), name="tiny")
TASK = Task(task_id="bridge", question="Who built this bridge?", pictures=(tiny.picture(1),))
TURNS = (look("lund bridge"), look("ada"), answer("Nobody"))


def player(turns) -> Player:
    box = toolbox()
    made = Renderer(box.schemas(), max_calls=9, special_tokens=TOKENS.special_tokens)
    made.system_prompt = "Look, search, answer."
    return Player(
        ScriptedTokens(lambda c: turns[min(c.turn, len(turns) - 1)], TOKENS),
        box,
        Limits(),
        renderer=made,
    )


def test_the_beginning_goes_on_to_another_end_with_the_pictures_that_it_had():
    playing = player(TURNS)
    played = [asyncio.run(playing.rollout(TASK, number)) for number in range(2)]
    bytes_of = {
        image.sha256: each.bank.data(image.handle)
        for each in played
        for image in each.episode.images
    }
    begin = least_sure(
        playing.engine, TASK, [each.episode for each in played], bytes_of.__getitem__
    )
    assert isinstance(begin, Begin) and begin.turn == 0
    assert TOKENS.rendered(begin.begun).endswith(OPEN) and len(begin.begun) == prefix_of(
        playing.engine, begin.episode.turns[0]
    )
    rest = ('{"name": "image_search", "arguments": {"query": "tower"}}</tool_call>', answer("Ada"))
    other = asyncio.run(player(rest).play_on(begin, 0)).episode
    assert (
        other.answer == "Ada"
        and other.task_id == "bridge"
        and other.id not in {each.episode.id for each in played}
    )


def test_rollouts_without_a_call_have_no_beginning():
    playing = player((answer("Nobody"),))
    episode = asyncio.run(playing.play(TASK))
    assert least_sure(playing.engine, TASK, [episode], {}.__getitem__) is None


@pytest.fixture(scope="module")
def failed() -> tuple[Player, list[Episode], dict[str, bytes]]:
    """Two rollouts that looked twice and then answered wrongly, with the pictures that they were shown."""
    playing = player(TURNS)
    played = [asyncio.run(playing.rollout(TASK, number)) for number in range(2)]
    return (
        playing,
        [each.episode for each in played],
        {i.sha256: each.bank.data(i.handle) for each in played for i in each.episode.images},
    )


def sure(
    playing: Player, episode: Episode, *, before: float, call: float, turn: int = 0
) -> Episode:
    """An episode whose tokens were sampled with such probabilities: those of a turn up to its call, and those of the call."""
    found = episode.turns[turn]
    num = prefix_of(playing.engine, found) or len(found.token_ids)
    logprobs = tuple([log(before)] * num + [log(call)] * (len(found.token_ids) - num))
    return episode.replace(
        turns=(*episode.turns[:turn], found.replace(logprobs=logprobs), *episode.turns[turn + 1 :])
    )


@pytest.mark.parametrize(
    ("first", "second", "chosen"), [(0.9, 0.2, 1), (0.2, 0.9, 0), (0.5, 0.5, 0)]
)
def test_of_several_rollouts_the_one_that_was_least_sure_of_its_call_is_played_on(
    failed, first, second, chosen
):
    playing, episodes, pictures = failed
    tried = [
        sure(playing, episodes[0], before=0.5, call=first),
        sure(playing, episodes[1], before=0.5, call=second),
    ]
    begin = least_sure(playing.engine, TASK, tried, pictures.__getitem__)
    assert begin.episode.rollout == chosen, "of equally sure ones the first"
    assert begin.begun_logprobs == tried[chosen].turns[0].logprobs[: len(begin.begun)] and set(
        begin.begun_logprobs
    ) == {log(0.5)}


def test_how_sure_a_rollout_was_of_the_words_before_its_call_does_not_count(failed):
    playing, episodes, pictures = failed
    tried = [
        sure(playing, episodes[0], before=0.01, call=0.9),
        sure(playing, episodes[1], before=0.99, call=0.8),
    ]
    assert least_sure(playing.engine, TASK, tried, pictures.__getitem__).episode.rollout == 1


def test_a_mean_of_probabilities_counts_and_none_of_their_logarithms(failed):
    playing, episodes, pictures = failed
    one = sure(playing, episodes[0], before=0.5, call=0.5)
    other = sure(playing, episodes[1], before=0.5, call=0.6)
    last = other.turns[0]
    other = other.replace(
        turns=(last.replace(logprobs=(*last.logprobs[:-1], log(1e-9))), *other.turns[1:])
    )
    assert (
        least_sure(playing.engine, TASK, [one, other], pictures.__getitem__).episode.rollout == 0
    ), "its mean is lower, though one token was unlikelier"


def test_it_is_the_first_call_of_a_rollout_though_a_later_one_was_less_sure(failed):
    playing, episodes, pictures = failed
    begin = least_sure(
        playing.engine,
        TASK,
        [
            sure(
                playing,
                sure(playing, episodes[0], before=0.5, call=0.9),
                before=0.5,
                call=0.01,
                turn=1,
            )
        ],
        pictures.__getitem__,
    )
    assert begin.turn == 0


def test_a_turn_without_a_call_is_passed_over_for_the_first_that_has_one(failed):
    playing, episodes, pictures = failed
    last = episodes[0].turns[-1]
    begin = least_sure(
        playing.engine,
        TASK,
        [
            episodes[0].replace(
                turns=(last.replace(result=episodes[0].turns[0].result), *episodes[0].turns[1:])
            )
        ],
        pictures.__getitem__,
    )
    assert begin.turn == 1


def test_a_turn_whose_ids_or_probabilities_are_not_known_is_no_beginning(failed):
    playing, episodes, _ = failed
    turn = episodes[0].turns[0]
    assert prefix_of(playing.engine, turn) > 1
    assert (
        prefix_of(playing.engine, turn.replace(logprobs=()))
        == prefix_of(playing.engine, turn.replace(token_ids=(), logprobs=()))
        == 0
    )
    assert prefix_of(playing.engine, episodes[0].turns[-1]) == 0, "it answers"


def test_the_bank_of_an_episode_is_built_again_from_its_stored_pictures(failed):
    _, episodes, pictures = failed
    bank = bank_of(TASK, episodes[0], pictures.__getitem__)
    assert len(episodes[0].images) > 1 and [
        bank.get(image.handle) for image in episodes[0].images
    ] == list(episodes[0].images)
    assert [bank.data(image.handle) for image in episodes[0].images] == [
        pictures[image.sha256] for image in episodes[0].images
    ]
