"""Conversations of a tiny model, and the log-probabilities of what it said by one forward over everything."""

import torch

from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.renderer import Exchange, Renderer
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.records.episodes import ToolResult, Turn
from tests.agent import tiny

TOKENS = TokenRenderer(tiny.processor(), name="tiny")
RENDER = Renderer([], max_calls=5, special_tokens=TOKENS.special_tokens)


def opening(task: str, *pictures: bytes) -> tuple[Conversation, ImageBank]:
    bank = ImageBank()
    for data in pictures:
        bank.add(data, origin="task")
    made = RENDER.opening(f"Question of {task}?", bank, range(len(bank)))
    return Conversation(task_id=task, rollout=0, opening=made), bank


def answered(
    conversation: Conversation, sample, bank: ImageBank, text: str, picture: bytes | None
) -> Conversation:
    """The conversation after a sampled turn and a result with a picture."""
    turn = conversation.turn
    images = (bank.add(picture, origin="image_search", call=turn),) if picture else ()
    said = Turn(
        text=sample.text,
        token_ids=sample.token_ids,
        logprobs=sample.logprobs,
        result=ToolResult(status="ok", text=text, images=images),
    )
    exchange = Exchange(said, RENDER.observation(turn, said.result, bank))
    return Conversation(
        task_id=conversation.task_id,
        rollout=0,
        opening=conversation.opening,
        exchanges=(*conversation.exchanges, exchange),
    )


def full_logprobs(
    conversation: Conversation,
    sample,
    temperature: float,
    forbidden: frozenset[int] = frozenset(),
    model=None,
) -> torch.Tensor:
    """Of the sampled ids, by one forward over everything; transformers' own positions, no cache."""
    segments = TOKENS.segments(conversation)
    ids = torch.tensor([[i for s in segments for i in s.ids] + list(sample.token_ids)])
    inputs = [s.inputs for s in segments if s.inputs]
    pictures = {
        name: torch.cat([i[name] for i in inputs]) for name in (inputs[0] if inputs else ())
    }
    kinds = (ids == tiny.model().config.image_token_id).int()
    with torch.inference_mode():
        logits = (
            (model or tiny.model())(
                input_ids=ids, mm_token_type_ids=kinds, use_cache=False, **pictures
            )
            .logits[0]
            .float()
        )
        logits[:, sorted(forbidden)] -= 100.0
        logits = logits / temperature
    new = len(sample.token_ids)
    return logits.log_softmax(-1)[-new - 1 : -1].gather(-1, ids[0, -new:, None])[:, 0]
