"""What a text calls a thing when it first names it, and when the question does."""

import random
from collections.abc import Mapping, Sequence

from questloom.records.form import Reads, Term
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.pronouns import PICTURE, short
from questloom.transforms.writing.graph.references import References, ends_of

THIRD = 6.0
"""Cost of a third thing of one kind."""


class FirstMentions(References):
    """Noun phrases that name a thing for the first time: "a river", "another river"."""

    def __init__(self, form_words: FormWords, rng: random.Random) -> None:
        super().__init__(form_words, rng)
        self.held: set[int] = set()
        """Claims that get a sentence of their own. A description must not use a claim that gets a
        sentence of its own."""
        self._nouns: dict[str, str] = {}

    def _first_named(self, var: str) -> str:
        """The noun at a first mention: "a river", or "another river" if a river was mentioned
        before. A film's director is called "a man": nothing says that directing was his profession."""
        words = self.form_words
        role = words.roles.get(var, "")
        noun = role if role in words.data["proven"] else words.noun(var)
        self._nouns[var] = noun
        self._mentioned.append(var)
        same = self._alike(short(words, noun))
        # "A third woman influenced the other woman": nobody can tell them apart.
        third, more = len(same) == 2, len(same) >= len(self._ordinals)
        self.cost += 1.5 * len(same) + THIRD * third + HOPELESS * more
        self._now_another = short(words, noun) if same else ""
        self._apart |= {var} if same else set()
        if third:
            return f"a third {noun}"
        return f"another {noun}" if same else words.words.indefinite(noun)

    def head(self, var: str, noun: str, claims: Sequence[tuple[int, str]]) -> str:
        """The article and noun with which a description begins. In a statement, "the woman from that
        family" would be the only one: the text has "a woman" for relations that many things may have
        to the same thing, unless a name or a year and all that the text says of her tell which."""
        words = self.form_words
        ends = [(slot, self.other(i, slot)) for i, slot in claims]
        named = any(isinstance(t, Value) or t in words.reads for _, t in ends)
        more = {i for i, _ in words.describing(var)} & self.held - {i for i, _ in claims}
        if self.asking or (named and not more) or any(slot == "o" for slot, _ in ends):
            return super().head(var, noun, claims)
        return self._first_named(var)

    def definite_kind(self, var: str, noun: str, claims: Sequence[tuple[int, str]]) -> str:
        """The noun with "other" if the text has mentioned a thing that also fits: "the other bridge
        that crosses that river".

        With two claims, "other" is left out: the mentioned bridge may share only one of them, and
        "the other bridge by Ivo Mersk" would say that both bridges are by him.
        """
        if len(claims) > 1:
            return noun
        same = self._alike(short(self.form_words, noun))
        told = self.form_words.claims
        said = {(told[i].property, slot, self.other(i, slot)) for i, slot in claims}
        for claim in told:
            # Not "the other man who commissioned that museum" of somebody else who worked for it.
            if (claim.subject in same and (claim.property, "s", claim.object) in said) or (
                claim.object in same and (claim.property, "o", claim.subject) in said
            ):
                self._now_another = short(self.form_words, noun)
                self._names[var] = f"the other {self._now_another}"
                self._apart |= {var}
                return f"other {noun}"
        return noun

    def kind_in_question(self, var: str, noun: str, claims: Sequence[tuple[int, str]]) -> str:
        """The noun with "other" ("which other bridge crosses that river?") if the text has told the
        same claims of a thing of this kind.

        Otherwise "which other film did her father direct?" would say that the first film is his
        too.
        """
        said = [self.form_words.claims[i] for i, _ in claims]
        told = self.form_words.claims
        for other in self._alike(short(self.form_words, noun)):
            of_other = [(c.property, ends_of(c, other)) for c in told]
            if all((c.property, ends_of(c, var)) in of_other for c in said):
                self._now_another = short(self.form_words, noun)
                return f"other {noun}"
        return noun

    def possessor(self, term: Term, noun: str, *, short: bool = True) -> str:
        said = super().possessor(term, noun, short=short)
        self._mentioned.append(term)
        if said.startswith("its ") and isinstance(term, str):
            self._called_it = term
        return said

    def placed(self, reads: Reads, templates: Mapping[str, str]) -> str:
        said = super().placed(reads, templates)
        if "picture" in said or "portrait" in said:
            self._mentioned.append(PICTURE)  # so that "it" may be the picture
        return said

    def _introduced_as(self, var: str) -> None:
        self.introduce(var, self.works.get(var, self._nouns[var]))

    def noun_phrase(self, term: Term, *, subject: bool = False) -> str:
        said = super().noun_phrase(term, subject=subject)
        self._mentioned.append(term)
        return said

    def _anchor(self, var: str) -> str:
        noun = self.form_words.noun(var)
        self.introduce(var, noun)
        data, sign = self.form_words.data, self.form_words.form.sign
        phrase = data["signs"][sign] if sign else data["pictured"][0]
        self.anchor_phrase = phrase.replace("{c}", noun)
        return self.anchor_phrase

    def take_claims(self, var: str) -> list[tuple[int, str]]:
        already = set(self.used)
        found = [c for c in super().take_claims(var) if c[0] not in self.held]
        self.used = already | {i for i, _ in found}
        return found
