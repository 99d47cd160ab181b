"""A grammar of the questions' English: tokens in, every reading out.

Rules are methods that take a position and give (end, atoms, cost) of every way to go on from there; a noun phrase also
gives its variable, which is named by where it begins. Results are kept by (rule, position), so the work stays small
although nothing is decided early: "the bridge in the town that was built in 1850" has two readings, and the cost (how far a
modifier stands from its noun) says which one a reader prefers.
"""
import re
from collections.abc import Iterator
from functools import wraps
from typing import NamedTuple

from benchmarks.truth_reader.lexicon import Frame, Lexicon, Tokens
from benchmarks.truth_reader.query import (SELF, Another, Atom, Back, Called, Compared, Has, Kind, Named, Number, Pictured, Related, Seen, Text,
                                           Winner, renamed)
from benchmarks.truth_reader.world import Date

MOST = 60
"""Readings kept a rule and position, the cheapest first."""
BARE = 1_000
"""Cost of "the town" with nothing that says which: it is not English to leave it so where another reading says it."""
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
SMALL = {w: n for n, w in enumerate("no one two three four five six seven eight nine ten eleven twelve".split())}
PICTURE = (("in", "the", "picture"), ("shown", "in", "the", "picture"), ("in", "the", "image"), ("shown", "in", "the", "image"), ("shown", "here"))


class Part(NamedTuple):
    """One way to read a stretch of text."""

    end: int
    atoms: tuple[Atom, ...]
    cost: int
    var: str = SELF
    noun: str = ""


def rule(method):
    """Keeps a rule's results; a rule that meets itself at the same position gives nothing."""
    @wraps(method)
    def kept(self: "Grammar", start: int, *more) -> list[Part]:
        key = (method.__name__, start, more)
        if key not in self._kept:
            self._kept[key] = []
            if start < len(self.text):
                found = {(p.end, p.atoms, p.var): p for p in sorted(method(self, start, *more), key=lambda p: -p.cost)}
                self._kept[key] = sorted(found.values(), key=lambda p: (p.cost, p.end))[:MOST]
        return self._kept[key]

    return kept


def about(part: Part, var: str) -> tuple[Atom, ...]:
    """A verb phrase's atoms said of a variable."""
    return tuple(renamed(a, SELF, var) for a in part.atoms)


