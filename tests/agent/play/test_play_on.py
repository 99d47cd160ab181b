"""Playing on from within a turn: the same beginning id for id and pixel for pixel, a bank of its own, limits over the whole, another end."""

import asyncio
import dataclasses

import pytest

from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Begin, Continuation, Played, Player, Task
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.renderer import Renderer
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.records.episodes import EndReason, Episode
from questloom.records.errors import InputError
from questloom.train.credit.axpo import check_prefix
from questloom.train.rows.episode_rows import row_of_episode, row_of_segments
from questloom.train.rows.row import RowError, RowFault, check
from tests.agent import tiny
from tests.agent.small_provider import ScriptedEngine, ScriptedTokens, answer, look, search, toolbox
from tests.train.played import PICTURES, ROPE

TOKENS = TokenRenderer(tiny.processor(), name="tiny")
TASK = Task(task_id="bridge", question="Who built this bridge?", pictures=(tiny.picture(1),))
SOURCE = (look("lund bridge"), look("ada"), search("wrong"), answer("Nobody"))
TURN = 1
REST = '{"name": "image_search", "arguments": {"query": "%s"}}</tool_call>'


def player(say, *, renders: TokenRenderer = TOKENS, seconds: float = 0.0, **limits) -> Player:
    box = toolbox()
    made = Renderer(box.schemas(), max_calls=9, special_tokens=renders.special_tokens)
    made.system_prompt = "Look, search, answer."
    return Player(
        ScriptedTokens(say, renders, seconds=seconds), box, Limits(**limits), renderer=made
    )


def said(turns):
    return lambda conversation: turns[min(conversation.turn, len(turns) - 1)]


def source(**limits) -> Played:
    return asyncio.run(player(said(SOURCE), **limits).rollout(TASK))


def within(played: Played, turn: int = TURN, mark: str = "<tool_call>", **changed) -> Begin:
    """Up to and with a mark in a turn."""
    ids = played.episode.turns[turn].token_ids
    num = next(n for n in range(len(ids) + 1) if TOKENS.tokenizer.decode(ids[:n]).endswith(mark))
    return dataclasses.replace(
        Begin(
            task=TASK,
            episode=played.episode,
            bank=played.bank,
            turn=turn,
            begun=ids[:num],
            begun_logprobs=played.episode.turns[turn].logprobs[:num],
        ),
        **changed,
    )


def otherwise(conversation):
    """What the continuations say: another call each, then the answer."""
    if conversation.turn == TURN:
        return REST % f"tower {conversation.rollout}"
    return answer(f"Ada {conversation.rollout}")


def row(played: Played):
    return row_of_segments(
        played.segments, episode_id=played.episode.id, tokens=PICTURES, rope=ROPE
    )


def test_continuations_begin_as_their_source_id_for_id_and_pixel_for_pixel():
    first = source()
    begin = within(first)

    async def play_on() -> list[Played]:
        playing = player(otherwise)
        return await asyncio.gather(*(playing.play_on(begin, k) for k in range(4)))

    made = asyncio.run(play_on())
    whole, rows = row(first), [row(each) for each in made]
    end = whole.turns[TURN][0] + len(begin.begun)
    assert TOKENS.tokenizer.decode(whole.ids[:end]).endswith("<tool_call>")
    for each, played in zip(rows, made, strict=True):
        check(each, PICTURES)
        check_prefix(each, whole, end, PICTURES)
        assert each.old_logp[:end].tolist() == whole.old_logp[:end].tolist()
        assert played.episode.turns[:TURN] == first.episode.turns[:TURN]
        assert (
            played.episode.turns[TURN].text
            == f"{look('ada').partition('<tool_call>')[0]}<tool_call>{REST % f'tower {played.episode.rollout}'}"
        )
        assert (played.episode.end, played.episode.answer) == (
            EndReason.ANSWERED,
            f"Ada {played.episode.rollout}",
        )
    assert len({tuple(each.ids.tolist()) for each in rows}) == 4
    with pytest.raises(RowError, match="leaves its source") as caught:
        check_prefix(rows[0], whole, end + 60, PICTURES)
    assert caught.value.fault is RowFault.PREFIX


def test_what_the_engine_saw_makes_the_row_that_the_stored_episode_makes():
    played = source()
    stored = row_of_episode(
        played.episode,
        played.bank,
        player(said(SOURCE)).renderer,
        TOKENS,
        picture_tokens=PICTURES,
        rope=ROPE,
    )
    made = row(played)
    assert stored.ids.tolist() == made.ids.tolist() and stored.pixel_hashes == made.pixel_hashes
    assert (made.turns, made.old_logp.tolist()) == (stored.turns, stored.old_logp.tolist())
    assert (
        asyncio.run(
            Player(ScriptedEngine(said(SOURCE)), toolbox(), Limits()).rollout(TASK)
        ).segments
        == ()
    )


