"""Plays episodes turn by turn: the engine writes a turn, the turn is checked strictly, and a tool
runs the call.

Many episodes run at once on one event loop, independently of each other. If the policy (the model
that plays), a faulty tool or a limit ends an episode, the record of the episode gives the reason
(`EndReason`). Exceptions are raised for three reasons only: a used-up budget, invalid user input,
and a bug. After an exception, the journal has all turns up to that point.
"""

import asyncio
import dataclasses
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from questloom.agent.engines.engine import ContextFull, Engine, Sample
from questloom.agent.engines.token_engine import TokenEngine
from questloom.agent.play.journal import Begun, Journal
from questloom.agent.tools import ToolBox
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.limits import (
    Limits,
    is_repetitive,
    num_faults_in_row,
    num_same_turns,
    repetition_warning,
)
from questloom.agent.turns.renderer import Exchange, Renderer, storable, task_handles
from questloom.agent.turns.token_renderer import Segment
from questloom.agent.turns.turn_protocol import Checked, TurnProtocol, Violation
from questloom.records.episodes import BankImage, EndReason, Episode, ToolResult, ToolStatus, Turn
from questloom.records.errors import BudgetExceeded, InputError, ProviderFault
from questloom.records.identity import record_id

HINT = 'Write one turn: <think>…</think>, then one <tool_call>{"name": …, "arguments": {…}}</tool_call> or one <answer>…</answer>.'


@dataclass(frozen=True, kw_only=True)
class Task:
    """A question to be answered."""

    task_id: str
    question: str
    pictures: tuple[bytes, ...] = ()
    """The bytes of the picture files that come with the question."""
    withheld_pictures: frozenset[str] = frozenset()
    """Ids of the question's pictures in the store, which no search may return."""


@dataclass(frozen=True, kw_only=True)
class Begin:
    """The place from which a finished episode is played again with another continuation. The place
    is inside one of the episode's turns."""

    task: Task
    episode: Episode
    bank: ImageBank
    """The image bank of the finished episode. The continuation uses only pictures from before
    `turn`."""
    turn: int
    begun: tuple[int, ...]
    """The token ids with which the turn begins; the continuation keeps these ids."""
    begun_logprobs: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Continuation(Episode):
    """An episode that repeats another episode up to a place in the turn `turn`, and then goes on
    differently. The two episodes have the same earlier turns, and the same first token ids of the
    turn `turn`."""

    source_id: str
    turn: int

    @property
    def id(self) -> str:
        """An id that is computed from the source episode, the turn and the number of the
        continuation."""
        return record_id("Continuation", self.source_id, self.turn, index=self.rollout)


@dataclass(frozen=True, kw_only=True)
class Played:
    """A finished episode, with the token ids that the model read and wrote."""

    episode: Episode
    bank: ImageBank
    segments: tuple[Segment, ...]
    """The prompt, all turns and all tool results (observations), as token ids and pixels; empty if
    the engine has no token ids."""


@dataclass
class _State:
    """The state of an episode that is being played."""

    task: Task
    record: Episode
    bank: ImageBank
    conversation: Conversation
    toolbox: ToolBox
    turns: list[Turn] = field(default_factory=list)
    num_reused: int = 0
    """The number of turns that were taken from another episode; 0 unless this episode is a
    continuation."""
    begun: Segment | None = None
    """The token ids with which the next turn must begin, if there are any."""
    num_images: int = 0
    """The number of pictures in the image bank before the last turn."""

    @property
    def index(self) -> int:
        """Index of the last turn in the journal. The journal leaves out turns that were taken from
        another episode."""
        return len(self.turns) - self.num_reused - 1

    def brought(self, since: int) -> list[tuple[BankImage, bytes]]:
        """The pictures that entered the image bank later than the first `since` pictures."""
        return [(image, self.bank.data(image.handle)) for image in self.bank.images[since:]]


