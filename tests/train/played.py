"""Played conversations of the tiny Qwen3-VL, as segments and as rows: turns sampled byte by byte, pictures from the task and from tools."""

import hashlib
import random

import torch

from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.renderer import Exchange, Renderer
from questloom.agent.turns.token_renderer import Segment, TokenRenderer
from questloom.records.episodes import BankImage, EndReason, Episode, ToolResult, Turn
from questloom.train.rows.episode_rows import row_of_segments
from questloom.train.rows.row import PictureTokens, Row, rope_of
from tests.agent import tiny

TOKENS = TokenRenderer(tiny.processor(), name="tiny")
PICTURES = PictureTokens.of(tiny.model().config)
ROPE = rope_of(tiny.model())
RENDER = Renderer([], max_calls=30, special_tokens=TOKENS.special_tokens)
RENDER.system_prompt = "Look, search, answer."  # the real one has 1,200 tokens, letter by letter
END = TOKENS.tokenizer.convert_tokens_to_ids("<|im_end|>")


def episode(
    num_turns: int = 3,
    *,
    seed: int = 0,
    task_pictures: int = 1,
    tool_pictures: bool = True,
    words: int = 3,
) -> tuple[Episode, ImageBank]:
    """An episode whose every second call brings a picture; the last turn answers. The sampled ids are single bytes, as no tokenizer would
    encode the text."""
    rng = random.Random(seed)
    bank = ImageBank()
    for number in range(task_pictures):
        bank.add(tiny.picture(seed * 50 + number), origin="task")
    turns = []
    for n in range(num_turns):
        said = (
            " ".join(rng.choice(["tower", "bridge", "river", "1871"]) for _ in range(words))
            + str(rng.random())[:5]
        )
        ids = (*(i for char in said for i in TOKENS.tokenizer(char)["input_ids"]), END)
        last = n == num_turns - 1
        handles = (
            (bank.add(tiny.picture(seed * 50 + n + 10), origin="image_search", call=n),)
            if tool_pictures and n % 2 == 0 and not last
            else ()
        )
        result = None if last else ToolResult(status="ok", text=f"Result {n}", images=handles)
        turns.append(
            Turn(
                text=TOKENS.rendered(ids),
                token_ids=ids,
                logprobs=tuple(-0.1 - rng.random() for _ in ids),
                result=result,
                answer="x" if last else None,
            )
        )
    return Episode(
        task_id=f"t{seed}",
        rollout=0,
        engine="transformers",
        model="tiny",
        question="Who built it?",
        turns=tuple(turns),
        images=bank.images,
        end=EndReason.ANSWERED,
    ), bank


def segments(played: Episode, bank: ImageBank) -> list[Segment]:
    """As the engine that played it had them."""
    exchanges = tuple(
        Exchange(turn, RENDER.observation(n, turn.result, bank))
        for n, turn in enumerate(played.turns)
        if turn.result
    )
    tasks = [image.handle for image in bank.images if image.origin == "task"]
    begun = Conversation(
        task_id=played.task_id,
        rollout=0,
        opening=RENDER.opening(played.question, bank, tasks),
        exchanges=exchanges,
    )
    return [*TOKENS.segments(begun), TOKENS.policy(played.turns[-1])]


def row(num_turns: int = 3, **options) -> Row:
    """The row of such an episode; options as `episode` has them."""
    played, bank = episode(num_turns, **options)
    return row_of_segments(
        segments(played, bank), episode_id=played.id, tokens=PICTURES, rope=ROPE, policy_version=7
    )


def reopened(played: Episode, changed: dict[str, bytes] | None = None) -> ImageBank:
    """A bank put together anew from the records and the tiny pictures' bytes; some of them exchanged."""
    files = {
        hashlib.sha256(data).hexdigest(): data for data in (tiny.picture(n) for n in range(400))
    }
    bank = ImageBank()
    for image in played.images:
        _add(bank, image, (changed or {}).get(image.sha256, files[image.sha256]))
    return bank


def _add(bank: ImageBank, image: BankImage, data: bytes) -> None:
    assert bank.add(data, origin=image.origin, call=image.call) == image.handle


def logits(model, made: Row) -> torch.Tensor:
    """transformers' own forward over a row, its own positions: (T, V)."""
    ids = made.ids[None]
    pictures = (
        {"pixel_values": made.pixels, "image_grid_thw": made.grid_thw} if len(made.grid_thw) else {}
    )
    return model(
        input_ids=ids,
        mm_token_type_ids=ids.eq(PICTURES.image_id).int(),
        use_cache=False,
        **pictures,
    ).logits[0]
