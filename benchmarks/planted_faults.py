"""Plants faults in certified questions. Checks that a verifier refuses the questions with faults.
Each kind of fault has its verifier.

    python -m benchmarks.planted_faults --world WORLD --store STORE --run RUN [--most 200]

A fault counts only if the truth of the invented world confirms that it is a fault. For example, a
question stays correct if a redundant clause is dropped, or if a property that holds both ways is
reversed. The kinds of faults are:

* dropped clause: the question's form (its query) without one clause;
* reversed property: the form in which subject and object of one claim are exchanged;
* added twin: a second entity with the same claims as an entity that the question describes or asks
  for; all claims that point at the entity also point at its twin;
* twin with one gap: an added twin, for which the store lacks one describing claim; only the margin
  check can notice this fault;
* wrong picture: a picture of another entity, of the same class or of another class; pictures of the
  same class are tried with and without Commons statements;
* leak: the question's words contain the name of a hidden thing or of the answer; the name is
  unchanged, in lower case, or without accents.
"""

import argparse
import platform
import random
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.truth import rows, share
from benchmarks.truth_reader.execution import Execution, TooMany
from benchmarks.truth_reader.query import (
    Atom,
    Compared,
    Has,
    Kind,
    Pictured,
    Query,
    Related,
    Seen,
    Target,
    Winner,
)
from benchmarks.truth_reader.reader import answered
from benchmarks.truth_reader.world import Thing, Truth, literal_of
from questloom.knowledge.dates import index_keys, keys_overlap
from questloom.knowledge.store.store import Store
from questloom.models.calibration import Calibration
from questloom.models.clip import Clip
from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Compare,
    Compute,
    Form,
    Image,
    Reads,
    SentenceClause,
    Term,
    variables,
)
from questloom.records.identity import chance
from questloom.records.knowledge import Claim, Entity, ImageAsset, Value, entity_value
from questloom.records.outcomes import Rejection
from questloom.records.periods import parts_of, time_of, years_after
from questloom.records.synthesis import Question
from questloom.transforms.certificate.certify import Refusal, certify, given_by_picture
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.pictures.checkpoint_quality import check_grounding
from questloom.transforms.pictures.picture_chooser import PictureChooser
from questloom.transforms.stages.run_folder import RunFolder

GOAL = 0.99
TWIN = "Q999999999"
DROPPED, REVERSED, TWINNED, GAP, LEAK = (
    "dropped clause",
    "reversed property",
    "added twin",
    "twin with one gap",
    "leak",
)
ALIKE, ALIKE_BARE, UNLIKE_BARE = (
    "picture of another alike",
    "the same without statements",
    "picture of another class, bare",
)
KINDS = (DROPPED, REVERSED, TWINNED, GAP, ALIKE, ALIKE_BARE, UNLIKE_BARE, LEAK)
OP_KINDS = {
    "difference": "difference",
    "sum": "sum",
    "ratio": "ratio",
    "count": "count",
    "duration_years": "years",
}


# ---------------------------------------------------------------- forms by the truth


