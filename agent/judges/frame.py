"""Decides whether a final answer is the expected answer with harmless words around it. Harmless
words are "the answer is …", or words of the question."""

import re

from questloom.language.normalise import clean, expanded, name_key, tokens, without_bracket

FRAME = frozenset(
    """
the a an it is was are were be been he she they this that these those there i answer answers final correct question my its his her their so therefore
thus hence has have had did does do in on at as to which who what when where name named called titled known old year date day number total
exactly precisely
la le el los las les un una der die das ein eine respuesta es fue era son reponse est etait sont antwort ist war risposta e resposta o os as il lo
en em im am
""".split()
)
"""Words such as "the answer is", which may stand around an answer because they claim nothing."""

DOUBT = frozenset(
    """
not no never nor neither none isnt wasnt arent werent didnt doesnt dont cant cannot couldnt wouldnt wont hasnt havent hadnt aint without except but
or either and maybe perhaps possibly probably likely might may could would should can think believe guess guessing assume suppose seems seem appears
unsure uncertain unknown if unless instead rather than between before after until till since other others another both false wrong incorrect
untrue actually however although though yet least most up nearly almost over under more less fewer many several few every each any all only half twice
like similar including such apart formerly previously nicht kein keine oder aber no ni o u pas ou non mais nao nem oder ma
ne plus minus against unlike despite versus allegedly reportedly supposedly
""".split()
)
"""Words that negate an answer ("not"), weaken it ("perhaps") or join two answers ("or"). An answer
with a word like "not", "perhaps" or "or" is refused, even if the question contains the word."""

APPROXIMATELY = frozenset(
    {
        "about",
        "approximately",
        "approx",
        "around",
        "roughly",
        "circa",
        "ca",
        "some",
        "etwa",
        "environ",
        "unos",
    }
)
"""Words such as "about", which make a value vague. An answer may have a word like "about" before a
quantity, because the number itself must still be right. An answer may not have a word like "about"
before a date."""
_VAGUE_DATE = frozenset(
    {
        "by",
        "early",
        "late",
        "later",
        "earlier",
        "mid",
        "middle",
        "end",
        "start",
        "beginning",
        "next",
        "last",
        "turn",
    }
)
"""Words that make a date vague, even if the question contains them: "by 1931" may mean any earlier year."""
WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})

# Words that may stand before or after a name; any other word could be part of a longer name.
BEFORE_NAME = frozenset(
    {
        "is",
        "was",
        "are",
        "were",
        "be",
        "by",
        "in",
        "at",
        "on",
        "named",
        "called",
        "titled",
        "the",
        "a",
        "an",
        "es",
        "fue",
        "est",
        "ist",
        "war",
        "era",
        "answer",
        "it",
        "final",
        "respuesta",
        "reponse",
        "antwort",
    }
)
AFTER_NAME = frozenset(
    {
        "is",
        "was",
        "are",
        "were",
        "has",
        "have",
        "had",
        "did",
        "does",
        "es",
        "fue",
        "est",
        "ist",
        "war",
        "won",
        "wrote",
        "sang",
        "led",
        "built",
        "became",
        "held",
        "made",
    }
)
YES, NO = (
    frozenset({"yes", "true", "yeah", "yep", "si", "oui", "ja", "sim"}),
    frozenset({"no", "false", "nope", "non", "nein", "nao"}),
)
_NEGATED = frozenset(
    {
        "not",
        "never",
        "isnt",
        "wasnt",
        "arent",
        "werent",
        "didnt",
        "doesnt",
        "dont",
        "hasnt",
        "havent",
        "hadnt",
        "no",
    }
)


def _words(text: str) -> list[str]:
    return [t.text for t in tokens(clean(text))]


_PAST = {
    "begin": "began",
    "win": "won",
    "write": "wrote",
    "become": "became",
    "make": "made",
    "build": "built",
    "come": "came",
    "take": "took",
    "lead": "led",
    "hold": "held",
    "found": "founded",
    "sing": "sang",
    "get": "got",
    "leave": "left",
    "lose": "lost",
    "sell": "sold",
    "run": "ran",
}


def _stems(words: list[str]) -> set[str]:
    """Adds variants to a question's words: the word without a final s, and the past tense of verbs.
    For example, "When did it open?" adds "opened", which the answer "It opened in 1931" repeats."""
    return {
        w
        for word in words
        for w in (word, word.removesuffix("s"), f"{word}ed", f"{word}d", _PAST.get(word, word))
    }


def is_frame(around: str, question: str, *, kind: str) -> bool:
    """Whether the words around a date or a quantity leave its meaning unchanged.

    Args:
        around: the answer's text after the date or quantity was removed.
        question: the question, whose words the answer may repeat.
        kind: "date" or "quantity".
    """
    if re.search(r"[~≈]", around) and kind == "date":
        return False
    free = FRAME | (APPROXIMATELY if kind == "quantity" else WEEKDAYS)
    echo = _stems(_words(question)) - DOUBT
    if kind == "date":
        echo -= APPROXIMATELY | _VAGUE_DATE
    return all(
        word not in DOUBT and (word in free or word in echo or word.removesuffix("s") in echo)
        for word in _words(around)
    )


