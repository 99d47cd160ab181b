"""Grammar rules for dates, numbers, details of the picture, comparisons and orders."""

import re
from collections.abc import Iterator

from benchmarks.truth_reader.parts import Part, Rules, rule
from benchmarks.truth_reader.query import SELF, WRITTEN, Compared, Has, Pictured, Seen
from benchmarks.truth_reader.world import Date, Number, Text

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
SMALL = {
    w: n
    for n, w in enumerate(
        [
            "no",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}


class Amounts(Rules):
    """The grammar rules for dates, numbers and texts, but not for things."""

    @rule
    def time(self, start: int, properties: str) -> Iterator[Part]:
        """Reads phrases about a date of the subject: "in 1850", "before 3 May 1850", "after {x} was
        built", "in the year in which …".
        """
        for words, op in (
            (("in",), "="),
            (("on",), "="),
            (("before",), "<"),
            (("after",), ">"),
            ((), "="),
        ):
            if self.text[start : start + len(words)] != words:
                continue
            i, key = start + len(words), f"t{start}"
            for end, date in self.date(i) if words or properties.startswith("P571") else ():
                yield Part(end, (Has(SELF, properties, key), Compared(key, op, date)), 0)
            if not words or words == ("on",):
                continue
            for event in self.literal(i):
                yield Part(
                    event.end,
                    (
                        Has(SELF, properties, key),
                        *event.atoms,
                        Compared(key, "year" if op == "=" else op, event.var),
                    ),
                    event.cost,
                )
            if op != "=":
                for event in self.happened(i):
                    yield Part(
                        event.end,
                        (Has(SELF, properties, key), *event.atoms, Compared(key, op, event.var)),
                        event.cost,
                    )

    def date(self, start: int) -> list[tuple[int, Date]]:
        """Reads dates: "1850", "May 1850", "3 May 1850"."""
        words = self.text[start : start + 3]
        if words and re.fullmatch(r"\d{3,4}", words[0]):
            return [(start + 1, (int(words[0]), 0, 0))]
        if len(words) > 1 and words[0] in MONTHS and words[1].isdigit():
            return [(start + 2, (int(words[1]), MONTHS.index(words[0]) + 1, 0))]
        if len(words) > 2 and words[0].isdigit() and words[1] in MONTHS and words[2].isdigit():
            return [(start + 3, (int(words[2]), MONTHS.index(words[1]) + 1, int(words[0])))]
        return []

    @rule
    def happened(self, start: int) -> Iterator[Part]:
        """Reads an event such as "{x} was built". The value of the phrase is the time of the
        event.
        """
        for subject in self.noun_phrase(start):
            for frame, form in self.forms(subject.end):
                if frame.time:
                    var = f"d{start}"
                    yield Part(
                        subject.end + len(form),
                        (*subject.atoms, Has(subject.var, frame.time, var)),
                        subject.cost,
                        var,
                        "date",
                    )

    @rule
    def literal(self, start: int) -> Iterator[Part]:
        """Reads a date, number or text as a noun phrase: "the year {x} was built", "the height of
        {x}", "the year given on the plaque on {x}".
        """
        if self.at(start, "that", "year"):
            yield Part(start + 2, (), 0, WRITTEN, "date")
        var = f"d{start}"
        for end, said in self.owner(start):
            for words, prop in self.lexicon.events.items():
                if self.text[end : end + len(words)] == words:
                    yield Part(
                        end + len(words), (*said, Has(f"n{start + 1}", prop, var)), 0, var, "date"
                    )
            for measure in self.lexicon.measures:
                for noun in measure.get("noun", ()):
                    after = end + len(noun.split())
                    if self.at(end, *noun.split()):
                        after, called = self.unit(after)
                        much = Has(f"n{start + 1}", measure["of"], var)
                        yield Part(after, (*said, much), 0, var, f"number {called}")
        if not self.at(start, "the"):
            return
        for opening in ("the year in which", "the year"):
            if self.at(start, *opening.split()):
                yield from self.happened(start + len(opening.split()))
        for words, prop in self.lexicon.events.items():
            end = start + 1 + len(words)
            if self.text[start + 1 : end] == words and self.at(end, "of"):
                for whose in self.noun_phrase(end + 1):
                    yield Part(
                        whose.end,
                        (*whose.atoms, Has(whose.var, prop, var)),
                        whose.cost,
                        var,
                        "date",
                    )
        for measure in self.lexicon.measures:
            for noun in measure.get("noun", ()):
                words = tuple(noun.split())
                end = start + 1 + len(words)
                if self.text[start + 1 : end] == words:
                    unit = self.unit(end)
                    end = unit[0] + (0 if words[-1] == "in" else 1)
                    if words[-1] == "in" or self.at(end - 1, "of"):
                        for whose in self.noun_phrase(end):
                            yield Part(
                                whose.end,
                                (*whose.atoms, Has(whose.var, measure["of"], var)),
                                whose.cost,
                                var,
                                f"number {unit[1]}",
                            )
        for words, prop in self.lexicon.texts.items():
            end = start + 1 + len(words)
            if self.text[start + 1 : end] == words and (self.at(end, "of") or words[-1] == "on"):
                for whose in self.noun_phrase(end + (words[-1] != "on")):
                    yield Part(
                        whose.end,
                        (*whose.atoms, Has(whose.var, prop, var)),
                        whose.cost,
                        var,
                        "text",
                    )
        yield from self.seen_literal(start)

    @rule
    def seen_literal(self, start: int) -> Iterator[Part]:
        """Reads a noun phrase for a value that is visible in the picture."""
        var = f"d{start}"
        for words, what in (
            ("the year given on", "year"),
            ("the date given on", "year"),
            ("the year on", "year"),
            ("the year written on", "year"),
            ("the year in this picture", "year"),
            ("the year in the picture of", "year"),
            ("the year written in this picture", "year"),
            ("the year written in the picture of", "year"),
            ("the year that can be read on", "year"),
            ("the number on", "number"),
            ("the number that can be read on", "number"),
            ("the inscription on", "text"),
            ("the year that can be read in the picture", "year"),
            ("the number that can be read in the picture", "number"),
            ("the words that can be read in the picture", "text"),
        ):
            opening = tuple(words.split())
            if not self.at(start, *opening):
                continue
            end = start + len(opening)
            if opening[-1] == "picture":
                yield Part(
                    end,
                    (Pictured(f"{var}x"), Seen(f"{var}x", var, "", what)),
                    0,
                    var,
                    "date" if what == "year" else what,
                )
            else:
                yield from self.on_part(end, var, what)
        for opening in (("the", "year", "written", "in"), ("the", "year", "in")):
            if self.at(start, *opening):
                yield from self.in_owned_picture(start + len(opening), var, "year")
        if self.at(start, "the", "number", "of"):
            for end, noun in self.lexicon.plurals.found(self.text, start + 3) or self._parts(
                start + 3
            ):
                for word in ("on", "of"):
                    if self.at(end, word):
                        for whose in self.noun_phrase(end + 1):
                            yield Part(
                                whose.end,
                                (*whose.atoms, Seen(whose.var, var, noun, "count")),
                                whose.cost,
                                var,
                                "number ",
                            )

    def _parts(self, start: int) -> list[tuple[int, str]]:
        return (
            [(start + 1, self.text[start][:-1])]
            if self.text[start : start + 1]
            and self.text[start] in ("arches", "columns", "flags", "doors")
            else []
        )

    def on_part(self, start: int, var: str, what: str) -> Iterator[Part]:
        """Reads the thing or part on which words are written: "{x}", "the plaque on {x}", "its
        plaque", "the portrait of {x}", or "its cover"."""
        kind = "date" if what == "year" else f"{what} "
        for whole in ("portrait", "cover"):
            if self.at(start, "the", whole, "of"):
                yield from self.on_part(start + 3, var, what)
            yield from self._owned(start, (whole,), Seen(self._var(start + 1), var, "", what))
        for whose in self.noun_phrase(start):
            yield Part(
                whose.end, (*whose.atoms, Seen(whose.var, var, "", what)), whose.cost, var, kind
            )
        for part in (
            "commemorative plaque",
            "plaque",
            "inscription",
            "flag",
            "door",
            "column",
            "arch",
        ):
            words = ("the", *part.split())
            end = start + len(words)
            yield from self._owned(start, words[1:], Seen(self._var(start + 1), var, part, what))
            if (
                self.at(start, *words)
                and self.text[end : end + 1]
                and self.text[end] in ("on", "of")
            ):
                for whose in self.noun_phrase(end + 1):
                    yield Part(
                        whose.end,
                        (*whose.atoms, Seen(whose.var, var, part, what)),
                        whose.cost,
                        var,
                        kind,
                    )

    def in_owned_picture(self, start: int, var: str, what: str) -> Iterator[Part]:
        """Reads "her picture" or "that man's picture", as the place of a writing."""
        yield from self._owned(start, ("picture",), Seen(self._var(start + 1), var, "", what))

    def _owned(self, start: int, words: tuple[str, ...], seen: Seen) -> Iterator[Part]:
        kind = "date" if seen.what == "year" else f"{seen.what} "
        for end, said in self.owner(start):
            if self.at(end, *words):
                yield Part(end + len(words), (*said, seen), 0, seen.literal, kind)

    def unit(self, start: int) -> tuple[int, str]:
        """Reads ", in metres," or nothing. Returns the end of the phrase and the id of the unit."""
        if self.at(start, ",", "in"):
            end, unit = self.bare_unit(start + 2)
            if unit:
                return end + self.at(end, ","), unit
        return start, ""

    def bare_unit(self, start: int) -> tuple[int, str]:
        """Reads "square kilometres" or nothing. Returns the end of the phrase and the id of the
        unit.
        """
        for words, unit in sorted(self.lexicon.units.items(), key=lambda u: -len(u[0])):
            if self.text[start : start + len(words)] == words:
                return start + len(words), unit
        return start, ""

    def amount(self, start: int) -> list[tuple[int, Number, str]]:
        """Reads "35 metres", "more than 1,200" or "twelve". Returns the end of the phrase, the
        number and the comparison.
        """
        op = "="
        for more_or_less, meaning in (("more", ">"), ("less", "<"), ("fewer", "<")):
            if self.at(start, more_or_less, "than"):
                start, op = start + 2, meaning
        if start >= len(self.text):
            return []
        word = self.text[start]
        number: float | None = SMALL.get(word)
        if number is None and re.fullmatch(r"-?\d[\d,]*(\.\d+)?", word):
            number = float(word.replace(",", ""))
        if number is None:
            return []
        for words, unit in sorted(self.lexicon.units.items(), key=lambda u: -len(u[0])):
            if self.text[start + 1 : start + 1 + len(words)] == words:
                return [(start + 1 + len(words), Number(float(number), unit), op)]
        return [(start + 1, Number(float(number)), op)]

    @rule
    def measured(self, start: int) -> Iterator[Part]:
        """Reads "is 35 metres tall", "has a focal height of 54 metres"."""
        key = f"q{start}"
        for measure in self.lexicon.measures:
            shapes = [tuple(v.split()) for v in measure.get("verb", ())]
            shapes += [("is", "{n}", a) for a in measure.get("adjective", ())]
            for shape in shapes:
                slot = shape.index("{n}")
                if self.text[start : start + slot] == shape[:slot]:
                    for end, number, op in self.amount(start + slot):
                        rest = shape[slot + 1 :]
                        if self.text[end : end + len(rest)] == rest:
                            yield Part(
                                end + len(rest),
                                (Has(SELF, measure["of"], key), Compared(key, op, number)),
                                0,
                            )
        for words in (("bears", "the", "inscription"), ("has", "the", "inventory", "number")):
            if self.at(start, *words):
                quoted = self.at(start + len(words), "“")
                begin = start + len(words) + quoted
                ends = (
                    [k for k in range(begin, len(self.text)) if self.text[k] == "”"][:1]
                    if quoted
                    else [begin + 1]
                )
                for end in ends:
                    text = Text(" ".join(self.text[begin:end]))
                    yield Part(
                        end + quoted, (Has(SELF, "P217 P1684", key), Compared(key, "=", text)), 0
                    )

    @rule
    def compared(self, start: int) -> Iterator[Part]:
        """Reads "is taller than {x}", "is exactly as tall as {x}", "is older than {x}"."""
        if not self.at(start, "is"):
            return
        for measure in self.lexicon.measures:
            shapes = [
                ((*pair[i].split(), "than"), "<>"[i])
                for pair in measure.get("compare", ())
                for i in (0, 1)
            ]
            shapes += [(("exactly", "as", a, "as"), "=") for a in measure.get("adjective", ())]
            for words, op in shapes:
                if self.text[start + 1 : start + 1 + len(words)] == words:
                    for other in self.noun_phrase(start + 1 + len(words)):
                        left, right = f"l{start}", f"r{start}"
                        atoms = (
                            *other.atoms,
                            Has(SELF, measure["of"], left),
                            Has(other.var, measure["of"], right),
                            Compared(left, op, right),
                        )
                        yield Part(other.end, atoms, other.cost)

    @rule
    def order(self, start: int) -> Iterator[Part]:
        """Reads a phrase about an order, such as "was built first" or "is taller".

        In the result, `Part.var` holds the properties, and `Part.noun` is "first" or "last".
        """
        for frame, form in self.forms(start):
            end = start + len(form)
            if (
                frame.time
                and self.text[end : end + 1]
                and self.text[end] in ("first", "earlier", "last", "later")
            ):
                yield Part(
                    end + 1,
                    (),
                    0,
                    frame.time,
                    "first" if self.text[end] in ("first", "earlier") else "last",
                )
        if self.at(start, "is"):
            for measure in self.lexicon.measures:
                for less, more in measure.get("compare", ()):
                    for word, which in ((less, "first"), (more, "last")):
                        for words in (tuple(word.split()), ("the", *superlative(word).split())):
                            if self.text[start + 1 : start + 1 + len(words)] == words:
                                yield Part(start + 1 + len(words), (), 0, measure["of"], which)
        if self.at(start, "has", "the"):
            for measure in self.lexicon.measures:
                for noun in measure.get("noun", ()):
                    for word, which in (("smaller", "first"), ("larger", "last")):
                        words = (word, *noun.split())
                        if self.text[start + 2 : start + 2 + len(words)] == words:
                            yield Part(start + 2 + len(words), (), 0, measure["of"], which)


def superlative(comparative: str) -> str:
    """Turns "taller" into "tallest", and other comparatives into their superlatives."""
    for word, most in (("more ", "most "), ("less ", "least ")):
        if comparative.startswith(word):
            return most + comparative.removeprefix(word)
    return comparative[:-2] + "est"
