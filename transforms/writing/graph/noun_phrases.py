"""Makes noun phrases for the variables of a form. A phrase points to the picture, describes, names,
or refers back.

The claims that describe a variable connect it to terms that are farther away from the question. A
chain of descriptions ends at the picture or at a named constant:

```
x1 --P84--> x2 (asked: x1's height)      "the lighthouse designed by {x2}"
x1 <--P84-- x0 (asked: x1's birthplace)  "the architect of {x0}", "the man who designed {x0}"
```

Each `NounPhrases` makes one random derivation (a choice of words for every part of the form). The
sum `cost` measures how awkward the wording is. `verbalise.py` compares several derivations.
"""

from collections.abc import Mapping, Sequence

from questloom.language.frames import BE
from questloom.records.form import Reads, Term
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.clauses import HOPELESS, LIGHT, Clauses
from questloom.transforms.writing.graph.form_words import place_of_writing
from questloom.transforms.writing.graph.lints import PER_WORD

MAX_DEPTH = 2
"""Maximum depth of descriptions inside descriptions, except for phrases like "this bridge's
architect"."""
DEEP = 2.0
"""Cost of one more level in a question of a single sentence. Readers prefer it to a flat sentence
before the question: "This painting was made in a town."."""
ATTACHED = 6.0
"""Cost of a clause behind two nouns, each of which it may describe."""
PLAIN = 0.75
"""Minimum share of wordings that call the pictured thing "this bridge". Test readers found that
phrases other than "this bridge" read worse and hide little."""
OBJECTS = {"it": "it", "he": "him", "she": "her"}
_OWNERS = {"it": "its", "he": "his", "she": "her"}


