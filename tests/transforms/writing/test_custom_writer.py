"""A writer of another package gives words or a refusal, or fails by name; what is no writer is refused before the run."""

import asyncio

import pytest

from examples.terse import Terse
from questloom.pipeline.recipe import recipe_of
from questloom.records.errors import BudgetExceeded, InputError
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.writing.custom import CustomWriterError, custom_writer
from questloom.transforms.writing.rule_reader import RuleReader
from questloom.transforms.writing.writer import Wording
from tests.transforms.writing.llm.hostile_store import hostile_store, teacher_plan, town_plan

HERE = "tests.transforms.writing.test_custom_writer"
WORDS = Wording(text="Who designed this?", anchor_phrase="this")


class Given:
    """Says what the test says."""

    given: object = WORDS

    def __init__(self, store):
        self.store = store

    async def word(self, plan, seed_id):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


class Plain(Given):
    def word(self, plan, seed_id):
        return WORDS


class Short(Given):
    async def word(self, plan):
        return WORDS


class Bare:
    async def word(self, plan, seed_id):
        return WORDS


def word(name="Given"):
    made = custom_writer(f"{HERE}:{name}", hostile_store())
    return asyncio.run(made.word(teacher_plan(), "seed"))


def test_words_and_refusals_pass_and_the_questions_record_the_import_path(monkeypatch):
    assert custom_writer(f"{HERE}:Given", None).name == f"{HERE}:Given"
    assert word() == WORDS
    refusal = Refusal(reason=Reason.NO_WORDING, evidence={"why": "too dull"})
    monkeypatch.setattr(Given, "given", refusal)
    assert word() == refusal


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (KeyError("x"), "KeyError: 'x'"),
        (None, "it returned None, and neither a Wording nor a Refusal"),
        (Wording(text="Who?", anchor_phrase="this"), "do not stand in 'Who"),
        (Wording(text="Who?", anchor_phrase=""), "do not stand in 'Who"),
        (Refusal(reason=Reason.NO_WORDING, evidence={"x": object()}), "not JSON serializable"),
    ],
)
def test_a_fault_of_the_writer_names_writer_and_seed(monkeypatch, given, said):
    monkeypatch.setattr(Given, "given", given)
    with pytest.raises(CustomWriterError, match=said) as failed:
        word()
    assert f"{HERE}:Given failed on a plan of the seed seed" in str(failed.value)
    assert failed.value.__cause__ is not None


def test_a_budget_that_is_spent_makes_the_seed_wait(monkeypatch):
    monkeypatch.setattr(Given, "given", BudgetExceeded())
    with pytest.raises(BudgetExceeded):
        word()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("WORDS", "is no class with a coroutine `word`"),
        ("word", "is no class with a coroutine `word`"),
        ("Plain", "is no class with a coroutine `word`"),
        ("Short", r"does not take \(self, plan, seed_id\)"),
        ("Bare", "cannot be made with a store"),
        ("Nobody", "has no 'Nobody'"),
    ],
)
def test_what_is_no_writer_is_refused_with_its_place(name, said):
    with pytest.raises(InputError, match=said) as refused:
        word(name)
    assert refused.value.where == f"recipe key writer: {HERE}:{name}"


def test_the_fingerprint_holds_the_version_of_the_writer_and_none_of_the_programs_own():
    (identity,) = recipe_of({"writer": f"{HERE}:Given"}, "test").extensions
    assert identity.startswith(f"{HERE}:Given (") and "source " in identity
    assert recipe_of({}, "test").extensions == []


def test_the_example_words_a_path_of_relations_that_it_knows_and_refuses_others():
    store = hostile_store()
    words = asyncio.run(Terse(store).word(teacher_plan(), "seed"))
    assert words == Wording(
        text="On which day was the teacher of this cathedral's architect born?",
        anchor_phrase="this cathedral",
    )
    (vote,) = asyncio.run(RuleReader(store).read(teacher_plan(), words, "seed"))
    assert vote.holds
    refused = asyncio.run(Terse(store).word(town_plan(), "seed"))
    assert isinstance(refused, Refusal) and refused.reason == Reason.NO_WORDING
