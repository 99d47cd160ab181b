"""The grammar rules for verb phrases, and for the phrases behind a noun."""

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.truth_reader.amounts import Amounts
from benchmarks.truth_reader.lexicon import Frame, Tokens, data
from benchmarks.truth_reader.parts import Part, about, rule
from benchmarks.truth_reader.query import (
    SELF,
    Atom,
    Back,
    Called,
    Described,
    Differ,
    Kind,
    Named,
    Related,
    inverse,
    renamed,
)


def kind_done(frame: Frame, subject: str, other: str = "") -> tuple[Atom, ...]:
    """What a verb says of the kind of what is done: a work that was painted is a painting."""
    var = subject if frame.bare else other
    return (Kind(var, frame.kind),) if frame.kind and var else ()


class Verbs(Amounts):
    """The grammar rules for what is said of a thing."""

    # ------------------------------------------------------------ behind a noun

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
        yield from self.styled(start)

    @rule
    def styled(self, start: int) -> Iterator[Part]:
        """Reads "in the Salt Gothic style"."""
        for named in self.before(start + 2) if self.at(start, "in", "the") else ():
            if self.at(named.end, "style"):
                atoms = tuple(
                    replace(a, relation=">P149") if isinstance(a, Related) else a
                    for a in named.atoms
                )
                if any(isinstance(a, Related) for a in atoms):  # no year
                    yield Part(named.end + 1, atoms, 0)

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
                    said = (Related(subject.var, frame.obj, SELF), *kind_done(frame, "", SELF))
                    yield Part(end, (*said, *subject.atoms), subject.cost)
                for preposition, relation in frame.complements.items():
                    if self.text[end : end + len(preposition)] == preposition:
                        yield Part(
                            end + len(preposition),
                            (Related(subject.var, relation, SELF), *subject.atoms),
                            subject.cost,
                        )

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
        if self.text[start] in ("was", "is", "were", "are"):
            yield from self.styled(start + 1)

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
        """Reads "was the father of {x}", "is the capital of {x}", "was his birthplace", "was
        an architect"."""
        if self.text[start] not in ("was", "is", "were", "are"):
            return
        for found in self.possessive(start + 1):
            yield found._replace(
                atoms=tuple(renamed(a, found.var, SELF) for a in found.atoms), var=SELF, noun=""
            )
        if self.at(start + 1, "a") or self.at(start + 1, "an"):
            for end, noun in self.lexicon.nouns.found(self.text, start + 2):
                if noun in self.lexicon.occupations or noun in data()["callings"]:
                    yield Part(end, self.kind(SELF, noun), 0)
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
        first = Part(start, kind_done(frame, SELF), 0)
        waiting: list[tuple[Part, frozenset]] = [(first, frozenset())]
        while waiting:
            found, used = waiting.pop()
            if used or any_end:
                yield found
            more: list[tuple[Part, object]] = []
            if frame.obj and not used:
                more += [(p, "obj") for p in self._object(found.end, frame.obj, frame)]
            if frame.time and "time" not in used:
                more += [(p, "time") for p in self.time(found.end, frame.time)]
            if frame.bare and "style" not in used:
                more += [(p, "style") for p in self.styled(found.end)]
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
        heads: list[tuple[int, Atom, str]] = [
            (end, Kind(var, noun), relation)
            for end, noun in self.lexicon.nouns.found(self.text, start + 2)
        ]
        for role, meaning in self.lexicon.roles.items():
            # "From the same family" says whose family it is, not from which country they came.
            parts = [p for p in relation.split() if p in inverse(meaning).split()]
            if parts and self.at(start + 2, *role):
                end = start + 2 + len(role)
                heads.append((end, Called(var, " ".join(role)), " ".join(parts)))
        for end, said, relation in heads:
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
                told = Described(var, "", (said, shared[1]), end)
                atoms = (said, *shared, Differ(SELF, twin), Back(twin, "", "twin"), told)
                yield Part(end, atoms, 0)

    def _object(self, start: int, relation: str, verb: Frame | None = None) -> Iterator[Part]:
        if start < len(self.text):
            yield from self._same(start, relation)
            for other in self.value_phrase(start):
                kind = kind_done(verb, "", other.var) if verb else ()
                atoms = (Related(SELF, relation, other.var), *other.atoms, *kind)
                yield from self._both(Part(other.end, atoms, other.cost), relation)

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
