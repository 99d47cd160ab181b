"""Questions from Wikipedia, Wikidata and Commons that need a picture and a search to answer.

`questloom.pipeline.api` documents each name. The first use of a name imports its module.
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
