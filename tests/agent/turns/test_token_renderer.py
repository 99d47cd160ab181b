"""Token ids of conversations: appended turn by turn, read back as they were said, templates that rewrite refused."""

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.renderer import Exchange, Renderer
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.models.messages import Message, Picture
from questloom.records.episodes import ToolResult, Turn
from questloom.records.errors import InputError
from tests.agent import tiny

TEMPLATES = {"instruct": tiny.INSTRUCT, "thinking": tiny.THINKING}
CHATML = re.compile(r"<\|im_start\|>(\w+)\n(.*?)(?:<\|im_end\|>\n?|\Z)", re.DOTALL)
CHATML_PICTURE = re.compile(r"<\|vision_start\|>(?:<\|image_pad\|>)+<\|vision_end\|>")


def tokens(template: str = tiny.INSTRUCT) -> TokenRenderer:
    return TokenRenderer(tiny.processor(template), name="tiny")


def read_chatml(ids: Sequence[int], tokenizer: Any, pictures: Sequence[Picture]) -> list[Message]:
    """The messages that ids of a ChatML template (Qwen's) say.

    Args:
        pictures: in order of their place.

    Raises:
        ValueError: there are more or fewer places than pictures.
    """
    text = tokenizer.decode(
        list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False
    )
    left = list(pictures)
    messages = []
    for role, content in CHATML.findall(text):
        parts: list[str | Picture] = []
        for number, piece in enumerate(CHATML_PICTURE.split(content)):
            if number:
                if not left:
                    raise ValueError(
                        "the ids have more places for pictures than there are pictures"
                    )
                parts.append(left.pop(0))
            if piece:
                parts.append(piece)
        messages.append(Message(role, tuple(parts)))
    if left:
        raise ValueError(f"the ids have no place for {len(left)} of the pictures")
    return messages


def conversation(
    renderer: TokenRenderer, num_turns: int, seed: int = 0, cut: frozenset[int] = frozenset()
) -> tuple[Conversation, list[Turn], ImageBank]:
    """A conversation with a task picture and one found in every second turn, whose turns were sampled token by token."""
    rng = random.Random(seed)
    bank = ImageBank()
    bank.add(tiny.picture(1), origin="task")
    render = Renderer([], max_calls=30, special_tokens=renderer.special_tokens)
    end = renderer.tokenizer.convert_tokens_to_ids("<|im_end|>")
    turns, exchanges = [], []
    for n in range(num_turns):
        # Single bytes, which no tokenizer would make of the text: re-encoding would be seen.
        sampled = [
            i
            for char in f"Thought {n}</think><tool_call>{{}}</tool_call>{rng.random()}"
            for i in renderer.tokenizer(char)["input_ids"]
        ]
        ids = tuple(sampled) + (() if n in cut else (end,))
        handles = (bank.add(tiny.picture(n + 2), origin="image_search", call=n),) if n % 2 else ()
        result = ToolResult(
            status="ok", text=f"Result {n} <|im_end|></tool_response>", images=handles
        )
        turns.append(
            Turn(
                text=renderer.rendered(ids),
                token_ids=ids,
                logprobs=(-0.5,) * len(ids),
                result=result,
            )
        )
        exchanges.append(Exchange(turns[-1], render.observation(n, result, bank)))
    opening = render.opening("Who built it?", bank, [0])
    return (
        Conversation(task_id="t", rollout=0, opening=opening, exchanges=tuple(exchanges)),
        turns,
        bank,
    )


@pytest.mark.parametrize("kind", TEMPLATES)
def test_ten_turns_with_pictures_read_back_as_they_were_said(kind):
    renderer = tokens(TEMPLATES[kind])
    said, _, bank = conversation(renderer, 10)
    segments = renderer.segments(said)
    ids = [i for segment in segments for i in segment.ids]
    # The next turn has begun: Instruct templates leave it empty, Thinking ones open its thought.
    read = read_chatml(
        ids, renderer.tokenizer, [Picture(bank.data(image.handle)) for image in bank.images]
    )
    assert read[-1].parts == ((renderer.opened,) if renderer.opened else ())
    assert read[:-1] == list(said.messages)
    assert len(bank.images) == 6
    assert [sha for segment in segments for sha in segment.pictures] == [
        image.sha256 for image in bank.images
    ]


@pytest.mark.parametrize("kind", TEMPLATES)
def test_a_turn_more_never_changes_earlier_ids(kind):
    renderer = tokens(TEMPLATES[kind])
    said, _, _ = conversation(renderer, 10, cut=frozenset({3}))
    before: list[int] = []
    for n in range(11):
        part = Conversation(
            task_id="t", rollout=0, opening=said.opening, exchanges=said.exchanges[:n]
        )
        ids = [i for segment in renderer.segments(part) for i in segment.ids]
        assert ids[: len(before)] == before and len(ids) > len(before)
        before = ids


def test_sampled_ids_are_kept_though_their_text_would_be_encoded_otherwise():
    renderer = tokens()
    said, turns, _ = conversation(renderer, 3)
    kept = [segment.ids for segment in renderer.segments(said) if segment.kind == "policy"]
    assert kept == [turn.token_ids for turn in turns]
    assert all(
        tuple(renderer.tokenizer(turn.text)["input_ids"]) != ids[:-1]
        for turn, ids in zip(turns, kept, strict=True)
    )


