"""A grammar for the English of the questions. The grammar takes tokens and gives every possible
reading of them.

Each rule of the grammar is a method, which takes a position in the text. The rule yields (end,
atoms, cost) for every phrase that can begin at this position. An atom is one condition on
variables. A rule for noun phrases also yields a variable. The variable is named after the phrase's
position. The grammar keeps all readings, but stores the results of each rule at each position.
Storing results keeps parsing fast.

For example, "the bridge in the town that was built in 1850" has two readings. The cost of a reading
is the distance between a modifier and its noun. People prefer the reading with the lower cost.
"""

from collections.abc import Iterator

from benchmarks.truth_reader.lexicon import plural
from benchmarks.truth_reader.parts import BARE, PICTURE, Part, about, rule
from benchmarks.truth_reader.query import (
    ONE,
    ORDER,
    SELF,
    Another,
    Atom,
    Back,
    Called,
    Compared,
    Described,
    Has,
    Kind,
    Named,
    Pictured,
    Related,
    Winner,
)
from benchmarks.truth_reader.verbs import Verbs

MOST_NAME = 6
"""The maximum number of words of a name that owns something."""


class Grammar(Verbs):
    """The grammar, applied to one text."""

    @rule
    def noun_phrase(self, start: int) -> Iterator[Part]:
        """Reads a thing: a name, a description, or a reference to an earlier thing."""
        yield from self.name(start)
        yield from self.reference(start)
        yield from self.by_role(start)
        yield from self.possessive(start)
        yield from self.described(start)
        yield from self.whichever(start)

    @rule
    def name(self, start: int) -> Iterator[Part]:
        quoted = self.at(start, "“")
        i = start + quoted
        begins = [i] if quoted or not self.at(i, "the") else [i, i + 1]
        for begin in begins:
            for end, label in self.lexicon.names.found(self.text, begin)[:1]:
                ends = self.text[end : end + 1] in (
                    (),
                    ("?",),
                    (".",),
                    (",",),
                    ("and",),
                ) or self.at(end, "in", "colour")
                if not quoted and label[:1].islower() and (begin != i or not ends):
                    continue
                if not quoted or self.at(end, "”"):
                    yield Part(end + quoted, (Named(self._var(start), label),), 0, self._var(start))

    @rule
    def reference(self, start: int) -> Iterator[Part]:
        var = self._var(start)
        if self.at(start, "it"):
            yield Part(start + 1, (Back(var, "", "it"),), 0, var)
        if self.text[start].lower() in self.lexicon.sexes:
            yield Part(start + 1, (Back(var, self.text[start].lower(), "pronoun"),), 0, var)
        if self.at(start, "this", "one"):
            yield Part(start + 2, (Back(var, "", "one"),), 0, var)
        for pictured, end in ((("this", "?"), start + 1), (("this", "picture"), start + 2)):
            if self.at(start, *pictured):
                yield Part(end, (Pictured(var),), 0, var)
        for words, mode in (
            (("that",), "that"),
            (("the", "other"), "other"),
            (("that", "other"), "that other"),
        ):
            if self.at(start, *words):
                nouns = self.lexicon.nouns.found(
                    self.text, start + len(words)
                ) + self.lexicon.short.found(self.text, start + len(words))
                for end, noun in dict.fromkeys(nouns):
                    yield Part(end, (Back(var, noun, mode),), 0, var, noun)
        if self.at(start, "the") and "." in self.text[:start]:
            # "The river" means a river of an earlier sentence.
            nouns = self.lexicon.nouns.found(self.text, start + 1)
            nouns += self.lexicon.short.found(self.text, start + 1)
            for end, noun in dict.fromkeys(nouns):
                yield Part(end, (Back(var, noun, "that"),), 0, var, noun)
        for order in ORDER:
            if self.at(start, "the", order):
                for end, noun in self.lexicon.nouns.found(self.text, start + 2):
                    yield Part(end, (Back(var, noun, order),), 0, var, noun)
                if self.at(start + 2, "one"):  # "another river empties into the first one"
                    yield Part(start + 3, (Back(var, ONE, order),), 0, var)
        for said in ("the man", "the woman", "the person", "the same person"):
            back = said.split()
            if self.at(start, *back) and "." in self.text[:start]:
                yield Part(start + len(back), (Back(var, back[-1], "that"),), 0, var, back[-1])
        if self.at(start, "the", "one", "that"):
            for order in self.order(start + 3):
                yield Part(order.end, (Back(var, f"{order.noun} {order.var}", "compared"),), 0, var)

    @rule
    def by_role(self, start: int) -> Iterator[Part]:
        """Reads a phrase such as "the architect of {x}", with its modifiers."""
        if self.text[start].lower() not in ("the", "a", "an"):
            return
        var = self._var(start)
        for role, relation in self.lexicon.roles.items():
            end = start + 1 + len(role)
            if self.text[start + 1 : end] != role:
                continue
            for whose in self.noun_phrase(end + 1) if self.at(end, "of") else ():
                found = Part(
                    whose.end,
                    (Called(var, " ".join(role)), Related(var, relation, whose.var), *whose.atoms),
                    whose.cost,
                    var,
                    role[-1],
                )
                yield from self._modified(found, start)

    @rule
    def possessive(self, start: int) -> Iterator[Part]:
        """Reads possessives: "this lighthouse's architect", "his birthplace", "one of this man's
        daughters".
        """
        several = self.at(start, "one", "of")
        begin = start + 2 * several
        var, whose = self._var(start), self._var(begin + 1)
        for end, said in self.owner(begin):
            for role, relation in self.lexicon.roles.items():
                words = (*role[:-1], plural(role[-1])) if several else role
                if self.text[end : end + len(role)] == words:
                    head = (*said, Called(var, " ".join(role)), Related(var, relation, whose))
                    yield from self._modified(
                        Part(end + len(role), head, 0, var, role[-1]), end + len(role) - 1
                    )

    def owner(self, start: int) -> list[tuple[int, tuple[Atom, ...]]]:
        """Reads the owner in "this lighthouse's", "his", "that town's" or "her father's". Returns
        the end of the phrase, and the conditions (atoms) for the owner.
        """
        whose, inner = self._var(start + 1), self._var(start + 2)
        owners = self._owners(start, whose)
        for end, said in self._owners(start, inner):
            for role, relation in self.lexicon.roles.items():
                if self.text[end : end + len(role)] == (*role[:-1], f"{role[-1]}'s"):
                    head = (Called(whose, " ".join(role)), Related(whose, relation, inner))
                    owners.append((end + len(role), (*said, *head)))
        return owners

    def _owners(self, start: int, whose: str) -> list[tuple[int, tuple[Atom, ...]]]:
        """The owners without an owner of their own, as the variable `whose`."""
        owners: list[tuple[int, tuple[Atom, ...]]] = []
        if self.at(start, "this"):
            owners = [
                (end, (*self.kind(whose, noun), Pictured(whose)))
                for end, noun in self.lexicon.owners.found(self.text, start + 1)
            ]
        elif self.text[start].lower() in self.lexicon.sexes:
            owners = [(start + 1, (Back(whose, self.text[start].lower(), "pronoun"),))]
        elif self.at(start, "its"):
            owners = [(start + 1, (Back(whose, "", "it"),))]
        elif self.at(start, "that"):
            owners = [
                (end, (Back(whose, noun, "that other" if other else "that"),))
                for other in (False, True)
                if not other or self.at(start + 1, "other")
                for end, noun in self.lexicon.owners.found(self.text, start + 1 + other)
            ]
        elif self.at(start, "the") and "." in self.text[:start]:  # as "the sailor" in `reference`
            owners = [
                (end, (Back(whose, noun, "that"),))
                for end, noun in self.lexicon.owners.found(self.text, start + 1)
            ]
        for end in range(start, min(start + MOST_NAME, len(self.text))):
            if self.text[end].endswith("'s"):  # "Ivo Mersk's teacher"
                name = (*self.text[start:end], self.text[end].removesuffix("'s"))
                owners += [
                    (end + 1, (Named(whose, label),))
                    for size, label in self.lexicon.names.found(name, 0)
                    if size == len(name)
                ]
        return owners

    @rule
    def described(self, start: int) -> Iterator[Part]:
        """Reads a description: "the lighthouse designed by …", "an architect who …", "one other
        town", "this town", or the noun alone after "which".
        """
        var = self._var(start)
        word, another = self.text[start].lower(), self.at(start, "another")
        # "The other bridge" alone refers back; with a clause it is described.
        contrasted = self.at(start, "the", "other")
        other = self.at(start, "one", "other") or self.at(start, "a", "third")
        other = other or contrasted or another
        different = other or (word in ("a", "an") and self._also(start))
        if word == "this":
            for end, noun in self.lexicon.nouns.found(self.text, start + 1):
                yield Part(end, (*self.kind(var, noun), Pictured(var)), 0, var, noun)
        if word not in ("the", "a", "an") and not other:
            return
        begins = [Part(start + 1 + (other and not another), (), 0), *self.before(start + 1)]
        for end, noun, said in (
            (end, noun, about(b, var))
            for b in begins
            for end, noun in self.lexicon.nouns.found(self.text, b.end)
        ):
            atoms: tuple[Atom, ...] = (*self.kind(var, noun), *said)
            if different:
                atoms += (Another(var, noun),)
            for picture in PICTURE:
                if word == "the" and self.text[end : end + len(picture)] == picture:
                    yield from self._modified(
                        Part(end + len(picture), (*atoms, Pictured(var)), 0, var, noun), start
                    )
            for found in self._modified(Part(end, atoms, 0, var, noun), start):
                bare = word == "the" and found.end == end and not said
                if bare and contrasted:
                    continue
                if word == "the" and not bare and not other:
                    found = self.definite(found)
                yield found._replace(cost=found.cost + BARE * bare)
        if another:  # "a river that flows into another"
            head = Part(start + 1, (Back(var, "", "another"),), 0, var)
            yield from self._modified(head, start)

    def definite(self, part: Part) -> Part:
        """A description with "the", which may repeat what the text has said."""
        said = tuple(a for a in part.atoms if not isinstance(a, Described))
        atoms = (*part.atoms, Described(part.var, part.noun, said, part.end))
        return part._replace(atoms=atoms) if "." in self.text[: part.end] else part

    def kind(self, var: str, noun: str) -> tuple[Atom, ...]:
        """The atoms of a noun: who has an occupation is a person."""
        is_person = noun in self.lexicon.occupations
        return (Kind(var, noun), *((Called(var, "person"),) if is_person else ()))

    def _also(self, start: int) -> bool:
        """Whether "also" stands before the verb whose object begins here: "also holds a painting"
        means a different painting from those before.
        """
        return any(
            k <= start <= k + 3 and not {",", ".", "and", "a", "an", "the"} & {*self.text[k:start]}
            for k in self.also
        )

    @rule
    def before(self, start: int) -> Iterator[Part]:
        """Reads a word that stands directly before a noun: a style, colour, material, or year of
        making.
        """
        var = self._var(start)
        for end, label in (
            *self.lexicon.names.found(self.text, start),
            *self.lexicon.adjectives.found(self.text, start),
        ):
            yield Part(end, (Named(var, label), Related(SELF, self.lexicon.before, var)), 0)
        for end, date in self.date(start):
            yield Part(
                end,
                (
                    Has(SELF, "P571 P577 P585 P729 P1619", f"t{start}"),
                    Compared(f"t{start}", "=", date),
                ),
                0,
            )

    @rule
    def whichever(self, start: int) -> Iterator[Part]:
        if self.at(start, "whichever", "of"):
            for listed, between in self.listing(start + 2, "and"):
                for order in self.order(listed):
                    yield self._won(between, order, self._var(start))

    def _won(self, among: list[Part], order: Part, var: str) -> Part:
        atoms = tuple(a for p in among for a in p.atoms)
        keys = tuple(f"{p.var}k" for p in among)
        greatest, properties = order.noun == "last", order.var
        atoms += tuple(Has(p.var, properties, k) for p, k in zip(among, keys, strict=True))
        return Part(
            order.end,
            (*atoms, Winner(var, tuple(p.var for p in among), keys, greatest)),
            sum(p.cost for p in among),
            var,
        )

    def listing(self, start: int, last: str) -> list[tuple[int, list[Part]]]:
        """Reads a list of two or more noun phrases: "a, b and c"."""
        found: list[tuple[int, list[Part]]] = []
        for first in self.noun_phrase(start)[:30]:
            if self.at(first.end, last):
                found.extend(
                    (second.end, [first, second]) for second in self.noun_phrase(first.end + 1)[:30]
                )
            elif self.at(first.end, ","):
                found.extend(
                    (end, [first, *rest]) for end, rest in self.listing(first.end + 1, last)
                )
        return found
