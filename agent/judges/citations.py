"""Checks the citations in a model's thoughts. A thought may cite quotations, numbers and names from
an observation (a tool result). The observation must contain what the thought cites.

The check reads only sentences that clearly cite a source ("the search result says …", "according to
the page …"). Claims without a clear source are left to the process judge. The check skips claims
about pictures. The check also skips sentences that deny, suppose or plan something.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from questloom.language.amounts import amounts, readable
from questloom.language.english import MONTHS
from questloom.language.normalise import clean, expanded, tokens

_SOURCE = (
    r"(?:(?:search |web |tool |ocr |first |second |third |last |top |same |wikipedia |retrieved )*"
    r"(?:results?|pages?|articles?|snippets?|observations?|responses?|outputs?|websites?|web ?sites?|sources?|documents?|passages?|summary"
    r"|summaries|ocr|wikipedia|wikidata))"
)
_SAYS = (
    r"(?:says?|said|states?|stated|shows?|showed|mentions?|mentioned|reports?|reported|gives?|gave|lists?|listed|confirms?|confirmed|tells?|told"
    r"|reads?|indicates?|indicated|notes?|noted|describes?|described|reveals?|revealed|returned|claims?|claimed|writes?|wrote)"
)
_STATES = re.compile(
    rf"\b{_SOURCE} (?:\S+ ){{0,3}}?(?:also |clearly |explicitly )?{_SAYS}\b", re.IGNORECASE
)
"""Matches a phrase such as "the article says", which names a source and comes before the claim. The
source's name may come before the phrase, as in "the Daily Post article says"."""
_REFERS = re.compile(
    rf"\baccording to (?:the |this |that |these |its |a )?{_SOURCE}\b"
    rf"|\b(?:as )?(?:stated|said|mentioned|reported|given|listed|written|described|noted) (?:in|on|by) (?:the |this |that |these )?{_SOURCE}\b"
    rf"|\bfrom (?:the|this|that|these) {_SOURCE}\b,? (?:i|we) (?:learn|learned|know|see|read|find|found)",
    re.IGNORECASE,
)
"""Matches a phrase such as "according to the page" anywhere in a sentence. The whole sentence then
counts as the claim."""
_NO_CLAIM = re.compile(
    r"\b(?:not|no|none|nothing|never|without|neither|nor|cannot|if|whether|would|should|could|might|may|perhaps|maybe|let me|let's|need to|want to"
    r"|going to|will|can|hope|expect|suppose|assum\w+|probably|likely|presumably|sometimes|imagine|for example|check|checking|use|visit|perform|look for"
    r"|pictures?|images?|photos?|photographs?|views?|question|crops?|cropped|unclear|instead of)\b|n't\b",
    re.IGNORECASE,
)
# The words after these are the thinker's own conclusion.
_CONCLUDES = re.compile(
    r"[,;:–—(]?\s*\b(?:so|therefore|thus|hence|which means|that means|meaning|which would|this means|i think|i believe|i conclude|implying|which implies)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])[\"'”’)]*\s+(?=[A-Z0-9\"'“‘(\[]|[^\x00-\x7f])|\n+")
_QUOTED = re.compile(
    r"\"([^\"]{3,400})\"|“([^”]{3,400})”|«([^»]{3,400})»|(?<!\w)'([^']{3,200})'(?!\w)"
)
_NAME = re.compile(
    r"\b[A-ZÀ-ÖØ-Þ][\w’'-]*(?:(?: (?:of|the|de|da|di|du|van|von|la|le|del|al|y|and|&) | |\. )[A-ZÀ-ÖØ-Þ][\w’'-]*)*"
)
_LABEL = re.compile(
    r"\b(?:step|result|page|source|snippet|no\.?|number|top|hop|clue|item|passage|document|turn|section|chapter|line)s? ?#?\d+|\[\d+\]|\(\d\)|#\d+"
    r"|<?image:\d+>?|\b(?:first|second|third|top) \d+",
    re.IGNORECASE,
)
_ROUGH = re.compile(
    r"\b(?:about|approximately|roughly|around|nearly|almost|over|some|million|billion|thousand)\b|[~≈]",
    re.IGNORECASE,
)
_DEMONYM = re.compile(r"(?:ish|ese|ian|ean|ican|ench|utch|iss|erman|eek|aqi|eli)$")
_CAPITAL_WORDS = frozenset(month.casefold() for month in MONTHS) | frozenset(
    """
the a an this that these those it its he she they his her their we i in on at of for from by with and but or as so also according wikipedia
wikidata ocr search result results page article snippet text source one two three both another monday tuesday
wednesday thursday friday saturday sunday yes no now then here there step ok okay first second
third next finally however since because when where what which who
""".split()
)
MAX_THOUGHT_CHARS = 40_000


@dataclass(frozen=True)
class Unfounded:
    """A claim that a thought cites from an observation (a tool result), but that no earlier
    observation contains."""

    kind: str
    """The kind of claim: "quote", "number" or "name"."""
    words: str
    sentence: str


