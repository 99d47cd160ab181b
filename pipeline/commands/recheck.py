"""Rechecks a run on another snapshot. The recheck executes the formal query of every kept question
again. The recheck asks whether the answer is still the same, whether no other answer fits, and
whether the evidence still exists.

Facts change: a question that was right in March may have two answers in October. The recheck
changes no file of the run. The user decides whether to publish the run without the outdated
questions, or to write new questions for them.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from questloom.files.locations import check_locations, location
from questloom.knowledge.store.store import Store
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.report.run_reader import Run, open_run
from questloom.records.errors import InputError
from questloom.records.form import ClaimClause, Form
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Question
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify, given_by_picture
from questloom.transforms.certificate.evidence import claim_of
from questloom.transforms.certificate.execute import (
    Binding,
    TooLarge,
    answers,
    binding_of,
    resolve,
)
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.values import best_values
from questloom.transforms.writing.form_edits import constants


class Outcome(StrEnum):
    """What the recheck of a question on the other store has found."""

    UNCHANGED = "unchanged"
    ANSWER_CHANGED = "answer_changed"
    """The question still has exactly one answer, but another answer than before."""
    NOT_UNIQUE = "no_longer_unique"
    """Other answers fit too, or a rival (a wrong answer) now fits almost as well as the right
    answer.
    """
    EVIDENCE_GONE = "evidence_gone"
    """A claim on which the question depends no longer exists."""
    ENTITY_GONE = "entity_gone"
    """The store does not contain an entity of the question."""
    OTHER_CHECK = "other_check_fails"
    """The answer is the same and unique, but another check fails: the question can now be answered
    without its picture, or its text reveals a name.
    """
    NO_FORM = "not_executable"
    """The question comes from an external data set, so it has no formal query."""


WORDS = {
    Outcome.UNCHANGED: "unchanged",
    Outcome.ANSWER_CHANGED: "answer changed",
    Outcome.NOT_UNIQUE: "no longer unique",
    Outcome.EVIDENCE_GONE: "evidence gone",
    Outcome.ENTITY_GONE: "entity gone",
    Outcome.OTHER_CHECK: "another check fails",
    Outcome.NO_FORM: "not executable (no form)",
}
MAX_SHOWN = 10
"""The text for people names at most this number of changed questions. The option `--json` gives all
changed questions.
"""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The outcome of a question. If a question is refused, `reason` and `evidence` say why."""

    question_id: str
    text: str
    outcome: str
    reason: str = ""
    evidence: Any = None


@dataclass(frozen=True, kw_only=True)
class Recheck:
    """The outcomes of all kept questions of a run on another store."""

    run: str
    store: str
    snapshot: str
    verdicts: tuple[Verdict, ...]

    @property
    def holds(self) -> bool:
        """Whether no question with a formal query has changed."""
        return all(v.outcome in (Outcome.UNCHANGED, Outcome.NO_FORM) for v in self.verdicts)

    @property
    def counts(self) -> dict[str, int]:
        """The number of questions for each outcome, including zeros."""
        found = Counter(v.outcome for v in self.verdicts)
        return {outcome.value: found[outcome.value] for outcome in Outcome}

    def as_json(self) -> dict[str, Any]:
        """The counts, and one entry for each question."""
        return {
            "run": self.run,
            "store": self.store,
            "snapshot": self.snapshot,
            "num_questions": len(self.verdicts),
            "counts": self.counts,
            "questions": [asdict(v) for v in self.verdicts],
        }

    def as_text(self) -> str:
        """The counts and the first few changed questions, as text."""
        lines = [
            f"{len(self.verdicts):,} kept questions executed again on {self.store}"
            + (f" (as of {self.snapshot})" if self.snapshot else "")
        ]
        lines += [
            f"  {count:>7,}  {WORDS[Outcome(name)]}"
            for name, count in self.counts.items()
            if count or name == Outcome.UNCHANGED
        ]
        changed = [
            v for v in self.verdicts if v.outcome not in (Outcome.UNCHANGED, Outcome.NO_FORM)
        ]
        for verdict in changed[:MAX_SHOWN]:
            lines += [
                "",
                f"{WORDS[Outcome(verdict.outcome)]}: {verdict.text}",
                f"    {json.dumps(verdict.evidence, ensure_ascii=False)[:300]}",
            ]
        if len(changed) > MAX_SHOWN:
            lines += ["", f"… and {len(changed) - MAX_SHOWN:,} more; --json names them all."]
        return "\n".join(lines)


