"""Makes keys of names: two spellings of one name have the same key, in any script.

The key of a name is a tuple of words. A key ignores case, punctuation, quotation marks, leading
articles and abbreviations ("Mt"). In Latin, Greek and Cyrillic script, a key also ignores accents.
Marks that are parts of letters (Devanagari vowels, Japanese voicing) stay in the key. Signs that
distinguish names ("C++", "C#") also stay in the key.
"""

import re
import unicodedata
from dataclasses import dataclass

ARTICLES = {
    "en": ("the", "a", "an"),
    "fr": ("le", "la", "les", "l", "un", "une"),
    "es": ("el", "la", "los", "las", "un", "una"),
    "de": ("der", "die", "das", "ein", "eine"),
    "it": ("il", "lo", "la", "i", "gli", "le", "l", "un", "una"),
    "pt": ("o", "a", "os", "as", "um", "uma"),
    "ca": ("el", "la", "els", "les", "l", "un", "una"),
    "nl": ("de", "het", "een"),
}
HONORIFICS = frozenset({"sir", "dame"})
"""Titles of people that are dropped before a name of two or more words, because titles identify
nobody."""
ELIDED = re.compile(r"^l'(?=\w)", re.IGNORECASE)
"""Matches the shortened article at the beginning of a name, as in "l'Odyssée"."""

# By position: "St" at the end of a name is "street"; elsewhere it is "saint".
ABBREVIATIONS = {
    "mt": "mount",
    "ft": "fort",
    "st": "saint",
    "ste": "sainte",
    "dr": "doctor",
    "prof": "professor",
    "jr": "junior",
    "sr": "senior",
    "vs": "versus",
    "univ": "university",
    "bros": "brothers",
}
LAST_ABBREVIATIONS = {
    "st": "street",
    "ave": "avenue",
    "mt": "mountain",
    "mtn": "mountain",
    "dr": "drive",
    "ft": "ft",
}

