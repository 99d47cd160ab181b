"""What no question may have, and how heavy one is: doubled words, repeated words, stranded verbs, openers of exam papers, and so on."""

import functools
import re
from collections import Counter
from collections.abc import Collection
from itertools import pairwise

from questloom.language.frames import BE, PREPOSITIONS, Frame
from questloom.language.relations import worded_properties
from questloom.language.sentences import sentence_spans
from questloom.prompts.phrases import language_data, property_phrase, variants, verb_forms
from questloom.prompts.phrases.words import Words

MAX_WORDS = 45
MAX_SENTENCE = 20
MAX_OF = 2
MAX_NESTED = 1
"""Relative clauses of a sentence."""
MAX_BETWEEN = 7
"""Words that may stand between "was" and "born" before the verb is lost; more than one "of" or a clause among them loses it at once."""
PER_WORD = 0.18
"""Cost of a word."""
_RELATIVE = re.compile(r"\b(?:who|whom|whose|which|where|that)\b")
_ASKING = re.compile(r"^(Of [^,]*, (?:\w+ )?)(?:who|whom|whose|which|where)\b")
"""The word that asks, behind two things of which one is asked for: it opens no relative clause."""
_QUOTED = re.compile(r"“[^”]*”")
_OPENERS = re.compile(
    r"^(?:take|consider|think of|imagine|given|identify|name|determine|suppose|compare|look at|find)\b",
    re.IGNORECASE,
)
_STAYING = frozenset({"about", "after", "on", "to"})
_STRANDED = re.compile(r"\b(\w+) (of|by|to|from|after|in|at|on|as|with|for|into)\?$")
_SPLIT = re.compile(r"\b(?:was|is|did|does) ((?:the|this) [^?]*?) (\w+)\?$")
_COLLIDING = re.compile(r"\b(?:was|is) \w+(?: up)? (?:was|is)\b")
_PARTICLE = re.compile(r" (?:up|out|away)\?$")
_TRAILING = re.compile(r"\b(?:which|whom|where) ((?:the|a|this) [^?]*) (\w+)\?$")
_PHRASES = re.compile(
    r"\bthat (?:father|mother|person|man|woman|child|spouse)\b|\bone other\b|\bthe other person\b|\bsaw the death\b"
    r"|\bthe one (?:in|shown|seen|pictured)\b|\b(?:species|mineral) found (?:in|on|at)\b",
    re.IGNORECASE,
)
_SMALL = frozenset(
    word
    for line in (
        "a an and are as at be been beneath beside born by came come comes did died do does first for from had has have he her him his how in into is it its",
        "many more name named of on one or other out part same she that the their them there these they this through to under up using was were",
        "what when where which who whom whose with year years picture here shown pictured date day month",
    )
    for word in line.split()
)
"""Words that may recur: grammar's own, and those of births, deaths, dates and the picture."""
_IRREGULAR = {
    "built": "build",
    "wrote": "write",
    "written": "write",
    "taught": "teach",
    "won": "win",
    "made": "make",
    "drew": "draw",
    "drawn": "draw",
    "fought": "fight",
    "found": "discovered",
    "took": "take",
    "setting": "set",
    "shot": "shoot",
    "held": "hold",
    "stood": "stand",
    "rose": "rise",
    "crosses": "cross",
}
_ENDINGS = re.compile(r"(?:ations?|ings?|ers?|ors?|ists?|ed|es|s|e|al|ic)$")


def problems(text: str, language: str = "en") -> tuple[str, ...]:
    """What a copy editor would strike, each as a short phrase; empty where nothing is wrong.

    >>> problems("Who designed a old bridge of the the town")
    ('doubled word: the the', 'article: a old', 'no question mark at the end')
    >>> problems("In which year did J. M. W. Turner die?")
    ()
    >>> problems("Who painted this painting?"), problems("Take the town in the picture. When was it founded?")
    (('repeated word: paint',), ('opens with a statement', 'opener of an exam paper'))
    """
    found = []
    # What stands in quotation marks is a title or an inscription, and is not ours to correct.
    plain = _QUOTED.sub("“…”", text)
    for match in re.finditer(r"\b([a-z]+) \1\b", plain, re.IGNORECASE):
        if match[1].lower() not in ("had",) and not match[1][0].isupper():
            found.append(f"doubled word: {match[0]}")
    words = Words(language_data(language))
    for match in re.finditer(r"\b([Aa]n?) ([^\s,.?]+)", plain):
        if match[1].lower() != words.article(match[2]):
            found.append(f"article: {match[0]}")
    if re.search(r"s's\b|\b\w+'s (?:\w+ ){0,2}\w+'s\b", plain):
        found.append("possessive")
    if re.search(r"\s[,.?;:]|[,;:]{2}|\(|\{|,\s*[?.]|  ", plain):
        found.append("punctuation")
    if not text.endswith("?"):
        found.append("no question mark at the end")
    sentences = [plain[start:end] for start, end in sentence_spans(plain)]
    if any(not (s[:1].isupper() or s[:1] in "“0123456789") for s in sentences):
        found.append("no capital letter")
    found += [f"repeated word: {stem}" for stem in repeated(plain)]
    if len(sentences) > 1 and not sentences[0].endswith("?"):
        found.append("opens with a statement")
    if any(_OPENERS.search(s) for s in sentences):
        found.append("opener of an exam paper")
    found += [f"nobody says: {m[0]}" for m in _PHRASES.finditer(plain)]
    last = _STRANDED.search(plain)
    stranded = last is not None and (last[1], last[2]) not in _staying(language)
    if _COLLIDING.search(plain) or stranded or any(_is_lost(s, language) for s in sentences):
        found.append("stranded")
    for sentence in sentences:
        if sentence.count(" of ") > MAX_OF:
            found.append("too many of")
        if len(sentence.split()) > MAX_SENTENCE:
            found.append("sentence too long")
        told = _ASKING.sub(r"\1", sentence).partition(" ")[2].partition(" ")[2]
        if len(_RELATIVE.findall(told)) > MAX_NESTED:
            found.append("nested clauses")
    if len(text.split()) > MAX_WORDS:
        found.append("too many words")
    return tuple(found)


