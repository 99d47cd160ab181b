"""Renders a question as a policy receives it. The parts are the system prompt with the tools'
schemas, the picture with its handle and size, and the question's text.

The same renderer writes the beginning of teacher trajectories. As a result, a policy that was
fine-tuned on `sft` meets the same tokens again in reinforcement learning.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from questloom.agent.setup import prompt_renderer
from questloom.agent.tools.toolbox import tool_schemas
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.renderer import Renderer, task_handles
from questloom.models.messages import Message
from questloom.pipeline.export.columns import ReadPicture
from questloom.pipeline.recipe import Recipe
from questloom.records.synthesis import Question


@dataclass(frozen=True)
class RenderedQuestion:
    """A question in the form of the messages that a policy receives."""

    question: Question
    messages: tuple[Message, ...]
    """The system message and the user message."""
    schemas: str
    """The function schemas of the tools as JSON, in the style of OpenAI."""
    tools: tuple[str, ...]
    """The names of the tools."""
    withheld: tuple[str, ...]
    """Hashes of pictures in the store. While this question is played, no search may return the
    pictures in this list."""


class QuestionRenderer:
    """Renders a run's questions. If a teacher has played the run, the prompt is the teacher's. If
    no teacher has played the run, the recipe's section `teach` decides the prompt.

    Args:
        renderer, schemas: the teacher's renderer and tool schemas, if a teacher has played.
    """

    def __init__(
        self,
        recipe: Recipe,
        renderer: Renderer | None = None,
        schemas: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        told = (
            [dict(schema) for schema in schemas] if renderer else tool_schemas(recipe.teach.tools)
        )
        self._renderer = renderer or prompt_renderer(recipe.teach)
        self._schemas = json.dumps(told, ensure_ascii=False)
        self.tools: tuple[str, ...] = tuple(schema["function"]["name"] for schema in told)
        self._withhold = recipe.pictures.withhold_own

    def of(self, question: Question, read: ReadPicture) -> RenderedQuestion:
        """The question as a policy receives it.

        Args:
            read: returns the bytes of a picture.
        """
        bank = ImageBank()
        bank.add(read(question.image_id), origin="task")
        withheld = (
            (question.source_image_id,) if self._withhold and question.source_image_id else ()
        )
        return RenderedQuestion(
            question,
            self._renderer.opening(question.text, bank, task_handles(bank)),
            self._schemas,
            self.tools,
            withheld,
        )