def query_of(form: Form, truth: Truth, bindings: dict[str, str]) -> tuple[Query, dict] | None:
    """Turns a form into a query over the truth, with the query's initial bindings. Returns None if
    claims cannot express the form.
    """
    atoms: list[Atom] = []
    bound: dict[str, Any] = {}
    literal_properties = {p for t in truth.things.values() for p in t.literals}

    def thing(term: Term) -> str:
        if isinstance(term, str):
            return term
        bound[f"c{term.entity}"] = term.entity
        return f"c{term.entity}"

    asked = Target(
        {
            "entity": "thing",
            "date": form.ask.precision or "year",
            "quantity": "number",
            "string": "text",
        }[form.ask.type],
        (form.ask.var,),
    )
    for number, clause in enumerate(form.clauses):
        match clause:
            case Image():
                atoms.append(Pictured(clause.var))
            case ClassClause():
                atoms.append(
                    Kind(
                        clause.var,
                        truth.things[clause.class_id].label
                        if clause.class_id in truth.things
                        else clause.class_id,
                    )
                )
            case ClaimClause() if clause.property in literal_properties:
                if isinstance(clause.subject, Value) and clause.subject.kind != "entity":
                    return None
                key = clause.object if isinstance(clause.object, str) else f"k{number}"
                atoms.append(Has(thing(clause.subject), clause.property, key))
                if isinstance(clause.object, Value):
                    literal = literal_of(clause.object.key())
                    if literal is None:
                        return None
                    atoms.append(Compared(key, "=", literal))
            case ClaimClause():
                atoms.append(
                    Related(thing(clause.subject), f">{clause.property}", thing(clause.object))
                )
            case Compare():
                right = (
                    clause.right
                    if isinstance(clause.right, str)
                    else literal_of(clause.right.key())
                )
                if not isinstance(clause.left, str) or right is None:
                    return None
                atoms.append(Compared(clause.left, clause.op, right))
            case Compute() if clause.op in OP_KINDS:
                if clause.out != form.ask.var or not all(isinstance(a, str) for a in clause.args):
                    return None
                kind = (
                    "full_years"
                    if clause.op == "duration_years" and form.ask.precision == "day"
                    else OP_KINDS[clause.op]
                )
                dated = any(
                    bindings.get(a, "").startswith("time:")
                    for a in clause.args
                    if isinstance(a, str)
                )
                asked = Target(
                    "years" if kind == "difference" and dated else kind,
                    tuple(a for a in clause.args if isinstance(a, str)),
                )
            case Compute():
                among, keys = (
                    tuple(map(thing, clause.args)),
                    tuple(k for k in clause.keys if isinstance(k, str)),
                )
                atoms.append(Winner(clause.out, among, keys, clause.op in ("latest", "largest")))
            case Reads():
                what = (
                    "year"
                    if bindings.get(clause.var, "").startswith("time:")
                    else "count"
                    if clause.property == "P1114"
                    else "text"
                )
                atoms.append(Seen(clause.of, clause.var, "", what))
            case SentenceClause():
                return None
    return Query(tuple(atoms), asked), bound


def true_answers(
    form: Form, truth: Truth, picture: frozenset[str], bindings: dict[str, str]
) -> set | None:
    """Returns all answers that a form has according to the truth. Returns None if the search is too
    large, or if the form cannot be a query.
    """
    made = query_of(form, truth, bindings)
    if made is None:
        return None
    execution = Execution(
        truth, lambda t, e, noun: noun in t.things[e].classes, picture, beyond=False
    )
    try:
        return answered(execution, made[0], made[1])[0]
    except (TooMany, KeyError):
        return None


# ---------------------------------------------------------------- overlays


