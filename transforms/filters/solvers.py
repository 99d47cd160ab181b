"""The solvers of the filters: models that try a question with less than a policy has, and a judge of its picture.

`image_search`, `text_only` and `no_tools` drop what is answered with one image search, without the picture, without tools (VSearcher A.2,
OpenSearch-VL 3.1); `solvable` drops what cannot be answered with all the evidence; `too_simple` drops pictures that are too simple.
Every verdict holds how many of n samples were right, and the wrong answers, which the certificate executes as rivals.
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
    """The model-driven filters.

    All methods raise the client's `BadReply` where not one sample gave a usable reply (a solver that cannot speak must
    not pass every question), and let `ProviderFault` and `BudgetExceeded` through.

    Args:
        client: `questloom.models.chat_client`'s client.
        num_samples: samples of each solver.
        judge: whether the role judge_answer decides about answers that no rule accepts.
    """

    client: Client
    num_samples: int = 4
    judge: bool = False

    async def text_only(self, question: Question) -> Verdict:
        """`text_only`: a model without the picture. Passes where no sample is right."""
        prompt = render(ROLES["answer_text_only"], question=fenced("question", question.text))
        return await self._verdict("text_only", question, prompt)

    async def without_tools(self, question: Question, picture: Picture) -> Verdict:
        """`no_tools`: a vision model with the picture and nothing else. Passes where no sample is right."""
        prompt = render(
            ROLES["answer_direct"], question=fenced("question", question.text), pictures=(picture,)
        )
        return await self._verdict("no_tools", question, prompt)

    async def one_image_search(
        self, question: Question, picture: Picture, pages: tuple[tuple[str, str], ...]
    ) -> Verdict:
        """`image_search`: a vision model with the results of one image search of the picture. Passes where no sample is right.

        Args:
            question: the question.
            picture: its picture.
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
        """`solvable`: a model with the certificate's evidence in words, what the picture shows included. Passes where a sample is right."""
        prompt = render(
            ROLES["answer_with_search"],
            question=fenced("question", question.text),
            only_material=True,
            found_by_picture=False,
            material=fenced("evidence", "\n".join(evidence), MAX_MATERIAL_CHARS),
        )
        return await self._verdict("solvable", question, prompt, solvable=True)

    async def too_simple(self, question: Question, picture: Picture) -> Verdict:
        """`too_simple`: a vision model's judgement of the picture. Passes where it is not too simple."""

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
        """One sample's answer; None where it does not know or declines; the fault where its reply is of no use."""

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
    """The wrong answers of solvers, each once, to be executed as rivals."""
    found: dict[str, Any] = {}
    for verdict in verdicts:
        if isinstance(verdict.evidence, dict):
            found.update((text, None) for text, _ in verdict.evidence.get("wrong", ()))
    return tuple(found)
