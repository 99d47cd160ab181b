"""The grammar rules for whole sentences: statements before the question, and the different forms of
a question.
"""

from collections.abc import Iterator
from itertools import chain

from benchmarks.truth_reader.grammar import Grammar
from benchmarks.truth_reader.lexicon import AUXILIARY, Tokens, plural
from benchmarks.truth_reader.parts import BARE, Part, about
from benchmarks.truth_reader.query import (
    WRITTEN,
    Another,
    Atom,
    Back,
    Called,
    Compared,
    Differ,
    Has,
    Kind,
    Pictured,
    Query,
    Related,
    Seen,
    Target,
    Together,
    renamed,
)

WHEN: dict[tuple[str, ...], str] = {
    ("In", "which", "century"): "century",
    ("In", "which", "month", "and", "year"): "month",
    ("When",): "year",
    **{("In", word, "year"): "year" for word in ("which", "what")},
    **{("On", word, "date"): "day" for word in ("which", "what")},
}
ORDERS = (
    *((word, "<") for word in ("before", "earlier", "older")),
    *((word, ">") for word in ("after", "later", "younger")),
)
"""Words behind "how many years", with how the asked date compares to the one told."""
VAGUE = ("it", "pronoun")
"""The modes of words that name no kind of thing: "it", "she", "its", "her"."""
LIFE = ("P569", "P570")
"""The properties of a birth and a death: only people have them."""
BESIDE = 50
"""The cost of a second reading that people may find as natural."""
OF_TWO = (("Which", "of", "the", "two"), ("Which", "of", "these"))


