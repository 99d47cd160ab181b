"""How a later sentence refers back to a thing: by a pronoun, by its kind, by a number ("the second
river"), or by what the text has said of it ("the painting in this museum")."""

import random
import re
from collections.abc import Sequence

from questloom.records.form import ClaimClause, Term
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.noun_phrases import OBJECTS
from questloom.transforms.writing.graph.pronouns import Pronouns, short

ORDINALS = ("first", "second", "third")
MOST_SHORT = 5
"""Maximum number of things of a short puzzle, or of claims beside the asked one. A longer puzzle may
have a third thing of a kind, and may ask for the first thing after it has mentioned the second."""
BY_CLAIM = 2.0
"""Cost of "the painting in this museum" for a painting that the text has mentioned before."""
UNNAMED = 4.0
"""Cost of "that woman" where a reader expects "she"."""
RIVAL = 25.0
"""Cost of "that other man" where a third person may be a man too. Two readers of two could not tell
the men apart."""
UNCLEAR = 6.0
"""Cost of "that man" for somebody of the same sentence, or after a sentence about another man."""
OTHER = 2.0
"""Cost of "that other woman" beside the pictured woman: "The woman who inspired this woman wrote a
biography." needs none."""
SEXLESS = 6.0
"""Cost of "A person influenced this architect. A woman influenced the same person."."""
ROLE = 1.0
"""Cost of "the architect", which may be a woman, where "she" is as short."""
NAMED = 6.0
"""Cost of "that painting" after a sentence that is about it and names another."""
TWO_ITS = 4.0
"""Cost of "it" for a thing where the previous sentence has called another thing so."""