def test_a_new_picture_is_in_the_continuations_own_bank_only():
    first = source()

    async def play_on() -> list[Played]:
        playing = player(otherwise)
        return [await playing.play_on(within(first), k) for k in range(2)]

    one, two = asyncio.run(play_on())
    titles = [[image.title for image in played.bank.images] for played in (first, one, two)]
    assert titles == [
        ["", "lund bridge", "ada"],
        ["", "lund bridge", "tower 0"],
        ["", "lund bridge", "tower 1"],
    ]
    assert all(played.episode.images == played.bank.images for played in (first, one, two))
    assert one.bank.data(1) is two.bank.data(1) is first.bank.data(1), "nothing is copied"


def test_each_continuation_is_an_episode_of_its_own_by_source_turn_and_number():
    first = source()

    async def play_on(begin: Begin, rollout: int = 0) -> Episode:
        return (await player(otherwise).play_on(begin, rollout)).episode

    episodes = [asyncio.run(play_on(within(first), k)) for k in range(2)]
    episodes.append(asyncio.run(play_on(within(first, turn=2))))
    another = asyncio.run(player(said(SOURCE)).rollout(TASK, 1))
    episodes.append(asyncio.run(play_on(within(another))))
    assert len({first.episode.id, another.episode.id, *(e.id for e in episodes)}) == 6
    assert all(isinstance(e, Continuation) and e.task_id == "bridge" for e in episodes)
    assert [(e.source_id, e.turn, e.rollout) for e in episodes] == [
        (first.episode.id, 1, 0),
        (first.episode.id, 1, 1),
        (first.episode.id, 2, 0),
        (another.episode.id, 1, 0),
    ]
    draws = {e.turns[e.turn].logprobs[-1] for e in episodes}
    assert len(draws) == 4, "chance differs too"
    assert Continuation.from_row(episodes[0].to_row()).id == episodes[0].id


def test_limits_count_what_was_reused():
    first = source()
    playing = player(lambda c: REST % "again" if c.turn == TURN else search(f"{c.turn}"), calls=2)
    out_of_calls = asyncio.run(playing.play_on(within(first), 0)).episode
    assert (out_of_calls.end, len(out_of_calls.turns)) == (EndReason.CALLS, 3)

    begin, num_prompt = within(first), first.episode.turns[TURN].num_prompt_tokens
    most = len(begin.begun) + 5
    for limits in (
        {"turn_tokens": most},
        {"tokens": num_prompt + 1 + most},
    ):  # the end of the turn before is counted twice there
        playing = player(otherwise, **limits)
        cut = asyncio.run(playing.play_on(begin, 0)).episode
        assert (cut.end, playing.engine.most_new_tokens) == (EndReason.TOKENS, [most])
        assert (
            len(cut.turns[TURN].token_ids),
            cut.turns[TURN].num_new_tokens,
            cut.turns[TURN].num_prompt_tokens,
        ) == (most, most, num_prompt)

    slow = within(
        first,
        episode=first.episode.replace(
            turns=(first.episode.turns[0].replace(seconds=5.0), *first.episode.turns[1:])
        ),
    )
    late = asyncio.run(player(otherwise, seconds=0.5).play_on(slow, 0)).episode
    assert late.end == EndReason.ANSWERED and late.seconds > 5
    playing = player(otherwise)
    playing.limits = Limits(seconds=5.0)
    assert asyncio.run(playing.play_on(slow, 0)).episode.end == EndReason.TIME


def journaled(folder, begin: Begin, say, **limits) -> tuple[Played, Player]:
    async def run() -> tuple[Played, Player]:
        playing = player(say, **limits)
        with Journal(folder, playing.settings) as journal:
            return await playing.play_on(begin, 3, journal=journal), playing

    return asyncio.run(run())


def without_times(episode: Episode) -> Episode:
    return episode.replace(
        seconds=0.0,
        turns=tuple(
            t.replace(seconds=0.0, result=t.result and t.result.replace(seconds=0.0))
            for t in episode.turns
        ),
    )


