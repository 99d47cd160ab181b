"""Collects the refusals that a draft met on its way, so that a dropped seed says why."""

from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TypeVar

from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.writing.writer import WriterRejection

MAX_EXAMPLES = 3
Result = TypeVar("Result")


@dataclass
class Trail:
    """Counts of refusals by reason, with the first examples."""

    reasons: Counter = field(default_factory=Counter)
    examples: list[dict] = field(default_factory=list)

    def add(self, refusal: Refusal, what: str) -> None:
        self.reasons[refusal.reason.value] += 1
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(
                {"what": what, "reason": refusal.reason.value, "evidence": refusal.evidence}
            )

    def add_reason(self, reason: Reason, what: str) -> None:
        self.add(Refusal(reason=reason, evidence={}), what)

    async def attempt(self, what: str, call: Awaitable[Result]) -> Result | None:
        """What the writer says; None, and a refusal on the trail, where its reply is of no use. So one bad reply ends one try, not the seed."""
        try:
            return await call
        except WriterRejection as refused:
            self.add(Refusal(reason=refused.reason, evidence=refused.evidence), what)
            return None

    def outcome(self, default: Reason) -> tuple[Reason, dict]:
        """The commonest reason (ties by name), and what shows it."""
        if not self.reasons:
            return default, {}
        reason = min(self.reasons, key=lambda r: (-self.reasons[r], r))
        return Reason(reason), {
            "tried": dict(sorted(self.reasons.items())),
            "examples": self.examples,
        }
