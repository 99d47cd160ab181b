"""Finds German words for the things of a form: nouns for classes, names and dates. This module also
records which things the text has mentioned."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from questloom.language.date_words import date_words
from questloom.language.german import GENITIVE, Noun, german, noun
from questloom.records.form import Term
from questloom.records.knowledge import Value
from questloom.records.periods import DAY, parts_of
from questloom.transforms.writing.graph.form_words import FormWords, clean
from questloom.transforms.writing.writer_names import GERMAN


class UnsaidError(Exception):
    """German has no words for a part of the form."""


@dataclass(kw_only=True)
class Things:
    """The things of a form with their German nouns.

    Args:
        words: the form, with the words for its parts.
        bindings: the value of each variable. Two variables with the same value stand for the same
            thing.
        seen: English word for what the eye sees in the picture of a species; "" for other pictures.
    """

    words: FormWords
    bindings: Mapping[str, str]
    seen: str = ""
    mentioned: list[str] = field(default_factory=list)
    """The variables in the order of their first mention."""
    anchor_phrase: str = ""
    roles: dict[str, Noun] = field(default_factory=dict)
    """The nouns of things that the text names by their role, by variable: "Architekt", "Familie"."""

    def noun(self, term: Term) -> Noun:
        """The noun of a thing's class.

        Raises: UnsaidError: no superclass has a German noun.
        """
        if isinstance(term, str) and term in self.roles:
            return self.roles[term]
        nouns = german()["nouns"]
        if self.words.is_person(term):
            sex = self.words.genders.get(term, "") if isinstance(term, str) else ""
            return noun(nouns[sex or "person"])
        if term == self.words.form.anchor and self.seen in nouns:
            return noun(nouns[self.seen])
        for class_id in self.words.facts.superclasses(self.words.class_id(term)):
            label = self.words.facts.label(class_id, "en").lower()
            if label in nouns:
                return noun(nouns[label])
        raise UnsaidError(f"a noun for the class {self.words.class_id(term)}")

    def other(self, var: str) -> bool:
        """Whether another thing with the same noun was mentioned before the variable.

        Raises: UnsaidError: two such things were mentioned, and "der andere" would not say which.
        """
        mine = self.noun(var).forms[0]
        before = (
            self.mentioned[: self.mentioned.index(var)] if var in self.mentioned else self.mentioned
        )
        # "Frau" after "Ehefrau" is another woman too.
        alike = [v for v in before if self.noun(v).forms[0].lower().endswith(mine.lower())]
        if len(alike) > 1:
            raise UnsaidError("three things with one noun")
        return bool(alike)

    def known(self, var: str, case: int) -> str:
        """A thing that the text has mentioned, or that the picture shows."""
        if var == self.words.form.anchor:
            said = self.noun(var).this(case)
            self.anchor_phrase = self.anchor_phrase or said
            return said
        return self.noun(var).definite(case, other=self.other(var))

    def mention(self, var: str) -> None:
        """Records that the text mentions a thing.

        Raises: UnsaidError: the text has mentioned the same thing as another variable.
        """
        if var not in self.mentioned:
            if any(self.bindings.get(v) == self.bindings.get(var) for v in self.mentioned):
                raise UnsaidError("one thing under two names")
            self.mentioned.append(var)

    def named(self, value: Value, case: int) -> str:
        """A thing by its name: "dem Museum „Rote Halle“", but "Velm" for a town or a person."""
        label = clean(self.words.facts.label(value.entity, GERMAN))
        if self.kind(value) in german()["bare_names"]:
            return label + ("s" if case == GENITIVE else "")
        if label.endswith(" family"):  # an English label, where there is no German one
            return f"{self.noun(value).definite(case)} {label.removesuffix(' family')}"
        return f"{self.noun(value).definite(case)} „{label}“"

    def kind(self, term: Term) -> str:
        return next(iter(self.words.kinds(term)), "")


def date(value: Value) -> str:
    """A date in words: "am 3. Mai 1850", "im Jahr 1850".

    Raises: UnsaidError: the date is vaguer than a year.
    """
    if value.kind != "time" or value.year is None:
        raise UnsaidError("a date that is no year")
    year, month, day = parts_of(value.time)
    if value.precision < DAY:
        return f"im Jahr {date_words(year, language=GERMAN)}"
    return f"am {date_words(year, month, day, GERMAN)}"