_SPECIAL = str.maketrans(
    {"ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ŀ": "l"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_DASHES = str.maketrans(
    dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | dict.fromkeys("’‘ʼʻ`´′‛", "'")
    | {"“": '"', "”": '"', "„": '"', "″": '"', "«": '"', "»": '"'}
)
_KEPT_SIGNS = "+#$€£¥%°"


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text, in lower case and without accents, with its position in the cleaned
    text."""

    text: str
    start: int
    end: int


def clean(text: str) -> str:
    """The text on one line in Unicode's compatibility form, without format characters, with plain dashes, quotes and
    digits.

    >>> clean("１２ – ’tis\u200b")
    "12 - 'tis"
    """
    plain = unicodedata.normalize("NFKC", text.translate(_DASHES)).translate(_DASHES)
    kept = "".join(c for c in plain if unicodedata.category(c) not in ("Cf", "Co"))
    return " ".join(
        "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in kept).split()
    )


def fold(text: str, *, umlauts: bool = False) -> str:
    """The text in lower case, without accents. If a mark turns a letter into a different letter,
    the mark is kept.

    Args:
        text: cleaned text.
        umlauts: whether to write ä, ö, ü, å, ø as ae, oe, ue, aa, oe instead of dropping the marks.

    >>> fold("Ångström Łódź"), fold("Göring", umlauts=True), fold("が") == fold("か")
    ('angstrom lodz', 'goering', False)
    """
    lower = unicodedata.normalize("NFC", text.casefold())
    if umlauts:
        lower = lower.translate(_UMLAUTS)
    out: list[str] = []
    base = ""
    for char in unicodedata.normalize("NFD", lower):
        if not unicodedata.combining(char):
            base = char
        elif _is_accent(base, char):
            continue
        out.append(char)
    return unicodedata.normalize("NFC", "".join(out)).translate(_SPECIAL)


def fold_all_marks(text: str) -> str:
    """The text in compatibility form and lower case, without combining marks, for a rough comparison.

    Unlike `fold`, this function drops marks that are parts of letters, and keeps "Ł" as it is.

    >>> fold_all_marks("Ångström Łódź™"), fold_all_marks("が") == fold_all_marks("か")
    ('angstrom łodztm', True)
    """
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in letters if not unicodedata.combining(c))


def _is_accent(base: str, mark: str) -> bool:
    if base < "\u0400":  # Latin and Greek
        return True
    if base < "\u0530":  # Cyrillic: ё and stress, but not й
        return mark in "\u0301\u0308"
    return (
        "\u0591" <= mark <= "\u05c7" or "\u064b" <= mark <= "\u0652"
    )  # pointing of Hebrew and Arabic


def tokens(text: str, *, umlauts: bool = False) -> list[Token]:
    """The words of a cleaned text, in order. Initials are joined, so that "U.S." is one word.

    >>> [t.text for t in tokens("Schindler's List & the U.S. C++")]
    ['schindlers', 'list', 'and', 'the', 'us', 'c++']
    """
    words: list[Token] = []
    start = -1
    for i, char in enumerate(f"{text} "):
        inside = _is_word_char(char) or (
            char == "'" and start >= 0 and text[i + 1 : i + 2].isalpha()
        )
        if inside and start < 0:
            start = i
        elif not inside and start >= 0:
            words.append(Token(fold(text[start:i], umlauts=umlauts).replace("'", ""), start, i))
            start = -1
        if char == "&":
            words.append(Token("and", i, i + 1))
    return [w for w in _joined_initials(words, text) if w.text]


def _is_word_char(char: str) -> bool:
    return unicodedata.category(char)[0] in "LNM" or char in _KEPT_SIGNS


def _joined_initials(words: list[Token], text: str) -> list[Token]:
    out: list[Token] = []
    run_open = False
    for word in words:
        initial = (
            word.end - word.start == 1 and text[word.start].isalpha() and text[word.start].isupper()
        )
        if initial and run_open and re.fullmatch(r"\.? ?", text[out[-1].end : word.start]):
            out[-1] = Token(out[-1].text + word.text, out[-1].start, word.end)
        else:
            out.append(word)
            run_open = initial
    return out


def name_key(name: str, language: str = "en", *, umlauts: bool = False) -> tuple[str, ...]:
    """The key of a name; () if the name has no letters or digits.

    >>> name_key("The Mt. Everest"), name_key("J.R.R. Tolkien") == name_key("JRR Tolkien")
    (('mount', 'everest'), True)
    """
    plain = clean(name)
    if language in ("fr", "it", "ca"):
        plain = ELIDED.sub("", plain)
    words = [t.text for t in tokens(plain, umlauts=umlauts)]
    if len(words) > 1 and words[0] in ARTICLES.get(language, ()):
        words = words[1:]
    if len(words) > 2 and words[0] in HONORIFICS:
        words = words[1:]
    return expanded(words)


def expanded(words: list[str]) -> tuple[str, ...]:
    """The words of a name, with common abbreviations written out, and with digits for Roman numerals after the first
    word.

    >>> expanded(["st", "peters", "st"]), expanded(["rocky", "iv"])
    (('saint', 'peters', 'street'), ('rocky', '4'))
    """
    last = len(words) - 1
    out = words[:1] if not last else [ABBREVIATIONS.get(w, w) for w in words[:1]]
    for i, word in enumerate(words[1:], start=1):
        out.append(
            LAST_ABBREVIATIONS.get(word, word) if i == last else ABBREVIATIONS.get(word, word)
        )
        if len(word) > 1 or word in "vx":
            out[-1] = _roman(word) or out[-1]
    return tuple(out)


def _roman(word: str) -> str:
    """The value of a Roman numeral below ninety, in digits; "" for any other word."""
    parts = re.fullmatch(r"(xl|l?x{0,3})(ix|iv|v?i{0,3})", word)
    if not word or parts is None:
        return ""
    tens = {"xl": 40}.get(parts[1], 10 * parts[1].count("x") + 50 * parts[1].count("l"))
    ones = {"ix": 9, "iv": 4}.get(parts[2], parts[2].count("i") + 5 * parts[2].count("v"))
    return str(tens + ones)


def without_bracket(name: str) -> str:
    """A name without an addition in brackets at its end ("Ardwen (locomotive)"), which page titles often have."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", name).strip() or name


def solid(key: tuple[str, ...]) -> str:
    """A key as one string, with spaces only between digits: "spider man" becomes "spiderman", "1 9" does not become
    "19"."""
    out = ""
    for word in key:
        out += (" " if out[-1:].isdigit() and word[:1].isdigit() else "") + word
    return out


def same_name(said: str, wording: str, language: str = "en", *, swap: bool = False) -> bool:
    """Whether two spellings belong to the same name.

    Args:
        said: a name as somebody wrote it, without other words.
        wording: a correct form of the name.
        language: language whose articles are dropped.
        swap: whether the family name may come first (in names of more than two words, only with a comma).

    >>> same_name("Zedong Mao", "Mao Zedong", swap=True), same_name("Bach, J.S.", "J. S. Bach", swap=True), same_name("1, 9", "9 1", swap=True)
    (True, True, False)
    """
    for umlauts in (False, True):
        for umlauts_too in (False, True):
            a, b = (
                name_key(said, language, umlauts=umlauts),
                name_key(wording, language, umlauts=umlauts_too),
            )
            if not a or not b:
                continue
            if solid(a) == solid(b):
                return True
            if swap and _swapped(said, a, b, language, umlauts):
                return True
    return not name_key(said, language) and clean(said) == clean(wording) != ""


def _swapped(
    said: str, a: tuple[str, ...], b: tuple[str, ...], language: str, umlauts: bool
) -> bool:
    if any(not w.isalpha() for w in (*a, *b)):  # "Apollo 11" and "Apollo, 11" are no persons
        return False
    parts = [p for p in clean(said).split(",") if p.strip()]
    if len(parts) == 2:
        return name_key(f"{parts[1].strip()} {parts[0].strip()}", language, umlauts=umlauts) == b
    return len(parts) == 1 and len(a) == len(b) == 2 and len(a[0]) > 1 < len(a[1]) and a == b[::-1]
