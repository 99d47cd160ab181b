"""Decides where a text of several sentences may say "he", "she" or "it"."""

import random

from questloom.language.frames import BE
from questloom.records.form import Term
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.noun_phrases import NounPhrases

ANY = "?"
"""Stands for "he or she", for a person whose sex is unknown, or for a named person."""
PICTURE, PAINTING = "the picture", "Q3305213"
"""Stands for the picture among the mentioned things, and the class that it is like."""
DISMISSED = 3.0
"""Cost of "it" beside another thing of which the question could not be asked, unless the sentence
before is about "it": editors gave "… born in a town on a river. On which mountain does it rise?" 4 of
5, and "does that river" 5."""
UNSEXED = 1.0
"""Cost of "she" for somebody of whom the text has not said that she is a woman."""


class Pronouns(NounPhrases):
    """Noun phrases that know what the earlier sentences have said."""

    def __init__(self, form_words: FormWords, rng: random.Random) -> None:
        super().__init__(form_words, rng)
        self._mentioned: list[Term] = []
        self._before: list[Term] = []
        """The terms that the previous sentence has mentioned."""
        self._topic = self.subject = self.subject_words = ""
        """The thing that was the subject of the previous sentence, and of the current one, with the
        words for the latter."""
        self._subjects: set[str] = set()
        """The subjects of all earlier sentences."""
        self._known_before, self._known = frozenset[str](), frozenset[str]()
        """The things that the text has named before the previous sentence, and before this one."""
        self.asking = False
        """Whether the sentence is the question."""

    def _pronoun(self, var: str, *, owner: bool = False) -> str:
        """The pronoun ("he", "she" or "it") of a variable; "" if the pronoun could mean another
        thing of the previous or the current sentence."""
        mine, near = self._gender(var), [*self._before, *self._mentioned, *self.describing]
        if mine == ANY or var not in near:
            return ""
        owns = owner and mine == "it" and self.asking and var == self._topic
        if owns and self._is_alone(var) and self.rng.random() < 0.5:
            return mine  # "A painting made in this town hangs in the Velm Museum. … on its plaque?"
        fresh = len(self._alike(self.introduced[var])) > 1 and var not in self._known_before
        if var == self._topic and mine != "it" and not fresh and not self._has_rival(var, mine):
            return (
                mine  # "A woman influenced the architect of this library. She designed a chapel."
            )
        if var not in self._mentioned:
            # "A museum is named after a man. He is buried in a church. When was it opened?": the museum?
            # In a question, "it" may also be the pictured thing: "How many years later did it open?"
            away = set() if mine != "it" or self.asking else {self.form_words.form.anchor}
            near = [*(v for v in self.introduced if v not in away), *near]
        elif mine == "it":
            # "How many years after that painting was made did its artist die?"
            near = self._mentioned
        # For the reader an architect may be a woman or a man.
        meant = {
            t.key() if isinstance(t, Value) else t
            for t in near
            if self._may_be(t, mine) or (mine != "it" and self._is_of_any_sex(t))
            if owner or mine != "it" or t == var or self._may_be_asked(var, t)
        }
        if mine == "it" and not owner:  # "A town on a river. On which mountain does it rise?"
            others = {*self._before, *self._mentioned} - {var}
            dismissed = (self._may_be(t, mine) and not self._may_be_asked(var, t) for t in others)
            self.cost += DISMISSED * (var != self._topic and meant == {var} and any(dismissed))
        if meant != {var}:
            return ""
        self.cost += UNSEXED * (mine != "it" and not self._is_sexed(var, mine))
        return mine

    def _is_alone(self, var: str) -> bool:
        """Whether the text has introduced no other thing, but places, the pictured thing's equals
        and people."""
        words = self.form_words
        return not any(
            v != var
            and not words.is_person(v)
            and not words.is_place(v)
            and n != self.introduced[var]
            for v, n in self.introduced.items()
        )

    def _may_be_asked(self, var: str, rival: Term) -> bool:
        """Whether the question about a thing may also be about another: "Who painted it?" is not
        about a museum. "How high is it?" and "In which district is it?" may be about anything."""
        words = self.form_words
        kind = PAINTING if rival == PICTURE else words.class_id(rival)
        asked = [
            c
            for c in words.claims
            if c.subject == var
            and c.object == words.form.ask.var
            and ((frame := words.phrase(c).frames(words.verbs)[0]).verb not in BE or frame.middle)
        ]
        measured = words.form.ask.type == "quantity" and rival != PICTURE
        measured = measured and var != self._topic
        if not self.asking or not asked or not kind or measured:
            return True
        if any(words.facts.may_have(kind, c.property) for c in asked):
            return True
        # "A church is in a town. Which river flows past it?": the church?
        return rival == self._topic and all(
            words.property_phrase(c.property, rival) == words.phrase(c) for c in asked
        )

    def _has_rival(self, var: str, pronoun: str) -> bool:
        """Whether the pronoun may mean somebody else: anybody of the current sentence, or of the
        previous sentence anybody who may be a woman ("an architect", if she is one), or a woman who
        was the subject of any earlier sentence."""
        near = (*self._before, *self._subjects, *self._mentioned, *self.describing)
        return any(t not in ("", var) and self._may_be(t, pronoun) for t in near)

    def _is_sexed(self, var: str, pronoun: str) -> bool:
        """Whether the text has called somebody by a noun that has this pronoun ("woman", "wife")."""
        nouns = {kin[pronoun] for kin in self.form_words.data["by_gender"].values()}
        nouns.add({"he": "man", "she": "woman"}[pronoun])
        return self.introduced.get(var, "").split(" ")[-1] in nouns

    def _is_of_any_sex(self, term: Term) -> bool:
        words = self.form_words
        return (
            isinstance(term, str)
            and bool(self.introduced.get(term))
            and words.is_person(term)
            and not any(self._is_sexed(term, p) for p in ("he", "she"))
        )

    def _gender(self, term: Term) -> str:
        words = self.form_words
        if not words.is_person(term):
            return "it"
        return (words.genders.get(term, "") if isinstance(term, str) else "") or ANY

    def _may_be(self, term: Term, pronoun: str) -> bool:
        """Whether a reader might think that a pronoun means the given term. A date or a number is
        never called "it"."""
        if (term.kind != "entity") if isinstance(term, Value) else term in self.form_words.reads:
            return False
        gender = self._gender(term)
        return gender == pronoun or (gender == ANY and pronoun != "it")

    def _alike(self, noun: str) -> list[str]:
        """The introduced things that have the given noun, in order."""
        return [v for v, n in self.introduced.items() if short(self.form_words, n) == noun]


def short(words: FormWords, noun: str) -> str:
    """The noun for a thing when it is mentioned again: "bridge" for "arch bridge"."""
    last = noun.split(" ")[-1]
    return last if last in words.data["short_nouns"] else noun
