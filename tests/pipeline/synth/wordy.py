"""A filter that the program does not have, in one file: `test_adding_a_filter.py` adds it."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Gt

from questloom.records.evolves import Evolves
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.filters.filter import Filter, FilterJob, InLoop, Switch
from questloom.transforms.stages.stage import Apply, reject


def make_wordy(job: FilterJob) -> Apply:
    most = job.recipe.filters.wordy_most

    def check(question: Question) -> Question | Rejection:
        number = len(question.text.split())
        if number > most:
            return reject(question, "too_wordy", {"words": number})
        return question.with_verdict(Verdict(filter="wordy", passed=True, solver="count"))

    return check


@dataclass(frozen=True, kw_only=True)
class WordyRules:
    """Its switch, and its limit."""

    wordy: Switch = True
    """Whether words are counted."""
    wordy_most: Annotated[int, Gt(0), Evolves("filters", 10, 100, 5)] = 60
    """Words of a question at most."""


WORDY = Filter(
    name="wordy",
    help="It is no longer than people would ask.",
    doing="counting words",
    reasons={"too_wordy": "The question has more words than the recipe allows."},
    settings=WordyRules,
    in_loop=InLoop(remedies=(("filters.wordy_most", -1),)),
    make=make_wordy,
)