class Overlay:
    """A store that behaves like a given store, with added claims, an added entity, and other
    pictures of one entity.
    """

    def __init__(
        self,
        base: Store,
        *,
        claims: dict[str, tuple[Claim, ...]] | None = None,
        entity: Entity | None = None,
        images: dict[str, tuple[ImageAsset, ...]] | None = None,
    ) -> None:
        self._base, self._claims, self._entity, self._images = (
            base,
            claims or {},
            entity,
            images or {},
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def entity(self, entity_id: str) -> Entity | None:
        return (
            self._entity
            if self._entity and entity_id == self._entity.id
            else self._base.entity(entity_id)
        )

    def claims(self, subject: str) -> tuple[Claim, ...]:
        base = () if self._entity and subject == self._entity.id else self._base.claims(subject)
        return tuple(
            sorted(
                (*base, *self._claims.get(subject, ())),
                key=lambda c: (c.property, c.value.key(), c.id),
            )
        )

    def _added(self, property: str, value_key: str) -> set[str]:
        return {
            c.subject
            for found in self._claims.values()
            for c in found
            if c.best and c.property == property and keys_overlap(value_key, c.value.key())
        }

    def subjects(self, property: str, value_key: str, *, limit: int = 10_000) -> tuple[str, ...]:
        return tuple(
            sorted(
                {
                    *self._base.subjects(property, value_key, limit=limit),
                    *self._added(property, value_key),
                }
            )
        )

    def num_subjects(self, property: str, value_key: str) -> int:
        return self._base.num_subjects(property, value_key) + len(self._added(property, value_key))

    def subjects_by_value(self, property: str) -> Iterator[tuple[str, list[str]]]:
        found = defaultdict[str, set[str]](set)
        for key, subjects in self._base.subjects_by_value(property):
            found[key].update(subjects)
        for claim in (c for added in self._claims.values() for c in added):
            if claim.best and claim.property == property:
                for key in index_keys(claim.value):
                    found[key].add(claim.subject)
        return ((key, sorted(found[key])) for key in sorted(found))

    def claims_into(self, entity_id: str, *, limit: int = 10_000) -> tuple[Claim, ...]:
        base = (
            ()
            if self._entity and entity_id == self._entity.id
            else self._base.claims_into(entity_id, limit=limit)
        )
        return (
            *base,
            *(
                c
                for found in self._claims.values()
                for c in found
                if c.best and c.value.entity == entity_id
            ),
        )

    def members(self, class_id: str, *, limit: int = 10_000) -> tuple[str, ...]:
        more = (
            [self._entity.id]
            if self._entity and class_id in (*self._entity.classes, *self._entity.class_closure)
            else []
        )
        return tuple(sorted((*self._base.members(class_id, limit=limit), *more)))

    def num_members(self, class_id: str) -> int:
        return len(self.members(class_id))

    def article(self, entity_id: str):
        return (
            None if self._entity and entity_id == self._entity.id else self._base.article(entity_id)
        )

    def images_of(self, entity_id: str) -> tuple[ImageAsset, ...]:
        if entity_id in self._images:
            return self._images[entity_id]
        return (
            () if self._entity and entity_id == self._entity.id else self._base.images_of(entity_id)
        )

    def is_pictured(self, entity_id: str) -> bool:
        return bool(self.images_of(entity_id))


def changed(value: Value) -> Value:
    """Returns a different value of the same kind, such as the next year. The twin gets this wrong
    value instead of the answer.
    """
    if value.kind == "time":
        year, month, day = parts_of(value.time)
        return value.replace(time=time_of(years_after(year, 1), month, day))
    return value.replace(number=(value.number or 0) + 1) if value.kind == "quantity" else value


def twin_store(
    store: Store, entity_id: str, near: set[str], asked: set[str], lacking: str = ""
) -> Overlay:
    """A store with an added twin of an entity. The entities in `near` point at both the entity and
    its twin. The twin has other values for the asked properties, and no value for the property
    `lacking`.
    """
    entity = store.entity(entity_id)
    assert entity is not None
    claims = {
        TWIN: tuple(
            c.replace(subject=TWIN, value=changed(c.value) if c.property in asked else c.value)
            for c in store.claims(entity_id)
            if c.property != lacking
        )
    }
    for claim in store.claims_into(entity_id):
        if claim.subject in near:
            claims[claim.subject] = (
                *claims.get(claim.subject, ()),
                claim.replace(value=entity_value(TWIN)),
            )
    return Overlay(
        store,
        claims=claims,
        entity=entity.replace(id=TWIN, labels={"en": "Twin"}, aliases={}, sitelinks={}),
    )


@contextmanager
def twin_truth(truth: Truth, entity_id: str, near: set[str], asked: set[str]) -> Iterator[None]:
    """Adds the twin that `twin_store` makes to the truth, as long as the block runs."""
    old = truth.things[entity_id]
    twin = Thing(TWIN, "Twin", ("Twin",), old.classes, details=old.details)
    for prop, items in old.items.items():
        twin.items[prop] = list(items)
        for item in items:
            truth.into[prop, item].append(TWIN)
    for prop, literals in old.literals.items():
        twin.literals[prop] = [_changed_literal(x) if prop in asked else x for x in literals]
    truth.things[TWIN] = twin
    pointing = [
        (prop, s)
        for (prop, item), subjects in list(truth.into.items())
        if item == entity_id
        for s in subjects
        if s in near
    ]
    for prop, subject in pointing:
        truth.things[subject].items[prop].append(TWIN)
        truth.into[prop, TWIN].append(subject)
    try:
        yield
    finally:
        for prop, subject in pointing:
            truth.things[subject].items[prop].remove(TWIN)
            truth.into[prop, TWIN].remove(subject)
        for prop, items in old.items.items():
            for item in items:
                truth.into[prop, item].remove(TWIN)
        del truth.things[TWIN]


def _changed_literal(value):
    if isinstance(value, tuple):
        return (value[0] + 1, *value[1:])
    return type(value)(value.number + 1, value.unit) if hasattr(value, "number") else value


# ---------------------------------------------------------------- planting


class Planter:
    """Plants faults in a run's questions and counts which checks refuse them."""

    def __init__(self, truth: Truth, store: Store, recipe: Recipe) -> None:
        self.truth, self.store, self.recipe = truth, store, recipe
        self.planted: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        self.missed: list[str] = []

    def plant(self, question: Question) -> None:
        """Plants every fault that is possible in the question."""
        form = question.logical_form
        files = self.truth.files.get(question.source_image_id)
        if form is None or files is None:
            return
        answers = true_answers(form, self.truth, files, question.bindings)
        if answers is None or len(answers) != 1:
            return  # even the truth has more than one answer: `benchmarks.truth` counts such questions
        for clause in form.clauses:
            if not isinstance(clause, Image):
                self._changed_form(DROPPED, question, form.without(clause), files, answers)
            if (
                isinstance(clause, ClaimClause)
                and isinstance(clause.object, str)
                and question.bindings.get(clause.object, "").startswith("Q")
            ):
                turned = tuple(
                    c.__class__(**{**vars(c), "subject": c.object, "object": c.subject})
                    if c is clause
                    else c
                    for c in form.clauses
                )
                self._changed_form(
                    REVERSED, question, Form(clauses=turned, ask=form.ask), files, answers
                )
        self._twins(question, form, files, answers)
        self._leaks(question, form)
        self._pictures(question)

    def _note(
        self, kind: str, refusal: Refusal | Rejection | Question | tuple | None, text: str
    ) -> None:
        self.planted[kind] += 1
        if isinstance(refusal, Refusal | Rejection):
            self.refused[kind, str(refusal.reason)] += 1
        else:
            self.missed.append(f"MISSED {kind}: {text}")

    def _certify(self, question: Question, form: Form, facts: Any) -> Question | Refusal:
        bindings = {
            v: k
            for v, k in question.bindings.items()
            if any(v in variables(c) for c in form.clauses)
        }
        changed_question = question.replace(
            form=form.to_json(), bindings=bindings, certificate=None
        )
        given = given_by_picture(form, binding_of(question.bindings))
        rules = self.recipe.certificate
        return certify(changed_question, Lookups(facts, rules.trust), given, rules)

    def _changed_form(
        self, kind: str, question: Question, form: Form, files: frozenset[str], answers: set
    ) -> None:
        found = true_answers(form, self.truth, files, question.bindings)
        if found == answers:
            return  # redundant, or true both ways
        if found is None and form.ask.var in {v for c in form.clauses for v in variables(c)}:
            return  # the truth cannot decide it
        self._note(
            kind, self._certify(question, form, self.store), f"{question.text} {form.to_json()}"
        )

    def _twins(self, question: Question, form: Form, files: frozenset[str], answers: set) -> None:
        for var, key in sorted(question.bindings.items()):
            if (
                var == form.anchor
                or self.store.entity(key) is None
                or key not in self.truth.things
                or not key.startswith("Q")
            ):
                continue
            claims = [c for c in form.of(ClaimClause) if var in (c.subject, c.object)]
            near = {
                question.bindings.get(t, "") if isinstance(t, str) else t.entity
                for c in claims
                for t in (c.subject, c.object)
            }
            asked = {
                c.property
                for c in claims
                if c.subject == var
                and isinstance(c.object, str)
                and not question.bindings.get(c.object, "").startswith("Q")
            }
            with twin_truth(self.truth, key, near, asked):
                found = true_answers(form, self.truth, files, question.bindings)
            if found is not None and found != answers:
                self._note(
                    TWINNED,
                    self._certify(question, form, twin_store(self.store, key, near, asked)),
                    f"{var}: {question.text}",
                )
                describing = sorted(
                    {c.property for c in claims if c.subject == var and c.property not in asked}
                )
                if describing:
                    lacking = chance(0, question.id, f"planted-gap-{var}").choice(describing)
                    made = self._certify(
                        question, form, twin_store(self.store, key, near, asked, lacking)
                    )
                    self._note(GAP, made, f"{var} without {lacking}: {question.text}")

    def _leaks(self, question: Question, form: Form) -> None:
        rng = chance(0, question.id, "planted-leak")
        hidden = sorted(k for k in question.bindings.values() if k in self.truth.things)
        name = rng.choice([self.truth.things[k].label for k in hidden] + [question.answer.text])
        plain = "".join(
            c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)
        )
        said = rng.choice([name, name.lower(), plain])
        words = question.text.split(" ")
        at = rng.randrange(1, len(words))
        text = " ".join([*words[:at], said, *words[at:]])
        refusal = self._certify(question.replace(text=text), form, self.store)
        self._note(
            LEAK,
            refusal if isinstance(refusal, Refusal) and refusal.reason == "leak" else None,
            text,
        )

    def _pictures(self, question: Question) -> None:
        anchor = self.store.entity(question.anchor)
        assert anchor is not None
        rng = chance(0, question.id, "planted-picture")
        alike = [
            m
            for m in self.store.members(anchor.classes[0])
            if m != anchor.id and self.store.images_of(m)
        ]
        others = [
            t.id
            for t in self.truth.things.values()
            if t.pictures
            and anchor.id != t.id
            and not t.classes & {self.store.label(anchor.classes[0])}
        ]
        if alike:
            images = self.store.images_of(alike[rng.randrange(len(alike))])
            self._pictured(ALIKE, question, images)
            self._pictured(ALIKE_BARE, question, _unstated(images))
        self._pictured(
            UNLIKE_BARE,
            question,
            _unstated(self.store.images_of(others[rng.randrange(len(others))])),
        )

    def _pictured(self, kind: str, question: Question, shown: tuple[ImageAsset, ...]) -> None:
        if not shown:
            return
        chooser = PictureChooser(
            store=Overlay(self.store, images={question.anchor: shown}),  # type: ignore[arg-type]
            clip=Clip.load(self.recipe.models.clip),
            rules=self.recipe.pictures,
            grounding=self.recipe.grounding,
            recipe_seed=self.recipe.seed,
        )
        chooser.__dict__["_calibration"] = (
            self._calibration
        )  # the calibration of the unchanged store
        self._note(
            kind,
            chooser(question.replace(grounding=None)),
            f"{[i.file for i in shown]}: {question.text}",
        )

    @cached_property
    def _calibration(self) -> Calibration | None:
        return check_grounding(
            self.store, Clip.load(self.recipe.models.clip), self.recipe.grounding
        )

    def table(self) -> str:
        """The share of refused faults for each kind of fault, with the reasons of the refusals."""
        lines = []
        for kind in KINDS:
            reasons = {reason: n for (k, reason), n in sorted(self.refused.items()) if k == kind}
            lines.append(
                f"{kind:<30} refused {share(sum(reasons.values()), self.planted[kind])}  {reasons}"
            )
        return "\n".join(lines)


