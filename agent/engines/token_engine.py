"""The base class of engines that work on token ids. The class stores each conversation as segments
(pieces of encoded text and pictures). Later turns reuse the segments, so no text is encoded
twice."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from questloom.agent.engines.engine import Sample
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.token_renderer import Segment, TokenRenderer
from questloom.agent.turns.turn_protocol import TAGS
from questloom.models.messages import Message
from questloom.records.episodes import Turn
from questloom.records.errors import InputError

_MARKS = tuple(mark for tag in TAGS for mark in (f"<{tag}>", f"</{tag}>"))


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """The settings for sampling tokens."""

    temperature: float = 1.0
    """The sampling temperature; at 0 the engine always takes the likeliest token."""
    top_p: float = 1.0
    seed: int = 0
    """The random seed. The random choices depend only on this seed and on (task, rollout, turn)."""

    def __post_init__(self) -> None:
        if self.temperature < 0 or not 0 < self.top_p <= 1:
            raise InputError(
                "sampling",
                f"temperature {self.temperature} or top_p {self.top_p} is out of range",
                "Take a temperature of at least 0 and a top_p above 0, at most 1.",
            )


class TokenEngine(ABC):
    """The base class of engines that read and write token ids.

    Args:
        tokens: turns conversations into token ids with the model's processor and chat template.
    """

    name: str
    model: str

    def __init__(self, tokens: TokenRenderer, sampling: Sampling) -> None:
        self.tokens = tokens
        self._sampling = sampling
        self._known: dict[tuple[str, int], tuple[Conversation, list[Segment]]] = {}

    @property
    @abstractmethod
    def sampling(self) -> Mapping[str, Any]:
        """See `Engine.sampling`."""

    @abstractmethod
    async def step(
        self, conversation: Conversation, *, max_new_tokens: int, begun: Segment | None = None
    ) -> Sample:
        """See `Engine.step`.

        Args:
            begun: token ids with which the turn must begin, and their log-probabilities. After the
                ids `begun`, the engine samples the rest of the turn. The returned sample includes
                the ids `begun`, and `max_new_tokens` counts them too.

        Raises: InputError: a turn cannot begin with the ids `begun`, see `check_begun`.
        """

    def check_begun(self, begun: Segment) -> None:
        """Checks that a turn can begin with the given token ids.

        Raises:
            InputError: the ids end the turn, contain a picture token, end inside a tag, or lack a log-probability.
        """
        if len(begun.ids) != len(begun.logprobs):
            raise _not_to_be_gone_on(
                f"has {len(begun.ids)} ids and {len(begun.logprobs)} log-probabilities",
                "Give one for each id.",
            )
        if over := self.tokens.stop_ids.intersection(begun.ids):
            raise _not_to_be_gone_on(
                f"holds token {min(over)}, which ends a turn",
                "Leave off what comes with and after it.",
            )
        if drawn := self.picture_ids.intersection(begun.ids):
            raise _not_to_be_gone_on(
                f"holds token {min(drawn)}, which stands for a picture",
                "Take another turn: no pixels belong to it.",
            )
        text = self.tokens.rendered(begun.ids)
        if half := next(
            (mark[:n] for mark in _MARKS for n in range(1, len(mark)) if text.endswith(mark[:n])),
            "",
        ):
            raise _not_to_be_gone_on(
                f"ends with {half!r}, in the middle of a tag", "Cut it before or after the tag."
            )

    def segments_of(self, conversation: Conversation, last: Turn | None) -> tuple[Segment, ...]:
        """The segments (pieces of encoded text and pictures) of a finished episode.

        Args:
            last: last turn of the episode.
        """
        made = self.segments(conversation)
        return (
            tuple(made)
            if last is None or last.result is not None
            else (*made, self.tokens.policy(last))
        )

    def sample(
        self, ids: Sequence[int], logprobs: Sequence[float], *, complete: bool, num_prompt: int
    ) -> Sample:
        """Makes a `Sample` from the token ids of a sampled turn."""
        return Sample(
            text=self.tokens.rendered(ids),
            complete=complete,
            num_prompt_tokens=num_prompt,
            num_new_tokens=len(ids),
            token_ids=tuple(ids),
            logprobs=tuple(logprobs),
        )

    def segments(self, conversation: Conversation) -> list[Segment]:
        """The segments (pieces of encoded text and pictures) of the conversation. The method reuses
        the segments of earlier turns, so it encodes only new turns."""
        before, known = self._known.get(conversation.key, (None, []))
        if (
            before is None
            or before.opening != conversation.opening
            or before.exchanges != conversation.exchanges[: before.turn]
        ):
            known = []
        made = self.tokens.segments(conversation, known)
        self._known[conversation.key] = conversation, made
        return made

    def num_tokens(self, message: Message) -> int:
        """The number of tokens of a message, see `Engine.num_tokens`. The number is exact for
        observations (tool results)."""
        return self.tokens.num_tokens(message)

    def forget(self, conversation: Conversation) -> None:
        """See `Engine.forget`."""
        self._known.pop(conversation.key, None)

    @property
    def picture_ids(self) -> frozenset[int]:
        """The token ids that stand for pictures or enclose them. The policy must not sample these tokens, because no
        picture belongs to them."""
        frames = {
            number
            for number, token in self.tokens.tokenizer.added_tokens_decoder.items()
            if token.content in ("<|vision_start|>", "<|vision_end|>")
        }
        return self.tokens.image_ids | frames


def _not_to_be_gone_on(fault: str, fix: str) -> InputError:
    return InputError("the beginning of a turn", fault, fix)