class NounPhrases(Clauses):
    """One random derivation (choice of words) for the noun phrases of a form."""

    deepest = MAX_DEPTH + 1
    """Depth of descriptions beyond which a wording is refused."""

    def noun_phrase(self, term: Term, *, subject: bool = False) -> str:
        """The words for a term at the current place of the text. If `subject` is true, the term is
        the subject of its clause ("she", not "her")."""
        words = self.form_words
        if isinstance(term, Value):
            return words.value(term)
        if term in words.names:
            return words.name(term)
        if term in words.reads:
            return self.read_year(words.reads[term])
        if term in self.introduced:
            return self._reference(term, subject)
        if term == words.form.anchor:
            return self._anchor(term)
        return self._described(term)

    def read_year(self, reads: Reads) -> str:
        """The words for a year in a picture: "the year on the plaque of this bridge", or "that
        year" after a sentence about the year."""
        if reads.var in self.told_years:
            return self.form_words.data["that_year"]
        said = self.placed(reads, self.form_words.data["readings"][reads.property]["counted"])
        # A long phrase for the year comes between "how many years after" and the verb.
        self.cost += 0.5 * max(0, len(said.split()) - LIGHT)
        return said

    def placed(self, reads: Reads, templates: Mapping[str, str]) -> str:
        """Fills a template with the words for the place of a writing. A writing can stand on a part
        of a thing, on a whole thing, in the question's picture, or in the picture of another
        thing."""
        words = self.form_words
        part = words.class_noun(reads.part) if reads.part else ""
        place = place_of_writing(words, reads)
        template = templates[place]
        if place == "picture":
            self.anchor_phrase = self.anchor_phrase or "this picture"
            return template
        return self.with_owner(template.replace("{p}", part), part, reads.of)

    def with_owner(self, template: str, part: str, owner: Term) -> str:
        """Fills the owner of a writing into a template. "The plaque of {s}" becomes "its plaque"
        where the owner is known."""
        for noun in (part, "picture", "portrait", "cover"):
            if (of := f"the {noun} of {{s}}") in template:
                return template.replace(of, self.possessor(owner, noun))
        return template.replace("{s}", self.noun_phrase(owner))

    def in_year(self, reads: Reads) -> str:
        """The words for the date of a thing, if its year stands in a picture: "in the year on the
        plaque of this bridge"."""
        if reads.var in self.told_years:
            return f"in {self.form_words.data['that_year']}"
        return f"in {self.placed(reads, self.form_words.data['readings'][reads.property]['dated'])}"

    def possessor(self, term: Term, noun: str, *, short: bool = True) -> str:
        """Joins a noun with the term to which it belongs: "the architect of the church", "this
        church's architect" (if `short` is true), "its architect"."""
        if isinstance(term, str) and term in self.introduced:
            before, self.describing = self.describing, self.describing[:-1]
            pronoun = self._pronoun(term, owner=True)  # "her teacher" is not her own teacher
            self.describing = before
            if pronoun:
                return f"{_OWNERS[pronoun]} {noun}"
        said = self.noun_phrase(term)
        if said.startswith(("his ", "her ")) and len(said.split()) == 2:
            return f"{said}'s {noun}"  # not "the teacher of her father"
        short = short and noun not in self.form_words.data["bound"]
        short = short and self._takes_possessive(term, said)
        if (
            short
            and len(said.split()) <= LIGHT
            and not said.endswith(("s", "”"))
            and (noun in self.kin() or self.rng.random() < 0.5)
        ):
            # "The author of this poetry collection", not "this poetry collection's author".
            self.cost += 1.0 * (len(said.split()) > 2)
            return f"{said}'s {noun}"
        return f"the {noun} of {said}"

    def _takes_possessive(self, term: Term, said: str) -> bool:
        """Whether "'s" may follow the words for a term: "this church's", "the director's"."""
        kinds = self.form_words.kinds(term)
        if isinstance(term, Value):
            return bool(kinds) and kinds[0] in self.form_words.data["possessors"]
        person = (
            said.startswith("the ") and len(said.split()) == 2 and self.form_words.is_person(term)
        )
        back = said.startswith(("this ", "that ")) and "'s " not in said and said != "this one"
        return person or back

    def _anchor(self, var: str) -> str:
        noun, sign = self.form_words.noun(var), self.form_words.form.sign
        if sign:
            phrase = self.form_words.data["signs"][sign].replace("{c}", noun)
        elif noun in self.said_nouns:
            # After another thing, "this one" would mean that thing.
            self.cost += HOPELESS * (self.form_words.is_person(var) or self.said_nouns[-1] != noun)
            phrase = "this one"
        else:
            pictured = self.form_words.data["pictured"]
            # "the film shot at the lighthouse in the picture": is the film or the lighthouse in the
            # picture? Beside another claim it is "this lighthouse".
            plain = (
                self.form_words.kinds(var)[:1] == ("painting",)
                or len(self.form_words.claims) > 1
                or bool(self.form_words.form.later_reads)
                or self.rng.random() < PLAIN
            )
            phrase = (pictured[0] if plain else self.choose(pictured)).replace("{c}", noun)
        self.introduce(var, noun)
        self.anchor_phrase = phrase
        # "This bridge" is no better than "the bridge in the picture".
        self.cost -= PER_WORD * (len(phrase.split()) - 2)
        if rest := self.take_claims(var):
            self.cost += 3.0
            return f"{phrase}, {'who' if self.form_words.is_person(var) else 'which'} {self.predicates(rest)},"
        return phrase

    def shown_alone(self, template: str) -> str:
        """Makes a question like "Who painted this?" from a template of the language's file. Such a
        question is possible if the form states nothing else about the pictured thing."""
        self.anchor_phrase = self.choose(self.form_words.data["shown_alone"])
        return template.replace("{this}", self.anchor_phrase)

    def kin(self) -> frozenset[str]:
        """Nouns for relatives of whom each person has only one ("the wife", but "that pupil")."""
        told = self.form_words.data["by_gender"]
        return frozenset(noun for kin in told.values() for noun in kin.values())

    def kind_in_question(self, var: str, noun: str, claims: Sequence[tuple[int, str]]) -> str:
        """The noun that follows "which" in a question, for the kind of the asked thing."""
        return noun

    def head(self, var: str, noun: str, claims: Sequence[tuple[int, str]]) -> str:
        """The article and noun with which a description begins."""
        return f"the {self.definite_kind(var, noun, claims)}"

    def definite_kind(self, var: str, noun: str, claims: Sequence[tuple[int, str]]) -> str:
        """The noun that follows "the" in a description, for the kind of the described thing."""
        return noun

    def own(self, term: Term) -> str:
        """The possessive of a person: "his" or "her", and "their" where the sex is unknown."""
        return (
            _OWNERS.get(self.form_words.genders.get(term, ""), "their")
            if isinstance(term, str)
            else "their"
        )

    def _pronoun(self, var: str, *, owner: bool = False) -> str:
        """The pronoun ("he", "she" or "it") of a variable, if no other mentioned thing has the same
        pronoun; otherwise "". If `owner` is true, it is a possessive ("its")."""

        words = self.form_words
        called = {
            # "His pupil who was influenced by him": by himself?
            v: words.genders.get(v, "") if words.is_person(v) else "it"
            for v in (*self.introduced, *self.describing)
        }
        return called[var] if list(called.values()).count(called[var]) == 1 else ""

    def _reference(self, var: str, subject: bool) -> str:
        if pronoun := self._pronoun(var):
            return pronoun if subject else OBJECTS[pronoun]
        self.cost += HOPELESS  # "A town … the town": stated twice
        return f"the {self.introduced[var]}"

    def _described(self, var: str) -> str:
        """A definite description: "the architect of …", "the lighthouse that …"."""
        claims = self.take_claims(var)
        if not claims:
            self.cost += HOPELESS
            return f"a certain {self.form_words.noun(var)}"
        self._depth += 1
        before = self.describing
        self.describing = [*before, var] if self.form_words.is_person(var) else before
        said = self._description(var, claims)
        self.describing = before
        if self._depth > MAX_DEPTH and not said.startswith("this "):
            self.cost += DEEP if self._depth == self.deepest else HOPELESS
        self._depth -= 1
        return said

    def _acts(self, index: int, slot: str) -> bool:
        """Whether an active verb says what somebody did: "the man who designed this bridge" is as
        good as "this bridge's architect"."""
        return any(f.subject == slot and f.verb not in BE for f in self.frames(index))

    def _description(self, var: str, claims: list[tuple[int, str]]) -> str:
        words = self.form_words
        of_kind = words.data["of_kind"]
        # If the form states the class, the class is part of what makes the description fit one
        # thing. A tributary is a river.
        heads = [
            (i, slot, noun)
            for i, slot in claims
            for noun in words.ends(i, slot)
            if words.is_person(var)
            or var not in words.stated
            or words.noun(var) in (noun, of_kind.get(noun))
        ]
        if heads and self.rng.random() < 0.7:
            index, slot, noun = self.choose(heads)
            claims.remove((index, slot))
            said = self.possessor(self.other(index, slot), noun)
            # "Dedicated to this church's saint", where "to the same saint as this church" is better
            self.cost += noun in words.data["proven"]
            # "The son of the founder who was born in 1988": who was born then?
            self.cost += (ATTACHED if " of the " in said else 3.0) * bool(claims)
            self.introduce(
                var,
                noun
                if words.is_person(var) or not words.class_id(var) or noun in of_kind
                else words.noun(var),
            )
            return self.modified(said, claims, words.is_person(var), bare_head=False)
        noun = words.noun(var)
        if any(
            len(claims) == 1 and i == claims[0][0] and (words.is_person(var) or called == noun)
            for i, slot, called in heads
            if called == noun or called in self.kin() or not self._acts(i, slot)
        ):
            self.cost += 6.0  # "the man who was the father of …", where "the father of …" is enough; "the biography about …"
        self.heads[var] = noun
        self.said_nouns.append(noun)
        head = self.head(var, noun, claims)
        said = self.modified(head, claims, words.is_person(var), bare_head=True)
        self.said_nouns.remove(noun)
        self.introduce(
            var,
            self.works[var]
            if var in self.works
            else words.roles.get(var, noun)
            if words.is_person(var) and words.roles.get(var, "")[:5] in said
            else noun,
        )
        return said
