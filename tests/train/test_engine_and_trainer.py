"""What the local engine sampled, over turns with pictures and its cache, the trainer scores alike: no re-encoding, positions or temperature off."""

import asyncio
import dataclasses

import pytest
import torch

from questloom.agent.engines.token_engine import Sampling
from questloom.agent.engines.transformers_engine import TransformersEngine
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.renderer import Exchange
from questloom.records.episodes import ToolResult, Turn
from questloom.train.loss.objective import EngineMismatch, check_engine
from questloom.train.model.scorer import Scorer
from questloom.train.rows.episode_rows import row_of_segments
from questloom.train.rows.packing import pack
from questloom.train.rows.row import Row, check
from tests.agent import tiny
from tests.train.played import PICTURES, RENDER, ROPE, TOKENS


def sampled(temperature: float, num_turns: int = 3) -> Row:
    """A row that the engine played: the task's picture, then one that each call brings."""
    engine = TransformersEngine(
        tiny.model(), TOKENS, model_name="tiny", sampling=Sampling(temperature=temperature, seed=3)
    )
    bank = ImageBank()
    bank.add(tiny.picture(1), origin="task")
    talk = Conversation(task_id="t", rollout=0, opening=RENDER.opening("Who built it?", bank, [0]))

    async def play(talk: Conversation) -> Conversation:
        for n in range(num_turns):
            sample = await engine.step(talk, max_new_tokens=12)
            result = ToolResult(
                status="ok",
                text=f"Result {n}",
                images=(bank.add(tiny.picture(n + 2), origin="crop", call=n, parent=0),),
            )
            turn = Turn(
                text=sample.text,
                token_ids=sample.token_ids,
                logprobs=sample.logprobs,
                result=result,
            )
            talk = dataclasses.replace(
                talk,
                exchanges=(*talk.exchanges, Exchange(turn, RENDER.observation(n, result, bank))),
            )
        return talk

    talk = asyncio.run(play(talk))
    engine.close()
    return row_of_segments(
        engine.segments(talk), episode_id="played", tokens=PICTURES, rope=ROPE, policy_version=1
    )


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_the_trainers_log_probabilities_are_the_engines(temperature):
    made = sampled(temperature)
    check(made, PICTURES)
    assert len(made.grid_thw) == 3 and len(made.turns) == 3
    packed = pack([made], PICTURES)
    with torch.no_grad():
        scores = Scorer(tiny.model(), temperature=temperature)(packed)
        other = Scorer(tiny.model(), temperature=1.6 - temperature)(packed)
    assert (scores.logp - packed.old_logp).abs().max() < 1e-4
    assert check_engine(scores.logp, packed.old_logp) < 1e-6
    with pytest.raises(EngineMismatch):
        check_engine(other.logp, packed.old_logp)


def test_other_pixels_than_the_engines_raise_the_alarm():
    made = sampled(1.0)
    packed = pack([dataclasses.replace(made, pixels=torch.zeros_like(made.pixels))], PICTURES)
    with torch.no_grad(), pytest.raises(EngineMismatch, match="k3"):
        check_engine(Scorer(tiny.model())(packed).logp, packed.old_logp)
