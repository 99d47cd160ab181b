"""The llm writer asks a model to word a whole plan in one request. If the words break a rule, one
more request asks for a correction. Rules check the words, and a reader confirms them.

The form comes from the plan, and no reply of a model changes it. A reply is either accepted as
words or refused.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from questloom.models.structured import BadReply, RefusedReply
from questloom.prompts import replies
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import fenced
from questloom.prompts.phrases.words import answer_words
from questloom.prompts.render import language_name, render
from questloom.prompts.roles import ROLES
from questloom.records.outcomes import Reason
from questloom.records.plan import Plan
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.writing.llm.evidence_words import kinds_lines, roles_of
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.plan_words import request_values, shown_words
from questloom.transforms.writing.llm.word_proof import (
    check_wording,
    proof_lines,
    things,
    words_vote,
)
from questloom.transforms.writing.writer import Draft, Vote, Wording, WriterRejection

Read = TypeVar("Read")


@dataclass(frozen=True)
class LlmWriter:
    """Implements `questloom.transforms.writing.writer.Writer` and its `Reader` with a chat model.

    The client's `ProviderFault` and `BudgetExceeded` are not caught: the seed stays pending.

    Args:
        client: `questloom.models.chat_client`'s client.
        store: the store.
        rules: the recipe's settings for the llm writer.
        max_words: maximum number of words of a question.
        language: the language of the question.
    """

    client: Client
    store: Any
    rules: LlmRules
    max_words: int
    language: str = "en"

    name: str = "llm"

    @property
    def most_plans(self) -> int:
        return self.rules.plans

    async def word(self, plan: Plan, seed_id: str) -> Wording | Refusal:
        """The plan in words that pass the rules, or a refusal. The result is a refusal if the model
        declines, or if neither the reply nor its correction passes."""

        def read(reply: replies.Worded) -> Wording:
            wording = Wording(text=reply.question, anchor_phrase=reply.phrase)
            if (num := len(wording.text.split())) > self.max_words:
                raise ValueError(
                    f"the question has {num} words, and at most {self.max_words} will do"
                )
            check_wording(self.store, plan, wording, self.language)
            return wording

        values = request_values(self.store, plan, self.language, self.max_words)
        try:
            return await self._ask("word_plan", seed_id, read, values)
        except WriterRejection as refused:
            return Refusal(reason=refused.reason, evidence=refused.evidence)

    async def read(self, plan: Plan, wording: Wording, seed_id: str) -> list[Vote]:
        """The votes of readers, who see the words and the lines of the evidence."""
        draft, language = Draft.of(plan, wording.text), self.language
        lines = proof_lines(self.store, draft, language)

        def read(reply: replies.WordsRead) -> Vote:
            return words_vote(self.store, draft, lines, reply, language)

        numbered = "\n".join(f"{n}. {line.words}" for n, line in enumerate(lines, start=1))
        kinds = kinds_lines(self.store, things(draft), draft.anchor, language, roles_of(draft))
        values = {
            "question": fenced("question", draft.text),
            "answer": answer_words(draft.answer, language),
            "shown": shown_words(self.store, plan, language),
            "lines": fenced("lines", numbered),
            "kinds": fenced("kinds", kinds),
        }
        asked = (
            self._ask("check_words", seed_id, read, values, sample=n)
            for n in range(self.rules.votes)
        )
        return list(await asyncio.gather(*asked))

    async def _ask(
        self,
        role: str,
        seed_id: str,
        read: Callable[[Any], Read],
        values: Mapping[str, Any],
        sample: int = 0,
    ) -> Read:
        prompt = render(
            ROLES[role],
            language=language_name(self.language),
            guidance=self.rules.guidance.get(role, ""),
            **values,
        )
        try:
            return await ask(
                self.client, prompt, read, item_id=seed_id, seed_id=seed_id, sample=sample
            )
        except BadReply as error:
            declined = isinstance(error, RefusedReply)
            raise WriterRejection(
                Reason.REFUSED if declined else Reason.BAD_REPLY,
                {"role": role, "message": str(error)[:500]},
            ) from error
