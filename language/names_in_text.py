"""Decides whether a text names a thing: as whole words, in any script, with inflected endings."""

import re
import unicodedata
from functools import lru_cache

from num2words import num2words

from questloom.language.normalise import without_bracket
from questloom.records.knowledge import Entity

CACHED = 131_072
"""Maximum number of numbers whose written forms are cached."""

HUMAN = "Q5"
FICTIONAL_HUMAN = "Q15632617"
MIN_SURNAME = 3
_BEFORE_A_PLACE = ("of", "the")
MIN_NAME = 3
"""Minimum length of a name to look for, in characters; shorter names are too common as words. In
scripts without spaces, a name needs at least two characters."""
_WITHOUT_SPACES = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
"""Character ranges of Thai, Lao, Tibetan, Burmese, Khmer, Chinese and Japanese, after NFKD normalisation."""
_ENDINGS = {"de": ("n", "en", "ns", "ens", "er", "ers", "ern", "erin", "erinnen")}
"""Endings of names by language, beyond s and es: "Mariens", "Berliner"."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_WORD = re.compile(rf"[{_WITHOUT_SPACES}]|[^\W{_WITHOUT_SPACES}]+")


def folded(text: str) -> str:
    """The text in lower case, without accents and punctuation, with one space between words and at both ends.

    In scripts without spaces, each character counts as a word, so that a name can be found within a sentence.

    >>> folded("Saint-Ével’s  bridge")
    ' saint evel s bridge '
    >>> folded("上海市的1832年")
    ' 上 海 市 的 1832 年 '
    """
    # Not `fold_all_marks`: this order keeps the capitals of "™", and stored questions depend on
    # that.
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c)
    )
    return " " + " ".join(_WORD.findall(plain)) + " "


@lru_cache(CACHED)
def number_forms(number: float, language: str = "en") -> tuple[str, ...]:
    """The forms in which a text may state a number: plain digits, digits with thousands separators, words.

    >>> number_forms(1832.0)
    ('1832', '1,832', 'one thousand, eight hundred and thirty-two', 'eighteen thirty-two')
    """
    forms = [f"{number:g}"]
    if float(number).is_integer():
        whole = int(number)
        forms = [str(whole)] + ([f"{whole:,}"] if abs(whole) >= 1000 else [])
        try:
            forms.append(num2words(whole, lang=language))
            if 1000 < whole < 2100:
                forms.append(num2words(whole, lang=language, to="year"))
        except (NotImplementedError, OverflowError):
            pass  # the library has no words in this language: the digits remain
    return tuple(dict.fromkeys(forms))


def names_of_entity(entity: Entity, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The label and aliases of a thing. If a name has an addition in brackets ("Ardwen
    (locomotive)"), the result includes the name without the addition. For a person, the result
    includes the surname too."""
    names = entity.names(languages)
    plain = [without_bracket(name) for name in names]
    surnames = (
        [surname for name in plain if (surname := _surname(name))]
        if {HUMAN, FICTIONAL_HUMAN} & {*entity.classes, *entity.class_closure}
        else []
    )
    return tuple(dict.fromkeys((*names, *plain, *surnames)))


def _surname(name: str) -> str:
    """The last word of a person's name, if it identifies the person: no numeral, no "Jr", and no place as in "John of
    Merren"."""
    *others, last = name.split()
    if (
        not others
        or len(last.rstrip(".")) < MIN_SURNAME
        or not last[0].isupper()
        or last.rstrip(".").isupper()
        or others[-1].casefold() in _BEFORE_A_PLACE
    ):
        return ""
    return last


def _capitalised(text: str) -> str:
    """The words in a text that begin with a capital, in lower case and without accents."""
    return folded(" ".join(word for word in _WORD.findall(text) if word[0].isupper()))


def stands_in(name: str, text: str) -> bool:
    """Whether a text contains a name in exactly this spelling, as whole words.

    >>> stands_in("Mersk", "Ivo Mersk's mill"), stands_in("Mersk", "Merskby")
    (True, False)
    """
    # No pattern: pages are asked for tens of thousands of names, each once, and most are not there.
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (_is_word(before) or _is_word(after)):
            return True
        at = text.find(name, at + 1)
    return False


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def leaked(text: str, names: tuple[str, ...], languages: tuple[str, ...] = ()) -> str | None:
    """The first of some names that the text contains as whole words, or None. A name may have an ending, such as a
    plural or possessive s, and umlauts may be written with an e.

    >>> leaked("die Mühle des Anton Muellers", ("Müller",)), leaked("Berliner Luft", ("Berlin",)), leaked("Berliner Luft", ("Berlin",), ("de",))
    ('Müller', None, 'Berlin')

    Args:
        text: any text.
        names: names as people write them.
        languages: languages in which the names may be inflected. The endings of English always count.
    """
    insides = _spellings(text)
    endings = "|".join(e for language in languages for e in _ENDINGS.get(language, ()))
    for name in names:
        for needle in (n.strip() for n in _spellings(name)):
            if len(needle) < MIN_NAME and not needle.isdigit():
                continue
            if (
                len(needle) == MIN_NAME
                and name[:1].isupper()
                and not re.search(rf"\b{needle}s?\b", _capitalised(text))
            ):
                continue  # "Lee" and "May" count as names only with a capital letter
            more = ("|es" if len(needle) > MIN_NAME + 2 else "") + (
                f"|{endings}" if endings and len(needle) > MIN_NAME else ""
            )
            for inside in insides:
                if f" {needle}" in inside and re.search(f" {needle}(?:|s{more}) ", inside):
                    return name
    return None


def _spellings(text: str) -> tuple[str, ...]:
    """A text in folded form, once without its umlauts and once with an e for each ("Muller", "Mueller")."""
    spelled = text.translate(_UMLAUTS)
    return (folded(text),) if spelled == text else (folded(text), folded(spelled))