@dataclass(frozen=True)
class _End:
    reason: EndReason
    evidence: str
    turn: Turn | None = None
    """The turn that ended the episode; None if something else ended it."""


class Player:
    """Plays all episodes with the same engine, tool box and limits.

    Args:
        engine: engine that produces the turns.
        toolbox: tool box that runs the tool calls. Calls are checked against the schemas of its
            tools.
        limits: limits of each episode.
        renderer: renderer that writes the messages to the model. The default renderer fits the tool
            box and the limits.
    """

    def __init__(
        self, engine: Engine, toolbox: ToolBox, limits: Limits, *, renderer: Renderer | None = None
    ) -> None:
        self.engine, self.limits = engine, limits
        self._toolbox = toolbox
        schemas = toolbox.schemas()
        self._brief = toolbox.settings.brief
        self.protocol = TurnProtocol(schemas, brief=self._brief)
        self.renderer = renderer or Renderer(schemas, max_calls=limits.calls)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that change what happens in episodes. A journal is valid only for the
        settings with which it was written."""
        tools = dataclasses.asdict(self._toolbox.settings)
        del tools["cache_bytes"]
        return {
            "engine": self.engine.name,
            "model": self.engine.model,
            "sampling": dict(self.engine.sampling),
            "prompt": self.renderer.version,
            "snapshot": self._toolbox.provider.snapshot,
            "tools": tools,
            **dataclasses.asdict(self.limits),
        }

    async def play_all(
        self,
        tasks: Iterable[Task],
        *,
        rollouts: int = 1,
        journal: Journal | None = None,
        at_once: int = 64,
    ) -> AsyncIterator[Episode]:
        """Yields each episode as soon as it is finished; see `rollouts`."""
        async with aclosing(
            self.rollouts(tasks, num=rollouts, journal=journal, at_once=at_once)
        ) as made:
            async for played in made:
                yield played.episode

    async def rollouts(
        self,
        tasks: Iterable[Task],
        *,
        num: int = 1,
        journal: Journal | None = None,
        at_once: int = 64,
    ) -> AsyncGenerator[Played]:
        """Yields each episode with its token ids as soon as it is finished. Episodes that the
        journal records as finished are yielded too.

        Args:
            num: number of episodes for each task.
            journal: journal that stores every turn; its finished episodes are not played again.
            at_once: maximum number of episodes that are played at the same time.

        Raises: BudgetExceeded, InputError: raised at once, although other episodes are unfinished.
        The journal has the turns of unfinished episodes.
            ExceptionGroup: some episodes met bugs; raised after all other episodes were played.
        """
        todo = ((task, rollout) for task in _distinct(tasks) for rollout in range(num))
        running: set[asyncio.Task[Played]] = set()
        crashed: list[Exception] = []
        try:
            while True:
                while len(running) < at_once and (item := next(todo, None)) is not None:
                    running.add(
                        asyncio.create_task(self.rollout(item[0], item[1], journal=journal))
                    )
                if not running:
                    break
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for finished in done:
                    error = finished.exception()
                    if error is None:
                        yield finished.result()
                    elif isinstance(error, Exception) and not isinstance(
                        error, BudgetExceeded | InputError
                    ):
                        crashed.append(error)
                    else:
                        raise error
        finally:
            for left in running:
                left.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        if crashed:
            raise ExceptionGroup(f"{len(crashed)} episodes could not be played", crashed)

    async def play(
        self, task: Task, rollout: int = 0, *, journal: Journal | None = None
    ) -> Episode:
        """Plays one episode; see `rollout`."""
        return (await self.rollout(task, rollout, journal=journal)).episode

    async def rollout(
        self, task: Task, rollout: int = 0, *, journal: Journal | None = None
    ) -> Played:
        """Plays one episode, from its start or from where the journal ends. Returns the episode
        with its token ids.

        Raises:
            BudgetExceeded: the hard budget is reached; the episode stays unfinished.
            InputError: pictures in the journal are damaged.
            PictureError: a picture of the task cannot be used.
        """
        return await self._to_its_end(self._start(task, rollout), journal)

    async def play_on(
        self, source: Begin, rollout: int, *, journal: Journal | None = None
    ) -> Played:
        """Starts inside a turn of a finished episode and plays another continuation from there.

        Earlier turns and tool results keep their text and token ids. The continuation gets its own
        branch of the image bank. The reused turns count towards the limits on calls, tokens and
        time.

        Args:
            rollout: number of the continuation; each continuation of the same episode needs another
                number.

        Raises:
            InputError: the engine has no token ids, the turn cannot be continued
                (`TokenEngine.check_begun`), or one of the reasons that `rollout` lists.
            ValueError: `source` does not belong to the episode.
            BudgetExceeded: the hard budget is reached, as in `rollout`.
        """
        return await self._to_its_end(self._start_within(source, rollout), journal)

    async def _to_its_end(self, state: _State, journal: Journal | None) -> Played:
        try:
            begun = journal.begun.get(state.record.id) if journal else None
            if journal and begun:
                self._take_up(state, begun, journal)
            fields = (
                begun.end if begun and begun.end is not None else await self._play(state, journal)
            )
            cost = sum(
                turn.cost + (turn.result.cost if turn.result else 0.0) for turn in state.turns
            )
            episode = state.record.replace(
                turns=tuple(state.turns), images=state.bank.images, cost=cost, **fields
            )
            last = state.turns[-1] if state.turns else None
            segments = (
                self.engine.segments_of(state.conversation, last)
                if isinstance(self.engine, TokenEngine)
                else ()
            )
            return Played(episode=episode, bank=state.bank, segments=segments)
        finally:
            self.engine.forget(state.conversation)

    async def _play(self, state: _State, journal: Journal | None) -> dict[str, Any]:
        """Plays until the episode ends. Returns how the episode ended, as fields of its record."""
        played = sum(turn.seconds for turn in state.turns)
        began = time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, self.limits.seconds - played)) as clock:
                end = await self._until_end(state, journal)
        except TimeoutError:
            if not clock.expired():
                raise
            end = _End(
                EndReason.TIME,
                f"{self.limits.seconds:g} s have passed after {len(state.turns)} turns",
            )
        num_images = len(state.bank) if end.turn is None else state.num_images
        answer = end.turn.answer or "" if end.turn else ""
        fields = {
            "end": end.reason.value,
            "end_evidence": storable(end.evidence),
            "answer": answer,
            "seconds": played + time.monotonic() - began,
        }
        if journal:
            journal.end(state.record.id, fields, state.index, end.turn, state.brought(num_images))
        return fields

    def _start(self, task: Task, rollout: int) -> _State:
        bank = ImageBank()
        for data in task.pictures:
            bank.add(data, origin="task")
        record = Episode(
            task_id=task.task_id,
            rollout=rollout,
            engine=self.engine.name,
            model=self.engine.model,
            question=task.question,
        )
        opening = self.renderer.opening(task.question, bank, task_handles(bank))
        return _State(
            task=task,
            record=record,
            bank=bank,
            toolbox=self._toolbox.for_task(task.withheld_pictures),
            conversation=Conversation(task_id=task.task_id, rollout=rollout, opening=opening),
        )

    def _start_within(self, source: Begin, rollout: int) -> _State:
        """Makes the state that a finished episode had before one of its turns."""
        if not isinstance(self.engine, TokenEngine):
            raise InputError(
                f"engine {self.engine.name}",
                "cannot go on within a turn: it has no token ids",
                "Take the engine transformers or server.",
            )
        episode, bank = source.episode, source.bank.fork(source.turn)
        turns, said = episode.turns[: source.turn], episode.turns[source.turn]
        if source.task.task_id != episode.task_id or bank.images != tuple(
            image for image in episode.images if image.call < source.turn
        ):
            raise ValueError(f"the task or the bank are not those of episode {episode.id}")
        num = len(source.begun)
        if said.token_ids[:num] != source.begun or said.logprobs[:num] != source.begun_logprobs:
            raise ValueError(
                f"turn {source.turn} of episode {episode.id} does not begin with these {num} ids and log-probabilities"
            )
        record = Continuation(
            task_id=episode.task_id,
            rollout=rollout,
            engine=self.engine.name,
            model=self.engine.model,
            question=episode.question,
            source_id=episode.id,
            turn=source.turn,
        )
        opening = self.renderer.opening(source.task.question, bank, task_handles(bank))
        state = _State(
            task=source.task,
            record=record,
            bank=bank,
            toolbox=self._toolbox.for_task(source.task.withheld_pictures),
            conversation=Conversation(
                task_id=episode.task_id,
                rollout=rollout,
                opening=opening,
                branch=f" from {episode.id}, turn {source.turn}",
            ),
            num_reused=len(turns),
            begun=Segment(kind="policy", ids=source.begun, logprobs=source.begun_logprobs),
        )
        for turn in turns:
            self._add(state, turn)
        return state

    def _take_up(self, state: _State, begun: Begun, journal: Journal) -> None:
        """Restores an episode's state from the journal."""
        for image in begun.images:
            handle = state.bank.add(
                journal.picture(image.sha256),
                origin=image.origin,
                call=image.call,
                url=image.url,
                title=image.title,
                parent=image.parent,
                box=image.box,
            )
            if state.bank.get(handle) != image:
                raise InputError(
                    f"episode {state.record.id}",
                    f"its <image:{image.handle}> comes out otherwise than it was played",
                    "The task's pictures have changed; restore them, or play anew in another folder.",
                )
        if (
            begun.turns
            and state.begun
            and begun.turns[0].token_ids[: len(state.begun.ids)] != state.begun.ids
        ):
            raise InputError(
                f"episode {state.record.id}",
                "was played on from another place in its turn",
                "Play anew in another folder.",
            )
        for turn in begun.turns:
            self._add(state, turn)

    def _add(self, state: _State, turn: Turn) -> None:
        state.turns.append(turn)
        if turn.result is not None:
            observation = self.renderer.observation(len(state.turns) - 1, turn.result, state.bank)
            state.conversation = dataclasses.replace(
                state.conversation,
                exchanges=(*state.conversation.exchanges, Exchange(turn, observation)),
            )

    async def _until_end(self, state: _State, journal: Journal | None) -> _End:
        while True:
            state.num_images = len(state.bank)
            turn, end = await self._turn(state)
            if turn is not None:
                self._add(state, turn)
            if end is not None:
                return dataclasses.replace(end, turn=turn)
            if journal and turn is not None:
                journal.turn(state.record.id, state.index, turn, state.brought(state.num_images))

    async def _turn(self, state: _State) -> tuple[Turn | None, _End | None]:
        """Plays the next turn of an episode. Returns the turn with its result, or None if there was
        no turn. The second result is the end of the episode, or None if the episode goes on."""
        room = self.limits.tokens - self._num_tokens(state)
        if room <= 0:
            return None, _End(
                EndReason.TOKENS, f"the conversation has reached {self.limits.tokens:,} tokens"
            )
        began = time.monotonic()
        try:
            sample = await self._step(state, min(self.limits.turn_tokens, room))
        except ProviderFault as fault:
            return None, _End(EndReason.PROVIDER, f"turn {len(state.turns)}: {fault}")
        except ContextFull as full:
            return None, _End(EndReason.TOKENS, f"turn {len(state.turns)}: {full}")
        checked = self.protocol.check(sample.text).for_play()
        if sample.refusal:
            checked = Checked(
                violation=Violation.REFUSED, detail=f"Declined: {sample.refusal[:300]}"
            )
        turn = Turn(
            text=storable(sample.text),
            thought=storable(checked.thought),
            call=checked.call,
            answer=checked.answer,
            violation=checked.violation or "",
            num_prompt_tokens=sample.num_prompt_tokens,
            num_new_tokens=sample.num_new_tokens,
            token_ids=sample.token_ids,
            logprobs=sample.logprobs,
            cost=sample.cost,
        )
        end = self._end_of(state, turn, checked, sample)
        if end is None:
            result = await self._result(state, checked)
            turn = turn.replace(
                result=result.replace(text=result.text + self._warning(state, turn))
            )
            end = self._fatal([*state.turns, turn])
        return turn.replace(seconds=time.monotonic() - began), end

    async def _step(self, state: _State, most: int) -> Sample:
        if state.begun is None or len(state.turns) > state.num_reused:
            return await self.engine.step(state.conversation, max_new_tokens=most)
        assert isinstance(self.engine, TokenEngine), "checked at the beginning"
        return await self.engine.step(state.conversation, max_new_tokens=most, begun=state.begun)

    def _fatal(self, turns: list[Turn]) -> _End | None:
        if self.limits.faults and num_faults_in_row(turns) >= self.limits.faults:
            codes = ", ".join(
                turn.result.code for turn in turns[-self.limits.faults :] if turn.result
            )
            return _End(EndReason.FATAL, f"{self.limits.faults} faulty calls in a row: {codes}")
        return None

    def _end_of(self, state: _State, turn: Turn, checked: Checked, sample: Sample) -> _End | None:
        """Decides whether a turn ends the episode before its tool call runs. Returns the end, or
        None if the episode goes on."""
        limits = self.limits
        if is_repetitive(turn.text):
            return _End(EndReason.REPETITION, "the turn goes in circles")
        if (
            limits.same_turns
            and num_same_turns([*state.turns[-limits.same_turns :], turn]) >= limits.same_turns
        ):
            return _End(EndReason.REPETITION, f"{limits.same_turns} equal turns in a row")
        if checked.violation and not sample.complete:
            return _End(
                EndReason.TOKENS,
                f"the turn was cut after {sample.num_new_tokens:,} tokens: {checked.violation}",
            )
        if checked.violation and limits.on_violation == "end":
            return _End(EndReason.FORMAT, f"{checked.violation}: {checked.detail}")
        if turn.answer is not None:
            return _End(EndReason.ANSWERED, "")
        if sum(t.result is not None for t in state.turns) >= limits.calls:
            return _End(EndReason.CALLS, f"a call after {limits.calls} calls")
        return None

    def _warning(self, state: _State, turn: Turn) -> str:
        """Warns the model that it repeated a turn, and that more repetitions will end the
        episode."""
        same = num_same_turns([*state.turns, turn])
        if same < 2 or not self.limits.same_turns or self._brief:
            return ""
        return repetition_warning(same, self.limits.same_turns)

    async def _result(self, state: _State, checked: Checked) -> ToolResult:
        if checked.call is None:
            assert checked.violation is not None
            return ToolResult(
                status=ToolStatus.MODEL_FAULT,
                code=checked.violation,
                text=f"Your turn was not understood. {checked.detail} {HINT}",
            )
        result = await state.toolbox.call(checked.call, state.bank, turn=len(state.turns))
        return result.replace(text=storable(result.text))

    def _num_tokens(self, state: _State) -> int:
        """The number of tokens in the next prompt, without the few that the chat template adds."""
        if not state.turns:
            return sum(map(self.engine.num_tokens, state.conversation.opening))
        last = state.turns[-1]
        return (
            last.num_prompt_tokens
            + last.num_new_tokens
            + self.engine.num_tokens(state.conversation.exchanges[-1].observation)
        )


def _distinct(tasks: Iterable[Task]) -> Iterator[Task]:
    seen: set[str] = set()
    for task in tasks:
        if task.task_id in seen:
            raise InputError(
                f"task {task.task_id}",
                "is given twice",
                "Give each task once; `rollouts` says how often it is played.",
            )
        seen.add(task.task_id)
        yield task