@pytest.mark.parametrize("stop_at", [1, 2, 3])
def test_a_killed_continuation_goes_on_from_its_last_turn(tmp_path, stop_at):
    first = source()

    def say(conversation):
        return [None, REST % "tower", look("lund"), answer("Ada")][conversation.turn]

    whole = asyncio.run(player(say).play_on(within(first), 3))
    with pytest.raises(KeyboardInterrupt):
        journaled(
            tmp_path, within(first), lambda c: KeyboardInterrupt() if c.turn == stop_at else say(c)
        )
    again, playing = journaled(tmp_path, within(first), say)
    assert playing.engine.num_steps == 4 - stop_at
    assert without_times(again.episode) == without_times(whole.episode)
    assert (
        row(again).ids.tolist() == row(whole).ids.tolist()
        and row(again).pixel_hashes == row(whole).pixel_hashes
    )
    finished, playing = journaled(tmp_path, within(first), say)
    assert (playing.engine.num_steps, finished.episode) == (0, again.episode)
    assert (
        row(finished).ids.tolist() == row(whole).ids.tolist()
        and row(finished).pixel_hashes == row(whole).pixel_hashes
    )
    with pytest.raises(InputError, match="from another place in its turn"):
        journaled(tmp_path, within(first, mark='"ada'), say)


def test_a_rollout_from_the_journal_comes_with_its_bank_and_segments(tmp_path):
    async def run():
        playing = player(said(SOURCE))
        with Journal(tmp_path, playing.settings) as journal:
            return [played async for played in playing.rollouts([TASK], num=2, journal=journal)]

    first, again = asyncio.run(run()), asyncio.run(run())
    for before, after in zip(
        *(sorted(each, key=lambda p: p.episode.rollout) for each in (first, again)), strict=True
    ):
        assert before.episode == after.episode and before.bank.images == after.bank.images
        assert (
            row(before).ids.tolist() == row(after).ids.tolist()
            and row(before).pixel_hashes == row(after).pixel_hashes
        )


@pytest.mark.parametrize(
    ("mark", "says"),
    [
        ("</thi", "'</thi', in the middle of a tag"),
        ("<", "'<', in the middle"),
        ("<answ", "'<answ', in the middle"),
        ("<|im_end|>", "ends a turn"),
    ],
)
def test_a_turn_that_cannot_be_gone_on_with_is_refused(mark, says):
    first = source()
    begin = within(first, turn=3 if "answ" in mark else TURN, mark=mark)
    with pytest.raises(InputError, match=says.replace("|", r"\|")):
        asyncio.run(player(otherwise).play_on(begin, 0))


def test_a_drawn_picture_or_a_missing_log_probability_is_refused():
    first = source()
    turn = first.episode.turns[TURN]
    image = next(iter(TOKENS.image_ids))
    for ids, logprobs, says in (
        ((image, *turn.token_ids), (-1.0, *turn.logprobs), "stands for a picture"),
        (turn.token_ids, turn.logprobs[:1], "2 ids and 1 log"),
    ):
        changed = first.episode.replace(
            turns=(first.episode.turns[0], turn.replace(token_ids=ids, logprobs=logprobs))
        )
        begin = Begin(
            task=TASK,
            episode=changed,
            bank=first.bank,
            turn=TURN,
            begun=ids[:2],
            begun_logprobs=logprobs[:2],
        )
        with pytest.raises(InputError, match=says):
            asyncio.run(player(otherwise).play_on(begin, 0))


def test_another_episodes_turn_bank_or_task_is_refused():
    first = source()
    begin = within(first)
    for changed, says in (
        ({"begun": (5, *begin.begun[1:])}, "does not begin with these"),
        ({"begun_logprobs": (0.5, *begin.begun_logprobs[1:])}, "does not begin with these"),
        ({"bank": first.bank.fork(0)}, "not those of episode"),
        ({"task": dataclasses.replace(TASK, task_id="other")}, "not those of episode"),
    ):
        with pytest.raises(ValueError, match=says):
            asyncio.run(player(otherwise).play_on(dataclasses.replace(begin, **changed), 0))


def test_an_engine_without_token_ids_is_refused():
    with pytest.raises(InputError, match="cannot go on within a turn"):
        asyncio.run(
            Player(ScriptedEngine(said(SOURCE)), toolbox(), Limits()).play_on(within(source()), 0)
        )


def test_a_thinking_template_opens_the_thought_once():
    tokens = TokenRenderer(tiny.processor(tiny.THINKING), name="tiny")
    first = asyncio.run(
        player(said([turn.removeprefix("<think>") for turn in SOURCE]), renders=tokens).rollout(
            TASK
        )
    )
    assert first.episode.turns[TURN].text.startswith("<think>\nHow looks ada")
    made = asyncio.run(
        player(lambda c: otherwise(c).removeprefix("<think>"), renders=tokens).play_on(
            within(first), 0
        )
    )
    text = made.episode.turns[TURN].text
    assert text.startswith("<think>\nHow looks ada?</think>") and text.count("<think>") == 1
    assert (made.episode.end, made.episode.answer) == (EndReason.ANSWERED, "Ada 0")
    begin = within(first)
    whole, each = row(first), row(made)
    check_prefix(each, whole, whole.turns[TURN][0] + len(begin.begun), PICTURES)
