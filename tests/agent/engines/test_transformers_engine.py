"""The local engine: its log-probabilities are those of a full forward, whoever shares the batch and whatever the cache holds."""

import asyncio
import dataclasses

import pytest
import torch

from questloom.agent.engines import cached_model
from questloom.agent.engines.engine import ContextFull
from questloom.agent.engines.token_engine import Sampling
from questloom.agent.engines.transformers_engine import TransformersEngine
from questloom.agent.play.player import Player, Task
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.renderer import Renderer
from questloom.agent.turns.token_renderer import Segment, TokenRenderer
from questloom.records.episodes import EndReason
from questloom.records.errors import InputError
from tests.agent import tiny
from tests.agent.engines.full_forward import TOKENS, answered, full_logprobs, opening
from tests.agent.small_provider import toolbox


def engine(
    temperature: float = 1.0, top_p: float = 1.0, tokens: TokenRenderer = TOKENS, **options
) -> TransformersEngine:
    return TransformersEngine(
        tiny.model(),
        tokens,
        model_name="tiny",
        sampling=Sampling(temperature=temperature, top_p=top_p, seed=3),
        **options,
    )


def worst(conversation: Conversation, sample, temperature: float = 1.0) -> float:
    assert len(sample.logprobs) == len(sample.token_ids) > 0
    return float(
        (full_logprobs(conversation, sample, temperature) - torch.tensor(sample.logprobs))
        .abs()
        .max()
    )


async def play_turns(
    played: TransformersEngine, task: str, num_turns: int, most: int, *, pictures: bool = True
):
    """(conversation before the turn, its sample) of each turn; a picture comes after the first."""
    conversation, bank = opening(task, *([tiny.picture(1)] if pictures else []))
    made = []
    for n in range(num_turns):
        sample = await played.step(conversation, max_new_tokens=most)
        made.append((conversation, sample))
        conversation = answered(
            conversation,
            sample,
            bank,
            f"Result {n}.",
            tiny.picture(n + 5, (128, 64)) if pictures else None,
        )
    return made


@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("top_p", [1.0, 0.8])
def test_cached_log_probabilities_equal_those_of_a_full_forward_with_pictures_added_mid_conversation(
    temperature, top_p
):
    turns = asyncio.run(play_turns(engine(temperature, top_p), "alone", 4, 12))
    assert sum(len(s.pictures) for s in TOKENS.segments(turns[-1][0])) == 4
    assert max(worst(c, s, temperature) for c, s in turns) < 1e-4


def test_whoever_shares_the_batch_the_log_probabilities_are_those_of_a_full_forward():
    async def together():
        shared = engine(max_batch=3, chunk=4)
        lengths = {"a": 3, "b": 25, "c": 9, "d": 14, "e": 1}
        return [
            turn
            for turns in await asyncio.gather(
                *(
                    play_turns(shared, task, 3, most, pictures=task != "c")
                    for task, most in lengths.items()
                )
            )
            for turn in turns
        ]

    turns = asyncio.run(together())
    assert len(turns) == 15
    assert max(worst(c, s) for c, s in turns) < 1e-4


@pytest.mark.filterwarnings("error::FutureWarning")
def test_the_model_is_called_without_a_word_from_transformers():
    """One forward a token: a warning of each would flood the terminal."""
    asyncio.run(play_turns(engine(), "quiet", 2, 3))


def test_naive_positions_would_be_seen(monkeypatch):
    """The test above has teeth: positions counted on from the length, as for text, are wrong by far more."""
    from questloom.agent.engines.cached_model import CachedModel

    monkeypatch.setattr(
        CachedModel,
        "_positions",
        lambda self, ids, segments: torch.arange(len(ids)).expand(4, 1, -1),
    )
    turns = asyncio.run(play_turns(engine(), "naive", 3, 12))
    assert max(worst(c, s) for c, s in turns) > 1e-2