def framed_name(said: str, wording: str, question: str, language: str) -> bool:
    """Whether a short sentence contains only a given name and harmless words around it.

    Args:
        said: the final answer.
        wording: one of the correct wordings of the name.
        question: the question, whose words the answer may repeat; "" if the question asks to choose
            between two names.
        language: language of the answer; articles of this language ("the") are ignored.

    >>> framed_name("The answer is U2.", "U2", "", "en"), framed_name("Cameron's wife directed Titanic", "Cameron", "Who directed Titanic?", "en")
    (True, False)
    """
    return any(
        _framed(said, gold, question)
        for gold in {name_key(wording, language), name_key(without_bracket(wording), language)}
    )


def _framed(said: str, gold: tuple[str, ...], question: str) -> bool:
    if not gold or set(gold) <= FRAME | DOUBT:
        return False
    text = clean(said)
    words = tokens(text)
    places = _places(gold, [w.text for w in words])
    if len(places) != 1:
        return False
    before, after = words[: places[0]], words[places[0] + len(gold) :]
    echo = _stems(_words(question)) - DOUBT
    if any(
        w.text in DOUBT or not (w.text in FRAME or w.text in echo or w.text == "by")
        for w in (*before, *after)
    ):
        return False
    if before and not (
        before[-1].text in BEFORE_NAME
        or text[before[-1].end : words[places[0]].start].strip(" \"'*_") == ":"
    ):
        return False
    if not after:
        return True
    first = text[after[0].start : after[0].end]
    verb = after[0].text in AFTER_NAME or (
        after[0].text in echo and after[0].text.endswith("ed") and first.islower()
    )
    return (
        verb and text[words[places[0] + len(gold) - 1].end : after[0].start].strip("\"'*_") == " "
    )


def names(text: str, name: str, language: str) -> bool:
    """Whether a text contains a name."""
    key = name_key(without_bracket(name), language)
    return bool(key) and bool(_places(key, _words(text)))


def _places(key: tuple[str, ...], words: list[str]) -> list[int]:
    """Finds the positions in a list of words at which a name begins. Each run of consecutive words
    is compared as if it were a name, because the meaning of an abbreviation depends on its position
    in the name."""
    return [i for i in range(len(words) - len(key) + 1) if expanded(words[i : i + len(key)]) == key]


def says_yes_or_no(text: str, question: str) -> bool | None:
    """Reads a yes or no: True for yes, False for no, None for any other text. After "yes", the
    answer may repeat the question and say nothing else. After "no", the answer may repeat the
    question with a negation.

    >>> says_yes_or_no("Yes.", ""), says_yes_or_no("No, it did not.", ""), says_yes_or_no("Yes and no", ""), says_yes_or_no("Yes, but late", "")
    (True, False, None, None)
    """
    words = _words(text)
    if not words or words[0] not in YES | NO:
        return None
    yes = words[0] in YES
    if not yes and words[1:] and not _NEGATED & set(words[1:]):  # "No, it did." contradicts itself
        return None
    echo = _stems(_words(question)) - (
        DOUBT
        - {
            "or",
            "and",
            "by",
            "before",
            "after",
            "more",
            "less",
            "than",
            "most",
            "all",
            "over",
            "only",
        }
    )
    allowed = FRAME | echo | (frozenset() if yes else _NEGATED - {"no"})
    if any(
        w in YES | NO or (w in _NEGATED and w not in allowed) or w not in allowed for w in words[1:]
    ):
        return None
    return yes


def is_nothing(text: str) -> bool:
    """Whether a final answer says nothing: it has no words, or only words such as "unknown".

    >>> is_nothing("I don't know."), is_nothing("—"), is_nothing("The Unknown")
    (True, True, False)
    """
    words = _words(text)
    plain = " ".join(words)
    return not words or re.fullmatch(_NOTHING, plain) is not None


_CANNOT = r"(?:dont|do not|cannot|cant|could not|couldnt|am unable to|was unable to|am not able to|have no)"
_NOTHING = re.compile(
    r"(?:sorry )?(?:(?:the answer is|it is|answer) )?(?:unknown|none|null|n a|na|nil|tbd|undetermined|unclear|unanswerable|unavailable"
    r"|not known|no answer(?: found)?|not (?:available|found|sure|enough information|determinable))"
    rf"|(?:(?:im|i am) )?(?:sorry )?(?:but )?(?:i|we) (?:really |still |just )?{_CANNOT} (?:know|tell|say|answer|determine|find|identify|idea)\b.{{0,200}}"
    r"|(?:im|i am) (?:not sure|unsure|unable to \w+.{0,200})"
    r"|(?:the answer|it|this) (?:cannot|could not|couldnt|cant) be (?:determined|found|answered|identified)\b.{0,200}"
    r"|(?:insufficient|no) (?:information|data|evidence)\b.{0,100}"
)
