"""The grammar rules for questions that ask for a date, a number or years between two dates."""

from collections.abc import Iterator

from benchmarks.truth_reader.lexicon import Frame, Tokens, data, plural
from benchmarks.truth_reader.parts import BARE, Part, about
from benchmarks.truth_reader.query import (
    WRITTEN,
    Atom,
    Back,
    Called,
    Compared,
    Differ,
    Has,
    Kind,
    Related,
    Seen,
    Target,
    inverse,
    renamed,
)
from benchmarks.truth_reader.references import KIN, LIFE
from benchmarks.truth_reader.things import Things
from benchmarks.truth_reader.verbs import kind_done

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
BESIDE = 50
"""The cost of a second reading that people may find as natural."""
OF_TWO = (("Which", "of", "the", "two"), ("Which", "of", "these"))


class Computed(Things):
    """The grammar rules for "when", "how tall", "how many years", "which of the two"."""

    def _when(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        for words, precision in WHEN.items():
            if self.text[start : start + len(words)] != words:
                continue
            for end, atoms, cost in self._dated(start + len(words)):
                yield end, atoms, Target(precision, ("when",)), cost

    def _dated(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], int]]:
        """Reads the event of a "when" question: "did {x} die", "was {x} built", "was {x}
        discovered on {y}"."""
        for subject, more, aux in self._subject(start):
            for frame in self.lexicon.frames:
                for auxiliary, rest in frame.turned if frame.time else ():
                    end = subject.end + len(rest)
                    if auxiliary != aux or self.text[subject.end : end] != rest:
                        continue
                    more = (*more, *kind_done(frame, subject.var))
                    said = (*subject.atoms, *more, Has(subject.var, frame.time, "when"))
                    for late in self._late(end, subject):
                        yield late.end, (*said, *late.atoms), late.cost
                    for where in self.complements(end, frame, False):
                        atoms = (*said, *about(where, subject.var))
                        yield where.end, atoms, subject.cost + where.cost
            for frame in self.lexicon.frames if aux == "did" else ():
                yield from self._done_by(subject, frame)

    def _done_by(
        self, subject: Part, passive: Frame
    ) -> Iterator[tuple[int, tuple[Atom, ...], int]]:
        """Reads "(did) {x} discover a species on {y}": the date of what "was discovered by {x}"."""
        by = passive.complements.get(("by",), "") if passive.time else ""
        for frame in self.lexicon.frames:
            end = subject.end + len(frame.turned[0][1])
            if (
                not {*inverse(frame.obj).split()} & {*by.split()}
                or passive.bare not in frame.finite
                or self.text[subject.end : end] != frame.turned[0][1]
            ):
                continue
            for done in self.noun_phrase(end):
                said = (*subject.atoms, *done.atoms, Related(subject.var, frame.obj, done.var))
                for where in self.complements(done.end, passive, True):
                    dated = Has(done.var, passive.time, "when")
                    atoms = (*said, *about(where, done.var), dated)
                    yield where.end, atoms, subject.cost + done.cost + where.cost

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
                for said in self._of_his_thing(first.atoms, atoms):
                    yield end, said, Target("years", (first.var, "when")), cost
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
            ("How many years separate", "years"),
            ("How many full years passed between", "full_years"),
        ):
            opening = tuple(words.split())
            if self.text[start : start + len(opening)] == opening:
                i = start + len(opening)
                yield from self._both_ends(i, kind)
                joint = "from" if opening[-1] == "separate" else "and"
                yield from self._two_literals(i, joint, kind, "")
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
        if self.at(start, "by", "how", "many", "years", "did"):
            yield from self._outlived(start + 5)
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

    def _outlived(self, start: int) -> Iterator[tuple[int, tuple[Atom, ...], Target, int]]:
        """Reads "(By how many years did) {x} outlive {y}?"."""
        for one in self.noun_phrase(start):
            for other in self.noun_phrase(one.end + 1) if self.at(one.end, "outlive") else ():
                died = (Has(other.var, "P570", "then"), Has(one.var, "P570", "when"))
                later = (Compared("when", ">", "then"), Differ(one.var, other.var))
                cost = one.cost + other.cost
                for said in self._owned_by(other.atoms, one.atoms, one.var, "P570"):
                    atoms = (*one.atoms, *said, *died, *later)
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

    def _of_his_thing(
        self, first: tuple[Atom, ...], other: tuple[Atom, ...]
    ) -> Iterator[tuple[Atom, ...]]:
        """The atoms of "(after) his biography's publication (did) its author (die)": what "its"
        means is "his" thing, so "his" cannot mean its author."""
        people = {*data()["callings"], *KIN}
        men = {a.var for a in first if isinstance(a, Back) and a.mode == "pronoun"}
        owned = {a.var for a in first if isinstance(a, Related) and a.other in men}
        things = [a.var for a in first if isinstance(a, Called) and a.noun not in people]
        its = [a for a in other if isinstance(a, Back) and a.mode == "it"]
        for thing in [v for v in things if v in owned] if len(its) == 1 else ():
            yield (*first, *(renamed(a, its[0].var, thing) for a in other if a is not its[0]))

    def _possesses(self, back: Back, seen: set[str]) -> bool:
        """Whether a word is "its" before a thing with a year, or "his" or "her"."""
        if back.mode == "it":
            return back.var in seen
        place = int(back.var[1:])  # after "his", or one word later if a relative owns a thing
        return back.mode == "pronoun" and bool(
            {"his", "her"} & {w.lower() for w in self.text[place - 2 : place]}
        )