def test_only_what_is_new_is_read(monkeypatch):
    played, read = engine(), []
    forward = tiny.model().forward

    def spy(*args, **kwargs):
        read.append(kwargs["input_ids"].shape[1])
        return forward(*args, **kwargs)

    monkeypatch.setattr(tiny.model(), "forward", spy)
    turns = asyncio.run(play_turns(played, "alone", 3, 5))
    long = [num for num in read if num > 1]
    segments = TOKENS.segments(turns[-1][0])
    assert long[0] == len(segments[0].ids)
    # The last sampled token was not fed yet; the observation follows it.
    assert long[1:] == [len(s.ids) + 1 for s in segments if s.kind == "observation"]


def test_a_cache_that_was_dropped_is_read_anew_to_the_same_effect():
    kept = asyncio.run(play_turns(engine(), "t", 3, 8))
    dropped = asyncio.run(play_turns(engine(max_cached_tokens=0), "t", 3, 8))
    assert [s.token_ids for _, s in dropped] == [s.token_ids for _, s in kept]
    assert max(worst(c, s) for c, s in dropped) < 1e-4


def test_draws_depend_on_seed_task_rollout_and_turn_only():
    alone = asyncio.run(play_turns(engine(), "a", 2, 10))

    async def crowd():
        shared = engine(chunk=3)
        made = await asyncio.gather(*(play_turns(shared, task, 2, 10) for task in "bacd"))
        return made[1]

    assert [s.token_ids for _, s in asyncio.run(crowd())] == [s.token_ids for _, s in alone]
    other = TransformersEngine(tiny.model(), TOKENS, model_name="tiny", sampling=Sampling(seed=4))
    assert asyncio.run(play_turns(other, "a", 1, 10))[0][1].token_ids != alone[0][1].token_ids


def test_greedy_takes_the_likeliest_token_and_picture_tokens_are_never_drawn():
    played = engine(0.0)
    ((conversation, sample),) = asyncio.run(play_turns(played, "greedy", 1, 20))
    segments = TOKENS.segments(conversation)
    ids = [i for s in segments for i in s.ids]
    inputs = {k: v for s in segments for k, v in s.inputs.items()}
    whole = torch.tensor([ids + list(sample.token_ids)])
    with torch.inference_mode():
        logits = tiny.model()(
            input_ids=whole,
            mm_token_type_ids=(whole == tiny.model().config.image_token_id).int(),
            **inputs,
        ).logits[0]
    logits = logits.clone()
    logits[:, sorted(played.picture_ids)] = -torch.inf
    assert logits[len(ids) - 1 : -1].argmax(-1).tolist() == list(sample.token_ids)
    assert {TOKENS.tokenizer.convert_ids_to_tokens(i) for i in played.picture_ids} == {
        "<|image_pad|>",
        "<|video_pad|>",
        "<|vision_start|>",
        "<|vision_end|>",
    }


def test_top_p_never_draws_outside_its_set():
    from questloom.agent.engines.cached_model import CachedModel

    cut = CachedModel(
        tiny.model(), Sampling(top_p=0.5), stop_ids=frozenset(), forbidden=frozenset()
    )
    probs = torch.tensor([[0.1, 0.4, 0.2, 0.3]]).expand(5, -1)
    assert cut._at(probs, [0.0, 0.3, 0.57, 0.58, 0.999999]).tolist() == [1, 1, 1, 3, 3]


def test_without_top_p_every_token_is_drawn_as_often_as_it_is_likely_and_a_forbidden_one_never():
    from questloom.agent.engines.cached_model import CachedModel

    whole = CachedModel(tiny.model(), Sampling(), stop_ids=frozenset(), forbidden=frozenset())
    probs = torch.tensor([[0.0, 0.25, 0.0, 0.5, 0.25, 0.0]]).expand(6, -1)
    assert whole._at(probs, [0.0, 0.2499, 0.25, 0.7499, 0.75, 1.0]).tolist() == [
        1,
        1,
        3,
        3,
        4,
        4,
    ], "1.0 stands for what rounding may give"


class Reads:
    """What the model is given: (rows, new tokens) of each forward."""

    def __init__(self, monkeypatch) -> None:
        self.shapes: list[tuple[int, int]] = []
        forward = tiny.model().forward

        def spy(*args, **kwargs):
            self.shapes.append(tuple(kwargs["input_ids"].shape))
            return forward(*args, **kwargs)

        monkeypatch.setattr(tiny.model(), "forward", spy)

    @property
    def of_prompts(self) -> list[tuple[int, int]]:
        return [shape for shape in self.shapes if shape[1] > 1]


