"""A reader that needs no model. The reader applies the rules that check a model's words. For
English, it also applies the lints of the graph writer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from questloom.records.plan import Plan
from questloom.transforms.writing.graph.lints import problems
from questloom.transforms.writing.llm.relation_words import LANGUAGE
from questloom.transforms.writing.llm.word_proof import check_wording
from questloom.transforms.writing.writer import Reader, Vote, Wording

if TYPE_CHECKING:
    from questloom.knowledge.store.store import Store


@dataclass(frozen=True)
class RuleReader:
    """Implements `questloom.transforms.writing.writer.Reader`.

    Args:
        store: the store.
        language: the language of the words.
        model: a model that reads the words if they pass the rules; None where the recipe names no
            such model.
    """

    store: "Store"
    language: str = LANGUAGE
    model: Reader | None = None

    async def read(self, plan: Plan, wording: Wording, seed_id: str) -> list[Vote]:
        """The vote of the rules. If the vote of the rules is positive, the votes of the model
        follow."""
        faults = list(problems(wording.text)) if self.language == LANGUAGE else []
        try:
            check_wording(self.store, plan, wording, self.language)
        except ValueError as error:
            faults.append(str(error))
        if faults:
            return [Vote(holds=False, other="; ".join(faults), why="the rules")]
        votes = await self.model.read(plan, wording, seed_id) if self.model else []
        return [Vote(holds=True, why="the rules"), *votes]
