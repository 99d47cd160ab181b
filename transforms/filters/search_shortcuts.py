"""The filters `text_search` and `image_search` without a model: they drop a question if one search
reveals its answer.

`text_search` searches with the question's own words. `image_search` (OpenSearch-VL's second stage)
searches with the picture and reads the pages that it finds. Both filters use the same searches as
an agent, so they see what an agent would find. A page reveals the answer if the page states the
answer and is about a thing of the question. An answer that is a name or a text is also revealed by
a page that contains the full answer and the name of another thing of the question. A bare year, or
a surname on a page about something else, reveals nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from questloom.language.names_in_text import leaked
from questloom.records.form import ClaimClause
from questloom.records.knowledge import Article, Value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.certificate.leak import answer_names
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.stages.stage import reject

DISTINCTIVE = ("entity", "string")
REASONS = {"text_search": Reason.TEXT_SEARCH_SHORTCUT, "image_search": Reason.IMAGE_SEARCH_SHORTCUT}


@dataclass(frozen=True, kw_only=True)
class Found:
    """A page that a search found, with the part of its text that a solver reads."""

    title: str
    entity_id: str
    text: str


def search_shortcut(
    question: Question,
    found: Iterable[Found],
    facts: Facts,
    languages: tuple[str, ...],
    *,
    filter: str,
) -> Question | Rejection:
    """The question with its verdict, or a rejection that quotes the page.

    Args:
        found: the results of one search, the best first.
        languages: the names of the answer in these languages count.
        filter: "text_search" or "image_search".
    """
    names, others = (
        answer_names(facts, question.answer, languages),
        other_names(question, facts, languages),
    )
    num = 0
    for rank, page in enumerate(found):
        num += 1
        said = gives_away(question, page, names, others)
        if said is not None:
            return reject(
                question,
                REASONS[filter],
                {"rank": rank, "title": page.title, "found": said, "passage": page.text[:300]},
            )
    return question.with_verdict(
        Verdict(filter=filter, passed=True, solver="local_search", num_samples=num)
    )


def gives_away(
    question: Question, page: Found, names: tuple[str, ...], others: tuple[str, ...]
) -> str | None:
    """The name of the answer that a page states, if the page reveals the answer to a solver.

    `others` are the names of the other things of the question. If `others` is empty, every page
    that names the answer reveals it.
    """
    if page.entity_id in question.bindings.values():
        return leaked(page.text, names)
    if question.answer.type not in DISTINCTIVE or (others and leaked(page.text, others) is None):
        return None
    return leaked(page.text, tuple(n for n in names if not is_surname(n, names)))


def is_surname(name: str, names: tuple[str, ...]) -> bool:
    """Whether a name is the last word of another name in the list: "Varga" beside "Ilse Varga"."""
    return any(other.endswith(f" {name}") for other in names)


def other_names(question: Question, facts: Facts, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The full names of all things of the question except the answer."""
    named = (
        [
            t.entity
            for c in question.logical_form.of(ClaimClause)
            for t in (c.subject, c.object)
            if isinstance(t, Value)
        ]
        if question.logical_form
        else []
    )
    entities = (
        facts.entity(key)
        for key in (*question.bindings.values(), *named)
        if key != question.answer.value.entity
    )
    return tuple(dict.fromkeys(name for e in entities if e for name in e.names(languages)))


def page_text(article: Article) -> str:
    """The whole text of a page with its infobox."""
    return "\n".join(
        [*(s.text for s in article.sections), *(f"{f.name}: {f.text}" for f in article.infobox)]
    )
