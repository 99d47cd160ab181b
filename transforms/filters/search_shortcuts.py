"""F3 and F4 without a model: one search must not hand over the answer.

F3 (own): the question itself as a text search. F4 (OpenSearch-VL's second stage): one image search of the picture.
A passage or page gives the answer away where it states it and is about a node of the question, or where the answer is
a name or a text (a bare year or number on an unrelated page gives nothing away).
"""
from collections.abc import Iterable
from typing import Protocol

from records.knowledge import Article
from records.outcomes import Reason, Rejection
from records.synthesis import Question, Verdict
from transforms.certificate.facts import Facts
from transforms.certificate.leak import answer_names, leaked
from transforms.stages.stage import reject

DISTINCTIVE = ("entity", "string")


class PassageSearch(Protocol):
    """`knowledge.search.TextSearch`."""

    def search(self, query: str, k: int) -> list: ...


def gives_away(question: Question, text: str, entity_id: str, names: tuple[str, ...]) -> str | None:
    """The name of the answer that a text about an entity states, if that tells a solver the answer."""
    if question.answer.type not in DISTINCTIVE and entity_id not in question.bindings.values():
        return None
    return leaked(text, names)


def text_search_shortcut(question: Question, search: PassageSearch, facts: Facts, k: int, languages: tuple[str, ...], stage: str) -> Question | Rejection:
    """F3: the question with its verdict, or the rejection that quotes the passage."""
    names = answer_names(facts, question.answer, languages)
    for rank, hit in enumerate(search.search(question.text, k)):
        found = gives_away(question, hit.passage.text, hit.passage.entity_id, names)
        if found is not None:
            return reject(question, stage, Reason.TEXT_SEARCH_SHORTCUT,
                          {"rank": rank, "title": hit.passage.title, "found": found, "passage": hit.passage.text[:300]})
    return question.with_verdict(Verdict(filter="F3", passed=True, solver="local_search", num_samples=k))


def image_search_shortcut(question: Question, entities: Iterable[str], facts: Facts, languages: tuple[str, ...], stage: str) -> Question | Rejection:
    """F4: `entities` are those of the pictures that one image search of the question's picture returns, best first."""
    names = answer_names(facts, question.answer, languages)
    tried = 0
    for rank, entity_id in enumerate(entities):
        tried += 1
        article = facts.article(entity_id)
        found = gives_away(question, page_text(article), entity_id, names) if article is not None else None
        if article is not None and found is not None:
            return reject(question, stage, Reason.IMAGE_SEARCH_SHORTCUT, {"rank": rank, "title": article.title, "found": found})
    return question.with_verdict(Verdict(filter="F4", passed=True, solver="local_search", num_samples=tried))


def page_text(article: Article) -> str:
    """All that a page says, its infobox too."""
    return "\n".join([*(s.text for s in article.sections), *(f"{f.name}: {f.text}" for f in article.infobox)])