class Sentences(Grammar):
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

    # ------------------------------------------------------------ things

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
                whole = self.told(subject._replace(atoms=(*subject.atoms, *atoms), end=said.end))
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

    # ------------------------------------------------------------ dates and numbers

    def _when(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        for words, precision in WHEN.items():
            if self.text[start : start + len(words)] != words:
                continue
            for end, atoms, cost in self._dated(start + len(words)):
                yield end, atoms, Target(precision, ("when",)), cost

    def _dated(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], int]]:
        """Reads the event of a "when" question: "did {x} die", "was {x} built"."""
        for subject, more, aux in self._subject(start):
            for frame in self.lexicon.frames:
                for auxiliary, rest in frame.turned if frame.time else ():
                    end = subject.end + len(rest)
                    if auxiliary == aux and self.text[subject.end : end] == rest:
                        said = (*subject.atoms, *more, Has(subject.var, frame.time, "when"))
                        for late in self._late(end, subject):
                            yield late.end, (*said, *late.atoms), late.cost

    def _from_then(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads the rest of a question after "how many years after", such as "this bridge was built
        did its architect die".
        """
        for first in (*self.happened(start), *self.literal(start)):
            for end, atoms, cost in self._dated(first.end):
                cost += first.cost
                same = next(a for a in atoms if isinstance(a, Has) and a.literal == "when")
                for said in self._owned_by(first.atoms, atoms, same.var, same.properties):
                    yield end, (*said, *atoms), Target("years", (first.var, "when")), cost
                    cost += BARE
        for first in self.noun_phrase(start):
            for end, atoms, cost in self._dated(first.end):
                same = next(a for a in atoms if isinstance(a, Has) and a.literal == "when")
                then = Has(first.var, same.properties, "then")
                cost += first.cost
                for said in self._owned_by(first.atoms, atoms, same.var, same.properties):
                    told = (*said, then, Differ(first.var, same.var), *atoms)
                    yield end, told, Target("years", ("then", "when")), cost
                    cost += BARE
        # "The portrait bears a year. How many years after her birth is that (year)?"
        if self.at(start - 7, "a", "year", ".", "how", "many", "years"):
            for first in (*self.happened(start), *self.literal(start)):
                if (
                    first.noun == "date"
                    and first.var != WRITTEN
                    and self.at(first.end, "is", "that")
                ):
                    years, end = Target("years", (first.var, WRITTEN)), first.end + 2
                    yield end + self.at(end, "year"), first.atoms, years, first.cost

    def _measure(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "How tall, in metres, is {x}?", "What was the nickname of {x}?"."""
        for measure in self.lexicon.measures:
            asks = [
                how
                for a in measure.get("adjective", ())
                for how in (f"How {a} {{u}} is {{x}}", f"How many {{n}} {a} is {{x}}")
            ] + measure.get("ask", [])
            asks += [
                f"What is the {noun}{'' if noun.endswith(' in') else ' of'} {{x}} {{u}}"
                for noun in measure.get("noun", ())
            ]
            for ask in asks:
                words = tuple(ask.split())
                yield from self._shape(start, words, measure["of"])
        for words, text in self.lexicon.text_asks:
            yield from self._shape(start, words, text, "text")

    def _shape(
        self, start: int, words: Tokens, properties: str, kind: str = "number"
    ) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        unit = ""
        i = start
        slot = words.index("{x}")
        for word in words[:slot]:
            if word == "{u}":
                i, unit = self.unit(i)
            elif word == "{n}":
                i, unit = self.bare_unit(i)
            elif self.at(i, word) or self.text[i : i + 1] == (word,):
                i += 1
            else:
                return
        for subject in self.noun_phrase(i) if i < len(self.text) else ():
            rest, end = words[slot + 1 :], subject.end
            if rest == ("{u}",):
                (end, unit), rest = self.unit(end), ()
            if self.text[end : end + len(rest)] == rest:
                atoms = (*subject.atoms, Has(subject.var, properties, "much"))
                yield end + len(rest), atoms, Target(kind, ("much",), unit), subject.cost

    def _computed(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        for words, kind in (
            ("How many years lie between", "years"),
            ("How many years passed between", "years"),
            ("How many years are there between", "years"),
            ("How many full years passed between", "full_years"),
        ):
            opening = tuple(words.split())
            if self.text[start : start + len(opening)] == opening:
                i = start + len(opening)
                yield from self._both_ends(i, kind)
                yield from self._two_literals(i, "and", kind, "")
        for words, kind in (("What is the difference", "difference"), ("What is the sum", "sum")):
            opening = tuple(words.split())
            if self.text[start : start + len(opening)] == opening:
                yield from self._of_measure(start + len(opening), kind)
                i, unit = self.unit(start + len(opening))
                if self.text[i : i + 1] and self.text[i] in ("between", "of"):
                    yield from self._two_literals(i + 1, "and", kind, unit)
        for word, op in ORDERS if self.at(start, "how", "many", "years") else ():
            if self.at(start + 3, word):
                for end, atoms, asked, cost in self._since(start + 4, word):
                    then, when = asked.vars
                    yield end, (*atoms, Compared(when, op, then)), asked, cost
        if self.at(start, "how", "old", "did"):
            yield from self._age(start + 3)
        if self.at(start, "what", "is", "the", "combined"):
            yield from self._of_measure(start + 4, "sum")
        if self.at(start, "what", "do", "you", "get", "when", "you", "divide"):
            yield from self._two_literals(start + 7, "by", "ratio", "")
        if self.at(start, "how", "many", "times", "as"):
            yield from self._times(start + 4)

    def _since(self, start: int, word: str) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads the rest of a question after "how many years" and a word of `ORDERS`."""
        if word in ("before", "after"):
            yield from self._from_then(start)
        elif self.at(start, "than"):
            read = self._older if word in ("older", "younger") else self._from_then
            yield from read(start + 1)
        elif word in ("earlier", "later"):
            for end, atoms, cost in self._dated(start):
                yield end, atoms, Target("years", (WRITTEN, "when")), cost

    def _age(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "(How old did) {x} turn in the year on {y}?", "… in that year?", and "… in the year
        {y} was built?"."""
        for person in self.noun_phrase(start):
            born = (*person.atoms, Has(person.var, "P569", "born"))
            for year in self.literal(person.end + 2) if self.at(person.end, "turn", "in") else ():
                atoms, cost = (*born, *year.atoms), person.cost + year.cost
                yield year.end, atoms, Target("years", (year.var, "born")), cost

    def _older(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "(How many years older than) {x} was {y}?"."""
        for one in self.noun_phrase(start):
            if self.at(one.end, "was"):
                for other in self.noun_phrase(one.end + 1):
                    born = (Has(one.var, "P569", "then"), Has(other.var, "P569", "when"))
                    cost = one.cost + other.cost
                    for said in self._owned_by(one.atoms, other.atoms, other.var, "P569"):
                        atoms = (*said, *other.atoms, *born, Differ(one.var, other.var))
                        yield other.end, atoms, Target("years", ("then", "when")), cost
                        cost += BARE

    def _both_ends(
        self, start: int, kind: str
    ) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        if self.at(start, "the", "birth", "and", "the", "death", "of"):
            for person in self.noun_phrase(start + 6):
                atoms = (
                    *person.atoms,
                    Has(person.var, "P569", "born"),
                    Has(person.var, "P570", "died"),
                )
                yield person.end, atoms, Target(kind, ("born", "died")), person.cost
        for words, prop in self.lexicon.events.items() if self.at(start, "the") else ():
            end = start + 1 + len(words)
            if self.text[start + 1 : end] != (*words[:-1], plural(words[-1])):
                continue
            for stop, (one, two) in self._two_of(end + 1) if self.at(end, "of") else ():
                both = (Has(one.var, prop, "then"), Has(two.var, prop, "when"))
                cost = one.cost + two.cost
                # "The deaths of the teacher of this castle's architect and her husband"
                for said in self._owned_by(two.atoms, one.atoms, one.var, prop, also=True):
                    atoms = (*one.atoms, *said, *both, Differ(one.var, two.var))
                    yield stop, atoms, Target(kind, ("then", "when")), cost
                    cost += BESIDE

    def _two_of(self, start: int) -> Iterator[tuple[int, list[Part]]]:
        """Reads exactly two things, "{x} and {y}"."""
        yield from ((end, two) for end, two in self.listing(start, "and") if len(two) == 2)

    def _two_literals(
        self, start: int, joint: str, kind: str, unit: str
    ) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        for left in self.literal(start):
            if self.at(left.end, joint):
                for right in self.literal(left.end + 1):
                    yield (
                        right.end,
                        (*left.atoms, *right.atoms),
                        Target(kind, (left.var, right.var), unit),
                        left.cost + right.cost,
                    )

    def _of_measure(
        self, start: int, kind: str
    ) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "(the difference) in height, in metres, between {x} and {y}", "(the combined)
        height of the two towers".
        """
        i = start + self.at(start, "in")
        for measure in self.lexicon.measures:
            for noun in measure.get("noun", ()):
                words = tuple(noun.split())
                if self.text[i : i + len(words)] != words:
                    continue
                end, unit = self.unit(i + len(words))
                if self.text[end : end + 1] and self.text[end] in ("between", "of"):
                    for stop, two in self._pair(end + 1):
                        keys = tuple(f"{p.var}m" for p in two)
                        atoms = tuple(a for p in two for a in p.atoms) + tuple(
                            Has(p.var, measure["of"], k) for p, k in zip(two, keys, strict=True)
                        )
                        yield stop, atoms, Target(kind, keys, unit), sum(p.cost for p in two)

    def _pair(self, start: int) -> Iterator[tuple[int, list[Part]]]:
        """Reads a pair of things, "{x} and {y}" or "the two towers"."""
        yield from self._two_of(start)
        if self.at(start, "the", "two"):
            for end, noun in self.lexicon.plurals.found(self.text, start + 2):
                yield end, list(self._the_two(start, end, noun))

    def _times(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "How many times as tall as {x} is {y}?", which asks for y divided by x."""
        for measure in self.lexicon.measures:
            for adjective in measure.get("adjective", ()):
                if self.at(start, adjective, "as"):
                    for below in self.noun_phrase(start + 2):
                        if self.at(below.end, "is"):
                            for above in self.noun_phrase(below.end + 1):
                                atoms = (
                                    *below.atoms,
                                    *above.atoms,
                                    Has(above.var, measure["of"], "above"),
                                    Has(below.var, measure["of"], "below"),
                                )
                                yield (
                                    above.end,
                                    atoms,
                                    Target("ratio", ("above", "below")),
                                    below.cost + above.cost,
                                )

    def _of_two(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "Which of the two towers is taller?", "Which was built first: {x} or {y}?", "Who
        was born last: {x} or {y}?".
        """
        if self.at(start, "which", "of", "the", "two"):
            for end, noun in self.lexicon.plurals.found(self.text, start + 4):
                for order in self.order(end):
                    won = self._won(list(self._the_two(start + 2, end, noun)), order, "won")
                    yield won.end, won.atoms, Target("thing", ("won",)), 0
        ends = [
            start + len(words) for words in OF_TWO if self.text[start : start + len(words)] == words
        ]
        ends += [end for end, _, _ in self._asker(start)]
        for end in dict.fromkeys(ends):
            for order in self.order(end):
                if self.at(order.end, ":"):
                    for stop, among in self.listing(order.end + 1, "or"):
                        won = self._won(among, order._replace(end=stop), "won")
                        yield stop, won.atoms, Target("thing", ("won",)), won.cost

    def _the_two(self, start: int, end: int, noun: str) -> Iterator[Part]:
        one, two = f"n{start}", f"n{start + 1}"
        yield Part(end, (Back(one, noun, "that"),), 0, one, noun)
        yield Part(end, (Back(two, noun, "that"), Differ(two, one)), 0, two, noun)

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

    def _owned_by(
        self,
        first: tuple[Atom, ...],
        other: tuple[Atom, ...],
        subject: str,
        event: str,
        *,
        also: bool = False,
    ) -> Iterator[tuple[Atom, ...]]:
        """The atoms of `first`, where a possessive can mean the subject of another phrase.

        In "after the year on its plaque was the church opened", "its" is the church's. In "after
        his father did her teacher die", "his" is the teacher's. "It" or "he" as the subject says
        nothing. The second reading is that of an earlier thing: "his" can mean an earlier man only
        if the subject is a woman, unless both readings are natural (`also`).
        """
        vague = any(isinstance(a, Back) and a.var == subject and a.mode in VAGUE for a in other)
        seen = {a.var for a in first if isinstance(a, Seen)}
        owners = [a for a in first if isinstance(a, Back) and self._possesses(a, seen)]
        if vague or len(owners) != 1:
            yield first
            return
        [owner] = owners
        kept = tuple(renamed(a, owner.var, subject) for a in first if a is not owner)
        if owner.mode == "it":
            yield from (kept, first)
        elif event in LIFE:
            yield (*kept, Kind(subject, owner.noun))
            unlike = "her" if owner.noun == "his" else "his"
            yield first if also else (*first, Kind(subject, unlike))
        else:
            yield first

    def _possesses(self, back: Back, seen: set[str]) -> bool:
        """Whether a word is "its" before a thing with a year, or "his" or "her"."""
        if back.mode == "it":
            return back.var in seen
        place = int(back.var[1:])  # after "his", or one word later if a relative owns a thing
        return back.mode == "pronoun" and bool(
            {"his", "her"} & {w.lower() for w in self.text[place - 2 : place]}
        )