class Grammar:
    """One text being read."""

    def __init__(self, text: Tokens, lexicon: Lexicon) -> None:
        self.text = tuple(t for t in text if t != "also")
        self.lexicon = lexicon
        self._kept: dict = {}

    def at(self, start: int, *words: str) -> bool:
        return self.text[start:start + len(words)] == words or tuple(w.lower() for w in self.text[start:start + len(words)]) == words

    # ------------------------------------------------------------ noun phrases

    @rule
    def noun_phrase(self, start: int) -> Iterator[Part]:
        """A thing: a name, a description, something spoken of before."""
        yield from self.name(start)
        yield from self.reference(start)
        yield from self.by_role(start)
        yield from self.described(start)
        yield from self.whichever(start)

    def _var(self, start: int) -> str:
        return f"n{start}"

    @rule
    def name(self, start: int) -> Iterator[Part]:
        quoted = self.at(start, "“")
        i = start + quoted
        begins = [i] if quoted or not self.at(i, "the") else [i, i + 1]
        for begin in begins:
            for end, label in self.lexicon.names.found(self.text, begin)[:1]:
                if not quoted and label[:1].islower() and (begin != i or end < len(self.text) and self.text[end] not in ("?", ".", ",", "and")):
                    continue
                if not quoted or self.at(end, "”"):
                    yield Part(end + quoted, (Named(self._var(start), label),), 0, self._var(start))

    @rule
    def reference(self, start: int) -> Iterator[Part]:
        var = self._var(start)
        if self.at(start, "it"):
            yield Part(start + 1, (Back(var, "", "it"),), 0, var)
        for words, mode in ((("that",), "that"), (("the", "other"), "other")):
            if self.at(start, *words):
                nouns = self.lexicon.nouns.found(self.text, start + len(words)) + self.lexicon.short.found(self.text, start + len(words))
                for end, noun in dict.fromkeys(nouns):
                    yield Part(end, (Back(var, noun, mode),), 0, var, noun)
        if self.at(start, "the", "one", "that"):
            for order in self.order(start + 3):
                yield Part(order.end, (Back(var, f"{order.noun} {order.var}", "compared"),), 0, var)

    @rule
    def by_role(self, start: int) -> Iterator[Part]:
        """"the architect of {x}", "the artist behind {x}", and what is said of them."""
        if not self.at(start, "the"):
            return
        var = self._var(start)
        for role, relation in self.lexicon.roles.items():
            end = start + 1 + len(role)
            if self.text[start + 1:end] != role:
                continue
            after = end if role[-1] == "behind" else end + 1 if self.at(end, "of") else 0
            for whose in self.things(after) if after else ():
                found = Part(whose.end, (Called(var, " ".join(role)), Related(var, relation, whose.var), *whose.atoms), whose.cost, var, role[-1])
                yield from self._modified(found, start)

    @rule
    def described(self, start: int) -> Iterator[Part]:
        """"the lighthouse designed by …", "an architect who …", "another town", and the bare noun after "which"."""
        var = self._var(start)
        word = self.text[start].lower()
        if word not in ("the", "a", "an", "another"):
            return
        for end, noun in self.lexicon.nouns.found(self.text, start + 1):
            atoms: tuple[Atom, ...] = (Kind(var, noun),)
            if word == "another":
                atoms += (Another(var, noun),)
            for picture in PICTURE:
                if word == "the" and self.text[end:end + len(picture)] == picture:
                    yield from self._modified(Part(end + len(picture), (*atoms, Pictured(var)), 0, var, noun), start)
            for found in self._modified(Part(end, atoms, 0, var, noun), start):
                bare = word == "the" and found.end == end
                yield found._replace(cost=found.cost + BARE * bare)

    def _modified(self, head: Part, start: int) -> Iterator[Part]:
        """A head with nothing, one, two, … modifiers behind it."""
        waiting = [(head, 0)]
        while waiting:
            found, depth = waiting.pop()
            yield found
            for more in self.modifier(found.end, start) if depth < 4 else ():
                cost = found.cost + more.cost + (found.end - start)
                waiting.append((found._replace(end=more.end, atoms=(*found.atoms, *about(more, found.var)), cost=cost), depth + 1))

    @rule
    def modifier(self, start: int, head: int) -> Iterator[Part]:
        """Words behind a noun that say more of it."""
        if self.at(start, "and"):
            if self.text[start + 1:start + 2] and self.text[start + 1] in ("whose", "in", "that", "who", "which"):
                yield from self.modifier(start + 1, head)
            return
        if self.at(start, ","):
            if self.text[start + 1:start + 2] and self.text[start + 1] in ("which", "who"):
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

    @rule
    def reduced(self, start: int) -> Iterator[Part]:
        """A participle or preposition behind a noun, coordinated or not: "designed by x and built in 1850", "in Karsk"."""
        yield from self._joined(start, self.predicate)

    @rule
    def predicate(self, start: int) -> Iterator[Part]:
        """A verb phrase without its "was" or "is"."""
        for frame in self.lexicon.frames:
            if frame.bare and self.text[start:start + len(frame.bare)] == frame.bare:
                yield from self.complements(start + len(frame.bare), frame, False)
        for words, relation in self.lexicon.phrases:
            if words[0] in ("was", "is"):
                yield from self._phrase(start, words[1:], relation)
        standing = next(f for f in self.lexicon.frames if f.bare == ("standing",))
        if self.text[start] in ("by", "on"):
            yield from self.complements(start, standing, False)

    @rule
    def whose(self, start: int) -> Iterator[Part]:
        """"whose mother was born in …", "whose collection includes {x}"."""
        if self.at(start, "collection", "includes"):
            for held in self.noun_phrase(start + 2):
                yield Part(held.end, (Related(SELF, "<P195", held.var), *held.atoms), held.cost)
        for role, relation in self.lexicon.roles.items():
            if self.text[start:start + len(role)] == role:
                var = self._var(start)
                for said in self.verb_phrases(start + len(role)):
                    yield said._replace(atoms=(Called(var, " ".join(role)), Related(var, relation, SELF), *about(said, var)))

    @rule
    def gap_clause(self, start: int) -> Iterator[Part]:
        """"where {x} died", "in which {x} rises", "from which", "after whom {x} is named", "whose collection includes {x}" comes by itself."""
        for words, prepositions in self._openings(start):
            for subject in self.noun_phrase(start + len(words)):
                for frame, form in self._forms(subject.end):
                    for preposition, relation in frame.complements.items():
                        if preposition in prepositions:
                            end = subject.end + len(form)
                            yield Part(end, (Related(subject.var, relation, SELF), *subject.atoms), subject.cost)
                if "where" in words and self.at(subject.end, "has", "its", "headquarters"):
                    yield Part(subject.end + 3, (Related(subject.var, "@hq", SELF), *subject.atoms), subject.cost)
                if words[0] == "of" and self.at(subject.end, "is", "part"):
                    yield Part(subject.end + 2, (Related(subject.var, ">P361", SELF), *subject.atoms), subject.cost)
                if words[0] == "of" and self.at(subject.end, "was", "a", "citizen"):
                    yield Part(subject.end + 3, (Related(subject.var, ">P27", SELF), *subject.atoms), subject.cost)

    def _openings(self, start: int) -> Iterator[tuple[Tokens, tuple[Tokens, ...]]]:
        if self.at(start, "where"):
            yield ("where",), (("in",), ("at",), ("on",))
        for frame in self.lexicon.frames:
            for preposition in frame.complements:
                for pronoun in ("which", "whom"):
                    words = (*preposition, pronoun)
                    if self.text[start:start + len(words)] == words:
                        yield words, (preposition,)

    @rule
    def object_gap(self, start: int) -> Iterator[Part]:
        """"that {x} crosses", "that {x} is named after"."""
        for subject in self.noun_phrase(start):
            for frame, form in self._forms(subject.end):
                end = subject.end + len(form)
                if frame.obj:
                    yield Part(end, (Related(subject.var, frame.obj, SELF), *subject.atoms), subject.cost)
                for preposition, relation in frame.complements.items():
                    if self.text[end:end + len(preposition)] == preposition:
                        yield Part(end + len(preposition), (Related(subject.var, relation, SELF), *subject.atoms), subject.cost)

    def _forms(self, start: int) -> Iterator[tuple[Frame, Tokens]]:
        for frame, form in self.lexicon.by_first.get(self.text[start], ()) if start < len(self.text) else ():
            if self.text[start:start + len(form)] == form:
                yield frame, form

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
        return Part(order.end, (*atoms, Winner(var, tuple(p.var for p in among), keys, greatest)), sum(p.cost for p in among), var)

    def listing(self, start: int, last: str) -> list[tuple[int, list[Part]]]:
        """Two or more noun phrases: "a, b and c"."""
        found: list[tuple[int, list[Part]]] = []
        for first in self.noun_phrase(start)[:30]:
            if self.at(first.end, last):
                found.extend((second.end, [first, second]) for second in self.noun_phrase(first.end + 1)[:30])
            elif self.at(first.end, ","):
                found.extend((end, [first, *rest]) for end, rest in self.listing(first.end + 1, last))
        return found

    @rule
    def things(self, start: int) -> Iterator[Part]:
        """One noun phrase; or two joined by "and", of which the same is said (the relation then holds for each)."""
        yield from self.noun_phrase(start)

    # ------------------------------------------------------------ verb phrases

    @rule
    def verb_phrases(self, start: int) -> Iterator[Part]:
        """Finite verb phrases joined by commas and "and"; after the first, a shared "was" may be left out."""
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
        """What is said of SELF in one finite verb phrase."""
        for frame, form in self._forms(start):
            yield from self.complements(start + len(form), frame, False)
        for words, relation in self.lexicon.phrases:
            yield from self._phrase(start, words, relation)
            if words[0] == "was":
                yield from self._phrase(start, ("were", *words[1:]), relation)
        yield from self.role_phrase(start)
        yield from self.measured(start)
        yield from self.compared(start)
        yield from self.had(start)

    def _phrase(self, start: int, words: Tokens, relation: str) -> Iterator[Part]:
        slot = words.index("{x}")
        if self.text[start:start + slot] != words[:slot]:
            return
        for other in self.noun_phrase(start + slot):
            rest = words[slot + 1:]
            if self.text[other.end:other.end + len(rest)] == rest:
                yield from self._both(Part(other.end + len(rest), (Related(SELF, relation, other.var), *other.atoms), other.cost), relation)

    def _both(self, part: Part, relation: str) -> Iterator[Part]:
        """A relation to one thing, or also to a second joined by "and" ("was a parent of Ivo and Ansgar")."""
        yield part
        if self.at(part.end, "and"):
            for second in self.noun_phrase(part.end + 1):
                yield Part(second.end, (*part.atoms, Related(SELF, relation, second.var), *second.atoms), part.cost + second.cost + 1)

    @rule
    def role_phrase(self, start: int) -> Iterator[Part]:
        """"was the father of {x}", "is the capital of {x}"."""
        if self.text[start] not in ("was", "is", "were", "are") or not (self.at(start + 1, "the") or self.at(start + 1, "a")):
            return
        for role, relation in self.lexicon.roles.items():
            end = start + 2 + len(role)
            if self.text[start + 2:end] == role and self.at(end, "of"):
                for whose in self.noun_phrase(end + 1):
                    yield from self._both(Part(whose.end, (Related(SELF, relation, whose.var), *whose.atoms), whose.cost), relation)

    @rule
    def had(self, start: int) -> Iterator[Part]:
        """"had a mother who …", "had a sibling who …": the noun is the relation."""
        if self.text[start] not in ("had", "has") or not self.text[start + 1:start + 2] or self.text[start + 1] not in ("a", "an", "another"):
            return
        var = self._var(start + 1)
        for role, relation in self.lexicon.roles.items():
            end = start + 2 + len(role)
            if self.text[start + 2:end] == role:
                head = Part(end, (Called(var, " ".join(role)), Related(var, relation, SELF)), 0, var)
                for found in self._modified(head, start + 1):
                    yield found._replace(var=SELF)

    def complements(self, start: int, frame: Frame, any_end: bool) -> Iterator[Part]:
        """An object, then prepositions with what follows, then a time, each at most once and in any order."""
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
                if preposition not in used and self.text[found.end:end] == preposition:
                    more += [(p, preposition) for p in self._object(end, relation)]
            waiting.extend((Part(p.end, (*found.atoms, *p.atoms), found.cost + p.cost), used | {what}) for p, what in more)

    def _object(self, start: int, relation: str) -> Iterator[Part]:
        if start < len(self.text):
            for other in self.value_phrase(start):
                yield from self._both(Part(other.end, (Related(SELF, relation, other.var), *other.atoms), other.cost), relation)

    @rule
    def value_phrase(self, start: int) -> Iterator[Part]:
        """A noun phrase, or a common noun as a value ("worked as a poet", "shows a boat", "built of granite")."""
        yield from self.noun_phrase(start)
        begin = start + (self.text[start] in ("a", "an"))
        for end, label in self.lexicon.names.found(self.text, begin)[:1]:
            if begin > start or label[:1].islower():
                yield Part(end, (Named(self._var(start), label),), 0, self._var(start))

    # ------------------------------------------------------------ times, numbers, orders

    @rule
    def time(self, start: int, properties: str) -> Iterator[Part]:
        """"in 1850", "before 3 May 1850", "after {x} was built", "in the year in which …", of a date of SELF."""
        for words, op in ((("in",), "="), (("on",), "="), (("before",), "<"), (("after",), ">"), ((), "=")):
            if self.text[start:start + len(words)] != words:
                continue
            i, key = start + len(words), f"t{start}"
            for end, date in self.date(i) if words or properties.startswith("P571") else ():
                yield Part(end, (Has(SELF, properties, key), Compared(key, op, date)), 0)
            if not words or words == ("on",):
                continue
            for event in self.literal(i):
                yield Part(event.end, (Has(SELF, properties, key), *event.atoms, Compared(key, "year" if op == "=" else op, event.var)), event.cost)
            if op != "=":
                for event in self.happened(i):
                    yield Part(event.end, (Has(SELF, properties, key), *event.atoms, Compared(key, op, event.var)), event.cost)

    def date(self, start: int) -> list[tuple[int, Date]]:
        """"1850", "May 1850", "3 May 1850"."""
        words = self.text[start:start + 3]
        if words and re.fullmatch(r"\d{3,4}", words[0]):
            return [(start + 1, (int(words[0]), 0, 0))]
        if len(words) > 1 and words[0] in MONTHS and words[1].isdigit():
            return [(start + 2, (int(words[1]), MONTHS.index(words[0]) + 1, 0))]
        if len(words) > 2 and words[0].isdigit() and words[1] in MONTHS and words[2].isdigit():
            return [(start + 3, (int(words[2]), MONTHS.index(words[1]) + 1, int(words[0])))]
        return []

    @rule
    def happened(self, start: int) -> Iterator[Part]:
        """"{x} was built": the literal is when."""
        for subject in self.noun_phrase(start):
            for frame, form in self._forms(subject.end):
                if frame.time:
                    var = f"d{start}"
                    yield Part(subject.end + len(form), (*subject.atoms, Has(subject.var, frame.time, var)), subject.cost, var, "date")

    @rule
    def literal(self, start: int) -> Iterator[Part]:
        """A date, number or text as a noun phrase: "the year {x} was built", "the height of {x}", "the year given on the plaque on {x}"."""
        if not self.at(start, "the"):
            return
        var = f"d{start}"
        for words in (("the", "year", "in", "which"), ("the", "year")):
            if self.at(start, *words):
                yield from self.happened(start + len(words))
        for words, prop in self.lexicon.events.items():
            end = start + 1 + len(words)
            if self.text[start + 1:end] == words and self.at(end, "of"):
                for whose in self.noun_phrase(end + 1):
                    yield Part(whose.end, (*whose.atoms, Has(whose.var, prop, var)), whose.cost, var, "date")
        for measure in self.lexicon.measures:
            for noun in measure.get("noun", ()):
                words = tuple(noun.split())
                end = start + 1 + len(words)
                if self.text[start + 1:end] == words:
                    unit = self.unit(end)
                    end = unit[0] + (0 if words[-1] == "in" else 1)
                    if words[-1] == "in" or self.at(end - 1, "of"):
                        for whose in self.noun_phrase(end):
                            yield Part(whose.end, (*whose.atoms, Has(whose.var, measure["of"], var)), whose.cost, var, f"number {unit[1]}")
        for words, prop in self.lexicon.texts.items():
            end = start + 1 + len(words)
            if self.text[start + 1:end] == words and (self.at(end, "of") or words[-1] == "on"):
                for whose in self.noun_phrase(end + (words[-1] != "on")):
                    yield Part(whose.end, (*whose.atoms, Has(whose.var, prop, var)), whose.cost, var, "text")
        yield from self.seen_literal(start)

    @rule
    def seen_literal(self, start: int) -> Iterator[Part]:
        """What can be read on the picture, as a noun phrase."""
        var = f"d{start}"
        for words, what in (("the year given on", "year"), ("the year that can be read on", "year"), ("the number on", "number"),
                            ("the number that can be read on", "number"), ("the inscription on", "text"), ("the year that can be read in the picture", "year"),
                            ("the number that can be read in the picture", "number"), ("the words that can be read in the picture", "text")):
            opening = tuple(words.split())
            if not self.at(start, *opening):
                continue
            end = start + len(opening)
            if opening[-1] == "picture":
                yield Part(end, (Pictured(f"{var}x"), Seen(f"{var}x", var, "", what)), 0, var, "date" if what == "year" else what)
            else:
                yield from self.on_part(end, var, what)
        if self.at(start, "the", "number", "of"):
            for end, noun in self.lexicon.plurals.found(self.text, start + 3) or self._parts(start + 3):
                for word in ("on", "of"):
                    if self.at(end, word):
                        for whose in self.noun_phrase(end + 1):
                            yield Part(whose.end, (*whose.atoms, Seen(whose.var, var, noun, "count")), whose.cost, var, "number ")

    def _parts(self, start: int) -> list[tuple[int, str]]:
        return [(start + 1, self.text[start][:-1])] if self.text[start:start + 1] and self.text[start] in ("arches", "columns", "flags", "doors") else []

    def on_part(self, start: int, var: str, what: str) -> Iterator[Part]:
        """"{x}", or "the plaque on {x}": what bears the words."""
        kind = "date" if what == "year" else f"{what} "
        for whose in self.noun_phrase(start):
            yield Part(whose.end, (*whose.atoms, Seen(whose.var, var, "", what)), whose.cost, var, kind)
        for part in ("commemorative plaque", "plaque", "inscription", "flag", "door", "column", "arch"):
            words = ("the", *part.split())
            end = start + len(words)
            if self.at(start, *words) and self.text[end:end + 1] and self.text[end] in ("on", "of"):
                for whose in self.noun_phrase(end + 1):
                    yield Part(whose.end, (*whose.atoms, Seen(whose.var, var, part, what)), whose.cost, var, kind)

    def unit(self, start: int) -> tuple[int, str]:
        """", in metres," or nothing: (where it ends, the unit's id)."""
        if self.at(start, ",", "in"):
            for words, unit in sorted(self.lexicon.units.items(), key=lambda u: -len(u[0])):
                end = start + 2 + len(words)
                if self.text[start + 2:end] == words:
                    return end + self.at(end, ","), unit
        return start, ""

    def amount(self, start: int) -> list[tuple[int, Number, str]]:
        """"35 metres", "more than 1,200", "twelve": (end, number, comparison)."""
        op = "="
        for words, meaning in ((("more", "than"), ">"), (("less", "than"), "<"), (("fewer", "than"), "<")):
            if self.at(start, *words):
                start, op = start + 2, meaning
        if start >= len(self.text):
            return []
        word = self.text[start]
        number = SMALL.get(word)
        if number is None and re.fullmatch(r"-?\d[\d,]*(\.\d+)?", word):
            number = float(word.replace(",", ""))
        if number is None:
            return []
        for words, unit in sorted(self.lexicon.units.items(), key=lambda u: -len(u[0])):
            if self.text[start + 1:start + 1 + len(words)] == words:
                return [(start + 1 + len(words), Number(float(number), unit), op)]
        return [(start + 1, Number(float(number)), op)]

    @rule
    def measured(self, start: int) -> Iterator[Part]:
        """"is 35 metres tall", "has a focal height of 54 metres"."""
        key = f"q{start}"
        for measure in self.lexicon.measures:
            shapes = [tuple(v.split()) for v in measure.get("verb", ())]
            shapes += [("is", "{n}", a) for a in measure.get("adjective", ())]
            for shape in shapes:
                slot = shape.index("{n}")
                if self.text[start:start + slot] == shape[:slot]:
                    for end, number, op in self.amount(start + slot):
                        rest = shape[slot + 1:]
                        if self.text[end:end + len(rest)] == rest:
                            yield Part(end + len(rest), (Has(SELF, measure["of"], key), Compared(key, op, number)), 0)
        for words in (("bears", "the", "inscription"), ("has", "the", "inventory", "number")):
            if self.at(start, *words):
                quoted = self.at(start + len(words), "“")
                begin = start + len(words) + quoted
                ends = [k for k in range(begin, len(self.text)) if self.text[k] == "”"][:1] if quoted else [begin + 1]
                for end in ends:
                    text = Text(" ".join(self.text[begin:end]))
                    yield Part(end + quoted, (Has(SELF, "P217 P1684", key), Compared(key, "=", text)), 0)

    @rule
    def compared(self, start: int) -> Iterator[Part]:
        """"is taller than {x}", "is exactly as tall as {x}", "is older than {x}"."""
        if not self.at(start, "is"):
            return
        for measure in self.lexicon.measures:
            shapes = [((*pair[i].split(), "than"), "<>"[i]) for pair in measure.get("compare", ()) for i in (0, 1)]
            shapes += [(("exactly", "as", a, "as"), "=") for a in measure.get("adjective", ())]
            for words, op in shapes:
                if self.text[start + 1:start + 1 + len(words)] == words:
                    for other in self.noun_phrase(start + 1 + len(words)):
                        left, right = f"l{start}", f"r{start}"
                        atoms = (*other.atoms, Has(SELF, measure["of"], left), Has(other.var, measure["of"], right), Compared(left, op, right))
                        yield Part(other.end, atoms, other.cost)

    @rule
    def order(self, start: int) -> Iterator[Part]:
        """"was built first", "is taller": Part.var holds the properties, Part.noun "first" or "last"."""
        for frame, form in self._forms(start):
            end = start + len(form)
            if frame.time and self.text[end:end + 1] and self.text[end] in ("first", "earlier", "last", "later"):
                yield Part(end + 1, (), 0, frame.time, "first" if self.text[end] in ("first", "earlier") else "last")
        if self.at(start, "is"):
            for measure in self.lexicon.measures:
                for less, more in measure.get("compare", ()):
                    for word, which in ((less, "first"), (more, "last")):
                        for words in (tuple(word.split()), ("the", *superlative(word).split())):
                            if self.text[start + 1:start + 1 + len(words)] == words:
                                yield Part(start + 1 + len(words), (), 0, measure["of"], which)
        if self.at(start, "has", "the"):
            for measure in self.lexicon.measures:
                for noun in measure.get("noun", ()):
                    for word, which in (("smaller", "first"), ("larger", "last")):
                        words = (word, *noun.split())
                        if self.text[start + 2:start + 2 + len(words)] == words:
                            yield Part(start + 2 + len(words), (), 0, measure["of"], which)


def superlative(comparative: str) -> str:
    """"taller" to "tallest"."""
    for word, most in (("more ", "most "), ("less ", "least ")):
        if comparative.startswith(word):
            return most + comparative.removeprefix(word)
    return comparative[:-2] + "est"
