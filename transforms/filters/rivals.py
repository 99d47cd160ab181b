"""Turns a solver's wrong answer into values of the store. The certificate then tests whether the
value of a wrong answer also fits the question."""

from typing import Protocol

from questloom.agent.judges.dates import dates
from questloom.knowledge.dates import time_value
from questloom.knowledge.readers.titles import normalise_title
from questloom.language.amounts import numbers
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer, Question, Verdict
from questloom.transforms.filters.solvers import wrong_answers


class Titles(Protocol):
    """The part of the store that this module needs."""

    def entity_of_title(self, title: str) -> str | None: ...


def rival_keys(store: Titles, answer: Answer, said: str, language: str = "en") -> tuple[str, ...]:
    """The entity id, or the keys of values, that a wrong answer may mean. The kind of the right
    answer decides how the wrong answer is read. Empty where the wrong answer names nothing known.

    >>> rival_keys(None, Answer(value=Value(kind="time", time="+1889-00-00T00:00:00Z", precision=9), text="1889", type="date"), "in 1887")
    ('time:+1887/9',)
    """
    match answer.value.kind:
        case "entity":
            found = store.entity_of_title(normalise_title(said))
            return (found,) if found else ()
        case "time":
            return tuple(
                time_value(date).key()
                for date, _, _ in dates(said, day_first=language != "en")
                if date.precision >= 9
            )
        case "quantity":
            return tuple(
                Value(kind="quantity", number=n, unit=answer.value.unit).key()
                for n in numbers(said, language)
            )
        case kind:
            return (Value(kind=kind, text=said, language=answer.value.language).key(),)


def named_rivals(
    store: Titles, question: Question, verdict: Verdict
) -> tuple[tuple[str, str], ...]:
    """Gives (words, key) for every value that a wrong answer in a verdict may mean."""
    return tuple(
        (said, key)
        for said in wrong_answers((verdict,))
        for key in rival_keys(store, question.answer, said, question.language)
    )
