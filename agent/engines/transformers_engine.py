"""An engine that runs a local transformers model, for training and tests. The engine samples many
turns in one batch and keeps key-value caches between turns. The engine returns token ids with their
log-probabilities.

Conversations join and leave the batch every few tokens, so a long turn does not delay the others.
The model runs in its own thread, so that it does not block the asyncio event loop.
"""

import asyncio
import dataclasses
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from questloom.agent.engines.cached_model import CachedModel, Row, TurnRequest
from questloom.agent.engines.engine import ContextFull, Sample
from questloom.agent.engines.token_engine import Sampling, TokenEngine
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.token_renderer import Segment, TokenRenderer


@dataclass(eq=False)
class _Waiting:
    """A turn that was requested but is not finished yet."""

    turn: TurnRequest
    done: asyncio.Future[None]


class TransformersEngine(TokenEngine):
    """Samples turns from a local model. Only one asyncio event loop at a time may use the engine.

    Args:
        model: a transformers model in eval mode, on its device.
        tokens: turns conversations into token ids with the model's processor.
        model_name: name of the model in the stored episodes. If the weights change, the name must
            include their version.
        max_batch: maximum number of conversations that are decoded together.
        chunk: number of tokens that are sampled before conversations may join or leave the batch.
        max_cached_tokens: maximum number of cached tokens over all conversations. If more tokens
            are cached, the conversations that were idle longest lose their caches.
    """

    name = "transformers"

    def __init__(
        self,
        model: Any,
        tokens: TokenRenderer,
        *,
        model_name: str,
        sampling: Sampling | None = None,
        max_batch: int = 32,
        chunk: int = 16,
        max_cached_tokens: int = 1_000_000,
    ) -> None:
        super().__init__(tokens, sampling or Sampling())
        self.model = model_name
        self._model = CachedModel(
            model, self._sampling, stop_ids=tokens.stop_ids, forbidden=self.picture_ids
        )
        self._max_batch, self._chunk, self._max_cached_tokens = max_batch, chunk, max_cached_tokens
        self._rows: OrderedDict[tuple[str, int], Row] = OrderedDict()
        self._waiting: list[_Waiting] = []
        self._playing: list[_Waiting] = []
        self._worker: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="model")

    @property
    def sampling(self) -> Mapping[str, Any]:
        """See `Engine.sampling`."""
        return dataclasses.asdict(self._sampling)

    async def step(
        self, conversation: Conversation, *, max_new_tokens: int, begun: Segment | None = None
    ) -> Sample:
        """See `TokenEngine.step`."""
        begun = begun or Segment(kind="policy", ids=())
        self.check_begun(begun)
        segments = self.segments(conversation)
        num_prompt = sum(len(segment.ids) for segment in segments)
        room = self._model.context - num_prompt
        if room <= 0:
            raise ContextFull(f"{num_prompt:,} tokens in a context of {self._model.context:,}")
        most = min(max_new_tokens, room)
        if len(begun.ids) >= most:
            return self.sample(begun.ids, begun.logprobs, complete=False, num_prompt=num_prompt)
        row = self._rows.setdefault(conversation.key, Row())
        self._rows.move_to_end(conversation.key)
        asked = _Waiting(
            TurnRequest(row, segments, begun, most, self._sampling.seed ^ conversation.draw()),
            asyncio.get_running_loop().create_future(),
        )
        self._waiting.append(asked)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        await asked.done
        return self.sample(row.new_ids, row.logprobs, complete=row.ended, num_prompt=num_prompt)

    def forget(self, conversation: Conversation) -> None:
        """See `Engine.forget`."""
        super().forget(conversation)
        self._rows.pop(conversation.key, None)

    def forget_all(self) -> None:
        """Drops the caches of all conversations. Call `forget_all` after the weights change, because old caches are
        invalid then."""
        assert not self._waiting and not self._playing, "turns are being sampled"
        self._rows.clear()
        self._model.forget_prompts()

    def close(self) -> None:
        """Ends the thread of the model."""
        self._thread.shutdown()

    async def _work(self) -> None:
        """Samples a few tokens at a time, until all requested turns are finished."""
        loop = asyncio.get_running_loop()
        while self._waiting or self._playing:
            self._playing = [
                asked for asked in self._playing if not asked.done.done()
            ]  # drops cancelled turns
            joining = [asked for asked in self._waiting if not asked.done.done()][
                : self._max_batch - len(self._playing)
            ]
            self._waiting = [
                asked for asked in self._waiting if asked not in joining and not asked.done.done()
            ]
            self._playing += joining
            try:
                await loop.run_in_executor(self._thread, self._round, joining, list(self._playing))
            except Exception as error:
                for asked in self._playing:
                    asked.turn.row.clear()
                    if not asked.done.done():
                        asked.done.set_exception(error)
            for asked in self._playing:
                if asked.turn.row.done and not asked.done.done():
                    asked.done.set_result(None)
            self._drop_oldest()

    def _round(self, joining: list[_Waiting], playing: list[_Waiting]) -> None:
        self._model.begin([asked.turn for asked in joining])
        self._model.go_on([asked.turn.row for asked in playing], self._chunk)

    def _drop_oldest(self) -> None:
        """Drops the oldest caches until the total is within the limit. Conversations in the batch
        keep their caches."""
        busy = {id(asked.turn.row) for asked in (*self._playing, *self._waiting)}
        held = sum(len(row.ids) for row in self._rows.values() if row.layers)
        if held + self._model.num_kept > self._max_cached_tokens:
            self._model.forget_prompts()
        for row in self._rows.values():
            if held <= self._max_cached_tokens:
                break
            if row.layers and id(row) not in busy:
                held -= len(row.ids)
                row.clear()
