"""Cuts an article into the passages that text search finds."""

import re
from collections.abc import Iterator

from questloom.records.identity import record_id
from questloom.records.knowledge import Article, Passage

MAX_WORDS = 120
_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’)\]]*$")


def passages_of(article: Article) -> Iterator[Passage]:
    """Yields the passages of an article in reading order; each passage is copied word for word from one section.

    Short paragraphs of a section are joined to passages of up to MAX_WORDS words. A paragraph with
    more words is cut after the last sentence that fits.
    """
    article_id = article.id
    for number, section in enumerate(article.sections):
        for start, stop in pieces(section.text):
            yield Passage(
                id=record_id("Passage", article_id, number, start),
                article_id=article_id,
                entity_id=article.entity_id,
                title=article.title,
                section=number,
                text=section.text[start:stop],
                start=start,
            )


def pieces(text: str, max_words: int = MAX_WORDS) -> Iterator[tuple[int, int]]:
    """Yields offsets [start, stop) of the pieces of a text. No piece is longer than `max_words` words, and no word is
    lost."""
    words = [match.span() for match in _WORD.finditer(text)]
    first = 0
    while first < len(words):
        last = min(first + max_words, len(words))
        if last < len(words):
            last = _break(text, words, first, last)
        yield words[first][0], words[last - 1][1]
        first = last


def _break(text: str, words: list[tuple[int, int]], first: int, last: int) -> int:
    """The word where the next piece begins: the start of a paragraph in the second half of the
    piece, or else the start of a sentence there. If neither a paragraph nor a sentence starts in
    the second half, the next piece begins at the word `last`."""
    half = first + (last - first) // 2
    for i in range(last, half, -1):
        if "\n" in text[words[i - 1][1] : words[i][0]]:
            return i
    for i in range(last, half, -1):
        if _SENTENCE_END.search(text[words[i - 1][0] : words[i - 1][1]]):
            return i
    return last
