"""Makes the forms of words and phrases: articles, plurals, verbs, numbers and dates. Exceptions,
such as irregular plurals, come from the file of the language."""

import re
from collections.abc import Sequence
from typing import Any

from questloom.language.english import MONTHS, NUMBER_WORDS
from questloom.prompts.phrases import language_data
from questloom.records.knowledge import Value
from questloom.records.periods import parts_of
from questloom.records.synthesis import Answer


class Words:
    """English morphology. The argument `data` is what `language_data("en")` returns."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def article(self, phrase: str) -> str:
        """Chooses "a" or "an" by the first sound of the phrase.

        >>> from questloom.prompts.phrases import language_data
        >>> [Words(language_data("en")).article(w) for w in ("hour", "university", "8-metre tower", "SOS call")]
        ['an', 'a', 'an', 'an']
        """
        first = re.split(r"[\s-]", phrase.strip("“\"'"), maxsplit=1)[0]
        low = first.lower()
        if first.isupper() and 1 < len(first) < 5 and not re.search(r"[AEIOU].*[AEIOU]", first):
            return "an" if first[0] in "AEFHILMNORSX" else "a"
        if any(low.startswith(w) for w in self._data["consonant_sounds"]):
            return "a"
        return (
            "an"
            if low[:1] in "aeiou8"
            or low[:2] in ("11", "18")
            or any(low.startswith(w) for w in self._data["vowel_sounds"])
            else "a"
        )

    def indefinite(self, noun: str) -> str:
        return f"{self.article(noun)} {noun}"

    def plural(self, noun: str) -> str:
        """The plural of a noun phrase. If the phrase contains "of", "in", "by" or "per", the last
        noun before it becomes plural.

        >>> from questloom.prompts.phrases import language_data
        >>> [Words(language_data("en")).plural(w) for w in ("work of art", "church", "lady", "woman", "valley")]
        ['works of art', 'churches', 'ladies', 'women', 'valleys']
        """
        head, *rest = re.split(r"( (?:of|in|by|with|for|on|per) )", noun, maxsplit=1)
        start, last = head[: len(head) - len(head.split(" ")[-1])], head.split(" ")[-1]
        irregular = self._data["irregular_plurals"]
        if last.lower() in irregular:
            last = irregular[last.lower()]
        elif m := next((w for w in ("woman", "person", "man") if last.lower().endswith(w)), None):
            last = last[: -len(m)] + irregular[m]
        elif re.search(r"(s|x|z|ch|sh)$", last):
            last += "es"
        elif re.search(r"[^aeiou]y$", last):
            last = last[:-1] + "ies"
        else:
            last += "s"
        return start + last + "".join(rest)

    def number(self, number: float) -> str:
        """A number as people usually write it. Whole numbers up to twelve are written as words;
        larger numbers have commas ("1,250")."""
        if number == int(number) and 0 <= number <= 12:
            return NUMBER_WORDS[int(number)] if number else "no"
        return self.digits(number)

    def digits(self, number: float) -> str:
        """A number in digits ("1,250", "0.75")."""
        return (
            f"{int(number):,}"
            if number == int(number) and abs(number) < 1e15
            else f"{number:,.10g}"
        )

    def unit(self, label: str, number: float | None = None) -> str:
        """The name of a unit as it is written after a number. The name is plural unless the number
        is one."""
        name = self._data["units"].get(label, label)
        return name if number == 1 else self.plural(name)

    def date(self, value: Value) -> str:
        """A point in time in words: "1850", "May 1850", "3 May 1850", "the 1850s", "the 19th
        century", "44 BC"."""
        stated, month, day = parts_of(value.time)
        year, era = abs(stated), " BC" if stated < 0 else ""
        match value.precision:
            case 11 | 10:
                return (
                    f"{day} " if value.precision == 11 else ""
                ) + f"{MONTHS[month - 1]} {year}{era}"
            case 8:
                return f"the {year // 10 * 10}s{era}"
            case 7:
                return f"the {self.century(year)}{era}"
            case 6:
                return f"the {self.ordinal((year - 1) // 1000 + 1)} millennium{era}"
            case 9:
                return f"{year}{era}"
            case _:
                return f"about {year:,}{era}"

    def at(self, value: Value) -> str:
        """A point in time with its preposition: "in 1850", "on 3 May 1850"."""
        return ("on " if value.precision == 11 else "in ") + self.date(value)

    @staticmethod
    def ordinal(number: int) -> str:
        suffix = (
            "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        )
        return f"{number}{suffix}"

    @staticmethod
    def century(year: int) -> str:
        """The century to which a year belongs. For example, the year 1700 belongs to the 17th
        century.

        >>> Words.century(1642), Words.century(1700), Words.century(1701)
        ('17th century', '17th century', '18th century')
        """
        return f"{Words.ordinal((year - 1) // 100 + 1)} century"

    @staticmethod
    def listed(parts: Sequence[str], last: str = "and") -> str:
        """Joins words into a list: "a", "a and b", "a, b and c"."""
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def answer_words(answer: Answer, language: str = "en") -> str:
    """An answer in everyday words: "34 metres". Only English units get a plural.

    >>> [answer_words(Answer(value=Value(kind="quantity", number=n), text=str(n), type="quantity", unit="square kilometre")) for n in (1, 34)]
    ['1 square kilometre', '34 square kilometres']
    """
    if not answer.unit:
        return answer.text
    singular = language != "en" or answer.text == "1" or answer.unit.endswith("s")
    return f"{answer.text} {answer.unit if singular else Words(language_data('en')).plural(answer.unit)}"
