"""The lenient judge accepts an episode if its last text contains the right answer anywhere.
Published scores of search agents come from judges of this kind.

OpenSearch-VL and Vision-DeepResearch judge the whole report, so a report that names many candidates
passes. Compare scores of the lenient judge only with the scores of OpenSearch-VL and
Vision-DeepResearch. Every table of results also shows the strict judge's score (`answer.py`),
because lenient scores are too high. The lenient judge accepts every answer that the strict judge
accepts.
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
"""Maximum number of characters of a report that the model reads, as in OpenSearch-VL."""


@dataclass(frozen=True, kw_only=True)
class ReportJudge:
    """Judges reports.

    Args:
        client: chat client with the role `judge_report`. If `client` is None, no model is asked: a
            rule accepts a report that contains a wording of the answer.
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
        """Judges one report. The only exception raised is `BudgetExceeded`, if the budget is used
        up.

        Args:
            answer: the expected answer.
            report: the last text of the episode; "" if the episode has no text.
            strict: the strict judge's verdict on the final answer.
            question: the question's text.
            language: language of question and answer.
            item_id, seed_id: ids for the ledger.
        """
        if strict.outcome is Outcome.CORRECT:
            return strict
        if is_nothing(report):
            return Judgement(outcome=Outcome.NO_ANSWER, by="rules", why="no answer")
        # Every text contains the letter of a multiple choice.
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
            answer=answer_words(answer, language),
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
