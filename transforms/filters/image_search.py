"""`image_search`: drops a question if one image search with its picture reveals the answer. A model
or the rules of `search_shortcuts.py` decide whether the pages reveal the answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Gt

from questloom.records.evolves import Evolves
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Question
from questloom.transforms.filters.filter import (
    Asks,
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

ROLE = "answer_with_search"


def found_by_picture(job: FilterJob, question: Question) -> "tuple[Found, ...]":
    """The full texts of the pages that the agent's image search finds with the question's picture,
    the best first."""
    from questloom.agent.turns.image_bank import ImageBank
    from questloom.transforms.filters.search_shortcuts import Found, page_text
    from questloom.transforms.filters.solver_filters import shown_picture

    store, provider = job.store, job.searches
    bank = ImageBank()
    bank.add(shown_picture(job, question).data, origin="task")
    withheld = (
        frozenset({question.source_image_id})
        if job.recipe.pictures.withhold_own
        else frozenset[str]()
    )
    entities = (
        store.entity_of_title(hit.title)
        for hit in provider.find_like(bank, 0, job.recipe.filters.image_search_k, withheld)
    )
    articles = (store.article(e) for e in entities if e is not None)
    return tuple(
        Found(title=a.title, entity_id=a.entity_id, text=page_text(a))
        for a in articles
        if a is not None
    )


def make_image_search(job: FilterJob) -> Apply:
    from questloom.transforms.filters.search_shortcuts import search_shortcut
    from questloom.transforms.filters.solver_filters import by_model, shown_picture

    store, names = job.store, languages(job.recipe)
    if job.recipe.models.has_role(ROLE):
        return by_model(
            job,
            "image_search",
            Reason.IMAGE_SEARCH_SHORTCUT,
            lambda solvers, question: solvers.one_image_search(
                question,
                shown_picture(job, question),
                tuple((page.title, page.text) for page in found_by_picture(job, question)),
            ),
        )
    return lambda question: search_shortcut(
        question, found_by_picture(job, question), store, names, filter="image_search"
    )


def _material_chars(settings: Any) -> int:
    from questloom.transforms.filters.solvers import MAX_MATERIAL_CHARS, MAX_PAGE_CHARS

    return min(MAX_MATERIAL_CHARS, settings.image_search_k * MAX_PAGE_CHARS)


@dataclass(frozen=True, kw_only=True)
class ImageSearchRules:
    """The switch of the filter `image_search`, and the number of results."""

    image_search: Switch = True
    """Whether to try one image search with the picture."""
    image_search_k: Annotated[int, Gt(0), Evolves("filters", 1, 20, 5)] = 5
    """Number of search results whose pages are read."""


def _always(recipe: Any) -> bool:
    """Always true, because the filter searches with the picture under every recipe."""
    return True


IMAGE_SEARCH = Filter(
    name="image_search",
    help="One image search does not find the answer.",
    doing="trying one image search on each picture",
    reasons={Reason.IMAGE_SEARCH_SHORTCUT: "One image search of the picture finds the answer."},
    settings=ImageSearchRules,
    measured=Measured(264, 360),
    seconds=(0.02, 0.1, 1.0),
    coroutine="by settings",
    asks=Asks(role=ROLE, share=(0.4, 0.8, 0.97), sees_picture=True, material_chars=_material_chars),
    in_loop=InLoop(tool="image_search", remedies=(("filters.image_search_k", 1),)),
    make=make_image_search,
    vectors=_always,
)
