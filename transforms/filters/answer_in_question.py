"""`answer_in_question` (VSearcher): drops a question that contains its own answer, or an alias of it."""

from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.certificate.facts import Facts
from questloom.transforms.certificate.leak import answer_names, leaked
from questloom.transforms.stages.stage import reject


def answer_in_question(
    question: Question, facts: Facts, languages: tuple[str, ...]
) -> Question | Rejection:
    """The question with its verdict, or the rejection that names what it contains."""
    hit = leaked(question.text, answer_names(facts, question.answer, languages))
    if hit is not None:
        return reject(question, Reason.ANSWER_IN_QUESTION, {"found": hit})
    return question.with_verdict(
        Verdict(filter="answer_in_question", passed=True, solver="string_match")
    )
