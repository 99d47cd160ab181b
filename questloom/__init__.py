"""Makes questions from Wikipedia, Wikidata and Commons. To answer a question, one needs a picture
and a search.

`questloom.pipeline.api` describes each name that can be imported from here. The module of a name is
imported when the name is first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from questloom.pipeline.api import (
        InputError,
        QuestloomError,
        Recipe,
        Run,
        ingest,
        load_recipe,
        load_run,
        make_world,
        open_store,
        plan,
        play,
        render_episode,
        score,
        synthesise,
        teach,
    )

__all__ = [
    "InputError",
    "QuestloomError",
    "Recipe",
    "Run",
    "ingest",
    "load_recipe",
    "load_run",
    "make_world",
    "open_store",
    "plan",
    "play",
    "render_episode",
    "score",
    "synthesise",
    "teach",
]


def __getattr__(name: str) -> Any:
    """Imports a name of the interface when it is first used (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module("questloom.pipeline.api"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
