"""The grammar rules for whole sentences: statements before the question, questions about details of
pictures, and questions for a count. Other questions are in `things.py` and `computed.py`.
"""

from collections.abc import Iterator
from itertools import chain

from benchmarks.truth_reader.computed import Computed
from benchmarks.truth_reader.parts import Part, about
from benchmarks.truth_reader.query import (
    WRITTEN,
    Atom,
    Kind,
    Pictured,
    Query,
    Related,
    Seen,
    Target,
    Together,
)


class Sentences(Computed):
    """The top rule of the grammar. `readings()` returns every way to read the whole text."""

    def readings(self) -> list[Query]:
        """Every reading of the text; readings with the nearest modifiers come first."""
        found: list[Query] = []
        told: list[Part] = [Part(0, (), 0)]
        while told:
            so_far = told.pop()
            for atoms, asked, cost in self.question(so_far.end):
                found.append(Query((*so_far.atoms, *atoms), asked, so_far.cost + cost))
            for sentence in self.statement(so_far.end):
                told.append(
                    Part(
                        sentence.end, (*so_far.atoms, *sentence.atoms), so_far.cost + sentence.cost
                    )
                )
        return sorted(dict.fromkeys(found), key=lambda q: (q.cost, repr(q)))

    def statement(self, start: int) -> Iterator[Part]:
        """Reads statements such as "Consider {x}.", "Compare {x} with {y}.", "There is a chapel in
        {x}.", "{x} was designed by …".
        """
        for opening in (("Consider",), ("Take",), ("Think", "of")):
            if self.text[start : start + len(opening)] == opening:
                for thing in self.noun_phrase(start + len(opening)):
                    if self.at(thing.end, "."):
                        yield Part(thing.end + 1, thing.atoms, thing.cost)
        if self.at(start, "there", "is"):
            for thing in self.noun_phrase(start + 2):
                if self.at(thing.end, ".") and thing.end > start + 4:
                    yield Part(thing.end + 1, thing.atoms, thing.cost)
        if self.at(start, "compare"):
            for first in self.noun_phrase(start + 1):
                if self.at(first.end, "with"):
                    for second in self.noun_phrase(first.end + 1):
                        if self.at(second.end, "."):
                            together = Together(f"c{start}", (first.var, second.var))
                            yield Part(
                                second.end + 1,
                                (*first.atoms, *second.atoms, together),
                                first.cost + second.cost,
                            )
        yield from self._year_written(start)
        if start < len(self.text):
            for subject in self.noun_phrase(start):
                if subject.end < len(self.text):
                    for said in self.verb_phrases(subject.end):
                        if self.at(said.end, "."):
                            yield Part(
                                said.end + 1,
                                (*subject.atoms, *about(said, subject.var)),
                                subject.cost + said.cost,
                            )

    def _year_written(self, start: int) -> Iterator[Part]:
        """Reads "The plaque of {x} gives a year.", "This picture shows a year." and "Her picture
        shows a year.". Later, the words "that year" and "earlier" can refer back to a year that was
        introduced in this way.
        """
        if self.at(start, "This", "picture", "shows", "a", "year", "."):
            seen = (Pictured(f"{WRITTEN}x"), Seen(f"{WRITTEN}x", WRITTEN, "", "year"))
            yield Part(start + 6, seen, 0)
        found = [
            self.on_part(start, WRITTEN, "year"),
            self.in_owned_picture(start, WRITTEN, "year"),
        ]
        if self.at(start, "the", "picture", "of"):
            found.append(self.on_part(start + 3, WRITTEN, "year"))
        for part in chain(*found):
            for verb in ("gives", "shows", "bears"):
                if self.at(part.end, verb, "a", "year", "."):
                    yield Part(part.end + 4, part.atoms, part.cost)

    def question(self, start: int) -> Iterator[tuple[tuple[Atom, ...], Target, int]]:
        """Yields every way to read the rest of the text as one question."""
        if start < len(self.text) and self.text[-1] == "?":
            for end, atoms, asked, cost in self._asked(start):
                if end == len(self.text) - 1:
                    yield atoms, asked, cost

    def _asked(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        yield from self._which(start)
        yield from self._whose(start)
        yield from self._turned(start)
        yield from self._equative(start)
        yield from self._when(start)
        yield from self._measure(start)
        yield from self._computed(start)
        yield from self._seen(start)
        yield from self._count(start)
        yield from self._of_two(start)

    # ------------------------------------------------------------ details and counts

    def _seen(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "Which year can be read on the plaque on {x}?", "What does the plaque on {x} say?",
        "Which year is written in the picture of {x}?".
        """
        for words, what in (
            ("Which year is written on", "year"),
            ("Which year is written in the picture of", "year"),
            ("Which year can be read in the picture of", "year"),
            ("Which year does", "year"),
            ("What is written in the picture of", "text"),
            ("What can be read in the picture of", "text"),
            ("What can be read on", "text"),
            ("What year is given on", "year"),
            ("Which year can be read on", "year"),
            ("What number can be read on", "number"),
            ("Which number can be read on", "number"),
            ("What is written on", "text"),
            ("What does", "text"),
        ):
            opening = tuple(words.split())
            if self.text[start : start + len(opening)] == opening:
                for seen in self.on_part(start + len(opening), "seen", what):
                    end = seen.end
                    if opening[1:] in (("does",), ("year", "does")):
                        if not self.at(end, "say" if what == "text" else "give"):
                            continue
                        end += 1
                    yield end, seen.atoms, Target(what, ("seen",)), seen.cost
        for words, what in (
            ("Which year is written in", "year"),
            ("Which year can be read in", "year"),
            ("What is written in", "text"),
            ("What can be read in", "text"),
        ):
            opening = tuple(words.split())
            if self.at(start, *opening):
                for seen in self.in_owned_picture(start + len(opening), "seen", what):
                    yield seen.end, seen.atoms, Target(what, ("seen",)), seen.cost
        if self.at(start, "what", "does", "the", "inscription", "on"):
            for whose in self.noun_phrase(start + 5):
                if self.at(whose.end, "say"):
                    yield (
                        whose.end + 1,
                        (*whose.atoms, Seen(whose.var, "seen", "", "text")),
                        Target("text", ("seen",)),
                        whose.cost,
                    )
        if self.at(start + 1, "year", "can", "be", "read", "in", "the", "picture"):
            yield (
                start + 8,
                (Pictured("pictured"), Seen("pictured", "seen", "", "year")),
                Target("year", ("seen",)),
                0,
            )
        if self.at(start + 1, "number", "can", "be", "read", "in", "the", "picture"):
            yield (
                start + 8,
                (Pictured("pictured"), Seen("pictured", "seen", "", "number")),
                Target("number", ("seen",)),
                0,
            )
        if self.at(start + 1, "words", "can", "be", "read", "in", "the", "picture"):
            yield (
                start + 8,
                (Pictured("pictured"), Seen("pictured", "seen", "", "text")),
                Target("text", ("seen",)),
                0,
            )
        if self.at(start, "what", "colour", "is", "the"):
            for part in ("flag", "door", "column", "arch"):
                if (
                    self.at(start + 4, part)
                    and self.text[start + 5 : start + 6]
                    and self.text[start + 5] in ("on", "of")
                ):
                    for whose in self.noun_phrase(start + 6):
                        yield (
                            whose.end,
                            (*whose.atoms, Seen(whose.var, "seen", part, "colour")),
                            Target("text", ("seen",)),
                            whose.cost,
                        )

    def _count(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "How many arches does {x} have?", "How many lighthouses did {x} design?", "How many
        towns are in {x}?".
        """
        if not self.at(start, "how", "many"):
            return
        counted = [*self.lexicon.plurals.found(self.text, start + 2)]
        parts = {"arches": "arch", "columns": "column", "flags": "flag", "doors": "door"}
        word = self.text[start + 2] if start + 2 < len(self.text) else ""
        if word in parts:
            part = parts[word]
            if self.at(start + 3, "does"):
                for whose in self.noun_phrase(start + 4):
                    if self.at(whose.end, "have"):
                        yield (
                            whose.end + 1,
                            (*whose.atoms, Seen(whose.var, "seen", part, "count")),
                            Target("number", ("seen",)),
                            whose.cost,
                        )
            if self.at(start + 3, "can", "be", "counted", "on"):
                for whose in self.noun_phrase(start + 7):
                    yield (
                        whose.end,
                        (*whose.atoms, Seen(whose.var, "seen", part, "count")),
                        Target("number", ("seen",)),
                        whose.cost,
                    )
        for end, noun in counted:
            kind: tuple[Atom, ...] = (Kind("many", noun),)
            for said in self.verb_phrases(end):
                yield said.end, (*kind, *about(said, "many")), Target("count", ("many",)), said.cost
            for subject, _, aux in self._subject(end):
                for relation, stop in self._rest(subject.end, aux, ()):
                    yield (
                        stop,
                        (*kind, Related(subject.var, relation, "many"), *subject.atoms),
                        Target("count", ("many",)),
                        subject.cost,
                    )
                if self.at(subject.end, "have") and (
                    role := self.lexicon.roles.get(tuple(noun.split()))
                ):
                    yield (
                        subject.end + 1,
                        (Related("many", role, subject.var), *subject.atoms),
                        Target("count", ("many",)),
                        subject.cost,
                    )