def rollouts(task: str, num: int, *pictures: bytes) -> list[Conversation]:
    return [dataclasses.replace(opening(task, *pictures)[0], rollout=k) for k in range(num)]


@pytest.mark.parametrize("max_batch", [32, 2])
def test_rollouts_of_a_question_read_it_once_whether_they_come_together_or_later(
    monkeypatch, max_batch
):
    talks, reads = rollouts("q", 5, tiny.picture(1)), Reads(monkeypatch)

    async def run():
        shared = engine(max_batch=max_batch, chunk=4)
        return await asyncio.gather(
            *(shared.step(talk, max_new_tokens=n + 6) for n, talk in enumerate(talks))
        )

    made = asyncio.run(run())
    assert reads.of_prompts == [(1, made[0].num_prompt_tokens)]
    assert len({sample.token_ids for sample in made}) == 5
    assert max(worst(talk, sample) for talk, sample in zip(talks, made, strict=True)) < 1e-4
    alone = [asyncio.run(engine().step(talk, max_new_tokens=n + 6)) for n, talk in enumerate(talks)]
    assert [sample.token_ids for sample in made] == [sample.token_ids for sample in alone]
    assert (
        max(
            abs(a - b)
            for s, t in zip(made, alone, strict=True)
            for a, b in zip(s.logprobs, t.logprobs, strict=True)
        )
        < 1e-4
    )


def test_whole_rollouts_that_share_their_question_go_their_own_ways_over_turns_with_pictures():
    async def run():
        shared = engine(chunk=5)

        async def rollout(talk, bank, k):
            made = []
            for n in range(3):
                sample = await shared.step(talk, max_new_tokens=4 + 3 * ((k + n) % 4))
                made.append((talk, sample))
                talk = dataclasses.replace(
                    answered(
                        talk,
                        sample,
                        bank,
                        f"Result {n} of {k}." * (k + 1),
                        tiny.picture(k + n, (128, 64)),
                    ),
                    rollout=k,
                )
            return made

        begun = [opening("q", tiny.picture(1)) for _ in range(6)]
        return await asyncio.gather(
            *(
                rollout(dataclasses.replace(talk, rollout=k), bank, k)
                for k, (talk, bank) in enumerate(begun)
            )
        )

    turns = [turn for made in asyncio.run(run()) for turn in made]
    assert len(turns) == 18 and max(worst(talk, sample) for talk, sample in turns) < 1e-4


def test_questions_with_other_pictures_or_words_are_not_read_as_one(monkeypatch):
    talks = [
        *rollouts("q", 1, tiny.picture(1)),
        dataclasses.replace(rollouts("q", 1, tiny.picture(2))[0], rollout=1),
        *rollouts("r", 1, tiny.picture(1)),
    ]
    reads = Reads(monkeypatch)
    monkeypatch.setattr(cached_model, "READ_TOKENS", 8_192)

    async def run():
        shared = engine()
        return await asyncio.gather(*(shared.step(talk, max_new_tokens=5) for talk in talks))

    made = asyncio.run(run())
    assert [rows for rows, _ in reads.of_prompts] == [3], "of like length, in one forward"
    assert max(worst(talk, sample) for talk, sample in zip(talks, made, strict=True)) < 1e-4


def test_new_weights_read_a_question_anew(monkeypatch):
    reads = Reads(monkeypatch)

    async def run():
        played = engine()
        await played.step(rollouts("q", 1)[0], max_new_tokens=3)
        played.forget_all()
        await played.step(rollouts("q", 2)[1], max_new_tokens=3)

    asyncio.run(run())
    assert len(reads.of_prompts) == 2


def test_rows_that_are_done_are_not_computed_on(monkeypatch):
    reads = Reads(monkeypatch)

    async def run():
        shared = engine(chunk=16)
        return await asyncio.gather(
            *(
                shared.step(talk, max_new_tokens=40 if k < 2 else 5)
                for k, talk in enumerate(rollouts("q", 8))
            )
        )

    made = asyncio.run(run())
    longest = max(len(sample.token_ids) for sample in made)
    assert sum(rows for rows, _ in reads.shapes[1:]) <= 8 * 5 + 2 * longest


