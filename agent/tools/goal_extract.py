"""Extracts the parts of a page that fit a goal (what the reader wants to learn). A short page is
shown whole. From a long page, the sentences that fit the words of the goal best are shown in
reading order."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from questloom.agent.providers.provider import Page, PageLink
from questloom.language.normalise import fold_all_marks
from questloom.language.sentences import sentence_spans

NUM_SENTENCES = 14
MAX_SENTENCE_CHARS = 600
LEFT_OUT = "[…]"
"""The mark that stands for omitted sentences in an extract."""
_WORD = re.compile(r"\w+")
_STOP = frozenset(
    """a an and are as at be by did do does for from had has have how in is it its of on or that the their there this to was were
    what when where which who whom whose why will with""".split()
)


def words_of(text: str) -> list[str]:
    """The words of a text in a form for comparisons: in lower case, without accents and endings.
    Function words such as "the" are left out."""
    words = _WORD.findall(fold_all_marks(text))
    return [_stem(word) for word in words if word not in _STOP]


def extract(page: Page, goal: str, max_chars: int) -> str:
    """Extracts the infobox, and the sentences that best fit the goal, in reading order with their
    headings.

    If all sentences fit into the limit, the whole page is shown, because the page may use other
    words than the goal. The extract of a longer page always contains the first sentence, which
    introduces the page. BM25 scores are computed within the page, so a word that occurs in every
    sentence counts little.

    Args:
        page: the page.
        goal: what the reader wants to learn.
        max_chars: maximum number of characters of all shown sentences; the infobox may add half as
            many.
    """
    sentences = [
        (number, text[start:stop][:MAX_SENTENCE_CHARS])
        for number, (_, text) in enumerate(page.sections)
        for start, stop in sentence_spans(text)
    ]
    lines: list[str] = []
    if page.facts:
        facts = [f"{name}: {value[:200]}" for name, value in page.facts]
        order = bm25(facts, goal)
        kept, room = set[int](), max_chars // 2
        for i in sorted(range(len(facts)), key=lambda i: (-order[i], i)):
            if len(facts[i]) <= room:
                kept.add(i)
                room -= len(facts[i])
        lines += [facts[i] for i in sorted(kept)] + [""]
    section, last = -1, -1
    for i in _chosen([sentence for _, sentence in sentences], goal, max_chars):
        number, sentence = sentences[i]
        if i > last + 1:
            lines.append(LEFT_OUT)
        if number != section and page.sections[number][0]:
            lines.append(f"## {page.sections[number][0]}")
        lines.append(sentence)
        section, last = number, i
    if last + 1 < len(sentences):
        lines.append(LEFT_OUT)
    return "\n".join(lines)


def names_goal(page: Page, goal: str) -> bool:
    """Whether the page contains any word of the goal. Words of the page's title do not count. If
    the goal has no other words than the title, the result is True."""
    wanted = set(words_of(goal)).difference(words_of(page.title))
    texts = (text for pair in (*page.facts, *page.sections) for text in pair)
    return not wanted or any(not wanted.isdisjoint(words_of(text)) for text in texts)


def _chosen(sentences: list[str], goal: str, max_chars: int) -> list[int]:
    """The indices of the shown sentences, in order."""
    if sum(map(len, sentences)) <= max_chars:
        return list(range(len(sentences)))
    scores = bm25(sentences, goal)
    best = sorted(range(len(sentences)), key=lambda i: (-scores[i], i))
    chosen, room = set[int](), max_chars
    for i in [0, *[i for i in best if scores[i] > 0][:NUM_SENTENCES]]:
        if i not in chosen and len(sentences[i]) <= room:
            chosen.add(i)
            room -= len(sentences[i])
    return sorted(chosen)


def links_for(page: Page, goal: str, k: int, shown: str = "") -> list[PageLink]:
    """Chooses at most `k` links. The links whose titles fit the goal best come first, then the
    links that the shown text names, then the others in page order.

    Args:
        shown: the text that the reader sees; links that the text names come before the others.
    """
    scores = bm25([link.title for link in page.links], goal)
    unseen = [re.sub(r"\s*\([^()]*\)$", "", link.title) not in shown for link in page.links]
    return [
        page.links[i]
        for i in sorted(range(len(page.links)), key=lambda i: (-scores[i], unseen[i], i))[:k]
    ]


def bm25(texts: Sequence[str], query: str, k1: float = 1.2, b: float = 0.75) -> list[float]:
    """BM25 scores (Robertson and Zaragoza 2009) of all texts in a collection. A text without a
    query word scores 0."""
    wanted = set(words_of(query))
    bags = [words_of(text) for text in texts]
    mean = sum(map(len, bags)) / len(bags) if bags else 0.0
    frequency = Counter(word for bag in bags for word in wanted.intersection(bag))
    scores = []
    for bag in bags:
        counts, score = Counter(bag), 0.0
        for word in sorted(wanted.intersection(counts)):
            idf = math.log(1 + (len(bags) - frequency[word] + 0.5) / (frequency[word] + 0.5))
            score += (
                idf * counts[word] * (k1 + 1) / (counts[word] + k1 * (1 - b + b * len(bag) / mean))
            )
        scores.append(score)
    return scores


def _stem(word: str) -> str:
    """Removes the plural or past ending of a word. After this simple stemming, "towers" matches
    "tower", but "built" does not match "build"."""
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