def _unstated(images: tuple[ImageAsset, ...]) -> tuple[ImageAsset, ...]:
    """Pictures without their statements and texts, so that the checks see only the pixels."""
    return tuple(i.replace(depicts=(), categories=(), entity_ids=()) for i in images)


def main() -> None:
    """Prints the share of refused faults. The exit code is 1 if a share is below the goal."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--world", type=Path, required=True)
    options.add_argument("--store", required=True)
    options.add_argument("--run", type=Path, required=True)
    options.add_argument(
        "--most", type=int, default=200, help="questions that faults are planted in"
    )
    options.add_argument(
        "--list", action="store_true", help="also print every fault that was not refused"
    )
    given = options.parse_args()
    recipe = recipe_of(RunFolder(str(given.run)).read_recipe()["recipe"], str(given.run))
    planter = Planter(Truth(given.world), Store.open(given.store), recipe)
    questions = sorted(rows(given.run, "split", "kept", Question), key=lambda q: q.id)
    random.Random(0).shuffle(questions)
    for question in questions[: given.most]:
        planter.plant(question)
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.processor() or platform.machine()}; faults in {min(len(questions), given.most)} questions"
    )
    print(planter.table())
    if given.list:
        print("\n".join(planter.missed))
    sys.exit(
        any(
            sum(n for (k, _), n in planter.refused.items() if k == kind)
            < GOAL * planter.planted[kind]
            for kind in KINDS
        )
    )


if __name__ == "__main__":
    main()
