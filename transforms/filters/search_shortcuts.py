"""`text_search` and `image_search` without a model: one search must not hand over the answer.

`text_search`: the question itself as a text search. `image_search` (OpenSearch-VL's second stage): one image search of the picture,
and the pages it leads to.
Both are the searches that episodes have, so what is measured is what an agent would find. A page gives the answer away where it states it and is about a
node of the question, or, the answer being a name or a text, says it in full and names another node beside it. A bare year, or a family's name on a page
about something else, tells nobody that it is the answer.
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
    """A page that a search found, with what a solver reads of it."""

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
    """The question with its verdict, or the rejection that quotes the page.

    Args:
        found: what one search gave, the best first.
        languages: whose names of the answer count.
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
    """The name of the answer that a page states, if that tells a solver the answer.

    `others` are the names of what else the question is about; where none is known, any page that names the answer counts.
    """
    if page.entity_id in question.bindings.values():
        return leaked(page.text, names)
    if question.answer.type not in DISTINCTIVE or (others and leaked(page.text, others) is None):
        return None
    return leaked(page.text, tuple(n for n in names if not is_surname(n, names)))


def is_surname(name: str, names: tuple[str, ...]) -> bool:
    """Whether a name is the last word of another of the names: "Varga" beside "Ilse Varga"."""
    return any(other.endswith(f" {name}") for other in names)


def other_names(question: Question, facts: Facts, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The full names of the question's things: all but its answer, those that it names too."""
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
    """All that a page says, its infobox too."""
    return "\n".join(
        [*(s.text for s in article.sections), *(f"{f.name}: {f.text}" for f in article.infobox)]
    )