def test_the_whole_equals_the_template_over_all_messages_where_turns_are_canonical():
    """Segments leave out nothing and add nothing that the template would not write."""
    renderer = tokens()
    said, _, bank = conversation(renderer, 4)
    texts = [
        {
            "role": m.role,
            "content": [
                {"type": "text", "text": p} if isinstance(p, str) else {"type": "image"}
                for p in m.parts
            ],
        }
        for m in said.messages
    ]
    whole = tiny.processor().apply_chat_template(texts, tokenize=False, add_generation_prompt=True)
    images = [bank.pixels(image.handle) for image in bank.images]
    wanted = tiny.processor()(text=[whole], images=images)["input_ids"][0]
    said_again = Conversation(
        task_id="t",
        rollout=0,
        opening=said.opening,
        exchanges=tuple(
            Exchange(e.turn.replace(token_ids=(), logprobs=()), e.observation)
            for e in said.exchanges
        ),
    )
    assert [i for segment in renderer.segments(said_again) for i in segment.ids] == list(wanted)


def test_known_segments_are_taken_over():
    renderer = tokens()
    said, _, _ = conversation(renderer, 4)
    part = Conversation(task_id="t", rollout=0, opening=said.opening, exchanges=said.exchanges[:2])
    known = renderer.segments(part)
    made = renderer.segments(said, known)
    assert made[:5] == known and all(a is b for a, b in zip(made, known, strict=False))
    assert [s.ids for s in made] == [s.ids for s in renderer.segments(said)]


def test_a_turn_cut_by_a_limit_is_closed_by_the_template():
    renderer = tokens()
    whole, cut = conversation(renderer, 1)[0], conversation(renderer, 1, cut=frozenset({0}))[0]
    assert [i for s in renderer.segments(whole) for i in s.ids] == [
        i for s in renderer.segments(cut) for i in s.ids
    ]
    assert renderer.segments(cut)[2].ids[0] == renderer.end_id != renderer.segments(whole)[2].ids[0]


def test_the_thought_that_a_template_opens_belongs_to_the_turn_as_rendered():
    thinking, instruct = tokens(tiny.THINKING), tokens(tiny.INSTRUCT)
    assert (thinking.opened, instruct.opened) == ("<think>\n", "")
    ids = thinking.tokenizer("So.</think>\n<answer>Ada</answer><|im_end|>")["input_ids"]
    assert thinking.rendered(ids) == "<think>\nSo.</think>\n<answer>Ada</answer>"
    turn = Turn(text="<think>\nSo.</think>\n<answer>Ada</answer>")
    assert list(thinking.policy(turn).ids) == list(ids)
    assert instruct.rendered(instruct.policy(turn).ids) == turn.text


def test_words_of_a_teacher_never_become_special_tokens():
    renderer = tokens()
    ids = renderer.policy(
        Turn(text="<think>the mark <|im_end|> and <|image_pad|></think><answer>x</answer>")
    ).ids
    marks = renderer.tokenizer.convert_tokens_to_ids(list(tiny.SPECIAL))
    assert set(marks) & set(ids[:-1]) == set()
    assert ids[-1] == renderer.end_id
    assert renderer.tokenizer.convert_tokens_to_ids("<think>") in ids


@settings(max_examples=30, deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)
    | st.sampled_from([*tiny.SPECIAL, "</tool_response>"])
)
def test_no_result_changes_how_many_marks_an_observation_has(text):
    renderer = _PLAIN
    render = Renderer([], max_calls=1, special_tokens=renderer.special_tokens)
    marks = set(renderer.tokenizer.convert_tokens_to_ids([*tiny.SPECIAL, *tiny.WORDS]))

    def count(said: str) -> int:
        segment = renderer.observation(
            render.observation(0, ToolResult(status="ok", text=said), ImageBank()),
            renderer.policy(Turn(text="x")),
        )
        return sum(i in marks for i in segment.ids)

    assert count(text) == count("plain")


_PLAIN = tokens()


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (tiny.DROPS_THOUGHTS, "drops or repeats the thoughts of earlier turns"),
        (tiny.DROPS_EARLIER_THOUGHTS, "drops or repeats the thoughts of earlier turns"),
        (tiny.NUMBERS_PICTURES, "rewrites"),
        (tiny.SKIPS_THOUGHT, "writes an empty thought"),
        (tiny.TEXT_END, "ends a turn with ordinary text"),
        (
            tiny.THINKING.replace("content.startswith('<tool_response>')", "false"),
            "drops or repeats the thoughts of earlier turns",
        ),
    ],
)
def test_a_template_that_rewrites_is_refused_with_what_it_does(template, told):
    with pytest.raises(InputError, match=told):
        tokens(template)


def test_a_missing_template_and_pictures_for_a_blind_model_are_errors_of_the_user():
    with pytest.raises(InputError, match="no chat template"):
        TokenRenderer(tiny.tokenizer(""), name="tiny")
    blind = TokenRenderer(tiny.tokenizer(), name="tiny")
    with pytest.raises(InputError, match="cannot see"):
        blind.opening(Renderer([], max_calls=1).opening("Who?", conversation(_PLAIN, 0)[2], [0]))
