"""Turns messages into token ids, turn by turn, for engines and trainers that work on token ids.

New token ids are appended; ids that a model sampled never change. Between the sampled ids of two
turns comes the end of a turn, the observation (tool result), and the beginning of the next turn. To
get the text between two turns, the chat template renders a small test conversation. Each token is
encoded only once:

```
prompt                       policy       observation                          policy
<|im_start|>system … <think> …<|im_end|>  \\n<|im_start|>user … <think>        …<|im_end|>
```

The ids are correct only if the chat template keeps earlier text unchanged when a conversation
grows. Some chat templates change earlier text: Qwen's older templates drop the thoughts of earlier
turns, and other templates number the pictures. `TokenRenderer` tests the chat template, and refuses
templates that change earlier text.
"""

import io
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from PIL import Image

from questloom.agent.turns.conversation import Conversation
from questloom.models.messages import Message, Picture, assistant, system, user
from questloom.models.picture_file import decode
from questloom.records.episodes import Turn
from questloom.records.errors import InputError

NUM_RECENT = 8
_PROBE_TURN = '<think>\nprobe thought {0}\n</think>\n\n<tool_call>\n{{"name": "probe", "arguments": {{"n": "probe end {0}"}}}}\n</tool_call>'
_TURN_END = '"}}\n</tool_call>'


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A piece of a conversation as token ids. The ids of a piece come from one source: the prompt,
    the policy (the model) or an observation (tool result)."""

    kind: Literal["prompt", "policy", "observation"]
    ids: tuple[int, ...]
    logprobs: tuple[float, ...] = ()
    """The log-probabilities of ids that the model sampled, if the engine gave them."""
    inputs: dict[str, Any] = field(default_factory=dict)
    """The tensors that the processor made from the pictures: `pixel_values`, `image_grid_thw`."""
    pictures: tuple[str, ...] = ()
    """The sha256 of the bytes of each picture, in order."""


class TokenRenderer:
    """Turns conversations into token ids with a model's processor and chat template.

    Args:
        processor: a transformers processor, or a tokenizer for models without pictures.
        name: name of the model, for error messages.

    Raises: InputError: the chat template is missing, or it changes earlier turns when a conversation continues.
    """

    def __init__(self, processor: Any, *, name: str = "the model") -> None:
        self._processor = processor
        self.tokenizer = getattr(processor, "tokenizer", processor)
        self._name = name
        self._sees = hasattr(processor, "image_processor")
        self._recent: OrderedDict[tuple[str, tuple[str, ...]], Segment] = OrderedDict()
        if not (
            getattr(processor, "chat_template", None)
            or getattr(self.tokenizer, "chat_template", None)
        ):
            raise self._refused("has no chat template")
        self.opened = ""
        """The text with which the chat template begins the model's turn: "" or "<think>\\n"."""
        self._check_template()

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """Special tokens that text from outside must not contain; see `questloom.agent.turns.renderer.Escape`."""
        added = [
            token.content for token in self.tokenizer.added_tokens_decoder.values() if token.special
        ]
        return tuple(dict.fromkeys([*self.tokenizer.all_special_tokens, *added]))

    # -- segments

    def segments(self, conversation: Conversation, known: Sequence[Segment] = ()) -> list[Segment]:
        """The segments (pieces of token ids) of a conversation up to its next turn.

        Args:
            known: segments that were made for earlier turns of the conversation and are reused.
        """
        made = list(known) or [self.opening(conversation.opening)]
        for exchange in conversation.exchanges[(len(made) - 1) // 2 :]:
            made.append(self.policy(exchange.turn))
            made.append(self.observation(exchange.observation, made[-1]))
        return made

    def opening(self, messages: Sequence[Message]) -> Segment:
        """The segment (piece of token ids) before the first turn: the prompt."""
        return self._segment("prompt", self._text(messages, generate=True), messages)

    def policy(self, turn: Turn) -> Segment:
        """The segment of a turn: the sampled ids, or the encoded text if the engine gave no ids."""
        if turn.token_ids:
            return Segment(kind="policy", ids=turn.token_ids, logprobs=turn.logprobs)
        text = (
            turn.text.removeprefix(self.opened.strip()).lstrip("\n") if self.opened else turn.text
        )
        # Words of a turn never become special tokens; tags that are ordinary tokens of the tokenizer (<think>) do
        # become one token.
        ids = self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        return Segment(kind="policy", ids=(*ids, self.end_id))

    def observation(self, message: Message, after: Segment) -> Segment:
        """The segment between two turns. The segment has the observation (tool result) and the
        beginning of the next turn. If the model did not sample an end-of-turn token, the segment
        begins with this token."""
        segment = self._segment("observation", self._between(message), [message])
        if after.ids and after.ids[-1] == segment.ids[0]:
            return Segment(
                kind="observation",
                ids=segment.ids[1:],
                inputs=segment.inputs,
                pictures=segment.pictures,
            )
        return segment

    def rendered(self, ids: Sequence[int]) -> str:
        """Decodes the text of a turn from its sampled ids. The text begins with what the chat
        template put before the turn. The end-of-turn token is left out."""
        kept = list(ids[:-1]) if ids and ids[-1] in self.stop_ids else list(ids)
        return self.opened + self.tokenizer.decode(
            kept, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )

    @property
    def stop_ids(self) -> frozenset[int]:
        """The ids of the tokens that end a turn."""
        return frozenset({self.end_id, self.tokenizer.eos_token_id} - {None})

    @property
    def image_ids(self) -> frozenset[int]:
        """The token ids that stand for patches of pictures."""
        names = {
            getattr(owner, f"{kind}_token", None)
            for owner in (self._processor, self.tokenizer)
            for kind in ("image", "video")
        }
        return frozenset(
            number
            for number, token in self.tokenizer.added_tokens_decoder.items()
            if token.content in names
        )

    def num_tokens(self, message: Message) -> int:
        """The number of tokens that an observation (tool result) adds to the conversation."""
        return len(self._segment("observation", self._between(message), [message]).ids)

    def _segment(
        self, kind: Literal["prompt", "observation"], text: str, messages: Sequence[Message]
    ) -> Segment:
        """Encodes a text with pictures. The latest results are cached, because each observation
        (tool result) is first counted and later encoded."""
        pictures = [
            part for message in messages for part in message.parts if isinstance(part, Picture)
        ]
        key = text, tuple(picture.sha256 for picture in pictures)
        if key not in self._recent:
            self._recent[key] = self._encode(kind, text, pictures)
            if len(self._recent) > NUM_RECENT:
                self._recent.popitem(last=False)
        return self._recent[key]

    def _encode(
        self, kind: Literal["prompt", "observation"], text: str, pictures: Sequence[Picture]
    ) -> Segment:
        if not pictures:
            return Segment(
                kind=kind, ids=tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])
            )
        images = [decode(picture.data) for picture in pictures]
        made = dict(
            self._processor(
                text=[text], images=images, return_tensors="pt", add_special_tokens=False
            )
        )
        inputs = {name: made[name] for name in ("pixel_values", "image_grid_thw") if name in made}
        return Segment(
            kind=kind,
            ids=tuple(made["input_ids"][0].tolist()),
            inputs=inputs,
            pictures=tuple(p.sha256 for p in pictures),
        )

    # -- text from the template

    def _text(self, messages: Sequence[Message], *, generate: bool) -> str:
        if not self._sees and any(
            isinstance(part, Picture) for message in messages for part in message.parts
        ):
            raise self._refused("cannot see, but the conversation has pictures")
        return self._processor.apply_chat_template(
            [_as_template_input(m) for m in messages],
            tokenize=False,
            add_generation_prompt=generate,
        )

    def _between(self, message: Message) -> str:
        """The text between two turns: the end of the first, the observation (tool result), and the
        beginning of the second."""
        text = self._text(
            [user("probe question"), assistant(_PROBE_TURN.format(0)), message], generate=True
        )
        return text[text.index("probe end 0" + _TURN_END) + len("probe end 0" + _TURN_END) :]

    def _check_template(self) -> None:
        """Renders a conversation of three turns with the chat template. Checks that the text after
        each turn begins with the text before it."""
        begin = [
            system("probe rules"),
            user(*([_PROBE_PICTURE] if self._sees else []), "probe question"),
        ]
        closed, before = self._text(begin, generate=False), self._text(begin, generate=True)
        if not before.startswith(closed):
            raise self._refused("rewrites the conversation when a turn begins")
        opens = before.find("<think>", len(closed))
        self.opened = "" if opens < 0 else before[opens:]
        if "</think>" in self.opened:
            raise self._refused(
                "writes an empty thought before each turn, so that the policy cannot think"
            )
        messages = list(begin)
        for n in range(3):
            observation = user(
                f"<tool_response>\nprobe result {n}\n",
                *([_PROBE_PICTURE] if self._sees else []),
                "\n</tool_response>",
            )
            messages += [assistant(_PROBE_TURN.format(n)), observation]
            text = self._text(messages, generate=True)
            for k in range(n + 1):
                for what in ("thought", "end", "result"):
                    if text.count(f"probe {what} {k}") != 1:
                        told = {
                            "thought": "the thoughts",
                            "end": "the calls",
                            "result": "the observations",
                        }[what]
                        raise self._refused(f"drops or repeats {told} of earlier turns")
            if not text.startswith(before):
                raise self._refused("rewrites earlier turns when a turn is added")
            ended = text.rindex(f"probe end {n}" + _TURN_END) + len(f"probe end {n}" + _TURN_END)
            if not text.endswith(self._between(observation)) or len(text) != ended + len(
                self._between(observation)
            ):
                raise self._refused("renders an observation differently by what stands before it")
            before = text
        self.end_id: int = self.tokenizer(self._between(user("probe")), add_special_tokens=False)[
            "input_ids"
        ][0]
        if self.end_id not in self.tokenizer.added_tokens_decoder:
            raise self._refused(
                "ends a turn with ordinary text, which would merge with the turn's last token"
            )

    def _refused(self, what: str) -> InputError:
        return InputError(
            f"chat template of {self._name}",
            what,
            "Take a template that renders each conversation as the beginning of its "
            "continuation, for example the model's own with the lines removed that strip <think> from earlier turns.",
        )


def _probe_picture() -> Picture:
    out = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(out, "PNG")
    return Picture(out.getvalue())


_PROBE_PICTURE = _probe_picture()


def _as_template_input(message: Message) -> dict[str, Any]:
    if all(isinstance(part, str) for part in message.parts):
        return {"role": message.role, "content": "".join(str(part) for part in message.parts)}
    return {
        "role": message.role,
        "content": [
            {"type": "text", "text": part} if isinstance(part, str) else {"type": "image"}
            for part in message.parts
        ],
    }
