"""Finds the words for the parts of a form: nouns, names and kinds. This module also decides which
variable each clause describes."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from questloom.prompts.phrases import PropertyPhrase, language_data, property_phrase, verb_forms
from questloom.prompts.phrases.words import Words
from questloom.records.form import Ask, ClaimClause, ClassClause, Compute, Form, Reads, Term
from questloom.records.knowledge import Value
from questloom.transforms.certificate.description import distances
from questloom.transforms.writing.graph.fuzzy_words import (
    by_stand_in,
    name_like,
    plain_phrase,
    tellable_claims,
)
from questloom.transforms.writing.graph.label_source import WordSource

_ENGLISH = re.compile(r"[A-Z][\w -]* [a-z-]+(?<!us|is|um|ae|ax|ix)(?<!a|i)(?<!ens|ops)")
"""The English name of a species, such as "Rastano goby", and no Latin one or "Fescezza's finch"."""
_UNSAFE = re.compile(r"[\ue000-\uf8ff\x00-\x1f\x7f{}]+")
MAX_LABEL = 120


def clean(label: str) -> str:
    """Cleans a label for use in a sentence: without control characters and marks, and with a
    limited length."""
    return " ".join(_UNSAFE.sub(" ", label).split())[:MAX_LABEL]


@dataclass(kw_only=True)
class FormWords:
    """A form with the words for its parts. A `FormWords` is built once per question; all wordings share it."""

    form: Form
    names: Mapping[str, str]
    classes: Mapping[str, str]
    genders: Mapping[str, str]
    """The pronoun ("he" or "she") of each variable that is a person, where the sex is known."""
    years: Mapping[str, int]
    """The year of each variable that is a date, where a computation needs to know which date came
    first."""
    facts: WordSource
    language: str
    seen: str = ""
    """A word for what everybody sees in the picture, if the word says more than the thing's class
    ("bird" for a species)."""
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    """Draws the tastes."""
    tastes: dict[object, float] = field(init=False, default_factory=dict)
    """How much the draft likes each choice of words, -1 to 1."""
    roles: dict[str, str] = field(init=False)
    """The role ("architect") of each variable that is a person, if a clause of the form gives the
    person a role."""
    literals: set[str] = field(init=False)
    """The variables of dates, numbers and texts."""

    def __post_init__(self) -> None:
        self.data = language_data(self.language)
        self.verbs = verb_forms(self.language)
        self.words = Words(self.data)
        self.claims, self.vague = tellable_claims(self.form)
        self._stand_ins = by_stand_in(self.vague)
        self.computes = {c.out: c for c in self.form.of(Compute)}
        self.reads = {c.var: c for c in self.form.of(Reads)}
        self.stated = {c.var: c.class_id for c in self.form.of(ClassClause)}
        self.literals = set(self.reads)
        if self.form.ask.type != "entity":
            self.literals.add(self.form.ask.var)
        for claim in self.claims:
            if isinstance(claim.object, str) and self.facts.datatype(claim.property) not in (
                "wikibase-item",
                "",
            ):
                self.literals.add(claim.object)
        self.ranks = self._ranks()
        self._phrases: dict[ClaimClause, PropertyPhrase] = {}
        self._nouns: dict[str, str] = {}
        self._kinds: dict[str, tuple[str, ...]] = {}
        # Hundreds of wordings ask the same of each claim and variable.
        self._people: dict[Term, bool] = {}
        self._ends: dict[tuple[int, str], tuple[str, ...]] = {}
        self._describing: dict[str, tuple[tuple[int, str], ...]] = {}
        self.roles = {}
        for i, claim in enumerate(self.claims):
            for var, slot in ((claim.object, "o"), (claim.subject, "s")):
                nouns = self.ends(i, slot)
                if (
                    isinstance(var, str)
                    and var not in self.literals
                    and nouns
                    and self.is_person(var)
                ):
                    self.roles.setdefault(var, nouns[0])

    def taste(self, choice: object) -> float:
        """How much the draft likes a sentence, noun or template, from -1 to 1. Drawn once, so that
        each draft has other favourites, and no way of saying a relation always wins."""
        return self.tastes.setdefault(choice, self.rng.uniform(-1, 1))

    def _ranks(self) -> dict[str, tuple[float, float, str]]:
        """The rank of each variable: its distance from the question. The picture has the highest
        rank. A clause describes the variable with the lower rank."""
        to_ask = distances(self.form)
        to_anchor = distances(
            Form(clauses=self.form.clauses, ask=Ask(var=self.form.anchor, type="entity"))
        )
        return {
            v: (
                float("inf") if v == self.form.anchor else to_ask.get(v, 0),
                -to_anchor.get(v, 0),
                v,
            )
            for v in {*to_ask, *to_anchor}
        }

    # ------------------------------------------------------------ classes and kinds

    def class_id(self, term: Term) -> str:
        """The class of a variable or entity; "" where the class is not known."""
        if isinstance(term, str):
            return self.stated.get(term) or self.classes.get(term, "")
        if term.kind != "entity":
            return ""
        if clause := self._stand_ins.get(term.entity):
            if isinstance(clause.object, str):
                return ""  # years that are counted
            stands = clause.object.entity
            return self.facts.class_of(stands) if clause.kind == "exclusion" else stands
        return self.classes.get(term.entity) or self.facts.class_of(term.entity)

    def kinds(self, term: Term, default: str = "") -> tuple[str, ...]:
        """The kinds to which a term belongs, from the list of kinds in the language's file. The
        kind that is nearest in the class tree comes first. Kinds that are equally near keep the
        order of the language's file.

        The nearest kind decides which words are used. In Wikidata's class tree, both a political
        party and a building are far below "structure", but the two need different words.
        """
        class_id = self.class_id(term)
        if not class_id:
            return (default,) if default else ()
        if class_id not in self._kinds:
            above = [
                {c, self.facts.label(c, "en").lower()} for c in self.facts.superclasses(class_id)
            ]
            self._kinds[class_id] = tuple(
                dict.fromkeys(
                    kind
                    for names in above
                    for kind, of in self.data["kinds"].items()
                    if not names.isdisjoint(of)
                )
            )
        return self._kinds[class_id]

    def is_person(self, term: Term) -> bool:
        if term not in self._people:
            self._people[term] = self.kinds(term)[:1] == ("person",)
        return self._people[term]

    def is_place(self, term: Term, default: bool = False) -> bool:
        """Whether the term is a place, after which "where" may follow: "the town where", not "the
        war where"."""
        kinds = self.kinds(term)
        return kinds[0] in self.data["places"] if kinds else default

    def is_water(self, term: Term) -> bool:
        """Whether "on" means "beside" for this term, as in "a town on a river"."""
        return self.kinds(term)[:1] in {(kind,) for kind in self.data["waters"]}

    def noun(self, var: str) -> str:
        """The noun for a variable: "man" or "woman" for a person, the class in words for any other thing."""
        if self.seen and var == self.form.anchor:
            return self.seen
        if (
            self.is_person(var)
            and self.class_noun(self.class_id(var)) == self.data["default_nouns"]["person"]
        ):
            return {"he": "man", "she": "woman"}.get(
                self.genders.get(var, ""), self.data["default_nouns"]["person"]
            )
        if class_id := self.class_id(var):
            return self.class_noun(class_id)
        return self.data["default_nouns"]["entity"]

    def called(self, var: str) -> str:
        """The noun for a variable at its first mention: for a person, a profession that the form
        states ("an architect")."""
        role = self.roles.get(var, "")
        return role if role in self.data["professions"] else self.noun(var)

    def class_noun(self, class_id: str) -> str:
        """A class's label in everyday words ("human" is "person"; "commune of France" is "commune")."""
        if class_id not in self._nouns:
            self._nouns[class_id] = self._class_noun(class_id)
        return self._nouns[class_id]

    def _class_noun(self, class_id: str) -> str:
        label = clean(self.facts.label(class_id, self.language))
        known = self.data["class_nouns"].get(label.lower())
        if known:
            return known
        return re.split(r" (?:of|in) (?:the )?(?=[A-Z])", label)[0]

    # ------------------------------------------------------------ clauses

    def phrase(self, claim: ClaimClause) -> PropertyPhrase:
        """The phrase for a claim's property, in the variant that fits the claim's subject and
        object."""
        if claim in self._phrases:
            return self._phrases[claim]
        found = self.property_phrase(claim.property, claim.subject, claim.object)
        clause = self.vague.get(claim)
        self._phrases[claim] = plain_phrase(found, clause) if clause else found
        return self._phrases[claim]

    def property_phrase(self, property: str, *ends: Term) -> PropertyPhrase:
        """The phrase for a property, in the variant that fits the subject. If the object is given,
        the variant also fits the object."""
        label = clean(self.facts.label(property, self.language))
        found = property_phrase(property, self.language, label=label)
        return found.variant(*map(self.kinds, ends))

    def ends(self, index: int, slot: str) -> tuple[str, ...]:
        """The nouns for one end of a claim in relation to the other end, such as "spouse". If the
        spouse is known to be a woman, the noun is "wife"."""
        if (index, slot) in self._ends:
            return self._ends[index, slot]
        claim = self.claims[index]
        phrase, var = self.phrase(claim), claim.object if slot == "o" else claim.subject
        gender = self.genders.get(var, "") if isinstance(var, str) else ""
        table = self.data["by_gender"]
        self._ends[index, slot] = tuple(
            table.get(noun, {}).get(gender, noun)
            for noun in (phrase.o if slot == "o" else phrase.s)
        )
        return self._ends[index, slot]

    def describing(self, var: str) -> tuple[tuple[int, str], ...]:
        """The claims that can describe a variable. Each claim is given as its index in `claims`,
        and the variable's place in the claim: "s" (subject) or "o" (object)."""
        if var in self._describing:
            return self._describing[var]
        found: list[tuple[int, str]] = []
        for i, claim in enumerate(self.claims):
            told = claim.object not in self.literals or claim.object in self.reads
            if claim.subject == var and told:
                found.append((i, "s"))
            elif claim.object == var:
                found.append((i, "o"))
        self._describing[var] = tuple(found)
        return self._describing[var]

    def definition(self, literal: Term) -> tuple[int, ClaimClause]:
        """The index of the claim whose object is the given literal variable (a date, number or
        text), and the claim."""
        return next((i, c) for i, c in enumerate(self.claims) if c.object == literal)

    # ------------------------------------------------------------ names and values

    def name(self, term: Value | str) -> str:
        """The name of a constant entity, with article or quotation marks where English needs them."""
        entity_id = term.entity if isinstance(term, Value) else term
        if clause := self._stand_ins.get(entity_id):
            stands = clause.object
            if isinstance(stands, str) or clause.kind == "exclusion":
                return self.name(stands) if isinstance(stands, Value) else ""
            return name_like(clause, self.class_noun(stands.entity), self.words)
        name = clean(self.names.get(entity_id) or self.facts.label(entity_id, self.language))
        name = self.data["class_nouns"].get(name, name)  # "footballer", an occupation
        kinds = self.kinds(term) if isinstance(term, Value) else ()
        data = self.data
        if any(k in data["quoted_kinds"] for k in kinds):
            return f"“{name}”"
        if name in data["the_names"] or re.match(r"\d{4} [A-Z]", name):
            return f"the {name}"  # "the 1919 Balaro election"
        if name.split(" ")[0] in ("The", "the", "A", "An"):
            return name
        if "taxon" in kinds and _ENGLISH.fullmatch(name):
            return f"the {name}"
        endings = tuple(f" {e}" for e in data["the_endings"])
        head = re.match(r"((?:[A-Z][\w’'-]* (?:and |of )?)*?[A-Z]\w+) (?:of|for) ", name)
        if (
            any(k in data["the_kinds"] for k in kinds)
            or (head and head[1].split(" ")[-1] in data["the_of"])
            or name.endswith(endings)
        ):
            return f"the {name}"
        return name

    def value(self, value: Value) -> str:
        """The words for a constant in a sentence: a name, a date, a number with its unit, or a
        text."""
        words = self.words
        match value.kind:
            case "entity":
                return self.name(value)
            case "time":
                return words.date(value)
            case "quantity" if value.number is not None:
                if not value.unit:
                    return words.number(value.number)
                return f"{words.digits(value.number)} {self.unit(value.unit, value.number)}"
            case "monolingual" | "string":
                return clean(value.text)
            case _:
                return clean(value.text) or "an unknown value"

    def unit(self, unit: str, number: float | None = None) -> str:
        """The words of a unit ("metres"), from its id or its name."""
        label = self.data["units"].get(unit) or clean(self.facts.label(unit, self.language))
        return label if label.endswith("s") else self.words.unit(label, number)


def place_of_writing(words: FormWords, reads: Reads) -> str:
    """Where a question says that writing stands: on a "part", a "whole" thing or a "cover", in the
    question's "picture", or in the picture or portrait of a later thing. Nobody says that something
    is written on a person or a mineral."""
    part, kinds = words.class_noun(reads.part) if reads.part else "", words.kinds(reads.of)
    if part and part not in words.data["parts_written"]:
        return "part"
    if kinds and kinds[0] not in words.data["unwritten"]:
        return "cover" if "book" in kinds else "whole"
    if reads.of == words.form.anchor:
        return "picture"
    return "portrait_of" if words.is_person(reads.of) else "picture_of"
