"""A writer that says what a test tells it to, and notes what it was asked: for the rules of the drivers, which must hold for any writer."""

from dataclasses import dataclass, field, replace
from typing import Any

from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer, Rewrite, Seed
from questloom.transforms.writing.writer import Draft, Vote, WriterRejection

SEED = Seed(entity_id="Q1000", method="injection", rule="pictured", level="easy", domain="other")
ANSWER = Answer(value=entity_value("Q99"), text="Q99", type="entity")
YES, NO = Vote(holds=True, why="so"), Vote(holds=False, other="Q8", why="not so")
FAULT = WriterRejection(Reason.BAD_REPLY, {"role": "r"})


def draft(text: str = "Who?", **fields) -> Draft:
    """A draft without a form."""
    return Draft(text=text, answer=ANSWER, **fields)


def step(before: Draft, text: str, role: str = "inject", **changes) -> Draft:
    """A draft with one more step in its history."""
    return before.rewritten(
        Rewrite(round=1, role=role, before=before.text, after=text), text=text, **changes
    )


@dataclass
class Scripted:
    """Each role's replies: a value, a list of values one a call (the last for all further calls), or a `WriterRejection` to raise."""

    replies: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, tuple]] = field(default_factory=list)
    name: str = "scripted"

    def __getattr__(self, role: str):
        if role.startswith("__"):
            raise AttributeError(role)

        async def reply(*asked):
            self.calls.append((role, asked))
            said = self.replies.get(
                role, None if role in ("obfuscate_answer", "check_words") else []
            )
            said = said(*asked) if callable(said) else said
            if isinstance(said, WriterRejection):
                raise said
            if role == "word" and role not in self.replies:
                return replace(asked[0], text=f"{asked[0].text} (worded)")
            return said

        return reply

    def num(self, role: str) -> int:
        """How often a role was asked."""
        return sum(r == role for r, _ in self.calls)
