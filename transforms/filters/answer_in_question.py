"""`answer_in_question` (VSearcher): drops a question that contains its own answer, or an alias of the answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.filters.filter import (
    Filter,
    FilterJob,
    InLoop,
    Measured,
    Switch,
    languages,
)
from questloom.transforms.stages.stage import Apply, reject

if TYPE_CHECKING:
    from questloom.transforms.facts.lookups import Facts


def answer_in_question(
    question: Question, facts: "Facts", languages: tuple[str, ...]
) -> Question | Rejection:
    """The question with its verdict, or a rejection that names the part of the answer in the question."""
    from questloom.language.names_in_text import leaked
    from questloom.transforms.certificate.leak import answer_names

    hit = leaked(question.text, answer_names(facts, question.answer, languages), languages)
    if hit is not None:
        return reject(question, Reason.ANSWER_IN_QUESTION, {"found": hit})
    return question.with_verdict(
        Verdict(filter="answer_in_question", passed=True, solver="string_match")
    )


def make_answer_in_question(job: FilterJob) -> Apply:
    store, names = job.store, languages(job.recipe)
    return lambda question: answer_in_question(question, store, names)


@dataclass(frozen=True, kw_only=True)
class AnswerInQuestionRules:
    """The setting that switches the filter `answer_in_question` on or off."""

    answer_in_question: Switch = True
    """Whether to drop questions that contain their own answer."""


ANSWER_IN_QUESTION = Filter(
    name="answer_in_question",
    help="The answer does not stand in the question.",
    doing="looking for answers that the question gives away",
    reasons={Reason.ANSWER_IN_QUESTION: "The answer stands in the question."},
    settings=AnswerInQuestionRules,
    of_words=True,
    measured=Measured(512, 512),
    in_loop=InLoop(
        guidance="Read the question once more: neither the answer nor a part of its name may stand in it."
    ),
    make=make_answer_in_question,
)