class References(Pronouns):
    """Noun phrases that refer back over several sentences."""

    def __init__(self, form_words: FormWords, rng: random.Random) -> None:
        super().__init__(form_words, rng)
        self._names: dict[str, str] = {}
        """The words ("the second river") that tell a thing from the pictured one of its kind."""
        things = set(form_words.ranks) - form_words.literals
        self._is_long = min(len(things), len(form_words.claims) - 1) > MOST_SHORT
        self._ordinals = ORDINALS if self._is_long else ORDINALS[:2]
        self._counted = self._counted_before = frozenset[str]()
        """The nouns that the text has counted ("the second river"), and those of them that it has
        counted before the current sentence."""
        self._apart = frozenset[str]()
        """The things that the text has introduced as "another" or "a third" of a kind."""
        self._earlier: tuple[Term, ...] = ()
        """What the sentences before the previous one have mentioned."""
        self._called_it = self._called_it_before = ""
        """What the current and the previous sentence have called "it"."""
        self._announcing = False
        self._saying: set[int] = set()
        """The claims of the current predicate, which the text has not said before."""
        self._now_another = ""
        """The noun that the current sentence uses with "another"."""

    def _reference(self, var: str, subject: bool) -> str:
        proven = self.form_words.data["proven"]
        if self.introduced[var] in proven and len(self._alike(self.introduced[var])) == 1:
            # "A church is dedicated to the same saint."
            return f"{'that' if subject else 'the same'} {self.introduced[var]}"
        before = self.cost
        pronoun = self._pronoun(var)
        if pronoun and self.rng.random() < 0.8:
            # "The woman it is named after was born in a town. Which river flows past it?"
            self.cost += TWO_ITS * (pronoun == "it" and self._called_it_before not in ("", var))
            # "A man inspired this novel's illustrator. Who taught him?": the illustrator?
            unclear = pronoun != "it" and any(map(self._is_of_any_sex, {*self._before} - {var}))
            self.cost += UNCLEAR * (unclear and not subject)
            self._called_it = var if pronoun == "it" else self._called_it
            return pronoun if subject else OBJECTS[pronoun]
        self.cost = before
        # "How many years after its founding was that ship sold?": whose founding?
        self.cost += 5.0 * (self._called_it not in ("", var) and not self.form_words.is_person(var))
        noun, anchor = short(self.form_words, self.introduced[var]), self.form_words.form.anchor
        if var == anchor:
            return f"{'that' if self.form_words.form.sign else 'this'} {noun}"
        alike = self._alike(noun)
        # "In which year was the first species discovered?": the reader must go back, or thinks of
        # somebody's first one, unless the text has mentioned "the second species".
        back = self.asking and var == alike[0] and sum(v != anchor for v in alike) > 1
        counted = self._is_long and noun in self._counted and self.rng.random() < 0.5
        # "The second painting" after this painting and two that no "another" has counted: which?
        lost = len(alike) > 2 and var not in {alike[0], *self._apart}
        named_last = self._is_named_last(noun, var)
        if named_last and var == self._topic:
            # "A painting in this town is by the artist of “Fog”. How high is that painting?"
            self.cost += NAMED
            named_last = False
        unclear = named_last or lost or (back and not counted)
        if unclear and self._is_long and (said := self._by_claim(var, noun)):
            return said
        person = self.form_words.is_person(var)
        role = person and self._is_of_any_sex(var) and len(alike) == 1
        bound = noun in self.form_words.data["bound"]
        self.cost += ROLE if role and not bound else UNNAMED * person * (1 + bound)
        if named_last:
            # "The second painting" is clear where a third one has been named.
            self.cost += 5.0 if person else 2.0 if len(alike) > 1 else HOPELESS
        if person and noun in ("man", "woman"):
            # "The deaths of the man who designed it and that other man's teacher", "Her mother taught
            # him. Where did that woman die?"
            rival = self._topic not in ("", var) and self._gender(self._topic) == self._gender(var)
            # "He worked with the man who illustrated this novel. When was that man born?"
            rival |= noun in [n for v, n in self.heads.items() if v != var]
            self.cost += UNCLEAR * (2 * (var in self._mentioned) + rival)
        if noun == self._now_another and alike == [var] and not person:
            return (
                "the first one"  # "Another painting hangs in the museum that holds the first one."
            )
        if len(alike) == 1 and noun == self.form_words.data["default_nouns"]["person"]:
            self.cost += SEXLESS
            return f"the same {noun}" if self._announcing else f"the {noun}"
        others, that, the = [v for v in alike if v != anchor], f"that {noun}", f"the {noun}"
        nth = f"the {ORDINALS[alike.index(var) % len(ORDINALS)]} {noun}"
        if self.asking and alike[1:] == [var] and var in self._apart and noun not in self._counted:
            # After "another river": readers gave "that other river" 5 of 5, "the second river" 3.7.
            nth = f"that other {noun}"
        other = f"{'that' if person else 'the'} other {noun}"
        self.cost += OTHER * (person and anchor in alike and len(alike) == 2)
        self.cost += HOPELESS * (len(alike) > len(self._ordinals))
        # "A man from the family of this man's father died. … that other man": the father?
        self.cost += RIVAL * (person and anchor in alike and self._has_third(var, alike))
        if len(alike) == 1:
            return the if role else that
        if len(others) > 1:
            # "One of his sons was born in 1983. The second son …": the younger one?
            data = self.form_words.data
            told = {data["default_nouns"]["person"], "man", "woman", *data["professions"]}
            told |= {*self.works.values()}
            self.cost += HOPELESS * ((back and not counted) or lost)
            self.cost += HOPELESS * (person and noun not in told)
            self._counted |= {noun}
            return nth
        recent = (*self._before, *self._mentioned)
        if anchor in recent and var not in recent:
            # "The plaque of this church gives a year. … did that church open?": which of the two?
            return other
        if not person and named_last:
            return nth  # "that painting" would be “Fog”
        if var not in self._names:
            self._names[var] = other if person else self.choose((that, nth))
        return self._names[var]

    def with_the(self, sentence: str) -> str:
        """A sentence with "the" for "that" where it refers back twice: "How many years after the
        shipyard's founding did the barque enter service?"."""
        words = self.form_words
        nouns = {short(words, n) for v, n in self.introduced.items() if not words.is_person(v)}
        only = "|".join(re.escape(n) for n in nouns if len(self._alike(n)) == 1)
        back = re.compile(rf"\b([Tt])hat(?= (?:{only})\b)")
        return back.sub(r"\1he", sentence) if only and len(back.findall(sentence)) > 1 else sentence

    def _has_third(self, var: str, alike: Sequence[str]) -> bool:
        """Whether a person whom the text calls by another noun may have the sex of this one."""
        third = (v for v in self.introduced if v not in alike)
        return any(self._gender(v) == self._gender(var) for v in third)

    def _is_named_last(self, noun: str, var: str) -> bool:
        """Whether a thing of the same kind was named after the last mention of this variable. After
        "She painted “Fog”", for example, a reader would take “Fog” for "that painting"."""
        words = self.form_words
        near = [*self._before, *self._mentioned]
        for term in reversed([*self._earlier, *near] if self._is_long else near):
            if term == var:
                return False
            kind = words.class_id(term) if isinstance(term, Value) else ""
            if kind and short(words, words.class_noun(kind)) == noun:
                return True
        return False

    def _by_claim(self, var: str, noun: str) -> str:
        """Refers back by what the text has said of a thing: "the painting in this museum". The
        other end of the claim must be clear, and no other thing of this kind may have a claim about
        it; otherwise the result is ""."""
        words = self.form_words
        ends = [
            (t, o) for c in words.claims for t, o in ((c.subject, c.object), (c.object, c.subject))
        ]
        rivals = {o for t, o in ends if t != var and self._noun_of(t) == noun}
        found = [
            (i, slot)
            for i, slot in words.describing(var)
            if i in self.used - self._saying
            and (other := self.other(i, slot)) not in rivals
            and self._is_clear(other)
        ]
        if not found:
            return ""
        self.cost += BY_CLAIM
        claims = [self.choose(found)]
        return self.modified(f"the {noun}", claims, words.is_person(var), bare_head=True)

    def _noun_of(self, term: Term) -> str:
        words = self.form_words
        noun = words.noun(term) if isinstance(term, str) else words.class_noun(words.class_id(term))
        return short(words, noun)

    def _is_clear(self, term: Term) -> bool:
        """Whether "this museum" or "the town" can mean only the given term. "That wife" is no way
        to speak of people."""
        words = self.form_words
        if isinstance(term, Value) or term == words.form.anchor:
            return True
        noun = self.introduced.get(term, "")
        return (
            bool(noun) and not words.is_person(term) and len(self._alike(short(words, noun))) == 1
        )


def ends_of(claim: ClaimClause, var: str) -> tuple[Term | None, Term | None]:
    """The ends of a claim, with None for the variable."""
    return (
        None if claim.subject == var else claim.subject,
        None if claim.object == var else claim.object,
    )
