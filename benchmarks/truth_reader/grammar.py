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

from benchmarks.truth_reader.amounts import Amounts
from benchmarks.truth_reader.lexicon import Frame, Tokens, plural
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
    Differ,
    Has,
    Kind,
    Named,
    Pictured,
    Related,
    Winner,
    inverse,
    renamed,
)

MOST_NAME = 6
"""The maximum number of words of a name that owns something."""


class Grammar(Amounts):
    """The grammar, applied to one text."""

    # ------------------------------------------------------------ noun phrases

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
            (("that", "other"), "other"),
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
                (end, (Back(whose, noun, "other" if other else "that"),))
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
                yield found._replace(cost=found.cost + BARE * bare)

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
        for end, label in self.lexicon.names.found(self.text, start):
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

    def _modified(self, head: Part, start: int) -> Iterator[Part]:
        """Reads a noun with all modifiers that follow it."""
        waiting = [(head, 0)]
        while waiting:
            found, depth = waiting.pop()
            yield found
            for more in self.modifier(found.end, start) if depth < 4 else ():
                cost = found.cost + more.cost + (found.end - start)
                waiting.append(
                    (
                        found._replace(
                            end=more.end, atoms=(*found.atoms, *about(more, found.var)), cost=cost
                        ),
                        depth + 1,
                    )
                )

    @rule
    def modifier(self, start: int, head: int) -> Iterator[Part]:
        """Reads the words after a noun that modify the noun."""
        if self.at(start, "and"):
            if self.text[start + 1 : start + 2] and self.text[start + 1] in (
                "whose",
                "in",
                "that",
                "who",
                "which",
            ):
                yield from self.modifier(start + 1, head)
            return
        if self.at(start, ","):
            if self.text[start + 1 : start + 2] and self.text[start + 1] in ("which", "who"):
                for said in self.verb_phrases(start + 2):
                    yield said._replace(end=said.end + self.at(said.end, ","))
            return
        if self.text[start] in ("that", "who", "which"):
            yield from self.verb_phrases(start + 1)
            yield from self.object_gap(start + 1)
            return
        if self.at(start, "whose"):
            yield from self.whose(start + 1)
            return
        yield from self.reduced(start)
        yield from self.gap_clause(start)
        yield from self.object_gap(start)

    @rule
    def reduced(self, start: int) -> Iterator[Part]:
        """Reads participles or prepositional phrases after a noun. Several such phrases after one
        noun may be joined by "and": "designed by x and built in 1850", "in Karsk".
        """
        yield from self._joined(start, self.predicate)

    @rule
    def predicate(self, start: int) -> Iterator[Part]:
        """Reads a verb phrase that lacks its "was" or "is"."""
        for frame in self.lexicon.frames:
            if frame.bare and self.text[start : start + len(frame.bare)] == frame.bare:
                yield from self.complements(start + len(frame.bare), frame, False)
        for words, relation in self.lexicon.phrases:
            if words[0] in ("was", "is"):
                yield from self._phrase(start, words[1:], relation)
        standing = next(f for f in self.lexicon.frames if f.bare == ("standing",))
        if self.text[start] in ("by", "on"):
            yield from self.complements(start, standing, False)

    @rule
    def whose(self, start: int) -> Iterator[Part]:
        """Reads "whose mother was born in …", "whose collection includes {x}"."""
        if self.at(start, "collection", "includes"):
            for held in self.noun_phrase(start + 2):
                yield Part(held.end, (Related(SELF, "<P195", held.var), *held.atoms), held.cost)
        for role, relation in self.lexicon.roles.items():
            if self.text[start : start + len(role)] == role:
                var = self._var(start)
                for said in self.verb_phrases(start + len(role)):
                    yield said._replace(
                        atoms=(
                            Called(var, " ".join(role)),
                            Related(var, relation, SELF),
                            *about(said, var),
                        )
                    )

    @rule
    def gap_clause(self, start: int) -> Iterator[Part]:
        """Reads "where {x} died", "in which {x} rises", "from which", "after whom {x} is named".

        A separate rule reads "whose collection includes {x}".
        """
        for words, prepositions in self._openings(start):
            for subject in self.noun_phrase(start + len(words)):
                for frame, form in self.forms(subject.end):
                    for preposition, relation in frame.complements.items():
                        if preposition in prepositions:
                            end = subject.end + len(form)
                            yield Part(
                                end,
                                (Related(subject.var, relation, SELF), *subject.atoms),
                                subject.cost,
                            )
                for opening, closing, relation in self.lexicon.gaps:
                    if opening == words and self.at(subject.end, *closing):
                        yield Part(
                            subject.end + len(closing),
                            (Related(subject.var, relation, SELF), *subject.atoms),
                            subject.cost,
                        )

    def _openings(self, start: int) -> Iterator[tuple[Tokens, tuple[Tokens, ...]]]:
        if self.at(start, "where"):
            yield ("where",), (("in",), ("at",), ("on",))
        for frame in self.lexicon.frames:
            for preposition in frame.complements:
                for pronoun in ("which", "whom"):
                    words = (*preposition, pronoun)
                    if self.text[start : start + len(words)] == words:
                        yield words, (preposition,)

    @rule
    def object_gap(self, start: int) -> Iterator[Part]:
        """Reads "that {x} crosses" or "{x} is named after". The word "that" may be missing."""
        for subject in self.noun_phrase(start):
            for frame, form in self.forms(subject.end):
                end = subject.end + len(form)
                if frame.obj:
                    yield Part(
                        end, (Related(subject.var, frame.obj, SELF), *subject.atoms), subject.cost
                    )
                for preposition, relation in frame.complements.items():
                    if self.text[end : end + len(preposition)] == preposition:
                        yield Part(
                            end + len(preposition),
                            (Related(subject.var, relation, SELF), *subject.atoms),
                            subject.cost,
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

    # ------------------------------------------------------------ verb phrases

    @rule
    def verb_phrases(self, start: int) -> Iterator[Part]:
        """Reads several verb phrases with finite verbs, joined by commas and "and". If all phrases
        share a "was", only the first phrase must contain it.
        """
        yield from self._joined(start, self.verb_phrase)

    def _joined(self, start: int, first_rule) -> Iterator[Part]:
        waiting = [(p, 0) for p in first_rule(start)]
        while waiting:
            found, depth = waiting.pop()
            yield found
            j = found.end
            if depth == 3:
                continue
            if self.at(j, ",", "and"):
                j += 2
            elif self.at(j, "and") or self.at(j, ","):
                j += 1
            else:
                continue
            if j < len(self.text) and self.text[j] in ("who", "that"):
                j += 1
            for more in (*self.verb_phrase(j), *self.predicate(j)) if j < len(self.text) else ():
                cost = found.cost + more.cost + (j - start) // 2
                waiting.append((Part(more.end, (*found.atoms, *more.atoms), cost), depth + 1))

    @rule
    def verb_phrase(self, start: int) -> Iterator[Part]:
        """Reads one verb phrase with a finite verb about the subject."""
        for frame, form in self.forms(start):
            yield from self.complements(start + len(form), frame, False)
        for words, relation in self.lexicon.phrases:
            yield from self._phrase(start, words, relation)
            if words[0] == "was":
                yield from self._phrase(start, ("were", *words[1:]), relation)
        yield from self.role_phrase(start)
        yield from self.measured(start)
        yield from self.compared(start)
        yield from self.had(start)
        yield from self.has_as(start)

    def _phrase(self, start: int, words: Tokens, relation: str) -> Iterator[Part]:
        slot = words.index("{x}")
        if self.text[start : start + slot] != words[:slot]:
            return
        if not words[slot + 1 :]:
            yield from self._same(start + slot, relation)
        for other in self.noun_phrase(start + slot):
            rest = words[slot + 1 :]
            if self.text[other.end : other.end + len(rest)] == rest:
                yield from self._both(
                    Part(
                        other.end + len(rest),
                        (Related(SELF, relation, other.var), *other.atoms),
                        other.cost,
                    ),
                    relation,
                )

    def _both(self, part: Part, relation: str) -> Iterator[Part]:
        """Reads a relation to one thing, or to two things joined by "and" ("was a parent of Ivo and
        Ansgar").
        """
        yield part
        if self.at(part.end, "and"):
            for second in self.noun_phrase(part.end + 1):
                yield Part(
                    second.end,
                    (*part.atoms, Related(SELF, relation, second.var), *second.atoms),
                    part.cost + second.cost + 1,
                )

    @rule
    def role_phrase(self, start: int) -> Iterator[Part]:
        """Reads "was the father of {x}", "is the capital of {x}", "was his birthplace"."""
        if self.text[start] not in ("was", "is", "were", "are"):
            return
        for found in self.possessive(start + 1):
            yield found._replace(
                atoms=tuple(renamed(a, found.var, SELF) for a in found.atoms), var=SELF, noun=""
            )
        if not (self.at(start + 1, "the") or self.at(start + 1, "a")):
            return
        for role, relation in self.lexicon.roles.items():
            end = start + 2 + len(role)
            if self.text[start + 2 : end] == role and self.at(end, "of"):
                called = Called(SELF, " ".join(role))
                for whose in self.noun_phrase(end + 1):
                    yield from self._both(
                        Part(
                            whose.end,
                            (called, Related(SELF, relation, whose.var), *whose.atoms),
                            whose.cost,
                        ),
                        relation,
                    )

    @rule
    def has_as(self, start: int) -> Iterator[Part]:
        """Reads "has {x} as its capital"."""
        if self.text[start] not in ("has", "had", "have"):
            return
        for other in self.value_phrase(start + 1):
            for role, relation in self.lexicon.roles.items():
                for whose in ("its", "their"):
                    words = ("as", whose, *role)
                    if self.text[other.end : other.end + len(words)] == words:
                        yield Part(
                            other.end + len(words),
                            (Related(SELF, inverse(relation), other.var), *other.atoms),
                            other.cost,
                        )

    @rule
    def had(self, start: int) -> Iterator[Part]:
        """Reads "had a mother who …", "had one other sibling who …", "had the same teacher as {x}".

        The noun (mother, sibling, teacher) names the relation.
        """
        if self.text[start] not in ("had", "has"):
            return
        var = self._var(start + 1)
        for role, relation in self.lexicon.roles.items():
            same = start + 3 + len(role)
            if self.at(start + 1, "the", "same", *role, "as"):
                for twin in self.noun_phrase(same + 1):
                    both = (
                        Called(var, " ".join(role)),
                        Related(var, relation, SELF),
                        Related(var, relation, twin.var),
                        Differ(SELF, twin.var),
                    )
                    yield Part(twin.end, (*both, *twin.atoms), twin.cost)
            end = start + 2 + len(role) + self.at(start + 1, "one", "other")
            if any(
                self.at(start + 1, *article, *role)
                for article in (("a",), ("an",), ("one", "other"))
            ):
                head = Part(
                    end, (Called(var, " ".join(role)), Related(var, relation, SELF)), 0, var
                )
                for found in self._modified(head, start + 1):
                    yield found._replace(var=SELF)

    def complements(self, start: int, frame: Frame, any_end: bool) -> Iterator[Part]:
        """Reads an object, prepositional phrases and a time, in any order and each at most once."""
        waiting: list[tuple[Part, frozenset]] = [(Part(start, (), 0), frozenset())]
        while waiting:
            found, used = waiting.pop()
            if used or any_end:
                yield found
            more: list[tuple[Part, object]] = []
            if frame.obj and not used:
                more += [(p, "obj") for p in self._object(found.end, frame.obj)]
            if frame.time and "time" not in used:
                more += [(p, "time") for p in self.time(found.end, frame.time)]
            for preposition, relation in frame.complements.items():
                end = found.end + len(preposition)
                if preposition not in used and self.text[found.end : end] == preposition:
                    more += [(p, preposition) for p in self._object(end, relation)]
            waiting.extend(
                (Part(p.end, (*found.atoms, *p.atoms), found.cost + p.cost), used | {what})
                for p, what in more
            )

    def _same(self, start: int, relation: str) -> Iterator[Part]:
        """Reads "the same sea as {x}": two different things have the same relation to one thing.
        "The same saint" alone is that of a thing before."""
        if not self.at(start, "the", "same"):
            return
        var = self._var(start)
        heads: list[tuple[int, Atom]] = [
            (end, Kind(var, noun)) for end, noun in self.lexicon.nouns.found(self.text, start + 2)
        ]
        heads += [
            (start + 2 + len(role), Called(var, " ".join(role)))
            for role in self.lexicon.roles
            if self.at(start + 2, *role)
        ]
        for end, said in heads:
            for other in self.noun_phrase(end + 1) if self.at(end, "as") else ():
                both = (
                    said,
                    Related(SELF, relation, var),
                    Related(other.var, relation, var),
                    Differ(SELF, other.var),
                )
                yield Part(other.end, (*both, *other.atoms), other.cost)
            if not self.at(end, "as"):
                twin = f"s{start}"
                shared = (Related(SELF, relation, var), Related(twin, relation, var))
                yield Part(end, (said, *shared, Differ(SELF, twin), Back(twin, "", "twin")), 0)

    def _object(self, start: int, relation: str) -> Iterator[Part]:
        if start < len(self.text):
            yield from self._same(start, relation)
            for other in self.value_phrase(start):
                yield from self._both(
                    Part(other.end, (Related(SELF, relation, other.var), *other.atoms), other.cost),
                    relation,
                )

    @rule
    def value_phrase(self, start: int) -> Iterator[Part]:
        """Reads a noun phrase, or a common noun that is a value ("worked as a poet", "shows a
        boat", "built of granite").
        """
        yield from self.noun_phrase(start)
        generic = self.at(start, "the") and self.text[start + 1] in self.lexicon.generic
        begin = start + (self.text[start] in ("a", "an") or generic)
        for end, label in self.lexicon.names.found(self.text, begin)[:1]:
            if begin > start or label[:1].islower():
                yield Part(end, (Named(self._var(start), label),), 0, self._var(start))
