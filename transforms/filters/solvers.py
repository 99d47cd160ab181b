"""The models behind the filters: solvers, which try a question with less help than a policy has,
and a judge of the picture.

`image_search`, `text_only` and `no_tools` drop a question that is answered with one image search,
without the picture, or without tools (VSearcher A.2, OpenSearch-VL 3.1). `solvable` drops a
question that a model cannot answer even with all the evidence. `too_simple` drops pictures that are
too simple. Every verdict holds the number of samples, the number of right samples, and the wrong
answers. The certificate tests whether a wrong answer also fits the question.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

from questloom.agent.judges.answer import AnswerJudge
from questloom.models.messages import Picture
from questloom.models.structured import BadReply, RefusedReply
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import fenced
from questloom.prompts.render import Prompt, render
from questloom.prompts.replies import PictureJudged, Solved
from questloom.prompts.roles import ROLES
from questloom.records.episodes import Outcome
from questloom.records.synthesis import Question, Verdict
from questloom.records.table import Json

MAX_MATERIAL_CHARS = 12_000
MAX_PAGE_CHARS = 1_500


@dataclass(frozen=True)
class Solvers:
    """The filters in which a model decides.

    All methods raise the client's `BadReply` if no sample gave a usable reply. Otherwise every
    question would pass a solver that never replies. The methods do not catch `ProviderFault` and
    `BudgetExceeded`.

    Args:
        client: `questloom.models.chat_client`'s client.
        num_samples: number of samples of each solver.
        judge: whether a model in the role judge_answer decides about answers that the rules do not
            accept.
    """

    client: Client
    num_samples: int = 4
    judge: bool = False

    async def text_only(self, question: Question) -> Verdict:
        """`text_only`: a model answers without the picture. The question passes if no answer is
        right."""
        prompt = render(ROLES["answer_text_only"], question=fenced("question", question.text))
        return await self._verdict("text_only", question, prompt)

    async def without_tools(self, question: Question, picture: Picture) -> Verdict:
        """`no_tools`: a vision model answers with the picture, but without tools. The question
        passes if no answer is right."""
        prompt = render(
            ROLES["answer_direct"], question=fenced("question", question.text), pictures=(picture,)
        )
        return await self._verdict("no_tools", question, prompt)

    async def one_image_search(
        self, question: Question, picture: Picture, pages: tuple[tuple[str, str], ...]
    ) -> Verdict:
        """`image_search`: a vision model answers with the results of one image search. The question
        passes if no answer is right.

        Args:
            question: the question.
            picture: the picture of the question.
            pages: (title, text) of the pages found, the best first.
        """
        material = (
            "\n\n".join(f"{title}\n{text[:MAX_PAGE_CHARS]}" for title, text in pages)
            or "(nothing found)"
        )
        prompt = render(
            ROLES["answer_with_search"],
            question=fenced("question", question.text),
            pictures=(picture,),
            only_material=False,
            found_by_picture=True,
            material=fenced("pages", material, MAX_MATERIAL_CHARS),
        )
        return await self._verdict("image_search", question, prompt)

    async def from_evidence(self, question: Question, evidence: tuple[str, ...]) -> Verdict:
        """`solvable`: a model answers with the certificate's evidence in words, which includes what
        the picture shows. The question passes if some answer is right."""
        prompt = render(
            ROLES["answer_with_search"],
            question=fenced("question", question.text),
            only_material=True,
            found_by_picture=False,
            material=fenced("evidence", "\n".join(evidence), MAX_MATERIAL_CHARS),
        )
        return await self._verdict("solvable", question, prompt, solvable=True)

    async def too_simple(self, question: Question, picture: Picture) -> Verdict:
        """`too_simple`: a vision model judges the picture. The question passes if the picture is not too simple."""

        def read(reply: PictureJudged) -> Verdict:
            return Verdict(
                filter="too_simple",
                passed=not reply.too_simple,
                solver=self._model("image_too_simple"),
                num_samples=1,
                evidence=Json({"kind": reply.kind, "shows": reply.shows}),
            )

        prompt = render(ROLES["image_too_simple"], pictures=(picture,))
        return await ask(self.client, prompt, read, item_id=question.id, seed_id=question.seed_id)

    def _model(self, role: str) -> str:
        return self.client.roles[role].model

    async def _verdict(
        self, name: str, question: Question, prompt: Prompt, *, solvable: bool = False
    ) -> Verdict:
        samples = await asyncio.gather(
            *(self._sample(prompt, question, n) for n in range(self.num_samples))
        )
        faults = [s for s in samples if isinstance(s, BadReply)]
        if len(faults) == len(samples):
            raise faults[0]
        said = [s for s in samples if isinstance(s, str)]
        right = {text: await self._right(question, text) for text in sorted(set(said))}
        num_correct = sum(right[s] for s in said)
        wrong = Counter(s for s in said if not right[s])
        return Verdict(
            filter=name,
            passed=(num_correct > 0) == solvable,
            solver=self._model(prompt.role),
            num_samples=len(samples),
            num_correct=num_correct,
            evidence=Json(
                {
                    "wrong": [[s, wrong[s]] for s in sorted(wrong)],
                    "bad_replies": len(faults),
                    "prompt": prompt.version,
                }
            ),
        )

    async def _sample(
        self, prompt: Prompt, question: Question, sample: int
    ) -> str | BadReply | None:
        """The answer of one sample. None if the model does not know the answer or refuses; a
        `BadReply` if the reply is unusable."""

        def read(reply: Solved) -> str | None:
            return reply.answer

        try:
            return await ask(
                self.client,
                prompt,
                read,
                item_id=question.id,
                seed_id=question.seed_id,
                sample=sample,
            )
        except RefusedReply:
            return None
        except BadReply as fault:
            return fault

    async def _right(self, question: Question, said: str) -> bool:
        judge = AnswerJudge(client=self.client if self.judge else None)
        made = await judge.judge(
            question.answer,
            said,
            question=question.text,
            language=question.language,
            item_id=question.id,
            seed_id=question.seed_id,
        )
        if made.fault is not None:
            raise made.fault
        return made.outcome is Outcome.CORRECT


def wrong_answers(verdicts: tuple[Verdict, ...]) -> tuple[str, ...]:
    """The wrong answers of solvers, without duplicates. The caller tests whether a wrong answer
    also fits the question."""
    found: dict[str, Any] = {}
    for verdict in verdicts:
        if isinstance(verdict.evidence, dict):
            found.update((text, None) for text, _ in verdict.evidence.get("wrong", ()))
    return tuple(found)
