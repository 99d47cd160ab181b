"""The llm writer: a model words a whole plan in one request, with one more request to correct it.
Rules prove the words, and a reader confirms them.

The form comes from the plan, and no reply of a model changes it. A reply is either accepted as
words or refused.
"""

import asyncio
import re
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
from questloom.transforms.facts.signs import SIGNS
from questloom.transforms.writing.llm.evidence_words import kinds_lines, roles_of
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.plan_words import request_values, shown_words
from questloom.transforms.writing.llm.relation_words import LANGUAGE
from questloom.transforms.writing.llm.word_proof import (
    check_words_proven,
    proof_lines,
    things,
    words_vote,
)
from questloom.transforms.writing.writer import Draft, Vote, Wording, WriterRejection

Read = TypeVar("Read")
_POINTS = re.compile(
    r"\b(?:picture|pictured|photo|photograph|image|portrait|shown|seen|here|this|these)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class LlmWriter:
    """Implements `questloom.transforms.writing.writer.Writer` and its `Reader` with a chat model.

    `ProviderFault` and `BudgetExceeded` of the client pass through: the seed stays pending.

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
        """The plan in words that pass the rules. A refusal where the model declines, or where
        neither the reply nor its correction passes."""

        def read(reply: replies.Worded) -> Wording:
            self._check(plan, reply)
            return Wording(text=reply.question, anchor_phrase=reply.phrase)

        values = request_values(self.store, plan, self.language, self.max_words)
        try:
            return await self._ask("word_plan", seed_id, read, values)
        except WriterRejection as refused:
            return Refusal(reason=refused.reason, evidence=refused.evidence)

    def _check(self, plan: Plan, reply: replies.Worded) -> None:
        """Raises ValueError, with words for the model, where a reply is too long, does not refer to
        the picture, or is not proven."""
        if (num := len(reply.question.split())) > self.max_words:
            raise ValueError(f"the question has {num} words, and at most {self.max_words} will do")
        if self.language == LANGUAGE and not _POINTS.search(reply.phrase):
            raise ValueError(
                f'"{reply.phrase}" does not point to the picture; say "the … in the picture"'
            )
        sign = SIGNS.get(plan.logical_form.sign, "")
        if self.language == LANGUAGE and sign not in reply.phrase.casefold():
            raise ValueError(
                f'"{reply.phrase}" does not say that the picture is a {sign}; say "the … with this {sign}"'
            )
        if not reply.question.rstrip().endswith(("?", "？", "؟", ";")):
            raise ValueError("the question does not end in a question; tell first and ask last")
        languages = tuple(dict.fromkeys((self.language, LANGUAGE)))
        check_words_proven(self.store, Draft.of(plan, reply.question), self.language, languages)

    async def read(self, plan: Plan, wording: Wording, seed_id: str) -> list[Vote]:
        """Votes of readers who see the words and the evidence lines."""
        draft, language = Draft.of(plan, wording.text), self.language
        lines = proof_lines(self.store, draft, language)

        def read(reply: replies.WordsRead) -> Vote:
            return words_vote(self.store, draft, lines, reply, language)

        numbered = "\n".join(f"{n}. {line.words}" for n, line in enumerate(lines, start=1))
        kinds = kinds_lines(self.store, things(draft), draft.anchor, language, roles_of(draft))
        values = {
            "question": fenced("question", draft.text),
            "answer": answer_words(draft.answer),
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