def _is_lost(sentence: str, language: str) -> bool:
    """Whether the second half of a verb stands too far from its first, or right behind another verb: "the town where she died founded?"."""
    finite, halves = _verbs(language)
    sentence = _PARTICLE.sub("?", sentence)
    trailing = _TRAILING.search(sentence)
    if trailing and trailing[2] in finite and is_heavy(trailing[1].split()):
        return True
    found = _SPLIT.search(sentence)
    if found is None or found[2] not in halves:
        return False
    between = re.sub(r" (?:up|out|away)$", "", found[1]).split()
    done = _participles(language)
    doubled = found[2] in done and any(
        a in done and b in PREPOSITIONS for a, b in pairwise(between)
    )  # "the film set in this town shot?"
    return between[-1] not in ("was", "is") and (
        between[-1] in finite or doubled or is_heavy(between)
    )


def is_heavy(subject: list[str]) -> bool:
    """Whether a subject is too heavy for a verb behind it: what is heavy comes last in English (end weight)."""
    clauses = any(_RELATIVE.fullmatch(w) for w in subject) or any(
        b == "this" and a not in PREPOSITIONS for a, b in pairwise(subject)
    )
    done = _participles("en")
    clauses = clauses or any(b == "by" and a not in done for a, b in pairwise(subject))
    return len(subject) > MAX_BETWEEN or subject.count("of") > 1 or clauses


@functools.cache
def _participles(language: str) -> frozenset[str]:
    """What a clause without its "that was" begins with: "set", "designed"."""
    return frozenset(verb_forms(language).participles.values())


def stays(frame: Frame) -> bool:
    """Whether a sentence's preposition may stay behind its participle at the end of a light clause: "named after", "dedicated to", but not "home to"."""
    return frame.verb in BE and frame.middle.endswith("ed") and frame.preposition in _STAYING


@functools.cache
def _staying(language: str) -> frozenset[tuple[str, str]]:
    """Participles of the language's file with the prepositions that stay behind them."""
    frames = (
        f
        for p in worded_properties()
        for phrase in variants(property_phrase(p, language))
        for f in phrase.say
    )
    return frozenset((f.middle, f.preposition) for f in frames if stays(f))


@functools.cache
def _verbs(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words that end a clause of their own, and second halves of verbs."""
    forms = verb_forms(language)
    frames = [
        f
        for p in worded_properties()
        for phrase in variants(property_phrase(p, language))
        for f in phrase.say
        if f.verb in BE and f.middle
    ]
    participles = {*forms.participles.values(), *(f.middle.split(" ")[0] for f in frames)} - {
        "the",
        "a",
        "in",
        "on",
        "part",
    }
    return frozenset({*forms.bases, *participles}), frozenset({*forms.bases.values(), *participles})


@functools.cache
def stem(word: str) -> str:
    """What a word has in common with its kin, roughly: "paint" of "painter" and "painted".

    >>> [stem(w) for w in ("painter", "painted", "built", "building", "designed")]
    ['paint', 'paint', 'build', 'build', 'design']
    """
    word = _IRREGULAR.get(word, word)
    shorter = _ENDINGS.sub("", word)
    return shorter if len(shorter) >= 4 else word


def repeated(text: str) -> list[str]:
    """Stems of content words that a text says twice; names do not count."""
    counts: Counter[str] = Counter()
    for sentence in re.split(r"(?<=[.?]) ", text):
        words = re.findall(r"[\w’'-]+", sentence)
        for before, word in zip(["", *words], words, strict=False):
            own = re.sub(r"['’]s$", "", word)
            if (own.islower() or not before) and own.lower() not in _SMALL:
                counts[stem(own.lower())] += 1
    return sorted(s for s, n in counts.items() if n > 1)


def weigh(text: str, language: str = "en") -> float:
    """How awkward a text is as a whole: its faults, its length, its relative clauses, and "of" upon "of"."""
    cost = PER_WORD * len(text.split()) + 15.0 * len(problems(text, language))
    for sentence in re.split(r"(?<=[.?]) ", text):
        cost += 1.0 * max(0, len(sentence.split()) - 15)
        cost += 1.5 * max(0, len(_RELATIVE.findall(sentence)) - 1)
        cost += 2.5 * max(0, sentence.count(" of ") - 1)
        cost += 4.0 * len(re.findall(r"\b(?:of|in|on|at|by|from) (?:it|him|her)\b", sentence))
        # "the stadium in the town in the picture": what is to be seen there?
        cost += 2.5 * len(
            re.findall(
                r"\b(?:in|on) the [\w-]+(?: [\w-]+)? (?:in|on) (?:the|this) (?:picture|photo)\b",
                sentence,
            )
        )
    return cost


def find_hidden_words(text: str, hidden: Collection[str]) -> list[str]:
    """Those of the hidden words that a text says."""
    low = text.lower()
    return [
        h for h in sorted(hidden) if h and re.search(rf"(?<!\w){re.escape(h.lower())}(?!\w)", low)
    ]
