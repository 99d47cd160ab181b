"""Recheck: the same store changes nothing; a store with gaps, other answers, twins and merged entities says what changed."""

import pytest
from typer.testing import CliRunner

from questloom.files.opened import Opened
from questloom.knowledge.store.store import Store
from questloom.pipeline.cli import app
from questloom.pipeline.commands.recheck import Outcome, recheck, recheck_run
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from questloom.records.knowledge import Value
from questloom.records.synthesis import Question
from tests.pipeline.small_world import LEAN, SETTINGS, small_recipe, small_store
from tests.run_files import read_stage

RECIPE = small_recipe(
    filters=LEAN,
    enhancement={"share": 0},
    seeds={"count": 160, "rare_min_statements": 4, "anchor_min_in_degree": 1},
    # else the years between two dates are asked, and no date itself
    draft={**SETTINGS["draft"], "detail_share": 0, "computation_share": 0},
)


@pytest.fixture(scope="module")
def store(small) -> str:
    return small


@pytest.fixture(scope="module")
def run(store, tmp_path_factory) -> str:
    out = str(tmp_path_factory.mktemp("run") / "run")
    run_synth(RECIPE, store=store, out=out, opened=Opened())
    return out


@pytest.fixture(scope="module")
def question(run, store) -> Question:
    """A kept question whose answer is the year or day of one claim."""
    facts = Store.open(store)
    for q in read_stage(run, "split", "kept", Question):
        if q.answer.value.kind == "time" and any(
            c.id == q.certificate.evidence[-1].claim_id for c in facts.claims(answer_subject(q))
        ):
            return q
    raise AssertionError("the small run keeps no question about a date")


def answer_subject(question: Question) -> str:
    return question.bindings[question.certificate.evidence[-1].source]


class Altered:
    """A store of which some look-ups give something else."""

    def __init__(self, store: str, **changed) -> None:
        self._store, self._changed = Store.open(store), changed

    def __getattr__(self, name):
        return self._changed.get(name) or getattr(self._store, name)


def test_on_the_same_store_every_question_is_unchanged(run, store):
    made = recheck_run(run, store)
    assert made.verdicts
    assert made.counts == {**dict.fromkeys(Outcome, 0), Outcome.UNCHANGED: len(made.verdicts)}


def test_on_a_store_with_gaps_some_questions_fall_and_each_says_why(run, store, tmp_path):
    other = small_store(tmp_path, gaps=2)
    made = recheck_run(run, other)
    for against, code in ((store, 0), (other, 1)):
        ended = CliRunner().invoke(app, ["recheck", "--run", run, "--store", against])
        assert ended.exit_code == code, ended.output
    fallen = [v for v in made.verdicts if v.outcome != Outcome.UNCHANGED]
    assert fallen
    assert all(v.evidence for v in fallen)
    assert sum(made.counts.values()) == len(made.verdicts) == made.as_json()["num_questions"]
    assert fallen[0].text in made.as_text()


def test_another_value_of_the_asked_claim_is_a_changed_answer(question, store):
    facts = Store.open(store)
    other = Value(
        kind="time", time="+1111-11-11T00:00:00Z", precision=question.answer.value.precision
    )
    last = question.certificate.evidence[-1].claim_id

    def claims(subject):
        return tuple(c.replace(value=other) if c.id == last else c for c in facts.claims(subject))

    verdict = recheck(question, Altered(store, claims=claims), RECIPE.certificate)
    assert verdict.outcome == Outcome.ANSWER_CHANGED
    assert "1111" in verdict.evidence["is"][0]
    (turned,) = verdict.evidence["turned"]
    assert turned["subject"] == answer_subject(question) and "1111" in turned["is"][0]


def test_a_second_value_of_the_asked_claim_is_no_longer_unique(question, store):
    facts = Store.open(store)
    other = Value(
        kind="time", time="+1111-11-11T00:00:00Z", precision=question.answer.value.precision
    )
    last = question.certificate.evidence[-1].claim_id

    def claims(subject):
        return tuple(
            x
            for c in facts.claims(subject)
            for x in ((c, c.replace(value=other, statement="twin")) if c.id == last else (c,))
        )

    assert (
        recheck(question, Altered(store, claims=claims), RECIPE.certificate).outcome
        == Outcome.NOT_UNIQUE
    )


def test_without_the_asked_claim_the_evidence_is_gone(question, store):
    facts = Store.open(store)
    last = question.certificate.evidence[-1].claim_id
    verdict = recheck(
        question,
        Altered(store, claims=lambda s: tuple(c for c in facts.claims(s) if c.id != last)),
        RECIPE.certificate,
    )
    assert verdict.outcome == Outcome.EVIDENCE_GONE


def test_an_entity_that_the_store_does_not_know_is_named(question, store):
    facts, gone = Store.open(store), question.anchor
    verdict = recheck(
        question,
        Altered(store, entity=lambda e: None if e == gone else facts.entity(e)),
        RECIPE.certificate,
    )
    assert (verdict.outcome, verdict.evidence) == (Outcome.ENTITY_GONE, {"entities": [gone]})


def test_an_entity_that_was_merged_is_followed(question, store):
    old = question.anchor + "0000"
    before = question.replace(
        bindings={v: old if e == question.anchor else e for v, e in question.bindings.items()},
        anchor=old,
    )
    facts = Store.open(store)
    merged = Altered(store, entity=lambda e: facts.entity(question.anchor if e == old else e))
    assert recheck(before, merged, RECIPE.certificate).outcome == Outcome.UNCHANGED


def test_a_question_without_a_form_cannot_be_executed(question, store):
    assert (
        recheck(question.replace(form=None), Store.open(store), RECIPE.certificate).outcome
        == Outcome.NO_FORM
    )


def test_a_folder_that_holds_no_run_is_refused(store, tmp_path):
    with pytest.raises(InputError, match="no run"):
        recheck_run(str(tmp_path), store)