def test_a_changed_pixel_changes_the_log_probabilities():
    first = asyncio.run(play_turns(engine(), "t", 1, 6))
    conversation, _ = opening("t", tiny.picture(2))

    async def once():
        return await engine().step(conversation, max_new_tokens=6)

    assert asyncio.run(once()).logprobs[0] != pytest.approx(first[0][1].logprobs[0], abs=1e-6)


def test_a_turn_ends_at_the_end_token_or_at_the_limit_and_long_turns_hold_nobody_up():
    async def race():
        shared = engine(max_batch=2, chunk=2)
        order = []

        async def turn(task: str, most: int):
            sample = await shared.step(opening(task)[0], max_new_tokens=most)
            order.append(task)
            return sample

        samples = await asyncio.gather(turn("long", 400), turn("a", 3), turn("b", 3))
        return order, samples

    order, (long, a, b) = asyncio.run(race())
    assert order.index("long") == 2 or long.complete
    for sample, most in ((long, 400), (a, 3), (b, 3)):
        assert sample.complete == (sample.token_ids[-1] == TOKENS.end_id)
        assert sample.complete or len(sample.token_ids) == most
        assert "<|im_end|>" not in sample.text


def test_a_cancelled_turn_leaves_and_the_rest_goes_on():
    async def run():
        shared = engine(chunk=2)
        cancelled = asyncio.create_task(shared.step(opening("long")[0], max_new_tokens=3_000))
        await asyncio.sleep(0.1)
        cancelled.cancel()
        shared.forget(opening("long")[0])
        sample = await asyncio.wait_for(shared.step(opening("a")[0], max_new_tokens=4), 20)
        await shared._worker
        return sample, shared._playing

    sample, playing = asyncio.run(run())
    assert worst(opening("a")[0], sample) < 1e-4
    assert not [asked for asked in playing if not asked.done.done()]


def test_a_full_context_is_said(monkeypatch):
    played = engine()
    monkeypatch.setattr(played._model, "context", 100)
    with pytest.raises(ContextFull, match="context of 100"):
        asyncio.run(played.step(opening("t")[0], max_new_tokens=5))