@dataclass(frozen=True)
class Source:
    """An observation (a tool result) in a form for look-ups: its words in order, and its
    numbers."""

    words: str
    solid: str
    numbers: frozenset[float]

    @classmethod
    def of(cls, text: str) -> "Source":
        words = _key(text)
        return cls(words, words.replace(" ", ""), frozenset(_numbers(text)))

    def holds(self, words: str) -> bool:
        """Whether the observation contains the given words in the given order. In scripts without
        spaces, characters are compared instead of words."""
        key = _key(words)
        return key in self.words or (not key.isascii() and key.replace(" ", "") in self.solid)

    def holds_name(self, name: str) -> bool:
        """Whether the observation contains the name, or all words of the name with three letters or
        more in any order: "Varga, Ilse" contains "Ilse Varga"."""
        words = [w for w in _key(name).split() if len(w) > 2]
        return self.holds(name) or (len(words) > 1 and all(f" {w} " in self.words for w in words))

    def has_number(self, number: float, *, rough: bool) -> bool:
        """Whether the observation contains the number. If the citation calls the number
        approximate, the observation's number may differ by 5 %, except for years."""
        if number in self.numbers:
            return True
        return (
            rough
            and not (number.is_integer() and 1000 <= number <= 2100)
            and any(abs(n - number) <= 0.05 * number for n in self.numbers)
        )


def _key(text: str) -> str:
    return f" {' '.join(expanded([t.text for t in tokens(clean(text))]))} "


def _numbers(text: str) -> list[float]:
    return [abs(a.number) for a in amounts(readable(text))] + [
        float(d) for d in re.findall(r"\d+", clean(text)) if len(d) < 16
    ]


def cited(thought: str) -> list[str]:
    """The claims that a thought cites from observations (tool results), one per sentence.
    Conclusions that a thought itself draws from what it read are left out.

    >>> cited("The Daily Post article says it was lit in 1871, so it is older. If the result says 1900, I am wrong.")
    ['it was lit in 1871']
    """
    claims = []
    for sentence in _SENTENCE.split(thought[:MAX_THOUGHT_CHARS]):
        sentence = " ".join(sentence.split())
        states = _STATES.search(sentence)
        refers = None if states else _REFERS.search(sentence)
        found = states or refers
        if found is None:
            continue
        end = _CONCLUDES.search(sentence, found.end())
        said = sentence[: end.start()] if end else sentence
        if not _NO_CLAIM.search(_QUOTED.sub(" ", said)):
            claims.append((said[states.end() :] if states else said).strip())
    return [c for c in claims if c]


def unfounded(
    said: list[str], observations: Sequence[Source], question: Source
) -> tuple[list[Unfounded], int]:
    """Returns the claims that no observation contains, and the number of all quotations, numbers
    and names that were checked.

    Args:
        said: the thought's citations, from `cited`.
        observations: all tool results before this turn.
        question: the question, because a thought may also use names and words from the question.
    """
    found: list[Unfounded] = []
    num_checked = 0
    for sentence in said:
        quotes = [next(filter(None, m)) for m in _QUOTED.findall(sentence)]
        plain = _LABEL.sub(" ", _QUOTED.sub(" ", sentence))
        pieces = [
            p.strip()
            for q in quotes
            for p in re.split(r"\.\.\.|…|\[[^\]]*\]", q)
            if len(p.strip()) > 2
        ]
        numbers = {abs(a.number) for a in amounts(readable(_digits_only(plain)))}
        names = _names(plain)
        num_checked += len(pieces) + len(numbers) + len(names)
        rough = _ROUGH.search(plain) is not None
        found += [
            Unfounded("quote", p, sentence)
            for p in pieces
            if not any(o.holds(p) for o in (*observations, question))
        ]
        found += [
            Unfounded("number", f"{n:.10g}", sentence)
            for n in sorted(numbers)
            if not any(o.has_number(n, rough=rough) for o in observations)
        ]
        found += [
            Unfounded("name", n, sentence)
            for n in names
            if not any(o.holds_name(n) for o in (*observations, question))
        ]
    return found, num_checked


def _digits_only(text: str) -> str:
    """Removes all words from a text except words for scale, as in "2 million". Numbers in digits
    remain. Numbers in words are removed because they cannot be looked up. Short decades ("the 90s")
    are removed too."""
    text = re.sub(r"(?<!\d)['’]?\d0['’]?s\b", "·", text)
    return re.sub(r"\b(?!million|billion|trillion|thousand|hundred|dozen)[^\W\d_]+\b", "·", text)


def _names(text: str) -> list[str]:
    """The capitalised names in a sentence. The first word of the sentence, words that are always
    capitalised, and words such as "Spanish" do not count as names."""
    names = []
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and words[0].strip(".").casefold() in _CAPITAL_WORDS:
            words = words[1:]
        while words and words[-1].casefold() in _CAPITAL_WORDS:
            words = words[:-1]
        name = re.sub(r"['’]s$", "", " ".join(words))
        first = text[: match.start()].rstrip()[-1:] in (":", "·", "")
        if (
            len(name) > 2
            and not name.startswith("I'")
            and not (
                len(words) == 1
                and (first or _DEMONYM.search(name) or name.removesuffix("s").isupper())
            )
        ):
            names += [name] if " and " not in name else name.split(" and ")
    return names
