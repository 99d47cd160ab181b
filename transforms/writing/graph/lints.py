"""Finds faults that no question may have, such as doubled words, separated verbs and openers of
exam papers. This module also computes the cost of a text, which measures how hard the text is to
read."""

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

MAX_WORDS = 140
"""Maximum number of words of a question with all its sentences."""
MAX_SENTENCE = 20
MAX_OF = 2
MAX_NESTED = 2
"""Maximum number of relative clauses of a sentence. Two are allowed only where the last one ends the
sentence: "… the company that employed the man who commissioned this station?"."""
MAX_BETWEEN = 7
"""Maximum number of words between the two halves of a verb ("was … born"). With more words in
between, a reader loses the verb. Between the two halves of a verb, a clause or a second "of" is
never allowed."""
COLLISION = 3.0
"""Cost of "the man this novel is dedicated to died"."""
PER_WORD = 0.18
"""Cost of each word of a text."""
_RELATIVE = re.compile(r"\b(?:who|whom|whose|which|where|that (\w+))\b")
_ASKING = re.compile(r"^(Of [^,]*, (?:\w+ )?)(?:who|whom|whose|which|where)\b")
"""Matches a question word after two things to choose from ("Of A and B, which ..."). A question
word after two things to choose from does not open a relative clause."""
_THAT = re.compile(r"\b[Tt]hat\b")
_AGAIN = re.compile(
    r"\b[Tt]his (?:man|woman|person)\b|\b[Tt]his (?:([a-z]{4})[a-z]+)['’]s\b(?! \1)|(?<=\bas) this [a-z]+\b"
)
"""The words for the pictured person, for what belongs to the pictured thing, or for the second of two
things that have "the same" of something. They may repeat a noun."""
_STRESSED = re.compile(r"\b(?:of|in|on|at|by|for|from) (it|him|her)\b ?(\w*)")
_COUNTED = re.compile(r"\bthe (?:first|second|third) ([\w’'-]+)")
_QUOTED = re.compile(r"“[^”]*”")
_OPENERS = re.compile(
    r"^(?:take|consider|think of|imagine|given|identify|name|determine|suppose|compare|look at|find)\b",
    re.IGNORECASE,
)
_BACK = re.compile(r"\bthat (?:other )?([a-z-]+)\b")
_STAYING = frozenset({"about", "after", "on", "to"})
_STRANDED = re.compile(r"\b(\w+) (of|by|to|from|after|in|at|on|as|with|for|into)\?$")
_SPLIT = re.compile(r"\b(?:was|is|did|does) ((?:the|this) [^?]*?) (\w+)\?$")
_SHORT_CLAUSE = re.compile(r" (?:that|who) \w+ (?:it|(?:this|that) [\w-]+(?: [\w-]+)?(?:'s \w+)?)$")
_SHORT_INSIDE = re.compile(r"(?<=\w)(?: that| who) \w+ this [\w-]+(?: [\w-]+)?(?= \w+\?$)")
"""A short clause before the last verb: "the town where the woman who commissioned this bridge died?"."""
_COLLIDING = re.compile(r"\b(?:was|is) \w+(?: up)? (?:was|is)\b")
_HAD_BUILT = re.compile(r"\bhad ((?:the|this|that) [^.?]+?) built\b")
_PARTICLE = re.compile(r" (?:up|out|away)\?$")
_TRAILING = re.compile(r"\b(?:which|whom|where) ((?:the|a|this) [^?]*) (\w+)\?$")
_PHRASES = re.compile(
    r"\bthat (?:father|mother|person|child|spouse)\b|\bone other\b|\b(?:the|that) other person\b|\bsaw the death\b"
    r"|\b(?:an?|the|that) thing\b|\bthe one (?:in|shown|seen|pictured)\b|\b(?:species|mineral) found (?:in|on|at)\b",
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
"""Words that may be repeated: grammatical words, and words of births, deaths, dates and the picture."""
_IRREGULAR = {
    "built": "build",
    "discovery": "discovered",
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
_MADE = frozenset({"creat", "paint"})
"""Stems of verbs that say the same as "make"."""
_APART = frozenset({"another", "Another", "other", "first", "second", "third"})
"""Words that distinguish two things of the same kind, such as "another" and "second"."""
_ENDINGS = re.compile(r"(?:ations?|ings?|ers?|ors?|ists?|ed|es|s|e|al|ic)$")


def problems(text: str, language: str = "en") -> tuple[str, ...]:
    """The faults that a copy editor would mark, each as a short phrase; empty where the text has no
    faults.

    Args:
        text: one question, or statements and a question after them.
        language: language of the text.

    >>> problems("Who designed a old bridge of the the town")
    ('no question mark at the end', 'doubled word: the the', 'article: a old')
    >>> problems("In which year did J. M. W. Turner die?")
    ()
    >>> problems("Who painted this painting?"), problems("Take the town in the picture. When was it founded?")
    (('repeated word: paint',), ('opener of an exam paper',))
    """
    # Text in quotation marks is a title or an inscription, and must not be corrected.
    plain = _QUOTED.sub("“…”", text)
    sentences = [plain[start:end] for start, end in sentence_spans(plain)]
    found = [] if text.endswith("?") else ["no question mark at the end"]
    if any(s.endswith("?") for s in sentences[:-1]):
        found.append("two questions")
    if re.search(r"  ", plain):
        found.append("punctuation")
    found += [fault for s in sentences for fault in _sentence_faults(s, language)]
    found += unclear_references(plain, language)
    if len(text.split()) > MAX_WORDS:
        found.append("too many words")
    return tuple(dict.fromkeys(found))


def num_relative(text: str, language: str = "en") -> int:
    """Number of relative clauses of a text. The "that" of "that river" does not count.

    >>> num_relative("the town where the river that rises on that mountain ends")
    2
    """
    return len(_relatives(text, language))


def _relatives(text: str, language: str) -> list[int]:
    """The positions behind the words that open relative clauses."""
    finite = _verbs(language)[0]
    found = _RELATIVE.finditer(text)
    return [
        m.start(1) if m[1] else m.end() for m in found if not m[1] or m[1] in finite or m[1] in BE
    ]


def _sentence_faults(sentence: str, language: str) -> list[str]:
    """The faults of one sentence without its quotations."""
    found = []
    for match in re.finditer(r"\b([a-z]+) \1\b", sentence, re.IGNORECASE):
        if match[1].lower() not in ("had",) and not match[1][0].isupper():
            found.append(f"doubled word: {match[0]}")
    for match in re.finditer(r"\b([a-z]+) of ((?:[A-Z][\w’'-]*\s?)+)", sentence):
        if match[1] in match[2].lower().split():
            found.append(f"doubled word: {match[0].strip()}")  # "the style of Plain Style"
    words = Words(language_data(language))
    for one, other in pairwise(re.findall(r"[a-z]+", sentence)):
        if len(one) > 4 and len(other) > 4 and stem(one) == stem(other):
            found.append(f"doubled word: {one} {other}")  # "which other painting painted in …"
    for match in re.finditer(r"\b([Aa]n?) ([^\s,.?]+)", sentence):
        if match[1].lower() != words.article(match[2]):
            found.append(f"article: {match[0]}")
    # A name may end so: "Pifeins's warbler".
    if re.search(r"\b[a-z]\w*s's\b|\b\w+'s (?:\w+ ){0,2}\w+'s\b", sentence):
        found.append("possessive")
    last = re.search(r"\b(\w+) (?:he|she)\?$", sentence)
    if last and last[1] not in BE | {"did", "does"}:  # "outlive he?", but "older was he?"
        found.append("case")
    if re.search(r"\s[,.?;:]|[,;:]{2}|\(|\{|,\s*[?.]", sentence):
        found.append("punctuation")
    if not (sentence[:1].isupper() or sentence[:1] in "“0123456789"):
        found.append("no capital letter")
    found += [f"repeated word: {stem}" for stem in repeated(sentence)]
    if _OPENERS.search(sentence):
        found.append("opener of an exam paper")
    found += [f"nobody says: {m[0]}" for m in _PHRASES.finditer(sentence)]
    sentence = _HAD_BUILT.sub(r"built \1", sentence)  # one verb
    last = _STRANDED.search(sentence)
    stranded = last is not None and (last[1], last[2]) not in _staying(language)
    if _COLLIDING.search(sentence) or stranded or _is_lost(sentence, language):
        found.append("stranded")
    if len(re.findall(r"\b(?:an)?other\b", sentence)) > 1:
        found.append("two others")  # "the other chapel dedicated to the other woman"
    if sentence.count(" of ") > MAX_OF:
        found.append("too many of")
    if len(sentence.split()) > MAX_SENTENCE:
        found.append("sentence too long")
    told = _ASKING.sub(r"\1", sentence).partition(" ")[2].partition(" ")[2]
    told = _SHORT_INSIDE.sub("", told)
    nested = num_relative(told, language)
    if nested > MAX_NESTED or (nested == MAX_NESTED and not _ends_in_clause(told, language)):
        found.append("nested clauses")
    return found


def _ends_in_clause(sentence: str, language: str) -> bool:
    """Whether no verb follows the last relative clause of a sentence. "The shipyard where the man
    who built this ship learned" is hard to read, since "learned" belongs to "where".

    >>> _ends_in_clause("the yard that built the ship that sails from this town?", "en")
    True
    >>> _ends_in_clause("the yard where the man who built this ship learned?", "en")
    False
    """
    last = sentence[_relatives(sentence, language)[-1] :]
    finite = _verbs(language)[0] | BE | {"did", "does"}
    words = re.findall(r"[\w’'-]+", last)
    # "was built" is one verb, and so is "is named after"; "built by her" is none.
    return sum(w in finite and before not in BE for before, w in pairwise(["", *words])) <= 1


def unclear_references(text: str, language: str = "en") -> list[str]:
    """Finds words like "that river" that refer back to nothing, or to one of several things.

    >>> unclear_references("This bridge crosses a river. Another river joins that river. How long is it?")
    ['unclear: that river']
    >>> unclear_references("This bridge crosses a river. How deep is that lake?")
    ['nothing before: that lake']
    >>> unclear_references("A bridge by the same woman as this bridge stands here. How old is the second bridge?")
    ['unclear: the second bridge']
    """
    found, finite = [], _verbs(language)[0]
    for counted in _COUNTED.finditer(text):
        # Which bridge was named second?
        noun = re.escape(counted[1])
        if re.search(rf"as this (?:one|{noun})\b|by this {noun}'s", text[: counted.start()]):
            found.append(f"unclear: {counted[0]}")
    for match in _BACK.finditer(text):
        if match[1] in finite or match[1] in BE or match[1] == "also":
            continue  # "the family that donated this painting"
        noun, before = re.escape(match[1]), text[: match.start()]
        if wider := language_data(language).get("wider", {}).get(noun):
            noun = f"(?:{noun}|{wider})"  # "A work painted in Velm hangs there. … that painting"
        first = re.findall(
            rf"\b(?:an?|another|one|the)\b(?: [\w’'-]+){{0,2}}? {noun}s?\b",
            before,
            re.IGNORECASE,
        )
        if not re.search(rf"\b{noun}(?:s|'s)?\b", before, re.IGNORECASE):
            found.append(f"nothing before: that {match[1]}")
        elif sum(not f.lower().startswith("the ") for f in first) > 1 + ("other" in match[0]):
            found.append(f"unclear: that {match[1]}")
    return found


def _is_lost(sentence: str, language: str) -> bool:
    """Whether the second half of a verb stands too far from the first half, or directly after
    another verb: "the town where she died founded?"."""
    finite, halves = _verbs(language)
    sentence = _PARTICLE.sub("?", sentence)
    trailing = _TRAILING.search(sentence)
    if trailing and trailing[2] in finite:
        subject = trailing[1].split()
        if is_heavy(subject) and not ends_in_short_clause(subject):
            return True
    found = _SPLIT.search(sentence)
    if found is None or found[2] not in halves:
        return False
    between = re.sub(r" (?:up|out|away)$", "", found[1]).split()
    done = _participles(language)
    doubled = found[2] in done and any(
        a in done and b in PREPOSITIONS for a, b in pairwise(between)
    )  # "the film set in this town shot?"
    heavy = is_heavy(between) and not ends_in_short_clause(between)
    return between[-1] not in ("was", "is") and (between[-1] in finite or doubled or heavy)


def ends_in_short_clause(subject: list[str]) -> bool:
    """Whether a verb may follow a subject in spite of its clause, which is about the picture:
    "On what date did the founder of the shipyard that built this schooner die?" (readers: 5 of 5)."""
    clause = _SHORT_CLAUSE.search(" ".join(subject))
    return (
        clause is not None
        and len(subject) <= MAX_BETWEEN + 2
        and not is_heavy(subject[: -len(clause[0].split())])
    )


def is_heavy(subject: list[str]) -> bool:
    """Whether a subject is so long that no verb should follow. English puts long parts of a
    sentence last (end weight)."""
    clauses = num_relative(" ".join(subject)) > 0 or any(
        b == "this" and a not in PREPOSITIONS for a, b in pairwise(subject)
    )
    done = _participles("en")
    clauses = clauses or any(b == "by" and a not in done for a, b in pairwise(subject))
    return len(subject) > MAX_BETWEEN or subject.count("of") > 1 or clauses


@functools.cache
def _participles(language: str) -> frozenset[str]:
    """Participles ("set", "designed") that can begin a clause without "that was"."""
    return frozenset(verb_forms(language).participles.values())


def stays(frame: Frame) -> bool:
    """Whether a preposition may stay behind its participle at the end of a short clause. The
    prepositions of "named after" and "dedicated to" may end a clause, but not that of "home to"."""
    return frame.verb in BE and frame.middle.endswith("ed") and frame.preposition in _STAYING


@functools.cache
def _staying(language: str) -> frozenset[tuple[str, str]]:
    """The participles of the language's file, each with a preposition that may stay behind it."""
    frames = (
        f
        for p in worded_properties()
        for phrase in variants(property_phrase(p, language))
        for f in phrase.say
    )
    return frozenset((f.middle, f.preposition) for f in frames if stays(f))


@functools.cache
def _verbs(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """The finite verbs that can end a clause, and the second halves of verbs ("born" of "was
    born")."""
    forms = verb_forms(language)
    frames = [
        f
        for p in worded_properties()
        for phrase in variants(property_phrase(p, language))
        for f in phrase.say
        if f.verb in BE and f.middle
    ]
    participles = {
        *forms.participles.values(),
        *(f.middle.removeprefix("first ").split(" ")[0] for f in frames),
    } - {
        "the",
        "a",
        "in",
        "on",
        "part",
    }
    return frozenset({*forms.bases, *participles}), frozenset({*forms.bases.values(), *participles})


@functools.lru_cache(maxsize=50_000)
def verbs_of(sentence: str, language: str = "en") -> tuple[str, ...]:
    """The stems of a sentence's verbs, without those of births, deaths and being. What was painted
    was made.

    >>> verbs_of("A river flows past the town where she was born and painted what he made.")
    ('flow', 'make', 'make')
    """
    known = frozenset().union(*_verbs(language)) - _SMALL
    found = (stem(w) for w in re.findall(r"[a-z]+", sentence) if w in known)
    return tuple("make" if verb in _MADE else verb for verb in found)


@functools.cache
def stem(word: str) -> str:
    """A rough stem that related words have in common: "paint" for "painter" and "painted".

    >>> [stem(w) for w in ("painter", "painted", "built", "building", "designed")]
    ['paint', 'paint', 'build', 'build', 'design']
    """
    word = _IRREGULAR.get(word, word)
    shorter = _ENDINGS.sub("", word)
    return shorter if len(shorter) >= 4 else word


def repeated(text: str) -> list[str]:
    """The stems of content words that a text contains more than once. Names may be repeated. What
    follows "also" may repeat what stands before: "The artist of this painting also painted …".
    "Which river" may stand before "that river", "a man" beside "this man", and "a church" before "the
    same saint as this church".
    """
    parts = re.split(r"(?<=[.?]) | also ", _AGAIN.sub("", text))
    return sorted({s for part in parts for s in _repeated(part)})


def _repeated(text: str) -> list[str]:
    counts: Counter[str] = Counter()
    words = re.findall(r"[\w’'-]+", text)
    for before, word, *near in zip(["", *words], words, ["", "", *words], strict=False):
        apart = _APART.intersection(near) and word not in _participles("en")
        if (
            before in _APART
            or (before == "its" and " separate " in text)
            or apart
            or (
                before.lower() == "which" and re.search(rf"\bth(?:at|is) {re.escape(word)}\b", text)
            )
        ):
            counts[f"{before} {word}"] += 1
            # "Another stone bridge stands beside that bridge", "the founding … its founder"
            continue
        own = re.sub(r"['’]s$", "", word)
        if (own.islower() or not before) and own.lower() not in _SMALL:
            counts[stem(own.lower())] += 1
    return [s for s, n in counts.items() if n > 1]


def weigh(text: str, language: str = "en") -> float:
    """The cost of a whole text: its faults and the weight of its sentences."""
    sentences = re.split(r"(?<=[.?]) ", text)
    return 15.0 * len(problems(text, language)) + sum(_weight(s) for s in sentences)


def _collisions(sentence: str) -> int:
    """Number of verbs directly behind a preposition that ends a clause: "the man this novel is
    dedicated to died in Velm".

    >>> _collisions("The man this novel is dedicated to died in Velm.")
    1
    """
    words, finite = re.findall(r"[\w’'-]+", sentence), _verbs("en")[0]
    return sum(one in _STAYING and other in finite for one, other in pairwise(words))


@functools.lru_cache(maxsize=50_000)
def weigh_sentence(sentence: str, language: str = "en") -> float:
    """The cost of one sentence, which is a statement or the question."""
    faults = _sentence_faults(_QUOTED.sub("“…”", sentence), language)
    return 15.0 * len(faults) + _weight(sentence)


def _weight(sentence: str) -> float:
    """The cost of a sentence's length, its relative clauses, and chains of "of"."""
    cost = PER_WORD * len(sentence.split())
    cost += 1.0 * max(0, len(sentence.split()) - 17)
    cost += 1.5 * max(0, num_relative(sentence) - 1)
    cost += 2.5 * max(0, sentence.count(" of ") - 1)
    cost += 1.2 * max(0, len(_THAT.findall(sentence)) - 1)
    cost += COLLISION * _collisions(sentence)
    # "The work made in 1823 and painted in this town"
    cost += 4.0 * (" made in " in sentence and " painted in " in sentence)
    after = _verbs("en")[0] | BE | PREPOSITIONS | {""}
    # "By her was made", but not "on her portrait".
    cost += 4.0 * sum(m[1] != "her" or m[2] in after for m in _STRESSED.finditer(sentence))
    # "The district that has its home town as its capital": two of them, or one?
    cost += 2.0 * max(0, len(re.findall(r"\bits\b", sentence)) - 1)
    # "the births of the man who designed this tower and his wife": whom did he design?
    cost += 3.0 * len(re.findall(r" who (?:\w+ ){1,5}and (?:his|her) \w+\?", sentence))
    # "the stadium in the town in the picture": is the stadium or the town in the picture?
    cost += 2.5 * len(
        re.findall(
            r"\b(?:in|on) the [\w-]+(?: [\w-]+)? (?:in|on) (?:the|this) (?:picture|photo)\b",
            sentence,
        )
    )
    return cost


def find_hidden_words(text: str, hidden: Collection[str]) -> list[str]:
    """Of the words that must stay hidden, those that a text contains."""
    low = text.lower()
    return [
        h for h in sorted(hidden) if h and re.search(rf"(?<!\w){re.escape(h.lower())}(?!\w)", low)
    ]