def test_a_failing_model_fails_the_turn_and_not_the_engine(monkeypatch):
    played = engine()

    async def run():
        with monkeypatch.context() as broken:
            broken.setattr(played._model, "go_on", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                await played.step(opening("t")[0], max_new_tokens=5)
        return await played.step(opening("t")[0], max_new_tokens=5)

    assert worst(opening("t")[0], asyncio.run(run())) < 1e-4


@pytest.mark.parametrize("template", [tiny.INSTRUCT, tiny.THINKING])
def test_whole_episodes_of_a_random_policy_end_and_are_recorded_with_their_ids(template):
    tokens = TokenRenderer(tiny.processor(template), name="tiny")
    played = engine(tokens=tokens)
    player = Player(
        played,
        toolbox(),
        Limits(calls=3, turn_tokens=20, on_violation="observe"),
        renderer=Renderer(toolbox().schemas(), max_calls=3, special_tokens=tokens.special_tokens),
    )
    tasks = [Task(task_id=f"t{n}", question="Who?", pictures=(tiny.picture(n),)) for n in range(6)]

    async def run():
        return [episode async for episode in player.play_all(tasks)]

    done = asyncio.run(run())
    assert len(done) == 6
    assert {e.end for e in done} <= {EndReason.TOKENS, EndReason.CALLS, EndReason.FATAL}
    for turn in (turn for episode in done for turn in episode.turns):
        assert len(turn.token_ids) == len(turn.logprobs) == turn.num_new_tokens > 0
        assert turn.text == tokens.rendered(turn.token_ids)
        assert turn.text.startswith(tokens.opened)
    assert not played._rows and not played._known


def begun_of(sample, num: int) -> Segment:
    return Segment(kind="policy", ids=sample.token_ids[:num], logprobs=sample.logprobs[:num])


@pytest.mark.parametrize("template", [tiny.INSTRUCT, tiny.THINKING])
def test_a_turn_goes_on_behind_its_beginning_as_if_it_had_not_stopped(template):
    tokens = TokenRenderer(tiny.processor(template), name="tiny")

    async def run(num: int):
        played = engine(0.0, tokens=tokens)
        conversation, whole = (await play_turns(played, "t", 2, 12))[1]
        fresh = engine(0.0, tokens=tokens)
        return whole, await fresh.step(conversation, max_new_tokens=12, begun=begun_of(whole, num))

    for num in (0, 1, 7):
        whole, again = asyncio.run(run(num))
        assert (again.token_ids, again.text, again.complete) == (
            whole.token_ids,
            whole.text,
            whole.complete,
        )
        assert (again.num_prompt_tokens, again.num_new_tokens) == (
            whole.num_prompt_tokens,
            whole.num_new_tokens,
        )
        assert again.logprobs == pytest.approx(whole.logprobs, abs=1e-4)
        assert again.text.startswith(tokens.opened)


def test_continuations_of_a_turn_differ_and_their_log_probabilities_are_those_of_a_full_forward():
    async def run():
        played = engine(chunk=3)
        conversation, whole = (await play_turns(played, "t", 3, 10))[-1]
        begun = begun_of(whole, 4)
        talks = [
            dataclasses.replace(conversation, rollout=k, branch=" from t, turn 2") for k in range(4)
        ]
        return whole, list(
            zip(
                talks,
                await asyncio.gather(
                    *(played.step(talk, max_new_tokens=12, begun=begun) for talk in talks)
                ),
                strict=True,
            )
        )

    whole, made = asyncio.run(run())
    assert len({sample.token_ids for _, sample in made}) == 4
    for talk, sample in made:
        assert (sample.token_ids[:4], sample.logprobs[:4]) == (
            whole.token_ids[:4],
            whole.logprobs[:4],
        )
        assert len(sample.token_ids) <= 12 and worst(talk, sample) < 1e-4


def test_the_next_turn_after_a_continued_one_reads_only_what_is_new():
    async def run():
        played = engine()
        conversation, bank = opening("t", tiny.picture(1))
        whole = await played.step(conversation, max_new_tokens=10)
        talk = dataclasses.replace(conversation, branch=" from t, turn 0")
        sample = await played.step(talk, max_new_tokens=10, begun=begun_of(whole, 4))
        held = len(played._rows[talk.key].ids)
        after = dataclasses.replace(
            answered(talk, sample, bank, "Result.", tiny.picture(5)), branch=talk.branch
        )
        return held, after, await played.step(after, max_new_tokens=8)

    held, after, second = asyncio.run(run())
    assert held == sum(len(s.ids) for s in TOKENS.segments(after)[:2]) - 1, (
        "all but the token that was drawn last"
    )
    assert worst(after, second) < 1e-4


def test_a_beginning_that_is_as_long_as_the_turn_may_be_is_the_turn():
    async def run():
        played = engine()
        conversation, whole = (await play_turns(played, "t", 1, 8))[0]
        return whole, await played.step(conversation, max_new_tokens=5, begun=begun_of(whole, 5))

    whole, sample = asyncio.run(run())
    assert (sample.token_ids, sample.complete, sample.num_prompt_tokens) == (
        whole.token_ids[:5],
        False,
        whole.num_prompt_tokens,
    )


def test_a_beginning_that_nothing_can_follow_is_refused():
    conversation, _ = opening("t")
    words = TOKENS.tokenizer("<answ")["input_ids"]
    for ids, logprobs, says in (
        (words, [-1.0] * len(words), "in the middle of a tag"),
        ([5, TOKENS.end_id], [-1.0] * 2, "ends a turn"),
        ([min(TOKENS.image_ids)], [-1.0], "stands for a picture"),
        ([5, 6], [-1.0], "2 ids and 1 log-prob"),
    ):
        with pytest.raises(InputError, match=says):
            asyncio.run(
                engine().step(
                    conversation,
                    max_new_tokens=9,
                    begun=Segment(kind="policy", ids=tuple(ids), logprobs=tuple(logprobs)),
                )
            )


def test_new_weights_forget_every_cache():
    played = engine()
    asyncio.run(play_turns(played, "t", 1, 4))
    assert played._rows
    played.forget_all()
    assert not played._rows
