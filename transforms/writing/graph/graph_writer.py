"""The graph writer composes words from the form of a plan, without a model. The graph writer is the
default and needs no API key."""

from dataclasses import dataclass

from questloom.records.form import Ask, SentenceClause
from questloom.records.knowledge import Entity
from questloom.records.outcomes import Reason
from questloom.records.plan import Plan
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.writer import Wording

MAKERS = frozenset("P50 P57 P61 P84 P86 P110 P112 P170 P175 P176 P178 P287 P631 P943".split())
"""Relations between a thing and its maker."""


@dataclass(frozen=True)
class GraphWriter:
    """Implements `questloom.transforms.writing.writer.Writer` with the store alone.

    Args:
        english: puts forms into words.
        most_plans: maximum number of plans of a seed. The limit is high because wording a plan
            costs only time.
    """

    english: English
    most_plans: int = 1_000

    name: str = "graph"

    async def word(self, plan: Plan, seed_id: str) -> Wording | Refusal:
        """Puts the plan into words. The result is a refusal where no wording is good enough for
        readers."""
        form = plan.logical_form
        if told := form.of(SentenceClause):
            return Refusal(reason=Reason.NO_PHRASE, evidence={"relation": told[0].relation})
        worded = self.english.question(form, plan.bindings, seed_id)
        if worded.problems:
            return Refusal(reason=Reason.NO_WORDING, evidence={"form": form.to_json()})
        return Wording(text=worded.text, anchor_phrase=worded.anchor_phrase)


def belong_together(one: Entity, other: Entity, link: str) -> bool:
    """Whether people would count the years between dates of two linked things. The things must be
    of the same kind, or one must be the maker of the other. For places, the result is always
    false."""
    domains = {one.domain, other.domain}
    return bool(link) and "location" not in domains and (len(domains) == 1 or link in MAKERS)


def ask_for(var: str, answer: Answer) -> Ask:
    """Makes the question's `Ask`: the asked variable with the type, unit and precision of the
    answer."""
    return Ask(var=var, type=answer.type, unit=answer.unit, precision=answer.precision)
