"""The grammar rules for questions that ask for a thing."""

from collections.abc import Iterator

from benchmarks.truth_reader.grammar import Grammar
from benchmarks.truth_reader.lexicon import AUXILIARY, Tokens
from benchmarks.truth_reader.parts import BARE, Part, about
from benchmarks.truth_reader.query import (
    Another,
    Atom,
    Called,
    Kind,
    Related,
    Target,
)


class Things(Grammar):
    """The grammar rules for "who", "which town", "whose work"."""

    def _asker(self, start: int) -> Iterator[tuple[int, str, tuple[Atom, ...]]]:
        """Reads a question word or phrase: "who", "what", "which town", "whom", "whose …"."""
        var = f"w{start}"
        if self.at(start, "who") or self.at(start, "whom"):
            yield start + 1, var, (Kind(var, "person"),)
            yield start + 1, var, ()
        elif self.at(start, "what"):
            yield start + 1, var, ()
            if self.at(start, "what", "colour"):
                yield start + 2, var, (Kind(var, "colour"),)
        elif self.at(start, "which"):
            other = self.at(start + 1, "other")
            begin = start + 1 + other
            for said in (Part(begin, (), 0), *self.before(begin)):
                for end, noun in self.lexicon.nouns.found(self.text, said.end):
                    another = (Another(var, noun),) if other else ()
                    yield end, var, (*self.kind(var, noun), *about(said, var), *another)

    def _which(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "Who designed {x}?", "Which town is …?"."""
        for end, var, atoms in self._asker(start):
            kind = next((a.noun for a in atoms if isinstance(a, Kind)), "")
            for head in self._modified(Part(end, atoms, 0, var, kind), start):
                for said in self.verb_phrases(head.end):
                    yield (
                        said.end,
                        (*head.atoms, *about(said, var)),
                        Target("thing", (var,)),
                        head.cost + said.cost,
                    )

    def _whose(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "Whose work is {x}?", "Whose name does {x} bear?"."""
        for words, relation in self.lexicon.whose if self.at(start, "whose") else ():
            slot = words.index("{x}")
            for thing in (
                self.noun_phrase(start + 1 + slot) if self.at(start + 1, *words[:slot]) else ()
            ):
                if self.at(thing.end, *words[slot + 1 :]):
                    said = (*thing.atoms, Related(thing.var, relation, f"w{start}"))
                    yield (
                        thing.end + len(words) - slot - 1,
                        said,
                        Target("thing", (f"w{start}",)),
                        thing.cost,
                    )

    def _turned(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads inverted questions: "Which river does {x} cross?", "In which town did {x} die?",
        "Who is {x} named after?", "Of which {c} is {x} a part?".
        """
        for preposition in ((), *{p for f in self.lexicon.frames for p in f.complements}):
            opening = tuple(w.lower() for w in self.text[start : start + len(preposition)])
            if preposition and opening != preposition:
                continue
            for end, var, atoms in self._asker(start + len(preposition)):
                if preposition == ("in",) and self.at(end, "will", "you", "find"):
                    for found in self.noun_phrase(end + 3):
                        yield (
                            found.end,
                            (*atoms, Related(found.var, "@in", var), *found.atoms),
                            Target("thing", (var,)),
                            found.cost,
                        )
                for subject, more, aux in self._subject(end):
                    for relation, stop in self._rest(subject.end, aux, preposition):
                        said = (*atoms, Related(subject.var, relation, var), *subject.atoms, *more)
                        for late in self._late(stop, subject):
                            yield (
                                late.end,
                                (*said, *late.atoms),
                                Target("thing", (var,)),
                                late.cost,
                            )

    def _late(self, start: int, subject: Part) -> Iterator[Part]:
        """Reads nothing, or a clause about the subject behind its verb: "(In which town was the
        woman born) who discovered this fish?"."""
        yield Part(start, (), subject.cost)
        names_only = all(isinstance(a, Kind | Called) for a in subject.atoms)
        if self.at(start, "who") and names_only:
            for said in self.verb_phrases(start + 1):
                atoms = about(said, subject.var)
                whole = self.definite(
                    subject._replace(atoms=(*subject.atoms, *atoms), end=said.end)
                )
                cost = subject.cost % BARE + said.cost
                yield said._replace(atoms=whole.atoms[len(subject.atoms) :], cost=cost)

    def _subject(self, start: int) -> Iterator[tuple[Part, tuple[Atom, ...], str]]:
        """Reads the auxiliary verb and the noun phrase of an inverted clause."""
        aux = AUXILIARY.get(self.text[start]) if start < len(self.text) else None
        if aux:
            for subject in self.noun_phrase(start + 1):
                yield subject, (), aux

    def _rest(self, start: int, aux: str, preposition: Tokens) -> Iterator[tuple[str, int]]:
        """Reads the words after the subject of an inverted clause. Returns the relation that the
        words express, and the position after them.
        """
        for frame in self.lexicon.frames:
            for auxiliary, rest in frame.turned:
                end = start + len(rest)
                if auxiliary != aux or self.text[start:end] != rest:
                    continue
                if preposition:
                    yield from ((r, end) for p, r in frame.complements.items() if p == preposition)
                else:
                    if frame.obj:
                        yield frame.obj, end
                    for stranded, relation in frame.complements.items():
                        if self.text[end : end + len(stranded)] == stranded:
                            yield relation, end + len(stranded)
        if preposition == ("in",) and aux == "is":
            yield "@in @hq", start
        if preposition == ("in",) and self.at(start, "have", "its", "headquarters"):
            yield "@hq", start + 3
        for role, relation in self.lexicon.roles.items() if preposition == ("of",) else ():
            if self.at(start, "the", *role):  # "Of which district is that town the capital?"
                yield relation, start + 1 + len(role)
        for words, prep, relation in (
            (("a", "part"), "of", ">P361"),
            (("a", "citizen"), "of", ">P27"),
            (("a", "member"), "of", ">P463 >P102"),
        ):
            if preposition == (prep,) and self.at(start, *words):
                yield relation, start + len(words)

    def _equative(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "Who was the mother of {x}?", "What is the height, in metres, of {x}?", "What is
        the name of {x}?", "What was the destination of {x}?".
        """
        if not (self.at(start, "who") or self.at(start, "what")) or self.text[start + 1] not in (
            "is",
            "was",
        ):
            return
        begins = [start + 2] + ([start + 5] if self.at(start + 2, "the", "name", "of") else [])
        for begin in begins:
            for thing in self.noun_phrase(begin):
                yield thing.end, thing.atoms, Target("thing", (thing.var,)), thing.cost
        for value in self.literal(start + 2):
            kind, _, unit = value.noun.partition(" ")
            yield (
                value.end,
                value.atoms,
                Target("year" if kind == "date" else kind, (value.var,), unit),
                value.cost,
            )
