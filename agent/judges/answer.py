"""The answer judge decides whether an episode's answer is right. Rules decide first, then a model
if one is configured. A score divides the right answers by all answers: correct, wrong, missing and
unknown ones.

The judge reads only the final answer. If the judge read a whole report, a report with many
candidates would be accepted, because one of them is right by chance. If the rules accept an answer,
the answer counts as right and no model is asked. The judging model must quote the answer that it
read. The quote must occur in the final answer. The quote prevents two errors of the judging model.
A manipulative answer cannot talk the model into a verdict, and the model cannot judge by its own
knowledge.
"""

import re
from dataclasses import dataclass

from questloom.agent.judges.frame import is_nothing
from questloom.agent.judges.match import EXACT, Tolerance, match
from questloom.language.normalise import clean, name_key, solid
from questloom.models.structured import BadReply
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import fenced
from questloom.prompts.phrases.words import answer_words
from questloom.prompts.render import render
from questloom.prompts.replies import AnswerJudged
from questloom.prompts.roles import ROLES
from questloom.records.episodes import Outcome
from questloom.records.errors import ProviderFault
from questloom.records.synthesis import Answer

MAX_SHOWN_CHARS = 1_500
"""Maximum number of characters of a final answer that a model reads. If a long reply has no answer
mark ("Answer: …"), the judge reads only this number of characters and misses a later answer."""
ROLE = "judge_answer"

_MARK = re.compile(
    r"^\W*(?:the\s+)?(?:(?:final|short|exact)\s+)?answer\W{0,4}(?::|\bis\b:?)\W{0,4}(.*)$",
    re.IGNORECASE,
)
_CONFIDENCE = re.compile(r"^\W*confidence\W{0,4}:?\W{0,4}[\d.]+\s?%?\W*$", re.IGNORECASE)
_BOXED = re.compile(r"\\?\bboxed\{((?:[^{}]|\{[^{}]*\})*)\}")


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The verdict of an answer judge, with its evidence."""

    outcome: Outcome
    by: str
    """Who judged: "rules", or the name of the model; "" if the verdict is unknown."""
    given: str = ""
    """The final answer that the judge read."""
    why: str = ""
    """The name of the rule that accepted the answer, the model's reason, or the error that
    occurred."""
    confidence: float | None = None
    """The model's confidence, 0 to 1; None if the model gave no confidence."""
    prompt: str = ""
    """The version of the prompt template with which the model was asked."""
    fault: BadReply | ProviderFault | None = None
    """The reason why the judge failed."""

    @property
    def score(self) -> float | None:
        """The score of a verdict: 1 for correct, 0 for wrong or no answer, None for unknown."""
        return (
            None if self.outcome is Outcome.JUDGE_FAILED else float(self.outcome is Outcome.CORRECT)
        )


