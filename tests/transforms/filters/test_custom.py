"""A custom filter keeps, drops with a reason that it explains, or fails by name; what is no filter is refused before the run."""

import pickle

import pytest

from questloom.files.extensions import load_extension
from questloom.pipeline.recipe import recipe_of
from questloom.records.errors import BudgetExceeded, InputError
from questloom.records.outcomes import Rejection
from questloom.transforms.filters import registry
from questloom.transforms.filters.custom import (
    CustomFilterError,
    Drop,
    MakeCustom,
    custom_filter,
    words_of_custom,
)
from tests.pipeline.evolve.asked import question

HERE = "tests.transforms.filters.test_custom"
KEPT, DROPPED = question("kept"), question("dropped")


class ByName:
    """The question is not of the dropped seed."""

    reasons = {"dropped": "The seed is called dropped."}  # noqa: RUF012

    def __call__(self, question, store):
        return Drop("dropped", {"store": store}) if question.seed_id == "dropped" else None


class Returns(ByName):
    """What the test says is returned."""

    reasons = {"given": "The test returned it."}  # noqa: RUF012
    given: object = None

    def __call__(self, question, store):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


class ApplePie(ByName):
    """it begins small"""


class Bare:
    """It has no reasons."""

    def __call__(self, question, store):
        return None


class Leaky(ByName):
    """It takes a reason of the program's."""

    reasons = {"leak": "It leaks."}  # noqa: RUF012


class Waiting(ByName):
    """It waits."""

    async def __call__(self, question, store):
        return None


class Short(ByName):
    """It takes too little."""

    def __call__(self, question):
        return None


class Argued(ByName):
    """It is made of something."""

    def __init__(self, limit):
        self.limit = limit


class Duplicates(ByName):
    """It is called like another."""

    reasons = {"other": "It has another reason."}  # noqa: RUF012


class Certify(Duplicates):
    """It is called like a stage."""


class Job:
    store = "the store"


def settings(*names: str):
    return recipe_of({"filters": {"custom": [f"{HERE}:{name}" for name in names]}}, "test").filters


def apply(name: str):
    return custom_filter(f"{HERE}:{name}").apply(Job())


def test_none_keeps_with_a_verdict_and_a_drop_rejects_with_reason_and_evidence():
    (verdict,) = apply("ByName")(KEPT).verdicts
    assert (verdict.filter, verdict.passed, verdict.solver) == ("by_name", True, f"{HERE}:ByName")
    rejected = apply("ByName")(DROPPED)
    assert isinstance(rejected, Rejection)
    assert (rejected.reason, rejected.evidence) == ("dropped", {"store": "the store"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (KeyError("x"), r"KeyError: 'x' \(.*test_custom.py, line \d+\)"),
        (True, "it returned True, and not None"),
        (Drop("odd"), "it dropped for 'odd', which its `reasons` do not explain"),
        (Drop("given", object()), "not JSON serializable"),
    ],
)
def test_a_fault_of_the_filter_names_filter_and_question(monkeypatch, given, said):
    monkeypatch.setattr(Returns, "given", given)
    with pytest.raises(CustomFilterError, match=said) as failed:
        apply("Returns")(KEPT)
    assert f"{HERE}:Returns failed on the question {KEPT.id}" in str(failed.value)
    assert failed.value.__cause__ is not None


def test_a_budget_that_is_spent_makes_the_question_wait(monkeypatch):
    monkeypatch.setattr(Returns, "given", BudgetExceeded())
    with pytest.raises(BudgetExceeded):
        apply("Returns")(KEPT)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("KEPT", "is no class with a plain method"),
        ("settings", "is no class with a plain method"),
        ("Drop", "is no class with a plain method"),
        ("Waiting", "is no class with a plain method"),
        ("Short", r"does not take \(self, question, store\)"),
        ("Bare", "has no `reasons`"),
        ("Argued", "cannot be made without arguments"),
        ("ApplePie", "'it begins small' is no sentence"),
        ("Leaky", "'leak' is no reason of its own"),
        ("Duplicates", "two filters have the name duplicates"),
    ],
)
def test_what_is_no_filter_is_refused_with_its_place(name, said):
    with pytest.raises(InputError, match=said) as refused:
        registry.filters_of(settings(name))
    assert refused.value.where == f"recipe key filters.custom: {HERE}:{name}"


def test_custom_filters_run_after_the_duplicates_in_the_order_of_the_recipe():
    names = [each.name for each in registry.filters_of(settings("ByName", "Returns"))][:5]
    assert names == ["answer_in_question", "duplicates", "by_name", "returns", "text_search"]


def test_two_filters_of_one_reason_are_refused():
    class_names = ("Duplicates", "Certify")
    with pytest.raises(InputError, match="two filters have the"):
        registry.filters_of(settings(*class_names))


def test_a_filter_can_be_sent_to_a_worker_and_one_of_another_version_is_refused_there():
    made = custom_filter(f"{HERE}:ByName").apply
    assert isinstance(pickle.loads(pickle.dumps(made))(Job())(DROPPED), Rejection)
    with pytest.raises(InputError, match=r"a worker has .*, and the job was started with another"):
        MakeCustom(f"{HERE}:ByName", "by_name", "another")(Job())


def test_the_fingerprint_holds_the_version_and_a_recipe_without_custom_filters_imports_nothing():
    recipe = recipe_of({"filters": {"custom": [f"{HERE}:ByName"]}}, "test")
    assert recipe.extensions == [load_extension(f"{HERE}:ByName", "filters", "").identity]
    assert recipe_of({}, "test").extensions == []


def test_a_run_stores_the_words_of_its_custom_filters():
    (words,) = words_of_custom(settings("ByName")).values()
    assert words["help"] == "The question is not of the dropped seed."
    assert words["reasons"] == ByName.reasons and words["identity"].startswith(f"{HERE}:ByName (")
