"""The lenient judge: whether the right answer stands anywhere in what an episode ended with, as published scores of search agents are marked.

OpenSearch-VL and Vision-DeepResearch mark the whole report, so that one which names many candidates passes. Scores marked so can be compared
with theirs and with nothing else; the strict judge (`answer.py`) stands beside it in every table. This judge accepts every answer that the
strict judge accepts.
"""

from dataclasses import dataclass

from questloom.agent.judges.answer import Judgement
from questloom.agent.judges.frame import is_nothing, names
from questloom.models.structured import BadReply
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import fenced
from questloom.prompts.phrases.words import answer_words
from questloom.prompts.render import render
from questloom.prompts.replies import ReportJudged
from questloom.prompts.roles import ROLES
from questloom.records.episodes import Outcome
from questloom.records.errors import ProviderFault
from questloom.records.synthesis import Answer

ROLE = "judge_report"
MAX_REPORT_CHARS = 8_000
"""Of a report that a model is shown (OpenSearch-VL's number)."""


@dataclass(frozen=True, kw_only=True)
class ReportJudge:
    """Judges reports.

    Args:
        client: the chat client with the role `judge_report`; None leaves it to the rule: a wording of the answer is in the report.
    """

    client: Client | None = None

    async def judge(
        self,
        answer: Answer,
        report: str,
        strict: Judgement,
        *,
        question: str,
        language: str = "en",
        item_id: str = "",
        seed_id: str = "",
    ) -> Judgement:
        """The outcome of one report. `BudgetExceeded` passes through.

        Args:
            answer: the expected one.
            report: all that the episode ended with; "" where it ended without.
            strict: what the strict judge said of the final answer.
            question: as it was asked.
            language: of question and answer.
            item_id, seed_id: for the ledger.
        """
        if strict.outcome is Outcome.CORRECT:
            return strict
        if is_nothing(report):
            return Judgement(outcome=Outcome.NO_ANSWER, by="rules", why="no answer")
        # A letter of a multiple choice stands in every text.
        held = next(
            (
                w
                for w in (answer.text, *answer.aliases)
                if len(w) > 1 and names(report, w, language)
            ),
            "",
        )
        if held:
            return Judgement(
                outcome=Outcome.CORRECT, by="rules", given=held, why="stands in the report"
            )
        if self.client is None:
            return Judgement(
                outcome=Outcome.WRONG,
                by="rules",
                why="no wording of the answer stands in the report",
            )

        prompt = render(
            ROLES[ROLE],
            question=fenced("question", question),
            answer=answer_words(answer),
            aliases="; ".join(answer.aliases),
            report=fenced("report", report[:MAX_REPORT_CHARS]),
        )
        try:
            reply = await ask(self.client, prompt, _as_read, item_id=item_id, seed_id=seed_id)
        except (BadReply, ProviderFault) as fault:
            return Judgement(
                outcome=Outcome.JUDGE_FAILED,
                by="",
                why=f"{type(fault).__name__}: {fault}"[:500],
                prompt=prompt.version,
                fault=fault,
            )
        return Judgement(
            outcome=Outcome.CORRECT if reply.contains else Outcome.WRONG,
            by=self.client.roles[ROLE].model,
            why=reply.why,
            prompt=prompt.version,
        )


def _as_read(reply: ReportJudged) -> ReportJudged:
    return reply