@dataclass(frozen=True, kw_only=True)
class AnswerJudge:
    """Judges final answers.

    Args:
        client: chat client with the role `judge_answer`; with None, only the rules decide and reject every unrecognised
            answer (`benchmarks/judge.py` measures how many).
        tolerance: errors of quantities that the rules allow.
    """

    client: Client | None = None
    tolerance: Tolerance = EXACT

    async def judge(
        self,
        answer: Answer,
        said: str,
        *,
        question: str,
        language: str = "en",
        item_id: str = "",
        seed_id: str = "",
    ) -> Judgement:
        """Judges one final answer. If the model or its provider fails, the verdict is "unknown".
        The only exception raised is `BudgetExceeded`.

        Args:
            answer: the expected answer.
            said: the episode's answer; "" if the episode has no answer.
            question: the question's text.
            language: language of question and answer.
            item_id, seed_id: ids for the ledger.
        """
        ruled = judge_by_rules(
            answer, said, question=question, language=language, tolerance=self.tolerance
        )
        if self.client is None or ruled.outcome is not Outcome.WRONG:
            return ruled
        shown = ruled.given[:MAX_SHOWN_CHARS]

        def read(reply: AnswerJudged) -> AnswerJudged:
            if reply.given and not _stands_in(reply.given, shown):
                raise ValueError(
                    "given must be copied from the reply to be marked; it does not stand there"
                )
            if reply.correct and not reply.given:
                raise ValueError("correct cannot be true where no answer is given")
            return reply

        prompt = render(
            ROLES[ROLE],
            question=fenced("question", question),
            answer=answer_words(answer, language),
            aliases="; ".join(answer.aliases),
            reply=fenced("reply", shown),
        )
        try:
            reply = await ask(self.client, prompt, read, item_id=item_id, seed_id=seed_id)
        except (BadReply, ProviderFault) as fault:
            return Judgement(
                outcome=Outcome.JUDGE_FAILED,
                by="",
                given=ruled.given,
                why=f"{type(fault).__name__}: {fault}"[:500],
                prompt=prompt.version,
                fault=fault,
            )
        outcome = (
            Outcome.CORRECT
            if reply.correct
            else Outcome.WRONG
            if reply.given
            else Outcome.NO_ANSWER
        )
        return Judgement(
            outcome=outcome,
            by=self.client.roles[ROLE].model,
            given=reply.given or ruled.given,
            why=reply.why,
            confidence=None if reply.confidence is None else reply.confidence / 100,
            prompt=prompt.version,
        )


def judge_by_rules(
    answer: Answer,
    said: str,
    *,
    question: str = "",
    language: str = "en",
    tolerance: Tolerance = EXACT,
) -> Judgement:
    """What the rules decide: correct, no answer, or wrong. If the rules do not recognise an answer,
    it counts as wrong."""
    given = final_answer(said)
    rule = match(answer, given, question=question, language=language, tolerance=tolerance)
    if rule:
        return Judgement(outcome=Outcome.CORRECT, by="rules", given=given, why=rule)
    if is_nothing(given):
        return Judgement(
            outcome=Outcome.NO_ANSWER, by="rules", given=given[:MAX_SHOWN_CHARS], why="no answer"
        )
    return Judgement(
        outcome=Outcome.WRONG, by="rules", given=given[:MAX_SHOWN_CHARS], why="no rule accepts it"
    )


def final_answer(text: str) -> str:
    """Extracts the final answer from an episode's last text. If the text has one answer mark
    ("Answer: …", `\\boxed{…}`), the text after the mark is the answer. A text without an answer
    mark is the answer as a whole. The whole text also counts if several marks give different
    answers, or if the text goes on after the answer. Only a line that states a confidence may
    follow the answer.

    >>> final_answer("The dome was built later.\\n**Answer:** 1871"), final_answer("Answer: 1871\\nNo, it was 1872.")
    ('1871', 'Answer: 1871\\nNo, it was 1872.')
    """
    text = text.strip()
    lines = [line for line in text.split("\n") if line.strip() and not _CONFIDENCE.match(line)]
    marked: dict[str, str] = {}
    end = -1
    for i, line in enumerate(lines):
        boxes = list(_BOXED.finditer(line))
        if boxes:
            said = [b[1] for b in boxes]
            end = i if not line[boxes[-1].end() :].strip(" .$)]*") else end
        elif found := _MARK.match(line[:2_000]):
            said = [found[1] or "".join(lines[i + 1 : i + 2])]
            end = i if found[1] else i + 1
        else:
            continue
        marked |= {answer.casefold(): answer for answer in map(_undressed, said)}
    if len(marked) == 1 and end == len(lines) - 1:
        return next(iter(marked.values()))
    return _undressed(lines[0]) if len(lines) == 1 else text


def _undressed(text: str) -> str:
    """Removes Markdown marks and a box (`\\boxed{…}`) from a text."""
    box = _BOXED.fullmatch(text.strip())
    return (box[1] if box else text).strip().strip("*_`").strip()


def _stands_in(given: str, shown: str) -> bool:
    return (
        solid(name_key(given)) in solid(name_key(shown))
        if name_key(given)
        else clean(given) in clean(shown)
    )