def recheck_run(run: str, store: str) -> Recheck:
    """Executes the formal query of every kept question again.

    Args:
        run: the folder of a run whose last stage has ended.
        store: a store of the same wiki, usually from a later snapshot.

    Raises:
        InputError: the run or the store does not exist, or the run has no result yet.
    """
    check_locations(reads=[run, store])
    opened, facts = open_run(location(run)), Store.open(store)
    rules = recipe_of(opened.recipe, f"{run}/recipe.json").certificate
    verdicts = tuple(recheck(question, facts, rules) for question in _kept(opened))
    return Recheck(
        run=run,
        store=store,
        snapshot=str(facts.meta.get("snapshot", "")),
        verdicts=tuple(sorted(verdicts, key=lambda v: v.question_id)),
    )


def _kept(run: Run) -> Iterator[Question]:
    if run.last is None:
        raise InputError(
            str(run.folder),
            "has no result yet: its last stage has not ended",
            "Run the same `questloom synth` command again.",
        )
    return run.last.questions()


def recheck(question: Question, facts: Facts, rules: CertificateRules) -> Verdict:
    """Rechecks one question on a store. If entities have been merged, the function uses the entity
    that remains."""

    def verdict(outcome: Outcome, evidence: Any = None, reason: str = "") -> Verdict:
        return Verdict(
            question_id=question.id,
            text=question.text,
            outcome=outcome.value,
            reason=reason,
            evidence=evidence,
        )

    form = question.logical_form
    if form is None:
        return verdict(Outcome.NO_FORM)
    named = sorted(
        {v.entity for v in binding_of(question.bindings).values() if v.kind == "entity"}
        | set(constants(form))
    )
    gone = [e for e in named if facts.entity(e) is None]
    if gone:
        return verdict(Outcome.ENTITY_GONE, {"entities": gone})
    question = _follow_merges(question, {e: facts.entity(e).id for e in named})  # type: ignore[union-attr]
    form = question.logical_form
    assert form is not None
    return _executed(question, form, facts, rules, verdict)


def _executed(
    question: Question, form: Form, facts: Facts, rules: CertificateRules, verdict: Any
) -> Verdict:
    given = given_by_picture(form, binding_of(question.bindings))
    stated = question.answer.value.key()
    try:
        found = [v.key() for v in answers(form, facts, given)]
    except TooLarge as error:
        return verdict(Outcome.NOT_UNIQUE, {"too_large": str(error)})
    if found != [stated]:
        outcome = Outcome.NOT_UNIQUE if stated in found else Outcome.ANSWER_CHANGED
        turned = turned_claims(form, facts, binding_of(question.bindings))
        return verdict(
            outcome if found else Outcome.EVIDENCE_GONE,
            {"was": stated, "is": found, "turned": turned},
        )
    made = certify(question, Lookups(facts, rules.trust, question.language), given, rules)
    if not isinstance(made, Refusal):
        return verdict(Outcome.UNCHANGED)
    if made.reason in (Reason.NOT_UNIQUE, Reason.MARGIN_TOO_SMALL):
        outcome = Outcome.NOT_UNIQUE
    else:
        outcome = (
            Outcome.EVIDENCE_GONE
            if made.reason in (Reason.NO_EVIDENCE, Reason.NOT_STATED)
            else Outcome.OTHER_CHECK
        )
    return verdict(outcome, made.evidence, made.reason.value)


def turned_claims(form: Form, facts: Facts, binding: Binding) -> list[dict[str, Any]]:
    """The claims of a formal query that do not hold on a store. Each claim comes with the values
    that the store has instead.
    """
    turned = []
    for clause in form.of(ClaimClause):
        subject, value = resolve(clause.subject, binding), resolve(clause.object, binding)
        if subject is None or value is None or claim_of(facts, clause, binding) is not None:
            continue
        now = [v.key() for v in best_values(facts, subject.entity, clause.property)]
        turned.append(
            {
                "subject": subject.entity,
                "property": clause.property,
                "was": value.key(),
                "is": now,
            }
        )
    return turned


def _follow_merges(question: Question, now: dict[str, str]) -> Question:
    """The same question, with the ids that its entities have now."""
    if all(old == new for old, new in now.items()):
        return question

    def follow(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: follow(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [follow(v) for v in value]
        return now.get(value, value) if isinstance(value, str) else value

    answer = question.answer
    if answer.value.entity:
        answer = answer.replace(
            value=answer.value.replace(entity=now.get(answer.value.entity, answer.value.entity))
        )
    return question.replace(
        form=follow(question.form), bindings=follow(question.bindings), answer=answer
    )
