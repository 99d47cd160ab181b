"""The registry refuses filters that would be mistaken for each other, or whose words are missing."""

import asyncio
import dataclasses
import inspect
import pickle
import subprocess
import sys

import pytest

from questloom.records.outcomes import Reason, Rejection
from questloom.transforms import reason_words
from questloom.transforms.filters.filter import Filter, NotRun
from questloom.transforms.filters.registry import FILTERS, check
from questloom.transforms.stages.stage import reject
from tests.pipeline.evolve.asked import question
from tests.pipeline.synth.wordy import WORDY


def checked(filters: tuple[Filter, ...]) -> dict[str, str]:
    """The sentences of all reasons, as they are put together when the program starts."""
    check(filters)
    return reason_words.with_own(filters)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "solvable", "settings": None}, "two filters have the name solvable"),
        ({"reasons": {"not_solvable": "It is not."}}, "two filters have the reason not_solvable"),
        ({"settings": FILTERS[0].settings}, "the settings key answer_in_question"),
        ({"help": "It has no stop"}, "'It has no stop' is no sentence"),
        ({"help": "it begins small."}, "'it begins small.' is no sentence"),
        ({"reasons": {"too_wordy": "words"}}, "'words' is no sentence"),
        ({"reasons": {"too_wordy": ""}}, "'' is no sentence"),
        ({"reasons": {"too wordy": "It has words."}}, "'too wordy' is no reason of a filter"),
        ({"reasons": {"leak": "It leaks."}}, "'leak' has a sentence in reason_words.py"),
    ],
)
def test_a_filter_that_clashes_or_has_no_sentence_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        checked((*FILTERS, dataclasses.replace(WORDY, **changes)))


def test_a_filter_of_its_own_name_and_words_is_taken():
    assert checked((*FILTERS, WORDY))["too_wordy"] == WORDY.reasons["too_wordy"]


def test_every_reason_has_a_sentence():
    assert set(reason_words.REASONS) == set(Reason)


@pytest.mark.parametrize("each", FILTERS, ids=lambda each: each.name)
def test_a_filter_can_be_sent_to_a_worker(each):
    assert pickle.loads(pickle.dumps(each.apply)).__self__.make is each.make


def test_a_filter_that_is_off_lets_a_question_through_with_or_without_its_second_input():
    for given in ((question(),), (question(), None)):
        (verdict,) = NotRun("duplicates")(None)(*given).verdicts
        assert (verdict.filter, verdict.passed, verdict.solver) == ("duplicates", None, "not_run")


def says(reason: str):
    """Makers of a filter, plain and as a coroutine, that rejects every question for a reason."""

    def plain(job):
        return lambda question: reject(question, reason)

    def awaited(job):
        async def judge(question):
            return reject(question, reason)

        return judge

    return plain, awaited


def outcome_of(each: Filter) -> Rejection:
    made = each.apply(None)(question())
    return asyncio.run(made) if inspect.isawaitable(made) else made


@pytest.mark.parametrize("form", [0, 1], ids=["plain", "coroutine"])
def test_a_filter_rejects_for_no_reason_that_has_no_sentence(form):
    for reason in ("too_wordy", Reason.LEAK):
        each = dataclasses.replace(WORDY, make=says(reason)[form])
        assert outcome_of(each).reason == reason
        assert inspect.iscoroutinefunction(each.apply(None)) == bool(form)
    with pytest.raises(ValueError, match="wordy rejects for 'too_words', which its reasons do not"):
        outcome_of(dataclasses.replace(WORDY, make=says("too_words")[form]))


def test_the_filters_are_known_without_what_they_run_on():
    heavy = ("apache_beam", "lance", "onnxruntime", "datasketch")
    code = f"import questloom.transforms.filters.registry, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
