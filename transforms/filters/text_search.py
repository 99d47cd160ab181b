"""`text_search`: drops a question if a text search with its own words reveals the answer (`search_shortcuts.py`)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_types import Gt

from questloom.records.evolves import Evolves
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Question
from questloom.transforms.filters.filter import (
    Filter,
    FilterJob,
    InLoop,
    Measured,
    Switch,
    languages,
)
from questloom.transforms.stages.stage import Apply

if TYPE_CHECKING:
    from questloom.transforms.filters.search_shortcuts import Found


def found_by_text(job: FilterJob, question: Question) -> "Iterator[Found]":
    """The results of the agent's text search with the question's own text, the best page first."""
    from questloom.agent.tools.search_tools import EXTRACT_CHARS
    from questloom.transforms.filters.search_shortcuts import Found

    store, provider = job.store, job.searches
    for hit in provider.find_pages(question.text, job.recipe.filters.text_search_k):
        entity_id = store.entity_of_title(hit.title)
        assert entity_id is not None, "a hit is a page of the store"
        yield Found(title=hit.title, entity_id=entity_id, text=hit.snippet[:EXTRACT_CHARS])


def make_text_search(job: FilterJob) -> Apply:
    from questloom.transforms.filters.search_shortcuts import search_shortcut

    store, names = job.store, languages(job.recipe)
    return lambda question: search_shortcut(
        question, found_by_text(job, question), store, names, filter="text_search"
    )


@dataclass(frozen=True, kw_only=True)
class TextSearchRules:
    """The switch of the filter `text_search`, and the number of results."""

    text_search: Switch = True
    """Whether to try one text search with the question."""
    text_search_k: Annotated[int, Gt(0), Evolves("filters", 1, 20, 5)] = 5
    """Number of search results that are read."""


TEXT_SEARCH = Filter(
    name="text_search",
    help="One text search does not find the answer.",
    doing="trying one text search on each question",
    reasons={Reason.TEXT_SEARCH_SHORTCUT: "One text search of the question finds the answer."},
    settings=TextSearchRules,
    of_words=True,
    measured=Measured(360, 464),
    seconds=(0.003, 0.015, 0.1),
    in_loop=InLoop(
        tool="text_search",
        remedies=(("filters.text_search_k", 1),),
        guidance="Say each step in words that its page does not use; avoid the phrases of the page's sentence.",
    ),
    make=make_text_search,
)
