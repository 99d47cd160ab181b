"""A policy without a model that really plays: the oracle's search through player and tools, broken off with a wrong answer as often as its skills say."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from questloom.agent.engines.engine import Sample
from questloom.agent.oracle.oracle_engine import OracleEngine
from questloom.agent.oracle.puzzle import Puzzle, puzzle_from
from questloom.agent.setup import engine_override_key
from questloom.agent.turns.conversation import Conversation
from questloom.files.opened import Opened
from questloom.knowledge.store.store import Store
from questloom.models.messages import Message
from questloom.pipeline.evolve.subset import questions_of
from questloom.records.form import ClaimClause, Compute, Reads
from questloom.records.identity import chance
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder
from tests.agent.tools.calling import WITHOUT_PYTHON

POLICY = {"engine": "transformers", "model": "skilled", "tools": {"tools": list(WITHOUT_PYTHON)}}
"""How a recipe names it: the engine of that name is laid into `Opened` in its place."""
_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)*\b")


@dataclass
class Tasks:
    """The questions of a loop's batches, found by id when they are asked for."""

    folder: Path
    store: Store
    questions: dict[str, Question] = field(default_factory=dict)
    puzzles: dict[str, Puzzle] = field(default_factory=dict)

    def question(self, task_id: str) -> Question:
        if task_id not in self.questions:
            for batch in sorted(self.folder.glob("*/*/batch")):
                self.questions.update((q.id, q) for q in questions_of(RunFolder(str(batch))))
        return self.questions[task_id]

    def __getitem__(self, task_id: str) -> Puzzle:
        if task_id not in self.puzzles:
            found = puzzle_from(self.question(task_id), self.store)
            assert found is not None
            self.puzzles[task_id] = found
        return self.puzzles[task_id]


class SkilledEngine:
    """Solves a task with the product of the skills that its form asks for, drawn anew for each rollout.

    Args:
        tasks: of the loop.
        claim: chance to get one claim of the form right; detail: a detail read off the picture; compute: a computation; repair: a degraded picture.
    """

    name = "transformers"
    model = "skilled"

    def __init__(
        self,
        tasks: Tasks,
        *,
        claim: float = 0.9,
        detail: float = 0.55,
        compute: float = 0.6,
        repair: float = 0.7,
        seed: int = 0,
    ) -> None:
        self.tasks, self.claim, self.detail, self.compute, self.repair, self.seed = (
            tasks,
            claim,
            detail,
            compute,
            repair,
            seed,
        )
        self.oracle = OracleEngine(tasks, tools=WITHOUT_PYTHON)  # type: ignore[arg-type]

    @property
    def sampling(self) -> Mapping[str, Any]:
        return {"seed": self.seed}

    def skill(self, question: Question) -> float:
        """The chance that a rollout solves a question."""
        form = question.logical_form
        assert form is not None
        repair = self.repair if question.enhancement else 1.0
        return (
            self.claim ** len(form.of(ClaimClause))
            * self.detail ** len(form.of(Reads))
            * self.compute ** len(form.of(Compute))
            * repair
        )

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        sample = await self.oracle.step(conversation, max_new_tokens=max_new_tokens)
        question = self.tasks.question(conversation.task_id)
        draw = chance(self.seed, f"{conversation.task_id}:{conversation.rollout}", "skill")
        if draw.random() < self.skill(question) or (
            conversation.turn < draw.randint(1, 3) and "<answer>" not in sample.text
        ):
            return sample
        seen = (
            conversation.exchanges[-1].turn.result.text
            if conversation.exchanges and conversation.exchanges[-1].turn.result
            else ""
        )
        names = [
            name
            for name in _NAME.findall(seen)
            if name.casefold() not in question.answer.text.casefold()
        ] or ["Nobody"]
        return Sample(
            text=f"<think>It must be this.</think>\n<answer>{names[-1]}</answer>",
            num_prompt_tokens=sample.num_prompt_tokens,
            num_new_tokens=10,
        )

    def num_tokens(self, message: Message) -> int:
        return self.oracle.num_tokens(message)

    def forget(self, conversation: Conversation) -> None:
        self.oracle.forget(conversation)


def with_policy(folder: Path, store: str, **skills: float) -> Opened:
    """What a loop opens, with the skilled engine as its policy."""
    opened = Opened()
    opened.put(
        engine_override_key("transformers"),
        SkilledEngine(Tasks(folder, Store.open(store)), **skills),  # type: ignore[arg-type]
    )
    return opened


def rules(**changes: Any) -> dict[str, Any]:
    """The section `evolve` of a test's recipe."""
    return {"rounds": 2, "tasks": 12, "policy": POLICY, "held_out": 0, **changes}
