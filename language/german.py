"""Reads German nouns and sentences from `german.yaml`, and gives their inflected forms. A noun has
a gender and four cases. A sentence is stored in parts, which can be joined to a statement, a
question or a relative clause."""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

NOMINATIVE, GENITIVE, DATIVE, ACCUSATIVE = 1, 2, 3, 4
_ENDINGS = {
    "m": ("er", "es", "em", "en"),
    "f": ("e", "er", "er", "e"),
    "n": ("es", "es", "em", "es"),
}
_DEFINITE = {
    "m": ("der", "des", "dem", "den"),
    "f": ("die", "der", "der", "die"),
    "n": ("das", "des", "dem", "das"),
}
_INDEFINITE = {
    "m": ("ein", "eines", "einem", "einen"),
    "f": ("eine", "einer", "einer", "eine"),
    "n": ("ein", "eines", "einem", "ein"),
}
_OTHER = {
    "m": ("anderer", "anderen", "anderen", "anderen"),
    "f": ("andere", "anderen", "anderen", "andere"),
    "n": ("anderes", "anderen", "anderen", "anderes"),
}
PRONOUNS = {"m": "er", "f": "sie", "n": "es"}
_WHOSE = {"m": "dessen", "f": "deren", "n": "dessen"}
_PLACE = re.compile(r"\{([sot])([1-4]?)\}")
_PARTICLES = frozenset({"statt", "heraus", "an", "mit", "teil"})
_CONTRACTED = {
    "in dem": "im",
    "von dem": "vom",
    "an dem": "am",
    "zu dem": "zum",
    "bei dem": "beim",
}


@dataclass(frozen=True)
class Noun:
    """A noun with its gender ("m", "f" or "n")."""

    gender: str
    forms: tuple[str, str, str, str]
    """Nominative, genitive, dative, accusative."""

    @staticmethod
    def parse(text: str) -> "Noun":
        """Reads a noun as `german.yaml` writes it: gender, nominative, and perhaps genitive.

        >>> Noun.parse("m Mann Mannes").forms
        ('Mann', 'Mannes', 'Mann', 'Mann')
        >>> Noun.parse("m Architekt -en").forms[2]
        'Architekten'
        """
        gender, noun, *more = text.split()
        if more == ["-en"]:
            return Noun(gender, (noun, *(noun + "en",) * 3))
        genitive = more[0] if more else noun if gender == "f" else noun + "s"
        return Noun(gender, (noun, genitive, noun, noun))

    def definite(self, case: int, *, other: bool = False) -> str:
        """ "der Mann", "dem anderen Mann"."""
        return self._after(_DEFINITE[self.gender][case - 1], case, self._the_other(case, other))

    def indefinite(self, case: int, *, other: bool = False) -> str:
        """ "ein Mann", "einem anderen Mann"."""
        adjective = _OTHER[self.gender][case - 1] if other else ""
        return self._after(_INDEFINITE[self.gender][case - 1], case, adjective)

    def this(self, case: int) -> str:
        """ "dieser Mann", "diesem Mann"."""
        return self._after("dies" + _ENDINGS[self.gender][case - 1], case)

    def own(self, owner: str, case: int) -> str:
        """The noun after "sein" or "ihr", depending on the owner's gender: "ihrem Tod"."""
        stem = "ihr" if owner == "f" else "sein"
        article = stem + _INDEFINITE[self.gender][case - 1].removeprefix("ein")
        return self._after(article, case)

    def which(self, case: int, *, other: bool = False) -> str:
        """ "welcher Mann", "welchem anderen Mann"."""
        article = "welch" + _ENDINGS[self.gender][case - 1]
        return self._after(article, case, self._the_other(case, other))

    def relative(self, case: int) -> str:
        """The relative pronoun, which is the definite article but in the genitive: "der", "dessen"."""
        return _WHOSE[self.gender] if case == GENITIVE else _DEFINITE[self.gender][case - 1]

    def _the_other(self, case: int, other: bool) -> str:
        """ "andere" or "anderen", as it stands after "der", "dieser" and "welcher"; "" if not `other`."""
        if not other:
            return ""
        plain = case == NOMINATIVE or (case == ACCUSATIVE and self.gender != "m")
        return "andere" if plain else "anderen"

    def _after(self, article: str, case: int, adjective: str = "") -> str:
        return " ".join(w for w in (article, adjective, self.forms[case - 1]) if w)


@dataclass(frozen=True)
class Field:
    """A part of a sentence: a placeholder for a thing or a time with the words before it, or words
    without a placeholder."""

    before: str
    slot: str
    """The placeholder: "s" (subject), "o" (object) or "t" (a time); "" if there is none."""
    case: int

    @staticmethod
    def parse(text: str) -> "Field":
        found = _PLACE.search(text)
        if found is None:
            return Field(text.strip(), "", 0)
        assert not text[found.end() :].strip(), f"words behind the thing: {text!r}"
        return Field(text[: found.start()].strip(), found[1], int(found[2] or 0))

    def say(self, thing: str, *, short: bool = False) -> str:
        """The text of this part, with the name of a thing in place of the placeholder. If `short`
        is true, "in dem Museum" becomes "im Museum".

        >>> Field.parse("in {o3}").say("dem Museum", short=True)
        'im Museum'
        """
        words = " ".join(w for w in (self.before, thing) if w)
        for long, said in _CONTRACTED.items() if short else ():
            if words.startswith(f"{long} "):
                return said + words.removeprefix(long)
        return words


@dataclass(frozen=True)
class Sentence:
    """A German sentence, split into its parts. The finite verb stands second in a statement and in
    a question, and last in a relative clause."""

    fields: tuple[Field, ...]
    verb: str
    end: str
    """A participle or a particle that ends a statement: "entworfen", "statt"."""

    @staticmethod
    def parse(text: str) -> "Sentence":
        """Reads a sentence as `german.yaml` writes it, with its parts separated by "|".

        >>> Sentence.parse("{s1} | wurde | von {o3} | entworfen").statement(["die Burg", "von ihr"])
        'die Burg wurde von ihr entworfen'
        """
        first, verb, *rest = (part.strip() for part in text.split("|"))
        others = [Field.parse(part) for part in rest[0].split(";")] if rest else []
        return Sentence(
            (Field.parse(first), *others), verb, rest[1].strip() if len(rest) > 1 else ""
        )

    def statement(self, said: Sequence[str]) -> str:
        """Joins the given texts to a statement, with the verb in second place."""
        return " ".join(w for w in (said[0], self.verb, *said[1:], self.end) if w)

    def clause(self, said: Sequence[str]) -> str:
        """Joins the given texts to a relative clause, with the verb at the end: "die von ihr
        entworfen wurde"."""
        # A separated particle joins its verb again: "fand ... statt", "stattfand".
        verb = self.end + self.verb if self.end in _PARTICLES else f"{self.end} {self.verb}".strip()
        return " ".join([*said, verb])


@functools.cache
def german() -> dict[str, Any]:
    """The content of `german.yaml`."""
    return yaml.safe_load(Path(__file__).with_name("german.yaml").read_text(encoding="utf-8"))


@functools.cache
def noun(text: str) -> Noun:
    return Noun.parse(text)


@functools.cache
def sentence(text: str) -> Sentence:
    return Sentence.parse(text)
